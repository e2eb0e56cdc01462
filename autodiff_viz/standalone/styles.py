"""Write style sheets of the browser's code for a page that has only a part of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CLASS = re.compile(r"\.([A-Za-z_][\w-]*)")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\]]*\]|\"[^\"]*\"")
_SPACES = re.compile(r"\s+")
_AROUND = re.compile(r" ?([{};,>]) ?|(?<=:) ")


def shaken_styles(sheet: str, words: Set[str]) -> str:
    """Return the rules that can apply to elements of a script with these words, without needless spaces."""
    return "".join(_kept(_SPACES.sub(" ", _COMMENT.sub("", sheet)), words))


def compact_style(sheet: str) -> str:
    """Return all rules of a sheet without needless spaces."""
    return "".join(_kept(_SPACES.sub(" ", _COMMENT.sub("", sheet)), None))


def _kept(text: str, words: Set[str] | None) -> Iterator[str]:
    """Yield the rules that can apply, all without words; of a media query those inside it."""
    for head, body in _rules(text):
        if head.startswith(("@media", "@container", "@supports")):
            inside = "".join(_kept(body, words))
            if inside:
                yield f"{_AROUND.sub(_mark, head)}{{{inside}}}"
        elif words is None or head.startswith("@") or any(_applies(each, words) for each in _selectors(head)):
            yield f"{_AROUND.sub(_mark, head)}{{{_AROUND.sub(_mark, body).strip().removesuffix(';')}}}"


def _mark(match: re.Match[str]) -> str:
    return match[1] or ""


def _rules(text: str) -> Iterator[tuple[str, str]]:
    """Yield (head, body) of each rule."""
    start = depth = opened = 0
    for at, letter in enumerate(text):
        if letter == "{":
            depth += 1
            if depth == 1:
                opened = at
        elif letter == "}":
            depth -= 1
            if depth == 0:
                yield text[start:opened].strip(), text[opened + 1 : at].strip()
                start = at + 1


def _selectors(head: str) -> list[str]:
    """Return the selectors of a rule, without what stands in brackets."""
    while (plain := _BRACKETS.sub("", head)) != head:
        head = plain
    return head.split(",")


def _applies(selector: str, words: Set[str]) -> bool:
    """Return whether all classes of a selector are words of the script."""
    return all(name in words for name in _CLASS.findall(selector))
