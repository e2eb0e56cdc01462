"""The graph with its numbers as the canvas wants it: JSON-safe, every number already text.

Field by field it is described in ui/editor/web/types.js.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from autodiff_viz.engine.broadcasts import Mix, mixes
from autodiff_viz.engine.check import disconnected
from autodiff_viz.engine.counts import Runs
from autodiff_viz.engine.labels import Stray, strays
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import BACKWARD_AS, INPUT, Graph, Node, Rule
from autodiff_viz.graph.problem import Problem
from autodiff_viz.graph.segments import has_cuts, idle_cuts, segment_of
from autodiff_viz.language.shadows import Shadow, shadows
from autodiff_viz.language.show import show_lambda, show_literal
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.views.cards import (
    constant_text,
    in_full,
    input_text,
    line_text,
    number_text,
    pictured,
    room,
    shape_text,
    size,
)
from autodiff_viz.views.flows import flow, largest, passed
from autodiff_viz.views.framing import group_data, region_data
from autodiff_viz.views.heatmaps import heat_data, kernels_of
from autodiff_viz.views.layout import Layout, layout

DASH = "\u2013"
RULE_TEXT = 22  # characters of a rule that fit on its mark


@dataclass(frozen=True, slots=True)
class Picture:
    """What there is to draw: the graph, its numbers where it has any, and what is wrong with it."""

    graph: Graph
    trace: Trace | None
    runs: Mapping[str, Runs]
    problems: tuple[Problem, ...]
    selected: str | None
    document: int
    collapsed: frozenset[str] = frozenset()
    states: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def drawing(picture: Picture) -> dict[str, Any]:
    """The drawing of one state of the lab."""
    graph = picture.graph
    placed = places(graph)
    apart = disconnected(graph)
    scale = largest(picture.trace)
    warnings = _warnings(graph, picture.trace)
    troubles = _troubles(graph, picture.problems)
    number = segment_of(graph) if has_cuts(graph) else {}
    tall, kernels = pictured(graph), kernels_of(graph)
    return {
        "graph": str(picture.document),
        "nodes": [
            _node(picture, node, placed, node.name not in apart, node.name in tall)
            | troubles.get(node.name, NO_TROUBLE)
            | {"warning": " ".join(warnings.get(node.name, ())) or None}
            | {"segment": number[node.name] + 1 if node.name in number else None}
            | (_pictures(picture.trace, node, kernels, apart) if node.name in tall else {})
            for node in graph.nodes
        ],
        "wires": [
            _wire(picture, node, slot, placed, scale)
            for node in graph.nodes
            for slot, producer in node.wires
            if producer in graph
        ],
        "regions": [region_data(graph, region, picture.runs, picture.problems) for region in graph.regions],
        "groups": [
            group_data(graph, group, picture.trace, scale, picture.problems)
            | {"collapsed": group.name in picture.collapsed}
            for group in graph.groups
        ],
        "selected": picture.selected,
    }


def places(graph: Graph, tall: frozenset[str] | None = None) -> Layout:
    """Where every node stands and how long wires bend; remembered while nothing but numbers changes.

    Args:
      tall: the nodes whose tensor is drawn, where the graph cannot say it itself.
    """
    return _layout(_skeleton(graph), pictured(graph) if tall is None else tall)


def _skeleton(graph: Graph) -> Graph:
    """What the layout depends on: dragging a slider must not lay the graph out again."""
    bare = tuple(replace(n, params=(), rule=Rule(), muted=False, cut=False) for n in graph.nodes)
    return replace(graph, nodes=bare)


@lru_cache(maxsize=256)
def _layout(graph: Graph, tall: frozenset[str]) -> Layout:
    return layout(graph, lambda node: size(node, node.name in tall), room)


def _node(picture: Picture, node: Node, placed: Layout, connected: bool, tall: bool) -> dict[str, Any]:
    trace, name = picture.trace, node.name
    x, y = placed.positions[name]
    w, h = size(node, tall)
    value = trace.value.get(name) if trace else None
    arriving = trace.cotangent.get(name) if trace and connected else None
    return {
        "id": name,
        "op": node.op,
        "symbol": name if node.op == INPUT else OPS[node.op].symbol if node.op in OPS else node.op,
        "x": round(x, 1),
        "y": round(y, 1),
        "w": w,
        "h": h,
        "slots": [_slot(node, i) for i in range(len(node.slots))],
        "dims": [] if value is None else list(np.shape(value)),  # without a value: nobody knows
        "shape": "" if value is None else shape_text(value),
        "value": DASH if value is None else number_text(value),
        "literal": input_text(node),
        "text": line_text(node),
        "valueFull": "no value yet" if value is None else in_full(value),
        "cotangent": DASH if arriving is None else number_text(arriving),
        "cotangentFull": _nothing_arrives(connected) if arriving is None else in_full(arriving),
        "rule": node.rule.kind,
        "ruleText": _rule_text(node),
        "ruleFull": show_lambda(node.rule.function) if node.rule.function else None,
        "isOutput": name == picture.graph.output,
        "isInput": node.op == INPUT,
        "isParameter": node.is_parameter,
        "muted": node.muted,
        "cut": node.cut,
        "connected": connected,
        "runs": _badge(picture.runs.get(name)),
        "state": list(picture.states.get(name, ())),
    }


def _pictures(
    trace: Trace | None, node: Node, kernels: Collection[str], apart: Collection[str]
) -> dict[str, Any]:
    value = trace.value.get(node.name) if trace else None
    arriving = trace.cotangent.get(node.name) if trace and node.name not in apart else None
    return {"heat": heat_data(value, arriving, node.name in kernels)}


NO_TROUBLE = {"problem": None, "missing": None}


def _troubles(graph: Graph, problems: Iterable[Problem]) -> dict[str, dict[str, str | None]]:
    """By node, what is wrong with it."""
    found: dict[str, list[Problem]] = {}
    for problem in problems:
        if problem.node in graph:
            found.setdefault(problem.node, []).append(problem)
    return {name: _trouble(graph[name], about) for name, about in found.items()}


def _trouble(node: Node, found: list[Problem]) -> dict[str, str | None]:
    """What is wrong with a node. Empty slots are no mistake: it is only unfinished."""
    wrong = [f"{problem.message} {problem.hint}".strip() for problem in found if problem.code != "empty-slot"]
    empty = [slot_label(node, problem.slot) for problem in found if problem.code == "empty-slot"]
    missing = f"needs {', '.join(dict.fromkeys(empty))}" if empty else None
    return {"problem": wrong[0] if wrong else None, "missing": missing}


def _nothing_arrives(connected: bool) -> str:
    return "no cotangent yet" if connected else "no path to the output: nothing arrives"


def _slot(node: Node, slot: int) -> dict[str, Any]:
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
    """The slot's name in the catalog; the extra slot of `backward_as` has one of its own."""
    if node.rule.kind == BACKWARD_AS and slot == len(node.slots) - 1:
        return "backward as"
    op = OPS.get(node.op)
    if op is None:
        return str(slot)
    return f"{op.slots[0]} {slot}" if op.variadic else op.slots[slot] if slot < len(op.slots) else str(slot)


