"""Encode the documents of a history, beside its trail: the first step and the other state of each.

The browser stores them, so that undo leads from one document to another after a reload, too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from autodiff_viz.graph.edits.history import Entry, History, begin
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.persistence.address import beside, with_beside
from autodiff_viz.views.persistence.compressed_json import squeezed, unsqueezed

Aside = tuple[tuple[int, Lab], ...]


def documents(lab: Lab) -> dict[str, str]:
    """Return the state of each document other than its graphs, by the number of its first step.

    Steps are numbered as in `trail`. The entry of the open document is empty, since the address has its
    state. With one document there is no entry.
    """
    aside, found = dict(lab.aside), {}
    numbered = enumerate(lab.history.entries, lab.history.forgotten)
    for number, steps in groupby(numbered, key=lambda step: step[1].document):
        first = next(steps)[0]
        found[str(first)] = squeezed(beside(aside[number]) if number in aside else {})
    return found if len(found) > 1 else {}


def with_documents(history: History, kept: Mapping[str, Any]) -> tuple[History, Aside]:
    """Return the history of `kept` divided into its documents, and the labs of those that are not open.

    Documents are numbered in order, relative to the open one, which is 0. `kept` is untrusted: if its
    documents are missing or malformed, the whole history is one document.
    """
    first = kept.get("at", 0) - len(history.past)
    try:
        told = sorted((int(step), _query(text)) for step, text in kept.get("documents", {}).items())
    except (AttributeError, TypeError, ValueError):
        return history, ()
    begins = [step for step, _ in told]
    here = bisect_right(begins, kept["at"])

    def number(i: int) -> int:
        """Return the number of the document of an entry."""
        return bisect_right(begins, first + i) - here

    entries = tuple(entry._replace(document=number(i)) for i, entry in enumerate(history.entries))
    at = len(history.past)
    aside = tuple(_left(entries, i + 1 - here, query) for i, (_, query) in enumerate(told) if i + 1 != here)
    known = {entry.document for entry in entries}
    found = History(entries[:at], entries[at], entries[at + 1 :], history.forgotten)
    return found, tuple(pair for pair in aside if pair[0] in known)


def _query(text: Any) -> dict[str, str]:
    """Decode the query parameters of a document.

    Raises:
      TypeError, ValueError: they are malformed.
    """
    query = unsqueezed(text)
    if not isinstance(query, dict) or not all(isinstance(value, str) for value in query.values()):
        raise ValueError(text)
    return query


def _left(entries: tuple[Entry, ...], number: int, query: Mapping[str, str]) -> tuple[int, Lab]:
    """Return a document's number and its lab: the last graph with its other state."""
    graph = next((entry.graph for entry in reversed(entries) if entry.document == number), entries[0].graph)
    return number, with_beside(Lab(begin(graph)), query)
