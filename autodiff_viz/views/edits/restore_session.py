"""Restore what the browser stored of an earlier session.

They are untrusted, and have an effect only if they fit what the address has opened.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.edits.history import History, newest
from autodiff_viz.graph.identity import same
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.documents import from_link
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab, alone
from autodiff_viz.views.persistence.address import ELSEWHERE, GRAPH, from_query, with_pinned
from autodiff_viz.views.persistence.history_documents import with_documents
from autodiff_viz.views.persistence.history_reader import recalled

UNNAMED = "The last edit"


def _kept(lab: Lab, edit: Edit) -> Lab:
    """Put the stored history before that of this session; no effect if it is of another graph.

    The address may be one edit ahead of the stored history: `link` is then its present graph, which precedes
    the one that the address opened. Or the address is some edits behind: the browser had begun to load the
    page again before their acknowledgement.
    """
    first = lab.history.entries[0]
    opened = (first.graph, first.text)
    link = _graph(edit.get("link"))
    found = recalled(edit["trail"], [opened, *([(link, None)] if link is not None else [])], first.pinned)
    if found is None:
        return lab
    found, aside = with_documents(found, edit["trail"])
    newest = max(lab.newest, *(entry.document for entry in found.entries))
    return replace(lab, history=_joined(found, lab.history), aside=(*aside, *lab.aside), newest=newest)


def _joined(before: History, now: History) -> History:
    """Concatenate two histories."""
    entries, at = now.entries, len(now.past)
    before = _back_to(before, entries[0].graph)
    whole = (*before.past, before.present)
    if same(before.graph, entries[0].graph):
        present = entries[0]._replace(label=before.present.label, folds=before.present.folds)
        if len(entries) == 1:
            return replace(before, present=present)
        entries, whole = (present, *entries[1:]), before.past
    else:
        entries = (entries[0]._replace(label=UNNAMED), *entries[1:])
    past = newest((*whole, *entries[:at]), entries[at])
    return replace(now, past=past, present=entries[at], future=entries[at + 1 :])


def _back_to(history: History, graph: Graph) -> History:
    """Return the history at its newest step with this graph; unchanged if there is none."""
    found = [i for i, entry in enumerate(history.past) if same(entry.graph, graph)]
    if not found or same(history.graph, graph):
        return history
    at = found[-1]
    whole = (*history.past, history.present)
    return replace(history, past=whole[:at], present=whole[at], future=(*whole[at + 1 :], *history.future))


def _graph(link: Any) -> Graph | None:
    """Decode the graph of a link; None if it is unreadable."""
    try:
        return from_link(link) if isinstance(link, str) else None
    except GraphError:
        return None


def _restored(lab: Lab, edit: Edit) -> Lab:
    """Open the stored query that was too long for the address, if nothing has been done since.

    Of a query of which the address has the present graph, only the pinned one is taken.
    """
    waiting = [problem.code for problem in lab.notice] == [ELSEWHERE] and not lab.graph.nodes
    query = edit["query"]
    if not all(isinstance(value, str) for value in query.values()):
        return lab
    if query.get(GRAPH) and lab.graph == _graph(query[GRAPH]) and len(lab.history.entries) == 1:
        return lab if lab.pinned else with_pinned(lab, query, limits.JSON)
    if not waiting:
        return lab
    return alone(from_query(query, most=limits.JSON), lab.newest + 1)


EDITS: Edits = {"kept": _kept, "restored": _restored}
