"""Read typed answers: numbers, fractions, shapes, names and words, as people write them.

web/asking/answers.js reads the same texts alike; tests/asking/cases.json holds both to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, isinf, isnan, nan
from typing import Any

from autodiff_viz.asking.question import NUMBER, SHAPE, UNKNOWN
from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError, Problem, kind_of
from autodiff_viz.graph.text import MINUS, listed, scalar

MOST = 16  # numbers in an answer
Form = Mapping[str, Any]
"""What an answer may be, as JSON: {"form": "number", "count": how many are asked for}, {"form": "shape"}, or
{"form": "choice", "choices": [{"choice", "words": [...]}, ...], "number": "zero", "sign" or ""}; the last
says which choice a typed number is."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it was read.

    Attributes:
      choice: of a form of choices the one that was made; `UNKNOWN` for "I do not know"; "" for other forms.
      numbers: the numbers, or the lengths of a shape.
      unit: of a number the place of its last written digit, such as 0.01 for 2.25; 0 for a fraction, a word.
      read_as: how it was read, as a text.
    """

    choice: str = ""
    numbers: tuple[float, ...] = ()
    unit: float = 0.0
    read_as: str = ""


KNOWS_NOT = {"?", "\u061f", "idk", "i do not know", "i don't know", "don't know", "do not know", "no idea"}
ZEROS = {"zero", "nothing", "none", "nil"}
INFINITE = {"inf", "infinity", "infinite", "\u221e"}
NANS = {"nan", "not a number"}
HALVES = {
    "\u00bd": "1/2",
    "\u2153": "1/3",
    "\u2154": "2/3",
    "\u00bc": "1/4",
    "\u00be": "3/4",
    "\u215b": "1/8",
}
NUMBERS = "A number is needed, such as 1/2, 0.5, 5e-1, inf or nan."

_DIGITS = {ord(zero) + i: str(i) for zero in "\u0660\u06f0" for i in range(10)}
"""Arabic-Indic and Persian digits."""
_SIGNS = {
    **dict.fromkeys(map(ord, "\u2212\u2010\u2011\u2012\u2013\ufe63\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\u00a0\u2009\u202f\u200e\u200f"), " "),
    ord("\u066b"): ".",
    ord("\u060c"): ",",
    ord("\u2044"): "/",
    ord("\u2215"): "/",
    ord("\u00d7"): "x",
    ord("\u2019"): "'",
}
_PLAIN = str.maketrans({**_DIGITS, **_SIGNS})
_DECIMAL = re.compile(r"[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)(e[+-]?[0-9]{1,4})?")
_COMMA = re.compile(r"([+-]?)([0-9]*),([0-9]+)(e[+-]?[0-9]{1,4})?")


def read_answer(form: Form, text: str) -> Answer:
    """Return a typed answer as it was read.

    Raises:
      GraphError: code "unread-answer"; the problem names what was found and what is needed.
    """
    if not isinstance(text, str):
        raise GraphError(Problem("not-a-text", f"An answer is a text; found {kind_of(text)}."))
    if len(text) > limits.ANSWER:
        raise unread(f"The answer has {len(text):,} characters; at most {limits.ANSWER} are read.")
    plain = plain_text(text)
    if not plain:
        raise unread("Nothing was typed.", "Type an answer, or ? if you do not know.")
    if plain.lower() in KNOWS_NOT:
        return Answer(UNKNOWN, read_as="read as: I do not know")
    if form["form"] == NUMBER:
        return read_numbers(plain, form["count"])
    return read_shape(plain) if form["form"] == SHAPE else _choice(form, plain)


def plain_text(text: str) -> str:
    """Return a text with plain digits, signs and spaces, and without backticks."""
    return " ".join(text.translate(_PLAIN).replace("`", "").split())


def bare_text(text: str) -> str:
    """Return a plain text without the marks around it, as choices are compared."""
    return text.strip("'\".!()[] ") or text


def unread(found: str, needed: str = "") -> GraphError:
    """Return the error of an answer that cannot be read, which is not a wrong one."""
    return GraphError(Problem("unread-answer", found, needed))


# Numbers


def read_numbers(text: str, count: int) -> Answer:
    """Return one number, or as many as are asked for: 0.5, 1/2, or [1, 2] for two.

    One number for several means that all are that number.
    """
    bare = text.strip("[]() ") if text[0] in "[(" or ";" in text else text
    if count > 1 and (isolated := _parts(bare, count)) != [bare]:
        if len(isolated) != count:
            found = f"{quoted_text(text)} has {len(isolated)} numbers; {count} are asked for."
            raise unread(found, "Write them as in [1, 2], or one number if all are the same.")
        each = [_number(part) for part in isolated]
        written = f"[{', '.join(written_number(number) for number, _, _ in each)}]"
        return Answer(
            numbers=tuple(n for n, _, _ in each),
            unit=max(u for _, u, _ in each),
            read_as=f"read as {written}",
        )
    number, unit, fraction = _number(bare if count > 1 else text)
    written = f"{fraction} = {written_number(number)}" if fraction else written_number(number)
    return Answer(numbers=(number,), unit=unit, read_as=f"read as {written}")


def _parts(text: str, count: int) -> list[str]:
    """Return the parts of a list; commas of decimals stay where semicolons divide, or where they must be."""
    if ";" in text:
        return [part.strip() for part in text.split(";")]
    parts = [part.strip() for part in text.split(",")]
    if len(parts) == count or ", " in text or len(parts) > 2:
        return parts
    if len(words := text.split()) == count and "/ " not in text and " /" not in text:
        return words
    return [text]


def _number(text: str) -> tuple[float, float, str]:
    """Return a number, the place of its last digit, and of a fraction its text."""
    plain = text.lower().strip().lstrip("=~\u2248 ")
    plain = HALVES.get(plain, plain)
    sign = plain[:1] if plain[:1] in ("+", "-") else ""
    word = plain[len(sign) :].strip()
    if word in INFINITE:
        return (-inf if sign == "-" else inf), 0.0, ""
    if word in NANS:
        return nan, 0.0, ""
    if plain in ZEROS:
        return 0.0, 0.0, ""
    word = HALVES.get(word, word)
    plain = sign + word
    if "/" not in plain:
        number, unit = _decimal(plain, text)
        return number, unit, ""
    above, below, *more = (part.strip() for part in plain.split("/"))
    if more:
        raise unread(f"{quoted_text(text)} has two fraction bars.", "Write one, as in 1/2.")
    number, divisor = _decimal(above, text)[0], _decimal(below, text)[0]
    if not divisor:
        raise unread(f"{quoted_text(text)} divides by 0.", "Write inf, -inf or nan if that is meant.")
    fraction = f"{above.removeprefix('+')}/{below.removeprefix('+')}".replace("-", MINUS)
    return _finite(number / divisor, text), 0.0, fraction


def _decimal(text: str, whole: str) -> tuple[float, float]:
    """Return a decimal number and the place of its last digit."""
    plain = re.sub(r"^([+-]) +", r"\1", text)
    if comma := _COMMA.fullmatch(plain):
        sign, before, after, power = comma.groups()
        if len(after) == 3 and before.strip("0") and len(before) <= 3 and before[0] != "0":
            either = f"{before}.{after} or {before}{after}"
            raise unread(f"The comma in {quoted_text(whole)} may divide thousands.", f"Write {either}.")
        plain = f"{sign}{before}.{after}{power or ''}"
    if not _DECIMAL.fullmatch(plain):
        raise unread(f"{quoted_text(whole)} is no number.", NUMBERS)
    digits, _, power = plain.partition("e")
    places = len(digits.partition(".")[2])
    return _finite(float(plain), whole), 10.0 ** max(-300, min(int(power or 0) - places, 300))


def _finite(number: float, text: str) -> float:
    """Return the number, which a float64 must hold."""
    if not isfinite(number):
        raise unread(f"{quoted_text(text)} is too large for a number.", "Write inf if infinity is meant.")
    return number + 0.0 if number else 0.0  # -0 is 0


def written_number(number: float) -> str:
    """Return a number as an answer is read back: with seven digits at most."""
    return scalar(number, 7)


def quoted_text(text: str) -> str:
    """Quote what was typed: a short text as it is, a long one cut."""
    short = text if len(text) <= 30 else f"{text[:30]}\u2026"
    return f"\u201c{short}\u201d"


# Shapes


SHAPES = "A shape is needed, such as 2x3, (2, 3), 3, or number for a single one."
NUMBER_SHAPES = {"()", "[]", "number", "a number", "scalar", "a scalar", "one number"}


def read_shape(text: str) -> Answer:
    """Return the lengths of a shape: 2x3, (2, 3), [2,3], "number" for ()."""
    plain = text.lower().removeprefix("shape").strip(" =:")
    if plain in NUMBER_SHAPES:
        return Answer(read_as="read as the shape of a number, ()")
    bare = plain[1:-1] if plain[:1] + plain[-1:] in ("()", "[]") else plain
    parts = re.split(r"\s*[x,*]\s*|\s+", bare.strip().removesuffix(","))
    if not all(re.fullmatch(r"[0-9]{1,6}", part) for part in parts) or len(parts) > limits.RANK:
        raise unread(f"{quoted_text(text)} is no shape.", SHAPES)
    lengths = tuple(float(part) for part in parts)
    return Answer(numbers=lengths, read_as=f"read as the shape {written_shape(lengths)}")


def written_shape(lengths: Sequence[float]) -> str:
    """Return a shape as text: 2×3, (3), or () for a number."""
    if len(lengths) < 2:
        return f"({''.join(str(int(length)) for length in lengths)})"
    return "\u00d7".join(str(int(length)) for length in lengths)


# Choices


def _choice(form: Form, text: str) -> Answer:
    """Return the choice that a text is a word for; case counts only where it must."""
    bare = bare_text(text)
    choices, folded = form["choices"], _folded(bare)
    exact = [each["choice"] for each in choices if bare in each["words"]]
    loose = [each["choice"] for each in choices if folded in map(_folded, each["words"])]
    for found in (exact, loose):
        if len(found) == 1:
            return Answer(found[0], read_as=f"read as: {choice_label(form, found[0])}")
    if form.get("number"):
        try:
            number = _number(text)[0]
        except GraphError:
            pass
        else:
            of_number = choice_of_number(form["number"], number)
            if of_number in [each["choice"] for each in choices]:
                label = choice_label(form, of_number)
                return Answer(of_number, (number,), read_as=f"read as {written_number(number)}: {label}")
    labels = [each["words"][0] for each in choices]
    shown = listed(labels, 8, "or")
    raise unread(f"{quoted_text(text)} is none of the answers.", f"Needed is {shown}, or ?.")


def _folded(text: str) -> str:
    return text.lower().removeprefix("the ").strip()


def choice_label(form: Form, choice: str) -> str:
    """Return the first word of a choice."""
    return next(each["words"][0] for each in form["choices"] if each["choice"] == choice)


POSITIVE, NEGATIVE, ZERO_CHOICE, SOME, NO_NUMBER = "+", "-", "0", "some", "nan"
"""Choices of questions for zero and sign: above 0, below 0, 0, anything but 0, and NaN."""


def choice_of_number(which: str, number: float) -> str:
    """Return the choice that a number is, among those of zero or not, or of signs."""
    if isnan(number):
        return SOME if which == "zero" else NO_NUMBER
    if not number:
        return ZERO_CHOICE
    return SOME if which == "zero" else POSITIVE if number > 0 else NEGATIVE


# Numbers as JSON has them: NaN and infinities are words.


WORDS = {"nan": nan, "inf": inf, "-inf": -inf}


def sent_number(number: float) -> float | str:
    """Return a number as JSON can hold it."""
    if isnan(number):
        return "nan"
    return ("inf" if number > 0 else "-inf") if isinf(number) else number


def came_number(sent: float | str) -> float:
    """Return a number that was sent as JSON."""
    return WORDS[sent] if isinstance(sent, str) else sent
