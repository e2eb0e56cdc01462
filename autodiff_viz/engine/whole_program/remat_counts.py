"""Count runs of nodes and residuals of the forward pass, read off the whole program.

Nothing is executed: JAX traces the differentiated program, and the equations of its jaxprs are counted. A
jaxpr whose form is not known is refused. `verify` compares the runs with `executed_runs`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from autodiff_viz.engine.check import diagnose
from autodiff_viz.engine.whole_program.backward_pass import BackwardPass, Halves, backward_pass
from autodiff_viz.engine.whole_program.interpreter import MARKER, uncounted
from autodiff_viz.engine.whole_program.numbering import Numbering, Place
from autodiff_viz.engine.whole_program.program import structure
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.problem import GraphError

KEPT = 256  # graphs whose counts are memoised; plain numbers, no programs


@dataclass(frozen=True, slots=True)
class Runs:
    """Counts of the runs of a node's forward computation.

    Attributes:
      forward: runs in the forward pass.
      backward: further runs in the backward pass, by rematerialisation of a checkpointed block that holds the
        node; a print in the block would show as many.
      kept: how many of the backward runs JAX keeps after it drops what the derivatives do not need. 0 kept of
        1 means that the recomputation costs nothing.
    """

    forward: int
    backward: int
    kept: int


@dataclass(frozen=True, slots=True)
class Residual:
    """An array that the forward pass keeps for the backward pass.

    Attributes:
      producer: node that computes it; "" for a constant of the program.
      is_value: whether it is the producer's value; otherwise it is a factor of its derivative, computed
        early.
      consumers: nodes whose pullback reads it.
      shape, elements, bytes: its size.
    """

    producer: str
    is_value: bool
    consumers: tuple[str, ...]
    shape: tuple[int, ...]
    elements: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Counts:
    """Run counts by node name, and the residuals."""

    runs: Mapping[str, Runs]
    residuals: tuple[Residual, ...]


def runs_of(graph: Graph, shapes: Mapping[str, tuple[int, ...]], dtype: str) -> Mapping[str, Runs]:
    """Return run counts by node name, for inputs of these shapes."""
    return _counts(graph, shapes, dtype).runs


def residuals_of(graph: Graph, shapes: Mapping[str, tuple[int, ...]], dtype: str) -> tuple[Residual, ...]:
    """Return the residuals of one forward pass, for inputs of these shapes."""
    return _counts(graph, shapes, dtype).residuals


def _counts(graph: Graph, shapes: Mapping[str, tuple[int, ...]], dtype: str) -> Counts:
    found = diagnose(graph, shapes)
    if found:
        raise GraphError(found)
    return _count(structure(graph), tuple(sorted(shapes.items())), dtype)


@remembered(KEPT)
def _count(graph: Graph, shapes: tuple, dtype: str) -> Counts:
    halves = Halves.of(graph, shapes, dtype)
    found = backward_pass(halves)
    again = _computed_again(found)
    _check_form(graph, found, again)
    kept = Counter(name for name, _ in again)
    forward, backward = _markers(halves.forward), Counter(e.place.node for e in found.events if e.marks)
    runs = {
        node.name: Runs(1, 0, 0)
        if node.op == INPUT
        else Runs(forward.get(node.name, 0), backward.get(node.name, 0), kept.get(node.name, 0))
        for node in graph.nodes
    }
    return Counts(runs, _residuals(found))


Again = set[tuple[str, int]]
"""Values that the backward pass computes again: (node, index of the region whose pullback needs it)."""


def _computed_again(found: BackwardPass) -> Again:
    """Return the values that the backward pass computes again: an equation has the value's number."""
    values = found.value_of
    return {
        (event.place.node, region)
        for event in found.events
        if event.computes
        and (region := event.place.region) is not None
        and any(values.get(number) == event.place.node for number in event.values)
    }


def _check_form(graph: Graph, found: BackwardPass, again: Again) -> None:
    """Check what holds in every form in which JAX writes regions.

    Raises:
      GraphError: it does not hold, so that the reading of this form cannot be trusted.
    """
    if graph[graph.output].op != INPUT and graph.output not in found.named:
        raise uncounted(f"its program does not name the value of {graph.output!r}")
    # A region that passes nothing back runs for the marks alone. Where others run, JAX says that it recomputes.
    outside = [event for event in found.events if event.place.region is None]
    marked = {event.place.node for event in outside if event.marks}
    if unknown := marked & {event.place.node for event in outside if event.computes}:
        raise uncounted(f"it runs {min(unknown)!r} again without saying that it does")
    if unknown := _read_again(found) - again:
        raise uncounted(f"it computes {min(unknown)[0]!r} again in a form that is not known")


def _read_again(found: BackwardPass) -> Again:
    """Return the values that are computed again for another node, whatever their numbers are.

    What a node hands to others is its value; factors of its derivative it reads itself. These are a part of
    `_computed_again`, unless that does not recognise a value.
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


def _markers(jaxpr: Any) -> Counter[str]:
    """Return, by node, how many of its markers `jaxpr` holds, regions included."""
    counted: Counter[str] = Counter()

    def look(equation: Any, place: Place, operands: list[int], results: list[int]) -> None:
        if equation.primitive.name == MARKER:
            counted[place.node] += 1

    numbering = Numbering(look)
    numbering.number(jaxpr, [numbering.fresh(variable) for variable in jaxpr.invars])
    return counted


def _residuals(found: BackwardPass) -> tuple[Residual, ...]:
    """Return the residuals: one per computation, as `jax.vjp` keeps them, although two may be equal."""
    readers: dict[int, set[str]] = {}
    for event in found.events:
        for number in event.operands if event.place.node else ():
            readers.setdefault(number, set()).add(event.place.node)
    values = {**found.value_of, **found.inputs}
    residuals: dict[int, Residual] = {}
    for array, number, aval in zip(found.residuals, found.shared, found.avals, strict=True):
        place, size = found.first.get(number, Place()), prod(aval.shape)
        residuals[array] = Residual(
            producer=values.get(number, place.node),
            is_value=number in values,
            consumers=tuple(sorted(readers.get(array, ()))),
            shape=tuple(aval.shape),
            elements=size,
            bytes=size * aval.dtype.itemsize,
        )
    return tuple(residuals.values())
