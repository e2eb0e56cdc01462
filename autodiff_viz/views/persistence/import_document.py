"""Import a document from outside: a graph as JSON, a link to this page, or formula text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NoReturn
from urllib.parse import parse_qs

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.language.documents import from_json
from autodiff_viz.language.parse import parse
from autodiff_viz.views.lab import Lab, opened, with_text
from autodiff_viz.views.persistence.address import GRAPH, from_query

ADDRESS = re.compile(r"\S*[?&]" + GRAPH + r"=\S*|https?://\S*")
"""Text without spaces that is the address of a page, with or without its host."""


def imported(lab: Lab, text: str) -> Lab:
    """Replace the graph by the document in `text`; one step of undo returns to the graph.

    Text that begins like JSON or like an address is read as that, anything else as formula text.

    Raises:
      GraphError: it holds no graph, for the reason given; it is too long, code "import-too-long".
    """
    text = text.removeprefix("\ufeff").strip()
    if len(text) > limits.JSON:
        message = f"The text has {len(text)} characters; a document may have {limits.JSON}."
        raise GraphError(Problem("import-too-long", message))
    if not text:
        raise GraphError(
            Problem("import-empty", "There is no text to open.", "Copy or choose a graph first.")
        )
    if text.startswith("{"):
        return opened(lab, from_json(text), "Open JSON")
    return _linked(lab, text) if ADDRESS.fullmatch(text) else _written(lab, text)


def _linked(lab: Lab, address: str) -> Lab:
    """Open the graph of a link."""
    query = address.partition("?")[2].partition("#")[0]
    parameters = {key: values[-1] for key, values in parse_qs(query).items()}
    if GRAPH not in parameters:
        message = "This link holds no graph: nothing in it begins with 'g='."
        raise GraphError(Problem("link-empty", message, "Copy the whole address of a page with a graph."))
    found = from_query(parameters)
    if found.notice:
        raise GraphError(found.notice)
    after = opened(lab, found.graph, "Open a link")
    if found.pinned:
        present = after.history.present._replace(pinned=found.pinned)
        after = replace(after, history=replace(after.history, present=present))
    after = replace(after, seed=found.seed, dtype=found.dtype, ranges=found.ranges, selected=found.selected)
    return with_text(after, found.history.present.text)


def _written(lab: Lab, text: str) -> Lab:
    """Open the graph of a formula."""
    try:
        graph = parse(text)
    except GraphError as error:
        _explain(error)
    return with_text(opened(lab, graph, "Open a formula"), text)


def _explain(error: GraphError) -> NoReturn:
    """Raise the error of a text that is no formula with the formats that were tried.

    The parser's own error, in the first line of a text of another format, would mean little.
    """
    message = "This is neither JSON nor a link, and as a formula it cannot be read."
    hint = "A graph opens from its JSON file, from a link to this page, or from formula text."
    raise GraphError((Problem("import-unknown", message, hint), *error.problems[:3])) from error
