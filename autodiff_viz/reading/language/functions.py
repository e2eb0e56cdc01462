"""Read Python's own functions, such as `range`, and the methods of lists, dictionaries and strings.

None is looked up in Python: each that a text may use stands in a table here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.reading.language.operators import Shown, before, equal, key, kind, number, room_for, written
from autodiff_viz.reading.language.reader import Raised, Reader
from autodiff_viz.reading.language.sets import Set
from autodiff_viz.reading.language.streams import Stream
from autodiff_viz.reading.language.values import (
    Array,
    Class,
    ClassMethod,
    Function,
    Instance,
    Native,
    Path,
    Property,
    Refused,
)
from autodiff_viz.reading.nodes.costs import LENGTH, pay_values

DIGITS = 400  # characters of a text that is read as a number, and of what a number is rounded to


def plain_method(reader: Reader, owner: Any, name: str, node: ast.AST) -> Native:
    """Return a method of a list, a dictionary or a string. What copies or moves elements pays for them."""

    def append(item: Any) -> None:
        room_for(owner, 1)
        owner.append(item)

    def insert(place: int, item: Any) -> None:
        room_for(owner, 1)
        pay_values(len(owner))
        owner.insert(place, item)

    def extend(more: Any) -> None:
        items = reader.items(more, node)
        room_for(owner, len(items))
        owner.extend(items)

    def update(*given: Any, **named: Any) -> None:
        new = dictionary(reader, given, named)
        room_for(owner, len(new))
        owner.update(new)

    def setdefault(at: Any, value: Any = None) -> Any:
        room_for(owner, 1)
        return owner.setdefault(key(at), value)

    def set_item(at: Any, value: Any) -> None:
        room_for(owner, 1)
        owner[key(at)] = value

    def pop(*args: Any) -> Any:
        pay_values(len(owner))
        return owner.pop(*(args if isinstance(owner, list) else (key(args[0]), *args[1:])))

    def walked(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            pay_values(len(owner) + sum(len(one) for one in args if isinstance(one, str)))
            return function(*args)

        return call

    def replaced(old: str, new: str) -> str:
        pay_values(len(owner) * (1 + len(new)))
        return written([part for one in owner.split(old) for part in (new, one)][1:])

    def sort(key: Any = None, reverse: bool = False) -> None:
        owner[:] = in_order(reader, owner, key, reverse)

    known: dict[tuple[type, str], Callable[..., Any]] = {
        (list, "append"): append,
        (list, "extend"): extend,
        (list, "pop"): pop,
        (list, "insert"): insert,
        (list, "reverse"): walked(lambda: owner.reverse()),
        (list, "copy"): walked(lambda: list(owner)),
        (list, "clear"): walked(lambda: owner.clear()),
        (dict, "__setitem__"): set_item,
        (dict, "update"): update,
        (dict, "pop"): pop,
        (dict, "copy"): walked(lambda: dict(owner)),
        (dict, "setdefault"): setdefault,
        (str, "startswith"): walked(lambda *args: owner.startswith(*args)),
        (str, "endswith"): walked(lambda *args: owner.endswith(*args)),
        (str, "split"): walked(lambda *args: owner.split(*args)),
        (dict, "items"): walked(lambda: list(owner.items())),
        (dict, "keys"): walked(lambda: list(owner.keys())),
        (dict, "values"): walked(lambda: list(owner.values())),
        (dict, "get"): lambda at, *other: owner.get(key(at), *other),
        (str, "format"): walked(lambda *args, **named: Shown()),
        (str, "join"): lambda parts: _joined(reader, owner, reader.items(parts, node)),
        (str, "lower"): walked(lambda: owner.lower()),
        (str, "upper"): walked(lambda: owner.upper()),
        (str, "strip"): walked(lambda *args: owner.strip(*args)),
        (str, "replace"): replaced,
        (str, "splitlines"): walked(lambda: owner.splitlines()),
        (list, "sort"): sort,
        (list, "index"): lambda one: _place(owner, one),
        (list, "count"): lambda one: sum(equal(each, one) for each in _walked(owner)),
        (list, "remove"): lambda one: owner.pop(_place(owner, one)),
        (tuple, "index"): lambda one: _place(owner, one),
        (tuple, "count"): lambda one: sum(equal(each, one) for each in _walked(owner)),
        (dict, "clear"): walked(lambda: owner.clear()),
    }
    kind_of = next((one for one in (str, list, dict) if isinstance(owner, one)), type(owner))
    method = known.get((kind_of, name))
    if method is None:
        raise Refused(f"{kind(owner).capitalize()} has no {name!r} that is read.", at=node)

    def call(_: Reader, args: list, keywords: dict) -> Any:
        try:
            return method(*args, **keywords)
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise Refused(f"{_about(error)}.".capitalize(), at=node) from None

    return Native(call, name, walks=False)


def _walked(values: list | tuple) -> list | tuple:
    pay_values(3 * len(values))
    return values


def _place(values: list | tuple, one: Any) -> int:
    """Return where a value first is in a list."""
    for i, each in enumerate(_walked(values)):
        if isinstance(each, Array) or isinstance(one, Array):
            if each is one:
                return i
            raise Refused("Where an array is in a list depends on its numbers.", "", "data-dependent")
        if equal(each, one):
            return i
    raise ValueError("index() this is not in the list")


def _joined(reader: Reader, between: str, parts: list) -> str:
    pay_values(len(parts))
    joined = [one if type(one) is str else None for one in parts]
    return written([part for one in joined for part in (between, one)][1:])


def in_order(reader: Reader, values: Any, by: Any = None, falling: bool = False) -> list:
    """Return plain values in order: as Python's sorted() does."""
    items = list(values)
    pay_values(8 * len(items) * max(1, len(items).bit_length()))
    ranks = items if by is None else [reader.call(by, [item], {}) for item in items]
    if any(isinstance(one, Array) for one in ranks):
        raise Refused(
            "The order of arrays depends on their numbers.", "Use sort() or argsort().", "data-dependent"
        )
    placed = sorted(range(len(items)), key=lambda i: _Rank(ranks[i]), reverse=bool(falling))
    return [items[i] for i in placed]


