"""Read off the backward pass which nodes run again, and which arrays they and the pullbacks read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from autodiff_viz.engine.whole_program.program import structure
from autodiff_viz.engine.whole_program.remat import Event, Place, backward_pass, last_region, markers
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import Graph

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
      forward: the nodes that run in the forward pass; inputs are given.
      reruns: by index of a region that is pulled back, what runs again for that, in order. With it run the
        regions inside it, and they once more when they are pulled back.
      pulls: by node, what its pullback reads of earlier computations.
    """

    arrays: Mapping[int, Stored]
    residuals: frozenset[int]
    forward: frozenset[str]
    reruns: Mapping[int, tuple[Rerun, ...]]
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
    """Read the residuals first: the equations of the backward pass are told from them by their numbers."""
    program = backward_pass(graph, shapes, dtype)
    reading = _Reading({**program.value_of, **program.inputs}, program.copied)
    for array, number, aval in zip(program.residuals, program.shared, program.avals, strict=True):
        reading.keep(array, number, program.first.get(number, Place()).node, _size(aval))
    for event in program.events:
        reading.take(event)
    return reading.finished(frozenset(program.residuals), frozenset(markers(program.forward)))


Size = tuple[int, int]
"""Elements and bytes of an array."""


def _size(aval: Any) -> Size:
    elements = prod(aval.shape)
    return elements, elements * aval.dtype.itemsize


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
    again: dict[int, dict[str, _Run]] = field(default_factory=dict)  # runs by node, by region
    pulls: dict[str, _Run] = field(default_factory=dict)
    unnamed: dict[int, Size] = field(default_factory=dict)  # size by array, of constants without a node
    _factors: Counter[str] = field(default_factory=Counter)
    _taken: set[str] = field(default_factory=set)

    def keep(self, array: int, number: int, node: str, size: Size) -> None:
        """Take a residual of the forward pass."""
        name = self.values.get(number)
        if name is None and not node:
            self.unnamed[array] = size
        elif array not in self.arrays:
            # A second copy of a value is taken for a factor.
            first = name is not None and name not in self._taken
            self._taken.update([name] if first else [])
            self.arrays[array] = Stored(name if first else self._factor(name or node), *size)

    def take(self, event: Event) -> None:
        """Take an equation of the backward pass."""
        node, region = event.place.node, event.place.region
        if not node:
            return
        if region is None and event.marks:  # a region that passes nothing back runs for its effects alone
            region = last_region(event.place.scope)
        runs = self.pulls if region is None else self.again.setdefault(region, {})
        run = runs.setdefault(node, _Run())
        for operand in event.operands:
            self._read(run, node, operand)
        if region is not None and event.computes:
            arrays = zip(event.results, event.values, event.equation.outvars, strict=True)
            for array, number, variable in arrays:
                named = node if self.values.get(number) == node else self._factor(node)
                self.arrays[array] = Stored(named, *_size(variable.aval))
                run.writes[array] = None

    def _read(self, run: _Run, node: str, array: int) -> None:
        # A copy is read as what it is copied from, unless it was kept or computed as an array of its own.
        while array not in self.arrays and array not in self.unnamed and array in self.copied:
            array = self.copied[array]
        if array in self.unnamed:  # the node that reads a constant has it
            self.arrays[array] = Stored(self._factor(node), *self.unnamed.pop(array))
        if array in self.arrays and array not in run.writes:
            run.reads[array] = None

    def _factor(self, node: str) -> Factor:
        self._factors[node] += 1
        return Factor(node, self._factors[node] - 1)

    def finished(self, residuals: frozenset[int], forward: frozenset[str]) -> BackwardProgram:
        """Return what has been read, without the arrays that only their own run reads."""
        runs = [run for again in self.again.values() for run in again.values()]
        read = {array for run in (*runs, *self.pulls.values()) for array in run.reads}
        reruns: dict[int, tuple[Rerun, ...]] = {}
        for region, again in self.again.items():
            in_order = []
            for node, run in again.items():
                writes = tuple(a for a in run.writes if a in read or self.arrays[a].name == node)
                # A run that computes nothing is dropped by JAX, and reads nothing.
                in_order.append(Rerun(node, tuple(run.reads) if run.writes else (), writes))
            reruns[region] = tuple(in_order)
        pulls = {node: tuple(run.reads) for node, run in self.pulls.items()}
        return BackwardProgram(self.arrays, residuals & self.arrays.keys(), forward, reruns, pulls)
