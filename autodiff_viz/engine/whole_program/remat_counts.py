"""Count runs of nodes and residuals of the forward pass, read off the whole program.

Nothing is executed: JAX traces the differentiated program, and the equations of its jaxprs are counted. What
is counted is compared with what reads no jaxpr: `executed_runs` has the runs, `_check` the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import jax
import jax.numpy as jnp

from autodiff_viz.engine.check import diagnose
from autodiff_viz.engine.whole_program.interpreter import MARKER, uncounted
from autodiff_viz.engine.whole_program.numbering import Numbering, Place
from autodiff_viz.engine.whole_program.program import Program, dynamic_params, structure
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.registries.dtypes import DTYPES

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
    with jax.enable_x64(DTYPES[dtype].wide):
        halves = Halves.of(graph, shapes, dtype)
    numbering = Numbering()
    kept_values, arguments = halves.number_forward(numbering)
    kept = _kept(halves, numbering, kept_values)
    forward, backward = _markers(halves.forward), _markers(halves.backward)
    runs = {
        node.name: Runs(1, 0, 0)
        if node.op == INPUT
        else Runs(forward.get(node.name, 0), backward.get(node.name, 0), kept.get(node.name, 0))
        for node in graph.nodes
    }
    if graph[graph.output].op != INPUT and graph.output not in numbering.named:
        raise uncounted(f"its program does not name the value of {graph.output!r}")
    return Counts(runs, _residuals(halves, numbering, kept_values, arguments))


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
        inputs = {name: jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for name, shape in shapes}

        def run(inputs: dict) -> Any:
            return jax.vjp(lambda i: program(i, dynamic, {})[0], inputs)

        forward, (output, pull) = jax.make_jaxpr(run, return_shape=True)(inputs)
        backward = jax.make_jaxpr(lambda pull, v: pull(v))(pull, output)
        return cls(forward.jaxpr, backward.jaxpr, tuple(sorted(inputs)))

    def number_forward(self, numbering: Numbering) -> tuple[list[int], dict[int, str]]:
        """Number the forward jaxpr; return (numbers of the residuals, input name by number)."""
        arguments = {numbering.fresh(("input", name)): name for name in self.names}
        results = numbering.number(self.forward, arguments)
        return results[1:], arguments


def _nothing(name: str) -> None:
    """Do nothing: the marker's effect is counted in the jaxpr and never used for what it does."""


def _kept(halves: Halves, numbering: Numbering, residuals: list[int]) -> dict[str, int]:
    """Return, by node, in how many recomputed regions an equation computes the node's value again."""
    values = value_of(numbering)
    seen: set[tuple[str, str]] = set()

    def look(equation: Any, place: Place, operands: list[int], results: list[int]) -> None:
        if place.again:
            seen.update((place.node, place.visit) for r in results if values.get(r) == place.node)

    numbering.on_equation = look
    numbering.number(halves.backward, backward_arguments(numbering, residuals))
    numbering.on_equation = None
    counted: dict[str, int] = {}
    for name, _ in seen:
        counted[name] = counted.get(name, 0) + 1
    return counted


def value_of(numbering: Numbering) -> dict[int, str]:
    """Return the node by the number of its value; the first node where an identity passes a value on."""
    return {number: name for name, number in reversed(numbering.named.items())}


def backward_arguments(numbering: Numbering, residuals: list[int]) -> list[int]:
    """Return the numbers of the backward jaxpr's arguments: the residuals, then the seed."""
    return [*residuals, numbering.fresh(("seed",))]


def _markers(jaxpr: Any) -> dict[str, int]:
    """Return, by node, how many of its markers `jaxpr` holds, regions included."""
    counted: dict[str, int] = {}

    def look(equation: Any, place: Place, operands: list[int], results: list[int]) -> None:
        if equation.primitive.name == MARKER:
            counted[place.node] = counted.get(place.node, 0) + 1

    numbering = Numbering(look)
    numbering.number(jaxpr, [numbering.fresh(("argument", i)) for i in range(len(jaxpr.invars))])
    return counted


def _residuals(
    halves: Halves, numbering: Numbering, residuals: list[int], inputs: dict[int, str]
) -> tuple[Residual, ...]:
    """Return the residuals: one per computation, as `jax.vjp` keeps them, although two may be equal."""
    distinct = Numbering(apart=True)
    arrays, _ = halves.number_forward(distinct)
    readers = _readers(halves, distinct, arrays)
    values = value_of(numbering) | inputs
    found: dict[int, Residual] = {}
    for array, number, variable in zip(arrays, residuals, halves.forward.outvars[1:], strict=True):
        place, shape = numbering.first.get(number, Place()), tuple(variable.aval.shape)
        size = prod(shape)
        found[array] = Residual(
            producer=values.get(number, place.node),
            is_value=number in values,
            consumers=tuple(sorted(readers.get(array, ()))),
            shape=shape,
            elements=size,
            bytes=size * variable.aval.dtype.itemsize,
        )
    return tuple(found.values())


def _readers(halves: Halves, numbering: Numbering, residuals: list[int]) -> dict[int, set[str]]:
    """Return, by residual, the nodes in whose scope the backward pass reads it."""
    wanted, found = set(residuals), {}

    def look(equation: Any, place: Place, operands: list[int], results: list[int]) -> None:
        for number in wanted.intersection(operands):
            if place.node:
                found.setdefault(number, set()).add(place.node)

    numbering.on_equation = look
    numbering.number(halves.backward, backward_arguments(numbering, residuals))
    return found
