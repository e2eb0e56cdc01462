"""Write the difference of two graphs as a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.norm import norm
from autodiff_viz.engine.sentence import GRADIENT, PASSED, VALUE, Claim, Statement, joined
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.identity import same
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.text.names import listed_names, quoted
from autodiff_viz.graph.text.text_format import scalar

WRITTEN = 4  # elements of a tensor that is written out
DIGITS = 4, 7, 10, 17  # of a number; more where two numbers look equal with fewer
FEW = 3  # names that are written out
PARTS = "the backward sweeps part "

SAME_VALUE, SAME_GRADIENT, OTHER_GRADIENT = "same value", "same gradient", "other gradient"
"""Kinds of claims: what of these nodes is equal up to rounding in both, or is not."""
PART, LEAD, SEED = "part", "lead", "seed"
"""Kinds of claims: the first wire at which the sweeps differ; where it leads in A and in B, None where it has
no node at its other end; the seeds of A and B."""

DOT = Statement(".")

Pairs = Mapping[str, Mapping[Any, tuple[np.ndarray | None, np.ndarray | None]]]


def statement(
    a: Trace,
    b: Trace,
    pairs: Pairs,
    apart: Mapping[str, Set[Any]],
    first: Wire | None,
    order: Sequence[str],
    through: Mapping[str, str],
) -> Statement:
    """Return whether values and gradients are equal, and where they part.

    Its numbers are those of A and of B.

    Args:
      pairs, apart: by kind of number, all pairs, and the keys of those that differ.
      first: the first wire at which the backward sweeps differ.
      order: all nodes, in topological order.
      through: by identity that only one graph has, the node before it.
    """
    shared = [name for name, pair in pairs["gradient"].items() if None not in _known(pair)]
    differing = [name for name in shared if name in apart["gradient"]]
    where = _where(a, b, pairs, first, through)
    equal = tuple(name for name in shared if name not in differing)
    if a.output in apart["value"]:
        alike = Statement("" if differing else "the gradients are equal", (Claim(SAME_GRADIENT, equal),))
        return joined("", [_values_part(pairs["value"], apart["value"], order, where or alike), DOT])
    alike = (Claim(SAME_VALUE, (a.output,)), Claim(SAME_GRADIENT, equal))
    if differing:
        whose = f" of {listed_names(differing)} (equal for {_few(equal)})" if equal else ""
        head = f"Equal values, different gradients{whose}: "
        claims = (*alike, Claim(OTHER_GRADIENT, tuple(differing)))
        return joined("", [Statement(head, claims), where or _at_inputs(pairs, differing), DOT, _seeds(a, b)])
    rounding = "" if _are_bits(pairs, a.output, shared) else ", up to rounding"
    head = f"Equal in both{rounding}: the value of {quoted(a.output)} and every gradient."
    meet = [Statement(" On the way "), where, Statement(", and meet again.")] if where else []
    return joined("", [Statement(head, alike), *meet, _regions(a, b)])


def _few(names: Sequence[str]) -> str:
    return listed_names(names) if len(names) <= FEW else f"{len(names)} others"


def _values_part(pairs: Mapping, apart: Set[str], order: Sequence[str], gradients: Statement) -> Statement:
    first = next(name for name in order if name in apart and None not in _known(pairs[name]))
    one, other = both_said(pairs[first])
    text = f"Different values: they part at {quoted(first)}, which is {one} in A and {other} in B"
    return joined("; ", [Statement(text, (Claim(VALUE, (first,), pairs[first]),)), gradients])


def _known(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    return tuple(None if array is None else True for array in pair)


def _where(a: Trace, b: Trace, pairs: Pairs, first: Wire | None, through: Mapping[str, str]) -> Statement:
    """Return the wire at which the backward sweeps part, with what it passes; nothing if there is none."""
    if first is None:
        return Statement()
    name, _ = first
    ends = tuple(_end(each.graph, first, through) if name in each.graph else None for each in (a, b))
    one, other = both_said(pairs["passed"][first])
    here, there = (f" to {quoted(end)}" if end else "" for end in ends)
    again = there if here and there != here else ""
    text = f"{PARTS}at {quoted(name)}, which passes {one}{here or there} in A and {other}{again} in B"
    return Statement(
        text, (Claim(PART, (first,)), Claim(PASSED, (first,), pairs["passed"][first]), Claim(LEAD, ends))
    )


def _end(graph: Graph, wire: Wire, through: Mapping[str, str]) -> str | None:
    """Return the node at the other end of a wire."""
    name, slot = wire
    slots = graph[name].slots
    held = slots[slot] if slot < len(slots) else None
    while held in through:
        held = through[held]
    return held if isinstance(held, str) else None


def _at_inputs(pairs: Pairs, names: Sequence[str]) -> Statement:
    """Return where gradients differ although no wire does: at the rule of an input."""
    pair = pairs["gradient"][names[0]]
    one, other = both_said(pair)
    text = f"{PARTS}at the rule of {quoted(names[0])}, whose gradient is {one} in A and {other} in B"
    return Statement(text, (Claim(GRADIENT, (names[0],), pair),))


def _seeds(a: Trace, b: Trace) -> Statement:
    if same(a.seed, b.seed):
        return Statement()
    pair = a.seed, b.seed
    one, other = both_said(pair)
    return Statement(f" The seed is {one} in A and {other} in B.", (Claim(SEED, (), pair),))


def _regions(a: Trace, b: Trace) -> Statement:
    if set(a.graph.regions) == set(b.graph.regions):
        return Statement()
    return Statement(" A checkpoint changes no number: only what is kept and what runs again.")


def _are_bits(pairs: Pairs, output: str, inputs: Sequence[str]) -> bool:
    """Return whether the output and the gradients are equal to the last bit."""
    found = [pairs["value"][output], *(pairs["gradient"][name] for name in inputs)]
    return all(one.tobytes() == other.tobytes() for one, other in found)


def both_said(pair: Sequence[np.ndarray | None]) -> list[str]:
    """Return two different arrays as texts, with so many digits that the texts differ too."""
    texts = [[said(array, digits) for array in pair] for digits in DIGITS]
    return next((each for each in texts if each[0] != each[1]), texts[0])


def said(array: np.ndarray | None, digits: int = DIGITS[0]) -> str:
    """Return numbers as text; a tensor that is too large as its norm, a missing one as "nothing"."""
    if array is None:
        return "nothing"
    if array.size == 1:
        return scalar(array.item(), digits)
    if array.size <= WRITTEN and array.ndim == 1:
        return f"[{', '.join(scalar(number, digits) for number in array.tolist())}]"
    return f"\u2016{scalar(norm(array), digits)}\u2016" if array.any() else "0"
