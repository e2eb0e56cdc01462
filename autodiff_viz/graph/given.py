"""What callers give in place of a graph or a text, told as a problem."""

from __future__ import annotations

from typing import Any

from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem


def known_graph(graph: Any) -> Graph:
    """
    Raises:
      GraphError: it is no `Graph`, such as the text of one.
    """
    if isinstance(graph, Graph):
        return graph
    hint = "parse(text) makes a graph of formula text; from_json and from_link read one."
    raise GraphError(Problem("not-a-graph", f"A graph is needed; found {kind_of(graph)}.", hint))


def known_text(text: Any) -> str:
    """
    Raises:
      GraphError: it is no `str`, such as bytes or what a text was read to.
    """
    if isinstance(text, str):
        return text
    hint = "Decode bytes; show(graph) and to_json(graph) make texts of a graph."
    raise GraphError(Problem("not-a-text", f"A text is needed; found {kind_of(text)}.", hint))


def kind_of(value: object) -> str:
    """The type of a value inside a message: "a str", "an int"."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
