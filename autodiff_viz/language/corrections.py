"""Write what a piece of a formula may mean in the formula's language, in place of what is not in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container
from typing import Any

from autodiff_viz.graph.problem import Correction
from autodiff_viz.graph.text import numbered
from autodiff_viz.language.scanner import LogicalLine

_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@"}

LETTERS = "yzwuvpqrstxabcdefghijklmno"
"""Names for a value that has none."""

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)

_SMALL = 20  # numbers of a tensor that are written out in a correction

_CLOSED = (ast.Name, ast.Constant, ast.Call, ast.Subscript, ast.Attribute, ast.List)
"""Syntax that stands as an operand without brackets."""

CALLS = {
    "relu6": "clip({0}, 0.0, 6.0)",
    "sec": "(1.0 / cos({0}))",
    "csc": "(1.0 / sin({0}))",
    "cot": "(1.0 / tan({0}))",
    "array": "{0}",
    "asarray": "{0}",
    "tensor": "{0}",
    "float": "{0}",
}
"""Calls of other libraries, with what they are in a formula."""

TWO = {"max": "maximum({0}, {1})", "min": "minimum({0}, {1})", "prod": "(({0}) * ({1}))"}
"""Reductions that are called with two values, with what they mean."""

_DRAWS = {"normal": "input", "randn": "input", "rand": "uniform", "uniform": "uniform"}


def written_call(line: LogicalLine, name: str, call: ast.Call) -> str:
    """Return what the call of another library's function `name` is in a formula; "" if that is not known."""
    given = [line.piece(argument) for argument in call.args]
    if name == "log" and len(given) == 2:
        return f"(log({given[0]}) / log({given[1]}))"
    if (
        name in CALLS
        and f"{{{len(given)}}}" not in CALLS[name]
        and len(given) == 1 + CALLS[name].count("{1}")
    ):
        return CALLS[name].format(*given)
    if name in _DRAWS:
        # The shape is a tuple among the arguments, as in NumPy, or each length is one, as in PyTorch.
        shapes = [argument.elts for argument in call.args if isinstance(argument, ast.Tuple)]
        axes = shapes[0] if shapes else [each for each in call.args if isinstance(_number(each), int)]
        if lengths := [ast.unparse(axis) for axis in axes]:
            shape = f"({', '.join(lengths)}{',' if len(lengths) == 1 else ''})"
            return f"{_DRAWS[name]}(shape={shape}, seed=0)"
    numbers: list[Any] = [_number(argument) for argument in call.args]
    if None in numbers or call.keywords:
        return ""
    # A small tensor of counted numbers is written out, since a formula has no op that makes it.
    if name == "arange" and 1 <= len(numbers) <= 3 and all(type(each) is int for each in numbers):
        steps = range(*numbers) if len(numbers) < 3 or numbers[2] else ()
        return f"{[float(n) for n in steps]}" if 0 < len(steps) <= _SMALL else ""
    if name == "linspace" and len(numbers) == 3 and type(numbers[2]) is int and 2 <= numbers[2] <= _SMALL:
        low, high, count = numbers
        return f"{[low + (high - low) * i / (count - 1) for i in range(count)]}"
    if name == "eye" and len(numbers) == 1 and numbers[0] in range(1, 7):
        size = range(numbers[0])
        return f"{[[float(row == column) for column in size] for row in size]}"
    return ""


def _number(node: ast.expr) -> int | float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _number(node.operand)
        return None if value is None else -value
    return node.value if isinstance(node, ast.Constant) and type(node.value) in (int, float) else None


def operand(line: LogicalLine, node: ast.expr) -> str:
    """Return the text of a node, in brackets unless it stands as an operand without."""
    piece = line.piece(node)
    return piece if isinstance(node, _CLOSED) else f"({piece})"


def _binary(template: str) -> Callable[[LogicalLine, ast.BinOp], str]:
    return lambda line, node: template.format(operand(line, node.left), operand(line, node.right))


def _compare(template: str) -> Callable[[LogicalLine, ast.Compare], str]:
    def write(line: LogicalLine, node: ast.Compare) -> str:
        """Write a comparison of two values; "" for one of more."""
        both = len(node.ops) == 1
        return template.format(operand(line, node.left), operand(line, node.comparators[0])) if both else ""

    return write


def _folded(template: str) -> Callable[[LogicalLine, ast.BoolOp], str]:
    def write(line: LogicalLine, node: ast.BoolOp) -> str:
        """Join the conditions two by two."""
        joined, *others = [operand(line, value) for value in node.values]
        for other in others:
            joined = template.format(joined, other)
        return joined

    return write


def _tuple(line: LogicalLine, node: ast.Tuple) -> str:
    """Write 1,000 as 1000, 0,5 as 0.5, and (1, 2) as a tensor."""
    text = line.piece(node)
    if re.fullmatch(r"[1-9]\d{0,2}(,\d{3})+", text):
        return text.replace(",", "")
    if re.fullmatch(r"\d+,\d+", text):
        return text.replace(",", ".")
    return f"[{', '.join(line.piece(each) for each in node.elts)}]"


