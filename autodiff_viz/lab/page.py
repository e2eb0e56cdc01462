"""Make the data of the lab's component, which changes with every edit; `lab/parts.py` has the other parts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from autodiff_viz.asking.question import RUNS
from autodiff_viz.display.numbers import sent
from autodiff_viz.explain.catalog import lacking
from autodiff_viz.explain.forward.view import NOT_RUN, balance_says
from autodiff_viz.explain.play.compute import play
from autodiff_viz.explain.play.view import step_data
from autodiff_viz.graph import limits
from autodiff_viz.graph.frames import runs_are_many
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text import listed
from autodiff_viz.lab.actions import steps
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.exercises import Reached, exercises_data
from autodiff_viz.lab.figures import (
    figure_on_view,
    pinned_graph,
    ranged_data,
    twins_data,
)
from autodiff_viz.lab.formula import formula
from autodiff_viz.lab.judging import asking_data
from autodiff_viz.lab.lessons import lesson_data, variant_of
from autodiff_viz.lab.state import Lab
from autodiff_viz.lab.talk import talk_data
from autodiff_viz.lab.tours import tour_data
from autodiff_viz.lab.training import own
from autodiff_viz.lab.training_panel import moment_data
from autodiff_viz.lessons import gallery

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


def forward_data(lab: Lab, view: LabView) -> dict[str, Any] | None:
    """Return the sentence about forward mode for the browser; None while it is off, or waits for answers."""
    if lab.forward is None or view.hiding:
        return None
    tangents = view.tangents
    if tangents is None:
        return {"says": NOT_RUN}
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
