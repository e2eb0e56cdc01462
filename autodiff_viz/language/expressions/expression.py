"""Read expressions: turn Python's syntax tree into a tree of `Applied` ops, without evaluating it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Lambda
from autodiff_viz.graph.problem import Correction, GraphError
from autodiff_viz.graph.registries.rule_kinds import ARRIVING, WIRES
from autodiff_viz.language.expressions import calls, wrappers
from autodiff_viz.language.expressions.fills import is_fill, read_fill
from autodiff_viz.language.expressions.inputs import SOURCES, read_source
from autodiff_viz.language.expressions.literal import is_number, read_literal
from autodiff_viz.language.expressions.meant import attribute_meant, meant_otherwise, unknown_function
from autodiff_viz.language.expressions.subscripts import is_update, read_subscript, read_update
from autodiff_viz.language.expressions.tree import Applied, Operand, count, term
from autodiff_viz.language.source.corrections import times, written
from autodiff_viz.language.source.hints import (
    KEYWORDS,
    LAMBDA,
    WRAPPERS,
    attribute_hint,
)
from autodiff_viz.language.source.names import Arguments, Names, check_argument
from autodiff_viz.language.source.scanner import LogicalLine
from autodiff_viz.ops.catalog import OPS

_SIGNS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.Gt: ">",
    ast.Lt: "<",
}
_INFIX = {op.infix: op.name for op in OPS.values() if op.infix}
_OPERATORS = {kind: _INFIX[sign] for kind, sign in _SIGNS.items() if sign in _INFIX}

_NO_OPERATOR = {
    ast.FloorDiv: ("//", "Write floor(a / b)."),
    ast.Mod: ("%", "Write a - b * floor(a / b)."),
    ast.Eq: ("==", "Compare with > or <; a line begins with one =."),
    ast.NotEq: ("!=", "Compare with > or <."),
    ast.GtE: (">=", "Write a > b."),
    ast.LtE: ("<=", "Write a < b."),
    ast.And: ("and", "Conditions are 1.0 and 0.0: write a * b."),
    ast.Or: ("or", "Conditions are 1.0 and 0.0: write maximum(a, b)."),
    ast.Not: ("not", "Conditions are 1.0 and 0.0: write 1.0 - a."),
    ast.UAdd: ("+ in front", "Leave it out."),
}

_NO_LIST = "Write each value out, or a loop on lines of its own: for i in range(4):."
_NO_EXPRESSION = {
    ast.IfExp: ("a choice", KEYWORDS["if"]),
    ast.NamedExpr: ("an assignment inside an expression", "Put it on a line of its own: name = expression."),
    ast.ListComp: ("a comprehension", _NO_LIST),
    ast.SetComp: ("a comprehension", _NO_LIST),
    ast.DictComp: ("a comprehension", _NO_LIST),
    ast.GeneratorExp: ("a comprehension", _NO_LIST),
    ast.Dict: ("a dictionary", "A tensor has square brackets: [1.0, 2.0]."),
    ast.Set: ("a set", "A tensor has square brackets: [1.0, 2.0]."),
    ast.Tuple: ("a tuple", "A tensor has square brackets: [1.0, 2.0]; an expression has one value."),
    ast.Starred: ("an unpacking", "Write every input out."),
    ast.Lambda: ("a lambda", LAMBDA),
}


@dataclass(frozen=True, slots=True)
class Reader:
    """Reader of the expressions of one logical line; `names` says which names it may use."""

    line: LogicalLine
    names: Names | Arguments

    @property
    def in_lambda(self) -> bool:
        """Whether the expression is the body of a lambda."""
        return isinstance(self.names, Arguments)

    def read(self, node: ast.expr, depth: int = 0) -> Operand:
        """Convert a syntax tree to an operand; `depth` counts the nesting.

        Raises:
          GraphError: a part is not in the language; the problem marks it.
        """
        if depth > limits.NESTING:
            message = f"Operations are more than {limits.NESTING} deep here."
            raise self.error(node, "too-deep", message, "Give a part a name on a line of its own.")
        if is_number(node) or isinstance(node, ast.List):
            return read_literal(self.line, node)
        if is_fill(node):
            return read_fill(self, node).literal  # type: ignore[arg-type]
        read = _READERS.get(type(node))
        if read is None:
            what, hint = _NO_EXPRESSION.get(type(node), ("this", "Write numbers, names, ops and operators."))
            message = f"Formulas do not have {what} here."
            raise self.error(node, "not-in-language", message, hint, written(self.line, node, node))
        return read(self, node, depth + 1)

    def error(
        self,
        node: ast.AST,
        code: str,
        message: str,
        hint: str = "",
        correction: str | Correction | None = None,
    ) -> GraphError:
        """Make an error that marks `node`, for the caller to raise."""
        return self.line.error(node, code, message, hint, correction)

    def applied(self, node: ast.expr, op: str, *operands: Operand) -> Applied:
        """Make the application of `op` to `operands`, without parameters, with the span of `node`."""
        return Applied(op, operands, (), self.line.span(node), op)

    def read_lambda(self, node: ast.expr, gives: str = ARRIVING) -> Lambda:
        """Convert `lambda v, x: ...` to data; a tuple body has several results.

        Args:
          gives: what the function gets, as in `RuleKind.function`.

        Raises:
          GraphError: `node` is no lambda, or its body uses more than ops and its own arguments.
        """
        if not isinstance(node, ast.Lambda):
            raise self.error(
                node, "lambda", "A lambda is needed here.", f"Write for example {_LAMBDAS[gives]}."
            )
        inner = Reader(self.line, Arguments(self._arguments(node)))
        body = node.body.elts if isinstance(node.body, ast.Tuple) else [node.body]
        results = [inner.read(part) for part in body]
        if sum(map(count, results)) > limits.LAMBDA_TERMS:
            message = f"This lambda has more than {limits.LAMBDA_TERMS} operations and values."
            raise self.error(node, "lambda-too-long", message, "Make it shorter.")
        return Lambda(inner.names.args, tuple(map(term, results)))  # type: ignore[union-attr]

    def _arguments(self, node: ast.Lambda) -> tuple[str, ...]:
        found = node.args
        if found.posonlyargs or found.kwonlyargs or found.vararg or found.kwarg or found.defaults:
            message = "The arguments of a lambda are plain names."
            raise self.error(node, "lambda", message, "Write for example lambda v, x, out: v * out.")
        seen: set[str] = set()
        for argument in found.args:
            if error := check_argument(self.line, argument, seen):
                raise error
        return tuple(argument.arg for argument in found.args)


_LAMBDAS = {
    ARRIVING: "lambda v: 0.5 * v, where v is the arriving cotangent",
    WIRES: "lambda v, x, out: v * cos(x), with the cotangent, a value for each wire and the node's own",
}


def _name(reader: Reader, node: ast.Name, depth: int) -> Operand:
    reader.names.check_use(reader.line, node)
    return node.id


def _constant(reader: Reader, node: ast.Constant, depth: int) -> Operand:
    if node.value is Ellipsis and not reader.in_lambda:
        return None
    if isinstance(node.value, str):
        bare = node.value.strip()
        number = re.fullmatch(r"-?(\d+\.?\d*|\.\d+)", bare, re.ASCII)
        message, hint = "Formulas do not have text here.", "Write names and numbers without quotes."
        raise reader.error(node, "not-in-language", message, hint, bare if number else None)
    if isinstance(node.value, bool):
        better = str(float(node.value))
        raise reader.error(
            node, "not-in-language", f"{node.value} is not a number.", f"Write {better}.", better
        )
    message = f"Formulas do not have {ast.unparse(node)} here."
    raise reader.error(node, "not-in-language", message, "Write a number.")


def _binary(reader: Reader, node: ast.BinOp, depth: int) -> Operand:
    op = _OPERATORS.get(type(node.op))
    if op is None:
        raise _no_operator(reader, node, node.op)
    if error := meant_otherwise(reader, node):
        raise error
    return reader.applied(node, op, reader.read(node.left, depth), reader.read(node.right, depth))


def _compare(reader: Reader, node: ast.Compare, depth: int) -> Operand:
    op = _OPERATORS.get(type(node.ops[0]))
    if op is None:
        raise _no_operator(reader, node, node.ops[0])
    if len(node.ops) > 1:
        message = "Formulas compare two values at a time."
        raise reader.error(node, "not-in-language", message, "Write (a < b) * (b < c).")
    return reader.applied(node, op, reader.read(node.left, depth), reader.read(node.comparators[0], depth))


def _unary(reader: Reader, node: ast.UnaryOp, depth: int) -> Operand:
    if not isinstance(node.op, ast.USub):
        raise _no_operator(reader, node, node.op)
    return reader.applied(node, "neg", reader.read(node.operand, depth))


def _boolean(reader: Reader, node: ast.BoolOp, depth: int) -> Operand:
    raise _no_operator(reader, node, node.op)


def _no_operator(reader: Reader, node: ast.expr, operator: ast.AST) -> GraphError:
    sign, hint = _NO_OPERATOR.get(type(operator), ("this operator", f"The operators are {' '.join(_INFIX)}."))
    message = f"Formulas do not have {sign}."
    return reader.error(node, "not-in-language", message, hint, written(reader.line, node, operator))


def _attribute(reader: Reader, node: ast.Attribute, depth: int, call: ast.Call | None = None) -> Operand:
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        root = root.value
    name = root.id if isinstance(root, ast.Name) else ""
    message = f"Formulas do not have the dot in '.{node.attr[: limits.NAME]}'."
    hint = attribute_hint(name, node.attr, call is not None)
    correction = attribute_meant(reader.line, node, call)
    raise reader.error(node, "not-in-language", message, hint, correction)


def _call(reader: Reader, node: ast.Call, depth: int) -> Operand:
    if is_update(node.func):
        return read_update(reader, node, depth)
    if isinstance(node.func, ast.Attribute):
        return _attribute(reader, node.func, depth, node)
    if not isinstance(node.func, ast.Name):
        if error := meant_otherwise(reader, node):
            raise error
        message = "Only an op can have round brackets with inputs behind it."
        correction = times(reader.line, node)
        raise reader.error(node.func, "not-in-language", message, "For a product write a * (b).", correction)
    name = node.func.id
    if name in OPS:
        return calls.read_op(reader, OPS[name], node, depth)
    if name not in SOURCES and name not in WRAPPERS:
        raise unknown_function(reader, node)
    if reader.in_lambda:
        message = f"{name!r} cannot stand inside a lambda."
        raise reader.error(node, "lambda", message, "A lambda is made of ops, numbers and its own arguments.")
    return read_source(reader, name, node) if name in SOURCES else wrappers.read_wrapper(reader, node, depth)


_READERS: dict[type[ast.expr], Callable[..., Operand]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Subscript: read_subscript,
    ast.Attribute: _attribute,
    ast.Call: _call,
}
