"""Refuse calls and operators that are written otherwise in formulas, with what they mean there."""

from __future__ import annotations

import ast
from collections.abc import Container
from typing import TYPE_CHECKING

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import Correction, GraphError
from autodiff_viz.language.expressions.fills import FILLS
from autodiff_viz.language.source.caret import writing
from autodiff_viz.language.source.corrections import above, removed, times, written_call
from autodiff_viz.language.source.hints import (
    BACKWARD,
    CONSTANTS,
    FUNCTIONS,
    MODULES,
    did_you_mean,
    function_hint,
    function_meant,
)
from autodiff_viz.language.source.scanner import LogicalLine
from autodiff_viz.ops.catalog import OPS

if TYPE_CHECKING:
    from autodiff_viz.language.expressions.expression import Reader


def unknown_function(reader: Reader, call: ast.Call) -> GraphError:
    """Return the error of a call whose function is not in the language."""
    func: ast.Name = call.func  # type: ignore[assignment]
    name, line, correction = func.id, reader.line, None
    message, hint = f"There is no op {name[: limits.NAME]!r}.", function_hint(name)
    if better := written_call(line, name, call):
        return reader.error(func, "unknown-op", message, f"Write {better}.", writing(line.span(call), better))
    if name in getattr(reader.names, "assigned", ()) and not did_you_mean(name, OPS):
        hint = f"{name!r} is a value; for a product write {name} * (...)."
        correction = times(line, call)
    elif meant := function_meant(name):
        correction = writing(line.span(func), meant)
    elif len(name) == 1 and call.args and not call.keywords and not reader.in_lambda:
        args = ", ".join("xyzwuv"[: len(call.args)])
        product = args.replace(", ", " * ") if len(args) > 1 else f"{args} ** 2"
        correction = above(f"{name}({args}) = {product}")
        hint = f"Define it above: {correction.text.strip()}."
    return reader.error(func, "unknown-op", message, hint, correction)


def attribute_meant(line: LogicalLine, node: ast.Attribute, call: ast.Call | None) -> Correction | str | None:
    """Return the correction of `np.sin(x)`, `np.pi`, `x.sum()`, `x.T` or `y.backward()`."""
    name, root = node.attr, node
    while isinstance(root, ast.Attribute):
        root = root.value  # type: ignore[assignment]
    whole = line.span(call or node)
    if name in BACKWARD and call:
        return removed(line)
    if isinstance(root, ast.Name) and root.id in MODULES:
        if better := (written_call(line, name, call) if call else CONSTANTS.get(name, "")):
            return writing(whole, better)
        meant = name if name in FILLS else function_meant(name)
        return meant if call else None
    meant = function_meant(name)
    if meant not in OPS or len(OPS[meant].inputs) != 1:
        return None
    given = [line.piece(each) for each in ((*call.args, *call.keywords) if call else ())]
    return writing(whole, f"{meant}({', '.join([line.piece(node.value), *given])})")


def meant_otherwise(reader: Reader, node: ast.expr) -> GraphError | None:
    """Return the error of `e^x`, `sin^2(x)`, `dy/dx` or `grad(y)(x)`, which mean more than they say."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return _power(reader, node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return _quotient(reader, node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and len(node.args) == 1:
        return _grad(reader, node, node.func, node.args[0])
    return None


def _power(reader: Reader, node: ast.BinOp) -> GraphError | None:
    left, right = node.left, node.right
    name = left.id if isinstance(left, ast.Name) else ""
    if name == "e" and name not in _known(reader):
        better = f"exp({reader.line.piece(right)})"
        return reader.error(node, "unknown-name", "'e' has no value.", f"Write {better}.", better)
    if name not in OPS or not isinstance(right, ast.Call) or len(right.args) != 1:
        return None
    if not isinstance(right.func, ast.Constant):
        return None
    better = f"{name}({reader.line.piece(right.args[0])}) ** {reader.line.piece(right.func)}"
    message = "The power stands behind the brackets."
    return reader.error(node, "not-in-language", message, f"Write {better}.", better)


def _quotient(reader: Reader, node: ast.BinOp) -> GraphError | None:
    known = _known(reader)
    names = [side.id for side in (node.left, node.right) if isinstance(side, ast.Name)]
    if len(names) < 2 or any(name in known or name[0] != "d" or name[1:] not in known for name in names):
        return None
    better = f"grad({names[0][1:]}, {names[1][1:]})"
    return reader.error(
        node, "not-in-language", "A derivative is written as an op.", f"Write {better}.", better
    )


def _known(reader: Reader) -> Container[str]:
    """Return the names that may stand in the expression."""
    return getattr(reader.names, "assigned", None) or getattr(reader.names, "args", ())


def _grad(reader: Reader, node: ast.Call, inner: ast.Call, by: ast.expr) -> GraphError | None:
    """Return the error of `grad(y)(x)`, and of `grad(sin)(x)`, as JAX writes them."""
    if not (isinstance(inner.func, ast.Name) and inner.func.id == "grad" and len(inner.args) == 1):
        return None
    of, x = inner.args[0], reader.line.piece(by)
    applied = isinstance(of, ast.Name) and of.id in FUNCTIONS
    better = f"grad({reader.line.piece(of)}{f'({x})' if applied else ''}, {x})"
    message = "The value that is differentiated, and the one by which, stand in one pair of brackets."
    return reader.error(node, "not-in-language", message, f"Write {better}.", better)
