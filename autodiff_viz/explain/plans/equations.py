"""Read the equations of a graph's differentiated program, and what each pullback needs of them.

They are read off the program without checkpoint regions. From them `explain/plans/search.py` computes what
any choice of regions keeps and runs again, without a call of JAX for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from autodiff_viz.engine.whole_program.jaxprs import MARKER, NAMES, called, interpret, opened, primitive_of
from autodiff_viz.engine.whole_program.program import structure
from autodiff_viz.engine.whole_program.remat import Halves, node_of, only_marks
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import Graph

KEPT = 16  # graphs whose equations are memoised


@dataclass(frozen=True, slots=True)
class Use:
    """A read of an array.

    Attributes:
      array: its number.
      names: the nodes as whose value it is read, the innermost first; a policy that saves one of these names
        saves it. A pullback may read the result of an op before it is named: no policy saves that.
    """

    array: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Computed:
    """An equation of a node: what it reads, and the arrays that it computes."""

    node: str
    uses: tuple[Use, ...]
    results: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Equations:
    """The forward equations in order, and the arrays.

    Attributes:
      computed: the equations of nodes.
      pulls: by node, what its pullback reads of the forward pass.
      elements: by array.
      node: by array, the node that computes it; of a constant and an input, "" and the input.
      value: by array that is a node's value, the node.
    """

    computed: tuple[Computed, ...]
    pulls: Mapping[str, tuple[Use, ...]]
    elements: Mapping[int, int]
    node: Mapping[int, str]
    value: Mapping[int, str]


def equations(graph: Graph, shapes: Mapping[str, tuple[int, ...]], dtype: str) -> Equations:
    """Return the equations of a valid graph for inputs of these shapes; its regions are left out."""
    return _read(structure(graph), tuple(sorted(shapes.items())), dtype)


@remembered(KEPT)
def _read(graph: Graph, shapes: tuple, dtype: str) -> Equations:
    """Read first the forward half, whose results are the output and the residuals, then the backward half."""
    halves = Halves.of(graph, shapes, dtype)
    reading = _Reading()
    inputs = [
        reading.array(variable.aval, name)
        for name, variable in zip(halves.names, halves.forward.invars, strict=True)
    ]
    for use, name in zip(inputs, halves.names, strict=True):
        reading.value[use.array] = name
    kept = reading.read(halves.forward, inputs, "")[1:]
    reading.forward = False
    seed = reading.array(halves.backward.invars[-1].aval, "")
    known = zip(kept, halves.forward.outvars[1:], strict=True)
    residuals = [reading.array(variable.aval, "") if use is None else use for use, variable in known]
    # What a pullback reads of the forward pass, residuals among it; not what arrives.
    reading.known = set(reading.elements) - {seed.array}
    reading.read(halves.backward, [*residuals, seed], "")
    pulls = {node: tuple(uses) for node, uses in reading.pulls.items()}
    return Equations(tuple(reading.computed), pulls, reading.elements, reading.node, reading.value)


@dataclass
class _Reading:
    """The equations as far as they have been read."""

    computed: list[Computed] = field(default_factory=list)
    pulls: dict[str, dict[Use, None]] = field(default_factory=dict)
    elements: dict[int, int] = field(default_factory=dict)
    node: dict[int, str] = field(default_factory=dict)
    value: dict[int, str] = field(default_factory=dict)
    known: set[int] = field(default_factory=set)  # arrays of the forward pass
    forward: bool = True

    def array(self, aval: Any, node: str) -> Use:
        """Add an array that a node computes."""
        number = len(self.elements)
        self.elements[number], self.node[number] = prod(aval.shape), node
        return Use(number)

    def read(self, jaxpr: Any, arguments: list[Use | None], around: str) -> list[Use | None]:
        """Read the equations of a jaxpr; a literal is None."""
        constants = [self.array(constant.aval, "") for constant in jaxpr.constvars]

        def apply(equation: Any, uses: list[Use | None]) -> list[Use | None]:
            return self.equation(equation, uses, node_of(equation) or around)

        return interpret(jaxpr, constants, arguments, lambda literal: None, apply)

    def equation(self, equation: Any, uses: list[Use | None], node: str) -> list[Use | None]:
        """Read one equation and return its results."""
        name, params = primitive_of(equation)
        if name in NAMES:
            return [self._named(uses[0], params["name"], equation, node)]
        if only_marks(equation):
            return uses[: len(equation.outvars)]
        if name == MARKER:
            return []
        if (body := called(equation)) is not None:
            return self.read(opened(body), uses, node)
        results = [self.array(variable.aval, node) for variable in equation.outvars]
        read = tuple(dict.fromkeys(use for use in uses if use is not None))
        if self.forward:
            self.computed.append(Computed(node, read, tuple(use.array for use in results)))
        elif node:
            self.pulls.setdefault(node, {}).update((use, None) for use in read if use.array in self.known)
        return results

    def _named(self, use: Use | None, name: str, equation: Any, node: str) -> Use:
        if use is None:  # a constant node
            use = self.array(equation.outvars[0].aval, node)
        if self.forward:
            self.value.setdefault(use.array, name)
        return Use(use.array, (*use.names, name))
