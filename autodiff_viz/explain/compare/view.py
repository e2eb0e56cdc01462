"""Compare the present graph with the pinned one, as data for the browser."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

import numpy as np

from autodiff_viz.display.numbers import number_text
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.compare.compute import Comparison, Pair, compare
from autodiff_viz.explain.explanation import ExplanationKind
from autodiff_viz.graph.edits import with_rule
from autodiff_viz.graph.history import OTHER, Pinned
from autodiff_viz.graph.identity import identity, remembered
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.model import Graph, Literal, Rule
from autodiff_viz.graph.order import consumers
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.show import written

Data = dict[str, Any]

KEPT = 16  # memoised comparisons: flipping to and fro computes nothing
ROWS, LINES = 60, 12  # of differing nodes, of the formula's difference; the rest is counted
MISSING = "\u2013"
LITERAL = re.compile(r"[-+\d.,e\s\[\]]++")  # numbers and brackets; `++` never goes back
LONG = 26  # characters of a tensor that would hide the rest of its line
SAME_SO_FAR = "A and B are the same so far: change something, and what it changes shows here."


@dataclass(frozen=True, slots=True)
class Compared:
    """All that a comparison follows from.

    Attributes:
      pinned: the pinned graph, with the letter that it has.
      there: the pinned graph with the noise of the training step on view.
      seed: of both, as the user set it.
      parameters: by name, the parameters of the training step on view.
      here: the trace of the present graph.
      graph: the present graph.
      follows: the identity of all that any number of the present graph depends on.
    """

    pinned: Pinned
    there: Graph
    seed: Literal | None
    parameters: Mapping[str, Any]
    here: Trace
    graph: Graph
    follows: bytes


def _key(beside: Compared) -> bytes:
    """Return the identity of a comparison: groups change no number, but the lines of the formula."""
    pinned = beside.pinned
    frames = beside.graph.groups
    return identity((pinned.graph.identity, pinned.letter, beside.follows, frames, [*beside.parameters]))


@remembered(KEPT, _key)
def pinned_trace(beside: Compared) -> Trace:
    """Return the trace of the pinned graph with the present seed, dtype and parameters."""
    return trace(beside.there, beside.parameters, beside.seed, dtype=beside.here.dtype)


@remembered(KEPT, _key)
def comparison_data(beside: Compared) -> Data:
    """Return the comparison as data for the browser; `lab/figures.twins_data` has its fields."""
    letter = OTHER[beside.pinned.letter]
    try:
        there = pinned_trace(beside)
    except GraphError as error:
        says = f"{beside.pinned.letter} cannot run: {error.problems[0].message}"
        return {"letter": letter, "kind": "waits", "says": says}
    a, b = (there, beside.here) if letter == "B" else (beside.here, there)
    try:
        comparison = compare(a, b)
    except GraphError as error:
        return {"letter": letter, "kind": "waits", "says": f"Not compared: {error.problems[0].message}"}
    rows = list(_rows(comparison, letter))
    kind = "equal" if comparison.equal_gradients else "gradients"
    changed = comparison.first_wire is not None or comparison.changed_nodes
    # The same program: also the regions, which change no number.
    same = not changed and set(a.graph.regions) == set(b.graph.regions)
    return {
        "letter": letter,
        "kind": kind if comparison.equal_values else "values",
        "says": SAME_SO_FAR if same else comparison.sentence,
        "rows": rows[:ROWS],
        "more": max(0, len(rows) - ROWS),
        "equal": [name for name in reversed(comparison.values) if not _differs(comparison, name)],
        "lit": _lit(comparison.first_wire, beside.graph, beside.pinned.graph),
        **_cost(a, b),
        **_formulas(beside, letter),
    }


def _differs(comparison: Comparison, name: str) -> bool:
    return any(name in comparison.apart[kind] for kind in ("values", "cotangents", "gradients"))


def _rows(comparison: Comparison, letter: str) -> Iterator[Data]:
    """Yield the nodes whose numbers differ, in the order of the backward sweep."""
    apart = comparison.apart
    for name in reversed(comparison.values):
        if _differs(comparison, name):
            value, cotangent = comparison.values[name], comparison.cotangents[name]
            if name in apart["gradients"] and name not in apart["cotangents"]:
                cotangent = comparison.gradients[name]  # an input with a rule of its own
            row = {"name": name, "value": _texts(value), "cotangent": _texts(cotangent)}
            kinds = [kind for kind in ("value", "cotangent") if name in apart[f"{kind}s"]]
            on_canvas = value["AB".index(letter)] is not None
            yield {**row, "apart": kinds or ["cotangent"], "here": on_canvas}


def _texts(pair: Pair) -> list[str]:
    return [MISSING if array is None else number_text(np.asarray(array)) for array in pair]


def _lit(wire: Wire | None, graph: Graph, other: Graph) -> list[str]:
    """Return the wires of `graph` on the canvas that stand for a wire of one of two graphs.

    For a wire of a node that only `other` has, they are the wires in whose place that node is.
    """
    if wire is None:
        return []
    if wire[0] in graph:
        known = graph[wire[0]].wires
        slots = [slot for slot, _ in known]
        return [f"{wire[0]}:{slot}" for slot in ([wire[1]] if wire[1] in slots else slots[:1])]
    # Past the nodes that are not on this canvas, to the wires that read what they read.
    lit, waiting, uses = [], [wire[0]], consumers(other)
    while waiting:
        for reader, slot in uses[waiting.pop()]:
            if reader not in graph:
                waiting.append(reader)
            elif any(slot == own for own, _ in graph[reader].wires):
                lit.append(f"{reader}:{slot}")
    return lit


def _cost(a: Trace, b: Trace) -> Data:
    """Return what the backward passes keep and run again, where the graphs have other regions."""
    if set(a.graph.regions) == set(b.graph.regions) or max(len(t.value) for t in (a, b)) > VERIFIED_AT_ONCE:
        return {}
    try:
        kept = [sum(r.elements for r in each.residuals) for each in (a, b)]
        again = [sum(runs.made - runs.forward for runs in each.runs.values()) for each in (a, b)]
    except GraphError:
        return {}
    return {"kept": [str(count) for count in kept], "again": [str(count) for count in again]}


def _formulas(beside: Compared, letter: str) -> Data:
    """Return the lines of the formula that only A has (-) and that only B has (+)."""
    texts = {letter: beside.graph, beside.pinned.letter: beside.pinned.graph}
    a, b = (list(_statements(written(texts[name])[0])) for name in "AB")
    lines = [
        line for line in unified_diff(a, b, n=0, lineterm="") if not line.startswith(("---", "+++", "@@"))
    ]
    return {"lines": lines[:LINES], "more_lines": max(0, len(lines) - LINES)}


def _statements(text: str) -> Iterator[str]:
    """Yield the statements of a formula, each on one line, with long literals folded."""
    waiting: list[str] = []
    round, square = 0, 0  # brackets that are open
    for line in text.splitlines():
        waiting.append(line.strip() if waiting else line)
        round += line.count("(") - line.count(")")
        square += line.count("[") - line.count("]")
        if round <= 0 and square <= 0:
            yield LITERAL.sub(_folded, " ".join(waiting))
            waiting, round, square = [], 0, 0


def _folded(run: re.Match[str]) -> str:
    """Return numbers and brackets with those from the first [ to the last ] folded, if these are many."""
    text = run[0]
    first, last = text.find("["), text.rfind("]")
    long = first >= 0 and last - first + 1 >= LONG
    return f"{text[:first]}[\u2026]{text[last + 1 :]}" if long else text


def _and_without_a_stop(graph: Graph) -> tuple[Trace, Trace]:
    middle = graph.nodes[len(graph.nodes) // 2].name
    return trace(graph), trace(with_rule(graph, middle, Rule("stop")))


COMPARE = ExplanationKind(
    key="twins",
    title="Compare",
    what_it_says="Whether two graphs have equal values and gradients, and where their backward sweeps part.",
    public=("compare",),
    compute=compare,
    row="compared with a stop",
    example=_and_without_a_stop,
)
