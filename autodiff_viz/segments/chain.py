"""Chain segments as functions, each with its own `jax.vjp`, that pass cotangents back.

A segment passes cotangents to the segments before it and nothing else, and the result is the gradient of the
whole graph. All functions here can be compiled, so training uses them too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.whole_program.program import Program, ruled_input
from autodiff_viz.explain.jacobian.compute import WORK, Jacobian
from autodiff_viz.graph import limits
from autodiff_viz.graph.cuts import Segment, graph_segments
from autodiff_viz.graph.grad_nodes import readers
from autodiff_viz.graph.model import INPUT, Graph, Node, Rule
from autodiff_viz.graph.mute import played
from autodiff_viz.ops.misfits import Shape

Arrays = dict[str, jax.Array]
Pull = Callable[[Arrays], tuple[Arrays]]


class Silent(NamedTuple):
    """Wires whose contribution is a symbolic zero, such as those behind a stop or a `sign`.

    A symbolic zero differs from a computed one: a rule that rewrites to 1 does so where a zero arrives, and
    not behind a stop.

    Attributes:
      chained: where segments pass cotangents across cuts.
      apart: where each segment is differentiated against its own output.
    """

    chained: frozenset[Wire]
    apart: frozenset[Wire]


@dataclass(frozen=True)
class Part:
    """A segment as a JAX function of the values that it reads: inputs, and values of earlier segments.

    Attributes:
      heard: the outputs of the segment at which a cotangent arrives, in their order.
      answered: the values that it reads and passes a cotangent to.
    """

    segment: Segment
    program: Program
    heard: tuple[str, ...]
    answered: frozenset[str]

    @property
    def reads(self) -> tuple[str, ...]:
        """Names of the inputs and of the values of earlier segments that the segment reads."""
        return (*self.segment.inputs, *self.segment.takes)

    def __call__(self, given: Arrays, dynamic: Mapping[str, dict]) -> Arrays:
        """Return the segment's outputs by node name."""
        values = self.program(given, dict(dynamic), {})[1]
        return {name: values[name] for name in self.segment.gives}


@dataclass(frozen=True)
class Forward:
    """Result of one forward run of every segment.

    Attributes:
      values: of inputs and of the segments' outputs.
      pulls: by segment, the pullback that `jax.vjp` returned for it, a function of cotangents of `heard`.
    """

    values: Arrays
    pulls: tuple[Pull, ...]


def parts(graph: Graph, dtype: str, silent: frozenset[Wire], *, apart: bool = False) -> tuple[Part, ...]:
    """Return the segments of a graph as functions, with the rules inside them.

    The rules of inputs are left out: such a rule acts on the sum of the cotangents of all segments. Along
    `silent` wires nothing is passed.

    Args:
      apart: whether a cotangent arrives at every output of a segment, even one that no other segment reads.
    """
    graph = played(graph)
    return tuple(_part(graph, segment, dtype, silent, apart) for segment in graph_segments(graph))


def silent_wires(found: Trace) -> Silent:
    """Return the wires of the traced graph whose contribution is a symbolic zero."""
    return Silent(
        frozenset(wire for wire in found.passed if found.passed.is_symbolic_zero(wire)),
        frozenset(found.passed) - {*_heard_apart(found)},
    )


def _heard_apart(found: Trace) -> Iterator[Wire]:
    """Yield the wires of each segment down which something passes if only an output of the segment is
    differentiated."""
    for segment in graph_segments(found.graph):
        own = [(name, slot) for name in segment.nodes for slot, _ in found.graph[name].wires]
        for of in segment.gives:
            alone = trace(replace(found.graph, output=of), found.inputs, dtype=found.dtype)
            yield from (wire for wire in own if not alone.passed.is_symbolic_zero(wire))


