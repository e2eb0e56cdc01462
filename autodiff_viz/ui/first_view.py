"""Build the first drawing of an address once, as the text that is sent, and share it with all visitors.

The records are immutable; a session continues from there with records of its own.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from autodiff_viz.engine.live_path.bounded_memo import shared
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.ui.current_view import Present, present
from autodiff_viz.ui.inbox import STAMP
from autodiff_viz.views.canvas.lean import NOTHING, Lean, leaned
from autodiff_viz.views.compose import VERIFIED_AT_ONCE
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.node.panel import Answers, check_data, node_data, paths_data
from autodiff_viz.views.page.parts import lab_drawing
from autodiff_viz.views.persistence.address import KEPT, divided, from_query
from autodiff_viz.views.persistence.history_documents import documents
from autodiff_viz.views.persistence.history_writer import Trail, trail
from autodiff_viz.views.training.shown_step import live

MOST, ON_TRIAL = 48, 12  # addresses; so many of them that have been opened once


@dataclass(frozen=True, slots=True)
class Told:
    """The first drawing with these answers of workers: the lean drawing, and the same as JSON."""

    answers: Answers
    lean: Lean
    text: str


@dataclass(frozen=True, slots=True)
class First:
    """Everything that a first visit to an address needs.

    Attributes:
      divided: the lab's address, and the fields that are too long for it.
      newest: at most one record, with the answers that existed when the address was last opened.
      telling: held while that record is made, so that a class makes it once.
    """

    lab: Lab
    divided: tuple[dict[str, str], dict[str, str]]
    present: Present
    trail: Trail
    newest: list[Told] = field(default_factory=list)
    telling: Lock = field(default_factory=Lock, compare=False, repr=False)

    def told(self, answers: Answers) -> Told:
        """Return the drawing with these answers; it is built again only if the answers differ."""
        with self.telling:
            for known in self.newest:
                if known.answers.are(answers):
                    return known
            kept = {**self.trail.data, "documents": documents(self.lab)}
            made = drawing(self.present, kept, None, answers)
            told = Told(answers, made, written(made.drawing))
            self.newest[:] = [told]
            return told


def first(query: Mapping[str, str]) -> First | None:
    """Return what a first visit to this address needs.

    None for an address that belongs to one visitor (the browser keeps a part of it), for a training and for a
    large graph.
    """
    return None if KEPT in query else _first({key: query[key] for key in query if key != STAMP})


def _key(query: Mapping[str, str]) -> Hashable:
    return tuple(query.items())


def _too_many(query: Mapping[str, str]) -> GraphError:
    return GraphError(Problem("too-many-addresses", "One evaluation opens one address.", ""))


@shared(MOST, ON_TRIAL, _key, _too_many)
def _first(query: Mapping[str, str]) -> First | None:
    lab = from_query(query)
    if lab.training is not None or len(lab.graph.nodes) > VERIFIED_AT_ONCE:
        return None
    now, history = present(lab, None), trail(lab.history)
    return First(lab, divided(lab), now, history)


def drawing(
    now: Present,
    kept: Any,
    large: Any,
    told: Answers,
    details: bool = False,
    last: Lean = NOTHING,
) -> Lean:
    """Return the drawing of the lab's component in the form in which it is sent.

    Args:
      kept: the history, for the browser to keep.
      large: the fields that are too large for the address.
      told: answers of workers about the numbers.
      details: whether the table of the check is open.
    """
    beside = {"trail": kept, "large": large, "state": now.state, "live": live(now.lab)}
    said = {
        "node": node_data(now.lab, now.view, told),
        "check": check_data(now.lab, now.view, told, details),
        "paths": paths_data(told),
    }
    return leaned({**lab_drawing(now.lab, now.view), **said, **beside}, last)


def written(data: Any) -> str:
    """Return JSON text of `data`.

    Streamlit need not serialise a text again, nor does it search a text for tables, which loads pandas (60
    MB).
    """
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
