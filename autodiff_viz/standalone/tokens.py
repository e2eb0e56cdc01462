"""Divide a script of the project's own into tokens, and write it without the spaces that only people read.

Prettier has written it: every statement ends with a semicolon, so a line break means what a space does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from itertools import pairwise
from typing import NamedTuple

NAME, NUMBER, TEXT, SPACE, MARK = "name", "number", "text", "space", "mark"

_PIECE = re.compile(
    r"""(?P<space>(?:\s|//[^\n]*|/\*.*?\*/)+)
    | (?P<name>[A-Za-z_$][\w$]*)
    | (?P<number>\.?\d[\w.]*)
    | (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    | (?P<mark>\.\.\.|[^`])""",
    re.VERBOSE | re.DOTALL,
)
_EXPRESSION = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_BEFORE_EXPRESSION = {"return", "typeof", "case", "of", "in", "else", "yield", "await", "void"}
"""Words after which a slash begins a regular expression."""


_KEY = re.compile(r'"(?!__proto__)[A-Za-z_$][\w$]*"')

_CLOSING = {")": ",", "]": ",", "}": ",;"}
"""What says nothing before a bracket that closes."""


class Token(NamedTuple):
    """A token.

    Attributes:
      kind: one of the kinds above.
      text: as it stands in the source.
      inside: of a template, the tokens of the expressions in it.
    """

    kind: str
    text: str
    inside: tuple[Token, ...] = ()


def tokens(text: str) -> list[Token]:
    """Return the tokens of a script; comments are spaces."""
    return _tokens(text, 0, nested=False)[0]


def _tokens(text: str, at: int, nested: bool) -> tuple[list[Token], int]:
    """Return the tokens from a place, and where they end: at a brace that closes nothing if `nested`."""
    found: list[Token] = []
    depth, before = 0, Token(MARK, ";")
    while at < len(text):
        if text[at] == "`":
            token, at = _template(text, at)
        elif text[at] == "/" and text[at + 1 : at + 2] not in "/*" and _may_begin_expression(before):
            match = _EXPRESSION.match(text, at)
            token, at = Token(TEXT, match[0]), match.end()
        else:
            match = _PIECE.match(text, at)
            token = Token(match.lastgroup, match[0])
            if token.text == "}" and nested and depth == 0:
                return found, at
            depth += {"{": 1, "}": -1}.get(token.text, 0)
            at = match.end()
        found.append(token)
        if token.kind != SPACE:
            before = token
    return found, at


def _may_begin_expression(before: Token) -> bool:
    """Return whether a slash after this token begins a regular expression, and does not divide."""
    if before.kind == NAME:
        return before.text in _BEFORE_EXPRESSION
    return before.kind == MARK and before.text not in ")]}"


def _template(text: str, at: int) -> tuple[Token, int]:
    """Return the template that begins at a place, and where it ends."""
    start, inside = at, []
    at += 1
    while text[at] != "`":
        if text[at] == "\\":
            at += 2
        elif text.startswith("${", at):
            some, at = _tokens(text, at + 2, nested=True)
            inside += some
            at += 1
        else:
            at += 1
    return Token(TEXT, text[start : at + 1], tuple(inside)), at + 1


def compact(text: str) -> str:
    """Return the script without comments, without spaces that mean nothing, and without quotes round keys."""
    written: list[str] = []
    space = False
    for token in _with_plain_keys(tokens(text)):
        if token.kind == SPACE:
            space = True
            continue
        if space and written and _needs_space(written[-1][-1], token.text[0]):
            written.append(" ")
        if token.text in _CLOSING and written and written[-1] in _CLOSING[token.text]:
            written.pop()  # the project's scripts have neither holes in arrays nor loops without a body
        written.append(_compact_template(token.text) if token.text[0] == "`" else token.text)
        space = False
    return "".join(written)


def _compact_template(text: str) -> str:
    """Return a template whose expressions are compact; its own text stays as it is."""
    written, at, start = [], 0, 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text.startswith("${", at):
            end = _tokens(text, at + 2, nested=True)[1]
            written += [text[start : at + 2], compact(text[at + 2 : end])]
            start = at = end
        else:
            at += 1
    return "".join([*written, text[start:]])


def _with_plain_keys(found: list[Token]) -> Iterator[Token]:
    """Yield tokens of which `"name":` of a record is `name:`; what stands behind `?` or `case` is no key."""
    said = [token for token in found if token.kind != SPACE]
    keys = {
        id(token)
        for before, token, after in zip([Token(MARK, ""), *said], said, said[1:], strict=False)
        if before.text in ("{", ",") and after.text == ":" and _KEY.fullmatch(token.text)
    }
    for token in found:
        yield Token(NAME, token.text[1:-1]) if id(token) in keys else token


def _needs_space(left: str, right: str) -> bool:
    """Return whether two characters would be read as one token, or as others."""
    letters = (left.isalnum() or left in "_$") and (right.isalnum() or right in "_$")
    return letters or (left == right and left in "+-/") or (left.isdigit() and right == ".")


_PART = re.compile(r"[\w-]+")


def words_of(script: str) -> Set[str]:
    """Return the words that stand in the texts of a script or name the fields of its records."""
    return frozenset(_words_of([token for token in tokens(script) if token.kind != SPACE]))


def _words_of(found: list[Token]) -> Iterator[str]:
    for token, after in pairwise([*found, Token(MARK, ";")]):
        if token.kind == TEXT:
            yield from _PART.findall(token.text)
            yield from _words_of([each for each in token.inside if each.kind != SPACE])
        elif token.kind == NAME and after.text == ":":
            yield token.text