def _part(graph: Graph, segment: Segment, dtype: str, silent: frozenset[Wire], apart: bool) -> Part:
    """Return one segment as a function, with the ends at which cotangents arrive and leave."""
    inside, uses = set(segment.nodes), readers(graph)

    def is_read(name: str, there: bool) -> bool:
        """Return whether a node of this segment, or outside it, passes something to the named one."""
        return any(wire not in silent and (wire[0] in inside) is there for wire in uses[name])

    heard = (n for n in segment.gives if apart or n == graph.output or is_read(n, there=False))
    answered = (n for n in (*segment.inputs, *segment.takes) if is_read(n, there=True))
    program = Program(_alone(graph, segment), dtype, whole=replace(graph, regions=()))
    return Part(segment, program, tuple(heard), frozenset(answered))


def forward(parts: tuple[Part, ...], inputs: Arrays, dynamic: Mapping[str, dict]) -> Forward:
    """Run the segments in order, each with its own `jax.vjp`."""
    values, pulls = dict(inputs), []
    for part in parts:
        given = {name: values[name] for name in part.reads}

        def give(given: Arrays, part: Part = part) -> tuple[Arrays, Arrays]:
            gives = part(given, dynamic)
            return {name: gives[name] for name in part.heard}, gives

        _, pull, gives = jax.vjp(give, given, has_aux=True)
        values.update(gives)
        pulls.append(pull)
    return Forward(values, tuple(pulls))


def handed(parts: tuple[Part, ...], run: Forward, seed: jax.Array) -> Arrays:
    """Return cotangents by name of input or cut node, passed from the last segment to the first."""
    arriving = {parts[-1].segment.gives[-1]: seed}
    for part, pull in zip(reversed(parts), reversed(run.pulls), strict=True):
        own = {name: arriving[name] for name in part.heard}
        back = pull(own)[0] if own else {}
        _add(arriving, {name: passed for name, passed in back.items() if name in part.answered})
    return arriving


def apart(parts: tuple[Part, ...], run: Forward, seed: jax.Array) -> Arrays:
    """Return cotangents by name of input if nothing passes between segments.

    Each segment has a seed of ones at its own outputs; the last one has `seed`. `parts` are made with
    `apart=True`.
    """
    arriving: Arrays = {}
    for part, pull in zip(parts, run.pulls, strict=True):
        ones = {name: jnp.ones_like(run.values[name]) for name in part.segment.gives}
        own = {part.segment.gives[-1]: seed} if part is parts[-1] else ones
        back = pull(own)[0]
        _add(arriving, {name: back[name] for name in part.segment.inputs if name in part.answered})
    return arriving


def with_input_rules(graph: Graph, inputs: Arrays, arriving: Arrays) -> Arrays:
    """Return the gradient by input: the arriving cotangent after the input's own rule."""
    gradient = {name: jnp.zeros_like(value) for name, value in inputs.items()}
    for name, value in inputs.items():
        if name not in arriving:
            continue
        cotangent = arriving[name]
        (gradient[name],) = jax.vjp(lambda x, name=name: ruled_input(graph[name], x), value)[1](cotangent)
    return gradient


def _add(arriving: Arrays, parts: Arrays) -> None:
    for name, part in parts.items():
        arriving[name] = arriving[name] + part if name in arriving else part


def _alone(graph: Graph, segment: Segment) -> Graph:
    """Return the segment as a graph whose inputs are all that it reads.

    Regions are left out, since they change no number.
    """
    read = [replace(graph[name], rule=Rule()) for name in segment.inputs]
    read += [Node(name, INPUT) for name in segment.takes]
    return Graph((*read, *(graph[name] for name in segment.nodes)), (), segment.gives[-1])


# Multiply Jacobians: the other way through a chain of segments, with one Jacobian per segment. Where the
# examples of a batch are independent, the Jacobian has a block for each example and zeros elsewhere. The
# blocks are then counted, as in `batch_jacobian` of TensorFlow, and the full matrix beside them.


PROBED = 64  # largest batch whose examples are probed one by one
AT_ONCE = 8_000_000  # elements of values in one batched pullback


