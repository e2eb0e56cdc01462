"""Represent what the names of a text hold while it is read: arrays, functions, modules and plain values.

Plain values are Python's own numbers, strings, tuples, lists, dictionaries, slices, None and `...`.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import jax
import jax.scipy.special
import numpy as np

from autodiff_viz.reading.builder import Held, Ref

FLOATS = ("float16", "bfloat16", "float32", "float64")
INT, BOOL = "int", "bool"


class Refused(Exception):
    """Raised where a text cannot be read; the interpreter adds the place.

    Attributes:
      message: what was found and what was needed.
      hint: the nearest thing that works.
      by_library: whether the library itself raises an error there.
    """

    by_library = False

    def __init__(self, message: str, hint: str = "", code: str = "not-read", at: ast.AST | None = None):
        super().__init__(message)
        self.message, self.hint, self.code, self.at = message, hint, code, at


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
      base: the array that it is a view of.
      views: how many views it has.
      version: how often it was changed in place.
      hooks: functions of its gradient.
      retains: whether `retain_grad` was called.
      rows: the `vmap`s along which it has rows, outermost first: its leading axes, unseen by the text.
      traced: the transformations of JAX that know it by its dtype and shape alone, a bit each.
    """

    held: Held
    framework: str
    dtype: str = "float32"
    requires_grad: bool = False
    leaf: bool = True
    base: Array | None = None
    views: int = 0
    version: int = 0
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


@dataclass(frozen=True, eq=False)
class Path:
    """A module, function or constant of a library, by its full name such as "jax.numpy.sin"."""

    name: str


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


@dataclass(eq=False)
class Native:
    """A function of ours that the text can call: a method, or what a derivative returns.

    Attributes:
      call: it, of the interpreter, the positional and the keyword arguments.
      name: as messages name it.
      inner: the function that it was made from, if it was, whose parameters name what is differentiated by.
    """

    call: Callable[[Any, list[Any], dict[str, Any]], Any]
    name: str
    inner: Any = None
    attributes: dict[str, Any] = field(default_factory=dict)


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


def parameter_names(function: Any) -> list[str]:
    """Return the names of a function's positional parameters, of what it was made from if that is known."""
    while getattr(function, "inner", None) is not None:
        function = function.inner
    if isinstance(function, Instance) and isinstance(function.of, Class):
        function = function.of.members.get("forward", function)
        return parameter_names(function)[1:]
    if isinstance(function, Path):
        return library_parameters(function.name)
    return function.parameters() if hasattr(function, "parameters") else []


def library_parameters(path: str) -> list[str]:
    """Return the names of the parameters of a function of JAX or NumPy, by its signature."""
    module, *names = path.split(".")
    value: Any = {"jax": jax, "numpy": np, "autograd": SimpleNamespace(numpy=np)}.get(module)
    for name in names:
        value = getattr(value, name, None)
    if isinstance(value, np.ufunc):
        return ["x"] if value.nin == 1 else [f"x{i + 1}" for i in range(value.nin)]
    try:
        return list(inspect.signature(value).parameters) if callable(value) else []
    except (TypeError, ValueError):
        return []


def arrays_in(value: Any) -> list[Array]:
    """Return the arrays in nested tuples, lists and dictionaries, in the order of JAX's leaves."""
    return [leaf for _, leaf in leaves(value) if isinstance(leaf, Array)]


def leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """Return (path, leaf) of nested tuples, lists and dictionaries; a dictionary is sorted by key."""
    if isinstance(value, dict):
        keys = sorted(value, key=str)
        return [pair for key in keys for pair in leaves(value[key], f"{path}.{key}" if path else str(key))]
    if value is None:  # holds no leaf, as in JAX
        return []
    if isinstance(value, (tuple, list)):
        names = getattr(value, "_fields", range(len(value)))
        return [
            pair
            for name, one in zip(names, value, strict=True)
            for pair in leaves(one, f"{path}.{name}" if path else str(name))
        ]
    return [(path, value)]


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Return nested tuples, lists and dictionaries with the function of each leaf, called in leaf order."""
    if value is None:
        return None
    if isinstance(value, dict):
        made = {key: mapped(function, value[key]) for key in sorted(value, key=str)}
        return {key: made[key] for key in value}
    if isinstance(value, tuple):
        items = [mapped(function, one) for one in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, list):
        return [mapped(function, one) for one in value]
    return function(value)
