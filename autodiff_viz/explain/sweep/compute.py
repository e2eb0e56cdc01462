"""Compute value and derivatives of <seed, output> along one scalar input, as plain arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autodiff_viz.engine.arguments import numbers
from autodiff_viz.engine.finite_differences import slope_along
from autodiff_viz.engine.grad_op import op_call
from autodiff_viz.engine.live_path.arrays import Arrays, on_device, rounded
from autodiff_viz.engine.live_path.kernels import kernel
from autodiff_viz.engine.live_path.node_steps import on_identity
from autodiff_viz.engine.live_path.passes import ARRIVING, Wire, backward, forward
from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.engine.trace import Trace, precision, with_output
from autodiff_viz.explain.causing_rules import causing_rules
from autodiff_viz.graph import limits
from autodiff_viz.graph.grad_nodes import BY, has_grads
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Node
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import FOLLOW, ON_INPUTS, STOP
from autodiff_viz.graph.shown import Shown
from autodiff_viz.ops.catalog import OPS

# Sweep an input: compute every number of a graph along a line of the input's values, in one pass.


POSITIONS = 1001  # at most this many values of the swept input
SLIDER = 101  # positions of a slider; each number of positions is compiled separately


@dataclass(frozen=True)
class Sweep(Shown):
    """A trace at each of `positions`, the values that the scalar input `name` takes.

    `value`, `cotangent` and `passed` are as in a trace, with a leading axis of positions where they depend on
    the swept input; `along` adds that axis to the others. `swept` holds the keys of those that depend on it,
    `gradient` is that of the swept input at each position, and `output` the name of the output node.
    """

    name: str
    positions: np.ndarray
    output: str
    value: Mapping[str, np.ndarray]
    cotangent: Mapping[str, np.ndarray]
    passed: Mapping[tuple[str, int], np.ndarray]
    gradient: np.ndarray
    swept: frozenset[Any]

    def along(self, array: np.ndarray, key: Any) -> np.ndarray:
        """Return `array` with the axis of positions.

        Args:
          key: a node name for a value, (node, -1) for the arriving cotangent of a node, (node, slot) for a
            wire's.
        """
        return array if key in self.swept else np.broadcast_to(array, (len(self.positions), *array.shape))


def sweep(trace: Trace, name: str, positions: Any) -> Sweep:
    """Evaluate `trace`'s graph with the scalar input `name` at each of `positions`, all at once.

    Args:
      trace: of the graph; other inputs and the seed are as in it.
      name: of a scalar input.
      positions: the values that it takes, on one axis, at most `POSITIONS`.
    Returns:
      `value`, `cotangent` and `passed` as in a trace, with a leading axis of positions.
    Raises:
      GraphError: it is no trace, it has no output, `name` is not a scalar input, a position is no number, or
        the sweep would be too large.
    """
    positions = swept_positions(with_output(trace), name, positions)
    with precision(trace.dtype):
        inputs = {other: on_device(value) for other, value in trace.inputs.items()}
        inputs[name] = on_device(positions)
        prepared = prepare(trace.graph, inputs, trace.dtype, frozenset({name}))
        values, called = forward(prepared)
        arriving, passed, gradients = backward(prepared, values, called, on_device(trace.seed))

    def shape_of(name: str) -> tuple[int, ...]:
        return prepared.shapes[name]

    value, cotangent = Arrays(values, trace.dtype, shape_of), Arrays(arriving, trace.dtype, shape_of)
    passed = Arrays(passed, trace.dtype, lambda wire: shape_of(trace.graph[wire[0]].slots[wire[1]]))
    arrived = {(node, ARRIVING) for node in cotangent.with_samples()}
    return Sweep(
        name=name,
        positions=positions,
        output=trace.output,
        value=value,
        cotangent=cotangent,
        passed=passed,
        gradient=np.broadcast_to(Arrays(gradients, trace.dtype, shape_of)[name], positions.shape),
        swept=frozenset({*value.with_samples(), *arrived, *passed.with_samples()}),
    )


def true_derivative(trace: Trace, name: str, positions: Any) -> np.ndarray:
    """Return JAX's own derivative of <seed, output> along `positions`, without any rule.

    In a graph with a grad node rules also decide values, which they must go on to do: then central
    differences.
    """
    if has_grads(trace.graph):
        return slope_along(trace, name, _positions(trace, positions)).astype(trace.dtype)
    return sweep(without_rules(trace), name, positions).gradient


def without_rules(trace: Trace) -> Trace:
    """Return the trace with every rule set to `follow`; its numbers are still those of `trace`."""
    nodes = tuple(replace(n, slots=n.op_slots, rule=type(n.rule)()) for n in trace.graph.nodes)
    return replace(trace, graph=Graph(nodes, trace.graph.regions, trace.graph.output))


def swept_positions(trace: Trace, name: str, positions: Any) -> np.ndarray:
    """Return the positions of a sweep as an array of the trace's dtype.

    Raises:
      GraphError: as `sweep`.
    """
    array = _positions(trace, positions)
    if name not in trace.inputs or trace.inputs[name].shape:
        message = f"{name!r} is not a scalar input, so it cannot be swept."
        raise GraphError(Problem("not-scalar", message, "Choose a scalar input."))
    # Every number of the trace may depend on the input, and then has one at each position.
    elements = array.size * sum(value.size for value in trace.value.values())
    most = 10 * limits.TOTAL_ELEMENTS
    if array.ndim != 1 or not 1 <= array.size <= POSITIONS or elements > most:
        raise GraphError(
            Problem(
                "sweep-size",
                f"The sweep has positions of shape {list(array.shape)} and {elements} numbers in all.",
                f"At least one. At most {POSITIONS} positions on one axis and {most} numbers.",
            )
        )
    return array


def _positions(trace: Trace, positions: Any) -> np.ndarray:
    try:
        return numbers(positions, trace.dtype)
    except ValueError as error:
        message = f"What is given as positions {error}."
        raise GraphError(
            Problem("bad-positions", message, "Give numbers, as numpy.linspace does.")
        ) from error


# Sweep local factors: what multiplies an arriving cotangent, along a line of values of one input.


CHANGING = frozenset(ON_INPUTS) - {FOLLOW, STOP}
"""Kinds of rules that change the arriving cotangent, which the op's own derivative then multiplies."""