class _Rank:
    """A plain value in an order that pays for each comparison."""

    def __init__(self, value: Any):
        self.value = value

    def __lt__(self, other: _Rank) -> bool:
        return before(self.value, other.value)


def _about(error: Exception) -> str:
    """Return what Python says, without the name of a function of ours."""
    return str(error).rpartition("() ")[2]


def dictionary(reader: Reader, given: tuple, named: dict[str, Any]) -> dict:
    """Return what `dict(given, **named)` makes."""
    if len(given) > 1:
        raise Refused("dict() takes one dictionary, or pairs of keys and values.")
    made: dict = {}
    for one in given:
        if isinstance(one, dict):
            pay_values(len(one))
            made.update(one)
            continue
        for pair in reader.items(one):
            both = reader.items(pair)
            if len(both) != 2:
                raise Refused("dict() takes a dictionary, or pairs of keys and values.")
            made[key(both[0])] = both[1]
    return {**made, **named}


def _number(reader: Reader, args: list, keywords: dict, kind: type) -> Any:
    if len(args) == 1 and isinstance(args[0], Array):
        if args[0].framework == "torch":  # a number of Python's, which no gradient passes
            one = reader.attribute(args[0], "item").call(reader, [], {})
            return one if kind is float else int(reader.numbers(one))
        if kind is int:  # as taken, since only a whole number written out can be an index or a length
            args = [reader.numbers(args[0]).item()]
        elif args[0].framework == "jax" and args[0].traced:
            raise Refused(
                "JAX refuses float() of an array that it is differentiating or compiling.",
                "Use the array as it is.",
                "traced",
            )
        else:
            return reader.plain_numbers(args[0])  # float(x) of an array is its number
    if any(isinstance(arg, str) and len(arg) > DIGITS for arg in args):
        raise Refused(f"A number is read from at most {DIGITS} characters.", "", "too-large")
    try:
        return number(kind(*args, **keywords))
    except (TypeError, ValueError, OverflowError) as error:
        raise Refused(f"{error}.".capitalize()) from None


