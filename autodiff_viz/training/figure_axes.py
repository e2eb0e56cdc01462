"""Lay out the figures of a training: columns of steps, and lines where its rules changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_viz.display.theme import NEUTRAL, RULE, SMALL, axis, coloured, ink, short
from autodiff_viz.training.course import Progress

LEFT, RIGHT, BOTTOM = 62, 20, 44  # pixels
NAMED = 6  # phases with a name; more would lie over one another
NAME = 22  # characters of a phase's name


def columns(steps: int, most: int) -> np.ndarray:
    """Return the first step of each of at most `most` columns; a column is one step if there are no more."""
    width = -(-steps // most)
    return np.arange(0, steps, width)


def step_axis(progress: Progress, **settings: Any) -> dict[str, Any]:
    """Return the axis of steps, with one place more than steps: the state after the last step."""
    title = {"text": "step", "font": {"size": SMALL}, "standoff": 6}
    steps = max(progress.steps, progress.planned, 1)
    room = [-0.5, steps + 0.5]
    ticks = {"nticks": 6, "tickformat": "d"}
    whole = {"dtick": 1} if steps <= 6 else ticks
    return axis(range=room, title=title, zeroline=False, tickangle=0, **whole, **settings)


def marks(progress: Progress) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return (shapes, annotations) for the phases and the step on view.

    A dotted line with its name begins a phase; a solid line stands at the step on view.
    """
    phases = progress.phases[-NAMED:]
    shapes = [_line(first, {"color": RULE, "width": 2, "dash": "dot"}) for first, _ in phases]
    names = [_name(first, name, i, progress) for i, (first, name) in enumerate(phases)]
    if progress.shown is not None:
        shapes.append(_line(progress.shown, {"color": NEUTRAL, "width": 2}))
    return shapes, names


def own_marks(progress: Progress, note: int | None = None) -> dict[str, Any]:
    """Return the `meta` of a figure: which of its shapes and annotations are of the step on view.

    While the slider of steps is dragged the browser draws its own in their place (web/training/steps.js).

    Args:
      note: index of the annotation with a number of that step; None if there is none.
    """
    shape = None if progress.shown is None else len(progress.phases[-NAMED:])
    places = {"shape": shape, "note": note}
    return {"steps": {key: place for key, place in places.items() if place is not None}}


def invitation(progress: Progress) -> list[dict[str, Any]]:
    """Return what will be drawn in the empty part of a figure, as annotations; none once there are steps."""
    if not progress.planned:
        return []
    place = {"xref": "paper", "yref": "paper", "x": 0.55, "y": 0.5, "showarrow": False}
    return [{**place, "text": coloured("Train draws<br>each step here", NEUTRAL), "font": {"size": SMALL}}]


def phase_rows(progress: Progress) -> int:
    """Return the number of text lines that the names of the phases take above a figure."""
    return min(len(progress.phases), 2)


def _line(step: float, line: dict[str, Any]) -> dict[str, Any]:
    place = {"xref": "x", "yref": "paper", "x0": step, "x1": step, "y0": 0, "y1": 1}
    return {"type": "line", "line": line, **place}


def _name(step: int, name: str, index: int, progress: Progress) -> dict[str, Any]:
    """Return the name over a phase's line.

    Names alternate between two rows, and are flush with the end of the axis where it is near.
    """
    late = step > 0.6 * progress.steps
    return {
        "text": ink(f"◆ {short(name, NAME)}"),
        "font": {"size": SMALL},
        "showarrow": False,
        "xref": "x",
        "yref": "paper",
        "x": step,
        "y": 1,
        "yshift": 4 + 18 * (index % 2),
        "yanchor": "bottom",
        "xanchor": "right" if late else "left",
        "xshift": 6 if late else -6,
    }
