"""Compare the parts of the lab page as data: a part is drawn again only if its data has changed.

The data of a quick part is what it shows. That of a slow part is all that its content depends on, so that the
content need not be computed to find out whether it has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from autodiff_viz.asking.question import RUNS
from autodiff_viz.display.numbers import sent
from autodiff_viz.explain.catalog import FIGURES, lacking
from autodiff_viz.explain.forward.view import NOT_RUN, balance_says
from autodiff_viz.explain.play.compute import play
from autodiff_viz.explain.play.view import step_data
from autodiff_viz.explain.tensor.view import is_tensor
from autodiff_viz.graph import limits
from autodiff_viz.graph.frames import runs_are_many
from autodiff_viz.graph.identity import same
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text import listed
from autodiff_viz.lab.actions import steps
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.exercises import Reached, exercises_data, tries
from autodiff_viz.lab.figures import (
    about,
    comparison_key,
    figure_on_view,
    pinned_graph,
    ranged_data,
    twins_data,
)
from autodiff_viz.lab.formula import formula
from autodiff_viz.lab.judging import asking_data
from autodiff_viz.lab.lessons import lesson_data, lesson_view, variant_of
from autodiff_viz.lab.onward import onward
from autodiff_viz.lab.segments import cut_names
from autodiff_viz.lab.state import Lab, shows_code
from autodiff_viz.lab.surface import surface_data
from autodiff_viz.lab.talk import talk_data
from autodiff_viz.lab.tours import tour_data
from autodiff_viz.lab.training import live, own
from autodiff_viz.lab.training_panel import curves_data, moment_data, track_data, train_data
from autodiff_viz.lessons import gallery
from autodiff_viz.training.state import learned

BEFORE, AFTER = 60, 20  # steps that are sent to the canvas; a jump to the last of them sends more


def history_view(lab: Lab) -> dict[str, Any]:
    """Return the history as data.

    `undo` and `redo` are the labels of `actions.steps`, `labels` those of the entries by index, of which only
    changed ones are sent, and `at` is the index of the present entry. `gone` is the number of older entries
    that are no longer kept.
    """
    entries, at = lab.history.entries, len(lab.history.past)
    shown = range(max(0, at - BEFORE), min(len(entries), at + AFTER + 1))
    labels = {str(i): entries[i].label for i in shown}
    return {**steps(lab), "labels": labels, "at": at, "gone": lab.history.forgotten}


Data = Any

SLIDERS = 200  # limit; the browser slows down with thousands


def lab_drawing(lab: Lab, view: LabView, tried: Reached | None = None) -> dict[str, Any]:
    """Return the data of the lab's component: canvas, formula, sliders, history and keys of the tables.

    Args:
      tried: parts of the open lesson's exercises that have been reached; None leaves the exercises out.
    """
    steps = {"history": history_view(lab), "picked": lab.picked, "sweeps": dict(view.sweeps)}
    page = {
        "figure": figure_on_view(lab),
        "lacks": lacking(lab.graph, pinned_graph(lab)),
        "lesson": lesson_data(lab),
        "exercises": None if tried is None or view.hiding else exercises_data(lab, tried),
        "talk": talk_data(lab),
        "tour": tour_data(lab),
        "trains": is_about_training(lab),
    }
    return {
        **steps,
        **page,
        "formula": formula(lab, view.problems),
        "sliders": _sliders(view),
        "twins": twins_data(lab, view),
        "ranged": ranged_data(lab, view),
        "forward": forward_data(lab, view),
        "moment": None if view.hiding else moment_data(lab, view),
        "asking": asking_data(lab, view),
        **view.drawing,
    }


def is_about_training(lab: Lab) -> bool:
    """Return whether to show the training first: the open lesson trains its graph, or it has been trained."""
    if own(lab) is not None:
        return True
    lesson = gallery.lesson(lab.lesson)
    return lesson is not None and lesson.steps[variant_of(lab, lesson)].training is not None


def _sliders(view: LabView) -> dict[str, Any]:
    """Return the sliders as data."""
    rows = [{**asdict(slider), "value": sent(slider.value)} for slider in view.sliders[:SLIDERS]]
    data = {"limit": limits.NUMBER, "rows": rows, "more": len(view.sliders) - len(rows)}
    starts = [row["name"] for row in rows if view.moment and view.graph[row["name"]].is_parameter]
    return {**data, "says": describe_start(starts, view.moment.step)} if starts else data


def describe_start(names: list[str], step: int) -> str:
    """Return that the sliders of parameters are not at the values that a training step has on the canvas."""
    who, value = listed(names, 3), "this value" if len(names) == 1 else "these values"
    return f"Training starts with {value} of {who}; the canvas shows step {step:,}."


def settings(lab: Lab, view: LabView) -> Data:
    """Return the state of the settings in the bar."""
    downloads = view.is_program, view.hiding, lab.pinned is None, lab.tour is None
    return lab.seed, lab.dtype, view.can_resample, view.seed_rows, downloads


def tensor(lab: Lab, view: LabView) -> Data:
    """Return the selected tensor with its numbers' identity; None if no drawn tensor is selected."""
    return (lab.selected, numbers(lab, view)) if is_tensor(view.trace, lab.selected) else None


def numbers(lab: Lab, view: LabView) -> Data:
    """Return the identity of all numbers, as `follow_from`.

    While a training is followed live, it is the training's token, so that slow parts are not drawn at each
    step.
    """
    return lab.training.token if view.moment and live(lab) else follow_from(lab, view)


