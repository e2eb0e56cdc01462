"""The live numbers held against one whole-program `jax.vjp`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxpr_as_fun

from autodiff_viz.engine.arrays import FLOAT64
from autodiff_viz.engine.check import diagnose
from autodiff_viz.engine.live import ARRIVING, Wire
from autodiff_viz.engine.program import Program, dynamic_params, structure
from autodiff_viz.engine.trace import Trace, known_trace, precision
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError

KEPT = 64  # programs, traced but not compiled
TOLERANCE = {FLOAT64: 1e-11}
FEWER_DIGITS = 1e-30  # float32 has no more than a few digits for numbers not much smaller
DEFAULT_TOLERANCE = 2e-5  # float32: sums at forks may be taken in another order


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the whole program agrees with a trace.

    Attributes:
      agrees: every value, arriving cotangent and contribution is equal within `tolerance`.
      compared: how many arrays were compared.
      worst: largest difference, relative to the size of the array it is in. Rounding comes from what an
        array was computed from: an array is taken to be no smaller than the largest of its kind (value or
        cotangent) in the graph, up to 1.
      where: what differs most, in words; empty where nothing differs.
    """

    agrees: bool
    compared: int
    worst: float
    where: str
    tolerance: float


def verify(trace: Trace) -> Verdict:
    """Differentiate the graph as one program, with its real regions, and compare all numbers.

    Args:
      trace: as `trace` made it.
    Returns:
      Whether they agree, and how closely.
    Raises:
      GraphError: a checkpoint region is not valid, or a node beside the way to the output is not.
    Source: `jax.vjp` of the whole program.
    """
    known_trace(trace)
    if found := diagnose(trace.graph, {name: value.shape for name, value in trace.inputs.items()}):
        raise GraphError(found)
    with precision(trace.dtype):
        values, gradients, cotangents = whole_program(trace)
    forth = [(f"the value of {name!r}", found, trace.value[name]) for name, found in values.items()]
    back = [(f"the gradient of {name!r}", g, trace.gradient[name]) for name, g in gradients.items()]
    back += [(_name(key), found, _live(trace, key)) for key, found in cotangents.items()]
    tolerance = TOLERANCE.get(trace.dtype, DEFAULT_TOLERANCE)
    worst, where = max(_worst(forth), _worst(back))
    return Verdict(worst <= tolerance, len(forth) + len(back), worst, where if worst > 0 else "", tolerance)


def whole_program(trace: Trace) -> tuple[dict[str, Any], dict[str, Any], dict[Wire, Any]]:
    """(values, gradients of the inputs, cotangents by wire and by (node, ARRIVING)) from one `jax.vjp`."""
    graph = trace.graph
    shapes = tuple(sorted((name, value.shape) for name, value in trace.inputs.items()))
    run = _traced(structure(graph), shapes, trace.seed.shape, trace.dtype)
    inputs = {name: jnp.asarray(value) for name, value in trace.inputs.items()}
    return run(inputs, dynamic_params(graph), jnp.asarray(trace.seed))


@remembered(KEPT)
def _traced(graph: Graph, shapes: tuple, seed_shape: tuple[int, ...], dtype: str) -> Any:
    """The differentiated program as equations, ready to run on new inputs without tracing again."""
    program = Program(graph, dtype, export_all=True)
    dynamic = dynamic_params(graph)

    def differentiate(inputs: dict, dynamic: dict, seed: jax.Array) -> tuple:
        sinks = _sinks(program, inputs, dynamic, dtype)
        _, pull, values = jax.vjp(lambda i, s: program(i, dynamic, s), inputs, sinks, has_aux=True)
        gradients, cotangents = pull(seed)
        return values, gradients, cotangents

    inputs = {name: jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for name, shape in shapes}
    seed = jax.ShapeDtypeStruct(seed_shape, jnp.dtype(dtype))
    equations, shape_of_result = jax.make_jaxpr(differentiate, return_shape=True)(inputs, dynamic, seed)
    evaluate, tree = jaxpr_as_fun(equations), jax.tree.structure(shape_of_result)
    kinds = [value.dtype for value in equations.in_avals]

    def run(*arguments: Any) -> Any:
        leaves = [
            jnp.asarray(leaf, kind) for leaf, kind in zip(jax.tree.leaves(arguments), kinds, strict=True)
        ]
        return jax.tree.unflatten(tree, evaluate(*leaves))

    return run


def _sinks(program: Program, inputs: dict, dynamic: dict, dtype: str) -> dict:
    shapes = jax.eval_shape(lambda: program(inputs, dynamic, {})[1])
    zeros = {name: jnp.zeros(shape.shape, dtype) for name, shape in shapes.items()}
    wires = {(n.name, slot): zeros[name] for n in program.graph.nodes for slot, name in n.wires}
    return {**wires, **{(name, ARRIVING): zero for name, zero in zeros.items()}}


def _live(trace: Trace, key: Wire) -> np.ndarray:
    return trace.cotangent[key[0]] if key[1] == ARRIVING else trace.passed[key]


def _name(key: Wire) -> str:
    node, slot = key
    return f"what arrives at {node!r}" if slot == ARRIVING else f"what {node!r} passes to its input {slot}"


def _worst(pairs: list[tuple[str, Any, np.ndarray]]) -> tuple[float, str]:
    """The largest difference and where it is, among numbers of one kind."""
    largest = max((_size(live) for _, _, live in pairs), default=0.0)
    least = min(1.0, max(largest, FEWER_DIGITS))
    return max(((_difference(a, b, least), name) for name, a, b in pairs), default=(0.0, ""))


def _size(array: Any) -> float:
    numbers = np.asarray(array, np.float64)
    return float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0))


def _difference(found: Any, live: np.ndarray, least: float) -> float:
    found, live = np.asarray(found, np.float64), np.asarray(live, np.float64)
    if found.shape != live.shape:
        return float("inf")
    same = (found == live) | (np.isnan(found) & np.isnan(live))
    with np.errstate(invalid="ignore"):
        gap = np.where(same, 0.0, np.abs(found - live))
    gap = np.where(np.isnan(gap), np.inf, gap)
    return float(gap.max(initial=0.0)) / max(least, _size(live))