_EXPRESSIONS: dict[type[ast.AST], Callable[..., str]] = {
    ast.IfExp: lambda line, node: f"where({', '.join(map(line.piece, (node.test, node.body, node.orelse)))})",
    ast.Tuple: _tuple,
    ast.Set: _tuple,
    ast.FloorDiv: _binary("floor({0} / {1})"),
    ast.Mod: _binary("({0} - {1} * floor({0} / {1}))"),
    ast.Eq: _compare("1.0 - ({0} > {1}) - ({0} < {1})"),
    ast.NotEq: _compare("({0} > {1}) + ({0} < {1})"),
    ast.GtE: _compare("{0} > {1}"),
    ast.LtE: _compare("{0} < {1}"),
    ast.And: _folded("{0} * {1}"),
    ast.Or: _folded("maximum({0}, {1})"),
    ast.Not: lambda line, node: f"1.0 - {operand(line, node.operand)}",
    ast.UAdd: lambda line, node: operand(line, node.operand),
}


def written(line: LogicalLine, node: ast.expr, kind: ast.AST) -> str:
    """Return a piece that is not in the language as it is written there; "" if that is not known.

    Args:
      kind: its operator, or the piece itself.
    """
    write = _EXPRESSIONS.get(type(kind))
    return write(line, node) if write else ""


def assignments(line: LogicalLine, statement: ast.stmt, taken: Container[str]) -> str | None:
    """Return the assignments that `x: float = 1.0`, `x, y = 1.0, 2.0` and `x += 1.0` are in a formula."""
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
        return f"{statement.target.id} = {line.piece(statement.value)}"
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        name, sign = statement.target.id, _SIGNS.get(type(statement.op), "")
        return f"{new_name(name, taken)} = {name} {sign} {operand(line, statement.value)}" if sign else None
    if not isinstance(statement, ast.Assign):
        return None
    if len(statement.targets) > 1:  # x = y = 1.0
        value = line.piece(statement.value)
        pairs = [(target, value) for target in statement.targets]
    else:
        targets, values = (getattr(each, "elts", ()) for each in (statement.targets[0], statement.value))
        pairs = [(t, line.piece(v)) for t, v in zip(targets, values, strict=False)]
        pairs = pairs if len(targets) == len(values) else []
    named = pairs and all(isinstance(target, ast.Name) for target, _ in pairs)
    return "; ".join(f"{line.piece(target)} = {value}" for target, value in pairs) if named else None


def removed(line: LogicalLine) -> Correction:
    """Return the correction that deletes a line."""
    end = line.number + line.text.count("\n") + 1
    return Correction("Leave the line out", line.number, 0, end, 0, "")


def moved_up(line: LogicalLine, number: int) -> Correction | None:
    """Return the correction that moves line `number`, further down, above this one; both unindented."""
    moved = line.source[number - 1]
    between = line.source[line.number - 1 : number - 1]
    if line.indent or moved[:1].isspace() or moved.count("(") != moved.count(")"):
        return None
    text = "\n".join([moved, *between])
    return Correction(f"Move line {number} up", line.number, 0, number, len(moved), text)


def above(text: str) -> Correction:
    """Return the correction that begins the whole text with a line."""
    return Correction(f"Add {text}", 1, 0, 1, 0, f"{text}\n")


def times(line: LogicalLine, call: ast.Call) -> Correction | None:
    """Return the correction that makes a product of `2 (x)`, which Python reads as a call."""
    span, end = line.span(call), line.span(call.func)
    rest = line.source[end.end_line - 1][end.end_column :]
    bracket = re.match(r"[)\s]*(?=\()", rest)  # the function's own bracket may be closed first
    if len(call.args) != 1 or call.keywords or not bracket or span.line != span.end_line:
        return None
    column = end.end_column + len(bracket[0])
    text = line.source[span.line - 1]
    shown = f"Write {text[span.column : column].rstrip()} * {text[column : span.end_column]}"
    return Correction(shown, span.line, column, span.line, column, " * ")


def free_letter(taken: Container[str]) -> str:
    """Return a letter that names nothing yet."""
    return next((letter for letter in LETTERS if letter not in taken), "result")


def new_name(name: str, taken: Container[str]) -> str:
    """Return `<name>_new`, with a number behind it where that is taken."""
    new = f"{name}_new"
    return numbered(new, taken) if new in taken else new


def mentioned(line: LogicalLine) -> set[str]:
    """Return every name in the text of this line and all others, whether or not it has a value."""
    return set(_NAME.findall("\n".join(line.source)))


def misspelt(line: LogicalLine, calls: Container[str]) -> Correction | None:
    """Return the correction of a line that is no Python: `sin x`, |x| and x := 1.0.

    Args:
      calls: names of functions of one value.
    """
    for row, text in enumerate(line.text.split("\n")):
        pieces = [(match, f"abs({match[1].strip()})") for match in re.finditer(r"\|([^|]+)\|", text)]
        for match in re.finditer(r"\b([A-Za-z_]\w*)[ \t]+([A-Za-z_]\w*|\d[\d.]*)\b(?!\s*[(\[])", text):
            if match[1] in calls:
                pieces.append((match, f"{match[1]}({match[2]})"))
        if match := re.match(r"([A-Za-z_]\w*)\s*:=", text):
            pieces.append((match, f"{match[1]} ="))
        if pieces:  # one at a time: the next one is offered once this one is written
            match, better = pieces[0]
            column = match.start() + (line.indent if row == 0 else 0)
            number = line.number + row
            return Correction(f"Write {better}", number, column, number, column + len(match[0]), better)
    return None
