"""Build Python expressions of ops, numbers and tensors, and name the variables of a program.

Expressions are syntax trees until they are written, so that Python itself sets the brackets and no text from
a graph is ever pasted into a program.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from keyword import iskeyword
from typing import Any

from autodiff_viz.graph.dtypes import DTYPES, FLOAT32, FLOAT64
from autodiff_viz.graph.model import Literal
from autodiff_viz.graph.rule_kinds import KINDS
from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.ops import indexing
from autodiff_viz.ops.op import Op

_NAME = re.compile(r"'(\w+)'", re.ASCII)


def applied(op: Op, operands: Sequence[ast.expr], given: Mapping[str, Any], dtype: str) -> ast.expr:
    """Return the op's `source` with its operands and parameters filled in.

    Args:
      operands: one per slot, any number for a variadic op; bare numbers stand for constants.
      given: the parameters that are set.
      dtype: "float16", "bfloat16", "float32" or "float64".
    """
    params = {param.name: given.get(param.name, param.default) for param in op.params}
    usual = {param.name for param in op.params if params[param.name] == param.default}
    values: dict[str, ast.expr] = {}
    for param in op.params:
        value = params[param.name]
        index = param.kind == "index"  # slices stand in square brackets alone
        values[param.name] = expression(f"_[{indexing.to_text(value)}]").slice if index else data(value)
    if operands and all(map(is_number, operands)):
        # With bare numbers alone Python would compute with its own numbers and its own arithmetic.
        operands = [called("jnp.array", operands[0]), *operands[1:]]
    slots = [ast.List(list(operands), ast.Load())] if op.variadic else operands
    values.update(zip(op.slots, slots, strict=True))
    source = op.source64.replace(FLOAT64, dtype) if op.source64 and dtype != FLOAT32 else op.source
    return in_dtype(_Fill(values, usual).visit(expression(source)), dtype)


def in_dtype(tree: ast.expr, dtype: str) -> ast.expr:
    """Return the expression with 16 bits named wherever JAX would make an array of its default dtype."""
    return _Halved(dtype).visit(tree) if DTYPES[dtype].half else tree


def cast(tree: ast.expr, dtype: str) -> ast.expr:
    """Return a float32 draw in the precision of the program."""
    return tree if dtype == FLOAT32 else called("astype", dotted("jnp", dtype), of=tree)


def written(tree: ast.expr) -> str:
    """Return the expression as source text; quoted names get double quotes."""
    return _NAME.sub(r'"\1"', ast.unparse(tree))


def constant(literal: Literal, dtype: str) -> ast.expr:
    """Return a literal as an operand: an array or a bare number.

    A bare number takes the precision of the array that it meets.
    """
    return array(literal, dtype) if isinstance(literal, tuple) else number(literal)


def array(numbers: Literal | list, dtype: str) -> ast.expr:
    """Return `jnp.array(...)` of a number or of nested tuples or lists of numbers."""
    return in_dtype(called("jnp.array", nested(numbers)), dtype)


def data(value: Any) -> ast.expr:
    """Return plain data (numbers, strings, None, tuples of them) as a Python literal."""
    return expression(repr(value))


def dotted(*names: str) -> ast.expr:
    """Return `a.b.c`; a single name stays a name."""
    tree: ast.expr = ast.Name(names[0], ast.Load())
    for name in names[1:]:
        tree = ast.Attribute(tree, name, ast.Load())
    return tree


def called(function: str, *arguments: ast.expr, of: ast.expr | None = None) -> ast.Call:
    """Return a call of `function`, which may be dotted, or of the method `function` of `of`."""
    callee = dotted(*function.split(".")) if of is None else ast.Attribute(of, function, ast.Load())
    return ast.Call(callee, list(arguments), [])


def called_by(function: ast.expr, *arguments: ast.expr) -> ast.Call:
    """Return the call of what an expression gives."""
    return ast.Call(function, list(arguments), [])


def is_number(tree: ast.expr) -> bool:
    """Return whether an expression is a bare number."""
    return isinstance(tree.operand if isinstance(tree, ast.UnaryOp) else tree, ast.Constant)


def number(value: float) -> ast.expr:
    """Return a number as a float: `x ** 2` is another op to JAX than `x ** 2.0`."""
    size = ast.Constant(abs(float(value)))
    return ast.UnaryOp(ast.USub(), size) if math.copysign(1.0, value) < 0 else size


def nested(numbers: Literal | list) -> ast.expr:
    """Return a number, or nested tuples or lists of numbers, as nested lists."""
    if isinstance(numbers, tuple | list):
        return ast.List([nested(item) for item in numbers], ast.Load())
    return number(numbers)


class _Fill(ast.NodeTransformer):
    """Substitute `values` for names and drop keywords whose value is the default (`usual`)."""

    def __init__(self, values: Mapping[str, ast.expr], usual: set[str]):
        self.values, self.usual = values, usual

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if is_number(node.value):  # a bare number has no `.at`
            node.value = called("jnp.array", node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.keywords = [
            word
            for word in node.keywords
            if not (isinstance(word.value, ast.Name) and word.value.id in self.usual)
        ]
        return self.generic_visit(node)


class _Halved(ast.NodeTransformer):
    """Name the dtype in calls whose result has JAX's default dtype."""

    def __init__(self, dtype: str):
        self.dtype = dotted("jnp", dtype)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = ast.unparse(node.func)
        if len(node.args) == _PLACES.get(name):
            node.args = [*node.args, self.dtype]
        elif name == "jax.nn.one_hot" and not any(word.arg == "dtype" for word in node.keywords):
            node.keywords = [*node.keywords, ast.keyword("dtype", self.dtype)]
        elif name.endswith(".astype") and ast.unparse(node.args[0]) == "float":
            node.args = [self.dtype]
        elif name == "jnp.where" and all(map(is_number, node.args[1:])):
            return called("astype", self.dtype, of=node)
        return node


_PLACES = {"jnp.array": 1, "jnp.full": 2}
"""By function, the number of arguments before the dtype."""


def expression(source: str) -> ast.expr:
    """Parse an expression of the project's own catalog."""
    return syntax_tree(source, mode="eval").body


# Variables are named as in the graph, unless the file already has the name.


OWN = frozenset(kind.call for kind in KINDS.values() if kind.call) | frozenset((
    "jax", "jnp", "partial", "checkpoint_name", "straight_through", "straight_through_jvp", "forward",
    "value", "pull_back", "gradients", "name", "gradient", "print", "zip", "map",
))  # fmt: skip
"""Names that the exported program uses itself."""


def scope(wanted: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return a variable for each name: the name itself, or with "_" appended if it is taken or in `OWN`."""
    wanted, used = list(wanted), {*OWN, *taken}
    clash = used.intersection(wanted)
    used.update(wanted)
    return {name: fresh(name, used) if name in clash else name for name in wanted}


def fresh(wanted: str, taken: set[str], endings: tuple[str, ...] = ("",)) -> str:
    """Append "_" to `wanted` until it is new with each of `endings`, and mark the results as taken."""
    name = wanted
    while iskeyword(name) or any(name + ending in taken for ending in endings):
        name += "_"
    taken.update(name + ending for ending in endings)
    return name


def identifier(title: str) -> str:
    """Return a region's title, which may hold spaces, dots and dashes, as a Python name."""
    name = re.sub(r"\W", "_", title, flags=re.ASCII).strip("_") or "region"
    return f"region_{name}" if name[0].isdigit() else name
