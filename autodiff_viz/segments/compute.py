"""Divide a graph by its cuts, and train it by segments, as data that can be read without JAX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from autodiff_viz.engine.arguments import known_dtype
from autodiff_viz.engine.live_path.compiling import ONCE, rounded
from autodiff_viz.engine.live_path.passes import ARRIVING, Wire
from autodiff_viz.engine.tolerance import agree, gaps, norm, paired
from autodiff_viz.engine.trace import Trace, precision, trace
from autodiff_viz.engine.verify import rounding_errors
from autodiff_viz.engine.whole_program.jaxprs import Traced, traced
from autodiff_viz.engine.whole_program.program import Program, dynamic_params, structure
from autodiff_viz.explain.jacobian.compute import Jacobian
from autodiff_viz.graph import cuts as divided
from autodiff_viz.graph import limits
from autodiff_viz.graph.cuts import Segment, graph_segments
from autodiff_viz.graph.dtypes import FLOAT32, FLOAT64
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.problem import GraphError, Problem, known_graph, whole_number
from autodiff_viz.graph.shown import Shown
from autodiff_viz.ops.misfits import Shape
from autodiff_viz.segments.chain import (
    Arrays,
    Part,
    Silent,
    apart,
    forward,
    handed,
    independent,
    jacobians,
    multiplied,
    parts,
    silent_wires,
    too_large,
    with_input_rules,
)
from autodiff_viz.training.compute import read_only, settings_from, with_values
from autodiff_viz.training.state import Settings, learned, optimiser_of
from autodiff_viz.training.steps import later_on
from autodiff_viz.training.updates import begin
from autodiff_viz.workers.jobs import report

# A graph in segments beside the whole: the chain, the whole gradient, Jacobians, segments apart.


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
    graph, divided = played(graph), graph_segments(graph)
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
    # Where no segment passes anything to a cut, as behind a stop, the cotangent that comes back is 0.
    back = {
        name: np.asarray(arriving[name]) if name in arriving else np.zeros(shapes[name], found.dtype)
        for segment in divided[:-1]
        for name in segment.gives
    }
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
        handed=back,
        gradient={name: np.asarray(value) for name, value in chain.items()},
        apart={name: np.asarray(value) for name, value in broken.items()},
    )


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


# Train a graph three times from the same start: joint, chain and apart. Joint training uses the whole
# gradient, the chain passes cotangents across cuts, and apart, the broken way, differentiates each
# segment against its own output.


JOINT, CHAIN, APART = WAYS = ("joint", "chain", "apart")


@dataclass(frozen=True)
class Curves(Shown):
    """The loss before each step, for each way of training.

    Attributes:
      joint: by the whole graph's gradient.
      chain: by the cotangents that segments pass across cuts.
      apart: by each segment's own output.
    """

    joint: np.ndarray
    chain: np.ndarray
    apart: np.ndarray

    @property
    def difference(self) -> float:
        """The largest difference between joint training and the chain."""
        return float(np.max(np.abs(self.joint - self.chain)))


def curves(graph: Graph, settings: Settings, steps: int, dtype: str = FLOAT32) -> Curves:
    """Train three times. Seeds of noise and dropout count up with the steps, alike in all three.

    There is no loss scale: see `without_scale`.

    Raises:
      GraphError: the graph cannot be trained, has no segments, or it would be too much work.
    """
    settings = without_scale(settings)
    start = dict(begin(graph, settings, dtype).parameters)
    graph = played(graph)
    if not graph_segments(graph):
        raise GraphError(Problem("no-segments", "No cut divides the graph.", "Cut after a node: key k."))
    found = trace(graph, start, dtype=dtype)
    check_work(most_steps(found), steps)
    with precision(dtype):
        data = {n: jnp.asarray(v) for n, v in found.inputs.items() if n not in start}
        silent = silent_wires(found)
        knobs = (data, dynamic_params(graph), jnp.asarray(settings.rate, dtype))
        losses_by = {}
        for done, way in enumerate(WAYS):
            step = _step(cut_structure(graph), way, settings.optimiser, dtype, silent)
            now: Any = (start, optimiser_of(settings.optimiser).init(start), jnp.asarray(0, jnp.int32))
            losses = []
            for i in range(steps):
                report(done * steps + i, len(WAYS) * steps, "steps")
                now, loss = step(now, *knobs)
                losses.append(loss)
            losses_by[way] = np.asarray([float(loss) for loss in losses])
    return Curves(**losses_by)


def without_scale(settings: Settings) -> Settings:
    """Return the settings of a training by segments: a seed of 1, parameters in the dtype."""
    return replace(settings, loss_scale=None, growth_interval=0)


def most_steps(found: Trace) -> int:
    """Return how many steps of the traced graph are within the limit of work."""
    elements = sum(found.value[name].size for name in found.value)
    return min(limits.SEGMENT_STEPS, limits.SEGMENT_WORK // max(elements, 1))


def check_work(most: int, steps: int) -> None:
    """Check the number of steps against the limit of work.

    Raises:
      GraphError: there are more than `most` steps.
    """
    if steps > most:
        message = f"{steps} steps of training by segments are too much work for this graph."
        hint = f"At most {most} steps." if most else "Use smaller tensors."
        raise GraphError(Problem("too-much-work", message, hint))


@remembered(6)
def _step(graph: Graph, way: str, optimiser: str, dtype: str, silent: Silent) -> Callable[..., tuple]:
    moves = optimiser_of(optimiser)
    if way == JOINT:
        program = Program(graph, dtype)

        def gradient(parameters: Arrays, data: Arrays, dynamic: dict) -> tuple[jax.Array, Arrays]:
            return jax.value_and_grad(lambda p: program({**data, **p}, dynamic, {})[0])(parameters)

    elif way == CHAIN:
        gradient = partial(_by_segments, graph, parts(graph, dtype, silent.chained), handed)
    else:
        gradient = partial(_by_segments, graph, parts(graph, dtype, silent.apart, apart=True), apart)

    @partial(jax.jit, compiler_options=rounded(ONCE, dtype))
    def step(now: tuple, data: Arrays, dynamic: dict, rate: jax.Array) -> tuple:
        parameters, kept, count = now
        loss, slope = gradient(parameters, data, later_on(dynamic, count))
        with jax.numpy_dtype_promotion("standard"):  # Optax raises a float to a whole number
            updates, kept = moves.update(slope, kept, parameters)
        updates = {name: rate * update for name, update in updates.items()}
        return (optax.apply_updates(parameters, updates), kept, count + 1), loss

    return step


def _by_segments(
    graph: Graph, whole: tuple[Part, ...], back: Callable, parameters: Arrays, data: Arrays, dynamic: Mapping
) -> tuple[jax.Array, Arrays]:
    """Return (loss, gradient) with one `jax.vjp` per segment, combined by `back`."""
    run = forward(whole, {**data, **parameters}, dynamic)
    loss = run.values[whole[-1].segment.gives[-1]]
    arriving = back(whole, run, jnp.ones_like(loss))
    return loss, with_input_rules(graph, parameters, arriving)


@dataclass(frozen=True, eq=False, repr=False)
class Segments(Shown):
    """A graph divided by its cuts, and three ways to its gradient. All arrays are read-only NumPy arrays.

    The chain runs one `jax.vjp` per segment and passes cotangents across the cuts, which gives the gradient
    of the whole graph. The product multiplies the Jacobians of the segments. The third way, `apart`, passes
    nothing across the cuts: each segment is differentiated against its own output, with a seed of ones.

    Attributes:
      trace: values and cotangents of the whole graph, without cuts.
      segments: in the order in which they run; each has `nodes`, `inputs`, `takes` and `gives`.
      handed: by name of a node that a segment gives to later ones, the cotangent that comes back to it.
      jacobian: by (of, by), the size of d of/d by, where `of` is a node that a segment gives and `by` a node
        that it takes or a parameter that it reads; any input where the graph has no parameter. `elements`
        counts the elements that are not known to be 0.
      gradient, apart: by input, the gradient of the chain and that of the third way.
      difference: the largest difference between the chain and the whole graph's gradient, over inputs and
        cuts.
      agrees: whether the difference is no more than rounding.
      product_difference: the largest difference between the product of Jacobians and the gradient, both in
        float64 with a seed of ones; None where the product is not computed, and `too_large` says why.
      angles: by parameter, degrees between `apart` and the gradient; None where either is zero.
      angle: the same for all parameters together as one vector.
    """

    trace: Trace
    segments: tuple[divided.Segment, ...]
    handed: Mapping[str, np.ndarray]
    jacobian: Mapping[tuple[str, str], Jacobian]
    gradient: Mapping[str, np.ndarray]
    apart: Mapping[str, np.ndarray]
    difference: float
    agrees: bool
    product_difference: float | None
    too_large: str
    angles: Mapping[str, float | None]
    angle: float | None

    @property
    def handed_elements(self) -> int:
        """Number of elements of all cotangents that are passed back across cuts."""
        return sum(array.size for array in self.handed.values())

    @property
    def jacobian_elements(self) -> int:
        """Number of elements of all Jacobians."""
        return sum(found.elements for found in self.jacobian.values())

    def __repr__(self) -> str:
        sizes = f"{self.handed_elements:,} elements handed back, {self.jacobian_elements:,} in Jacobians"
        return f"<Segments: {len(self.segments)}, {sizes}; difference {self.difference:.2g}>"


def segments(
    graph: Graph, inputs: Mapping[str, Any] | None = None, seed: Any = None, *, dtype: str = FLOAT32
) -> Segments:
    """Divide `graph` by its cuts and differentiate it segment by segment.

    Args:
      graph: complete, with a cut that divides it: `h = cut(...)` in a formula.
      inputs: values for input nodes, by name, in place of the graph's own.
      seed: cotangent of the output, broadcast to its shape; ones by default.
      dtype: "float16", "bfloat16", "float32" or "float64".
    Returns:
      The cotangents that segments pass on, the sizes of the Jacobians that nobody needs, and the differences
      between the ways.
    Raises:
      GraphError: no cut divides the graph, or it, an input or the seed cannot be used as in `trace`.
    Source: the chain rule; `jax.vjp` of each segment.
    """
    whole = trace(known_graph(graph), inputs, seed, dtype=dtype)
    check_divided(graph)
    made = division(whole.graph, whole)
    return Segments(
        trace=whole,
        segments=tuple(link.segment for link in made.links),
        handed=_read_only(made.handed),
        jacobian={(one.of, one.by): one for link in made.links for one in link.jacobians},
        gradient=_read_only(made.gradient),
        apart=_read_only(made.apart),
        difference=made.difference,
        agrees=made.agrees,
        product_difference=made.product,
        too_large=made.too_large,
        angles=made.angles,
        angle=made.angle,
    )


def train_by_segments(
    graph: Graph,
    optimizer: str = "sgd",
    rate: Any = 0.1,
    steps: int = 1,
    *,
    inputs: Mapping[str, Any] | None = None,
    seed: int = 0,
    dtype: str = FLOAT32,
) -> Curves:
    """Train `graph` three times from the same start: jointly, across its cuts, and segment by segment.

    Args:
      graph: complete, with a parameter and a cut that divides it; its output is one number.
      optimizer, rate, inputs, seed, dtype: as `train`. There is no loss scale: in 16 bits, parameters have 16
        bits too.
      steps: how many updates, at least 1; fewer are possible for large tensors.
    Returns:
      The loss before each update: `joint`, `chain` and `apart`, of shape (steps,).
    Raises:
      GraphError: as `train`; or no cut divides the graph, or it would be too much work.
    Source: Optax, https://optax.readthedocs.io/en/latest/api/optimizers.html
    """
    dtype = known_dtype(dtype)
    graph = with_values(known_graph(graph), inputs, dtype)
    settings = settings_from(optimizer, rate, seed)
    count = whole_number("number of steps", steps, 1, limits.SEGMENT_STEPS)
    check_divided(graph)
    return curves(graph, settings, count, dtype)


def check_divided(graph: Graph) -> None:
    """Check that the graph has at least two segments.

    Raises:
      GraphError: it has fewer; the message says why its cuts divide nothing.
    """
    if len(divided.graph_segments(graph)) < 2:
        why = " ".join(reason for _, reason in divided.idle_cuts(graph))
        hint = "Cut the graph where a segment ends: h = cut(...) in a formula, key k on the canvas."
        raise GraphError(Problem("no-segments", f"No cut divides the graph. {why}".strip(), hint))


def _read_only(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: read_only(array) for name, array in arrays.items()}