def _range(reader: Reader, args: list, keywords: dict) -> list[int]:
    if not all(type(arg) is int for arg in args) or not 1 <= len(args) <= 3:
        raise Refused("range() needs whole numbers that are written out.")
    try:
        steps = range(*args)
    except ValueError as error:
        raise Refused(f"{error}.".capitalize()) from None
    try:
        count = len(steps)
    except OverflowError:  # Python's own count ends at 2**63
        count = limits.SEED
    if count > LENGTH:
        raise Refused(f"A range has at most {LENGTH:,} numbers here.", "Use a shorter one.", "too-large")
    pay_values(count)
    return list(steps)


def _len(reader: Reader, args: list, keywords: dict) -> int:
    if len(args) == 1 and isinstance(args[0], Array):
        shape = reader.builder.shape(args[0].held)
        if shape is not None and len(shape) > len(args[0].rows):
            return shape[len(args[0].rows)]
    if len(args) == 1 and isinstance(args[0], (list, tuple, dict, str)):
        return len(key(args[0]) if isinstance(args[0], str) else args[0])
    if len(args) == 1 and isinstance(args[0], Set):
        return len(args[0].of)
    if args and (method := reader.own_method(args[0], "__len__")):
        return reader.call(method, [args[0]], {})
    return len(reader.items(args[0]))


def _sum(reader: Reader, args: list, keywords: dict) -> Any:
    items = reader.items(args[0]) if args else []
    total: Any = args[1] if len(args) > 1 else keywords.get("start", 0)
    for item in items:
        total = (
            item
            if type(total) is int and total == 0 and not isinstance(item, Instance)
            else reader.binary(ast.Add(), total, item)
        )
    return total


def _filter(reader: Reader, args: list, keywords: dict) -> list:
    function, values = args
    items = reader.items(values)
    kept = (one if function is None else reader.call(function, [one], {}) for one in items)
    return [one for one, holds in zip(items, kept, strict=True) if reader.truth(holds)]


def _sorted(reader: Reader, args: list, keywords: dict) -> list:
    items = reader.items(args[0])
    return in_order(reader, items, keywords.get("key"), keywords.get("reverse", False))


def _type(reader: Reader, args: list, keywords: dict) -> Any:
    if len(args) == 1 and isinstance(args[0], Instance) and isinstance(args[0].of, Class):
        return args[0].of
    raise Refused("type() is read of an object of a class of the text.", "Write isinstance(x, ...).")


def _id(reader: Reader, args: list, keywords: dict) -> int:
    if len(args) != 1 or not isinstance(args[0], (Instance, Class, Function)):
        raise Refused("id() is read of an object of a class of the text.")
    return id(args[0])


def _letters(function: Callable[[Any], Any], of: type) -> Callable[..., Any]:
    def call(reader: Reader, args: list, keywords: dict) -> Any:
        if len(args) != 1 or type(args[0]) is not of:
            raise Refused("This is read of one letter, or of its number.")
        try:
            return function(args[0])
        except (TypeError, ValueError, OverflowError) as error:
            raise Refused(f"{error}.".capitalize()) from None

    return call


def _divmod(reader: Reader, args: list, keywords: dict) -> tuple:
    return tuple(reader.binary(op, args[0], args[1]) for op in (ast.FloorDiv(), ast.Mod()))


def _zip(reader: Reader, args: list, keywords: dict) -> list:
    if keywords.get("strict") and len({len(reader.items(one)) for one in args}) > 1:
        raise Raised("zip() is strict, and its arguments are not equally long, so the text ends here.")
    return _rows(reader, args)


def _pow(reader: Reader, args: list, keywords: dict) -> Any:
    if len(args) != 2:
        raise Refused("pow() is read of two numbers.", "Write x**y % z.")
    return reader.binary(ast.Pow(), *args)


