"""Compute what a visit to an address needs first, and its drawing, once for all visitors.

The records are immutable; a session continues from there with records of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from msgspec import Raw

from autodiff_viz.canvas.delta import without_nulls
from autodiff_viz.engine.memo import shared
from autodiff_viz.graph.identity import same
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.code import COMPUTES
from autodiff_viz.lab.embedding import LONGEST, OPENS
from autodiff_viz.lab.evaluate import LabView, lab_view
from autodiff_viz.lab.exercises import NONE, Reached
from autodiff_viz.lab.inspector.panel import Answers, check_data, node_data, paths_data
from autodiff_viz.lab.lessons import LessonView, lesson_view
from autodiff_viz.lab.page import lab_drawing
from autodiff_viz.lab.parts import Data
from autodiff_viz.lab.persistence.address import KEPT, OF_THE_PAGE, STAMP, divided, documents, from_query
from autodiff_viz.lab.persistence.history import Trail, trail
from autodiff_viz.lab.state import Lab
from autodiff_viz.lab.training import live
from autodiff_viz.messages.envelope import encoded
from autodiff_viz.workers.bounds import bounded

# The view of a state of the lab, computed once per state.


@dataclass(frozen=True, slots=True)
class Present:
    """A state of the lab and its view.

    Attributes:
      lab: the state.
      view: what the page shows of it.
      numbers: the data that all numbers of `view` follow from.
      state: counts how often `numbers` has changed.
    """

    lab: Lab
    view: LabView
    numbers: Data
    state: int = 1


def present(lab: Lab, last: Present | None) -> Present:
    """Return the view of `lab`; whatever has not changed is reused from `last`."""
    if last is None:
        view = lab_view(lab)
        return Present(lab, view, view.follows)
    if last.lab is lab:
        return last
    view = lab_view(lab, last.view)
    numbers = view.follows
    return Present(lab, view, numbers, last.state + (not same(numbers, last.numbers)))


# What a first visit to an address needs, and its first drawing as the text that is sent.


MOST, ON_TRIAL = 48, 12  # addresses; so many of them that have been opened once


@dataclass(frozen=True, slots=True)
class FirstDrawing:
    """The first drawing with these answers of workers, and the same as JSON."""

    answers: Answers
    drawing: dict[str, Any]
    text: Raw


@dataclass(frozen=True, slots=True)
class First:
    """Everything that a first visit to an address needs.

    Attributes:
      divided: the lab's address, and the fields that are too long for it.
      newest: at most one record, with the answers that existed when the address was last opened.
      lock: held while that record is made, so that visitors who arrive together make it once.
    """

    lab: Lab
    divided: tuple[dict[str, str], dict[str, str]]
    present: Present
    trail: Trail
    newest: list[FirstDrawing] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock, compare=False, repr=False)

    def drawing_with(self, answers: Answers) -> FirstDrawing:
        """Return the drawing with these answers; it is built again only if the answers differ."""
        with self.lock:
            for known in self.newest:
                if known.answers.are(answers):
                    return known
            kept = {**self.trail.data, "documents": documents(self.lab)}
            made = drawing(self.present, kept, None, answers)
            self.newest[:] = [FirstDrawing(answers, made, encoded(made))]
            return self.newest[0]


def first(query: Mapping[str, str]) -> First | None:
    """Return what a first visit to this address needs.

    None for an address that belongs to one visitor (the browser keeps a part of it), for a training and for a
    large graph.
    """
    return (
        None
        if KEPT in query
        else _first({key: query[key] for key in query if key not in (STAMP, *OF_THE_PAGE)})
    )


def _key(query: Mapping[str, str]) -> Hashable:
    return tuple(query.items())


def _too_many(query: Mapping[str, str]) -> GraphError:
    return GraphError(Problem("too-many-addresses", "One evaluation opens one address.", ""))


@shared(MOST, ON_TRIAL, _key, _too_many)
def _first(query: Mapping[str, str]) -> First | None:
    return first_of(from_query(query))


def first_of(lab: Lab) -> First | None:
    """Return what a first visit to the lab needs; None for a training and for a large graph."""
    if lab.training is not None or len(lab.graph.nodes) > VERIFIED_AT_ONCE:
        return None
    now, history = present(lab, None), trail(lab.history)
    return First(lab, divided(lab), now, history)


@dataclass(frozen=True, slots=True)
class Opening:
    """What a page shows of an address first: the open lesson, and the drawing as JSON."""

    lesson: LessonView | None
    drawing: bytes


def opening_of(visit: First) -> Opening:
    """Return what a page shows first, before anything has been checked."""
    return Opening(lesson_view(visit.lab), bytes(visit.drawing_with(Answers(checks=True)).text))


def opened(query: Mapping[str, str]) -> Opening | None:
    """Return what a page shows first of an address that a visitor has sent, in a worker.

    It ends if that takes more than `OPENS` and `COMPUTES`. None for a training, for a large graph, and for a
    long drawing.
    """
    with bounded(OPENS, COMPUTES):
        lab = from_query(query)
    with bounded(COMPUTES, COMPUTES):
        visit = first_of(lab)
        made = opening_of(visit) if visit else None
    return made if made and len(made.drawing) <= LONGEST else None


def drawing(
    now: Present,
    kept: Any,
    large: Any,
    answers: Answers,
    details: bool = False,
    being_read: bool = False,
    tried: Reached = NONE,
) -> dict[str, Any]:
    """Return the drawing of the lab's component in the form in which it is sent.

    Args:
      kept: the history, for the browser to keep.
      large: the fields that are too large for the address.
      answers: those of workers about the numbers.
      details: whether the table of the check is open.
      being_read: whether code is being read for the visitor.
      tried: parts of the open lesson's exercises that have been reached.
    """
    beside = {"trail": kept, "large": large, "state": now.state, "live": live(now.lab)}
    beside["being_read"] = being_read or None
    with_answers = {
        "node": node_data(now.lab, now.view, answers),
        "check": check_data(now.lab, now.view, answers, details),
        "paths": paths_data(answers),
    }
    fields = {**lab_drawing(now.lab, now.view, tried), **with_answers, **beside}
    # Records of nodes and wires have been made without nulls, and most are reused: no edit walks them all.
    records = {name: fields.pop(name) for name in ("nodes", "wires")}
    return {**records, **without_nulls(fields)}
