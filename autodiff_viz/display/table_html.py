"""Write the figure of a table as HTML, which a browser shows without Plotly and its 5 MB of code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html import escape, unescape
from itertools import count, takewhile
from math import ceil, floor, log10
from typing import Any

from autodiff_viz.display.colours import light
from autodiff_viz.display.theme import BARS, IN_THEMES
from autodiff_viz.graph.text import scalar

_TAG = re.compile(r"<[^<>]*>")
_COLOUR = re.compile(r"color:\s*(#[0-9a-f]{6})")
_NAMES = {**IN_THEMES, **{light(name): name for name in BARS.values()}}
"""By colour of a word, or of the square that names a bar, the name of that of the page."""

_HTML = """<div class="av-bars" data-moving="{moving}" style="{style}"><div>
<div role="list" aria-label="{name}">{rows}</div>
<div class="av-lane av-marks" aria-hidden="true">{marks}</div></div></div>"""


def is_table(figure: Any) -> bool:
    """Return whether `table_html` can write a figure: its bars move, as those of the cotangents."""
    layout = figure["layout"]
    return "meta" in layout and "moving" in (layout["meta"] or {})


def table_html(figure: Any) -> str:
    """Return the HTML of a figure that `display/table.py` has made of stripes, bars and joints between them.

    Args:
      figure: a Plotly figure or one as a dictionary, also one that is `enlarged`; `layout.meta` has its
        `name`, and `moving`, `unit` and `colours` for web/explain/cotangents.js, which moves the bars.
    """
    parts = figure if isinstance(figure, dict) else figure.to_plotly_json()
    layout = parts["layout"]
    (stripes, bars, joints), low, high = parts["data"], *layout["xaxis"]["range"]
    margin, length = layout["margin"], layout["yaxis"]["range"][0]
    px = (layout["height"] - margin["t"] - margin["b"]) / length  # of a unit of the vertical axis

    def share(place: float) -> str:
        return f"{100 * (place - low) / (high - low):.3f}%"

    def wide(length: float) -> str:
        return f"{100 * abs(length) / (high - low):.3f}%"

    rows, marks = [], []
    for i, (start, along) in enumerate(zip(bars["base"], bars["x"], strict=True)):
        is_part = bars["marker"]["opacity"][i] < 1
        is_against = bool(bars["marker"]["pattern"]["shape"][i])
        bar = (
            f'<i class="av-bar{" av-part" * is_part}{" av-against" * is_against}" '
            f'style="--bar:{_of_bar(bars["marker"]["color"][i])};left:{share(min(start, start + along))};'
            f'width:{wide(along)};height:{bars["width"][i] * px:g}px"></i>'
        )
        rows.append(
            f'<div role="listitem" title="{_hover(stripes["hovertext"][i])}" '
            f'style="height:{stripes["width"][i] * px:g}px">'
            f'<span class="av-name">{themed(layout["yaxis"]["ticktext"][i])}</span>'
            f'<span class="av-words">{themed(layout["yaxis2"]["ticktext"][i])}</span>'
            f'<div class="av-lane" style="background:{stripes["marker"]["color"][i]}">{bar}</div></div>'
        )
    for at, text in _ticks(layout["xaxis"], low, high):
        zero = "" if at else " av-zero"
        marks.append(f'<i class="av-tick{zero}" style="left:{share(at)}"><b>{text}</b></i>')
    for x, (one, other) in _lines(joints):
        place = f"left:{share(x)};top:{min(one, other) * px:g}px;height:{abs(one - other) * px:g}px"
        marks.append(f'<i class="av-joint" style="{place}"></i>')
    meta = layout["meta"]
    moving = {"rows": meta["moving"], "unit": meta["unit"], "range": [low, high]}
    return _HTML.format(
        moving=escape(json.dumps({**moving, "colours": [_of_bar(one) for one in meta["colours"]]})),
        style=f"--l:{margin['l']:g}px;--r:{margin['r']:g}px;padding:{margin['t']:g}px 0 {margin['b']:g}px;"
        f"font-size:{layout['font']['size']:g}px",
        name=escape(meta["name"]),
        rows="".join(rows),
        marks="".join(marks),
    )


def themed(text: str) -> str:
    """Return Plotly text with each colour as that of the page."""
    return _COLOUR.sub(lambda at: f"color:var(--av-{_NAMES[at[1]]})", text)


def _of_bar(colour: str) -> str:
    return f"var(--av-{BARS[colour]})"


def _hover(text: str) -> str:
    """Return Plotly text as an attribute."""
    return escape(unescape(_TAG.sub("", text.replace("<br>", "\n"))).strip())


def _ticks(axis: Mapping[str, Any], low: float, high: float) -> Iterator[tuple[float, str]]:
    """Yield (place, text) of the ticks that an axis names, else of multiples of 1, 2 or 5."""
    if "tickvals" in axis:
        yield from zip(axis["tickvals"], axis["ticktext"], strict=True)
        return
    least = (high - low) / axis["nticks"]
    ten = 10.0 ** floor(log10(least))
    step = next(ten * times for times in (1, 2, 5, 10) if ten * times >= least)
    for i in takewhile(lambda i: i * step <= high, count(ceil(low / step))):
        yield i * step, scalar(i * step)


def _lines(joints: Mapping[str, Any]) -> Iterator[tuple[float, tuple[float, float]]]:
    """Yield (x, ends) of each vertical line; None divides them."""
    x, y = joints["x"], joints["y"]
    for i in range(0, len(x), 3):
        yield x[i], (y[i], y[i + 1])
