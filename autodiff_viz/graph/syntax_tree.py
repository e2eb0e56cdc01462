"""Call Python's own parser: the only door to it for text from outside, with limits, and one thread at a time.

The parser makes objects for each word and sign, some 900 bytes and 3 microseconds, and lets no other thread
run meanwhile. In three places it takes the square of a text's length, in Python 3.11 to 3.13: it copies what
is left of the text at each brace of an f-string, copies `import a.b.c` at each dot, and sorts accents that
stand one after another in a name. So the text is measured first, in one pass over it.

CPython 3.11 counts the depth of a tree in one counter for all threads. Building a tree can start a garbage
collection, whose callbacks are Python code (JAX installs one), where another thread can be scheduled. If that
thread parses too, the first parse finds the counter changed and raises "SystemError: AST constructor
recursion depth mismatch".
"""

from __future__ import annotations

import ast
import re
from itertools import groupby
from threading import RLock
from typing import Any
from unicodedata import category

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError, Problem

_ONE_AT_A_TIME = RLock()  # not Lock: a callback of the garbage collection may parse too, in this same thread


def syntax_tree(source: str, mode: str = "exec") -> Any:
    """Parse `source` as `ast.parse` does. Its exceptions are the caller's to handle.

    Raises:
      GraphError: code "too-large", for a text that would take Python's parser long.
    """
    if fault := _fault(source):
        raise GraphError(Problem("too-large", *fault))
    with _ONE_AT_A_TIME:
        try:
            return ast.parse(source, mode=mode)
        except SystemError:  # a library, which does not take this lock, parsed meanwhile
            return ast.parse(source, mode=mode)


# Measure a text before Python parses it. All loops are within C; the counts are estimates.

_KINDS = bytes(
    ord(
        "e"
        if byte in b"eE"
        else "a"  # of a word; a byte beyond ASCII is part of a letter
        if byte >= 128 or chr(byte).isalpha() or byte == ord("_")
        else "0"
        if chr(byte).isdigit()
        else " "
        if byte in b" \t\f"
        else ";"
        if byte in b"\r\n;"
        else "."
        if byte == ord(".")
        else "+"
    )
    for byte in range(256)
)

_F_STRING = re.compile(r"[fFtT][rR]?[\"']")
_CONTINUED = re.compile(r"\\(?:\r\n?|\n)")
_DOT = re.compile(r"\.[ \t\f]*[^\W\d]")
_NO_LETTERS = re.compile(
    "(?:[^\\w\x00-\u02ff]|[\uff9e\uff9f])++"
)  # those two are letters that become accents


def _fault(source: str) -> tuple[str, str] | None:
    """Return what a text has too much of, and how to mend it; None for one that may be parsed."""
    if len(source) > limits.TEXT:
        return f"The text has {len(source):,} characters; {limits.TEXT:,} are read.", _SHORTER
    kinds = b";" + source.encode("utf-8", "replace").translate(_KINDS)
    names = sum(map(kinds.count, (b" a", b"+a", b";a", b".a", b" e", b"+e", b";e", b".e", b"0a")))
    exponents = kinds.count(b"0e+0")  # of 1e-5, which is one number
    numbers = sum(map(kinds.count, (b" 0", b"+0", b";0", b" .", b"+.", b";."))) - exponents
    signs = kinds.count(b"+") - exponents
    if names > limits.PARSED_NAMES:
        return f"The text has {names:,} names and words; {limits.PARSED_NAMES:,} are read.", _SHORTER
    if names + numbers + signs > limits.PARSED_TOKENS:
        many = names + numbers + signs
        return f"The text has {many:,} names, numbers and signs; {limits.PARSED_TOKENS:,} are read.", _SHORTER
    if (lines := kinds.count(b";")) > limits.PARSED_LINES:
        return f"The text has {lines:,} lines; {limits.PARSED_LINES:,} are read.", _SHORTER
    braces = source.count("{")
    if braces * len(source) > limits.PARSER_COPIES and _F_STRING.search(source):
        return f"The text has {braces:,} braces, and f-strings.", "Leave the f-strings out, or most of them."
    if "import" in source and _copied_of_imports(source) > limits.PARSER_COPIES:
        return "The text imports names with too many dots.", "Import the package alone."
    if not source.isascii() and _accents(source) > limits.ACCENTS:
        return f"The text has more than {limits.ACCENTS} accents on one letter.", "Remove them."
    return None


_SHORTER = "Divide it, or leave out the numbers."


def _copied_of_imports(source: str) -> int:
    """Return the characters that Python copies for dotted names in lines that import, at most."""
    lines = re.split(r"[\n\r;]", _CONTINUED.sub("", source))
    return sum(len(line) * len(_DOT.findall(line)) for line in lines if "import" in line)


def _accents(source: str) -> int:
    """Return how many accents follow one another, at most; fewer than `limits.ACCENTS` are not counted."""
    long = (run for run in _NO_LETTERS.findall(source) if len(run) > limits.ACCENTS)
    return max(
        (len([*marks]) for run in long for is_mark, marks in groupby(run, _is_mark) if is_mark), default=0
    )


def _is_mark(letter: str) -> bool:
    return category(letter)[0] == "M" or letter in "\uff9e\uff9f"
