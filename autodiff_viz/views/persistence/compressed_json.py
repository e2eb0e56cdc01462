"""Encode small JSON values as short text: plain, or compressed where that is shorter."""

from __future__ import annotations

import json
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.serialization.compression import packed, unpacked
from autodiff_viz.graph.text.surrogates import well_formed
from autodiff_viz.views.persistence.json_depth import nested_deeper

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