def _rule_text(node: Node) -> str:
    if node.rule.function is not None:
        body = show_lambda(node.rule.function).partition(": ")[2]
        return body if len(body) <= RULE_TEXT else body[: RULE_TEXT - 1] + "\u2026"
    if node.rule.kind == BACKWARD_AS and isinstance(node.slots[-1], str):
        return node.slots[-1]
    return ""


def doubts(trace: Trace) -> tuple[Mix | Stray | Shadow, ...]:
    """What no rule forbids and hardly anybody means, each with the node where it is."""
    return (*mixes(trace), *strays(trace), *shadows(trace.graph))


def _warnings(graph: Graph, trace: Trace | None) -> dict[str, list[str]]:
    """By node, what is no mistake and yet likely not meant."""
    found: dict[str, list[str]] = {}
    for each in (*trace.births, *doubts(trace)) if trace else ():
        found.setdefault(each.node, []).append(str(each))
    for name, why in idle_cuts(graph):
        found.setdefault(name, []).append(why)
    return found


def _badge(runs: Runs | None) -> str | None:
    return f"\u00d7{runs.forward + runs.backward}" if runs and runs.backward else None


def _wire(picture: Picture, node: Node, slot: int, placed: Layout, scale: float) -> dict[str, Any]:
    return {
        "from": node.slots[slot],
        "to": node.name,
        "slot": slot,
        **flow(passed(picture.trace, node, slot), scale),
        "via": [[round(x, 1), round(y, 1)] for x, y in placed.bends.get((node.name, slot), ())],
        "alternative": node.rule.kind == BACKWARD_AS and slot == len(node.slots) - 1,
    }
