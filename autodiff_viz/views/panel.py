"""The selected node, and the check of all numbers, as data for the browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autodiff_viz.graph.rule_kinds import ON_INPUTS, RULE_KINDS
from autodiff_viz.views.causes import explained, in_a_word
from autodiff_viz.views.compose import LabView, Verification
from autodiff_viz.views.fields import fields
from autodiff_viz.views.inspector import WireView, node_view
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.mathml import mathml
from autodiff_viz.views.moment import live
from autodiff_viz.views.parts import runs_alone
from autodiff_viz.workers.jobs import DROPPED, TOO_LONG, Answer

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answers:
    """What workers say of the state on view.

    Attributes:
      check: the independent check; None while a worker is at it, and when it was not asked for.
      checks: whether it was asked for: a large graph is checked when the user asks.
      counts: of the selected node; None while a worker is at it, and without one.
      counting: whether they were asked for.
      on_request: the user has asked for the check, which may take long.
    """

    check: Answer | None = None
    checks: bool = False
    counts: Answer | None = None
    counting: bool = False
    on_request: bool = False

    @property
    def awaited(self) -> bool:
        """Whether more will come."""
        return (self.checks and self.check is None) or (self.counting and self.counts is None)

    def are(self, other: Answers) -> bool:
        """Whether the other ones are the very same answers, to the same questions."""
        same = self.check is other.check and self.counts is other.counts
        return same and (self.checks, self.counting) == (other.checks, other.counting)


COUNTING = ("Counting runs and what is kept …",)
NOT_COUNTED = ("These could not be counted.",)
NOT_CHECKED = {
    TOO_LONG: "The check took too long and was ended: these numbers are not checked.",
    DROPPED: "There was no room for the check: these numbers are not checked.",
}
BROKE = "The check broke down: these numbers are not checked."
ON_REQUEST = "Large graphs are checked on request."


def node_data(lab: Lab, view: LabView, told: Answers) -> Data | None:
    """What the page says of the selected node; None without one."""
    name = lab.selected
    if name is None or name not in view.graph:
        return None
    node = node_view(view.graph, view.trace, name)
    return {
        "name": node.name,
        "doc": f"{node.doc} The output of the graph." if node.is_output else node.doc,
        "math": mathml(node.formula),
        "kind": node.rule,
        "kinds": list(ON_INPUTS if node.is_input else RULE_KINDS),
        "ruleSays": node.rule_says,
        "shape": node.shape,
        "value": node.value,
        "arriving": node.arriving,
        "fork": node.fork,
        "wires": [_wire(wire, slot) for slot, wire in enumerate(node.wires)],
        "fields": fields(view.graph, node),
        "runs": list(_runs(lab, view, told)),
    }


def _wire(wire: WireView, slot: int) -> Data:
    return {
        "to": wire.producer,
        "slot": slot,
        "label": wire.label,
        "math": mathml(wire.derivative),
        "terms": [list(term) for term in wire.numbers],
        "passed": wire.passed,
        "apart": wire.apart,
    }


def _runs(lab: Lab, view: LabView, told: Answers) -> tuple[str, ...]:
    if live(lab) or not runs_alone(view) or not told.counting:
        return ()
    if told.counts is None:
        return COUNTING
    return NOT_COUNTED if told.counts.why else told.counts.value


def check_data(lab: Lab, view: LabView, told: Answers, details: bool) -> Data:
    """What the independent check says of all numbers on view.

    Args:
      details: whether somebody looks at the table.
    """
    notes = [f"Note: {note}" for note in view.notes]
    if view.unfinished:
        notes.append(f"Still to be wired: {', '.join(view.unfinished)}.")
    return {"notes": notes, **_verdict(lab, view, told, details)}


def _verdict(lab: Lab, view: LabView, told: Answers, details: bool) -> Data:
    if not view.complete:
        return {}
    if live(lab):
        return {"state": "waits", "says": "Checked when the training stops."}
    if not told.checks:
        return {"state": "asks", "says": ON_REQUEST}
    if told.check is None:
        return {"state": "checking", "says": "Checking with jax.vjp …", "cancel": told.on_request}
    if told.check.why:
        return {"state": "failed", "says": NOT_CHECKED.get(told.check.why, BROKE)}
    return _found(told.check.value, details)


def _found(found: Verification, details: bool) -> Data:
    agrees = found.verdict is not None and found.verdict.agrees
    said = {"state": "agrees" if agrees else "differs", "says": found.sentence}
    if not details:
        return said
    rows = [[c.name, c.declared, c.true, in_a_word(c.agrees, c.causes)] for c in found.inputs]
    why = list(explained(cause for check in found.inputs for cause in check.causes))
    return {**said, "rows": rows, "why": why}