def _rows(reader: Reader, args: list) -> list[tuple]:
    if any(isinstance(one, Stream) for one in args):
        raise Refused("A generator beside others is not read.", "Make a list of it first: list(...).")
    columns = [reader.items(one) for one in args]
    pay_values(len(columns) * min(map(len, columns), default=0))
    return list(zip(*columns, strict=False))


def _enumerate(reader: Reader, args: list, keywords: dict) -> list | Stream:
    start = keywords.get("start", args[1] if len(args) > 1 else 0)
    if type(start) is not int:
        raise Refused("enumerate() counts from a whole number.")
    if isinstance(args[0], Stream):
        return args[0].numbered(start)
    return list(enumerate(reader.items(args[0]), start))


def _abs(reader: Reader, args: list, keywords: dict) -> Any:
    if isinstance(args[0], Array) and args[0].framework == "tf":
        return reader.tables["tensorflow.abs"](reader, args[0])
    if isinstance(args[0], Array):
        if args[0].framework == "numpy" and args[0].traced:
            return reader.tables["numpy.abs"](reader, args[0])
        return (
            reader.attribute(args[0], "abs").call(reader, [], {})
            if args[0].framework == "torch"
            else reader.make("abs", args)
        )
    if method := reader.own_method(args[0], "__abs__"):
        return reader.call(method, [args[0]], {})
    return abs(args[0])


def _extreme(sign: int, op: str) -> Callable[..., Any]:
    compares = ast.Gt() if sign > 0 else ast.Lt()

    def call(reader: Reader, args: list, keywords: dict) -> Any:
        items = reader.items(args[0]) if len(args) == 1 else args
        if not items and "default" in keywords:
            return keywords["default"]
        by = keywords.get("key")
        ranks = items if by is None else [reader.call(by, [item], {}) for item in items]
        if not items:
            raise Refused(f"{op}() of nothing has no value.")
        best = 0
        pay_values(len(items))
        for i in range(1, len(items)):
            if isinstance(ranks[best], Array) or isinstance(ranks[i], Array):
                is_better = reader.holds(reader.compare(compares, ranks[i], ranks[best]), reader.calls[-1])
                reader.say(reader.line, f"{op}() takes one of them by these numbers, whatever a slider does")
            else:
                is_better = before(*((ranks[best], ranks[i]) if sign > 0 else (ranks[i], ranks[best])))
            best = i if is_better else best
        return items[best]

    return call


def _round(reader: Reader, args: list, keywords: dict) -> Any:
    if isinstance(args[0], Array):
        return reader.make("round", args)
    digits = keywords.get("ndigits", args[1] if len(args) > 1 else None)
    if digits is not None and (type(digits) is not int or abs(digits) > DIGITS):
        raise Refused(f"round() is read to at most {DIGITS} digits.")
    return number(round(args[0], digits))


def _isinstance(reader: Reader, args: list, keywords: dict) -> bool:
    value, kinds = args
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    pay_values(len(kinds))
    return any(_is_a(value, one) for one in kinds)


def _is_a(value: Any, of: Any) -> bool:
    """Return whether a value is of a class of the text, of a library's or of Python's."""
    if not isinstance(of, (Path, Native, Class)) or (isinstance(of, Native) and of.name not in BUILTINS):
        raise Refused("isinstance() is not read of this.")
    name = of.name
    if isinstance(value, Instance):
        if isinstance(value.of, Class):
            return value.of is of or any(base == name for base in value.of.bases)
        return value.of == name or name.endswith("nn.Module")
    if isinstance(value, Array):
        last = name.rpartition(".")[2]
        if last == "ndarray" and value.framework in ("jax", "numpy"):
            return name.startswith("jax.") == (value.framework == "jax")
        return last in ("Tensor", "Array", "ndarray") or (
            last == "Parameter" and value.leaf and value.requires_grad
        )
    plain = {"int": int, "float": float, "bool": bool, "str": str, "list": list, "tuple": tuple, "dict": dict}
    if name in plain:
        return isinstance(value, plain[name])
    if isinstance(value, (int, float, str, list, tuple, dict)) or value is None:
        return False
    raise Refused("isinstance() is not read of this.")


