"""Make the records of nodes and wires for the canvas, each by a pure function of its inputs.

ui/editor/web/types.js describes the fields.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.whole_program.remat_counts import Runs
from autodiff_viz.graph.model import BACKWARD_AS, INPUT, Node
from autodiff_viz.graph.problem import Problem
from autodiff_viz.language.show import show_argument, show_lambda, show_literal
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.views.canvas.card_heatmaps import heat_data
from autodiff_viz.views.canvas.cards import (
    constant_text,
    in_full,
    input_text,
    line_text,
    number_text,
    shape_text,
    size,
)
from autodiff_viz.views.canvas.flows import flow
from autodiff_viz.views.canvas.pushes import OFF, Pushed, push_fields, tangent_fields
from autodiff_viz.views.layout import tabs

DASH = "\u2013"
READ = "also read"  # label of what a grad node reads beside its own slots
ALTERNATIVE = "backward as"  # label of the slot that this rule adds
RULE_TEXT = 22  # characters of a rule that fit on its mark


class NodeShown(NamedTuple):
    """Inputs of a node's record: all that it depends on."""

    node: Node
    place: tuple[float, float]
    value: np.ndarray | None
    arriving: np.ndarray | None
    connected: bool
    is_output: bool
    problems: tuple[Problem, ...]
    runs: Runs | None
    state: tuple[str, ...]
    warnings: tuple[str, ...]
    segment: int | None
    tensor: tuple[int, ...] | None
    kernel: bool
    tab: tuple[tabs.Tab, float] | None = None
    foot: float = 0.0
    tangent: Pushed = OFF


class WireShown(NamedTuple):
    """Inputs of a wire's record: all that it depends on."""

    producer: str
    passed: np.ndarray | None
    scale: float
    bends: tuple[tuple[float, float], ...]
    alternative: bool
    pushed: Pushed = OFF
    pushes: float = 0.0


def node_record(name: str, shown: NodeShown) -> dict[str, Any]:
    """Return the record of a node."""
    node, value, arriving = shown.node, shown.value, shown.arriving
    x, y = shown.place
    w, h = size(node, shown.tensor)
    return {
        "id": name,
        "op": node.op,
        "symbol": name if node.op == INPUT else OPS[node.op].symbol if node.op in OPS else node.op,
        "x": round(x, 1),
        "y": round(y, 1),
        "w": w if shown.tab is None else shown.tab[1],
        "h": h if shown.tab is None else tabs.HEIGHT,
        "tab": None if shown.tab is None else shown.tab[0].layer,
        "beside": shown.tab is not None and shown.tab[0].beside,
        "full": None if shown.tab is None else [w, h],
        "foot": shown.foot,
        "slots": [_slot(node, i) for i in range(len(node.slots))],
        "dims": [] if value is None else list(np.shape(value)),  # without a value it is unknown
        "shape": "" if value is None else shape_text(value),
        "value": DASH if value is None else number_text(value),
        "literal": input_text(node),
        "text": line_text(node),
        "valueFull": "no value yet" if value is None else in_full(value),
        "cotangent": DASH if arriving is None else number_text(arriving),
        "cotangentFull": _nothing_arrives(shown.connected) if arriving is None else in_full(arriving),
        "rule": node.rule.kind,
        "ruleText": _rule_text(node),
        "ruleFull": show_argument(node.rule) or None,
        "isOutput": shown.is_output,
        "isInput": node.op == INPUT,
        "isParameter": node.is_parameter,
        "muted": node.muted,
        "cut": node.cut,
        "connected": shown.connected,
        **_trouble(node, shown.problems),
        "runs": _badge(shown.runs),
        "state": list(shown.state),
        "warning": " ".join(shown.warnings) or None,
        "segment": shown.segment,
        **tangent_fields(shown.tangent),
        **({} if shown.tensor is None else {"heat": heat_data(value, arriving, shown.kernel, shown.tangent)}),
    }


def _trouble(node: Node, found: tuple[Problem, ...]) -> dict[str, str | None]:
    """Return a node's problem and its missing inputs. An empty slot is no mistake: the node is unfinished."""
    wrong = [f"{problem.message} {problem.hint}".strip() for problem in found if problem.code != "empty-slot"]
    empty = [slot_label(node, problem.slot) for problem in found if problem.code == "empty-slot"]
    missing = f"needs {', '.join(dict.fromkeys(empty))}" if empty else None
    return {"problem": wrong[0] if wrong else None, "missing": missing}


def _nothing_arrives(connected: bool) -> str:
    """Return why there is no cotangent."""
    return "no cotangent yet" if connected else "no path to the output: nothing arrives"


def _slot(node: Node, slot: int) -> dict[str, Any]:
    """Return the data of a slot."""
    held = node.slots[slot]
    label, wired = slot_label(node, slot), isinstance(held, str)
    if held is None or wired:
        return {"label": label, "constant": None, "wired": wired}
    return {
        "label": label,
        "constant": constant_text(held),
        "constantFull": show_literal(held),
        "wired": False,
    }


def slot_label(node: Node, slot: int) -> str:
    """Return the slot in words, which name no node; the extra slot of `backward_as` has its own name."""
    if node.rule.kind == BACKWARD_AS and slot == len(node.slots) - 1:
        return ALTERNATIVE
    op = OPS.get(node.op)
    if op is None:
        return str(slot)
    if op.of_graph and slot >= len(op.slots):
        return READ
    if op.variadic:
        return f"{op.slots[0]} {slot}"
    return op.inputs[slot] if slot < len(op.inputs) else str(slot)


def _rule_text(node: Node) -> str:
    """Return the rule's function, alternative or number, shortened to fit on its mark."""
    if node.rule.function is not None:
        body = show_lambda(node.rule.function).partition(": ")[2]
        return body if len(body) <= RULE_TEXT else body[: RULE_TEXT - 1] + "\u2026"
    if node.rule.kind == BACKWARD_AS and isinstance(node.slots[-1], str):
        return node.slots[-1]
    return "" if node.rule.number is None else constant_text(node.rule.number)


def _badge(runs: Runs | None) -> str | None:
    """Return the number of runs as text; None if the node runs only forward."""
    return f"\u00d7{runs.forward + runs.backward}" if runs and runs.backward else None


def wire_record(place: Wire, shown: WireShown) -> dict[str, Any]:
    """Return the record of a wire."""
    to, slot = place
    return {
        "from": shown.producer,
        "to": to,
        "slot": slot,
        **flow(shown.passed, shown.scale),
        "via": [[round(x, 1), round(y, 1)] for x, y in shown.bends],
        "alternative": shown.alternative,
        **push_fields(shown.pushed, shown.pushes),
    }
