"""Check the nesting depth of JSON, and how many values it has, before it is parsed.

`json.loads` recurses with the brackets, and fails at some thousand of them. It makes an object of each value
and lets no other thread run meanwhile: 8 MB of empty lists take 140 MB and two seconds.
"""

from __future__ import annotations

import re

import numpy as np

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
    many = strings >= parts or sum(map(plain.count, (b",", b"[", b"{"))) >= parts
    return _deeper(plain[: 2 * parts] if many else plain, depth), many


def _deeper(plain: bytes, most: int) -> bool:
    """Return whether JSON without its strings has more than `most` brackets inside each other."""
    steps = np.frombuffer(plain.translate(_STEPS, _BESIDES_BRACKETS), np.int8)
    return len(steps) > most and bool(np.cumsum(steps, dtype=np.int32).max() > most)
