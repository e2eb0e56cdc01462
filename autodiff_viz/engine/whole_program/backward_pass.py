"""Read the equations of the backward pass off the whole program's jaxprs, with their arrays and their places.

Nothing is executed. The program is traced with a marker in every node, an effect that JAX does not prune, so
that a region's runs are seen even where JAX drops what they compute.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from autodiff_viz.engine.whole_program.interpreter import MARKER, called, uncounted
from autodiff_viz.engine.whole_program.numbering import Numbering, Place
from autodiff_viz.engine.whole_program.program import Program, dynamic_params
from autodiff_viz.graph.model import INPUT, Graph
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


Again = set[tuple[str, int]]
"""Values that the backward pass computes again: (node, index of the region whose pullback needs it)."""


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
      forward: the jaxpr of the forward pass.
    """

    residuals: tuple[int, ...]
    shared: tuple[int, ...]
    avals: tuple[Any, ...]
    events: tuple[Event, ...]
    named: Mapping[str, int]
    first: Mapping[int, Place]
    copied: Mapping[int, int]
    inputs: Mapping[int, str]
    forward: Any

    @cached_property
    def value_of(self) -> Mapping[int, str]:
        """The node by the shared number of its value; the first node where an identity passes a value on."""
        return {number: name for name, number in reversed(self.named.items())}

    @cached_property
    def again(self) -> Again:
        """The values that the backward pass computes again: an equation has the value's number."""
        return {
            (event.place.node, region)
            for event in self.events
            if event.computes
            and (region := event.place.region) is not None
            and any(self.value_of.get(number) == event.place.node for number in event.values)
        }


def backward_pass(graph: Graph, shapes: tuple, dtype: str) -> BackwardPass:
    """Return the backward pass of a graph's program for inputs of these shapes.

    Raises:
      GraphError: the program has a form that is not known.
    """
    found = _read(Halves.of(graph, shapes, dtype))
    _check_form(graph, found)
    return found


def _read(halves: Halves) -> BackwardPass:
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
        forward=halves.forward,
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


def _check_form(graph: Graph, found: BackwardPass) -> None:
    """Check what holds in every form in which JAX writes regions.

    Raises:
      GraphError: it does not hold, so that the reading of this form cannot be trusted.
    """
    if graph[graph.output].op != INPUT and graph.output not in found.named:
        raise uncounted(f"its program does not name the value of {graph.output!r}")
    # A region that passes nothing back runs for the marks alone. Of all others JAX says that it recomputes.
    outside = [event for event in found.events if event.place.region is None]
    marked = {event.place.node for event in outside if event.marks}
    if unknown := marked & {event.place.node for event in outside if event.computes}:
        raise uncounted(f"it runs {min(unknown)!r} again without saying that it does")
    if unknown := _read_again(found) - found.again:
        raise uncounted(f"it computes {min(unknown)[0]!r} again in a form that is not known")


def _read_again(found: BackwardPass) -> Again:
    """Return the values that are computed again for another node, whatever their numbers are.

    What a node hands to others is its value; factors of its derivative it reads itself. These are a part of
    `BackwardPass.again`, unless that does not recognise a value.
    """
    made: dict[int, tuple[str, int]] = {}
    read: Again = set()
    for event in found.events:
        if event.computes:
            node, region = event.place.node, event.place.region
            origins = [made[number] for number in event.operands if number in made]
            read.update(origin for origin in origins if node not in ("", origin[0]))
            if region is not None:
                made.update(dict.fromkeys(event.results, (node, region)))
    return read
