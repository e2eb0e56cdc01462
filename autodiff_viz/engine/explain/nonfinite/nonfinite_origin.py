"""Explain where the first NaN or infinity comes from, and find an edit that mends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from autodiff_viz.engine.diagnostics.nonfinite import Origin
from autodiff_viz.engine.diagnostics.op_derivative import local_derivative
from autodiff_viz.engine.explain.nonfinite.cures import is_troubled, nonfinite_cure, other_branch
from autodiff_viz.engine.explain.precision.precision import exact_inputs
from autodiff_viz.engine.live_path.arrays import FLOAT64
from autodiff_viz.engine.live_path.passes import ARRIVING, Wire
from autodiff_viz.engine.trace import Trace, known_trace, trace
from autodiff_viz.graph.model import FOLLOW, INPUT, Graph, Node
from autodiff_viz.graph.structure.order import order
from autodiff_viz.graph.text.names import quoted
from autodiff_viz.graph.text.text_format import scalar
from autodiff_viz.language.printer.terms import Shown, show_applied
from autodiff_viz.ops.catalog import OPS

FORWARD, BACKWARD = "forward", "backward"
COTANGENT, SLOPE = "cotangent", "slope"


class Operand(NamedTuple):
    """A number that makes another one infinite or NaN.

    `name` is a node, or the slot of an op for a constant; of a backward pass "cotangent", what arrives, and
    "slope", the local derivative.
    """

    name: str
    number: float


@dataclass(frozen=True, slots=True)
class NonFinite:
    """Where the numbers of a trace stop being finite.

    Attributes:
      forward: the first node of the forward sweep whose value is not finite; None if all values are.
      backward: the first wire of the backward sweep whose contribution is not finite, as (node, slot). `slot`
        is ARRIVING where finite contributions add up to a number that is not, None for the gradient of an
        input with a rule. None if all are finite, and where only the seed is not.
      operands: the numbers of the first element that is not finite: what an elementwise op reads, or the
        factors of what it passes back; the backward ones if there is a wire, since these are the gradient's.
      sentence: all of it in words.
      cure: a graph whose output and gradients are finite; None where none is known, and where they are
        finite already.
      mend: what the cure does, as the text of a button.
      changes: what the cure changes, as a sentence.
      dtype: in which all is finite, of a cure that changes the dtype alone; "" of others.
    """

    forward: str | None
    backward: tuple[str, int | None] | None
    operands: tuple[Operand, ...]
    sentence: str
    cure: Graph | None = None
    mend: str = ""
    changes: str = ""
    dtype: str = ""


def nonfinite_origin(found: Trace) -> NonFinite | None:
    """Return where NaN or infinity comes from: the first node, the first wire, their numbers, and a cure.

    Args:
      found: a trace.
    Returns:
      None if all its numbers are finite.
    Raises:
      GraphError: no trace is given.
    """
    origins = known_trace(found).nonfinite_origins
    seeded = bool(found.cotangent) and not np.isfinite(found.seed).all()
    if not origins and not seeded:
        return None
    forward = next((origin for origin in origins if origin.direction == FORWARD), None)
    backward = next((origin for origin in origins if origin.direction == BACKWARD), None)
    wire = (backward.node, backward.slot) if backward else None
    operands = _operands_back(found, backward) if backward else ()
    operands = operands or (_operands(found, forward.node) if forward else ())
    cure = nonfinite_cure(found) if found.output and not seeded else None
    return NonFinite(
        forward and forward.node,
        wire,
        operands,
        _sentence(found, forward, backward) + ("" if cure else _no_value(found, forward)),
        cure and cure.edit(found.graph),
        cure.mend if cure else "",
        cure.changes if cure else "",
        cure.dtype if cure else "",
    )


def _operands(found: Trace, name: str) -> tuple[Operand, ...]:
    """Return what an elementwise op reads at the first element of its value that is not finite."""
    node = found.graph[name]
    if node.op == INPUT or not OPS[node.op].elementwise or OPS[node.op].variadic:
        return ()
    value = found.value[name]
    at = int(np.argmin(np.isfinite(value)))
    labels = [s if isinstance(s, str) else OPS[node.op].slots[i] for i, s in enumerate(node.op_slots)]
    arrays = [found.value[s] if isinstance(s, str) else np.asarray(s) for s in node.op_slots]
    numbers = [np.broadcast_to(array, value.shape).ravel()[at] for array in arrays]
    return tuple(Operand(label, float(number)) for label, number in zip(labels, numbers, strict=True))


def _operands_back(found: Trace, origin: Origin) -> tuple[Operand, ...]:
    """Return the factors of the first contribution that is not finite, if it is a product of two."""
    if origin.slot in (None, ARRIVING):
        return ()
    factors = _factors(found, (origin.node, origin.slot))
    return (Operand(COTANGENT, factors[0]), Operand(SLOPE, factors[1])) if factors else ()


def _factors(found: Trace, wire: Wire) -> tuple[float, float] | None:
    """Return what arrives at a node and its slope, for the first element of the wire that is not finite."""
    name, slot = wire
    node = found.graph[name]
    if node.rule.kind != FOLLOW:
        return None
    slope = local_derivative(found, name, slot)
    if slope is None:
        return None
    arriving = found.cotangent[name]
    with np.errstate(invalid="ignore", over="ignore"):
        wrong = ~np.isfinite(slope * arriving)
    at = int(np.argmax(wrong))
    return (float(arriving.ravel()[at]), float(slope.ravel()[at])) if wrong.any() else None


def _sentence(found: Trace, forward: Origin | None, backward: Origin | None) -> str:
    said = [_forward_says(found, forward)] if forward else []
    said += [_backward_says(found, backward)] if backward else []
    if not forward and not backward:
        return "The seed is not finite, so nothing that is pulled back is."
    traps = (_trap(found, origin) for origin in (forward, backward) if origin)
    if trap := next(filter(None, traps), None):
        said.append(f"{quoted(trap)} computes both branches, also the one that it does not take.")
    if backward and backward.kind != "NaN":
        said += _becomes_nan(found)
    if not is_troubled(found):
        said.append("Output and gradients are finite all the same.")
    return " ".join(said)


def _trap(found: Trace, origin: Origin) -> str | None:
    """Return the `where` that does not take an element of the node that is not finite; None without one."""
    trap = other_branch(found, origin.node)
    if trap is None:
        return None
    choice, slot = trap
    within = origin.direction == BACKWARD and origin.slot not in (None, ARRIVING)
    wrong = found.passed[origin.node, origin.slot] if within else found.value[origin.node]
    condition = found.graph[choice].slots[0]
    taken = found.value[condition] if isinstance(condition, str) else np.asarray(condition)
    other = (taken != 0) == (slot != 1)
    return choice if np.any(other & ~np.isfinite(wrong)) else None


def _no_value(found: Trace, origin: Origin | None) -> str:
    """Return why nothing can mend a value that is not finite; "" where another reason applies."""
    if origin is None or found.graph[origin.node].op == INPUT or not is_troubled(found):
        return ""
    wide = trace(found.graph, exact_inputs(found), found.seed, dtype=FLOAT64).value[origin.node]
    if np.isfinite(wide).all():
        return ""
    number, too = (
        scalar(wide[~np.isfinite(wide)].flat[0]),
        "" if found.dtype == FLOAT64 else " in float64 too",
    )
    return f" There is no mend: {found.graph[origin.node].op} is {number} there{too}."


def _forward_says(found: Trace, origin: Origin) -> str:
    node, value = found.graph[origin.node], found.value[origin.node]
    lost = f" {origin.lost}." if origin.lost else ""
    if node.op == INPUT:
        return f"The input {quoted(node.name)} itself is not finite.{lost}"
    bad = value[~np.isfinite(value)]
    number = scalar(bad.flat[0])
    of = f" ({bad.size} of {value.size} elements)" if value.size > 1 else ""
    operands = _operands(found, node.name)
    if operands:
        shown = [_shown(operand.number) for operand in operands]
        equation = show_applied(node.op, shown, node.params).text
        said = f"{quoted(node.name)} is {equation} = {number}{of}"
    else:
        said = f"{quoted(node.name)} is {number}{of}"
        said += "" if origin.lost else ", though all that it reads is finite"
    return f"{said}.{lost}{_in_float64(found, node)}"


def _in_float64(found: Trace, node: Node) -> str:
    """Return that float64 has a number for a value that the trace's numbers are too small for; else ""."""
    if found.dtype == FLOAT64:
        return ""
    exact = trace(found.graph, exact_inputs(found), found.seed, dtype=FLOAT64).value[node.name]
    if not np.isfinite(exact).all():
        return ""
    return (
        f" That is {found.dtype}: in float64 it is {scalar(exact[~np.isfinite(found.value[node.name])][0])}."
    )


