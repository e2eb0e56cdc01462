"""Compile lambdas of rules to straight-line programs: calls of compiled ops, one after the other.

A program is written once for each lambda and shapes, which checks them, and is memoised with the check of its
node. Loading it for a trace looks up its compiled ops, which all graphs share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax

from autodiff_viz.engine.live_path.arrays import rounded
from autodiff_viz.engine.live_path.kernels import FITTED, kernel
from autodiff_viz.engine.live_path.op_calls import Program, known_op, result_shape, split
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.model import Call, Lambda, Literal, Params, Term, params
from autodiff_viz.graph.rule_kinds import SCALE
from autodiff_viz.graph.text import shape_of
from autodiff_viz.ops.misfits import Shape

NUMBER_RULES: dict[str, Callable[[float], Lambda]] = {
    SCALE: lambda number: Lambda(("v",), (Call("mul", ("v", number)),)),
}
"""By kind of rule that takes a number, its function of the arriving cotangent v."""


class LambdaCall(NamedTuple):
    """The call of an op: the compiled op, its run-time parameters, and the places of its operands."""

    program: Program
    leading: list[dict[str, Any]]
    operands: tuple[int, ...]


class LambdaProgram(NamedTuple):
    """A lambda as a straight-line program. A place is an index into its arguments, then its `body`.

    Attributes:
      body: calls and literals, each after what it reads.
      results: the places of the results.
    """

    body: tuple[LambdaCall | Literal, ...] = ()
    results: tuple[int, ...] = ()

    @property
    def programs(self) -> list[Program]:
        """The programs that its calls need."""
        return [line.program for line in self.body if type(line) is LambdaCall]

    def load(self, dtype: str, swept: bool) -> Callable[..., list[jax.Array]]:
        """Look up the compiled ops and return the lambda as a function of arrays; `swept` as of `kernel`."""
        known, calls = [], []
        for line in self.body:
            if type(line) is LambdaCall:
                run = kernel(*line.program, dtype, swept).run
                calls.append((len(known), run, line.leading, line.operands))
                known.append(None)
            else:
                known.append(rounded(line, dtype))
        results = self.results

        def call(*arrays: jax.Array) -> list[jax.Array]:
            values = [*arrays, *known]
            for place, run, leading, operands in calls:
                values[len(arrays) + place] = run(*leading, *[values[i] for i in operands])
            return [values[i] for i in results]

        return call


class LambdaBuilder:
    """Builder of a `LambdaProgram` for arguments of these shapes.

    `shapes` are those of all places so far.
    """

    def __init__(self, arguments: Mapping[str, Shape]):
        self.places = {name: place for place, name in enumerate(arguments)}
        self.shapes = list(arguments.values())
        self.body: list[LambdaCall | Literal] = []

    def term(self, term: Term) -> int:
        """Write a term and return its place.

        Raises:
          GraphError: an op is unknown or refuses its shapes.
        """
        if isinstance(term, str):
            return self.places[term]
        if not isinstance(term, Call):
            return self._add(term, shape_of(term))
        return self._call(term.op, term.params, tuple([self.term(arg) for arg in term.args]))

    def fitted(self, place: int, shape: Shape) -> int:
        """Broadcast a place to a shape, unless it has it, and return the place of the result.

        Raises:
          GraphError: it cannot be broadcast to that shape.
        """
        return place if self.shapes[place] == shape else self._call(FITTED, params(shape=shape), (place,))

    def _call(self, op: str, given: Params, operands: tuple[int, ...]) -> int:
        static, leading = split(known_op(op), given)
        program = op, static, tuple([self.shapes[place] for place in operands]), ()
        return self._add(LambdaCall(program, leading, operands), result_shape(*program[:3], FLOAT32))

    def _add(self, line: LambdaCall | Literal, shape: Shape) -> int:
        self.body.append(line)
        self.shapes.append(shape)
        return len(self.shapes) - 1
