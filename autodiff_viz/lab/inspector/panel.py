"""Collect the data of the selected node's panel and of the check of all numbers, for the browser."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autodiff_viz.canvas.records import ASKED, elements, tangent_at
from autodiff_viz.display.numbers import Number, Typed, term_data, typed
from autodiff_viz.engine.live_path.check import disconnected
from autodiff_viz.engine.nonfinite import origin_sentences
from autodiff_viz.engine.trace import ARRIVES, PASSED, VALUE, of_sum
from autodiff_viz.engine.versions import describe_versions
from autodiff_viz.explain.explanation import ZERO, Explanation, explanation_data
from autodiff_viz.explain.forward.view import TangentRows, tangent_rows
from autodiff_viz.explain.lints.values import WHERE_TRAP
from autodiff_viz.explain.verification.view import Verification, explained, in_a_word
from autodiff_viz.explain.zero.compute import said_of_disconnected
from autodiff_viz.graph.model import GRAD
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.rule_kinds import ON_INPUTS, RULE_KINDS
from autodiff_viz.graph.text import counted
from autodiff_viz.lab.code import code_in, known_reading, reading_of
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.inspector.fields import fields, tangent_field
from autodiff_viz.lab.inspector.node import WireView, mathml, node_view
from autodiff_viz.lab.state import Lab
from autodiff_viz.lab.training import live
from autodiff_viz.reading.reading import Reading
from autodiff_viz.workers.jobs import DROPPED, TOO_LONG, Answer

Data = dict[str, Any]


def _as_graph(short: str) -> str:
    """Return what agrees of a graph that was read."""
    return short.replace("Gradients agree", "its graph agrees").replace("Values agree", "its values agree")


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of worker processes about the state on view.

    Attributes:
      check: result of the independent check; None while it is pending and if it was not requested.
      checks: whether it was requested: a large graph is checked when the user asks.
      counts: run counts of the selected node; None while they are pending and if no node is selected.
      counting: whether they were requested.
      paths: the paths of the selected node; None while they are pending and if nobody looks.
      listing: whether they were requested.
      on_request: whether the user requested the check, which may take long.
    """

    check: Answer | None = None
    checks: bool = False
    counts: Answer | None = None
    counting: bool = False
    paths: Answer | None = None
    listing: bool = False
    on_request: bool = False

    @property
    def awaited(self) -> bool:
        """Whether an answer is pending."""
        pending = ((self.checks, self.check), (self.counting, self.counts), (self.listing, self.paths))
        return any(wanted and answer is None for wanted, answer in pending)

    def are(self, other: Answers) -> bool:
        """Return whether both have the same answers (the same objects) to the same requests."""
        same = all(getattr(self, of) is getattr(other, of) for of in ("check", "counts", "paths"))
        asked = (self.checks, self.counting, self.listing)
        return same and asked == (other.checks, other.counting, other.listing)


COUNTING = ("Counting runs and what is kept …",)
PATHS_PENDING = "Following the paths …"
PATHS_FAILED = "The paths could not be followed in time."
NOT_COUNTED = ("These could not be counted.",)
NOT_CHECKED = {
    TOO_LONG: (
        "Not checked: it took too long",
        "The check took too long and was ended. A smaller graph takes less.",
    ),
    DROPPED: (
        "Not checked: no room for it",
        "Too much else was being computed, so there was no room for the check.",
    ),
}
BROKE = ("Not checked: it broke down", "The check broke down.")
"""Why nothing is said of the numbers: in the words that the bar has room for, and in full."""
PASSES_BACK_NOTHING = "nothing"
LAST_GOOD = "From the last good formula."
CANNOT_RUN = {
    "short": "Not checked: part cannot run",
    "says": "Not checked: part of this graph cannot run. The canvas marks where, and says why.",
}
READ = "The code was read, and not run: this is about the graph that it became. "
PART = "Part of the code was refused; the rest is not confirmed"
PART_READ = "In {} the code was refused: this is about the graph of the rest, not about your code. "
ON_REQUEST = "Large graphs are checked on request."


