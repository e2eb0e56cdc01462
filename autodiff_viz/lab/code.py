"""Show code as the text of a graph: what it became, what of it was refused, and when it no longer fits.

The author's text of a graph is a formula, or code of another library. Code is read anew wherever it is
needed, and memoised, so that history, link and draft keep nothing but the text.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.graph.text import listed, quoted
from autodiff_viz.language.amend import amended
from autodiff_viz.language.scanner import Places, Span
from autodiff_viz.reading.reading import Reading, is_code, read

REMEMBERED = 32  # texts that are read once; those of recent visitors
CHANGES = 40  # sentences that are sent
NAMED = 3  # inputs whose numbers differ that a sentence names


@remembered(256, lambda text: text)
def code_in(text: str | None) -> bool:
    """Return whether a text is code of another library, and no formula."""
    if text is None or len(text) > limits.TEXT:
        return False
    try:
        return is_code(syntax_tree(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


@remembered(REMEMBERED, lambda text: text)
def reading_of(text: str) -> Reading:
    """Read code; the reading has its graph and its sentences alone, since it is kept."""
    return replace(read(text), compute_answers=None, compute_values=None)


def matching_text(text: str | None, graph: Graph) -> str | None:
    """Return the author's text of an edited graph; None where it no longer fits.

    A formula is amended. Code stays as it is while nothing but numbers, places and ranges of inputs differ.
    """
    if text is None or not code_in(text):
        return None if text is None else amended(text, graph)
    return text if _structure(reading_of(text).graph) == _structure(graph) else None


def _structure(graph: Graph) -> Graph:
    """Return a graph without what sliders and drags change."""
    return replace(graph, nodes=tuple(map(_without_number, graph.nodes)))


def _without_number(node: Node) -> Node:
    node = replace(node, position=None)
    if node.op != INPUT:
        return node
    kept = {key: value for key, value in node.params if key not in ("value", "low", "high")}
    return replace(node, params=params(**kept))


def places_of(text: str) -> Places:
    """Return the line that each node comes from: the innermost one, in the function that made it."""
    lines = text.split("\n")
    spans = {}
    for name, at in reading_of(text).lines.items():
        if at and at[0] <= len(lines):
            row = lines[at[0] - 1]
            spans[name] = Span(at[0], len(row) - len(row.lstrip()), at[0], len(row))
    return Places(spans, {})


LIBRARIES = {"jax": "JAX", "torch": "PyTorch", "tf": "TensorFlow", "numpy": "NumPy"}
"""Names of the libraries whose code is read, by dialect."""


def code_view(text: str, graph: Graph) -> dict[str, Any]:
    """Return what the page says of code: its library, what became what, and whose numbers are others.

    `web/types.js` describes the fields.
    """
    reading = reading_of(text)
    before = reading.graph.by_name
    inputs = (node for node in graph.nodes if node.op == INPUT and node.name in before)
    moved = [quoted(n.name) for n in inputs if n.param("value") != before[n.name].param("value")]
    return {
        "library": LIBRARIES.get(reading.dialect, reading.dialect),
        "other": f"The numbers of {listed(moved, NAMED)} are others here than in the code." if moved else "",
        "changes": [{"line": change.line, "says": change.says} for change in reading.changes[:CHANGES]],
        "more": max(0, len(reading.changes) - CHANGES),
    }