def _shown(number: float) -> Shown:
    return Shown(scalar(number), constant=True)


def _backward_says(found: Trace, origin: Origin) -> str:
    node = found.graph[origin.node]
    if origin.slot is None or origin.slot == ARRIVING:
        return str(origin)
    passed = found.passed[origin.node, origin.slot]
    number, to = scalar(passed[~np.isfinite(passed)].flat[0]), quoted(node.slots[origin.slot])
    if node.rule.kind != FOLLOW:
        return f"The rule of {quoted(node.name)} passes {number} back to {to}."
    factors = _factors(found, (origin.node, origin.slot))
    if factors is None:
        return f"{quoted(node.name)} passes {number} back to {to}, though all that arrives is finite."
    arriving, slope = factors
    said = f"{quoted(node.name)} passes {scalar(arriving)} × {scalar(slope)} = {number} back to {to}"
    if np.isfinite(slope):
        return f"{said}: too large for {found.dtype}."
    return f"{said}: the slope of {node.op} is {scalar(slope)} there."


def _becomes_nan(found: Trace) -> list[str]:
    """Return where a NaN begins in the backward pass, as what arrives times the slope."""
    for node in reversed(order(found.graph)):
        for slot, producer in node.wires:
            if np.isnan(found.passed[node.name, slot]).any():
                factors = _factors(found, (node.name, slot))
                equation = f"{scalar(factors[0])} × {scalar(factors[1])} = NaN" if factors else "NaN"
                first = "And" if np.isfinite(found.cotangent[node.name]).all() else "Then"
                return [f"{first} {quoted(node.name)} passes {equation} back to {quoted(producer)}."]
    return []