def node_data(lab: Lab, view: LabView, answers: Answers) -> Data | None:
    """Return the data of the selected node; None if there is none."""
    name = lab.selected
    if name is None or name not in view.graph:
        return None
    node = node_view(view.graph, view.trace, name)
    moving = tangent_rows(view.tangents, name)
    if node.arriving is not None and name in disconnected(view.graph):  # no number, as on the canvas
        wires = tuple(replace(wire, numbers=(), nothing=PASSES_BACK_NOTHING) for wire in node.wires)
        node = replace(node, arriving=None, fork=(), wires=wires)
    return {
        "name": node.name,
        "doc": f"{node.doc} The output of the graph." if node.is_output else node.doc,
        "math": mathml(node.formula),
        "kind": node.rule,
        "kinds": list(ON_INPUTS if node.is_input or node.op == GRAD else RULE_KINDS),
        "ruleSays": node.rule_says,
        "value": _number(node.value),
        "arriving": _number(node.arriving),
        "hidden": [of for of in (VALUE, ARRIVES) if view.trace and (of, name) in view.trace.hidden],
        "tangent": moving.says or _number(moving.tangent),
        "added": term_data(moving.added),
        "fork": term_data(node.fork),
        "wires": [_wire(wire, at, moving, _is_asked(view, name, at)) for at, wire in enumerate(node.wires)],
        "fields": [
            *([] if view.hiding else tangent_field(lab, name)),
            *fields(view.graph, node, view.moment is not None, view.hiding),
        ],
        "runs": list(_runs(lab, view, answers)),
        "why": _why(lab, view, answers),
        "awaited": (answers.counting and answers.counts is None and not live(lab)) or None,
        "declared": list(_declared(lab, view, answers)),
        "elements": _elements(view, name) or None,
    }


def _number(array: np.ndarray | None) -> Typed | None:
    return None if array is None else typed(array)


def _elements(view: LabView, name: str) -> dict[str, list[Number]]:
    """Return the numbers of the node's heat-maps, which the canvas shows under the pointer."""
    trace, moving = view.trace, tangent_at(view.tangents, name)
    return elements(trace.value.get(name), trace.cotangent.get(name), moving) if trace else {}


def _is_asked(view: LabView, name: str, at: int) -> bool:
    """Return whether what a node passes down one of its wires is hidden."""
    hidden = view.trace.hidden if view.trace else frozenset()
    return bool(hidden) and (PASSED, name, played(view.graph)[name].wires[at][0]) in hidden


def _wire(wire: WireView, slot: int, moving: TangentRows, asked: bool) -> Data:
    """Return the data of a wire into the node."""
    return {
        "to": wire.producer,
        "slot": slot,
        "label": wire.label,
        "math": mathml(wire.derivative),
        "terms": term_data(wire.numbers),
        "passed": ASKED if asked else None if wire.numbers else wire.nothing or _number(wire.passed),
        "apart": wire.apart,
        "pushes": term_data(moving.wires[slot]) if slot < len(moving.wires) else [],
    }


def _runs(lab: Lab, view: LabView, answers: Answers) -> tuple[str, ...]:
    """Return the sentences about runs and residuals, or that they are pending."""
    if live(lab) or not view.is_program or not answers.counting:
        return ()
    if answers.counts is None:
        return COUNTING
    return NOT_COUNTED if answers.counts.why else answers.counts.value.says


def _declared(lab: Lab, view: LabView, answers: Answers) -> tuple[str, ...]:
    """Return what a rule declares beside the true derivative; () without a rule and while it is pending."""
    if live(lab) or not view.is_program or answers.counts is None or answers.counts.why:
        return ()
    return answers.counts.value.rule


def _why(lab: Lab, view: LabView, answers: Answers) -> Data | None:
    """Return why nothing arrives at the node, with its cure; None where something does.

    While that is computed, only what the wires alone tell is said: that no path leads to the output.
    """
    if live(lab) or not view.is_program or (answers.counts is not None and answers.counts.why):
        return None
    if answers.counts is None:
        name = lab.selected
        if view.hiding or view.trace is None or name not in disconnected(view.graph):
            return None
        return explanation_data(Explanation(ZERO, name, said_of_disconnected(view.trace, name)), view.graph)
    return explanation_data(answers.counts.value.why, view.graph)


def paths_data(answers: Answers) -> Data | None:
    """Return the list of the paths of the selected node; None if nobody looks."""
    if not answers.listing:
        return None
    if answers.paths is None or answers.paths.why:
        return {"says": [PATHS_FAILED if answers.paths else PATHS_PENDING]}
    return answers.paths.value


