"""Extrapolate names, parameters and rule functions that count branches to one branch more or less."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace
from itertools import count
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Call, Lambda, Literal, Params, Term

_NUMBER = re.compile(r"(?<![0-9])([0-9]+)$")


def next_name(name: str, taken: Container[str]) -> str:
    """Return the next free name: "conv_4" after "conv_3", and "gate_2" after "gate"."""
    end = _NUMBER.search(name)
    stem, first = (name[: end.start()], int(end[1]) + 1) if end else (f"{name}_", 2)
    stem = stem[: limits.NAME - 5]
    return next(candidate for k in count(first) if (candidate := f"{stem}{k}") not in taken)


def next_params(before: Params, last: Params) -> Params:
    """Extrapolate the parameters of two successive branches: whole numbers go on by the same step."""
    older = dict(before)
    return tuple((key, _next(older.get(key, value), value)) for key, value in last)


def _next(before: Any, last: Any) -> Any:
    if type(before) is int and type(last) is int:
        return 2 * last - before
    if isinstance(before, tuple) and isinstance(last, tuple) and len(before) == len(last):
        return tuple(_next(*pair) for pair in zip(before, last, strict=True))
    return last


def picks_first(given: Params) -> bool:
    """Return whether these are parameters of `getitem` for an index such as `x[0]`."""
    return 0 in [part for part in dict(given).get("index", (0,)) if type(part) is int]


def second_pick(given: Params) -> Params:
    """Return the parameters of `x[1]`, from those of `x[0]`."""
    index = list(dict(given).get("index", (0,)))
    place = next(i for i, part in enumerate(index) if type(part) is int and part == 0)
    index[place] = 1
    return with_params(given, index=tuple(index))


def resized(given: Params, axis: int, by: int) -> Params:
    """Resize a tensor's parameters by one entry along `axis`.

    `by` is 1 to repeat the last entry, -1 to drop it.
    """
    params = dict(given)
    if params.get("value") is not None:
        return with_params(given, value=_resized(params["value"], axis, by))
    shape = params["shape"]
    return with_params(given, shape=(*shape[:axis], shape[axis] + by, *shape[axis + 1 :]))


def with_params(given: Params, **values: Any) -> Params:
    """Return `given` with these values set."""
    return tuple(sorted({**dict(given), **values}.items()))


def _resized(value: Literal, axis: int, by: int) -> Literal:
    if axis == 0:
        return (*value, value[-1]) if by > 0 else value[:-1]  # type: ignore[misc, index]
    return tuple(_resized(row, axis - 1, by) for row in value)  # type: ignore[union-attr]


def more_results(function: Lambda, wires: list[int], k: int) -> Lambda | None:
    """Extend a pullback by one branch. `wires` are the adjacent wires of the last of `k` branches.

    Returns:
      The extended function; None where the result of one branch reads the value of another one, since nothing
        says how that goes on.
    """
    if not _apart(function, wires):
        return None
    args, body = list(function.args), list(function.body)
    fresh: dict[str, str] = {}
    for wire in wires:  # whose argument stands behind that of the cotangent
        fresh[args[wire + 1]] = next_name(args[wire + 1], {*args, *fresh.values()})
    results = []
    for wire in wires:
        before = body[wire - len(wires)] if k > 1 else None
        results.append(_next_term(before, body[wire], fresh))
    end = wires[-1] + 1
    args[end + 1 : end + 1] = fresh.values()
    body[end:end] = results
    return replace(function, args=tuple(args), body=tuple(body))


def fewer_results(function: Lambda, wires: list[int]) -> Lambda | None:
    """Remove the results of `wires` from a pullback; None where another result reads their values."""
    if not _apart(function, wires):
        return None
    args = [arg for i, arg in enumerate(function.args) if i - 1 not in wires]
    body = [term for i, term in enumerate(function.body) if i not in wires]
    return replace(function, args=tuple(args), body=tuple(body))


def _apart(function: Lambda, wires: list[int]) -> bool:
    own = {function.args[wire + 1] for wire in wires}
    return all(own.isdisjoint(_names(term)) for i, term in enumerate(function.body) if i not in wires)


def _names(term: Term) -> set[str]:
    if isinstance(term, Call):
        return {name for arg in term.args for name in _names(arg)}
    return {term} if isinstance(term, str) else set()


def _next_term(before: Term | None, last: Term, fresh: dict[str, str]) -> Term:
    if isinstance(last, str):
        return fresh.get(last, last)
    if not isinstance(last, Call):
        return last
    like = isinstance(before, Call) and (before.op, len(before.args)) == (last.op, len(last.args))
    older = before.args if like else [None] * len(last.args)  # type: ignore[union-attr]
    args = tuple(_next_term(*pair, fresh) for pair in zip(older, last.args, strict=True))
    if like:
        return Call(last.op, args, next_params(before.params, last.params))  # type: ignore[union-attr]
    first = before is None and last.op == "getitem" and picks_first(last.params)
    return Call(last.op, args, second_pick(last.params) if first else last.params)
