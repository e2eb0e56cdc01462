"""Read the backward pass off the whole program's jaxpr: which nodes run again, and which arrays are read.

Nothing is executed. The program is traced with a marker in every node, an effect that JAX does not prune, so
that a region's runs are seen even where JAX drops what they compute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import jax

from autodiff_viz.engine.whole_program.interpreter import MARKER, called
from autodiff_viz.engine.whole_program.numbering import Numbering, Place
from autodiff_viz.engine.whole_program.program import structure
from autodiff_viz.engine.whole_program.remat_counts import Halves, backward_arguments, value_of
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.registries.dtypes import DTYPES

KEPT = 64  # graphs whose backward pass is memoised


@dataclass(frozen=True, slots=True)
class Factor:
    """An array of a node that is not its value: a factor of its derivative, computed before it is needed.

    Attributes:
      node: the node that computes it.
      number: counts the arrays of that kind of that node, from 0; a later run computes another one.
    """

    node: str
    number: int


@dataclass(frozen=True, slots=True)
class Stored:
    """An array that a later step of the backward pass reads.

    Attributes:
      name: the node, for the node's value; else the factor.
      elements, bytes: its size.
    """

    name: str | Factor
    elements: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Rerun:
    """A run of a node in the backward pass. Arrays are keys of `BackwardProgram.arrays`.

    Attributes:
      reads: what it reads of other runs and of the forward pass.
      writes: what it computes and JAX keeps; empty if no derivative needs anything of this run.
    """

    node: str
    reads: tuple[int, ...]
    writes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BackwardProgram:
    """The backward pass as JAX would run it.

    Attributes:
      arrays: what is computed before it is needed, by number.
      residuals: the numbers of the arrays that the forward pass keeps.
      visits: for each time that a region runs again, in order, its index in the graph and the runs of its
        nodes. A region inside another one is visited after the outer one, within the pullbacks of that.
      pulls: by node, what its pullback reads of earlier computations.
    """

    arrays: Mapping[int, Stored]
    residuals: frozenset[int]
    visits: tuple[tuple[int, tuple[Rerun, ...]], ...]
    pulls: Mapping[str, tuple[int, ...]]

    def key(self, array: int) -> str | int:
        """Return the node's name for a value that the forward pass keeps, else the array's number."""
        name = self.arrays[array].name
        return name if isinstance(name, str) and array in self.residuals else array


def backward_program(graph: Graph, shapes: Mapping[str, tuple[int, ...]], dtype: str) -> BackwardProgram:
    """Return the backward pass of a valid graph, for inputs of these shapes."""
    return _read(structure(graph), tuple(sorted(shapes.items())), dtype)


@remembered(KEPT)
def _read(graph: Graph, shapes: tuple, dtype: str) -> BackwardProgram:
    with jax.enable_x64(DTYPES[dtype].wide):
        halves = Halves.of(graph, shapes, dtype)
    same, distinct = Numbering(), Numbering(apart=True)
    # Equal computations have one number in `same`, which says what an array is; in `distinct` each has its
    # own, which distinguishes arrays.
    kept, inputs = halves.number_forward(same)
    arrays, _ = halves.number_forward(distinct)
    reading = _Reading(value_of(same) | inputs, distinct.copied)
    sizes = [_size(variable.aval) for variable in halves.forward.outvars[1:]]
    for array, number, size in zip(arrays, kept, sizes, strict=True):
        reading.keep(array, number, same.first.get(number, Place()).node, size)
    events = _events(halves, distinct, arrays)
    for (equation, place, operands, results), (*_, numbers) in zip(
        events, _events(halves, same, kept), strict=True
    ):
        reading.take(equation, place, operands, list(zip(results, numbers, strict=True)))
    return reading.finished(frozenset(arrays))


Size = tuple[int, int]
"""Elements and bytes of an array."""


def _size(aval: Any) -> Size:
    elements = prod(aval.shape)
    return elements, elements * aval.dtype.itemsize


Event = tuple[Any, Place, list[int], list[int]]


def _events(halves: Halves, numbering: Numbering, residuals: list[int]) -> list[Event]:
    """Return the equations of the backward pass with their places and the numbers of their arrays."""
    found: list[Event] = []

    numbering.on_equation = lambda *event: found.append(event)
    numbering.number(halves.backward, backward_arguments(numbering, residuals))
    numbering.on_equation = None
    return found


@dataclass
class _Run:
    """A run of a node while it is read: array numbers, in order and without duplicates."""

    reads: dict[int, None] = field(default_factory=dict)
    writes: dict[int, None] = field(default_factory=dict)


@dataclass
class _Reading:
    """The backward pass as far as it has been read."""

    values: Mapping[int, str]
    copied: Mapping[int, int]
    arrays: dict[int, Stored] = field(default_factory=dict)
    visits: dict[str, dict[str, _Run]] = field(default_factory=dict)
    regions: dict[str, int] = field(default_factory=dict)  # by visit
    pulls: dict[str, _Run] = field(default_factory=dict)
    unnamed: dict[int, Size] = field(default_factory=dict)  # size by array, of constants without a node
    _factors: Counter[str] = field(default_factory=Counter)
    _taken: set[str] = field(default_factory=set)

    def keep(self, array: int, number: int, node: str, size: Size) -> None:
        """Take a residual of the forward pass; a second copy of a value is taken for a factor."""
        name = self.values.get(number)
        if name is None and not node:
            self.unnamed[array] = size
        elif array not in self.arrays:
            first = name is not None and name not in self._taken
            self._taken.update([name] if first else [])
            self.arrays[array] = Stored(name if first else self._factor(name or node), *size)

    def take(self, equation: Any, place: Place, operands: list[int], results: list[tuple[int, int]]) -> None:
        """Take an equation of the backward pass; `results` are (own number, number of equal arrays)."""
        if not place.node:
            return
        if not place.again:
            run = self.pulls.setdefault(place.node, _Run())
        else:
            self.regions[place.visit] = place.region
            run = self.visits.setdefault(place.visit, {}).setdefault(place.node, _Run())
        for operand in operands:
            self._read(run, place.node, operand)
        one = called(equation) is None  # the equations of a call come one by one
        if place.again and one and equation.primitive.name != MARKER:
            for (array, number), variable in zip(results, equation.outvars, strict=True):
                is_value = self.values.get(number) == place.node
                named = place.node if is_value else self._factor(place.node)
                self.arrays[array] = Stored(named, *_size(variable.aval))
                run.writes[array] = None

    def _read(self, run: _Run, node: str, array: int) -> None:
        while array not in self.arrays and array not in self.unnamed and array in self.copied:
            array = self.copied[array]
        if array in self.unnamed:  # the node that reads a constant has it
            self.arrays[array] = Stored(self._factor(node), *self.unnamed.pop(array))
        if array in self.arrays and array not in run.writes:
            run.reads[array] = None

    def _factor(self, node: str) -> Factor:
        self._factors[node] += 1
        return Factor(node, self._factors[node] - 1)

    def finished(self, residuals: frozenset[int]) -> BackwardProgram:
        """Return what has been read, without the arrays that only their own run reads."""
        runs = [run for visit in self.visits.values() for run in visit.values()]
        read = {array for run in (*runs, *self.pulls.values()) for array in run.reads}
        visits = tuple(
            (self.regions[key], tuple(self._reruns(visit, read))) for key, visit in self.visits.items()
        )
        pulls = {node: tuple(run.reads) for node, run in self.pulls.items()}
        return BackwardProgram(self.arrays, residuals & self.arrays.keys(), visits, pulls)

    def _reruns(self, visit: Mapping[str, _Run], read: set[int]) -> Iterator[Rerun]:
        for node, run in visit.items():
            writes = tuple(a for a in run.writes if a in read or self.arrays[a].name == node)
            yield Rerun(node, tuple(run.reads) if run.writes else (), writes)
