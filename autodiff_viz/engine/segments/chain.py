"""Chain segments as functions, each with its own `jax.vjp`, that pass cotangents back.

A segment passes cotangents to the segments before it and nothing else, and the result is the gradient of the
whole graph. All functions here can be compiled, so training uses them too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import jax
import jax.numpy as jnp

from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.whole_program.program import Program, ruled_input
from autodiff_viz.graph.model import INPUT, Graph, Node, Rule
from autodiff_viz.graph.structure.bypass import played
from autodiff_viz.graph.structure.grad_nodes import readers
from autodiff_viz.graph.structure.segments import Segment, segments

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
    return tuple(_part(graph, segment, dtype, silent, apart) for segment in segments(graph))


def silent_wires(found: Trace) -> Silent:
    """Return the wires of the traced graph whose contribution is a symbolic zero."""
    return Silent(
        frozenset(wire for wire in found.passed if found.passed.is_symbolic_zero(wire)),
        frozenset(found.passed) - {*_heard_apart(found)},
    )


def _heard_apart(found: Trace) -> Iterator[Wire]:
    """Yield the wires of each segment down which something passes if only an output of the segment is
    differentiated."""
    for segment in segments(found.graph):
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

        _, pull, found = jax.vjp(give, given, has_aux=True)
        values.update(found)
        pulls.append(pull)
    return Forward(values, tuple(pulls))


def handed(parts: tuple[Part, ...], run: Forward, seed: jax.Array) -> Arrays:
    """Return cotangents by name of input or cut node, passed from the last segment to the first."""
    arriving = {parts[-1].segment.gives[-1]: seed}
    for part, pull in zip(reversed(parts), reversed(run.pulls), strict=True):
        own = {name: arriving[name] for name in part.heard}
        back = pull(own)[0] if own else {}
        _add(arriving, {name: found for name, found in back.items() if name in part.answered})
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
    found = {name: jnp.zeros_like(value) for name, value in inputs.items()}
    for name, value in inputs.items():
        if name not in arriving:
            continue
        cotangent = arriving[name]
        (found[name],) = jax.vjp(lambda x, name=name: ruled_input(graph[name], x), value)[1](cotangent)
    return found


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
