"""Read expressions: turn Python's syntax tree into a tree of `Applied` ops, without evaluating it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple

from autodiff_viz.graph import limits
from autodiff_viz.graph.grad_nodes import BY
from autodiff_viz.graph.model import IDENTITY, INPUT, PARAMETER, Lambda, Literal, Node, Params, Rule, params
from autodiff_viz.graph.problem import Correction, GraphError
from autodiff_viz.graph.rule_kinds import ARRIVING, FOLLOW, KINDS, WIRES, RuleKind
from autodiff_viz.graph.text import listed
from autodiff_viz.language.corrections import TWO, above, removed, times, written, written_call
from autodiff_viz.language.expression_tree import Applied, Operand, operation_count, term
from autodiff_viz.language.literals import is_number, number, read_literal, read_param
from autodiff_viz.language.scanner import LogicalLine, Span, writing
from autodiff_viz.language.suggestions import (
    BACKWARD,
    BYPASS,
    CONSTANTS,
    CUT,
    FUNCTIONS,
    KEYWORDS,
    LAMBDA,
    MODULES,
    OF_TWO,
    WRAPPERS,
    attribute_hint,
    call_shape,
    did_you_mean,
    function_hint,
    function_meant,
)
from autodiff_viz.language.syntax import Arguments, Names, check_argument
from autodiff_viz.ops import indexing
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.op import Op, Param
from autodiff_viz.ops.params import INITIALIZERS

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
        if sum(map(operation_count, results)) > limits.LAMBDA_TERMS:
            message = f"This lambda has more than {limits.LAMBDA_TERMS} operations and values."
            raise self.error(node, "lambda-too-long", message, "Make it shorter.")
        return Lambda(inner.names.args, tuple(map(term, results)))  # type: ignore[union-attr]

    def _arguments(self, node: ast.Lambda) -> tuple[str, ...]:
        args = node.args
        if args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg or args.defaults:
            message = "The arguments of a lambda are plain names."
            raise self.error(node, "lambda", message, "Write for example lambda v, x, out: v * out.")
        seen: set[str] = set()
        for argument in args.args:
            if error := check_argument(self.line, argument, seen):
                raise error
        return tuple(argument.arg for argument in args.args)


_LAMBDAS = {
    ARRIVING: "lambda v: 0.5 * v, where v is the arriving cotangent",
    WIRES: "lambda v, x, out: v * cos(x), with the cotangent, a value for each wire and the node's own",
}


# Syntax: a function for each class of Python's tree, which `_READERS` lists.


def _name(reader: Reader, node: ast.Name, depth: int) -> Operand:
    reader.names.check_use(reader.line, node)
    return node.id


def _constant(reader: Reader, node: ast.Constant, depth: int) -> Operand:
    if node.value is Ellipsis and not reader.in_lambda:
        return None  # an empty slot
    if isinstance(node.value, str):
        bare = node.value.strip()
        number = re.fullmatch(r"-?(\d+(\.\d*)?|\.\d+)", bare, re.ASCII)
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
        return read_op(reader, OPS[name], node, depth)
    if name not in SOURCES and name not in WRAPPERS:
        raise unknown_function(reader, node)
    if reader.in_lambda:
        message = f"{name!r} cannot stand inside a lambda."
        raise reader.error(node, "lambda", message, "A lambda is made of ops, numbers and its own arguments.")
    return read_source(reader, name, node) if name in SOURCES else read_wrapper(reader, node, depth)


# Ops: the arguments of a call, bound to slots and parameters.


def read_op(reader: Reader, op: Op, call: ast.Call, depth: int) -> Applied:
    """Read a call of an op: slots by position or name, then parameters by position or name.

    Raises:
      GraphError: an argument is missing, unknown, given twice, or of the wrong kind.
    """
    names = (*op.slots, *(param.name for param in op.params))
    given = bind(reader, op.name, names, call)
    missing = [name for name in op.slots if name not in given]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        message = f"{op.name} needs {listed(op.slots)}; {listed(missing)} {are} missing."
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
        hint = OF_TWO.get(function) or f"Write {call_shape(function)}."
        if function in ("concatenate", "stack"):
            hint = f"Put the inputs in a list: {call_shape(function)}."
        raise reader.error(call.args[len(names)], "arity", message, hint)
    given = dict(zip(names, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None:
            message = "Formulas do not have ** in a call."
            raise reader.error(keyword, "not-in-language", message, "Write it all out.")
        if keyword.arg not in names:
            takes = f"It takes {listed(names)}." if names else "It takes nothing."
            message = f"{function} has no {keyword.arg[: limits.NAME]!r}."
            raise reader.error(keyword, "keyword", message, did_you_mean(keyword.arg, names) or takes)
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


# Sources: `input(...)`, set by the user, and `parameter(...)`, which training updates too. Formulas and
# documents share the signatures.


_SHAPE = Param("shape", "shape", doc="Shape of a random one.")
_INIT = Param("init", "choice", doc="How it begins.", choices=tuple(INITIALIZERS))
_SEED = Param("seed", "seed", doc="Whole number that decides the draw.")
_ENDS = (
    Param("low", "float", doc="Left end of the slider."),
    Param("high", "float", doc="Right end of the slider."),
)

SOURCES: Mapping[str, Mapping[str, Param]] = {
    INPUT: {param.name: param for param in (_SHAPE, _SEED, *_ENDS)},
    PARAMETER: {param.name: param for param in (_SHAPE, _INIT, _SEED, *_ENDS)},
}
"""Parameters of each function beside its value, by name."""

_NEED = {
    INPUT: (
        "An input has either a value, or a shape and a seed for a random one.",
        "Write input(10.0) or input(shape=(3, 4), seed=0).",
    ),
    PARAMETER: (
        "A parameter has either a value, or a shape, an init and a seed for a random one.",
        'Write parameter(0.5) or parameter(shape=(3, 4), init="glorot_uniform", seed=0).',
    ),
}


def source_fault(function: str, given: Container[str]) -> tuple[str, str] | None:
    """Return (message, hint) where an input cannot have exactly the parameters `given`, else None.

    Values are not checked.
    """
    drawn = "seed" in given or "init" in given
    if ("value" in given) == ("shape" in given) or (drawn and "shape" not in given):
        return _NEED[function]
    return None


def length_fault(shape: tuple[int, ...]) -> str:
    """Return why an input cannot have this shape, as the end of a sentence; "" when it can.

    Like a literal, a draw must not be empty.
    """
    return "" if all(length >= 1 for length in shape) else "has an axis that is shorter than 1"


def read_source(reader: Reader, function: str, call: ast.Call) -> Applied:
    """Read `input(10.0, low=-5.0, high=5.0)`, `input(shape=(3, 4), seed=0)`, or the same of a `parameter`.

    A value may be `zeros((3, 4))` too.

    Raises:
      GraphError: there is neither a value nor a shape, or both, or a parameter is invalid.
    """
    known = SOURCES[function]
    given = bind(reader, function, ("value", *known), call)
    if fault := source_fault(function, given):
        correction = None if call.args or call.keywords else f"{function}(1.0)"
        raise reader.error(call, "arity", *fault, correction)
    values: dict[str, Any] = {"seed": 0} if "shape" in given else {}
    if "value" in given:
        node = given["value"]
        fill = read_fill(reader, node) if is_fill(node) else None  # type: ignore[arg-type]
        if fill is None:
            values["value"] = read_literal(reader.line, node)
        elif function == PARAMETER and fill.shape and node.func.id in INITIALIZERS:  # type: ignore[attr-defined]
            # zeros and ones of a parameter are its initializer
            values |= {"shape": fill.shape, "init": node.func.id, "seed": 0}  # type: ignore[attr-defined]
        else:
            values["value"] = fill.literal
    for name, param in known.items():
        if name in given:
            values[name] = read_param(reader.line, function, param, given[name])
    if fault := length_fault(values.get("shape", ())):
        raise reader.error(given["shape"], "parameter", f"This shape {fault}.", "Write (3, 4).")
    trainable = True if function == PARAMETER else None
    return Applied(INPUT, (), params(**values, trainable=trainable), reader.line.span(call), function)


def source_of(given: Params) -> tuple[str, Params]:
    """Return the function that makes an input with these parameters, and its arguments."""
    rest = tuple(pair for pair in given if pair[0] != "trainable")
    return (PARAMETER if dict(given).get("trainable") else INPUT), rest


# Fills: `zeros((2, 3))`, `ones(3)` and `full((2,), 0.5)`, tensors of one number with NumPy's signatures.


FILLS = {
    "zeros": "A tensor of zeros: zeros((2, 3)) has two rows of three.",
    "ones": "A tensor of ones: ones((2, 3)) has two rows of three.",
    "full": "A tensor of one number: full((2, 3), 0.5) has two rows of three.",
}
"""Functions that stand for a tensor of numbers, with their descriptions."""

_NUMBERS = {"zeros": 0.0, "ones": 1.0}
_FILL_SHAPE = Param("shape", "shape", doc="Length of each axis.")


class Fill(NamedTuple):
    """A tensor of one number."""

    shape: tuple[int, ...]
    number: int | float

    @property
    def literal(self) -> Literal:
        """The tensor, written out."""
        tensor: Literal = self.number
        for length in reversed(self.shape):
            tensor = (tensor,) * length
        return tensor


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
    if name == "full":
        value = given["fill_value"]
        if not is_number(value):
            ones, factor = f"ones({reader.line.piece(given['shape'])})", reader.line.piece(value)
            factor = factor if isinstance(value, ast.Name | ast.Call) else f"({factor})"
            message, better = "'fill_value' of full is a number, written out here.", f"{factor} * {ones}"
            raise reader.error(call, "parameter", message, f"Write {better}.", better)
        read_literal(reader.line, value)  # which checks its limits
        fill = Fill(shape, number(value))
    else:
        fill = Fill(shape, _NUMBERS[name])
    # A graph keeps the tensor, whose text has all its numbers, and that text must be short enough.
    reader.names.room -= prod(fill.shape) * len(f"{fill.number!r}, ")  # type: ignore[union-attr]
    if reader.names.room < 0:  # type: ignore[union-attr]
        message = "Written out, all zeros, ones and full of this text are too long to be read again."
        hint = "Use smaller shapes, or broadcast_to(1.0, shape=(2, 3))."
        raise reader.error(call, "too-long", message, hint)
    return fill


def _shape(reader: Reader, name: str, node: ast.expr) -> tuple[int, ...]:
    if is_number(node) and type(number(node)) is int:
        node = ast.copy_location(ast.Tuple([node], ast.Load()), node)
    shape = read_param(reader.line, name, _FILL_SHAPE, node)
    if all(length >= 1 for length in shape):
        return shape
    raise reader.error(
        node, "parameter", "Each axis of a shape is at least 1 long.", f"Write {name}((2, 3))."
    )


# Indexing: `x[index]` and the functional update `x.at[index].set(v)`, as in JAX.


def read_subscript(reader: Reader, node: ast.Subscript, depth: int) -> Applied:
    """Read `x[index]`.

    Raises:
      GraphError: the index is not made of whole numbers, slices, `...` and None.
    """
    value = reader.read(node.value, depth)
    return Applied("getitem", (value,), _index(reader, node), reader.line.span(node), "getitem")


_AT_EXAMPLE = "Write x.at[0].set(v)."
_INSTEAD = {
    "add": "Write x.at[0].set(x[0] + v).",
    "subtract": "Write x.at[0].set(x[0] - v).",
    "multiply": "Write x.at[0].set(x[0] * v).",
    "mul": "Write x.at[0].set(x[0] * v).",
    "divide": "Write x.at[0].set(x[0] / v).",
    "power": "Write x.at[0].set(x[0] ** v).",
    "min": "Write x.at[0].set(minimum(x[0], v)).",
    "max": "Write x.at[0].set(maximum(x[0], v)).",
    "get": "Write x[0].",
}
"""Other methods of JAX behind `x.at[...]`, and what to write."""


def is_update(node: ast.expr) -> bool:
    """Return whether a called expression is `x.at[...].set`, or another method there."""
    place = node.value if isinstance(node, ast.Attribute) else None
    at = place.value if isinstance(place, ast.Subscript) else None
    return isinstance(at, ast.Attribute) and at.attr == "at"


def read_update(reader: Reader, node: ast.Call, depth: int) -> Applied:
    """Read `x.at[index].set(v)`, for which `is_update` holds.

    Raises:
      GraphError: it is another method than `set`, or has other arguments than `v`.
    """
    method: ast.Attribute = node.func  # type: ignore[assignment]
    place: ast.Subscript = method.value  # type: ignore[assignment]
    if method.attr != "set":
        message = f"Formulas do not have {method.attr[: limits.NAME]!r} behind x.at[...]."
        raise reader.error(method, "not-in-language", message, _INSTEAD.get(method.attr, _AT_EXAMPLE))
    x = reader.read(place.value.value, depth)  # type: ignore[attr-defined]
    index = _index(reader, place)
    given = bind(reader, "at_set", ("v",), node)
    if "v" not in given:
        raise reader.error(node, "arity", "at_set needs v, the new value.", _AT_EXAMPLE)
    operands = x, reader.read(given["v"], depth)
    return Applied("at_set", operands, index, reader.line.span(node), "at_set")


def _index(reader: Reader, node: ast.Subscript) -> Params:
    """Read the index of a subscript, as the parameters of the op."""
    try:
        index = indexing.from_ast(node.slice)
        bounds = [n for part in index for n in (part if isinstance(part, tuple) else (part,))]
    except (ValueError, RecursionError):  # from_ast unparses the index for its message, however deep
        bounds = [limits.ELEMENTS + 1]
    if any(type(n) is int and abs(n) > limits.ELEMENTS for n in bounds):
        message = "An index is made of whole numbers, written out here."
        hint = "Write for example x[0], x[1:3], x[..., 0] or x[None]."
        raise reader.error(node.slice, "index", message, hint)
    return params(index=index)


# Wrappers: rules (stop_gradient, ...), `bypass`, which mutes, and `cut`, which ends a segment. A
# wrapper around an op puts its rule on that op's node. Around a name, or around another wrapper, it
# makes an identity node with the rule.


MARKS = {BYPASS: "bypass(sin(x))", CUT: "cut(relu(x))"}
"""Wrappers that set a flag of the node and no rule, with an example each."""

WRAPPER = {kind.name: kind.call for kind in KINDS.values() if kind.call}
_RULED = {kind.call: kind for kind in KINDS.values() if kind.call}
_EXAMPLE = {name: kind.example for name, kind in _RULED.items()} | MARKS


def stem_of(node: Node) -> str:
    """Return the stem of the automatic name of an identity that is written as a wrapper alone."""
    marks = BYPASS if node.muted else CUT if node.cut else ""
    return WRAPPER.get(node.rule.kind, marks)


def read_wrapper(reader: Reader, call: ast.Call, depth: int) -> Applied:
    """Read a wrapper and the expression inside it, as one node to be.

    Raises:
      GraphError: an argument is missing or is not what the wrapper needs.
    """
    name = call.func.id  # type: ignore[attr-defined]
    kind = _RULED.get(name)
    arguments = ("x", kind.argument) if kind and kind.argument else ("x",)
    given = bind(reader, name, arguments, call)
    if len(given) < len(arguments):
        message = f"{name} needs {listed(arguments)}."
        raise reader.error(call, "arity", message, f"Write {_EXAMPLE[name]}.")
    inner = reader.read(given["x"], depth)
    span = reader.line.span(call)
    if kind is not None:
        return replace(_ruled(reader, inner, kind, given, depth, span), span=span)
    # The cut is outside of the mute, no mark is there twice, and an input has none: these too get identities.
    if not isinstance(inner, Applied) or inner.cut or inner.op == INPUT or (name == BYPASS and inner.muted):
        inner = Applied(IDENTITY, (inner,), (), span, stem=name)
    return replace(inner, muted=inner.muted or name == BYPASS, cut=name == CUT, span=span)


def _ruled(
    reader: Reader, inner: Operand, kind: RuleKind, given: dict[str, ast.expr], depth: int, span: Span
) -> Applied:
    """Return the expression inside the wrapper of a rule, with that rule."""
    # A node has one rule, and its mute and its cut are outside of it; anything else gets an identity for it.
    if not isinstance(inner, Applied) or inner.rule.kind != FOLLOW or inner.muted or inner.cut:
        inner = Applied(IDENTITY, (inner,), (), span, stem=kind.call)
    if kind.alternative:
        inner = replace(inner, operands=(*inner.operands, reader.read(given[kind.argument], depth)))
    function = reader.read_lambda(given[kind.argument], kind.function) if kind.function else None
    value = None
    if kind.number is not None:
        node = given[kind.argument]
        if not is_number(node):
            message = f"The {kind.argument} of {kind.call} is one number, written out."
            raise reader.error(node, "rule-number", message, f"Write {kind.example}.")
        value = float(read_literal(reader.line, node))
    return replace(inner, rule=Rule(kind.name, function, value))


# Refusals: calls and operators that formulas write otherwise, with what they mean there.


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
"""Functions that read the syntax of an expression, by its class."""
