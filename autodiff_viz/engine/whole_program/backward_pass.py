"""Read the equations of the backward pass off the whole program's jaxprs, with their arrays and their places.

Nothing is executed. The program is traced with a marker in every node, an effect that JAX does not prune, so
that a region's runs are seen even where JAX drops what they compute.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from autodiff_viz.engine.whole_program.interpreter import MARKER, called
from autodiff_viz.engine.whole_program.numbering import Numbering, Place
from autodiff_viz.engine.whole_program.program import Program, dynamic_params
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.registries.dtypes import DTYPES


@dataclass(frozen=True)
class Halves:
    """The differentiated program as two jaxprs.

    `forward` gives (output, residuals); `backward` takes the residuals.
    """

    forward: Any
    backward: Any
    names: tuple[str, ...]

    @classmethod
    def of(cls, graph: Graph, shapes: tuple, dtype: str) -> Halves:
        """Trace the graph's program and its pullback for inputs of these shapes.

        A marker in each node shows the runs of regions whose results JAX drops. It leaves the other equations
        as they are.
        """
        program, dynamic = Program(graph, dtype, marked=_nothing, name_all=True), dynamic_params(graph)

        def run(inputs: dict) -> Any:
            return jax.vjp(lambda i: program(i, dynamic, {})[0], inputs)

        with jax.enable_x64(DTYPES[dtype].wide):
            inputs = {name: jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for name, shape in shapes}
            forward, (output, pull) = jax.make_jaxpr(run, return_shape=True)(inputs)
            backward = jax.make_jaxpr(lambda pull, v: pull(v))(pull, output)
        return cls(forward.jaxpr, backward.jaxpr, tuple(sorted(name for name, _ in shapes)))


def _nothing(name: str) -> None:
    """Do nothing: the marker's effect is counted in the jaxpr and never used for what it does."""


class Event(NamedTuple):
    """An equation of the backward pass.

    Attributes:
      equation, place: the equation, and where it stands.
      operands, results: the numbers of its arrays; each computation has its own.
      values: of its results, the numbers that equal computations of a node share, also of the forward pass.
    """

    equation: Any
    place: Place
    operands: list[int]
    results: list[int]
    values: list[int]

    @property
    def marks(self) -> bool:
        """Whether the equation is a marker: its node runs."""
        return self.equation.primitive.name == MARKER

    @property
    def computes(self) -> bool:
        """Whether the equation computes its results itself. Those of a call come one by one before it."""
        return not self.marks and called(self.equation) is None


@dataclass(frozen=True)
class BackwardPass:
    """The backward pass, and the numbers of what the forward pass keeps for it.

    Attributes:
      residuals: by order, the arrays' own numbers; an array that is kept twice has one.
      shared: the same, as `Event.values`.
      avals: the same, their shapes and dtypes.
      events: its equations, but no recomputation that nothing reads: JAX drops these before it runs them.
      named, first, copied: as of `Numbering`; the first two of shared numbers, `copied` of own ones.
      inputs: name by number, shared.
    """

    residuals: tuple[int, ...]
    shared: tuple[int, ...]
    avals: tuple[Any, ...]
    events: tuple[Event, ...]
    named: Mapping[str, int]
    first: Mapping[int, Place]
    copied: Mapping[int, int]
    inputs: Mapping[int, str]

    @property
    def value_of(self) -> Mapping[int, str]:
        """The node by the shared number of its value; the first node where an identity passes a value on."""
        return {number: name for name, number in reversed(self.named.items())}


def backward_pass(halves: Halves) -> BackwardPass:
    """Return the backward pass of the halves of a program.

    Raises:
      GraphError: the program has a form that is not known.
    """
    same, apart = Numbering(), Numbering(apart=True)
    shared, shared_events, _ = _numbered(halves, same)
    own, own_events, results = _numbered(halves, apart)
    pairs = zip(own_events, shared_events, strict=True)
    events = [Event(*event, values) for event, (*_, values) in pairs]
    return BackwardPass(
        residuals=tuple(own),
        shared=tuple(shared),
        avals=tuple(variable.aval for variable in halves.forward.outvars[1:]),
        events=tuple(_needed(events, results, apart.copied)),
        named=same.named,
        first=same.first,
        copied=apart.copied,
        inputs={same.fresh(("input", name)): name for name in halves.names},
    )


def _numbered(halves: Halves, numbering: Numbering) -> tuple[list[int], list[tuple], list[int]]:
    """Return the numbers of the residuals, the equations of the backward pass, the numbers of its results."""
    events: list[tuple] = []
    _, *residuals = numbering.number(halves.forward, [numbering.fresh(("input", n)) for n in halves.names])
    numbering.on_equation = lambda *event: events.append(event)
    results = numbering.number(halves.backward, [*residuals, numbering.fresh(("seed",))])
    return residuals, events, results


def _needed(events: list[Event], results: Iterable[int], copied: Mapping[int, int]) -> Iterator[Event]:
    """Return the equations without recomputations that nothing reads."""
    needed: set[int] = set()

    def need(numbers: Iterable[int]) -> None:
        for number in numbers:
            needed.add(number)
            while number in copied:
                number = copied[number]
                needed.add(number)

    need(results)
    kept = []
    for event in reversed(events):
        if event.computes and event.place.region is not None and needed.isdisjoint(event.results):
            continue
        if event.computes:
            need(event.operands)
        kept.append(event)
    return reversed(kept)
