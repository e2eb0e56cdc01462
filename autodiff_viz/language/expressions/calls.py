"""Bind the arguments of calls to the slots and parameters of ops."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.structure.grad_nodes import BY
from autodiff_viz.graph.text.text_format import listed
from autodiff_viz.language.expressions.literal import is_number
from autodiff_viz.language.expressions.params import read_param
from autodiff_viz.language.expressions.tree import Applied, Operand
from autodiff_viz.language.source.caret import writing
from autodiff_viz.language.source.corrections import TWO, written_call
from autodiff_viz.language.source.hints import OF_TWO, call_shape, did_you_mean
from autodiff_viz.ops.record import Op

if TYPE_CHECKING:
    from autodiff_viz.language.expressions.expression import Reader


def read_op(reader: Reader, op: Op, call: ast.Call, depth: int) -> Applied:
    """Read a call of an op: slots by position or name, then parameters by position or name.

    Raises:
      GraphError: an argument is missing, unknown, given twice, or of the wrong kind.
    """
    names = (*op.slots, *(param.name for param in op.params))
    given = bind(reader, op.name, names, call)
    missing = [name for name in op.slots if name not in given]
    if missing:
        message = f"{op.name} needs {listed(op.slots)}; {listed(missing)} {_is(missing)} missing."
        raise reader.error(call, "arity", message, f"Write {call_shape(op.name)}; ... leaves a slot empty.")
    if op.of_graph and reader.in_lambda:
        message = f"{op.name!r} differentiates a graph; a lambda has none."
        raise reader.error(call, "lambda", message, "Write the derivative out, with ops.")
    if better := _of_shape(reader, op, call):
        message = f"{op.name} takes a value and gives one of its shape; this is a shape."
        raise reader.error(call, "parameter", message, f"Write {better}.", better)
    if better := _of_two(reader, op, call):
        message = f"The second input of {op.name} is an axis, a whole number such as 0 or -1."
        correction = writing(reader.line.span(call), better)
        raise reader.error(call.args[1], "parameter", message, OF_TWO[op.name], correction)
    operands = _operands(reader, op, given, depth)
    if op.of_graph and isinstance(operands[BY], Applied):
        message = (
            "A gradient is taken by a node; this expression would be a new one, on which nothing depends."
        )
        hint = "Give the expression a name above, use that name, and differentiate by it: grad(loss, w)."
        raise reader.error(given[op.slots[BY]], "grad-of-expression", message, hint)
    values = {
        param.name: read_param(reader.line, op.name, param, given[param.name])
        for param in op.params
        if param.name in given
    }
    return Applied(op.name, operands, params(**values), reader.line.span(call), op.name)


def _of_two(reader: Reader, op: Op, call: ast.Call) -> str:
    """Return what `max(0, x)` and the like, reductions that are called with two values, mean; else ""."""
    if op.name not in TWO or len(call.args) != 2 or call.keywords:
        return ""
    axis = call.args[1]
    if isinstance(axis, ast.Tuple | ast.List | ast.Constant) and not is_number(call.args[0]):
        return ""  # max(x, 0), along an axis
    return TWO[op.name].format(*(reader.line.piece(each) for each in call.args))


def _of_shape(reader: Reader, op: Op, call: ast.Call) -> str:
    """Return what `ones_like((2, 3))` means, which has a shape and no value; else ""."""
    shape = call.args[0] if len(call.args) == 1 and not call.keywords else None
    stem = op.name.removesuffix("_like")
    return f"{stem}({reader.line.piece(shape)})" if stem != op.name and isinstance(shape, ast.Tuple) else ""


def bind(reader: Reader, function: str, names: tuple[str, ...], call: ast.Call) -> dict[str, ast.expr]:
    """Return the arguments of a call by name.

    Raises:
      GraphError: there are too many, or one is unpacked, unknown or given twice.
    """
    if len(call.args) > len(names):
        takes = f"takes {listed(names)}" if names else "takes nothing"
        message = f"{function} {takes}, but {len(call.args)} inputs are given."
        if better := written_call(reader.line, function, call):
            correction = writing(reader.line.span(call), better)
            raise reader.error(call.args[len(names)], "arity", message, f"Write {better}.", correction)
        raise reader.error(call.args[len(names)], "arity", message, _too_many(function))
    given = dict(zip(names, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg not in names:
            raise _unknown_keyword(reader, function, names, keyword)
        if keyword.arg in given:
            message = f"{function} is given {keyword.arg!r} twice."
            raise reader.error(keyword, "arity", message, "Leave one of them out.")
        given[keyword.arg] = keyword.value
    return given


def _operands(reader: Reader, op: Op, given: dict[str, ast.expr], depth: int) -> tuple[Operand, ...]:
    if not op.variadic:
        return tuple(reader.read(given[name], depth) for name in op.slots)
    arrays = given[op.slots[0]]
    if not isinstance(arrays, (ast.List, ast.Tuple)):
        message = f"The inputs of {op.name} are a list."
        raise reader.error(arrays, "arity", message, f"Write {call_shape(op.name)}.")
    if not arrays.elts:
        message = f"{op.name} needs at least one input."
        raise reader.error(arrays, "arity", message, f"Write {call_shape(op.name)}; ... leaves a slot empty.")
    if len(arrays.elts) > limits.SLOTS:
        message = f"{op.name} has {len(arrays.elts)} inputs; the limit is {limits.SLOTS}."
        raise reader.error(arrays, "arity", message, "Join a part of them first.")
    return tuple(reader.read(element, depth) for element in arrays.elts)


def _unknown_keyword(
    reader: Reader, function: str, names: tuple[str, ...], keyword: ast.keyword
) -> GraphError:
    if keyword.arg is None:
        return reader.error(
            keyword, "not-in-language", "Formulas do not have ** in a call.", "Write it all out."
        )
    takes = f"It takes {listed(names)}." if names else "It takes nothing."
    hint = did_you_mean(keyword.arg, names) or takes
    return reader.error(keyword, "keyword", f"{function} has no {keyword.arg[: limits.NAME]!r}.", hint)


def _too_many(function: str) -> str:
    if function in ("concatenate", "stack"):
        return f"Put the inputs in a list: {call_shape(function)}."
    return OF_TWO.get(function) or f"Write {call_shape(function)}."


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"
