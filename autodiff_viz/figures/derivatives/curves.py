"""Compute value and derivatives of <seed, output> along one scalar input, as plain arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from autodiff_viz.engine.diagnostics.differences import slope_along
from autodiff_viz.engine.sweep import SLIDER, sweep, true_derivative
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import FOLLOW, INPUT, Graph, Node
from autodiff_viz.graph.problem import GraphError, Problem

POSITIONS = 2 * SLIDER - 1  # swept in two halves, which share the compiled ops of sliders
MARKERS = 21
TOLERANCE = 1e-3  # share of the largest derivative on view above which two derivatives differ


@dataclass(frozen=True, slots=True)
class Curves:
    """A sweep of one input, with everything else as in a trace.

    Attributes:
      name: the swept input; `here` is its present value, which is one of `positions`.
      output: the node whose derivatives these are; `is_plain` if it is a number with a seed of 1.
      positions, value, declared, true: arrays of one length, float64. `declared` is JAX's derivative with
        the rules, `true` with the rules off, and NaN where there is no value to have a derivative.
      marked, slopes: fewer positions, one of them `here`, and central differences in float64 there.
      rules: the nodes that have a rule.
    """

    name: str
    here: float
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
    def at_here(self) -> int:
        """Index of the present value in `positions`."""
        return int(np.argmin(np.abs(self.positions - self.here)))

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
    here = float(trace.inputs[name])
    positions = _with(np.linspace(*span(trace.graph[name], here, ends), POSITIONS), here)
    marked = _with(positions[:: (POSITIONS - 1) // (MARKERS - 1)], here)
    halves = positions[:SLIDER], positions[SLIDER - 1 :]
    found = [sweep(trace, name, half) for half in halves]
    declared = _joined(each.gradient for each in found)
    rules = tuple(node for node in trace.graph.nodes if node.rule.kind != FOLLOW)
    true = _joined(true_derivative(trace, name, half) for half in halves) if rules else declared
    output = _joined(each.along(each.value[trace.output], trace.output) for each in found)
    value = _paired(output, trace.seed)
    return Curves(
        name=name,
        here=here,
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


def first_scalar(trace: Trace) -> str:
    """Return the name of the graph's first scalar input.

    Raises:
      GraphError: there is none.
    """
    for node in trace.graph.nodes:
        if node.name in trace.inputs and not trace.inputs[node.name].shape:
            return node.name
    raise GraphError(Problem("no-scalar", "This graph has no scalar input to sweep.", "Add one: x = 1.0"))


def span(node: Node, here: float, ends: tuple[float, float] | None = None) -> tuple[float, float]:
    """Return the ends of the sweep: those given, else the input's own, else a round range about zero.

    The round range stays the same while the value moves within it. All are widened to hold the present value.
    """
    reach = _round(abs(here))
    low, high = ends or (node.param("low", -reach), node.param("high", reach))
    low, high = min(float(low), here), max(float(high), here)
    return (low, high) if low < high else (low - 1.0, high + 1.0)


def _round(size: float) -> float:
    """Return the first of 5, 10, 50, 100, ... that is not less than `size`."""
    reach, factor = 5.0, 2
    while reach < size < float("inf"):
        reach, factor = reach * factor, 7 - factor
    return reach


def differs(declared: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return where two derivatives differ by more than rounding; NaN equals NaN."""
    both = np.concatenate([declared, true])
    scale = np.abs(both[np.isfinite(both)]).max(initial=0.0)
    with np.errstate(invalid="ignore"):
        apart = np.abs(declared - true) > TOLERANCE * scale
    return apart | (np.isnan(declared) != np.isnan(true))


def _with(positions: np.ndarray, here: float) -> np.ndarray:
    """Return the positions with the nearest one moved to `here`."""
    moved = positions.copy()
    moved[np.argmin(np.abs(positions - here))] = here
    return moved


def _joined(halves: Iterable[np.ndarray]) -> np.ndarray:
    """Return one array of two whose positions overlap by one."""
    first, second = halves
    return np.concatenate([first, second[1:]])


def _paired(value: np.ndarray, seed: np.ndarray) -> np.ndarray:
    """Return <seed, value> for each position, in float64."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.sum(value.astype(np.float64) * seed, axis=tuple(range(1, value.ndim)))
