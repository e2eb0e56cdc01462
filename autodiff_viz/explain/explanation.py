"""Describe explanations: what the project knows of each kind, and what one says of a trace, with its cure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.cure import Cure
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


def explanation_data(explanation: Explanation | None, graph: Graph) -> dict[str, Any] | None:
    """Return an explanation as data for the browser; empty fields are left out."""
    if explanation is None:
        return None
    data: dict[str, Any] = {"says": explanation.says}
    if explanation.mend:
        edit = edit_data(Mend(of=explanation.of, node=explanation.node, mend=explanation.mend))
        label = f"Mend: {explanation.mend[0].lower()}{explanation.mend[1:]}"
        data |= {"label": label, "changes": explanation.changes, "edit": edit}
    if explanation.node is not None or explanation.at:
        places = {"at": list(explanation.at), "wires": [wire_id(graph, wire) for wire in explanation.wires]}
        data |= {kind: names for kind, names in places.items() if names}
    return data


def wire_id(graph: Graph, wire: Wire) -> str:
    """Return the browser's name of a wire; in a trace, a muted node has one slot."""
    name, slot = wire
    return f"{name}:{returned_slot(graph[name]) if graph[name].muted else slot}"


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What a visitor chooses beside a figure: an input, a loss scale, a number of draws.

    Attributes:
      name: of the widget; the lab keeps under it what was chosen.
      label: of the widget.
      offered: returns the values that a graph offers, in their order; without any there is no widget.
      first: index of the value that holds until one is chosen, or of the last one if there are fewer.
      follows: whether the selected node, if it is offered, holds until one is chosen.
      names: whether the values are names of nodes, or of parts of them: then another document forgets what
        was chosen.
      query: its name in links; `name` if it is "".
      slides: whether the widget is a slider and no list.
      written: returns how the widget writes a value.
      word: of the glossary, which the widget explains; "" for none.
    """

    name: str
    label: str
    offered: Callable[[Graph], Sequence[Any]]
    first: int = 0
    follows: bool = False
    names: bool = False
    query: str = ""
    slides: bool = False
    written: Callable[[Any], str] = str
    word: str = ""

    @property
    def parameter(self) -> str:
        """The name of its query parameter."""
        return self.query or self.name

    def to_text(self, value: Any) -> str | None:
        """Return a chosen value as it is in links; None for the usual one, which is left out."""
        if self.names:
            return value
        return None if value == self.offered(EMPTY)[self.first] else f"{value:.0f}"

    def from_text(self, text: str | None, graph: Graph) -> Any:
        """Return the value that `to_text` wrote; None for any other text.

        A name may be any node's: what is offered is tested where it is used.
        """
        if self.names:  # also of what belongs to a node, such as an element
            return text if text in graph.by_name or text in self.offered(graph) else None
        return next((value for value in self.offered(graph) if self.to_text(value) == text is not None), None)


EMPTY = Graph()

OF_GRAPH, OF_NODE = "graph", "node"
"""What an explanation is of: the whole trace, or one node, the selected one."""

About = str | tuple[Any, ...] | None
"""A node's name, or what was chosen as text, each of several; None: the explanation chooses for itself."""

Cures = Mapping[str, Callable[[Trace, str | None, bool], Cure | None]]


def of_trace(graph: Graph) -> tuple[Trace, None]:
    """Return the usual arguments of `ExplanationKind.compute` for a graph: its trace, and no node."""
    return trace(graph), None


@dataclass(frozen=True, slots=True, eq=False)
class ExplanationKind:
    """All that the project needs to know of an explanation; it stands at the end of the view of its room.

    Attributes:
      key: names it in links and messages.
      what_it_says: the question that it answers, in one line.
      title: on its tab; "" if it has none.
      word: of the glossary, which its tab explains; "" for none.
      public: the names of its functions in `autodiff_viz`.
      compute: explains a trace; the second argument is what it is about. Raises GraphError where there is
        nothing to explain. None if it explains no trace.
      of: `OF_NODE` if `build`, `text` and `compute` get the selected node's name (None if there is none).
      choices: what is chosen beside the figure; `build` and `text` get it as text, of several a tuple.
      needs: whether a graph has what the explanation is about; None if all have.
      build: makes the figure from a trace and what it is about, or None for the figure's own choice; raises
        GraphError where there is none. None if the explanation has no figure of a trace.
      text: makes alternative text for screen readers, one sentence, from the same.
      low: as `build`, for a place that is wide and low; None if there is no difference.
      beside: makes figure and text with the pinned graph beside the present one; None for one graph alone.
      slow: whether a worker makes it for every graph, not only for a large one.
      slow_for: whether a worker makes it of this trace; None: of none but a large one.
      counts: whether it shows counts alone, and so stays on view while the pass is played.
      trained: returns what the figure shows of the training on view, from the graph, what was chosen, and the
        parameters of some steps by step, ascending. `build` and `text` get it behind what was chosen, or None
        while nothing is trained; None if the figure shows no training.
      node_says: returns sentences about a node for the panel of the selected one; a worker calls it.
      cures: by what the edit "mend" names, the function of (trace, node, whether a step of a training is on
        view) that works the cure out again.
      row: its row among the benchmarks; "" for none.
      most: the target of the row, as a multiple of eager JAX.
      example: makes of a graph arguments of `compute` for which it has something to explain.
    """

    key: str
    what_it_says: str
    title: str = ""
    word: str = ""
    public: tuple[str, ...] = ()
    compute: Callable[..., Any] | None = None
    of: str = OF_GRAPH
    choices: tuple[Choice, ...] = ()
    needs: Callable[[Graph], bool] | None = None
    build: Callable[[Trace, Any], Figure] | None = None
    text: Callable[[Trace, Any], str] | None = None
    low: Callable[[Trace, Any], Figure] | None = None
    beside: Callable[[Trace, Any, Twin], tuple[Figure, str]] | None = None
    slow: bool = False
    slow_for: Callable[[Trace], bool] | None = None
    counts: bool = False
    trained: Callable[[Graph, Any, Mapping[int, Mapping[str, Any]]], Any] | None = None
    node_says: Callable[[Trace, str], Iterable[str]] | None = None
    cures: Cures = field(default_factory=dict)
    row: str = ""
    most: float = 5.0  # eager JAX takes some 10 ms of processor time, an explanation may take 50
    example: Callable[[Graph], tuple[Any, ...]] = of_trace

    def is_slow(self, trace: Trace) -> bool:
        """Return whether a worker makes it of this trace, however few nodes there are."""
        return self.slow or (self.slow_for is not None and self.slow_for(trace))

    def fits(self, graph: Graph, pinned: Graph | None = None) -> bool:
        """Return whether a graph, or the pinned one that it shows beside it, has what the figure is about."""
        shown = [graph] if pinned is None or self.beside is None else [graph, pinned]
        return self.needs is None or any(map(self.needs, shown))

    def build_for(self, low: bool) -> Callable[[Trace, Any], Figure]:
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