def follow_from(lab: Lab, view: LabView) -> Data:
    """Return the identity of all that any number depends on; positions of nodes are not part of it."""
    return view.follows


def claims(lab: Lab, view: LabView) -> Data:
    """Return all that the claims of the open lesson depend on; None without a lesson."""
    if lab.lesson is None:
        return None
    training = own(lab)
    made = training.course.phases if training and training.course and not live(lab) else ()
    return lab.lesson, lab.variant, lab.plan.settings, made, numbers(lab, view)


def segments_data(lab: Lab, view: LabView) -> Data:
    """Return all that the panel of segments depends on; None for a graph without cuts."""
    cuts = cut_names(view)
    return (cuts, numbers(lab, view), lab.plan) if cuts else None


ASKED = "asked"
"""Data of a part that shows numbers, while some are hidden."""

CONCEALED = frozenset(
    {"tensor", "train", "track", "curves", "surface", "tries", "onward", "claims"}
    | {"segments", "chooser", "figure", "second"}
)
"""Parts that show numbers of the whole pass, or of other graphs, or tell what will be seen: none is drawn
while some are hidden."""

OF_NUMBERS = frozenset({"tensor", "segments", "figure", "second", "track"})
"""Parts that show numbers, each of which names on the page the state that its numbers are of."""

LESSON = "lesson"
"""Part beside the page, which is drawn with the whole page since it opens and closes."""

SHOWS: Mapping[str, Callable[[Lab, LabView], Data]] = {
    "problems": lambda lab, view: view.notice or view.mistaken,
    "formula_head": lambda lab, view: (lab.draft is None, lab.shelved is None, shows_code(lab)),
    "train": train_data,
    "track": track_data,
    "tensor": tensor,
    "settings": settings,
    "tries": lambda lab, view: tries(lab),
    "onward": lambda lab, view: onward(lab),
    "claims": claims,
    "curves": curves_data,
    "surface": surface_data,
    "segments": segments_data,
    "chooser": lambda lab, view: (
        on := figure_on_view(lab),
        lab.choices,
        tuple(tuple(choice.offered(lab.graph)) for choice in FIGURES[on].choices),
    ),
    "figure": lambda lab, view: (
        on := figure_on_view(lab),
        about(lab, on),
        comparison_key(lab, on),
        numbers(lab, view),
    ),
    "second": numbers,
    LESSON: lambda lab, view: lesson_view(lab),
}
"""Data by part, other than the lab's component, in the order in which they are drawn: slow ones last."""


def data_of(name: str, lab: Lab, view: LabView) -> Data:
    """Return the data of a part; of one that is concealed now, `ASKED` where it would show something."""
    if view.hiding and name in CONCEALED:
        return ASKED if name == "second" or waits(name, lab, view) else None
    return SHOWS[name](lab, view)


def waits(name: str, lab: Lab, view: LabView) -> bool:
    """Return whether it is said in a part's place that it comes after the answer."""
    if name == "segments":
        return bool(cut_names(view))
    return name == "figure" or (name == "train" and bool(learned(lab.graph)))


def shows(name: str, lab: Lab, view: LabView, beside: Mapping[str, Data]) -> Data:
    """Return the data of the part `name`.

    Args:
      beside: other data of a part by name, such as the data sent to the component. It is left out for a part
        of numbers that shows nothing.
    """
    data = data_of(name, lab, view)
    return data, None if data is None and name in OF_NUMBERS else beside.get(name)


def changed(shown: Mapping[str, Data], lab: Lab, view: LabView, beside: Mapping[str, Data]) -> set[str]:
    """Return the parts whose data differs from what they were `shown` with, or that have never been shown."""
    return {
        name for name in SHOWS if name not in shown or not same(shown[name], shows(name, lab, view, beside))
    }


def forward_data(lab: Lab, view: LabView) -> dict[str, Any] | None:
    """Return the sentence about forward mode for the browser; None while it is off."""
    if lab.forward is None:
        return None
    tangents = view.tangents
    if tangents is None:
        return {"says": ANSWER_FIRST if view.hiding else NOT_RUN}
    return {"says": balance_says(tangents), "blocked": list(tangents.blocked)}


UNFINISHED = "Nothing to play yet: the graph has no numbers, or not all of them."
ANSWER_FIRST = "Answer first: numbers are hidden while they are asked for."
TOO_MANY = f"Too many steps to play: a graph of up to {VERIFIED_AT_ONCE} nodes can be played."


def play_data(view: LabView, state: int) -> dict[str, Any]:
    """Return the steps of the pass on view in the format of web/explain/play.js.

    Args:
      state: number of the state of the numbers, which the browser compares with its own.
    Returns:
      No steps where there are none to show; `says` then gives the reason.
    """
    run = view.evaluated.trace
    if run is None or not view.whole:
        return _none(state, UNFINISHED)
    if (RUNS,) in view.trace.hidden:  # a region that runs again would be seen
        return _none(state, ANSWER_FIRST)
    graph = run.graph
    if len(graph.nodes) > VERIFIED_AT_ONCE or runs_are_many(graph):
        return _none(state, TOO_MANY)
    try:
        steps = play(run)
    except GraphError as error:
        return _none(state, " ".join(problem.message for problem in error.problems))
    shown = view.trace if view.hiding else None
    return {"state": state, "steps": [step_data(run, step, shown) for step in steps]}


def _none(state: int, why: str) -> dict[str, Any]:
    return {"state": state, "steps": [], "says": why}
