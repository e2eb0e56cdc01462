"""Represent what the names of a text hold while it is read: arrays, functions, modules and plain values.

Plain values are Python's own numbers, strings, tuples, lists, dictionaries, slices, None and `...`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.reading.nodes.builder import Held, Ref
from autodiff_viz.reading.nodes.costs import NESTED, WALKED, Refused, pay_values

NOWHERE = ast.Constant(0)  # the place in the text of what our own code asks for

FLOATS = ("float16", "bfloat16", "float32", "float64")
HALVES = ("float16", "bfloat16")
INT, BOOL = "int", "bool"


class Whole(str):
    """The dtype of whole numbers of one width, which equals INT: few places ask how wide they are.

    Attributes:
      width: its name as NumPy writes it, such as "uint8".
    """

    width: str

    def __new__(cls, width: str) -> Whole:
        """Make the dtype."""
        made = super().__new__(cls, INT)
        made.width = width
        return made


@dataclass(eq=False)
class Array:
    """An array of a library: the value of a node, or a constant.

    It is one object for all names that a text gives it, so that a change in place reaches all of them.

    Attributes:
      held: the node's value, or the constant.
      framework: the library that it belongs to: "jax", "torch", "numpy", "tf".
      dtype: its dtype: one of FLOATS, "int" or "bool".
      requires_grad: whether PyTorch differentiates by it, or by what it was computed from.
      leaf: whether it was made by the text and not computed.
      retains: whether `retain_grad` was called.
      rows: the `vmap`s along which it has rows, outermost first: its leading axes, unseen by the text.
      traced: the transformations of JAX that know it by its dtype and shape alone, a bit each.
    """

    held: Held
    framework: str
    dtype: str = "float32"
    requires_grad: bool = False
    leaf: bool = True
    retains: bool = False
    rows: tuple[int, ...] = ()
    traced: int = 0

    @property
    def is_constant(self) -> bool:
        """Whether it is a number or a tensor of numbers that the text writes out."""
        return isinstance(self.held, (int, float, tuple))

    @property
    def is_node(self) -> bool:
        """Whether it is the value of a node, and no constant."""
        return isinstance(self.held, Ref)


@dataclass(frozen=True)
class Path:
    """A module, function or constant of a library, by its full name such as "jax.numpy.sin".

    Attributes:
      says: of the dtype of an array, what the library calls it; "?" if that is not known.
    """

    name: str
    says: str = field(default="", compare=False)


@dataclass(eq=False)
class Scope:
    """The names of a function or a text, and the scope around it."""

    names: dict[str, Any] = field(default_factory=dict)
    outer: Scope | None = None
    globals: set[str] = field(default_factory=set)

    def find(self, name: str) -> Scope | None:
        """Return the innermost scope that has the name."""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.outer
        return scope


@dataclass(eq=False)
class Function:
    """A function or lambda that the text defines, with the scope that it closes over.

    Attributes:
      owner: the class that it is a method of.
      static: whether it is called without the object.
    """

    name: str
    args: ast.arguments
    body: list[ast.stmt] | ast.expr
    scope: Scope
    defaults: list[Any] = field(default_factory=list)
    kw_defaults: list[Any] = field(default_factory=list)
    owner: Class | None = None
    static: bool = False

    def parameters(self) -> list[str]:
        """Return the names of the positional parameters."""
        return [arg.arg for arg in (*self.args.posonlyargs, *self.args.args)]

    @cached_property
    def yields(self) -> bool:
        """Whether it is a generator."""
        waiting: list[ast.AST] = list(self.body) if isinstance(self.body, list) else []
        while waiting:
            one = waiting.pop()
            if isinstance(one, (ast.Yield, ast.YieldFrom)):
                return True
            if not isinstance(one, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
                waiting += ast.iter_child_nodes(one)
        return False


@dataclass(eq=False)
class Native:
    """A function of ours that the text can call: a method, or what a derivative returns.

    Attributes:
      call: it, of the reader, the positional and the keyword arguments.
      name: as messages name it.
      inner: the function that it was made from, if it was, whose parameters name what is differentiated by.
      walks: whether it may walk all that is in the lists that it gets, which are then counted before; if not,
        it pays for what it does.
    """

    call: Callable[[Any, list[Any], dict[str, Any]], Any]
    name: str
    inner: Any = None
    attributes: dict[str, Any] = field(default_factory=dict)
    walks: bool = True


def method_of(
    owner: str, methods: Mapping[str, Callable[..., Any]], name: str, node: ast.AST, walks: bool = True
) -> Native:
    """Return a method of an object that a library made.

    Args:
      owner: what the object is, as messages call it: "A tape".
      methods: what is read, by name, of the arguments that the text writes.
      walks: as of `Native`.
    Raises:
      Refused: none has this name.
    """
    if name not in methods:
        raise Refused(f"{owner} has no {name!r} that is read.", f"There are {', '.join(methods)}.", at=node)

    return Native(lambda _, args, keywords: methods[name](*args, **keywords), name, walks=walks)


@dataclass(eq=False)
class Class:
    """A class that the text defines.

    Attributes:
      bases: full names of the classes that it comes from, of the text or of a library.
      members: its own members and those that it inherits.
      above: the classes of the text that it comes from.
    """

    name: str
    bases: tuple[str, ...]
    members: Mapping[str, Any]
    above: tuple[Class, ...] = ()


@dataclass(frozen=True, eq=False)
class Super:
    """What `super()` is: an object as one of the class above."""

    owner: Class
    instance: Any


@dataclass(frozen=True, eq=False)
class Property:
    """A method that is read like an attribute."""

    function: Function


@dataclass(frozen=True, eq=False)
class ClassMethod:
    """A method that is called with the class in place of the object."""

    function: Function


@dataclass(frozen=True, eq=False)
class Static:
    """A part of a record that is no leaf of a tree of JAX: all functions of trees keep it as it is."""

    value: Any


@dataclass(eq=False)
class Instance:
    """An object of a class of the text, or of a library's class that has state, such as a layer.

    Attributes:
      of: its class, or the full name of the library's.
      fields: its attributes.
      name: what the text calls it.
    """

    of: Class | str
    fields: dict[str, Any] = field(default_factory=dict)
    name: str = ""


@dataclass(frozen=True, eq=False)
class Unknown:
    """What a name stands for that a statement would have set which was not read.

    Attributes:
      line: of the statement.
      name: as the text calls it.
      statement: it.
      holds: what its value may share its memory with, or call.
      functional: whether its methods change nothing that they are given.
    """

    line: int
    name: str = ""
    statement: ast.stmt | None = None
    holds: tuple[Any, ...] = ()
    functional: bool = False


def is_unknown(name: str, line: int) -> GraphError:
    """Return the error that a name stands for nothing that is known."""
    says = f"`{name}` is unknown: line {line} was not read."
    return GraphError(Problem("unknown", says, line=line, column=0))


def arrays_in(value: Any) -> list[Array]:
    """Return the arrays in nested tuples, lists and dictionaries, in the order of JAX's leaves."""
    return [leaf for _, leaf in leaves(value) if isinstance(leaf, Array)]


