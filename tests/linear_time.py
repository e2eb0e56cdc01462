"""Find patterns and parsers whose time grows faster than their text: repeated pieces, short and long."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from re import _constants as signs  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from time import thread_time

FLOOR = 0.03  # seconds of processor time below which a text is quick, whatever the ratio: noise
SIZES = (20, 24, 28, 250, 1_000, 4_000, 16_000)
"""Characters of a text, step by step, so that an exponential pattern is found before it takes long."""

WORSE = 2.0  # times as much as linear growth at which a text counts as slow
AGAIN = 3  # measurements of which the least counts, where the first look is suspicious

PIECES = (
    *(
        "a",
        "A",
        "0",
        "9.",
        " ",
        "\n",
        "\t",
        "\r",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        '"',
        "'",
        "`",
        "\\",
    ),
    *(",", ".", ";", ":", "=", "_", "-", "+", "*", "#", "?", "&", "%", "|", "~", "^", "@", "/", "$", "\x00"),
    *("a=", "a.", "a ", "1,", "0, ", "1e", "1e5 ", "[[", "{{", "()", "[]", "{}", "''", '""', "é", "e\u0301"),
    *(
        "\\N{",
        "\\u",
        "a\n",
        " \n",
        "\n ",
        "=a,",
        "a:",
        "a(",
        "f(x) ",
        "<a",
        "<a>",
        "*a",
        "`a`",
        "?g=",
        "&f=1",
    ),
    *(
        "(\n",
        "[1,\n",
        "x = (\n",
        ")\n",
        "https://",
        "../",
        "import a\n",
        "from a ",
        "def f(a):",
        "for i in ",
        "x = ",
        '"a":',
        '{"a":',
        "\ud800",
    ),
)
TAILS = ("", "\x00", " !")

Build = Callable[[int], str]
"""Makes a text of about so many characters."""


def repeated(piece: str, before: str = "", after: str = "") -> Build:
    return lambda size: before + piece * (size // len(piece) + 1) + after


def slow_at(
    run: Callable[[str], object], build: Build, sizes: tuple[int, ...] = SIZES, floor: float = FLOOR
) -> tuple[int, float] | None:
    """Return the size at which a text took more time than linear growth allows, with the ratio; or None."""
    before, at = 0.0, 0
    for size in sizes:
        took = _seconds(run, build(size))
        if took > floor and at:
            # Once more: another process may have taken the cache, or a page of memory was new.
            took = min(took, *(_seconds(run, build(size)) for _ in range(AGAIN)))
            before = min(before, *(_seconds(run, build(at)) for _ in range(AGAIN)))
            ratio = took / max(before, floor / 100)
            if took > floor and ratio > WORSE * size / at:
                return size, ratio
        if took * (sizes[-1] / size) ** 2 < floor:
            return None  # not even a square of what is left to grow would be slow
        before, at = took, size
    return None


def _seconds(run: Callable[[str], object], text: str) -> float:
    start = thread_time()
    run(text)
    return thread_time() - start


# Texts made from a pattern's own syntax: what it accepts up to a repetition, and what is repeated.


def texts_of(pattern: re.Pattern) -> Iterator[tuple[str, str]]:
    """Yield (before, piece): what to repeat, behind what."""
    source = pattern.pattern
    tree = _parser.parse(source, pattern.flags & ~re.DEBUG)
    for kind in range(3):
        for before, piece in _repeats(tree, "", kind):
            yield before, piece
            yield "", before
            yield "", before + piece
        yield "", _sample(tree, kind)


_REPEATS = (signs.MAX_REPEAT, signs.MIN_REPEAT, signs.POSSESSIVE_REPEAT)


def _repeats(items: object, before: str, kind: int) -> Iterator[tuple[str, str]]:
    for at, (sign, value) in enumerate(items):  # type: ignore[arg-type]
        here = before + _sample(items[:at], kind)  # type: ignore[index]
        for inner in _inside(sign, value):
            yield from _repeats(inner, here, kind)
        if sign in _REPEATS:
            yield here, _sample(value[2], kind)


def _inside(sign: object, value: object) -> list:
    if sign in _REPEATS:
        return [value[2]]  # type: ignore[index]
    if sign is signs.SUBPATTERN:
        return [value[3]]  # type: ignore[index]
    if sign is signs.BRANCH:
        return list(value[1])  # type: ignore[index]
    if sign is signs.ATOMIC_GROUP:
        return [value]
    if sign in (signs.ASSERT, signs.ASSERT_NOT):
        return [value[1]]  # type: ignore[index]
    return []


_OF_CATEGORY = {
    signs.CATEGORY_WORD: "a0_",
    signs.CATEGORY_DIGIT: "019",
    signs.CATEGORY_SPACE: " \n\t",
    signs.CATEGORY_NOT_WORD: " -(",
    signs.CATEGORY_NOT_SPACE: "a0=",
    signs.CATEGORY_NOT_DIGIT: "a -",
}


def _sample(items: object, kind: int) -> str:
    """Return a text that the pattern accepts, but for what looks around; `kind` chooses among several."""
    text = ""
    for sign, value in items:  # type: ignore[attr-defined]
        if sign is signs.LITERAL:
            text += chr(value)
        elif sign is signs.NOT_LITERAL:
            text += next(letter for letter in "a0 -"[kind:] + "b" if ord(letter) != value)
        elif sign is signs.ANY:
            text += "a "[kind % 2]
        elif sign is signs.IN:
            text += _of_set(value, kind)
        elif sign in _REPEATS:
            least, most, inner = value
            text += _sample(inner, kind) * min(max(least, 1), most)
        elif sign is signs.BRANCH:
            text += _sample(value[1][kind % len(value[1])], kind)
        elif sign is signs.SUBPATTERN:
            text += _sample(value[3], kind)
        elif sign is signs.ATOMIC_GROUP:
            text += _sample(value, kind)
    return text


def _of_set(parts: list, kind: int) -> str:
    if parts[0][0] is signs.NEGATE:
        held = re.compile("[" + "".join(_written(part) for part in parts[1:]) + "]")
        return next((letter for letter in "a0 -\n(é"[kind:] + "\x00z" if not held.fullmatch(letter)), "")
    sign, value = parts[kind % len(parts)]
    if sign is signs.LITERAL:
        return chr(value)
    if sign is signs.RANGE:
        return chr(min(value[0] + kind, value[1]))
    return _OF_CATEGORY[value][kind]


_NAMES = {
    signs.CATEGORY_WORD: r"\w",
    signs.CATEGORY_DIGIT: r"\d",
    signs.CATEGORY_SPACE: r"\s",
    signs.CATEGORY_NOT_WORD: r"\W",
    signs.CATEGORY_NOT_SPACE: r"\S",
    signs.CATEGORY_NOT_DIGIT: r"\D",
}


def _written(part: tuple) -> str:
    sign, value = part
    if sign is signs.LITERAL:
        return re.escape(chr(value))
    if sign is signs.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    return _NAMES[value]
