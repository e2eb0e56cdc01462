"""Write the difference of two graphs as a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.identity import same
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.text.names import listed_names, quoted
from autodiff_viz.graph.text.text_format import scalar

WRITTEN = 4  # elements of a tensor that is written out
FEW = 3  # names that are written out
PARTS = "the backward sweeps part "

Pairs = Mapping[str, Mapping[Any, tuple[np.ndarray | None, np.ndarray | None]]]


def sentence(
    a: Trace,
    b: Trace,
    pairs: Pairs,
    apart: Mapping[str, Set[Any]],
    first: Wire | None,
    order: Sequence[str],
    through: Mapping[str, str],
) -> str:
    """Return whether values and gradients are equal, and where they part.

    Args:
      pairs, apart: by kind of number, all pairs, and the keys of those that differ.
      first: the first wire at which the backward sweeps differ.
      order: all nodes, in topological order.
      through: by identity that only one graph has, the node before it.
    """
    shared = [name for name, pair in pairs["gradient"].items() if None not in _known(pair)]
    differing = [name for name in shared if name in apart["gradient"]]
    where = _where(a, b, pairs, first, through)
    if a.output in apart["value"]:
        return _values_part(pairs["value"], apart["value"], order, differing, where)
    if differing:
        equal = [name for name in shared if name not in differing]
        whose = f" of {listed_names(differing)} (equal for {_few(equal)})" if equal else ""
        head = f"Equal values, different gradients{whose}"
        return f"{head}: {where or _at_inputs(pairs, differing)}.{_seeds(a, b)}"
    rounding = "" if _are_bits(pairs, a.output, shared) else ", up to rounding"
    meet = f" On the way {where}, and meet again." if where else ""
    return (
        f"Equal in both{rounding}: the value of {quoted(a.output)} and every gradient.{meet}{_regions(a, b)}"
    )


def _few(names: Sequence[str]) -> str:
    return listed_names(names) if len(names) <= FEW else f"{len(names)} others"


def _values_part(
    pairs: Mapping, apart: Set[str], order: Sequence[str], differing: Sequence[str], where: str
) -> str:
    first = next(name for name in order if name in apart and None not in _known(pairs[name]))
    one, other = map(said, pairs[first])
    gradients = f"; {where}" if where else "; the gradients are equal" if not differing else ""
    return f"Different values: they part at {quoted(first)}, which is {one} in A and {other} in B{gradients}."


def _known(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    return tuple(None if array is None else True for array in pair)


def _where(a: Trace, b: Trace, pairs: Pairs, first: Wire | None, through: Mapping[str, str]) -> str:
    """Return the wire at which the backward sweeps part, with what it passes; "" if there is none."""
    if first is None:
        return ""
    name, _ = first
    ends = [_end(each.graph, first, through) if name in each.graph else None for each in (a, b)]
    one, other = map(said, pairs["passed"][first])
    here, there = (f" to {quoted(end)}" if end else "" for end in ends)
    again = there if here and there != here else ""
    return f"{PARTS}at {quoted(name)}, which passes {one}{here or there} in A and {other}{again} in B"


def _end(graph: Graph, wire: Wire, through: Mapping[str, str]) -> str | None:
    """Return the node at the other end of a wire."""
    name, slot = wire
    slots = graph[name].slots
    held = slots[slot] if slot < len(slots) else None
    while held in through:
        held = through[held]
    return held if isinstance(held, str) else None


def _at_inputs(pairs: Pairs, names: Sequence[str]) -> str:
    """Return where gradients differ although no wire does: at the rule of an input."""
    one, other = map(said, pairs["gradient"][names[0]])
    return f"{PARTS}at the rule of {quoted(names[0])}, whose gradient is {one} in A and {other} in B"


def _seeds(a: Trace, b: Trace) -> str:
    return "" if same(a.seed, b.seed) else f" The seed is {said(a.seed)} in A and {said(b.seed)} in B."


def _regions(a: Trace, b: Trace) -> str:
    if set(a.graph.regions) == set(b.graph.regions):
        return ""
    return " A checkpoint changes no number: only what is kept and what runs again."


def _are_bits(pairs: Pairs, output: str, inputs: Sequence[str]) -> bool:
    """Return whether the output and the gradients are equal to the last bit."""
    found = [pairs["value"][output], *(pairs["gradient"][name] for name in inputs)]
    return all(one.tobytes() == other.tobytes() for one, other in found)


def said(array: np.ndarray | None) -> str:
    """Return numbers as text; a tensor that is too large as its norm, a missing one as "nothing"."""
    if array is None:
        return "nothing"
    if array.size == 1:
        return scalar(array.item())
    if array.size <= WRITTEN and array.ndim == 1:
        return f"[{', '.join(scalar(number) for number in array.tolist())}]"
    if not array.any():
        return "0"
    norm = float(np.sqrt(np.square(np.asarray(array, np.float64)).sum()))
    return f"\u2016{scalar(norm)}\u2016"