def leaves(value: Any, path: str = "", depth: int = 0) -> list[tuple[str, Any]]:
    """Return (path, leaf) of nested tuples, lists and dictionaries; a dictionary is sorted by key.

    Raises:
      Refused: code "too-large", they are nested too deep, as a list in itself is, or take too many steps.
    """
    if value is None or isinstance(value, Static):  # holds no leaf, as in JAX
        return []
    if not isinstance(value, (dict, tuple, list)):
        return [(path, value)]
    inside = _entered(value, depth, len(path))
    if isinstance(value, dict):
        pairs = [(key, value[key]) for key in in_tree_order(value)]
    else:
        pairs = list(zip(names_of(value) or range(inside), value, strict=True))
    return [
        pair
        for name, one in pairs
        for pair in leaves(one, f"{path}.{name}" if path else str(name), depth + 1)
    ]


def in_tree_order(value: dict) -> list:
    """Return the keys of a dictionary in the order of its leaves."""
    try:
        return sorted(value)
    except TypeError:  # of several types, which JAX refuses
        return sorted(value, key=str)


def mapped(function: Callable[[Any], Any], value: Any, depth: int = 0, of_jax: bool = False) -> Any:
    """Return nested tuples, lists and dictionaries with the function of each leaf, called in leaf order.

    Args:
      of_jax: whether dictionaries come back in that order too, as JAX's trees do.
    Raises:
      Refused: as `leaves`.
    """
    if value is None or isinstance(value, Static):
        return value
    if not isinstance(value, (dict, tuple, list)):
        return function(value)
    _entered(value, depth)
    if isinstance(value, dict):
        made = {key: mapped(function, value[key], depth + 1, of_jax) for key in in_tree_order(value)}
        return made if of_jax else {key: made[key] for key in value}
    items = [mapped(function, one, depth + 1, of_jax) for one in value]
    if isinstance(value, list):
        return items
    return type(value)(*items) if names_of(value) else tuple(items)


def tree_mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Return a tree of JAX with the function of each leaf: see `mapped`."""
    return mapped(function, value, of_jax=True)


def _entered(value: Any, depth: int, path: int = 0) -> int:
    """Pay for a walk over a list, with as many characters of a path for each value; return its length."""
    if depth >= NESTED:
        raise Refused(
            f"Lists are nested more than {NESTED} deep, as one is that holds itself.", "", "too-large"
        )
    pay_values(WALKED + len(value) * (1 + path // WALKED))
    return len(value)


def parts_of(values: Iterable[Any]) -> Iterator[Any]:
    """Yield values and all that is in their tuples, lists and dictionaries, each once."""
    seen: set[int] = set()
    waiting = list(values)
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, (dict, list, tuple)):
            pay_values(len(one))
            waiting += (
                one.values()
                if isinstance(one, dict)
                else tuple.__iter__(one)
                if isinstance(one, tuple)
                else one
            )


def names_of(value: Any) -> tuple[str, ...]:
    """Return the names of the elements of a tuple that has names for them, as a NamedTuple has."""
    return type(value)._fields if isinstance(value, tuple) and hasattr(type(value), "_fields") else ()


def arrays_of(values: Iterable[Any]) -> list[Array]:
    """Return the arrays in nested tuples, lists and dictionaries, each list looked at once.

    However often a list stands in others, or in itself, it is walked once: a text may name what it likes.
    """
    found: list[Array] = []
    seen: set[int] = set()
    waiting = list(values)[::-1]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Array):
            found.append(one)
        elif isinstance(one, (dict, list, tuple)) and id(one) not in seen:
            seen.add(id(one))
            # A maximum with its indices is a tuple that makes nodes as soon as it is iterated over.
            inside = tuple.__iter__(one) if isinstance(one, tuple) else one
            waiting += [*(one.values() if isinstance(one, dict) else inside)][::-1]
    return found
