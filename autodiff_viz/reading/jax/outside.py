"""Compare what stands outside of a function that JAX traces, before and after.

JAX runs its code once, and goes on with what it read then.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.reading.functions.arrays import shape_of
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Function, Instance, Refused, leaves
from autodiff_viz.reading.nodes.costs import pay_values

Outside = dict[tuple[int, Any], tuple[str, Any]]


@dataclass(eq=False)
class Traced:
    """What JAX has traced, by the function and its arguments, and what stood outside then.

    Attributes:
      free: the names that a function reads outside, by its body in the syntax tree.
    """

    of: dict[Any, tuple[Any, Outside]] = field(default_factory=dict)
    free: dict[int, tuple[Any, frozenset[str]]] = field(default_factory=dict)


def _free(reader: Reader, function: Function) -> frozenset[str]:
    """Return the names that a function may read outside of itself."""
    known = reader.state(Traced).free
    if id(function.body) not in known:
        loads, own, outer, count = set(), set(), set(), 0
        body = function.body if isinstance(function.body, list) else [function.body]
        for one in (node for part in (*body, function.args) for node in ast.walk(part)):
            count += 1
            if isinstance(one, ast.Name):
                (loads if isinstance(one.ctx, ast.Load) else own).add(one.id)
            elif isinstance(one, ast.arg):
                own.add(one.arg)
            elif isinstance(one, (ast.FunctionDef, ast.ClassDef)):
                own.add(one.name)
            elif isinstance(one, (ast.Global, ast.Nonlocal)):
                outer.update(one.names)
        pay_values(count)
        known[id(function.body)] = function.body, frozenset(loads - own | outer)
    return known[id(function.body)][1]


def outside_of(reader: Reader, *roots: Any) -> Outside:
    """Return what functions read outside, with the elements of lists, dictionaries and objects there.

    Each stands beside the name by which it is reached.
    """
    found: Outside = {}
    seen: set[int] = set()
    waiting: list[tuple[str, Any]] = [("", one) for one in roots]
    while waiting:
        name, one = waiting.pop()
        if id(one) in seen or isinstance(one, (str, int, float, Array, type(None))):
            continue
        seen.add(id(one))
        parts: list[tuple[Any, Any]] = []
        if isinstance(one, Function):
            for own in _free(reader, one):
                scope = one.scope.find(own)
                if scope is not None:
                    found[id(scope), own] = own, scope.names[own]
                    waiting.append((own, scope.names[own]))
        elif isinstance(one, dict):
            parts = list(one.items())
        elif isinstance(one, (list, tuple)):
            parts = list(enumerate(tuple.__iter__(one) if isinstance(one, tuple) else one))
        elif isinstance(one, Instance):
            parts = list(one.fields.items())
        else:  # a function made of another
            waiting += [(name, getattr(one, each, None)) for each in ("inner", "function")]
        for at, part in parts:
            found[id(one), at] = name, part
            waiting.append((name, part))
        pay_values(1 + len(parts))
    return found


def _differing(before: Outside, after: Outside) -> str | None:
    """Return the name of something that is another now; None if all is the same."""
    for key in before.keys() | after.keys():
        (name, one), (other_name, other) = before.get(key, ("", None)), after.get(key, ("", None))
        plain = type(one) is type(other) and isinstance(one, (str, int, float)) and one == other
        if one is not other and not plain:
            return name or other_name
    return None


def check_unchanged(reader: Reader, before: Outside, name: str, *roots: Any) -> None:
    """Refuse a function that has changed something outside, which JAX runs once and we more often."""
    changed = _differing(before, outside_of(reader, *roots))
    if changed is not None:
        raise Refused(
            f"{_named(changed)} outside of {name} is changed in it, and JAX runs its code once.",
            "Return what it computes.",
        )


def check_traced(reader: Reader, function: Any, kinds: Any, fixed: Sequence[Any] = ()) -> None:
    """Refuse a function that reads something outside which is another than when JAX traced it.

    Args:
      kinds: what JAX traces it for; with arguments of the same kinds it keeps what it has.
      fixed: the arguments that are no arrays to it.
    """
    traced = reader.state(Traced).of
    key = id(function), kinds
    before = outside_of(reader, function, *fixed)
    changed = _differing(traced[key][1], before) if key in traced else None
    if changed is not None:
        raise Refused(
            f"{_named(changed)} is another than when JAX traced this function, and JAX keeps what it was.",
            "Give it to the function as an argument.",
        )
    traced.setdefault(key, (function, before))


def _named(name: str) -> str:
    return f"`{name}`" if name else "What it holds"


def kinds_of(reader: Reader, *given: Any) -> tuple:
    """Return what JAX traces arguments for: no numbers of arrays."""

    def kind(leaf: Any) -> Any:
        if isinstance(leaf, Array):
            return str(leaf.dtype), shape_of(reader, leaf), leaf.framework
        return leaf if isinstance(leaf, (int, float, str)) else id(leaf)

    return tuple((path, kind(leaf)) for path, leaf in leaves(list(given)))
