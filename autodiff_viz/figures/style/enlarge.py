"""Enlarge the type of figures, for a projector: all that is measured in pixels grows, but not the width."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

FACTOR, LEAST = 1.44, 20  # as `--type-scale` and `--type-least` in ui/assets/lab.css

_PX = frozenset({"height", "l", "r", "t", "b", "pad", "standoff", "ticklen", "shift", "xshift", "yshift"})
_BOX = {"xsizemode": frozenset({"x0", "x1"}), "ysizemode": frozenset({"y0", "y1"})}  # in pixels if "pixel"
_FONTS = frozenset({"font", "tickfont", "textfont", "insidetextfont", "outsidetextfont"})


def enlarged(figure: Any) -> dict[str, Any]:
    """Return a figure as a dictionary, with larger type and the room that it needs.

    Args:
      figure: a Plotly figure, or one as a dictionary.
    """
    found = figure if isinstance(figure, dict) else figure.to_plotly_json()
    data = [{name: _of_trace(name, part) for name, part in trace.items()} for trace in found["data"]]
    return {**found, "data": data, "layout": _layout(found["layout"])}


def _of_trace(name: str, part: Any) -> Any:
    """Enlarge a part of a trace: its fonts, and the scale of its colours."""
    return _layout(part) if name == "colorbar" else _fonts(name, part)


def _layout(part: Any) -> Any:
    """Enlarge all in a layout that is measured in pixels."""
    if isinstance(part, list | tuple):
        return [_layout(one) for one in part]
    if not isinstance(part, Mapping):
        return part
    px = _PX.union(*(ends for mode, ends in _BOX.items() if part.get(mode) == "pixel"))
    return {
        name: part_of * FACTOR
        if name in px and isinstance(part_of, int | float)
        else max(2, round(part_of / FACTOR))
        if name == "nticks"  # the width does not grow
        else _written(part_of)
        if name in ("text", "ticktext")
        else _fonts(name, part_of)
        if name in _FONTS
        else _layout(part_of)
        for name, part_of in part.items()
    }


def _fonts(name: str, part: Any) -> Any:
    """Enlarge a font; other properties of a trace stay as they are."""
    if name not in _FONTS or "size" not in part:
        return part
    size = part["size"]
    return {**part, "size": [one * FACTOR for one in size] if isinstance(size, list) else size * FACTOR}


def _written(text: Any) -> Any:
    """Enlarge the pieces of a text that have sizes of their own."""
    if isinstance(text, list | tuple):
        return [_written(one) for one in text]
    if not isinstance(text, str):
        return text
    return re.sub(
        r"font-size:([\d.]+)px", lambda found: f"font-size:{max(float(found[1]) * FACTOR, LEAST):g}px", text
    )
