"""The selected node in detail: its op, its rule, and the numbers of its pullback written out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from autodiff_viz.engine.causes import CORNER, NOT_FINITE, ROUNDING, node_cause
from autodiff_viz.engine.counts import Residual, Runs
from autodiff_viz.engine.differences import check_node
from autodiff_viz.engine.local import local_derivative, rewritten_cotangent
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import BACKWARD_AS, FOLLOW, INPUT, PULLBACK, REWRITE, STOP, Graph, Node
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import consumers
from autodiff_viz.language.show import show_lambda, show_literal
from autodiff_viz.ops import latex
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.record import Param
from autodiff_viz.views.cards import in_full
from autodiff_viz.views.declared import Apart, declared_apart
from autodiff_viz.views.learned import units, wanted
from autodiff_viz.views.numbers import MINUS, scalar, short
from autodiff_viz.views.records import slot_label
from autodiff_viz.views.sources import Source, source_view

ORANGE = "#D2601A"  # of a cotangent; reads on white and on black

REMEMBERED = 64  # nodes, of the visitors served last: whether it has changed is asked before it is drawn

INPUT_DOC = "A value that you set."
PARAMETER_DOC = "A parameter: a value that training may change."

RULE_SAYS = {
    FOLLOW: "Follows JAX's own derivative.",
    STOP: "Stops: whatever arrives, nothing is passed on.",
    REWRITE: "Rewrites the cotangent that arrives, then follows JAX.",
    PULLBACK: "Passes what the declared pullback says.",
    BACKWARD_AS: "Runs forward as it is, and is differentiated as its alternative.",
}


@dataclass(frozen=True, slots=True)
class WireView:
    """One wire of the node: where it goes, and how its contribution comes about, in LaTeX.

    `derivative` is the op's local derivative (or pullback) with names, `numbers` with this trace's
    numbers: local x arriving = passed. Either is empty where there is nothing to write. `apart` has both
    numbers where a declared derivative passes another one than the true derivative.
    """

    producer: str
    label: str
    derivative: str
    numbers: str
    passed: str
    apart: str = ""


@dataclass(frozen=True, slots=True)
class NodeView:
    """All that the inspector shows of a node; numbers are text. `learns`: a layer lacks parameters that are
    known to fit; `units`: its outputs, where their number can be changed."""

    name: str
    op: str
    doc: str
    formula: str
    rule: str
    rule_says: str
    function: str
    value: str
    shape: str
    arriving: str
    fork: str
    wires: tuple[WireView, ...]
    params: tuple[tuple[Param, object], ...]
    is_input: bool
    is_output: bool
    region: str
    source: Source | None = None
    learns: bool = False
    units: int | None = None


def _key(graph: Graph, trace: Trace | None, name: str) -> Hashable:
    return graph.identity, trace and trace.identity, name


@remembered(REMEMBERED, _key)
def node_view(graph: Graph, trace: Trace | None, name: str) -> NodeView:
    """The inspector's view of node `name`; numbers are left out where `trace` has none."""
    own, graph = graph[name], played(graph)
    node = graph[name]
    op = OPS.get(node.op)
    known = trace is not None and name in trace.value
    arrives = trace is not None and name in trace.cotangent
    return NodeView(
        name=name,
        op=node.op,
        doc=_doc(own),
        formula=_formula(node),
        rule=own.rule.kind,
        rule_says=RULE_SAYS.get(node.rule.kind, ""),
        function=show_lambda(own.rule.function) if own.rule.function else "",
        value=in_full(trace.value[name]) if known else "",
        shape=str(list(trace.value[name].shape)) if known and trace.value[name].ndim else "",
        arriving=in_full(trace.cotangent[name]) if arrives else "",
        fork=_fork(graph, trace, name) if arrives else "",
        wires=_wires(trace, node) if op else (),
        params=tuple((p, node.param(p.name, p.default)) for p in op.params) if op else (),
        is_input=node.op == INPUT,
        is_output=name == graph.output,
        region=", ".join(region.name for region in graph.regions if name in region.nodes),
        source=source_view(own),
        learns=bool(wanted(graph, name)),
        units=units(graph, name),
    )


def _doc(node: Node) -> str:
    if node.muted:
        return f"Muted: {node.op} does not act, and what comes in is handed on."
    op = OPS.get(node.op)
    if node.op == INPUT:
        return PARAMETER_DOC if node.is_parameter else INPUT_DOC
    return op.doc if op else "This op is not in the catalog."


def runs_say(runs: Runs) -> str:
    """A node's runs in a sentence."""
    if not runs.backward:
        return "Runs once, in the forward pass."
    times = "once" if runs.backward == 1 else f"{runs.backward} times"
    kept = "drops that work, since no derivative needs it" if not runs.kept else f"keeps {runs.kept} of them"
    return f"Runs once forward, and its block runs {times} more in the backward pass; JAX {kept}."


def residuals_say(trace: Trace, name: str) -> str:
    """What the forward pass keeps of a node, in a sentence; empty when it keeps nothing."""
    return _kept_say([r for r in trace.residuals if r.producer == name])


def program_says(trace: Trace) -> dict[str, tuple[str, ...]]:
    """By node, how often it runs and what is kept of it. The whole program is traced for it, which takes a
    while."""
    kept: dict[str, list[Residual]] = {}
    for residual in trace.residuals:
        kept.setdefault(residual.producer, []).append(residual)
    told = {name: (runs_say(runs), _kept_say(kept.get(name, []))) for name, runs in trace.runs.items()}
    return {name: tuple(filter(None, sentences)) for name, sentences in told.items()}


