"""Make the records of nodes and wires for the canvas, with their numbers, tangents and heat-maps.

Each follows from its inputs alone (`NodeShown`, `WireShown`), so that an unchanged one is reused.

web/types.js describes the fields.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.canvas.cards import cells, constant_text, input_text, line_text, size
from autodiff_viz.canvas.delta import without_nulls
from autodiff_viz.canvas.layout import tabs
from autodiff_viz.display.heatmap import blocks_say, heat, plane_says
from autodiff_viz.display.numbers import MOST, Number, Typed, has_picture, rounded, typed
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import VALUE, Trace
from autodiff_viz.engine.whole_program.remat import Runs
from autodiff_viz.explain.forward.compute import Tangents
from autodiff_viz.graph.model import INPUT, Node
from autodiff_viz.graph.mute import returned_slot
from autodiff_viz.graph.problem import Problem
from autodiff_viz.graph.rule_kinds import BACKWARD_AS
from autodiff_viz.language.literals import show_literal
from autodiff_viz.language.printer import show_argument, show_lambda
from autodiff_viz.ops.catalog import OPS, slot_label

THINNEST = 0.05  # of the thickness of the largest contribution, whose square is of its size: 1/400


def passed(trace: Trace | None, node: Node, slot: int) -> np.ndarray | None:
    """Return the contribution down the wire into a slot, if it is known."""
    return trace.passed.get(traced(node, slot)) if trace else None


def traced(node: Node, slot: int) -> tuple[str, int] | None:
    """Return the wire's key in the trace, where a muted node has only one slot."""
    if not node.muted:
        return node.name, slot
    return (node.name, 0) if slot == returned_slot(node) else None


# Tangents, which are on cards and wires while forward mode is on.


BLOCKED, UNKNOWN = "blocked", "unknown"  # in place of a tangent


class Pushed(NamedTuple):
    """A tangent of a node or wire.

    Attributes:
      on: whether forward mode is on.
      array: the tangent; None where it is unknown, since forward mode is blocked there or before.
      blocked: whether it is blocked at this node.
    """

    on: bool = False
    array: np.ndarray | None = None
    blocked: bool = False


OFF = Pushed()


def tangent_at(tangents: Tangents | None, name: str) -> Pushed:
    """Return the tangent of a node."""
    if tangents is None:
        return OFF
    return Pushed(True, tangents.tangent.get(name), name in (*tangents.blocked, *tangents.aside))


def pushed_along(tangents: Tangents | None, node: Node, slot: int) -> Pushed:
    """Return what a wire adds to the tangent of the node that reads it."""
    return OFF if tangents is None else Pushed(True, tangents.passed.get(traced(node, slot)))


def tangent_data(tangent: Pushed, whole: bool) -> dict[str, Typed]:
    """Return the field of a node's record; none while forward mode is off."""
    if not tangent.on:
        return {}
    if tangent.array is None:
        return {"tangent": BLOCKED if tangent.blocked else UNKNOWN}
    return {"tangent": typed(tangent.array, whole=whole, shaped=False)}


def flow_data(array: np.ndarray | None) -> dict[str, Typed]:
    """Return the field of what passes down a wire; none if that is not known.

    The browser makes its thickness of it, by the largest of all wires, its sign and its text.
    """
    return {} if array is None else {"passed": typed(array, shaped=False, signed=True)}


def push_data(pushed: Pushed) -> dict[str, Typed]:
    """Return the field of a wire's record; none while forward mode is off."""
    if not pushed.on:
        return {}
    return {"pushed": UNKNOWN if pushed.array is None else flow_data(pushed.array)["passed"]}


# Heat-maps on a node's card: value, arriving cotangent and, in forward mode, tangent.


DIGITS = 3  # significant digits of a number in a cell


def heat_data(
    value: np.ndarray | None, arriving: np.ndarray | None, kernels: bool, tangent: Pushed = OFF
) -> dict[str, Any]:
    """Return both heat-maps as data, where the numbers are known.

    Args:
      kernels: the value is the kernels of a convolution.
      tangent: in forward mode its heat-map stands in the place of the value's.
    """
    # In words: which part of the tensor is drawn, and what a cell is.
    words = () if value is None else (plane_says(value.shape, kernels), blocks_say(value.shape, kernels))
    maps: dict[str, Any] = {"says": "; ".join(filter(None, words))}
    for which, array in (_forth(value, tangent), ("cotangent", arriving)):
        if array is not None:
            picture = heat(array, kernels)
            top = rounded(picture.top, DIGITS)
            maps |= {which: picture.cells, "columns": picture.columns, f"{which}Top": top}
    return maps


def _forth(value: np.ndarray | None, tangent: Pushed) -> tuple[str, np.ndarray | None]:
    """Return what the first of both heat-maps shows."""
    return ("tangent", tangent.array) if tangent.on else ("value", value)


