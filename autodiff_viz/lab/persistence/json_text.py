"""Encode JSON values as short text, and check text from outside before it is parsed.

`json.loads` recurses with the brackets, and fails at some thousand of them. It makes an object of each value
and lets no other thread run meanwhile: 8 MB of empty lists take 140 MB and two seconds.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.graph.link import packed, unpacked
from autodiff_viz.graph.text import well_formed

# Depth and number of values

# Also a string without an end; `++` and `*+` never go back, so that the time grows with the length alone.
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BESIDES_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = bytes.maketrans(b"[{]}", b"\1\1\xff\xff")  # one level up, or one down: -1 as int8


def nested_deeper(text: str, most: int) -> bool:
    """Return whether JSON has more than `most` brackets inside each other."""
    return _deeper(_STRINGS.sub(b"", text.encode("utf-8", "replace")), most)


def too_deep_or_many(text: str, depth: int, parts: int) -> tuple[bool, bool]:
    """Return whether JSON has more than `depth` brackets inside each other, and whether `parts` values.

    With that many values only the first of them are searched for brackets.
    """
    plain, strings = _STRINGS.subn(b"", text.encode("utf-8", "replace"), parts)
    # Each value but the first comes after a comma or an opening bracket, so these count the values.
    many = strings >= parts or sum(map(plain.count, (b",", b"[", b"{"))) >= parts
    return _deeper(plain[: 2 * parts] if many else plain, depth), many


def _deeper(plain: bytes, most: int) -> bool:
    """Return whether JSON without its strings has more than `most` brackets inside each other."""
    # The sum of all steps up to a bracket is its depth; nothing of the text becomes a Python object.
    steps = np.frombuffer(plain.translate(_STEPS, _BESIDES_BRACKETS), np.int8)
    return len(steps) > most and bool(np.cumsum(steps, dtype=np.int32).max() > most)


# Short text

PACKED = "~"
"""First character of compressed text; no JSON begins with it."""


def squeezed(value: Any) -> str:
    """Encode a value: the shorter of plain and compressed JSON."""
    plain = json.dumps(value, separators=(",", ":"))
    return min(plain, PACKED + packed(plain, level=6), key=len)


def unsqueezed(text: str) -> Any:
    """Decode text of `squeezed`.

    Raises:
      TypeError, ValueError: it is malformed, or larger or deeper than a graph may be.
    """
    if not isinstance(text, str):
        raise TypeError(text)
    if not text.startswith(PACKED):
        return _read(text[: limits.JSON])
    return _read(unpacked(text[1:], limits.JSON))


def _read(text: str) -> Any:
    """Parse JSON of limited depth, in whose texts lone surrogates are replaced."""
    if nested_deeper(text, limits.KEPT_DEPTH):
        raise ValueError(text[:40])
    return well_formed(json.loads(text))
