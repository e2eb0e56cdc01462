"""What each part of the lab page shows, as data that can be compared: a part is drawn again when its data
differs from what it was drawn with, and only then.

A quick part has what it shows as its data. A slow one, whose content is not worked out to see whether it has
changed, has what that content follows from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import same
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.formula import formula
from autodiff_viz.views.history_list import history_view
from autodiff_viz.views.lab import Lab, scalar_inputs
from autodiff_viz.views.lessons import lesson_view
from autodiff_viz.views.moment import live, own
from autodiff_viz.views.segments import cut_names
from autodiff_viz.views.tensor import is_tensor
from autodiff_viz.views.train import curves_data, track_data, train_data

Data = Any

SLIDERS = 200  # that are shown; the browser slows down with thousands


def lab_drawing(lab: Lab, view: LabView) -> dict[str, Any]:
    """The drawing of the canvas with formula and sliders, the names of the history's steps, and which tables
    fit the sliders."""
    steps = {"history": history_view(lab), "picked": lab.picked, "sweeps": dict(view.sweeps)}
    return {**steps, "formula": formula(lab, view.problems), "sliders": _sliders(view), **view.drawing}


def _sliders(view: LabView) -> dict[str, Any]:
    # As text, so that two numbers that are no more than equal, such as 0.0 and -0.0, are told apart.
    rows = [{**asdict(slider), "value": repr(slider.value)} for slider in view.sliders[:SLIDERS]]
    return {"limit": limits.NUMBER, "rows": rows, "more": len(view.sliders) - len(rows)}


def settings(lab: Lab, view: LabView) -> Data:
    """What the row under the canvas says and offers."""
    return lab.seed, lab.dtype, view.can_resample, view.tensor_output, runs_alone(view)


def runs_alone(view: LabView) -> bool:
    """Whether the graph can be written as a program."""
    return view.complete and not view.problems


def tensor(lab: Lab, view: LabView) -> Data:
    """The selected tensor, if it is one that is drawn."""
    return (lab.selected, numbers(lab, view)) if is_tensor(view.trace, lab.selected) else None


def numbers(lab: Lab, view: LabView) -> Data:
    """As `follow_from`. While a training changes them without end, what takes long is left as it is."""
    return lab.training.token if view.moment and live(lab) else follow_from(lab, view)


def follow_from(lab: Lab, view: LabView) -> Data:
    """All that any number follows from; where the nodes stand is not part of it."""
    return view.follows


def claims(lab: Lab, view: LabView) -> Data:
    """Nothing without a lesson."""
    if lab.lesson is None:
        return None
    training = own(lab)
    made = training.course.phases if training and training.course and not live(lab) else ()
    return lab.lesson, lab.variant, lab.plan.settings, made, numbers(lab, view)


def segments_data(lab: Lab, view: LabView) -> Data:
    """Nothing of a graph without cuts."""
    cuts = cut_names(view)
    return (cuts, numbers(lab, view), lab.plan) if cuts else None


OF_NUMBERS = frozenset({"tensor", "segments", "figure", "track"})
"""Parts with numbers in them, each of which says on the page of which state of the numbers it is."""

LESSON = "lesson"
"""Beside the page, and opens and closes: it is drawn again with the whole page."""

SHOWS: Mapping[str, Callable[[Lab, LabView], Data]] = {
    "problems": lambda lab, view: view.notice or view.mistaken,
    "formula_head": lambda lab, view: (lab.draft is None, lab.shelved is None),
    "train": train_data,
    "track": track_data,
    "tensor": tensor,
    "settings": settings,
    "claims": claims,
    "curves": curves_data,
    "segments": segments_data,
    "chooser": lambda lab, view: (lab.figure, lab.swept, scalar_inputs(lab.graph)),
    "figure": lambda lab, view: (lab.figure, lab.swept, numbers(lab, view)),
    LESSON: lambda lab, view: lesson_view(lab),
}
"""The parts beside the component of the lab, in the order in which they are drawn: what is slow last."""


def shows(name: str, lab: Lab, view: LabView, beside: Mapping[str, Data]) -> Data:
    """The data of the part `name`. What it shows `beside` the lab, such as what it tells its component, is by
    name; where it shows nothing, no state of numbers matters to it."""
    data = SHOWS[name](lab, view)
    return data, None if data is None and name in OF_NUMBERS else beside.get(name)


def changed(shown: Mapping[str, Data], lab: Lab, view: LabView, beside: Mapping[str, Data]) -> set[str]:
    """The parts that show something else by now than they were `shown` with, or have never been shown."""
    return {
        name for name in SHOWS if name not in shown or not same(shown[name], shows(name, lab, view, beside))
    }
