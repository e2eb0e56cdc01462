"""Read `zeros((2, 3))`, `ones(3)` and `full((2,), 0.5)`: tensors of one number, with NumPy's signatures."""

from __future__ import annotations

import ast
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from autodiff_viz.graph.model import Literal
from autodiff_viz.language.expressions.calls import bind
from autodiff_viz.language.expressions.literal import is_number, number, read_literal
from autodiff_viz.language.expressions.params import read_param
from autodiff_viz.ops.record import Param

if TYPE_CHECKING:
    from autodiff_viz.language.expressions.expression import Reader

FILLS = {
    "zeros": "A tensor of zeros: zeros((2, 3)) has two rows of three.",
    "ones": "A tensor of ones: ones((2, 3)) has two rows of three.",
    "full": "A tensor of one number: full((2, 3), 0.5) has two rows of three.",
}
"""Functions that stand for a tensor of numbers, with their descriptions."""

_NUMBERS = {"zeros": 0.0, "ones": 1.0}
_SHAPE = Param("shape", "shape", doc="Length of each axis.")


class Fill(NamedTuple):
    """A tensor of one number."""

    shape: tuple[int, ...]
    number: int | float

    @property
    def literal(self) -> Literal:
        """The tensor, written out."""
        found: Literal = self.number
        for length in reversed(self.shape):
            found = (found,) * length
        return found


def is_fill(node: ast.expr) -> bool:
    """Return whether the syntax is a call of `zeros`, `ones` or `full`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FILLS


def read_fill(reader: Reader, call: ast.Call) -> Fill:
    """Read the call of one of `FILLS`.

    Raises:
      GraphError: the shape or the number is missing, invalid or beyond a limit.
    """
    name = call.func.id  # type: ignore[attr-defined]
    if reader.in_lambda:
        message = f"{name!r} cannot stand inside a lambda."
        raise reader.error(
            call, "lambda", message, "Write zeros_like(v), ones_like(v) or 0.5 * ones_like(v)."
        )
    fill = _fill(reader, name, call)
    reader.names.room -= prod(fill.shape) * len(f"{fill.number!r}, ")  # type: ignore[union-attr]
    if reader.names.room >= 0:  # type: ignore[union-attr]
        return fill
    message = "Written out, all zeros, ones and full of this text are too long to be read again."
    raise reader.error(call, "too-long", message, "Use smaller shapes, or broadcast_to(1.0, shape=(2, 3)).")


def _fill(reader: Reader, name: str, call: ast.Call) -> Fill:
    names = ("shape", "fill_value") if name == "full" else ("shape",)
    if len(call.args) > len(names) and all(map(is_number, call.args)):
        lengths = ", ".join(reader.line.piece(each) for each in call.args)
        message = f"The lengths of all axes stand in brackets of their own in {name}."
        raise reader.error(call, "arity", message, f"Write {name}(({lengths})).", f"{name}(({lengths}))")
    given = bind(reader, name, names, call)
    if missing := [each for each in names if each not in given]:
        example = FILLS[name].partition(": ")[2].partition(" has")[0]
        raise reader.error(call, "arity", f"{name} needs a {missing[0]}.", f"Write {example}.")
    shape = _shape(reader, name, given["shape"])
    if name != "full":
        return Fill(shape, _NUMBERS[name])
    value = given["fill_value"]
    if not is_number(value):
        ones, factor = f"ones({reader.line.piece(given['shape'])})", reader.line.piece(value)
        better = f"{factor} * {ones}" if isinstance(value, ast.Name | ast.Call) else f"({factor}) * {ones}"
        message = "'fill_value' of full is a number, written out here."
        raise reader.error(call, "parameter", message, f"Write {better}.", better)
    read_literal(reader.line, value)  # which checks its limits
    return Fill(shape, number(value))


def _shape(reader: Reader, name: str, node: ast.expr) -> tuple[int, ...]:
    if is_number(node) and type(number(node)) is int:
        node = ast.copy_location(ast.Tuple([node], ast.Load()), node)
    shape = read_param(reader.line, name, _SHAPE, node)
    if all(length >= 1 for length in shape):
        return shape
    raise reader.error(
        node, "parameter", "Each axis of a shape is at least 1 long.", f"Write {name}((2, 3))."
    )
