"""Check the nesting depth of JSON before it is parsed.

`json.loads` recurses with the brackets, and fails at some thousand of them.
"""

from __future__ import annotations

import re

import numpy as np

_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BESIDES_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = bytes.maketrans(b"[{]}", b"\1\1\xff\xff")  # one level up, or one down: -1 as int8


def nested_deeper(text: str, most: int) -> bool:
    """Return whether JSON has more than `most` brackets inside each other."""
    brackets = _STRINGS.sub(b"", text.encode("utf-8", "replace")).translate(_STEPS, _BESIDES_BRACKETS)
    steps = np.frombuffer(brackets, np.int8)
    return len(steps) > most and bool(np.cumsum(steps, dtype=np.int32).max() > most)
