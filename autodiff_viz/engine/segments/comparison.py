"""Compare a graph in segments with the whole: the chain, the whole gradient, Jacobians, segments apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.diagnostics.tolerance import agree, gaps, paired
from autodiff_viz.engine.live_path.arrays import FLOAT64
from autodiff_viz.engine.live_path.kernels import Shape
from autodiff_viz.engine.live_path.passes import ARRIVING, Wire
from autodiff_viz.engine.norm import norm
from autodiff_viz.engine.segments.chain import (
    Arrays,
    Silent,
    apart,
    forward,
    handed,
    parts,
    silent_wires,
    with_input_rules,
)
from autodiff_viz.engine.segments.jacobians import Jacobian, independent, jacobians, multiplied, too_large
from autodiff_viz.engine.trace import Trace, precision
from autodiff_viz.engine.training.state import learned
from autodiff_viz.engine.whole_program.program import Program, dynamic_params, structure
from autodiff_viz.engine.whole_program.traced import Traced, traced
from autodiff_viz.engine.whole_program.verify import rounding_errors
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.structure.bypass import played
from autodiff_viz.graph.structure.segments import Segment, segments

KEPT = 8  # programs, traced but not compiled

Shapes = tuple[tuple[str, Shape], ...]
"""Shapes of arrays, as (name, shape)."""


@dataclass(frozen=True, slots=True)
class Link:
    """One segment, with the shapes of the values that it gives, and its Jacobians."""

    segment: Segment
    gives: tuple[tuple[str, tuple[int, ...]], ...]
    jacobians: tuple[Jacobian, ...]


@dataclass(frozen=True, slots=True)
class Division:
    """A graph in segments, and three ways to its gradient.

    Attributes:
      links: the segments in order.
      wanted: names of the parameters; of all inputs where there is no parameter.
      agrees: whether the chain's gradient is the whole graph's, for every input and cut, up to rounding.
      difference: the largest difference between the two.
      product: the largest difference of the product of Jacobians, over the wanted inputs and in float64, with
        a seed of ones; None where it was not computed, and `too_large` says why.
      angles: by wanted input, degrees between the gradient of segments apart and the true one; None where
        either is zero.
      angle: the same for all wanted inputs together.
      handed: by name of a node that a segment gives to later ones, the cotangent that comes back.
      gradient, apart: by input, the gradient of the chain and that of segments apart.
    """

    links: tuple[Link, ...]
    wanted: tuple[str, ...]
    agrees: bool
    difference: float
    product: float | None
    too_large: str
    angles: Mapping[str, float | None]
    angle: float | None
    handed: Mapping[str, np.ndarray] = field(repr=False, compare=False)
    gradient: Mapping[str, np.ndarray] = field(repr=False, compare=False)
    apart: Mapping[str, np.ndarray] = field(repr=False, compare=False)


def division(graph: Graph, found: Trace) -> Division:
    """Differentiate the segments of a graph with cuts in three ways.

    Args:
      found: the trace of `graph`, whose gradient is the whole graph's.
    Raises:
      ValueError: the graph has no cut, or cannot run.
    """
    graph, divided = played(graph), segments(graph)
    if not divided:
        raise ValueError("the graph has no segments")
    wanted, silent = wanted_of(graph), silent_wires(found)
    shapes = {name: found.value[name].shape for name in found.value}
    with precision(found.dtype):
        inputs = {name: jnp.asarray(value) for name, value in found.inputs.items()}
        given = inputs, dynamic_params(graph), jnp.asarray(found.seed)
        run = _ways(cut_structure(graph), found.dtype, silent, _shapes(inputs), found.seed.shape)
        arriving, chain, broken, alone = run(*given)
    alone = {key: bool(value) for key, value in alone.items()}
    pairs = [(chain[name], found.gradient[name]) for name in inputs]
    handed_across = {cut: arriving[cut] for cut in arriving if cut not in inputs}
    pairs += [(array, found.cotangent[cut]) for cut, array in handed_across.items()]
    true = {name: np.asarray(found.gradient[name], np.float64) for name in wanted}
    other = {name: np.asarray(broken[name], np.float64) for name in wanted}
    why = too_large(divided, shapes, wanted)
    return Division(
        links=tuple(
            Link(
                segment,
                tuple((name, shapes[name]) for name in segment.gives),
                jacobians(segment, shapes, wanted, alone),
            )
            for segment in divided
        ),
        wanted=wanted,
        agrees=_agrees(found, chain, handed_across),
        difference=max(_difference(a, b) for a, b in pairs),
        product=None if why else _product(graph, found, wanted, silent.chained),
        too_large=why,
        angles={name: angle(true[name], other[name]) for name in wanted},
        angle=angle(_flat(true), _flat(other)),
        handed={name: _handed(arriving, name, found) for part in divided[:-1] for name in part.gives},
        gradient={name: np.asarray(value) for name, value in chain.items()},
        apart={name: np.asarray(value) for name, value in broken.items()},
    )


def _handed(arriving: Arrays, name: str, found: Trace) -> np.ndarray:
    """Return the cotangent at a cut; zeros where no segment passes anything, as behind a stop."""
    nothing = np.zeros(found.value[name].shape, found.dtype)
    return np.asarray(arriving[name]) if name in arriving else nothing


def _agrees(found: Trace, chain: Arrays, handed_across: Arrays) -> bool:
    """Return whether each array is the trace's, to its own last digits or as closely as rounding allows."""
    pairs = {name: paired(name, array, found.gradient[name]) for name, array in chain.items()}
    for name, array in handed_across.items():
        pairs[name, ARRIVING] = paired(name, array, found.cotangent[name])
    if all(agree(each, found.dtype) for each in pairs.values()):
        return True
    with precision(found.dtype):
        _, by_input, by_wire = rounding_errors(replace(found, graph=replace(found.graph, regions=())))
    errors = {**by_input, **by_wire}
    return all(agree(each, found.dtype, errors[key]) for key, each in pairs.items())


