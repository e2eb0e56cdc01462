"""Offer the cures of explanations: a sentence, a button that mends and the edit that the button sends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.mute import returned_slot
from autodiff_viz.messages.edits import Mend, edit_data

Figure = Any  # a plotly Figure; its type is not imported, so that what computes loads no Plotly


# Describe the pinned graph, for figures that show it beside the present one.


LETTERS = "AB"


@dataclass(frozen=True, slots=True)
class Twin:
    """The trace of the pinned graph, and which of the two it is: "A" or "B"."""

    trace: Trace
    letter: str

    def beside(self, present: Trace) -> tuple[tuple[str, Trace], tuple[str, Trace]]:
        """Return (letter, trace) of both, A first."""
        (other,) = LETTERS.replace(self.letter, "")
        return tuple(sorted([(self.letter, self.trace), (other, present)], key=lambda side: side[0]))


NON_FINITE, ZERO = "non-finite", "zero"
"""Explanations that have cures: of the whole trace, and of a node."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an explanation found, without the graphs, so that a worker can send it.

    Attributes:
      of: the explanation.
      node: the node that it is about; None if it is about the whole trace.
      says: the sentence.
      mend: what its cure does; "" if it has none.
      changes: what the cure changes.
      at: the nodes that are the cause.
      wires: the wires that lead to them; of the whole trace the one at which it begins.
      later: of a lint, whether it matters only for a derivative that the graph does not take.
    """

    of: str
    node: str | None
    says: str
    mend: str = ""
    changes: str = ""
    at: tuple[str, ...] = ()
    wires: tuple[Wire, ...] = ()
    later: bool = False


def explanation_data(found: Explanation | None, graph: Graph) -> dict[str, Any] | None:
    """Return an explanation as data for the browser; empty fields are left out."""
    if found is None:
        return None
    data: dict[str, Any] = {"says": found.says}
    if found.mend:
        edit = edit_data(Mend(of=found.of, node=found.node, mend=found.mend))
        label = f"Mend: {found.mend[0].lower()}{found.mend[1:]}"
        data |= {"label": label, "changes": found.changes, "edit": edit}
    if found.node is not None or found.at:
        data |= {"at": list(found.at), "wires": [wire_id(graph, wire) for wire in found.wires]}
    return data


def wire_id(graph: Graph, wire: Wire) -> str:
    """Return the browser's name of a wire; in a trace, a muted node has one slot."""
    name, slot = wire
    return f"{name}:{returned_slot(graph[name]) if graph[name].muted else slot}"


OF_GRAPH, OF_INPUT, OF_NODE, OF_SCALE, OF_DRAWS = "graph", "input", "node", "scale", "draws"


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """A figure of a trace.

    Attributes:
      title: on its tab.
      what_it_says: the question that it answers, in one line.
      build: makes the figure from a trace and the name that it is about, or None for the figure's own choice;
        raises GraphError where there is none.
      text: makes alternative text for screen readers, one sentence, from the same.
      low: as `build`, for a place that is wide and low; None if there is no difference.
      of: whose name `build` and `text` get: a scalar input's, the selected node's (None if there is
        none), the loss scale or the number of draws as text, or nothing.
      slow: whether a worker makes it for every graph, not only for a large one.
      slow_for: whether a worker makes it of this trace; None: of none but a large one.
      needs: whether a graph has what the figure is about; None if all have.
      counts: whether it shows counts alone, and so stays on view while the pass is played.
      beside: makes figure and text with the pinned graph beside the present one; None for one graph alone.
    """

    title: str
    what_it_says: str
    build: Callable[[Trace, str | None], Figure]
    text: Callable[[Trace, str | None], str]
    low: Callable[[Trace, str | None], Figure] | None = None
    of: str = OF_GRAPH
    slow: bool = False
    slow_for: Callable[[Trace], bool] | None = None
    needs: Callable[[Graph], bool] | None = None
    counts: bool = False
    beside: Callable[[Trace, str | None, Twin], tuple[Figure, str]] | None = None

    def is_slow(self, trace: Trace) -> bool:
        """Return whether a worker makes it of this trace, however few nodes there are."""
        return self.slow or (self.slow_for is not None and self.slow_for(trace))

    def fits(self, graph: Graph, pinned: Graph | None = None) -> bool:
        """Return whether a graph, or the pinned one that it shows beside it, has what the figure is about."""
        shown = [graph] if pinned is None or self.beside is None else [graph, pinned]
        return self.needs is None or any(map(self.needs, shown))

    def build_for(self, low: bool) -> Callable[[Trace, str | None], Figure]:
        """Return the function that makes the figure for a low place or for any other."""
        return self.low if low and self.low else self.build


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure of something other than a trace.

    Attributes:
      title: on its tab.
      build, text: make the figure, and a sentence that says the same for screen readers.
      low: as `build`, for a place that is wide and low; None if there is no difference.
    """

    title: str
    build: Callable[[Any], Figure]
    text: Callable[[Any], str]
    low: Callable[[Any], Figure] | None = None

    def build_for(self, low: bool) -> Callable[[Any], Figure]:
        """Return the function that makes the figure for a low place or for any other."""
        return self.low if low and self.low else self.build
