"""Read Python's own functions, such as `range`, and the methods of lists, dictionaries and strings.

None is looked up in Python: each that a text may use stands in a table here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.python_values import PYTHON_SIZE, kind
from autodiff_viz.reading.values import Array, Class, Function, Instance, Native, Path, Property, Refused


def plain_method(r: Interpreter, owner: Any, name: str, node: ast.AST) -> Native:
    """Return a method of a list, a dictionary or a string."""

    def append(_: Interpreter, args: list, keywords: dict) -> None:
        if len(owner) >= PYTHON_SIZE:
            raise Refused("This list is too long.", "", "too-large", node)
        owner.append(*args)

    def extend(_: Interpreter, args: list, keywords: dict) -> None:
        owner.extend(r.items(args[0], node))

    known: dict[tuple[type, str], Callable[..., Any]] = {
        (list, "append"): append,
        (list, "extend"): extend,
        (list, "pop"): lambda _, args, kw: owner.pop(*args),
        (list, "insert"): lambda _, args, kw: (
            append(_, [], kw) if len(owner) >= PYTHON_SIZE else owner.insert(*args)
        ),
        (list, "reverse"): lambda _, args, kw: owner.reverse(),
        (list, "copy"): lambda _, args, kw: list(owner),
        (list, "clear"): lambda _, args, kw: owner.clear(),
        (dict, "__setitem__"): lambda _, args, kw: owner.__setitem__(*args),
        (dict, "update"): lambda _, args, kw: owner.update(*args, **kw),
        (dict, "pop"): lambda _, args, kw: owner.pop(*args),
        (dict, "copy"): lambda _, args, kw: dict(owner),
        (dict, "setdefault"): lambda _, args, kw: owner.setdefault(*args),
        (str, "startswith"): lambda _, args, kw: owner.startswith(*args),
        (str, "endswith"): lambda _, args, kw: owner.endswith(*args),
        (str, "split"): lambda _, args, kw: owner.split(*args),
        (dict, "items"): lambda _, args, kw: list(owner.items()),
        (dict, "keys"): lambda _, args, kw: list(owner.keys()),
        (dict, "values"): lambda _, args, kw: list(owner.values()),
        (dict, "get"): lambda _, args, kw: owner.get(*args),
        (str, "format"): lambda _, args, kw: "",
        (str, "join"): lambda _, args, kw: "",
    }
    method = known.get((type(owner), name))
    if method is None:
        raise Refused(f"{kind(owner).capitalize()} has no {name!r} that is read.", at=node)

    def call(_: Interpreter, args: list, keywords: dict) -> Any:
        try:
            result = method(_, args, keywords)
        except (IndexError, KeyError, TypeError) as error:
            raise Refused(f"{error}.".capitalize(), at=node) from None
        r.weighed(owner, node)  # a list may have been put into itself
        return result

    return Native(call, name)


def _number(r: Interpreter, args: list, kind: type) -> Any:
    if len(args) == 1 and isinstance(args[0], Array):
        if args[0].framework == "torch":  # a number of Python's, which no gradient passes
            number = r.attribute(args[0], "item", ast.Constant(0)).call(r, [], {})
            return number if kind is float else int(r.numbers(number))
        if kind is int:  # as taken, since only a whole number written out can be an index or a length
            args = [r.numbers(args[0]).item()]
        elif args[0].framework == "jax" and args[0].traced:
            raise Refused(
                "JAX refuses float() of an array that it is differentiating or compiling.",
                "Use the array as it is.",
                "traced",
            )
        else:
            return r.plain_numbers(args[0])  # float(x) of an array is its number
    try:
        return kind(*args)
    except (TypeError, ValueError, OverflowError) as error:
        raise Refused(f"{error}.".capitalize()) from None


def _range(r: Interpreter, args: list, keywords: dict) -> list[int]:
    if not all(type(arg) is int for arg in args) or not 1 <= len(args) <= 3:
        raise Refused("range() needs whole numbers that are written out.")
    try:
        steps = range(*args)
    except ValueError as error:
        raise Refused(f"{error}.".capitalize()) from None
    if len(steps) > PYTHON_SIZE:
        raise Refused(f"A range of {len(steps)} numbers is too long.", "", "too-large")
    return list(steps)


def _len(r: Interpreter, args: list, keywords: dict) -> int:
    if len(args) == 1 and isinstance(args[0], Array):
        shape = r.builder.shape(args[0].held)
        if shape is not None and len(shape) > len(args[0].rows):
            return shape[len(args[0].rows)]
    if len(args) == 1 and isinstance(args[0], (list, tuple, dict, str)):
        return len(args[0])
    raise Refused("len() of this is not known.")


def _sum(r: Interpreter, args: list, keywords: dict) -> Any:
    items = r.items(args[0], ast.Constant(0)) if args else []
    total: Any = args[1] if len(args) > 1 else 0
    for item in items:
        total = (
            item if type(total) is int and total == 0 else r.binary(ast.Add(), total, item, ast.Constant(0))
        )
    return total


def _zip(r: Interpreter, args: list, keywords: dict) -> list:
    return list(zip(*(r.items(one, ast.Constant(0)) for one in args), strict=False))


def _enumerate(r: Interpreter, args: list, keywords: dict) -> list:
    start = keywords.get("start", args[1] if len(args) > 1 else 0)
    return list(enumerate(r.items(args[0], ast.Constant(0)), start))


def _abs(r: Interpreter, args: list, keywords: dict) -> Any:
    if isinstance(args[0], Array) and args[0].framework == "tf":
        return r.tables["tensorflow.abs"](r, args[0])
    if isinstance(args[0], Array):
        if args[0].framework == "numpy" and args[0].traced:
            return r.tables["autograd.numpy.abs"](r, args[0])
        return (
            r.attribute(args[0], "abs", ast.Constant(0)).call(r, [], {})
            if args[0].framework == "torch"
            else r.make("abs", args)
        )
    return abs(args[0])


def _extreme(pick: Callable[..., Any], op: str) -> Callable[..., Any]:
    def call(r: Interpreter, args: list, keywords: dict) -> Any:
        items = r.items(args[0], ast.Constant(0)) if len(args) == 1 else args
        if any(isinstance(item, Array) for item in items):
            raise Refused(
                f"Python's {op}() of arrays depends on their numbers.",
                "Use maximum or minimum.",
                "data-dependent",
            )
        return pick(items)

    return call


def _isinstance(r: Interpreter, args: list, keywords: dict) -> bool:
    value, kinds = args
    return any(_is_a(value, one) for one in (kinds if isinstance(kinds, tuple) else (kinds,)))


def _is_a(value: Any, of: Any) -> bool:
    """Return whether a value is of a class of the text, of a library's or of Python's."""
    name = of.name if isinstance(of, (Path, Native, Class)) else ""
    if isinstance(value, Instance):
        if isinstance(value.of, Class):
            return value.of is of or any(base == name for base in value.of.bases)
        return value.of == name or name.endswith("nn.Module")
    if isinstance(value, Array):
        last = name.rpartition(".")[2]
        return last in ("Tensor", "Array", "ndarray") or (
            last == "Parameter" and value.leaf and value.requires_grad
        )
    plain = {"int": int, "float": float, "bool": bool, "str": str, "list": list, "tuple": tuple, "dict": dict}
    if name in plain:
        return isinstance(value, plain[name])
    if isinstance(value, (int, float, str, list, tuple, dict)) or value is None:
        return False
    raise Refused("isinstance() is not read of this.")


def _static(r: Interpreter, args: list, keywords: dict) -> Any:
    if isinstance(args[0], Function):
        args[0].static = True
    return args[0]


def _hasattr(r: Interpreter, args: list, keywords: dict) -> bool:
    try:
        r.attribute(args[0], args[1], ast.Constant(0))
    except Refused:
        return False
    return True


BUILTINS: dict[str, Callable[..., Any]] = {
    "range": _range,
    "len": _len,
    "sum": _sum,
    "zip": _zip,
    "enumerate": _enumerate,
    "reversed": lambda r, args, kw: list(reversed(r.items(args[0], ast.Constant(0)))),
    "list": lambda r, args, kw: list(r.items(args[0], ast.Constant(0))) if args else [],
    "tuple": lambda r, args, kw: tuple(r.items(args[0], ast.Constant(0))) if args else (),
    "dict": lambda r, args, kw: dict(*args, **kw),
    "float": lambda r, args, kw: _number(r, args, float),
    "int": lambda r, args, kw: _number(r, args, int),
    "bool": lambda r, args, kw: r.truth(args[0], ast.Constant(0)),
    "abs": _abs,
    "max": _extreme(max, "max"),
    "min": _extreme(min, "min"),
    "print": lambda r, args, kw: None,
    "round": lambda r, args, kw: r.make("round", args) if isinstance(args[0], Array) else round(*args),
    "pow": lambda r, args, kw: r.binary(ast.Pow(), args[0], args[1], ast.Constant(0)),
    "isinstance": _isinstance,
    "map": lambda r, args, kw: [
        r.call(args[0], list(one), {})
        for one in zip(*(r.items(each, ast.Constant(0)) for each in args[1:]), strict=False)
    ],
    "any": lambda r, args, kw: any(
        r.truth(one, ast.Constant(0)) for one in r.items(args[0], ast.Constant(0))
    ),
    "all": lambda r, args, kw: all(
        r.truth(one, ast.Constant(0)) for one in r.items(args[0], ast.Constant(0))
    ),
    "str": lambda r, args, kw: str(args[0]) if args and isinstance(args[0], (int, float, str)) else "",
    "repr": lambda r, args, kw: "",
    "hasattr": _hasattr,
    "getattr": lambda r, args, kw: (
        args[2]
        if len(args) > 2 and not _hasattr(r, args, kw)
        else r.attribute(args[0], args[1], ast.Constant(0))
    ),
    "setattr": lambda r, args, kw: r.set_attribute(args[0], args[1], args[2], ast.Constant(0)),
    "staticmethod": _static,
    "property": lambda r, args, kw: Property(args[0]),
    "super": lambda r, args, kw: Path("super"),
}


def install(r: Interpreter) -> None:
    """Teach an interpreter Python's own functions and methods."""
    r.builtins = BUILTINS
    for plain in (list, dict, str):
        r.handlers.attribute[plain] = plain_method
    r.handlers.attribute.setdefault(tuple, plain_method)