def wanted_of(graph: Graph) -> tuple[str, ...]:
    """Return the names of the parameters; of all inputs where there is no parameter."""
    wanted = learned(graph) or [node for node in graph.nodes if node.op == INPUT]
    return tuple(node.name for node in wanted)


def angle(a: np.ndarray, b: np.ndarray) -> float | None:
    """Return the angle in degrees between two arrays as vectors; None where one is zero or not finite.

    Source: W. Kahan, "How Futile are Mindless Assessments of Roundoff", section 12: exact for small angles.
    """
    sizes = norm(a), norm(b)
    if not all(np.isfinite(size) and size > 0 for size in sizes):
        return None
    u, v = a.ravel() / sizes[0], b.ravel() / sizes[1]
    return float(np.degrees(2.0 * np.arctan2(norm(u - v), norm(u + v))))


def cut_structure(graph: Graph) -> Graph:
    """Return `structure` of the graph, with its cuts."""
    bare = structure(graph)
    return replace(bare, nodes=tuple(replace(node, cut=graph[node.name].cut) for node in bare.nodes))


@remembered(KEPT)
def _ways(graph: Graph, dtype: str, silent: Silent, shapes: Shapes, seed_shape: Shape) -> Traced:
    """Trace the chain and the segments apart.

    The result gives (cotangents across cuts, gradient of the chain, gradient of segments apart, where
    examples of a batch are independent).
    """
    whole, alone = parts(graph, dtype, silent.chained), parts(graph, dtype, silent.apart, apart=True)

    def ways(inputs: Arrays, dynamic: dict, seed: jax.Array) -> tuple:
        arriving = handed(whole, forward(whole, inputs, dynamic), seed)
        chain = with_input_rules(graph, inputs, arriving)
        run = forward(alone, inputs, dynamic)
        broken = with_input_rules(graph, inputs, apart(alone, run, seed))
        return arriving, chain, broken, independent(alone, run, dynamic)

    return traced(ways, _like(shapes, dtype), dynamic_params(graph), _like_one(seed_shape, dtype))


@remembered(KEPT)
def _products(graph: Graph, wanted: tuple[str, ...], silent: frozenset[Wire], shapes: Shapes) -> Traced:
    """Trace the gradient of the wanted inputs as a product of Jacobians, and as one `jax.vjp`."""
    whole, program = parts(graph, FLOAT64, silent), Program(graph, FLOAT64)

    def products(inputs: Arrays, dynamic: dict) -> tuple[Arrays, Arrays]:
        arriving = multiplied(whole, inputs, dynamic, wanted)
        mine = with_input_rules(graph, {name: inputs[name] for name in wanted}, arriving)
        value, pull = jax.vjp(lambda inputs: program(inputs, dynamic, {})[0], inputs)
        return mine, pull(jnp.ones_like(value))[0]

    return traced(products, _like(shapes, FLOAT64), dynamic_params(graph))


def _product(graph: Graph, found: Trace, wanted: tuple[str, ...], silent: frozenset[Wire]) -> float:
    with precision(FLOAT64):
        inputs = {name: jnp.asarray(np.asarray(value, FLOAT64)) for name, value in found.inputs.items()}
        run = _products(cut_structure(graph), wanted, silent, _shapes(inputs))
        mine, true = run(inputs, dynamic_params(graph))
    return max(_difference(mine[name], true[name]) for name in wanted)


def _shapes(arrays: Arrays) -> Shapes:
    return tuple((name, array.shape) for name, array in arrays.items())


def _like(shapes: Shapes, dtype: str) -> dict[str, jax.ShapeDtypeStruct]:
    return {name: _like_one(shape, dtype) for name, shape in shapes}


def _like_one(shape: Shape, dtype: str) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.dtype(dtype))


def _flat(arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    return np.concatenate([array.ravel() for array in arrays.values()])


def _difference(a: np.ndarray, b: np.ndarray) -> float:
    return float(gaps(np.asarray(a), np.asarray(b)).max(initial=0.0))
