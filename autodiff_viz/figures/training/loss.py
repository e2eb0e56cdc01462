"""Draw the loss in every step of a training."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.engine.training.updates import skipped_said
from autodiff_viz.figures.style.plotly_text import coloured
from autodiff_viz.figures.style.theme import COTANGENT, EDGE, LINE, SMALL, STOP, VALUE, axis, draw, ink
from autodiff_viz.figures.training.progress import (
    BOTTOM,
    LEFT,
    RIGHT,
    Progress,
    columns,
    invitation,
    marks,
    own_marks,
    phase_rows,
    step_axis,
)
from autodiff_viz.graph.text.text_format import scalar

HEIGHT = 104  # pixels of the panel: with what is above it, no more than a low dock has
POINTS = 600  # of the line
SKIPPED = 200  # marks of steps that were skipped
HEADLINE = "headline"  # name of the text over the panel, for ui/lab/web/stepmark.js
WIDE = 300.0  # largest over smallest loss from which the axis is logarithmic


def loss_figure(progress: Progress) -> go.Figure:
    """Draw the loss as a line, with a dot at the step on view.

    A cross at the height of the largest finite loss marks a loss that is not finite, an open diamond a step
    that was skipped.
    """
    loss = progress.records.loss.astype(float)
    finite = loss[np.isfinite(loss)]
    log = bool(finite.size) and finite.min() > 0 and finite.max() > WIDE * finite.min()
    shapes, names = marks(progress)
    head = 12 + LINE * (1 + phase_rows(progress))
    here = _here(progress, loss, head)
    over = _headline(progress, loss, head, bool(here))
    layout = {
        "height": head + HEIGHT + BOTTOM,
        "margin": {"l": LEFT, "r": RIGHT, "t": head, "b": BOTTOM, "pad": 0},
        "hovermode": "closest",
        "meta": own_marks(progress, len(names) + len(over) if here else None),
        "xaxis": step_axis(progress),
        "yaxis": axis(
            type="log" if log else "linear",
            rangemode="tozero" if progress.planned else "normal",
            nticks=5,
            tickangle=0,
            zeroline=False,
            exponentformat="power",
        ),
        "shapes": shapes,
        "annotations": [*names, *over, *here, *invitation(progress)],
    }
    return draw(
        [_line(loss), *_skipped(progress, loss), *_dot(progress, loss), *_crosses(loss)], layout, "loss"
    )


def loss_text(progress: Progress) -> str:
    """Describe the figure in one sentence, for screen readers."""
    loss = progress.records.loss
    if progress.planned:
        return (
            f"The loss before the first step, {scalar(loss[0])}; each step of the training is drawn after it."
        )
    first, last, least = (scalar(x) for x in (loss[0], loss[-1], np.nanmin(np.append(loss, np.inf))))
    return (
        f"A line chart of the loss over {progress.steps} steps: from {first} to {last} at step "
        f"{len(loss) - 1}, at least {least}"
        f"{_changes(progress)}{_skips(progress)}."
    )


def _skips(progress: Progress) -> str:
    said = skipped_said(progress.records)
    return f"; {said[0].lower()}{said[1:-1]}" if said else ""


def _changes(progress: Progress) -> str:
    named = [f"{name} from step {first}" for first, name in progress.phases]
    return f"; {', '.join(named)}" if named else ""


def _headline(progress: Progress, loss: np.ndarray, head: int, beside: bool) -> list[dict[str, Any]]:
    """Return first and last loss as an annotation, unless the loss of a step stands `beside` it."""
    last = f"{scalar(loss[-1])}</b> at step {len(loss) - 1:,}"  # the newest: before the last step's update
    parts = [] if beside else [f"{coloured('━', VALUE)} <b>loss {scalar(loss[0])} → {last}"]
    if progress.planned:
        parts = [f"{coloured('●', VALUE)} <b>loss {scalar(loss[0])}</b> before the first step"]
    skipped = np.count_nonzero(progress.records.skipped)
    parts += [f"{coloured('◇', STOP)} {skipped:,} skipped"] if skipped else []
    place = {**_over(head), "x": 0, "xshift": EDGE - LEFT, "xanchor": "left", "name": HEADLINE}
    return [{**place, "text": ink("  ".join(parts))}] if parts else []


def _here(progress: Progress, loss: np.ndarray, head: int) -> list[dict[str, Any]]:
    """Return the loss of the step on view as an annotation; none without such a step."""
    step = progress.shown
    if step is None or step >= len(loss):
        return []
    text = f"{coloured('●', COTANGENT)} step {step}: <b>{scalar(loss[step])}</b>"
    return [{**_over(head), "text": ink(text), "x": 1, "xanchor": "right"}]


def _over(head: int) -> dict[str, Any]:
    """Return the place of a line of text above the panel."""
    place = {"xref": "paper", "yref": "paper", "y": 1, "yshift": head - LINE, "yanchor": "middle"}
    return {**place, "showarrow": False, "font": {"size": SMALL}}


def _line(loss: np.ndarray) -> dict[str, Any]:
    at = np.unique(np.append(columns(len(loss), POINTS), len(loss) - 1))
    return {
        "type": "scatter",
        "mode": "lines" if len(loss) > 1 else "markers",
        "marker": {"size": 10, "color": VALUE},
        "name": "loss",
        "x": at,
        "y": np.where(np.isfinite(loss[at]), loss[at], np.nan),
        "line": {"color": VALUE, "width": 3},
        "hovertemplate": "step %{x}<br>loss %{y:.5g}<extra></extra>",
    }


def _dot(progress: Progress, loss: np.ndarray) -> list[dict[str, Any]]:
    step = progress.shown
    if step is None or step >= len(loss) or not np.isfinite(loss[step]):
        return []
    marker = {"symbol": "circle", "size": 12, "color": COTANGENT}
    dot = _marks([step], [float(loss[step])], marker, "step %{x}<br>loss %{y:.5g}<extra></extra>")
    return [{**dot, "name": "shown"}]


def _crosses(loss: np.ndarray) -> list[dict[str, Any]]:
    bad = np.flatnonzero(~np.isfinite(loss))[:50]
    if not bad.size:
        return []
    marker = {"symbol": "x", "size": 11, "color": STOP}
    hover = "step %{x}<br>the loss is not finite<extra></extra>"
    return [_marks(bad.tolist(), _heights(loss, bad), marker, hover)]


def _skipped(progress: Progress, loss: np.ndarray) -> list[dict[str, Any]]:
    """Return a mark at each step that was skipped, or at every second, third, ... of many."""
    steps = np.flatnonzero(progress.records.skipped)
    if not steps.size:
        return []
    steps = steps[columns(steps.size, SKIPPED)]
    marker = {"symbol": "diamond-open", "size": 11, "color": STOP, "line": {"width": 2}}
    hover = "step %{x}<br>gradient not finite, skipped<extra></extra>"
    return [{**_marks(steps.tolist(), _heights(loss, steps), marker, hover), "name": "skipped"}]


def _heights(loss: np.ndarray, steps: np.ndarray) -> list[float]:
    """Return the loss of these steps, and the largest finite one where it is not finite."""
    top = float(np.max(loss, initial=-np.inf, where=np.isfinite(loss)))
    return np.where(np.isfinite(loss[steps]), loss[steps], top if np.isfinite(top) else 1.0).tolist()


def _marks(x: list[int], y: list[float], marker: dict[str, Any], hover: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x,
        "y": y,
        "marker": marker,
        "cliponaxis": False,
        "hovertemplate": hover,
    }