@dataclass(frozen=True)
class LocalSweep:
    """Numbers of a sweep that depend on the swept input, one at each position.

    Attributes:
      local: by wire between two numbers, JAX's own derivative of the op; not of wires whose rule replaces it.
      changed: by node, the arriving cotangent after a rule that changes it.
    """

    local: dict[Wire, np.ndarray]
    changed: dict[str, np.ndarray]


def local_sweep(trace: Trace, swept: Sweep) -> LocalSweep:
    """Return the local factors of a sweep of `trace`, by the compiled pullbacks that the sweep has used.

    A factor is what an op passes of the cotangent 1; it is no quotient of what it passes and what arrives.
    """
    factors = LocalSweep({}, {})
    with precision(trace.dtype):
        for node in trace.graph.nodes:
            if node.op != INPUT and node.rule.kind in (FOLLOW, *CHANGING) and not trace.value[node.name].ndim:
                _add(factors, trace, swept, node)
    return factors


def _add(factors: LocalSweep, trace: Trace, swept: Sweep, node: Node) -> None:
    """Add the factors of one node whose value is a number."""
    name, arriving = node.name, swept.cotangent[node.name]
    if node.rule.kind in CHANGING:
        # The rule alone, on an identity: the op's own derivative multiplies what it makes of the cotangent.
        pull_back = on_identity(node, (), trace.dtype, swept=True)
        _, (changed,) = pull_back([on_device(arriving)], (), swept.value[name])
        arriving = np.zeros((), trace.dtype) if changed is None else np.asarray(changed)
        if arriving.ndim:
            factors.changed[name] = arriving
    read = node.op_slots[BY:] if node.op == GRAD else node.op_slots  # a grad node does not read its z
    if not swept.swept.intersection(read) or not (OPS[node.op].elementwise or node.op == GRAD):
        return
    call = op_call(trace.graph, node, lambda other: trace.value[other].shape)
    wired = tuple(i for i, slot in enumerate(call.slots) if isinstance(slot, str))
    shapes = tuple(np.shape(trace.value[s] if isinstance(s, str) else s) for s in call.slots)
    op = kernel(call.op, call.static, shapes, wired, trace.dtype, True)
    if op.passes_unchanged:  # its factors are 1 whatever the numbers are
        return
    ones = np.ones_like(arriving)
    arrays = [swept.value[s] if isinstance(s, str) else rounded(s, trace.dtype) for s in call.slots]
    for slot, pulled in zip(wired, op.pull(ones, *call.leading, *arrays), strict=True):
        # A factor without an axis of positions is the same at all of them.
        if pulled is not None and np.ndim(pulled) and not trace.value[node.slots[slot]].ndim:
            factors.local[name, slot] = np.asarray(pulled)


SLIDER_POSITIONS = 2 * SLIDER - 1  # swept in two halves, which share the compiled ops of sliders
MARKERS = 21
TOLERANCE = 1e-3  # share of the largest derivative on view above which two derivatives differ


@dataclass(frozen=True, slots=True)
class Curves:
    """A sweep of one input, with everything else as in a trace.

    Attributes:
      name: the swept input; `present` is its value in the trace, which is one of `positions`.
      output: the node whose derivatives these are; `is_plain` if it is a number with a seed of 1.
      positions, value, declared, true: arrays of one length, float64. `declared` is JAX's derivative with
        the rules, `true` with the rules off, and NaN where there is no value to have a derivative.
      marked, slopes: fewer positions, one of them `present`, and central differences in float64 there.
      rules: the nodes that have a rule; where it makes another derivative, those that do.
    """

    name: str
    present: float
    output: str
    is_plain: bool
    positions: np.ndarray
    value: np.ndarray
    declared: np.ndarray
    true: np.ndarray
    marked: np.ndarray
    slopes: np.ndarray
    rules: tuple[Node, ...] = ()

    @property
    def at_present(self) -> int:
        """Index of the present value in `positions`."""
        return int(np.argmin(np.abs(self.positions - self.present)))

    @property
    def bent(self) -> np.ndarray:
        """Whether the declared derivative differs from the true one, per position.

        False where the value is NaN.
        """
        return differs(self.declared, self.true) & ~np.isnan(self.value)


