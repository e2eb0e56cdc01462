"""Edit the visitor's tour: add the present state, order, word, update and remove steps, go to one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.edits.edit import Handlers
from autodiff_viz.lab.lessons import variant_of
from autodiff_viz.lab.state import Lab, with_tour
from autodiff_viz.lab.tours import captured, go_to, renewed
from autodiff_viz.lessons import gallery
from autodiff_viz.lessons.codec import tour_to_json
from autodiff_viz.lessons.tour import Step, Tour, plain
from autodiff_viz.messages.edits import (
    AddStep,
    CloseTour,
    EditTour,
    Go,
    MoveStep,
    NewTour,
    RemoveStep,
    UpdateStep,
    WriteStep,
    WriteTour,
)

UNTITLED = "My tour"


def _new(lab: Lab, edit: NewTour) -> Lab:
    """Begin a tour, perhaps with the steps of the open lesson, without its exercises and claims."""
    lesson = gallery.lesson(lab.lesson) if edit.of == "lesson" else None
    lab = replace(lab, authoring=True)
    if lesson is None:
        return with_tour(lab, Tour(title=UNTITLED), 0, "New tour")
    return _changed(lab, plain(lesson), variant_of(lab, lesson), "Tour of the lesson")


def _check_written(lab: Lab) -> None:
    """Refuse to take a state whose formula is not that of the graph on view."""
    if lab.mistakes:
        message = (
            "The formula has a mistake: the graph on view is the one before it, and not what is written."
        )
        raise GraphError(Problem("not-written", message, "Mend the formula, then take the state."))


def _add(lab: Lab, edit: AddStep) -> Lab:
    _check_written(lab)
    tour = lab.tour or Tour(title=UNTITLED)
    if not lab.graph.nodes:
        raise GraphError(Problem("nothing-to-add", "There is no graph to add yet.", "Add a node first."))
    if len(tour.steps) >= limits.TOUR_STEPS:
        message = f"The tour has {len(tour.steps)} steps; it may have {limits.TOUR_STEPS}."
        raise GraphError(Problem("tour-too-long", message, "Remove a step, or begin another tour."))
    at = lab.at + 1 if tour.steps else 0
    step = captured(lab, f"Step {len(tour.steps) + 1}")
    after = replace(tour, steps=(*tour.steps[:at], step, *tour.steps[at:]))
    return _changed(replace(lab, authoring=True), after, at, f"Add step {at + 1}")


def _at_step(change: Callable[[Lab, Tour, Step, object], Lab]) -> Callable[[Lab, object], Lab]:
    """Return a handler of edits of a step; a late edit of a step that has gone changes nothing."""

    def handle(lab: Lab, edit: object) -> Lab:
        tour = lab.tour
        if tour is None or edit.step >= len(tour.steps):
            return lab
        return change(lab, tour, tour.steps[edit.step], edit)

    return handle


def _update(lab: Lab, tour: Tour, step: Step, edit: UpdateStep) -> Lab:
    _check_written(lab)
    after = renewed(step, captured(lab, step.title))
    return _changed(lab, _with(tour, edit.step, after), edit.step, f"Update step {edit.step + 1}")


def _move(lab: Lab, tour: Tour, step: Step, edit: MoveStep) -> Lab:
    to = min(edit.to, len(tour.steps) - 1)
    if to == edit.step:
        return lab
    order = [i for i in range(len(tour.steps)) if i != edit.step]
    order.insert(to, edit.step)
    after = replace(tour, steps=tuple(tour.steps[i] for i in order))
    # The step on view stays on view.
    return _changed(lab, after, order.index(lab.at), f"Move step {edit.step + 1}")


def _remove(lab: Lab, tour: Tour, step: Step, edit: RemoveStep) -> Lab:
    left = tuple(each for i, each in enumerate(tour.steps) if i != edit.step)
    at = lab.at - 1 if edit.step < lab.at else lab.at
    return _changed(lab, replace(tour, steps=left), at, f"Remove step {edit.step + 1}")


def _write_step(lab: Lab, tour: Tour, step: Step, edit: WriteStep) -> Lab:
    after = replace(step, **{edit.field: _words(edit.field, edit.text)})
    label = f"{NAMES[edit.field]} of step {edit.step + 1}"
    return _changed(lab, _with(tour, edit.step, after), lab.at, label, edit.fresh)


def _write_tour(lab: Lab, edit: WriteTour) -> Lab:
    if lab.tour is None:
        return lab
    after = replace(lab.tour, **{edit.field: _words(edit.field, edit.text)})
    return _changed(lab, after, lab.at, f"{NAMES[edit.field]} of the tour", edit.fresh)


NAMES = {"title": "Title", "caption": "Caption", "text": "Text", "notes": "Notes", "summary": "Summary"}


def _words(field: str, text: str) -> str:
    """Return a text as it is kept; a title is one line.

    Raises:
      GraphError: it is too long.
    """
    most = limits.TITLE if field == "title" else limits.PROSE
    if field == "title":
        text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    if len(text) > most:
        message = f"The {field} has {len(text):,} characters; the limit is {most:,}."
        raise GraphError(Problem("text-too-long", message, "Shorten it."))
    return text


def _with(tour: Tour, at: int, step: Step) -> Tour:
    return replace(tour, steps=(*tour.steps[:at], step, *tour.steps[at + 1 :]))


def _changed(lab: Lab, tour: Tour, at: int, label: str, fresh: bool = True) -> Lab:
    """Return the lab with a changed tour; the same one if nothing has changed.

    Raises:
      GraphError: the tour would be too large to be kept.
    """
    if lab.tour == tour:
        return lab
    if (size := len(tour_to_json(tour, None))) > limits.TOUR:
        message = f"With this the tour has {size:,} characters; the limit is {limits.TOUR:,}."
        hint = "Use smaller tensors, or begin another tour."
        raise GraphError(Problem("tour-too-long", message, hint))
    return with_tour(lab, tour, at, label, fresh)


HANDLERS: Handlers = {
    NewTour: _new,
    EditTour: lambda lab, edit: replace(lab, authoring=edit.on),
    AddStep: _add,
    UpdateStep: _at_step(_update),
    MoveStep: _at_step(_move),
    RemoveStep: _at_step(_remove),
    WriteStep: _at_step(_write_step),
    WriteTour: _write_tour,
    Go: _at_step(lambda lab, tour, step, edit: go_to(lab, tour, edit.step)),
    CloseTour: lambda lab, _: with_tour(lab, None, 0, "Close the tour") if lab.tour else lab,
}
