"""What who opens an address sees first: worked out once and handed to everybody, as the text that travels.

All of it is data that never changes: a session goes on from there with records of its own.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.engine.shared import shared
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.ui.inbox import STAMP
from autodiff_viz.ui.present import Present, present
from autodiff_viz.views.address import KEPT, divided, from_query
from autodiff_viz.views.compose import VERIFIED_AT_ONCE
from autodiff_viz.views.documents import documents
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.lean import NOTHING, Lean, leaned
from autodiff_viz.views.moment import live
from autodiff_viz.views.panel import Answers, check_data, node_data
from autodiff_viz.views.parts import lab_drawing
from autodiff_viz.views.trail import Trail, trail

MOST, ON_TRIAL = 48, 12  # addresses; so many of them that have been opened once


@dataclass(frozen=True, slots=True)
class Told:
    """What is seen first with these answers of workers: the lean drawing, and the same as JSON."""

    answers: Answers
    lean: Lean
    text: str


@dataclass(frozen=True, slots=True)
class First:
    """What is seen first at one address.

    Attributes:
      divided: the lab's address, and what is too long for it.
      newest: at most one record: with the answers that there were when somebody opened the address last.
    """

    lab: Lab
    divided: tuple[dict[str, str], dict[str, str]]
    present: Present
    trail: Trail
    newest: list[Told] = field(default_factory=list)

    def told(self, answers: Answers) -> Told:
        """The drawing with these answers, made once while there are no others."""
        for known in self.newest:
            if known.answers.are(answers):
                return known
        kept = {**self.trail.data, "documents": documents(self.lab)}
        made = drawing(self.present, kept, None, answers)
        self.newest[:] = [Told(answers, made, written(made.drawing))]
        return self.newest[0]


def first(query: Mapping[str, str]) -> First | None:
    """What is seen first at this address; None where that is somebody's own: what the browser keeps, a
    training, a large graph."""
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
    """The drawing of the lab's component as it travels.

    Args:
      kept: the history, for the browser to keep; `large`: what is too large for the address.
      told: what workers say of the numbers; `details`: whether somebody looks at the table of the check.
    """
    beside = {"trail": kept, "large": large, "state": now.state, "live": live(now.lab)}
    said = {"node": node_data(now.lab, now.view, told), "check": check_data(now.lab, now.view, told, details)}
    return leaned({**lab_drawing(now.lab, now.view), **said, **beside}, last)


def written(data: Any) -> str:
    """As text of its own, which Streamlit need not write twice, and in whose lists it looks for no tables:
    that loads pandas, 60 MB."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