def check_data(lab: Lab, view: LabView, answers: Answers, details: bool) -> Data:
    """Return the data of the independent check of all numbers on view.

    Args:
      details: whether the table is open.
    """
    origin = None if live(lab) or answers.check is None or answers.check.why else answers.check.value.origin
    # What the explanation of a NaN says already is not said again as a note.
    explained_notes = {*origin_sentences(view.trace.nonfinite_origins).values()} if origin else ()
    text, output = lab.history.present.text, view.graph.output
    reading = known_reading(text) if code_in(text) else None
    about_output = reading.about_output if reading else ""
    if about_output and output in view.trace.value:
        explained_notes = {*explained_notes, of_sum(output, view.trace.value[output].shape)}
    notes = [f"Note: {note}" for note in (about_output, *view.notes) if note and note not in explained_notes]
    if answers.check and not answers.check.why and view.complete and not live(lab):
        notes += answers.check.value.unseen
    if view.unfinished:
        notes.append(f"Still to be wired: {', '.join(view.unfinished)}.")
    explanations = {"origin": explanation_data(origin, view.graph)} if origin else {}
    if lints := _lints(lab, view, answers):
        explanations["lints"] = lints
    return {"notes": notes, **explanations, **_verdict(lab, view, answers, details)}


def _lints(lab: Lab, view: LabView, answers: Answers) -> list[Data]:
    """Return what is legal and rarely meant; nothing while the check is pending.

    The trap of a `where` is left out where the note on a NaN says and mends it, and what matters for other
    derivatives alone until the visitor takes one: it would be the first hint that a newcomer reads.
    """
    if live(lab) or answers.check is None or answers.check.why or not view.complete:
        return []
    result = answers.check.value
    of_others = lab.forward is not None or any(node.op == GRAD for node in view.graph.nodes)
    return [
        _lint(lint, view)
        for lint in result.lints
        if not (result.origin and lint.of == WHERE_TRAP.code) and (of_others or not lint.later)
    ]


def _lint(lint: Explanation, view: LabView) -> Data:
    data = explanation_data(lint, view.graph)
    nodes = [name for name in lint.at if name in view.graph]
    return {**data, "name": lint.node, "at": nodes, "later": lint.later}


def _verdict(lab: Lab, view: LabView, answers: Answers, details: bool) -> Data:
    """Return the state of the check, with its result if there is one."""
    if lab.mistakes:
        return {"state": "waits", "says": LAST_GOOD} if lab.graph.nodes else {}
    if not view.complete:
        # Empty slots make a graph unfinished, which is no failure.
        return {"state": "failed", **CANNOT_RUN} if view.mistaken and not view.hiding else {}
    if live(lab):
        return {"state": "waits", "says": "Checked when the training stops."}
    if not answers.checks:
        return {"state": "asks", "says": ON_REQUEST}
    if answers.check is None:
        return {"state": "checking", "says": "Checking with jax.vjp …", "cancel": answers.on_request}
    if answers.check.why:
        short, says = NOT_CHECKED.get(answers.check.why, BROKE)
        says = f"{says} Nothing has confirmed these numbers yet."
        return {"state": "failed", "short": short, "says": says, "again": True}
    return _result(answers.check.value, _reading(lab), details)


def _reading(lab: Lab) -> Reading | None:
    """Return the reading whose graph is on view; None for the graph of a formula."""
    text = lab.history.present.text
    return reading_of(text) if text is not None and code_in(text) else None


def _result(check: Verification, reading: Reading | None, details: bool) -> Data:
    """Return the result of the check, which is about a graph: code was read for it, and never run."""
    agrees = check.verdict is not None and check.verdict.agrees
    data = {"state": "agrees" if agrees else "differs", "short": check.short}
    about = ""
    if reading is not None and agrees:
        about, data["short"] = READ, f"Code read, not run; {_as_graph(check.short)}"
        if reading.refused:
            # What is left of a text is not what its author wrote: no tick stands over it.
            about = PART_READ.format(counted(len(reading.refused), "place"))
            data |= {"state": "part", "short": PART}
    data["says"] = f"{about}{check.sentence} {check.of_slopes}".strip()
    if check.forward is not None:
        data["forward"] = {"state": check.forward.state, "says": check.forward.says}
    if not details:
        return data
    rows = [[c.name, c.declared, c.true, in_a_word(c.agrees, c.causes)] for c in check.inputs]
    why = list(explained(cause for each in check.inputs for cause in each.causes))
    return {**data, "rows": rows, "why": [*why, f"Computed by {describe_versions()}."]}
