"""Edit texts at random: lines, words and characters are dropped, doubled, swapped and replaced."""

from __future__ import annotations

import io
import random
import tokenize
from collections.abc import Callable

WORDS = (
    *(
        "0",
        "-1",
        "1e30",
        "1e400",
        "10**9",
        "3",
        "None",
        "True",
        "'a'",
        "[]",
        "()",
        "{}",
        "...",
        "x",
        "y",
        "self",
        "torch",
        "jnp",
    ),
    *(
        "lambda: 0",
        "range(10**9)",
        "[0] * 10**9",
        "x[0]",
        "x.T",
        "f(f)",
        "f",
        "grad",
        "print",
        "len",
        "x.y.z",
        "f'{x}'",
        "*x",
        "**x",
    ),
    *(
        "and",
        "not",
        "in",
        "if",
        "else",
        "for",
        "while",
        "return",
        "yield",
        "await",
        "del",
        "@",
        ":=",
        "**",
        "//",
        "%",
        "==",
        "<=",
        "|",
    ),
)


def _lines(text: str, draw: random.Random) -> str:
    lines = text.split("\n")
    i, j = draw.randrange(len(lines)), draw.randrange(len(lines))
    what = draw.randrange(4)
    if what == 0:
        del lines[i]
    elif what == 1:
        lines.insert(j, lines[i])
    elif what == 2:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        lines[i] = " " * draw.randrange(6) + lines[i].lstrip()
    return "\n".join(lines)


def _words(text: str, draw: random.Random) -> str:
    try:
        tokens = [(t.type, t.string) for t in tokenize.generate_tokens(io.StringIO(text).readline)]
    except (tokenize.TokenError, SyntaxError):
        return _characters(text, draw)
    i, j = draw.randrange(len(tokens)), draw.randrange(len(tokens))
    what = draw.randrange(4)
    if what == 0:
        del tokens[i]
    elif what == 1:
        tokens[i] = (tokens[i][0], draw.choice(WORDS))
    elif what == 2:
        tokens[i], tokens[j] = tokens[j], tokens[i]
    else:
        tokens[i] = tokens[j]
    try:
        return tokenize.untokenize(tokens)
    except (ValueError, IndexError):
        return _characters(text, draw)


def _characters(text: str, draw: random.Random) -> str:
    i = draw.randrange(len(text) + 1)
    return (
        text[:i]
        + draw.choice(["", "(", ")", ",", "\n", "\t", "\0", "é", "'", "#", "0", ".", ":"])
        + text[i + draw.randrange(3) :]
    )


CHANGES: tuple[Callable[[str, random.Random], str], ...] = (_lines, _words, _words, _characters)


def mutated(text: str, draw: random.Random) -> str:
    """A text with one to four random changes."""
    for _ in range(draw.randint(1, 4)):
        text = draw.choice(CHANGES)(text, draw)
    return text