def jacobians(
    segment: Segment, shapes: Mapping[str, Shape], wanted: Collection[str], alone: Mapping
) -> tuple[Jacobian, ...]:
    """Return the Jacobians of one segment.

    They are taken by the values of earlier segments, and by the `wanted` inputs that the segment reads.
    `alone` says where the examples of a batch are independent, as `independent` found it.
    """
    by = (*segment.takes, *(name for name in segment.inputs if name in wanted))
    return tuple(
        Jacobian(
            of, name, prod(shapes[of]), prod(shapes[name]), shapes[of][0] if alone.get((of, name)) else 1
        )
        for of in segment.gives
        for name in by
    )


def too_large(segments: Collection[Segment], shapes: Mapping[str, Shape], wanted: Collection[str]) -> str:
    """Return why the Jacobians are not computed; "" if they are small enough."""
    for segment in segments:
        rows = sum(prod(shapes[name]) for name in segment.gives)
        if rows * sum(prod(shapes[name]) for name in segment.nodes) > WORK:
            return f"{rows:,} rows through a segment of {len(segment.nodes)} nodes are too much work"
        count = sum(each.full for each in jacobians(segment, shapes, wanted, {}))
        if count > limits.JACOBIAN:
            return f"{count:,} elements in one segment; up to {limits.JACOBIAN:,} are worked out"
    return ""


def multiplied(
    parts: tuple[Part, ...], inputs: Arrays, dynamic: Mapping[str, dict], wanted: Collection[str]
) -> Arrays:
    """Return the cotangents of the `wanted` inputs as a product of Jacobians, with a seed of ones.

    An input at which no cotangent arrives is left out.
    """
    run = forward(parts, inputs, dynamic)
    output = parts[-1].segment.gives[-1]
    arriving = {output: jnp.ones(run.values[output].size, run.values[output].dtype)}
    for part in reversed(parts):
        for of in part.heard:
            units = jnp.eye(run.values[of].size, dtype=run.values[of].dtype)
            rows = _pulled(part, run, dynamic, of, units.reshape(-1, *run.values[of].shape))
            for by in sorted(part.answered & {*wanted, *part.segment.takes}):
                product = arriving[of] @ rows[by].reshape(len(units), -1)
                arriving[by] = arriving[by] + product if by in arriving else product
    return {name: arriving[name].reshape(inputs[name].shape) for name in wanted if name in arriving}


def independent(
    parts: tuple[Part, ...], run: Forward, dynamic: Mapping[str, dict]
) -> dict[tuple[str, str], jax.Array]:
    """Find where the examples of a batch are independent, for each value that a segment gives and takes.

    A random cotangent at one example alone is pulled back, and must reach that example alone.
    """
    are_independent = {}
    for part in parts:
        for of in part.segment.gives:
            value = run.values[of]
            count = value.shape[0] if value.ndim else 1
            takes = [name for name in part.segment.takes if run.values[name].shape[:1] == (count,)]
            if not takes or not 1 < count <= PROBED:
                continue
            noise = np.random.default_rng(0).standard_normal(value.shape)
            alone = np.stack([np.where(np.arange(count) == i, noise.T, 0.0).T for i in range(count)])
            back = _pulled(part, run, dynamic, of, jnp.asarray(alone, value.dtype))
            others = ~np.eye(count, dtype=bool)
            are_independent |= {(of, name): ~jnp.any(back[name][others] != 0) for name in takes}
    return are_independent


def _pulled(part: Part, run: Forward, dynamic: Mapping[str, dict], of: str, cotangents: jax.Array) -> Arrays:
    """Pull many cotangents of `of` back through one segment, as many at once as memory allows.

    At the segment's other outputs nothing arrives, which is not the same as zeros.
    """
    given = {name: run.values[name] for name in part.reads}
    pull = jax.vjp(lambda given: part(given, dynamic)[of], given)[1]
    largest = max(run.values[name].size for name in (*part.reads, *part.segment.gives))
    step = max(1, AT_ONCE // (largest * len(part.segment.nodes)))
    pieces = [cotangents[first : first + step] for first in range(0, len(cotangents), step)]
    pulled = [jax.vmap(lambda v: pull(v)[0])(piece) for piece in pieces]
    return {name: jnp.concatenate([piece[name] for piece in pulled]) for name in part.reads}
