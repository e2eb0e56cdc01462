"""The chain: each segment is a function with a `jax.vjp` of its own, and hands cotangents to those before it.

Nothing else passes from segment to segment. What comes out is the gradient of the whole graph. Everything
here can be compiled, so training takes the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import jax
import jax.numpy as jnp

from autodiff_viz.engine.live import Wire
from autodiff_viz.engine.program import Program, ruled_input
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.graph.model import INPUT, Graph, Node, Rule
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import consumers
from autodiff_viz.graph.segments import Segment, segments

Arrays = dict[str, jax.Array]
Pull = Callable[[Arrays], tuple[Arrays]]


class Silent(NamedTuple):
    """The wires that pass nothing at all, whatever the numbers are: those behind a stop, or a `sign`.

    Nothing is not zero: a rule that rewrites to 1 does so where a zero arrives, and not behind a stop.

    Attributes:
      chained: where segments hand cotangents across.
      apart: where each segment is differentiated against its own output.
    """

    chained: frozenset[Wire]
    apart: frozenset[Wire]


@dataclass(frozen=True)
class Part:
    """A segment as a JAX function of what it reads: inputs, and what earlier segments give.

    Attributes:
      heard: of what it gives, what a cotangent arrives at, in its order.
      answered: of what it reads, what it passes a cotangent to.
    """

    segment: Segment
    program: Program
    heard: tuple[str, ...]
    answered: frozenset[str]

    @property
    def reads(self) -> tuple[str, ...]:
        return (*self.segment.inputs, *self.segment.takes)

    def __call__(self, given: Arrays, dynamic: Mapping[str, dict]) -> Arrays:
        """What it gives, by node name."""
        own = {name: params for name, params in dynamic.items() if name in self.segment.nodes}
        values = self.program(given, own, {})[1]
        return {name: values[name] for name in self.segment.gives}


@dataclass(frozen=True)
class Forward:
    """Every segment run once.

    Attributes:
      values: of inputs and of what segments give.
      pulls: by segment, the function that `jax.vjp` returned for it: of cotangents of what is heard.
    """

    values: Arrays
    pulls: tuple[Pull, ...]


def parts(graph: Graph, dtype: str, silent: frozenset[Wire], *, apart: bool = False) -> tuple[Part, ...]:
    """The segments of a graph as functions, with the rules inside them, but for those of inputs: such a rule
    acts on what arrives from all segments together. Along `silent` wires nothing is passed.

    `apart`: a cotangent arrives at all that a segment gives, whoever reads it.
    """
    graph = played(graph)
    return tuple(_part(graph, segment, dtype, silent, apart) for segment in segments(graph))


def silent_wires(found: Trace) -> Silent:
    """The wires of the traced graph that pass nothing."""
    alone = _alone_traces(found)
    return Silent(
        frozenset(wire for wire in found.passed if found.passed.is_symbolic_zero(wire)),
        frozenset(found.passed) - {w for t in alone for w in t.passed if not t.passed.is_symbolic_zero(w)},
    )


def _alone_traces(found: Trace) -> list[Trace]:
    """A trace of each segment by itself, for each value that it gives."""
    graph, traces = found.graph, []
    for segment in segments(graph):
        alone = _alone(graph, segment)
        inputs = {name: found.value[name] for name in (*segment.inputs, *segment.takes)}
        traces += [trace(replace(alone, output=of), inputs, dtype=found.dtype) for of in segment.gives]
    return traces


def _part(graph: Graph, segment: Segment, dtype: str, silent: frozenset[Wire], apart: bool) -> Part:
    inside, uses = set(segment.nodes), consumers(graph)

    def is_read(name: str, there: bool) -> bool:
        """Whether a node of this segment, or outside it, passes something to the named one."""
        return any(wire not in silent and (wire[0] in inside) is there for wire in uses[name])

    heard = (n for n in segment.gives if apart or n == graph.output or is_read(n, there=False))
    answered = (n for n in (*segment.inputs, *segment.takes) if is_read(n, there=True))
    return Part(segment, Program(_alone(graph, segment), dtype), tuple(heard), frozenset(answered))


def forward(parts: tuple[Part, ...], inputs: Arrays, dynamic: Mapping[str, dict]) -> Forward:
    """Run the segments in order, each with a `jax.vjp` of its own."""
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
    """Cotangents by name of input or cut node, handed across from the last segment to the first."""
    arriving = {parts[-1].segment.gives[-1]: seed}
    for part, pull in zip(reversed(parts), reversed(run.pulls), strict=True):
        own = {name: arriving[name] for name in part.heard}
        back = pull(own)[0] if own else {}
        _add(arriving, {name: found for name, found in back.items() if name in part.answered})
    return arriving


def apart(parts: tuple[Part, ...], run: Forward, seed: jax.Array) -> Arrays:
    """The broken way: nothing is handed across, each segment is differentiated against its own output with
    ones, whoever hears it. Cotangents by name of input; `parts` are those of `apart`."""
    arriving: Arrays = {}
    for part, pull in zip(parts, run.pulls, strict=True):
        ones = {name: jnp.ones_like(run.values[name]) for name in part.segment.gives}
        own = {part.segment.gives[-1]: seed} if part is parts[-1] else ones
        back = pull(own)[0]
        _add(arriving, {name: back[name] for name in part.segment.inputs if name in part.answered})
    return arriving


def with_input_rules(graph: Graph, inputs: Arrays, arriving: Arrays) -> Arrays:
    """The gradient by input: what arrives there, after the input's own rule."""
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
    """The segment as a graph whose inputs are all that it reads, without regions, which change no number."""
    read = [replace(graph[name], rule=Rule()) for name in segment.inputs]
    read += [Node(name, INPUT) for name in segment.takes]
    return Graph((*read, *(graph[name] for name in segment.nodes)), (), segment.gives[-1])
