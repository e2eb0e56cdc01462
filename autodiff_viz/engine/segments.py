"""The chain: each segment is a function with a `jax.vjp` of its own, and hands cotangents to those before it.

Nothing else passes from segment to segment. What comes out is the gradient of the whole graph. Everything
here can be compiled, so training takes the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp

from autodiff_viz.engine.live import Wire
from autodiff_viz.engine.program import Program, ruled_input
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import INPUT, Graph, Node, Rule
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import consumers
from autodiff_viz.graph.segments import Segment, segments

Arrays = dict[str, jax.Array]
Pull = Callable[[Arrays], tuple[Arrays]]


@dataclass(frozen=True)
class Part:
    """A segment as a JAX function of what it reads: inputs, and what earlier segments give.

    Attributes:
      heard: of what it gives, what a cotangent can arrive at. Nothing is not zero: a rule that rewrites to 1
        does so where a zero arrives, and does nothing behind a stop.
      answered: of what it reads, what it passes a cotangent to.
    """

    segment: Segment
    program: Program
    heard: frozenset[str]
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


def parts(graph: Graph, dtype: str, silent: frozenset[Wire] = frozenset()) -> tuple[Part, ...]:
    """The segments of a graph as functions, with the rules inside them, but for those of inputs: such a rule
    acts on what arrives from all segments together. Along `silent` wires nothing is passed."""
    graph = played(graph)
    return tuple(_part(graph, segment, dtype, silent) for segment in segments(graph))


def silent_wires(found: Trace) -> frozenset[Wire]:
    """The wires that pass nothing at all, whatever the numbers are: those behind a stop, or a `sign`."""
    return frozenset(wire for wire in found.passed if found.passed.is_symbolic_zero(wire))


def _part(graph: Graph, segment: Segment, dtype: str, silent: frozenset[Wire]) -> Part:
    inside = set(segment.nodes)
    uses = consumers(graph)
    heard = {
        name for name in segment.gives if any(w not in silent and w[0] not in inside for w in uses[name])
    }
    heard |= {graph.output} & inside
    reads = (*segment.inputs, *segment.takes)
    answered = {name for name in reads if any(w not in silent and w[0] in inside for w in uses[name])}
    return Part(segment, Program(_alone(graph, segment), dtype), frozenset(heard), frozenset(answered))


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
    ones, whoever hears it. Cotangents by name of input; `parts` without silent wires."""
    arriving: Arrays = {}
    for part, pull in zip(parts, run.pulls, strict=True):
        ones = {name: jnp.ones_like(run.values[name]) for name in part.segment.gives}
        own = {part.segment.gives[-1]: seed} if part is parts[-1] else ones
        back = pull(own)[0]
        _add(arriving, {name: back[name] for name in part.segment.inputs})
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
