"""Build lines of numbers from pieces, of which some are written anew while a slider is dragged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.structure.order import consumers
from autodiff_viz.graph.text.text_format import scalar
from autodiff_viz.views.numbers import bracketed

Terms = tuple[tuple[str, ...], ...]
"""Text in pieces: (text, its role: `COTANGENT`, or "", and of a number its place in a slider's table)."""

COTANGENT = "cotangent"


def added(terms: Sequence[tuple[str, ...]]) -> Terms:
    """Return terms with plus signs between them."""
    return tuple(piece for term in terms for piece in ((" + ", ""), term))[1:]


def place(what: str, node: str, slot: int | None = None) -> str:
    """Return where a number is in a slider's table, as ui/editor/web/live/table.js names it."""
    return f"{what} {node}" if slot is None else f"{what} {node}:{slot}"


def written(terms: Terms) -> str:
    """Return pieces as one text."""
    return "".join(text for text, *_ in terms)


def cotangent_term(number: np.ndarray, digits: int, at: str) -> tuple[str, ...]:
    """Return a number with the role of a cotangent."""
    return bracketed(number, digits), COTANGENT, at


def fork_terms(graph: Graph, trace: Trace, name: str, digits: int) -> Terms:
    """Return the arriving cotangent as a sum, if it has more than one contribution and all are scalars."""
    uses = consumers(graph)[name]
    parts = {wire: trace.passed[wire] for wire in uses if wire in trace.passed}
    if len(parts) + (name == trace.output) < 2 or any(part.ndim for part in parts.values()):
        return ()
    seed = [(bracketed(trace.seed, digits), "")] if name == trace.output else []
    terms = [*seed, *((bracketed(part, digits), "", place("passed", *wire)) for wire, part in parts.items())]
    total = scalar(float(trace.cotangent[name]), digits)
    return (*added(terms), (" = ", ""), (total, "", place("cotangent", name)))
