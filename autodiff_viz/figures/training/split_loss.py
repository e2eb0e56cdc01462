"""Draw the loss of a training in three ways: joint, passed across cuts, and each segment by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.engine.segments.training import Curves
from autodiff_viz.figures.style.plotly_text import coloured
from autodiff_viz.figures.style.theme import COTANGENT, EDGE, LINE, SMALL, STOP, VALUE, axis, draw, ink
from autodiff_viz.graph.text.text_format import scalar

HEIGHT, LEFT, BOTTOM = 220, 58, 46  # pixels
ROWS = 3


def split_loss_figure(curves: Curves) -> go.Figure:
    """Draw three lines: joint training broad, the chain thin and dashed over it, segments apart dotted."""
    head = 14 + LINE * ROWS
    layout = {
        "height": head + HEIGHT + BOTTOM,
        "margin": {"l": LEFT, "r": EDGE, "t": head, "b": BOTTOM, "pad": 0},
        "hovermode": "x unified",
        "xaxis": axis(title={"text": ink("step"), "font": {"size": SMALL}}, zeroline=False, nticks=6),
        "yaxis": axis(rangemode="tozero", nticks=5, tickangle=0),
        "annotations": [_legend(i, text, head) for i, text in enumerate(_names(curves))],
    }
    lines = [
        _line("joint", curves.joint, VALUE, 6, "solid"),
        _line("handed across", curves.chain, COTANGENT, 2.5, "dash"),
        _line("own output", curves.apart, STOP, 2.5, "dot"),
    ]
    return draw(lines, layout, "split loss")


def split_loss_text(curves: Curves) -> str:
    """Describe the figure in one sentence, for screen readers."""
    ends = [f"{scalar(curve[0])} to {scalar(curve[-1])}" for curve in (curves.joint, curves.apart)]
    return (
        f"A line chart of the loss over {len(curves.joint)} steps: joint training goes from {ends[0]}, "
        f"handing the cotangent across differs from it by at most {scalar(curves.difference)}, "
        f"and each segment against its own output goes from {ends[1]}."
    )


def _names(curves: Curves) -> list[str]:
    apart = f"at most <b>{scalar(curves.difference)}</b> from it" if curves.difference else "<b>the same</b>"
    return [
        f"{coloured('━', VALUE)} joint: <b>{scalar(curves.joint[-1])}</b> at the end",
        f"{coloured('╍', COTANGENT)} handed across: {apart}",
        f"{coloured('┈', STOP)} own output: <b>{scalar(curves.apart[-1])}</b> at the end",
    ]


def _legend(row: int, text: str, head: int) -> dict[str, Any]:
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xshift": EDGE - LEFT}
    anchors = {"xanchor": "left", "yanchor": "middle", "align": "left", "showarrow": False}
    return {
        "text": ink(text),
        "font": {"size": SMALL},
        "yshift": head - LINE * (row + 0.6),
        **place,
        **anchors,
    }


def _line(name: str, loss: np.ndarray, colour: str, wide: float, dash: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines" if len(loss) > 1 else "markers",
        "name": name,
        "x": list(range(len(loss))),
        "y": np.where(np.isfinite(loss), loss, np.nan),
        "line": {"color": colour, "width": wide, "dash": dash},
        "hovertemplate": "%{y:.5g}",
    }
