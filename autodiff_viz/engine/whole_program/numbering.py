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
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_viz.engine.whole_program.interpreter import (
    NAMES,
    SAVED,
    called,
    interpret,
    opened,
    primitive_of,
    uncounted,
)
from autodiff_viz.engine.whole_program.program import REGION, SCOPE

_NODE = re.compile(SCOPE + r"(\w+)")
_REGION = re.compile(REGION + r"(\d+)")
_RECOMPUTED = re.compile(r"(?<![\w:])rematted_computation(?!\w)")  # JAX's own scope; no node of that name
ROUNDED = "reduce_precision"  # in JAX's residuals this primitive is a copy
_IDENTITIES = (*NAMES, SAVED, ROUNDED, "optimization_barrier", "stop_gradient")  # they return what they read


@dataclass(frozen=True, slots=True)
class Place:
    """Position of an equation.

    Attributes:
      node: in whose scope it stands; "" for none.
      scope: JAX's name stacks of the calls around it, and its own.
    """

    node: str = ""
    scope: str = ""

    @property
    def region(self) -> int | None:
        """The index of the region whose pullback recomputes the node that the equation is part of.

        Of regions that run again inside one another that is the outermost. None in a forward pass and in
        pullbacks; what the pullback of a grad node recomputes for itself is part of that pullback.

        Raises:
          GraphError: the program has a form that is not known.
        """
        again = _RECOMPUTED.search(self.scope)
        if again is None or _NODE.search(self.scope, 0, again.start()):
            return None
        return last_region(self.scope[: again.start()])


def last_region(scope: str) -> int:
    """Return the index of the innermost region of a scope.

    Raises:
      GraphError: there is none.
    """
    if not (regions := _REGION.findall(scope)):
        raise uncounted("its backward pass runs nodes again outside all checkpoint regions")
    return int(regions[-1])


@dataclass
class Numbering:
    """Value numbers shared by all jaxprs that are numbered with it.

    Attributes:
      named: by node name, the number of the value that the node's `checkpoint_name` marks.
      first: by number, the place where it is first computed.
      apart: whether every computation has a number of its own.
      copied: with `apart`, the number of what a copy is of.
      on_equation: called as `on_equation(equation, place, operands, results)` for each equation that
        computes something.
    """

    on_equation: Callable[[Any, Place, list[int], list[int]], None] | None = None
    named: dict[str, int] = field(default_factory=dict)
    first: dict[int, Place] = field(default_factory=dict)
    apart: bool = False
    copied: dict[int, int] = field(default_factory=dict)
    _table: dict[Any, int] = field(default_factory=dict)

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
        scope = f"{around.scope}/{equation.source_info.name_stack}"
        return Place(node_of(equation) or around.node, scope)

    def _equation(self, equation: Any, operands: list[int], place: Place) -> list[int]:
        (name, params), body = primitive_of(equation), called(equation)
        if name in NAMES:
            self.named.setdefault(params["name"], operands[0])
        identity = only_marks(equation)
        if identity and not (self.apart and name == ROUNDED):
            results = operands[: len(equation.outvars)]
        elif body is not None:
            results = self.number(opened(body), operands, place)
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


def node_of(equation: Any) -> str:
    """Return the node in whose named scope an equation stands; "" for none."""
    found = _NODE.findall(str(equation.source_info.name_stack))
    return found[-1] if found else ""


def only_marks(equation: Any) -> bool:
    """Return whether the equation only marks its operand, or only drops a literal's weak type."""
    if equation.primitive.name == "convert_element_type":
        return equation.invars[0].aval.dtype == equation.outvars[0].aval.dtype
    return primitive_of(equation)[0] in _IDENTITIES


def _key(params: dict[str, Any]) -> str:
    """Return parameters as text; function objects, which say nothing about the result, by identity."""
    return repr([(key, id(v) if callable(v) else repr(v)) for key, v in sorted(params.items())])
