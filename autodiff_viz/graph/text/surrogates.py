"""Replace half characters in text from outside, which is no Unicode text then.

JavaScript's strings may hold a lone surrogate (a bad paste cuts an emoji in two), and JSON can name one;
Python reads it and cannot encode it, so that no answer could be sent any more.
"""

from __future__ import annotations

import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def well_formed(value: Any) -> Any:
    """Replace each lone surrogate in JSON data by U+FFFD, as `String.prototype.toWellFormed` does.

    Every other character stays in its place, in JavaScript's count too.
    """
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub(REPLACEMENT, value)
    if isinstance(value, list):
        return [well_formed(each) for each in value]
    if isinstance(value, dict):
        return {well_formed(key): well_formed(each) for key, each in value.items()}
    return value
