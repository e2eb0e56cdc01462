"""Number the values of a jaxpr: the same computation of the same node has the same number.

JAX saves some values and recomputes others. To attribute a saved or recomputed variable to a node, every
variable is numbered by its node, primitive, parameters and the numbers of its operands, through calls, and
every computation is recorded with the node in whose named scope it stands. The node is part of the key
because JAX saves `sin(x)` twice when two nodes compute it.

JAX also keeps an array twice when one node computes it twice. To count arrays, a numbering with `apart` gives
every computation and every copy a number of its own; only marks, such as names, still pass the number on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autodiff_viz.engine.whole_program.interpreter import CALLS, interpret
from autodiff_viz.engine.whole_program.program import REGION, SCOPE

_NODE = re.compile(SCOPE + r"(\w+)")
_REGION = re.compile(REGION + r"(\d+)")
RECOMPUTED = "rematted_computation"  # JAX's own scope of what a region recomputes
ROUNDED = "reduce_precision"  # in JAX's residuals this primitive is a copy
_IDENTITIES = ("name", ROUNDED, "optimization_barrier", "stop_gradient")  # they return what they read


@dataclass(frozen=True, slots=True)
class Place:
    """Position of an equation: its node ("" for none), and the backward regions around it.

    Attributes:
      visit: those of these regions that are entered to pull back, not to compute something again.
      region: index of the innermost region in whose scope it stands.
      again: whether the equation is part of a recomputation, not of a pullback.
    """

    node: str = ""
    recomputations: tuple[int, ...] = ()
    visit: tuple[int, ...] = ()
    region: int | None = None
    again: bool = False


@dataclass
class Numbering:
    """Value numbers shared by all jaxprs that are numbered with it.

    Attributes:
      named: by node name, the number of the value that the node's `checkpoint_name` marks.
      first: by number, the place where it is first computed.
      apart: whether every computation has a number of its own.
      regions: by number in `Place.recomputations`, the index of the region in the graph.
      copied: with `apart`, the number of what a copy is of.
      on_equation: called as `on_equation(equation, place, operands, results)` for each equation that
        computes something.
    """

    on_equation: Callable[[Any, Place, list[int], list[int]], None] | None = None
    named: dict[str, int] = field(default_factory=dict)
    first: dict[int, Place] = field(default_factory=dict)
    apart: bool = False
    copied: dict[int, int] = field(default_factory=dict)
    regions: dict[int, int | None] = field(default_factory=dict)
    _table: dict[Any, int] = field(default_factory=dict)
    _regions: int = 0

    def fresh(self, key: Any) -> int:
        """Return the number of a key; a new number for a new key."""
        return self._table.setdefault(key, len(self._table))

    def number(self, jaxpr: Any, arguments: Iterable[int], place: Place = Place()) -> list[int]:
        """Number the equations of `jaxpr`, given its arguments' numbers; return its results' numbers."""
        constants = [self.fresh(("constant", id(constant))) for constant in jaxpr.constvars]

        def apply(equation: Any, operands: list[int]) -> list[int]:
            return self._equation(equation, operands, self._place(equation, place))

        return interpret(jaxpr, constants, arguments, self._literal, apply)

    def _literal(self, atom: Any) -> int:
        number = np.asarray(atom.val, atom.aval.dtype)  # JAX wraps the same literal in several types
        found = self.fresh(("literal", number.tobytes(), str(number.dtype), number.shape, *self._own()))
        self.first.setdefault(found, Place())  # no node computes it
        return found

    def _place(self, equation: Any, around: Place) -> Place:
        stack = str(equation.source_info.name_stack)
        node = node_of(equation) or around.node
        regions = _REGION.findall(stack)
        region = int(regions[-1]) if regions else around.region
        again = around.again or RECOMPUTED in stack
        return Place(node, around.recomputations, around.visit, region, again)

    def _equation(self, equation: Any, operands: list[int], place: Place) -> list[int]:
        name, params = equation.primitive.name, equation.params
        if name == "name":
            self.named.setdefault(params["name"], operands[0])
        identity = only_marks(equation)
        if identity and not (self.apart and name == ROUNDED):
            results = operands
        elif name in CALLS:
            results = self.number(opened(params[CALLS[name]]), operands, self._inside(name, params, place))
            identity = {*results} <= {*operands}  # the function of a rule that acts on cotangents alone
        else:
            key = (place.node, name, _key(params), *operands, *self._own())
            results = [self.fresh((*key, i)) for i in range(len(equation.outvars))]
            if identity:
                self.copied.update(zip(results, operands, strict=True))
        for result in results:
            self.first.setdefault(result, place)
        if self.on_equation is not None and not identity:
            self.on_equation(equation, place, operands, results)
        return results

    def _own(self) -> tuple[int, ...]:
        """Return the part of a key that makes the next number a new one if numbers are kept apart."""
        return (len(self._table),) if self.apart else ()

    def _inside(self, name: str, params: dict, place: Place) -> Place:
        if not params.get("differentiated"):
            return place
        self._regions += 1
        visit = place.visit if place.again else (*place.visit, self._regions)
        self.regions[self._regions] = place.region
        return replace(place, recomputations=(*place.recomputations, self._regions), visit=visit)


def node_of(equation: Any) -> str:
    """Return the node in whose named scope an equation stands; "" for none."""
    found = _NODE.findall(str(equation.source_info.name_stack))
    return found[-1] if found else ""


def only_marks(equation: Any) -> bool:
    """Return whether the equation only marks its operand, or only drops a literal's weak type."""
    if equation.primitive.name == "convert_element_type":
        return equation.invars[0].aval.dtype == equation.outvars[0].aval.dtype
    return equation.primitive.name in _IDENTITIES


def opened(jaxpr: Any) -> Any:
    """Return the jaxpr of a closed jaxpr, and any other as it is."""
    return jaxpr.jaxpr if hasattr(jaxpr, "jaxpr") else jaxpr


def _key(params: dict[str, Any]) -> str:
    """Return parameters as text; function objects, which say nothing about the result, by identity."""
    return repr([(key, id(v) if callable(v) else repr(v)) for key, v in sorted(params.items())])