def _str(args: list) -> str:
    plain = not args or (isinstance(args[0], (int, float, str)) and not isinstance(args[0], Shown))
    return str(*args[:1]) if plain else Shown()


def _static(reader: Reader, args: list, keywords: dict) -> Any:
    if isinstance(args[0], Function):
        args[0].static = True
    return args[0]


def _hasattr(reader: Reader, args: list, keywords: dict) -> bool:
    try:
        reader.attribute(args[0], args[1])
    except Refused as refused:
        if refused.code == "too-large":  # that is no answer
            raise
        return False
    return True


BUILTINS: dict[str, Callable[..., Any]] = {
    "range": _range,
    "len": _len,
    "sum": _sum,
    "zip": _zip,
    "enumerate": _enumerate,
    "reversed": lambda reader, args, kw: list(reversed(reader.items(args[0]))),
    "list": lambda reader, args, kw: list(reader.items(args[0])) if args else [],
    "tuple": lambda reader, args, kw: tuple(reader.items(args[0])) if args else (),
    "dict": lambda reader, args, kw: dictionary(reader, tuple(args), kw),
    "float": lambda reader, args, kw: _number(reader, args, kw, float),
    "int": lambda reader, args, kw: _number(reader, args, kw, int),
    "bool": lambda reader, args, kw: reader.truth(args[0]),
    "abs": _abs,
    "max": _extreme(1, "max"),
    "min": _extreme(-1, "min"),
    "print": lambda reader, args, kw: None,
    "round": _round,
    "pow": _pow,
    "isinstance": _isinstance,
    "map": lambda reader, args, kw: [reader.call(args[0], list(one), {}) for one in _rows(reader, args[1:])],
    "any": lambda reader, args, kw: any(reader.truth(one) for one in reader.items(args[0])),
    "all": lambda reader, args, kw: all(reader.truth(one) for one in reader.items(args[0])),
    "str": lambda reader, args, kw: _str(args),
    "repr": lambda reader, args, kw: Shown(),
    "hasattr": _hasattr,
    "getattr": lambda reader, args, kw: (
        args[2] if len(args) > 2 and not _hasattr(reader, args, kw) else reader.attribute(args[0], args[1])
    ),
    "setattr": lambda reader, args, kw: reader.set_attribute(args[0], args[1], args[2]),
    "sorted": _sorted,
    "filter": _filter,
    "type": _type,
    "id": _id,
    "chr": _letters(chr, int),
    "ord": _letters(ord, str),
    "divmod": _divmod,
    "callable": lambda reader, args, kw: isinstance(args[0], (Function, Native, Class)),
    "classmethod": lambda reader, args, kw: ClassMethod(args[0]),
    "staticmethod": _static,
    "property": lambda reader, args, kw: Property(args[0]),
    "super": lambda reader, args, kw: Path("super"),
}


KEYWORDS = {
    "sum": {"start"}, "int": {"base"}, "zip": {"strict"}, "enumerate": {"start"}, "round": {"ndigits"},
    "sorted": {"key", "reverse"}, "max": {"key", "default"}, "min": {"key", "default"},
}  # fmt: skip
"""The keywords of Python's functions that are read; any is one of `dict` and `print`."""


def _with_keywords(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def read(reader: Reader, args: list, keywords: dict) -> Any:
        unread = set(keywords) - KEYWORDS.get(name, set())
        if unread and name not in ("dict", "print"):
            raise Refused(f"{name}() is not read with {', '.join(sorted(unread))}.")
        return function(reader, args, keywords)

    return read


def install(reader: Reader) -> None:
    """Teach a reader Python's own functions and methods."""
    reader.builtins = {name: _with_keywords(name, function) for name, function in BUILTINS.items()}
    for plain in (list, dict, str, Shown):
        reader.handlers.attribute[plain] = plain_method
    reader.handlers.attribute.setdefault(tuple, plain_method)
