"""Compare what stands outside of a function that JAX traces, before and after.

JAX runs its code once, and goes on with what it read then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Function, Instance, Refused
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
            f"What {name} runs changes something outside of it (`{changed}`), and JAX runs its code once.",
            "Return what it computes.",
        )


@contextmanager
def traced_once(reader: Reader, function: Any, signature: Any, fixed: Sequence[Any]) -> Iterator[None]:
    """Read a call of a compiled function: with arguments of the same kind JAX compiles it once.

    Args:
      fixed: the arguments that are no arrays to it.
    Raises:
      Refused: it reads something outside that is another now, of which JAX keeps what it was.
    """
    traced = reader.state(Traced).of
    key = id(function), signature
    before = outside_of(reader, function, *fixed)
    if key in traced:
        changed = _differing(traced[key][1], before)
        if changed is not None:
            raise Refused(
                f"`{changed}` is another than when this function was compiled, and JAX keeps what it was.",
                "Give it to the function as an argument.",
            )
    traced.setdefault(key, (function, before))
    yield
