"""Share the look of all figures: colours, sizes, and the one function that makes a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from autodiff_viz.graph.text.text_format import MINUS

# One colour per idea. Each has the same contrast, above 4 to 1, with a white and with a near-black page.
VALUE, COTANGENT, STOP, RULE, CHECKPOINT = "#1c77df", "#c95405", "#e2323b", "#925ae2", "#148958"
NEUTRAL = "#717987"
FAINT, STRIPE, BAND = "rgba(113,121,135,0.3)", "rgba(113,121,135,0.07)", "rgba(20,137,88,0.09)"
CLEAR = "rgba(0,0,0,0)"

TEXT, SMALL, TITLE, EXPONENT = (
    15,
    14,
    18,
    12,
)  # pixels; the smaller ones must be legible from the back of a classroom, once enlarged
HEADER = 52  # pixels above the drawing that a title takes; each line under it takes LINE
LINE = 21
EDGE = 10  # pixels left free at the left and right edge

MODE_BAR = {
    "orientation": "v",  # along the right edge, so that it covers no title
    "bgcolor": CLEAR,
    "color": NEUTRAL,
    "activecolor": VALUE,
    "remove": ["select", "lasso", "autoScale", "zoomIn", "zoomOut"],
}


def draw(traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], key: str) -> go.Figure:
    """Return a figure on a transparent ground. Text takes its colour from the page.

    `key` identifies the drawing: while it stays the same, a redrawn figure keeps its zoom.
    """
    base = {
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {"size": SMALL},
        "hoverlabel": {"align": "left", "font": {"size": SMALL}},
        "dragmode": False,  # a finger on the figure scrolls the page; the mode bar offers zoom
        "modebar": MODE_BAR,
        "showlegend": False,
        "uirevision": key,
    }
    # Plotly's own checks of every property would take five times as long as the rest; the tests run them.
    return go.Figure({"data": list(traces), "layout": {**base, **layout}}, _validate=False)


def ink(text: str) -> str:
    """Return Plotly text in the colour of the page, instead of the theme's grey for axes."""
    return f"<span style='color:currentColor'>{text}</span>"


def power(base: int, exponent: int) -> str:
    """Return a power as Plotly text, whose exponent can be read: Plotly's own is 0.7 of the text's size."""
    raised = str(exponent).replace("-", MINUS)
    return f"{base}<sup><span style='font-size:{EXPONENT}px'>{raised}</span></sup>"


def heading(title: str, under: Sequence[str], height: int) -> dict[str, Any]:
    """Return the title of a figure of this height: one finding in bold, lines of explanation under it."""
    style = f"font-size:{SMALL}px;font-weight:normal"
    lines = "".join(f"<br><span style='{style}'>{line}</span>" for line in under)
    across = {"x": 0, "xref": "container", "xanchor": "left", "pad": {"l": EDGE}}
    down = {"y": 1 - TITLE / height, "yref": "container", "yanchor": "top"}
    return {"text": ink(f"<b>{title}</b>{lines}"), "font": {"size": TITLE}, **across, **down}


def top(under: Sequence[str]) -> int:
    """Return the pixels that a title with these lines under it takes."""
    return HEADER + LINE * len(under)


def axis(**settings: Any) -> dict[str, Any]:
    """Return an axis with a quiet grid and a clear zero."""
    line = {"gridcolor": FAINT, "gridwidth": 1, "zerolinecolor": NEUTRAL, "zerolinewidth": 1.5}
    return {
        **line,
        "showline": False,
        "tickfont": {"size": SMALL},
        "ticks": "",
        "automargin": False,
        **settings,
    }


def hidden_axis(**settings: Any) -> dict[str, Any]:
    """Return an invisible axis, which only sets positions."""
    return {"visible": False, "fixedrange": True, **settings}


def note(message: str, key: str) -> go.Figure:
    """Return a figure that says in words why there is nothing to draw."""
    text = {"text": ink(message), "font": {"size": TEXT}, "showarrow": False, "align": "left"}
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 0.5, "xanchor": "left"}
    blank = {"xaxis": hidden_axis(), "yaxis": hidden_axis(), "height": 120}
    margin = {"l": EDGE, "r": EDGE, "t": EDGE, "b": EDGE}
    return draw([], {**blank, "margin": margin, "annotations": [{**text, **place}]}, key)
