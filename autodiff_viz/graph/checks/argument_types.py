"""Check the types of arguments of public functions: a graph, a text or a whole number is needed."""

from __future__ import annotations

from operator import index
from typing import Any

from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text.names import quoted


def known_graph(graph: Any) -> Graph:
    """Return `graph` if it is a `Graph`.

    Raises:
      GraphError: code "not-a-graph", for anything else, such as the text of a graph.
    """
    if isinstance(graph, Graph):
        return graph
    hint = "parse(text) makes a graph of formula text; from_json and from_link read one."
    raise GraphError(Problem("not-a-graph", f"A graph is needed; found {kind_of(graph)}.", hint))


def known_text(text: Any) -> str:
    """Return `text` if it is a `str`.

    Raises:
      GraphError: code "not-a-text", for anything else, such as bytes or parsed JSON.
    """
    if isinstance(text, str):
        return text
    hint = "Decode bytes; show(graph) and to_json(graph) make texts of a graph."
    raise GraphError(Problem("not-a-text", f"A text is needed; found {kind_of(text)}.", hint))


def whole_number(name: str, given: Any, least: int, most: int) -> int:
    """Return an integer of Python, NumPy or JAX from `least` to `most`; `name` is its name in messages.

    Raises:
      GraphError: `given` is not such an integer.
    """
    try:
        number = None if isinstance(given, bool) else index(given)
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        message = f"The {name} must be a whole number from {least:,} to {most:,}; found {quoted(given)}."
        raise GraphError(Problem("bad-number", message))
    return number


def kind_of(value: object) -> str:
    """Name the type of a value for a message: "a str", "an int"."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
