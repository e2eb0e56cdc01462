"""Check the text of a sentence against its claims: it names no node and no number that no claim has."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

import numpy as np

from autodiff_viz.engine.sentence import PASSED, Claim
from autodiff_viz.explain.compare.compute import Comparison
from autodiff_viz.graph.model import Graph

NAME = re.compile(r"'(\w+)'")
PLAIN = re.compile(r"(?<!')\b[A-Za-z_]\w*\b(?!')")
COUNT = re.compile(r"\b[\d,]+ (?:others|more)\b|\bof [\d,]+ elements")
WORD = re.compile(r"\b[A-Za-z_]+\d+\w*")
NUMBER = re.compile(r"\u2212?(?:\d{1,3}(?:,\d{3})+|\d[\d.]*(?:e\u2212?\d+)?|\u221e)|NaN")
CLOSE = 6e-3  # a small number is written with three digits
PLACE = 0.5001  # of the last digit that is written, of a number with fewer


def unclaimed(
    text: str, claims: Iterable[Claim], implied: Iterable[float] = (), nodes: Iterable[str] = ()
) -> list[str]:
    """The names and numbers of a text that are in none of its claims.

    Numbers that are `implied` belong to the kinds of its claims: of a derivative of 0, 0. `nodes` are names
    that are looked for without quotes, too: they must be no words.
    """
    claims = [*claims, Claim("", (), tuple(implied))]
    names = {name for claim in claims for each in claim.names for name in _node(each)}
    numbers = [number for claim in claims for each in claim.numbers for number in _numbers(each)]
    strange = [name for name in NAME.findall(text) if name not in names]
    strange += [name for name in PLAIN.findall(text) if name in {*nodes} - names]
    rest = WORD.sub("", COUNT.sub("", NAME.sub("", text)))
    return strange + [each for each in NUMBER.findall(rest) if not any(_is(each, n) for n in numbers)]


def _node(name: Any) -> Iterator[str]:
    """Yield the node of a name or of a wire; nothing of an end that a wire does not have."""
    if name is not None:
        yield name if isinstance(name, str) else name[0]


def _numbers(array: Any) -> Iterator[float]:
    """Yield the elements of an array, and its Euclidean norm."""
    if array is not None:
        yield from np.ravel(array).astype(float).tolist()
        yield math.hypot(*np.ravel(array).astype(float).tolist())


def _is(text: str, number: float) -> bool:
    written = float(text.replace("\u2212", "-").replace("\u221e", "inf").replace(",", "").rstrip("."))
    both_nan = math.isnan(written) and math.isnan(number)
    finite = written if math.isfinite(written) else 0.0
    _, digits, exponent = Decimal(repr(finite)).normalize().as_tuple()
    place = PLACE * 10.0**exponent if len(digits) < 3 else 0.0
    return both_nan or math.isclose(written, number, rel_tol=CLOSE, abs_tol=place)


def in_graph(claim: Claim, found: Comparison, graph: Graph) -> list[Any]:
    """What a claim is about in one of two graphs: of wires those that lead where the first one does."""
    if claim.kind != PASSED:
        return [*claim.names]
    name, first = found.first_wire
    slots = dict(graph[name].wires) if name in graph else {}
    return [wire for wire in claim.names if first not in slots or slots.get(wire[1]) == slots[first]]
