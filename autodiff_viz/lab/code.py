"""Show code as the text of a graph: what it became, what of it was refused, and when it no longer fits.

The author's text of a graph is a formula, or code of another library. Code is read anew wherever it is
needed, and memoised, so that history, link and draft keep nothing but the text.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import remembered, same
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.graph.problem import Problem
from autodiff_viz.graph.size import size_of
from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.graph.text import listed, quoted
from autodiff_viz.language.amend import amended
from autodiff_viz.language.scanner import Places, Span
from autodiff_viz.reading.reading import Reading, is_code, read

REMEMBERED = 32  # texts that are read once; those of recent visitors
MOST_BYTES = 16_000_000  # of the graph of one of them: 500,000 numbers
CHANGES = 40  # sentences that are sent
LINES = 12  # of which one of them is said
NAMED = 3  # inputs whose numbers differ that a sentence names


_BEYOND = re.compile(r"\b(import|class)\b|\.\s*[A-Za-z_]")  # what no formula has, but in a comment
_IMPORTS = re.compile(r"^(import [A-Za-z_]|from [A-Za-z_.]+ import\b)", re.MULTILINE)


@remembered(REMEMBERED)
def _parsed_as_code(text: str) -> bool:
    """Parse a text to see whether it is code. Of one that is not Python its imports say so."""
    try:
        return is_code(syntax_tree(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return imports(text)


def code_in(text: str | None) -> bool:
    """Return whether a text is code of another library, and no formula."""
    if text is None or len(text) > limits.TEXT or not _BEYOND.search(text):
        return False
    return _parsed_as_code(text)


def imports(text: str) -> bool:
    """Return whether a text has a line that imports, as no formula has."""
    return _IMPORTS.search(text) is not None


def notebook_code(text: str) -> str | None:
    """Return the code of a Jupyter notebook, without its lines for the shell; None if the text is none."""
    if len(text) > limits.JSON:
        return None
    try:
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        lines = "\n\n".join("".join(cell["source"]) for cell in cells).split("\n")
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return "\n".join(line for line in lines if not line.lstrip().startswith(("%", "!")))


NO_VALUE = Problem("no-value", "This code makes no value yet.", "Write a line such as x = torch.tensor(2.0).")


TOO_LARGE = Problem("too-large", "The arrays of this code hold too many numbers.", "Make them smaller.")


@remembered(REMEMBERED)
def reading_of(text: str) -> Reading:
    """Read code; the reading has its graph and its sentences alone, since it is kept."""
    reading = replace(read(text), compute_answers=None, compute_values=None)
    if sum(map(size_of, reading.graph.nodes)) > MOST_BYTES:  # a short text can make long literals
        return replace(reading, graph=Graph(), lines={}, refused=(TOO_LARGE,))
    if reading.graph.nodes or reading.refused:
        return reading
    return replace(reading, refused=(NO_VALUE,))


def is_read(text: str) -> bool:
    """Return whether code can be read in full."""
    reading = reading_of(text)
    return bool(reading.graph.nodes) and not reading.refused


def matching_text(text: str | None, graph: Graph, before: Graph | None = None) -> str | None:
    """Return the author's text of an edited graph; None where it no longer fits.

    A formula is amended. Code stays as it is while nothing but numbers, places and ranges of inputs differ.

    Args:
      before: a graph that the text fits; None for the one that it is read as.
    """
    if text is None or not code_in(text):
        return None if text is None else amended(text, graph)
    return text if _alike(before or reading_of(text).graph, graph) else None


def _alike(one: Graph, other: Graph) -> bool:
    """Return whether two graphs differ at most in what sliders and drags change."""
    if len(one.nodes) != len(other.nodes) or not same(replace(one, nodes=()), replace(other, nodes=())):
        return False
    # Two versions of a graph share their nodes, so that few are compared.
    pairs = [pair for pair in zip(one.nodes, other.nodes, strict=True) if pair[0] is not pair[1]]
    return all(same(_without_number(a), _without_number(b)) for a, b in pairs)


def _without_number(node: Node) -> Node:
    node = replace(node, position=None)
    if node.op != INPUT:
        return node
    kept = {key: value for key, value in node.params if key not in ("value", "low", "high")}
    return replace(node, params=params(**kept))


@remembered(REMEMBERED)
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


def code_view(text: str, graph: Graph, dtype: str) -> dict[str, Any]:
    """Return what the page says of code: its library, what became what, and what is another here than there.

    `web/types.js` describes the fields.
    """
    reading = reading_of(text)
    # The graph is the one that was read but for its numbers; a stored history may say otherwise.
    pairs = [pair for pair in zip(reading.graph.nodes, graph.nodes, strict=False) if pair[0] is not pair[1]]
    inputs = [(was, now) for was, now in pairs if was.op == INPUT == now.op]
    moved = [quoted(now.name) for was, now in inputs if not same(was.param("value"), now.param("value"))]
    other = [f"The numbers of {listed(moved, NAMED)} are others here than in the code."] if moved else []
    if dtype != reading.dtype:
        other.append(f"The code computes in {reading.dtype}, this page in {dtype}.")
    return {
        "library": LIBRARIES.get(reading.dialect, reading.dialect),
        "other": " ".join(other),
        "changes": [
            {"lines": list(change.lines or (change.line,))[:LINES], "says": change.says}
            for change in reading.changes[:CHANGES]
        ],
        "more": max(0, len(reading.changes) - CHANGES),
    }
