"""Compute with the plain values of a text: apply operators to numbers, lists and strings.

Nothing is given to Python's evaluator: each operator that a text may use is in a table, and none makes
a number or a list beyond a limit.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Sequence
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.reading.language.values import Array, Class, Function, Instance, Native, Path, Refused
from autodiff_viz.reading.nodes.costs import KEY, LENGTH, pay_values, weighed


def kind(value: Any) -> str:
    """Return what a value is, in words, with its article."""
    kinds = {
        Array: "an array",
        Function: "a function",
        Native: "a function",
        Path: "a name of a library",
        Class: "a class",
        Instance: "an object",
        type(None): "None",
        list: "a list",
        tuple: "a tuple",
        dict: "a dictionary",
        str: "a text",
        int: "a number",
        float: "a number",
        bool: "a truth value",
        slice: "a slice",
        Shown: "a text",
    }
    return kinds.get(type(value), "this")


COMPARES = {
    ast.Gt: "greater",
    ast.Lt: "less",
    ast.GtE: "greater_equal",
    ast.LtE: "less_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}
"""Ops by comparison."""

_PLAIN = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


def plain_operator(op: ast.operator, left: Any, right: Any, node: ast.AST) -> Any:
    """Apply an operator to plain values, none of which may grow beyond a limit."""
    if type(op) not in _PLAIN:
        raise Refused(f"This operator is not read: {as_written(node)}.", at=node)
    numbers = all(isinstance(side, (int, float)) for side in (left, right))
    if isinstance(left, Shown) or isinstance(right, Shown):
        return Shown()
    if not numbers:
        length = _length(op, left, right)
        if length > LENGTH:
            raise Refused(
                f"This makes a list or text of more than {LENGTH:,} elements.", "", "too-large", node
            )
        pay_values(length)
    if isinstance(left, dict) and isinstance(right, dict) and isinstance(op, ast.BitOr):
        pay_values(len(left) + len(right))
    if numbers and isinstance(op, ast.LShift) and (right > 128 or left > limits.NUMBER):
        raise Refused("This number is too large.", "", "too-large", node)
    if numbers and isinstance(op, ast.Pow) and (abs(right) > 1000 or abs(left) > limits.NUMBER):
        raise Refused("This number is too large.", "", "too-large", node)
    try:
        result = _PLAIN[type(op)](left, right)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise Refused(f"{error}.".capitalize(), at=node) from None
    if isinstance(result, float) and abs(result) > limits.NUMBER and math.isfinite(result):
        raise Refused("This number is too large.", "", "too-large", node)
    if isinstance(result, complex):
        raise Refused("This value is not read.", "", "too-large", node)
    return number(result)


def _length(op: ast.operator, left: Any, right: Any) -> int:
    """Return the length of the list or text that a sum or a product makes."""
    sizes = [len(side) if isinstance(side, (list, tuple, str)) else side for side in (left, right)]
    if not all(isinstance(size, int) for size in sizes):
        return 0
    return sizes[0] * sizes[1] if isinstance(op, ast.Mult) else sum(sizes)


def number(value: Any) -> Any:
    """Return a value, unless it is a whole number of too many digits to compute with."""
    if type(value) is int and abs(value) > limits.NUMBER:
        raise Refused(
            f"This number is too large: the limit is {limits.NUMBER:g}.", "Use smaller numbers.", "too-large"
        )
    return value


def key(value: Any) -> Any:
    """Return what can be a key of a dictionary here: a name is looked up by all of it.

    Raises:
      Refused: it is a list or a dictionary, or a tuple or a text of too much.
    """
    if isinstance(value, (list, dict)):
        raise Refused("A key of a dictionary is a text or a number here.")
    if isinstance(value, Shown):
        raise Refused("What a text says that has computed numbers in it is not known here.", "Write it out.")
    if isinstance(value, Path) and (dtype := _dtype(value)) and dtype[0] == "torch":
        return Path(f"torch.{dtype[1]}")
    if isinstance(value, tuple) and weighed(value) > KEY:
        raise Refused(f"A key of a dictionary has at most {KEY} values here.", "", "too-large")
    if isinstance(value, str) and len(value) > LENGTH:
        raise Refused(f"A key of a dictionary has at most {LENGTH:,} characters.", "", "too-large")
    return value


def room_for(owner: list | dict, more: int) -> None:
    """Refuse to put more into a list or a dictionary than it may hold."""
    if len(owner) + more > LENGTH:
        raise Refused(f"{kind(owner).capitalize()} has at most {LENGTH:,} elements.", "", "too-large")


# Comparisons. Python's own walk lists inside lists in C, as often as each stands there.


def compared(op: ast.cmpop, left: Any, right: Any) -> bool:
    """Return whether a comparison of plain values holds.

    Raises:
      TypeError: they cannot be compared.
      Refused: code "too-large", there is too much in them.
    """
    if isinstance(op, (ast.Is, ast.IsNot)):
        named = isinstance(left, Path) and isinstance(right, Path)
        return (same_object(left, right) if named else left is right) is isinstance(op, ast.Is)
    if isinstance(op, (ast.Eq, ast.NotEq)):
        return equal(left, right) is isinstance(op, ast.Eq)
    if isinstance(op, (ast.In, ast.NotIn)):
        return contains(right, left) is isinstance(op, ast.In)
    if isinstance(op, (ast.Lt, ast.GtE)):
        return before(left, right, isinstance(op, ast.GtE))
    return before(right, left, isinstance(op, ast.LtE))


def equal(one: Any, other: Any) -> bool:
    """Return whether two plain values are equal, as Python says it; each pair in them is paid for."""
    for side in (one, other):
        if isinstance(side, Shown):
            key(side)  # refuses it
    if one is other:
        return not isinstance(one, float) or one == other  # NaN
    waiting = [(one, other)]
    while waiting:
        one, other = waiting.pop()
        if one is other:  # in a list that is enough
            continue
        kind = next((kind for kind in (list, tuple, dict) if isinstance(one, kind)), None)
        if kind is None or not isinstance(other, kind):
            numeric = (Array, int, float, list, tuple)
            if any(isinstance(side, Array) for side in (one, other)) and all(
                isinstance(side, numeric) for side in (one, other)
            ):
                raise Refused("Lists of arrays are not compared here.", "Compare two arrays.")
            if isinstance(one, str) and isinstance(other, str) and len(one) == len(other):
                pay_values(len(one))
            if not (named(one, other) if isinstance(one, Path) or isinstance(other, Path) else one == other):
                return False
            continue
        pay_values(8 + len(one))
        if len(one) != len(other):
            return False
        if kind is dict:
            if any(name not in other for name in one):
                return False
            waiting += [(one[name], other[name]) for name in one]
        else:
            waiting += zip(one, other, strict=True)
    return True


_DTYPES = {"bool", "float16", "bfloat16", "float32", "float64"} | {
    f"{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32, 64)
}
_SHORT = {"single": "float32", "double": "float64", "half": "float16", "bool_": "bool"}
_SHORT_IN_TORCH = {**_SHORT, "float": "float32", "long": "int64", "int": "int32", "short": "int16"}
_NOT_COMPARED = "Whether these two are the same is not known here."


def _dtype(path: Path) -> tuple[str, str] | None:
    """Return the library and the name of a dtype; None of another thing."""
    root, _, name = path.name.partition(".")
    name = name.rpartition(".")[2]
    library = {"jax": "numpy", "tensorflow": "tf"}.get(root, root)
    name = (_SHORT_IN_TORCH if library == "torch" else _SHORT).get(name, name)
    return (library, path.says or name) if name in _DTYPES else None


def named(one: Any, other: Any) -> bool:
    """Return whether two values are equal of which one is a name of a library.

    Raises:
      Refused: nobody knows.
    """
    path, other = (one, other) if isinstance(one, Path) else (other, one)
    dtype = _dtype(path)
    if dtype is None and isinstance(other, Path) and _dtype(other) is None:
        if path.name != other.name and path.name.rpartition(".")[2] == other.name.rpartition(".")[2]:
            raise Refused(_NOT_COMPARED, "Leave out the comparison.")
        return path.name == other.name
    if dtype is None:
        return False
    library, name = dtype
    if isinstance(other, Path):
        their = _dtype(other)
        if their is None:
            if library == "torch":
                return False
            raise Refused(_NOT_COMPARED, "Compare with a dtype such as jnp.float32.")
        if "?" in (name, their[1]) and {name, their[1]} <= {"?", "int32", "int64"}:
            raise Refused(_NOT_COMPARED, "Leave out the comparison.")
        if library != their[0] and "torch" not in (library, their[0]):
            raise Refused(_NOT_COMPARED, "Compare dtypes of one library.")
        return dtype == their
    if library == "torch" or not isinstance(other, (str, Native)):
        return False
    if isinstance(other, Native) or other not in _DTYPES or name == "?":
        raise Refused(_NOT_COMPARED, "Compare with a dtype of the library: x.dtype == jnp.float32.")
    return name == other


def same_object(one: Path, other: Path) -> bool:
    """Return whether two names of libraries are one object."""
    if not named(one, other):
        return False
    if (dtype := _dtype(one)) and dtype[0] != "torch":
        raise Refused(_NOT_COMPARED, "Write == in the place of `is`.")
    return True


def before(one: Any, other: Any, or_not: bool = False) -> bool:
    """Return whether a plain value is less than another, or with `or_not` whether it is not less."""
    while isinstance(one, (list, tuple)) and type(one) is type(other):
        pay_values(8 + 3 * min(len(one), len(other)))
        pairs = zip(one, other, strict=False)
        differing = next(((a, b) for a, b in pairs if a is not b and not equal(a, b)), None)
        if differing is None:
            return (len(one) < len(other)) is not or_not
        one, other = differing
    if isinstance(one, (list, tuple, dict)) or isinstance(other, (list, tuple, dict)):
        raise TypeError("this and that have no order")
    if isinstance(one, str):
        pay_values(len(one))
    return one >= other if or_not else one < other


class Shown(str):
    """A text with numbers in it that are computed: it can be printed, and is no name of anything.

    Its letters are not known, so it is no key of a dictionary and equals nothing.
    """


def formatted(value: Any, node: ast.FormattedValue) -> str | None:
    """Return a value as an f-string writes it; None if that is not known here."""
    plain = type(value) in (str, int, bool) and node.conversion == -1
    return str(value) if plain and node.format_spec is None else None


def written(parts: Sequence[str | None]) -> str:
    """Return a text of its parts, of which None is not known."""
    if None in parts:
        return Shown()
    length = sum(map(len, parts))
    if length > LENGTH:
        raise Refused(f"A text has at most {LENGTH:,} characters here.", "", "too-large")
    pay_values(length)
    return "".join(parts)


def percent(text: str, given: Any) -> str:
    """Return what `text % given` is, of whole numbers and texts."""
    parts = text.split("%")
    values = [given] if not isinstance(given, tuple) else list(given)
    if type(text) is not str or len(parts) != len(values) + 1:
        return Shown()
    made = [parts[0]]
    for part, value in zip(parts[1:], values, strict=True):
        fits = (part[:1] == "d" and type(value) is int) or (part[:1] == "s" and type(value) in (str, int))
        made += [str(value), part[1:]] if fits else [None]
    return written(made)


def contains(values: Any, one: Any) -> bool:
    """Return whether a value is in a list, a tuple, a dictionary or a text."""
    if isinstance(values, dict):
        return key(one) in values
    if isinstance(values, str):
        key(values), key(one)
        pay_values(len(values))
        return one in values
    if not isinstance(values, (list, tuple)):
        raise TypeError("this holds no elements")
    pay_values(3 * len(values))  # each is compared by a function of ours
    return any(each is one or equal(each, one) for each in values)


def as_written(node: ast.AST, most: int = 60) -> str:
    """Return the beginning of an expression as the text has it, for a message."""
    waiting, size = [iter((node,))], 0
    while waiting:
        one = next(waiting[-1], None)
        if one is None:
            waiting.pop()
            continue
        size += 1
        if size > 4 * most:  # to write it out would take longer than to read it
            return "this expression"
        waiting.append(ast.iter_child_nodes(one))
    pay_values(size)
    return ast.unparse(node)[:most]