def elements(
    value: np.ndarray | None, arriving: np.ndarray | None, tangent: Pushed = OFF
) -> dict[str, list[Number]]:
    """Return the numbers of both heat-maps, row by row, with the digits that are shown.

    Only where each cell is one element, and has no room for its number.
    """
    shape = () if value is None else value.shape
    if not has_picture(shape) or len(shape) > 2 or max(shape) > MOST or cells(shape):
        return {}
    known = (_forth(value, tangent), ("cotangent", arriving))
    return {
        which: [rounded(float(number), DIGITS) for number in array.ravel()]
        for which, array in known
        if array is not None
    }


# Records.


DASH, ASKED = "\u2013", "?"  # in place of a number that there is not, and of one that is asked for
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
    hidden: tuple[str, ...] = ()  # which of its numbers are asked for, or would give away what is
    dims: tuple[int, ...] | None = None  # shape of a hidden value
    guess: str = ""  # what the visitor has answered about it


class WireShown(NamedTuple):
    """Inputs of a wire's record: all that it depends on."""

    producer: str
    passed: np.ndarray | None
    bends: tuple[tuple[float, float], ...]
    alternative: bool
    pushed: Pushed = OFF
    hidden: bool = False
    guess: str = ""


def node_record(name: str, shown: NodeShown) -> dict[str, Any]:
    """Return the record of a node."""
    node, value, arriving, runs = shown.node, shown.value, shown.arriving, shown.runs
    x, y = shown.place
    w, h = size(node, shown.tensor)
    # Numbers that are written in cells are sent one by one; of any other tensor the card shows a norm.
    whole = value is not None and cells(value.shape) is not None
    # An empty slot is no mistake: the node is unfinished.
    wrong = [f"{p.message} {p.hint}".strip() for p in shown.problems if p.code != "empty-slot"]
    empty = [slot_label(node, p.slot) for p in shown.problems if p.code == "empty-slot"]
    record = {
        "id": name,
        "op": str(node.op),
        "symbol": name if node.op == INPUT else OPS[node.op].symbol if node.op in OPS else str(node.op),
        "x": round(x, 1),
        "y": round(y, 1),
        "w": w if shown.tab is None else shown.tab[1],
        "h": h if shown.tab is None else tabs.HEIGHT,
        "tab": None if shown.tab is None else shown.tab[0].layer,
        "beside": shown.tab is not None and shown.tab[0].beside,
        "full": None if shown.tab is None else [w, h],
        "foot": shown.foot,
        "slots": [_slot(node, i) for i in range(len(node.slots))],
        "literal": input_text(node),
        "text": line_text(node),
        "rule": node.rule.kind,
        "ruleText": _rule_text(node),
        "ruleFull": show_argument(node.rule) or None,
        "isOutput": shown.is_output,
        "isInput": node.op == INPUT,
        "isParameter": node.is_parameter,
        "muted": node.muted,
        "cut": node.cut,
        "connected": shown.connected,
        "problem": wrong[0] if wrong else None,
        "missing": f"needs {', '.join(dict.fromkeys(empty))}" if empty else None,
        "runs": f"\u00d7{runs.made}" if runs and runs.made > 1 else None,
        "dropped": runs.dropped or None if runs else None,
        "state": list(shown.state),
        "warning": " ".join(shown.warnings) or None,
        "segment": shown.segment,
        "hidden": list(shown.hidden) or None,
        "dims": None if shown.dims is None else list(shown.dims),
        "guess": shown.guess or None,
        **({} if value is None else {"value": typed(value, whole=whole)}),
        **({} if arriving is None else {"cotangent": typed(arriving, whole=whole, shaped=False)}),
        **tangent_data(shown.tangent, whole),
        **(
            {"heat": heat_data(value, arriving, shown.kernel, shown.tangent)}
            if shown.tensor is not None and VALUE not in shown.hidden
            else {}
        ),
    }
    return without_nulls(record)


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


def _rule_text(node: Node) -> str:
    """Return the rule's function, alternative or number, shortened to fit on its mark."""
    if node.rule.function is not None:
        body = show_lambda(node.rule.function).partition(": ")[2]
        return body if len(body) <= RULE_TEXT else body[: RULE_TEXT - 1] + "\u2026"
    if node.rule.kind == BACKWARD_AS and isinstance(node.slots[-1], str):
        return node.slots[-1]
    return "" if node.rule.number is None else constant_text(node.rule.number)


def wire_record(place: Wire, shown: WireShown) -> dict[str, Any]:
    """Return the record of a wire."""
    to, slot = place
    record = {
        "from": shown.producer,
        "to": to,
        "slot": slot,
        **flow_data(shown.passed),
        "via": [[round(x, 1), round(y, 1)] for x, y in shown.bends],
        "alternative": shown.alternative,
        "hidden": shown.hidden or None,
        "guess": shown.guess or None,
        **push_data(shown.pushed),
    }
    return without_nulls(record)
