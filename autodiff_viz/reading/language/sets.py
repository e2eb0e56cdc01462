"""Read sets of Python, and iterators that are asked for their next element."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.reading.language.operators import key
from autodiff_viz.reading.language.values import Array, Class, Instance, Native, Refused, method_of
from autodiff_viz.reading.nodes.costs import LENGTH, pay_values


@dataclass(eq=False)
class Set:
    """A set of a text.

    Attributes:
      of: its elements, by what tells them apart.
    """

    of: dict[Any, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Iter:
    """An iterator: elements, and how many of them were taken."""

    items: list[Any]
    taken: int = 0


def mark(one: Any) -> Any:
    """Return what tells an element of a set apart: an object is itself, a number or a text what it says."""
    if isinstance(one, Instance):
        if isinstance(one.of, Class) and {"__eq__", "__hash__"} & set(one.of.members):
            raise Refused("An object with an `__eq__` or `__hash__` of its own is not read in a set.")
        return "\0", id(one)
    if isinstance(one, (Array, Native, Set, Iter)):
        if isinstance(one, Array) and one.framework != "torch":
            raise Refused("An array is no element of a set.", "", "not-read")
        return "\0", id(one)
    return key(one)


def made(reader: Any, items: Iterable[Any]) -> Set:
    """Return a set of elements."""
    result = Set()
    for one in items:
        _add(result, one)
    return result


def _add(into: Set, one: Any) -> None:
    pay_values(1)
    if len(into.of) >= LENGTH:
        raise Refused(f"A set has at most {LENGTH:,} elements.", "", "too-large")
    into.of.setdefault(mark(one), one)


def elements(reader: Any, of: Set, node: ast.AST) -> list[Any]:
    """Return the elements in the order in which Python gives them, where that is the same each time.

    That of whole numbers is; that of texts is another one each time that Python starts, and that of objects
    depends on where they are in memory: there the order is the one in which they came.
    """
    pay_values(len(of.of))
    items = list(of.of.values())
    if all(type(one) in (int, bool) for one in items):
        return list(set(items))
    if len(items) > 1:
        reader.say(node, "a set has no order of its own: its elements are taken as they came")
    return items


def in_order_of_pop(reader: Any, of: Set) -> Any:
    """Return the element that `pop` takes out, if there is one alone."""
    if len(of.of) != 1:
        raise Refused("Which element pop() takes from a set is not fixed.", "Use a list.")
    return of.of.popitem()[1]


def _joined(one: Set, others: Iterable[Iterable[Any]]) -> Set:
    result = Set(dict(one.of))
    for other in others:
        for each in other:
            _add(result, each)
    return result


def _kept(one: Set, others: list[set[Any]], inside: bool) -> Set:
    pay_values(len(one.of))
    return Set({m: each for m, each in one.of.items() if all((m in other) is inside for other in others)})


def attribute(reader: Any, of: Set, name: str, node: ast.AST) -> Native:
    """Return a method of a set."""

    def listed(given: tuple) -> list[list[Any]]:
        return [reader.items(one, node) for one in given]

    def marks(given: tuple) -> list[set[Any]]:
        return [set(map(mark, one)) for one in listed(given)]

    def update(*given: Any) -> None:
        of.of = _joined(of, listed(given)).of

    def removed(one: Any) -> None:
        if mark(one) not in of.of:
            raise Refused("There is no such element in this set.", at=node)
        del of.of[mark(one)]

    methods: dict[str, Callable[..., Any]] = {
        "add": lambda one: _add(of, one),
        "update": update,
        "remove": removed,
        "discard": lambda one: of.of.pop(mark(one), None) and None,
        "clear": lambda: of.of.clear(),
        "copy": lambda: _joined(of, []),
        "pop": lambda: in_order_of_pop(reader, of),
        "union": lambda *given: _joined(of, listed(given)),
        "intersection": lambda *given: _kept(of, marks(given), True),
        "difference": lambda *given: _kept(of, marks(given), False),
        "issubset": lambda other: set(of.of) <= marks((other,))[0],
        "issuperset": lambda other: set(of.of) >= marks((other,))[0],
        "isdisjoint": lambda other: set(of.of).isdisjoint(marks((other,))[0]),
    }
    return method_of("A set", methods, name, node, walks=False)


def joined(op: ast.operator, left: Set, right: Set, node: ast.AST) -> Set:
    """Apply an operator to two sets."""
    if isinstance(op, ast.BitOr):
        return _joined(left, [right.of.values()])
    if isinstance(op, (ast.BitAnd, ast.Sub)):
        return _kept(left, [set(right.of)], isinstance(op, ast.BitAnd))
    if isinstance(op, ast.BitXor):
        return _joined(_kept(left, [set(right.of)], False), [_kept(right, [set(left.of)], False).of.values()])
    raise Refused("This operator is not read of sets.", at=node)


def compared(op: ast.cmpop, left: Any, right: Any, node: ast.AST) -> bool:
    """Compare a set with another, or look for an element in it."""
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(right, Set):
        return (mark(left) in right.of) is isinstance(op, ast.In)
    if isinstance(op, (ast.Is, ast.IsNot)):
        return (left is right) is isinstance(op, ast.Is)
    both = isinstance(left, Set) and isinstance(right, Set)
    if isinstance(op, (ast.Eq, ast.NotEq)):
        return (both and set(left.of) == set(right.of)) is isinstance(op, ast.Eq)
    if not both:
        raise Refused("This comparison is not read of a set.", at=node)
    one, other = set(left.of), set(right.of)
    pay_values(len(one) + len(other))
    return {ast.Lt: one < other, ast.LtE: one <= other, ast.Gt: one > other, ast.GtE: one >= other}[type(op)]


def following(reader: Any, args: list, keywords: dict) -> Any:
    """Read `next`: the next element of an iterator, or what is given for its end."""
    one = args[0]
    if not isinstance(one, Iter):
        raise Refused("next() is read of what iter() makes.", "Write next(iter(...)).")
    if one.taken < len(one.items):
        one.taken += 1
        return one.items[one.taken - 1]
    if len(args) > 1:
        return args[1]
    raise Refused("next() has come to the end of this iterator.")


def rest(reader: Any, one: Iter, node: ast.AST) -> list[Any]:
    """Return the elements that an iterator has not given yet, which it then has."""
    left, one.taken = one.items[one.taken :], len(one.items)
    pay_values(len(left))
    return left


def _set(reader: Any, args: list, keywords: dict) -> Set:
    return made(reader, reader.items(args[0]) if args else ())


def install(reader: Any) -> None:
    """Teach a reader sets and iterators."""
    reader.handlers.attribute[Set], reader.handlers.items[Set], reader.handlers.items[Iter] = (
        attribute,
        elements,
        rest,
    )
    reader.builtins = {
        **reader.builtins,
        "set": lambda reader, args, kw: made(reader, reader.items(args[0]) if args else ()),
        "frozenset": lambda reader, args, kw: made(reader, reader.items(args[0]) if args else ()),
        "iter": lambda reader, args, kw: (
            args[0] if isinstance(args[0], Iter) else Iter(reader.items(args[0]))
        ),
        "next": following,
    }
