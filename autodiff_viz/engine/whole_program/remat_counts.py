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
from autodiff_viz.engine.whole_program.backward_pass import BackwardPass, backward_pass
from autodiff_viz.engine.whole_program.interpreter import MARKER
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
    found = backward_pass(graph, shapes, dtype)
    forward, kept = markers(found.forward), Counter(name for name, _ in found.again)
    backward = Counter(event.place.node for event in found.events if event.marks)
    runs = {
        node.name: Runs(1, 0, 0)
        if node.op == INPUT
        else Runs(forward.get(node.name, 0), backward.get(node.name, 0), kept.get(node.name, 0))
        for node in graph.nodes
    }
    return Counts(runs, _residuals(found))


def markers(jaxpr: Any) -> Counter[str]:
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
