"""Small JSON values as short text: as they are, or compressed where that is shorter."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.views.nesting import nested_deeper

PACKED = "~"
"""First character of what is compressed; no JSON begins with it."""


def squeezed(value: Any) -> str:
    """The shorter of the two."""
    plain = json.dumps(value, separators=(",", ":"))
    packed = PACKED + base64.b64encode(zlib.compress(plain.encode(), 6)).decode("ascii")
    return min(plain, packed, key=len)


def unsqueezed(text: str) -> Any:
    """What was squeezed.

    Raises:
      TypeError, ValueError: it was not, or it is larger or deeper than a graph may be.
    """
    if not isinstance(text, str):
        raise TypeError(text)
    if not text.startswith(PACKED):
        return _read(text[: limits.JSON])
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(base64.b64decode(text[1:], validate=True), limits.JSON)
    except (binascii.Error, zlib.error) as error:
        raise ValueError(text[:40]) from error
    if not unpacker.eof:
        raise ValueError(text[:40])
    return _read(raw.decode())


def _read(text: str) -> Any:
    if nested_deeper(text, limits.KEPT_DEPTH):
        raise ValueError(text[:40])
    return json.loads(text)