def _kept_say(kept: list[Residual]) -> str:
    if not kept:
        return ""
    said = Counter(
        (r.is_value, f"({r.elements} {'number' if r.elements == 1 else 'numbers'}", _listed(r.consumers))
        for r in kept
    )
    parts = [
        f"{_residual(is_value, count)} {numbers}{' each' if count > 1 else ''}, for {consumers or 'nothing'})"
        for (is_value, numbers, consumers), count in said.items()
    ]
    return f"The forward pass keeps {_listed(parts)}."


def _residual(is_value: bool, count: int) -> str:
    if is_value:
        return "its value" if count == 1 else f"its value {count} times"
    return "a factor of its derivative" if count == 1 else f"{count} factors of its derivative"


def differs_say(trace: Trace, name: str) -> tuple[str, ...]:
    """Per slot where what the node passes is not the true derivative: by how much, in a sentence."""
    node = trace.graph[name]
    return tuple(
        f"Down {slot_label(node, slot)} it passes {_flat(found.declared)}; central differences say "
        f"{_flat(found.true)}.{DIFFERS_SINCE.get(node_cause(trace, name, slot), '')}"
        for slot, found in check_node(trace, name).items()
        if not found.agrees
    )


DIFFERS_SINCE = {
    CORNER: " Its derivative jumps there: JAX takes one slope, differences look at both sides.",
    NOT_FINITE: " There is no finite slope there.",
    ROUNDING: " That is rounding: in float64 both are equal.",
}
"""Of a rule nothing more is said: it is what changes the number."""


def _flat(numbers: np.ndarray) -> str:
    return short(numbers.reshape(()) if numbers.size == 1 else numbers, 6)


def _listed(parts: tuple[str, ...] | list[str]) -> str:
    return ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1] if parts else ""


def _formula(node: Node) -> str:
    op = OPS.get(node.op)
    if op is None:
        return ""
    operands = [_operand(slot) for slot in node.op_slots]
    return rf"{latex.name(node.name)} = {latex.operation(op, operands, dict(node.params))}"


def _operand(slot: object) -> str:
    if slot is None:
        return r"\square"
    return latex.name(slot) if isinstance(slot, str) else _number(slot)


def _number(literal: object) -> str:
    if isinstance(literal, int | float):
        return latex.number(literal)
    text = show_literal(literal)
    return rf"\mathtt{{{text if len(text) < 24 else text[:22] + '..'}}}"


def _fork(graph: Graph, trace: Trace, name: str) -> str:
    """What arrives as a sum, where more than one wire brings something."""
    uses = consumers(graph)[name]
    parts = [trace.passed[wire] for wire in uses if wire in trace.passed]
    if len(parts) + (name == trace.output) < 2 or any(part.ndim for part in parts):
        return ""
    seed = [scalar(float(trace.seed), 6)] if name == trace.output else []
    terms = [*seed, *(scalar(float(part), 6) for part in parts)]
    total = scalar(float(trace.cotangent[name]), 6)
    return " + ".join(f"({t})" if t.startswith(MINUS) else t for t in terms) + f" = {total}"


def _wires(trace: Trace | None, node: Node) -> tuple[WireView, ...]:
    apart = declared_apart(trace, node.name) if trace else {}
    return tuple(_wire(trace, node, slot, producer, apart.get(slot)) for slot, producer in node.wires)


def _wire(trace: Trace | None, node: Node, slot: int, producer: str, apart: Apart | None) -> WireView:
    op, own = OPS[node.op], slot < len(node.op_slots)
    operands = [_operand(s) for s in node.op_slots]
    wire = (node.name, slot)
    known = trace is not None and wire in trace.passed
    symbol = rf"\frac{{\partial {latex.name(node.name)}}}{{\partial {latex.name(producer)}}}"
    shown = latex.derivative(op, slot, operands, dict(node.params), latex.name(node.name)) if own else ""
    if op.elementwise and own:
        shown = f"{symbol} = {shown}"
    return WireView(
        producer=producer,
        label=slot_label(node, slot),
        derivative=shown if node.rule.kind in (FOLLOW, REWRITE, STOP) else "",
        numbers=_numbers(trace, node, slot) if known else "",
        passed=short(trace.passed[wire], 6) if known else "",
        apart=apart.said(6) if apart else "",
    )


def _numbers(trace: Trace, node: Node, slot: int) -> str:
    """local x arriving = passed, for scalars whose rule keeps that form; else what is passed, and why."""
    arriving, passed = trace.cotangent[node.name], trace.passed[node.name, slot]
    if arriving.ndim or passed.ndim:
        return ""
    result = _coloured(ORANGE, passed)
    kind = node.rule.kind
    if kind == STOP:
        return rf"\text{{stopped: }} {_coloured(ORANGE, arriving)} \;\to\; {result}"
    if kind == BACKWARD_AS:
        return rf"{_coloured(ORANGE, arriving)} \;\to\; {result}"
    if kind == PULLBACK:
        return rf"\text{{declared: }} {_coloured(ORANGE, arriving)} \;\to\; {result}"
    local = local_derivative(trace, node.name, slot)
    if local is None:
        return ""
    if kind == REWRITE:
        rewritten = _rewritten(trace, node)
        return rf"{_plain(local)} \times {rewritten} = {result}"
    return rf"{_plain(local)} \times {_coloured(ORANGE, arriving)} = {result}"


def _rewritten(trace: Trace, node: Node) -> str:
    """The arriving cotangent, an arrow, and what the rewrite makes of it."""
    after = rewritten_cotangent(trace, node.name)
    return rf"({_coloured(ORANGE, trace.cotangent[node.name])} \to {_coloured(ORANGE, after)})"


def _plain(number: np.ndarray) -> str:
    text = latex.number(float(number))
    return f"({text})" if text.startswith("-") else text


def _coloured(colour: str, number: np.ndarray) -> str:
    return rf"\textcolor{{{colour}}}{{{_plain(number)}}}"
