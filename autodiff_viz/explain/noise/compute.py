"""Estimate mean and variance of each cotangent over draws of the graph's noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.arguments import known_dtype
from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.trace import Trace, precision, trace
from autodiff_viz.engine.whole_program.jaxprs import Traced, traced
from autodiff_viz.engine.whole_program.program import Program, dynamic_params, structure
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT, Graph, Node
from autodiff_viz.graph.problem import GraphError, Problem, whole_number
from autodiff_viz.graph.shown import Shown
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.workers.jobs import report

AT_ONCE = 1_000  # draws
ELEMENTS = 4_000_000  # numbers of all draws that are computed at once
MOST = 1_000_000  # draws


@dataclass(frozen=True, slots=True)
class Statistics(Shown):
    """Mean and variance of each cotangent over draws.

    Attributes:
      draws: how many draws there were.
      noisy: the nodes that are drawn anew.
      mean: by node name, of the cotangent that arrives there, in float64; of the node's shape.
      variance: the same, of the draws (divided by `draws` - 1).
      error: the standard error of the mean: the root of variance / draws.
      present: by node name, the cotangent of the draw that the graph has now.
    """

    draws: int
    noisy: tuple[str, ...]
    mean: Mapping[str, np.ndarray]
    variance: Mapping[str, np.ndarray]
    error: Mapping[str, np.ndarray]
    present: Mapping[str, np.ndarray]


def noisy_nodes(graph: Graph) -> tuple[str, ...]:
    """Return the names of the nodes that `statistics` draws anew: noise, dropout and random inputs.

    A parameter keeps its value: its draw is a start and no noise.
    """
    return tuple(node.name for node in graph.nodes if is_random(node) and not node.is_parameter)


def is_random(node: Node) -> bool:
    """Return whether a node has a random draw: of its value, or inside its op."""
    if node.op == INPUT:
        return node.param("shape") is not None and node.param("value") is None
    return node.op in OPS and OPS[node.op].param("seed") is not None


def statistics(
    graph: Graph,
    draws: int = 1_000,
    *,
    inputs: Mapping[str, Any] | None = None,
    seed: Any = None,
    dtype: str = FLOAT32,
) -> Statistics:
    """Draw all noise of a graph many times; return mean and variance of each cotangent.

    The whole program is differentiated, vectorised over the draws. Nodes with the same random seed have the
    same draw each time, as in the graph; those with different seeds are independent. The same graph gives the
    same numbers.

    Args:
      graph: complete, with at least one random draw.
      draws: from 2 to 1,000,000.
      inputs: values for input nodes, by name; a random input given here is not drawn.
      seed: cotangent of the output, broadcast to its shape; ones by default.
      dtype: "float16", "bfloat16", "float32" or "float64".
    Returns:
      Mean, variance and standard error by node name; a variance is that of one draw.
    Raises:
      GraphError: the graph has no random draw, or cannot be traced; or `draws` is no such number.
    Source: `jax.vmap` of `jax.vjp`.
    """
    count, dtype = whole_number("number of draws", draws, 2, MOST), known_dtype(dtype)
    traced = trace(graph, inputs, seed, dtype=dtype)
    noisy = tuple(name for name in noisy_nodes(traced.graph) if name not in (inputs or {}))
    if not noisy:
        hint = "Add normal(), uniform(), dropout(x) or an input with a shape and a seed."
        raise GraphError(Problem("no-noise", "The graph has no random draw.", hint))
    mean, squares = _moments(traced, noisy, count)
    variance = {name: total / (count - 1) for name, total in squares.items()}
    error = {name: np.sqrt(array / count) for name, array in variance.items()}
    return Statistics(count, noisy, mean, variance, error, dict(traced.cotangent))


def _moments(found: Trace, noisy: tuple[str, ...], draws: int) -> tuple[dict, dict]:
    """Return the means, and the sums of squared distances from them.

    Source: T. Chan, G. Golub and R. LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
    Variances", 1979.
    """
    names = tuple(found.cotangent)
    mean = {name: np.zeros(found.value[name].shape) for name in names}
    squares = {name: np.zeros(found.value[name].shape) for name in names}
    elements = sum(array.size for array in found.value.values())
    # Chunks of draws, whose means and squares are joined, so that not all draws are in memory at once.
    length = max(1, min(AT_ONCE, draws, ELEMENTS // max(1, elements)))
    for first in range(0, draws, length):
        report(first, draws, "draws")
        last = min(first + length, draws)
        # A last, shorter chunk is computed in full, so that only one length is compiled.
        part = _drawn(found, noisy, range(first, first + length))
        for name in names:
            drawn = np.asarray(part[name], np.float64)[: last - first]
            own = drawn.mean(axis=0)
            apart = own - mean[name]
            squares[name] += np.square(drawn - own).sum(axis=0)
            squares[name] += np.square(apart) * (first * (last - first) / last)
            mean[name] += apart * ((last - first) / last)
    return mean, squares


def _drawn(found: Trace, noisy: tuple[str, ...], numbers: range) -> dict[str, jax.Array]:
    """Return the arriving cotangents of these draws, with a leading axis of draws."""
    graph = found.graph
    shapes = tuple(sorted((name, value.shape) for name, value in found.inputs.items()))
    with precision(found.dtype):  # the program is traced in it too: its draws would be float32
        program = _program(structure(graph), shapes, found.seed.shape, found.dtype, noisy, len(numbers))
        seeds = {}
        for name in noisy:
            # Hashed, so that draws of nodes with different seeds are independent.
            first = int(graph[name].param("seed", 0))
            hashed = np.random.SeedSequence([first, numbers.start // max(1, len(numbers))])
            words = hashed.generate_state(len(numbers), np.uint32) & limits.SEED
            seeds[name] = words.astype(np.int32)
        inputs = {name: jnp.asarray(value) for name, value in found.inputs.items()}
        return program(seeds, inputs, dynamic_params(graph), jnp.asarray(found.seed))


@remembered(8)
def _program(
    graph: Graph, shapes: tuple, seed_shape: tuple[int, ...], dtype: str, noisy: tuple[str, ...], count: int
) -> Traced:
    """Trace the differentiated program, vectorised over the seeds of the noisy nodes."""
    program, dynamic = Program(graph, dtype, export_all=True), dynamic_params(graph)
    kind = jnp.dtype(dtype)

    def one(seeds: dict, inputs: dict, dynamic: dict, seed: jax.Array) -> dict:
        drawn = {}
        for name in (n for n in seeds if graph[n].op == INPUT):
            # In float32 whatever the dtype, as `arrays.random_input` draws it.
            key = jax.random.key(seeds[name])
            drawn[name] = jax.random.normal(key, inputs[name].shape, jnp.float32).astype(kind)
        again = {n: {**dynamic[n], "seed": seeds[n]} for n in seeds if graph[n].op != INPUT}
        given, params = {**inputs, **drawn}, {**dynamic, **again}
        values = jax.eval_shape(lambda: program(given, params, {})[1])
        # What arrives at a node is the cotangent of a 0 that is added to its value.
        sinks = {(name, ARRIVING): jnp.zeros(value.shape, kind) for name, value in values.items()}
        pulled = jax.vjp(lambda sinks: program(given, params, sinks)[0], sinks)[1](seed)[0]
        return {name: array for (name, _), array in pulled.items()}

    def many(seeds: dict, *others: Any) -> dict:
        return jax.vmap(lambda each: one(each, *others))(seeds)

    seeds = {name: jax.ShapeDtypeStruct((count,), jnp.int32) for name in noisy}
    inputs = {name: jax.ShapeDtypeStruct(shape, kind) for name, shape in shapes}
    return traced(many, seeds, inputs, dynamic, jax.ShapeDtypeStruct(seed_shape, kind))


DRAWS = (100, 1_000, 10_000)
USUAL_DRAWS = 1_000