def curves(trace: Trace, name: str | None = None, ends: tuple[float, float] | None = None) -> Curves:
    """Sweep a scalar input (by default the first one) between two ends (by default those of its slider).

    Raises:
      GraphError: there is no such scalar input.
    """
    name = name if name is not None else first_scalar(trace)
    if name not in trace.inputs or trace.inputs[name].shape:
        message = f"{name!r} is not a scalar input, so it cannot be swept."
        raise GraphError(Problem("not-scalar", message, "Choose a scalar input."))
    present = float(trace.inputs[name])
    positions = _with(np.linspace(*span(trace.graph[name], present, ends), SLIDER_POSITIONS), present)
    marked = _with(positions[:: (SLIDER_POSITIONS - 1) // (MARKERS - 1)], present)
    # As many positions as a slider has, for which the ops are compiled already; both halves have the middle.
    halves = positions[:SLIDER], positions[SLIDER - 1 :]
    swept = [sweep(trace, name, half) for half in halves]
    declared = _joined(each.gradient for each in swept)
    rules = tuple(node for node in trace.graph.nodes if node.rule.kind != FOLLOW)
    true = _joined(true_derivative(trace, name, half) for half in halves) if rules else declared
    if len(rules) > 1 and not has_grads(trace.graph) and differs(declared, true).any():
        rules = causing_rules(
            trace.graph,
            rules,
            lambda graph: _joined(sweep(replace(trace, graph=graph), name, half).gradient for half in halves),
            differs,
        )
    output = _joined(each.along(each.value[trace.output], trace.output) for each in swept)
    with np.errstate(invalid="ignore", over="ignore"):
        axes = tuple(range(1, output.ndim))  # all but that of the positions
        value = np.sum(output.astype(np.float64) * trace.seed, axis=axes)  # <seed, output>
    return Curves(
        name=name,
        present=present,
        output=trace.output,
        is_plain=trace.seed.shape == () and float(trace.seed) == 1.0,
        positions=positions,
        value=value,
        declared=declared.astype(np.float64),
        true=np.where(np.isnan(value), np.nan, true).astype(np.float64),
        marked=marked,
        slopes=slope_along(trace, name, marked),
        rules=rules,
    )


def has_scalar(graph: Graph) -> bool:
    """Return whether an input of the graph is one number, which can be swept."""
    inputs = [node for node in graph.nodes if node.op == INPUT]
    return any(isinstance(node.param("value"), int | float) or node.param("shape") == () for node in inputs)


def scalar_inputs(graph: Graph) -> tuple[str, ...]:
    """Return the names of the inputs that a slider can move, in graph order."""
    return tuple(n.name for n in graph.nodes if n.op == INPUT and isinstance(n.param("value"), int | float))


def first_scalar(trace: Trace) -> str:
    """Return the name of the graph's first scalar input.

    Raises:
      GraphError: there is none.
    """
    for node in trace.graph.nodes:
        if node.name in trace.inputs and not trace.inputs[node.name].shape:
            return node.name
    raise GraphError(Problem("no-scalar", "This graph has no scalar input to sweep.", "Add one: x = 1.0"))


def span(node: Node, present: float, ends: tuple[float, float] | None = None) -> tuple[float, float]:
    """Return the ends of the sweep: those given, else the input's own, else a round range about zero.

    The round range stays the same while the value moves within it. All are widened to hold the present value.
    """
    # The first of 5, 10, 50, 100, ... that is not less than the value: the factors are 2 and 5 in turn.
    reach, factor = 5.0, 2
    while reach < abs(present) < float("inf"):
        reach, factor = reach * factor, 7 - factor
    low, high = ends or (node.param("low", -reach), node.param("high", reach))
    low, high = min(float(low), present), max(float(high), present)
    return (low, high) if low < high else (low - 1.0, high + 1.0)


def differs(declared: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return where two derivatives differ by more than rounding; NaN equals NaN."""
    both = np.concatenate([declared, true])
    scale = np.abs(both[np.isfinite(both)]).max(initial=0.0)
    with np.errstate(invalid="ignore"):
        apart = np.abs(declared - true) > TOLERANCE * scale
    return apart | (np.isnan(declared) != np.isnan(true))


def _with(positions: np.ndarray, present: float) -> np.ndarray:
    """Return the positions with the nearest one moved to `present`."""
    moved = positions.copy()
    moved[np.argmin(np.abs(positions - present))] = present
    return moved


def _joined(halves: Iterable[np.ndarray]) -> np.ndarray:
    """Return one array of two whose positions overlap by one."""
    first, second = halves
    return np.concatenate([first, second[1:]])
