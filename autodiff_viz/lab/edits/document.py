"""Edit the whole document: undo, redo, jump in the history, import, and a new graph."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qs

from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.history import History, jump, newest
from autodiff_viz.graph.identity import same
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.short_text import FORMULA
from autodiff_viz.lab.actions import redone, undone
from autodiff_viz.lab.code import code_in, reading_of, unmarked
from autodiff_viz.lab.edits.edit import Handlers, unreadable
from autodiff_viz.lab.persistence.address import (
    ELSEWHERE,
    GRAPH,
    LESSON,
    TOUR_ELSEWHERE,
    from_query,
    place_of,
    with_documents,
    with_pinned,
    with_toured,
)
from autodiff_viz.lab.persistence.history import MalformedTrail, recalled
from autodiff_viz.lab.state import Lab, opened, stepped, toured_at, with_text, without_history
from autodiff_viz.lab.tours import go_to
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.codec import TOUR, document_of, is_tour, read_tour
from autodiff_viz.messages.edits import Import, Jump, Kept, NewGraph, Redo, Restored, Undo
from autodiff_viz.reading.notebooks import notebook_code

# What the browser stored of an earlier session: untrusted, and without effect unless it fits what the address
# has opened

UNNAMED = "The last edit"


def _kept(lab: Lab, edit: Kept) -> Lab:
    """Put the stored history before that of this session; no effect if it is of another graph.

    The address may be one edit ahead of the stored history: `link` is then its present graph, which precedes
    the one that the address opened. Or the address is some edits behind: the browser had begun to load the
    page again before their acknowledgement.
    """
    first = lab.history.entries[0]
    opened = (first.graph, first.text)
    link = _graph(edit.link)
    try:
        graphs = [opened, *([(link, None)] if link is not None else [])]
        stored = recalled(edit.trail, graphs, first.pinned, first.toured)
    except MalformedTrail:
        raise unreadable(edit) from None
    if stored is None:
        return lab
    stored, aside = with_documents(stored, edit.trail)
    newest = max(lab.newest, *(entry.document for entry in stored.entries))
    return replace(lab, history=_joined(stored, lab.history), aside=(*aside, *lab.aside), newest=newest)


def _joined(before: History, now: History) -> History:
    """Concatenate two histories."""
    entries, at = now.entries, len(now.past)
    before = _back_to(before, entries[0].graph)
    whole = (*before.past, before.present)
    if same(before.graph, entries[0].graph):
        # The stored present step and the one that the address opened are the same step. The stored one knows
        # what was done; the opened one has all else of the address.
        present = entries[0]._replace(label=before.present.label, folds=before.present.folds)
        if len(entries) == 1:  # nothing has been done since: what could be redone still can
            return replace(before, present=present)
        entries, whole = (present, *entries[1:]), before.past
    else:  # the address was one edit ahead, and does not know what that edit was
        entries = (entries[0]._replace(label=UNNAMED), *entries[1:])
    past = newest((*whole, *entries[:at]), entries[at])
    return replace(now, past=past, present=entries[at], future=entries[at + 1 :])


def _back_to(history: History, graph: Graph) -> History:
    """Return the history at its newest step with this graph; unchanged if there is none."""
    steps = [i for i, entry in enumerate(history.past) if same(entry.graph, graph)]
    if not steps or same(history.graph, graph):
        return history
    at = steps[-1]
    whole = (*history.past, history.present)
    return replace(history, past=whole[:at], present=whole[at], future=(*whole[at + 1 :], *history.future))


def _graph(link: str | None) -> Graph | None:
    """Decode the graph of a link; None if it is unreadable."""
    try:
        return None if link is None else from_link(link)
    except GraphError:
        return None


def _restored(lab: Lab, edit: Restored) -> Lab:
    """Open the stored query that was too long for the address, if nothing has been done since.

    Of a query of which the address has the present graph, only the pinned one and the tour are taken.
    """
    # A lab that waits for the query has nothing but the refusal of its address.
    waiting = [problem.code for problem in lab.notice] == [ELSEWHERE] and not lab.graph.nodes
    query = edit.query
    if query.get(GRAPH) and lab.graph == _graph(query[GRAPH]) and len(lab.history.entries) == 1:
        if [problem.code for problem in lab.notice] == [TOUR_ELSEWHERE]:
            lab = replace(lab, notice=())
        lab = lab if lab.pinned else with_pinned(lab, query, limits.JSON)
        return lab if lab.tour else with_toured(lab, query, limits.JSON)
    if not waiting:
        return lab
    return without_history(from_query(query, most=limits.JSON), lab.newest + 1)


# A document from outside: a graph as JSON, a link to this page, or formula text

_ADDRESS = re.compile(rf"[?&]({GRAPH}|{FORMULA}|{TOUR})=|\Ahttps?://")


def imported(lab: Lab, text: str) -> Lab:
    """Replace the graph by the document in `text`; one step of undo returns to the graph.

    A tour opens at its first step, or at that of the link.

    Text that begins like JSON or like an address is read as that, anything else as formula text or code. Of a
    notebook its code is read.

    Raises:
      GraphError: it holds no graph, for the reason given; it is too long, code "import-too-long".
    """
    text = text.removeprefix("\ufeff").strip()  # a byte order mark, which editors of Windows write
    if len(text) > limits.JSON:
        message = f"The text has {len(text)} characters; a document may have {limits.JSON}."
        raise GraphError(Problem("import-too-long", message))
    if not text:
        raise GraphError(
            Problem("import-empty", "There is no text to open.", "Copy or choose a graph first.")
        )
    if text.startswith("{"):
        if code := notebook_code(text):
            return _written(lab, code)
        if is_tour(text):
            return go_to(lab, read_tour(text), 0)
        return opened(lab, from_json(text), "Open JSON")
    # The address of a page, with or without its host, has no spaces.
    is_address = len(text.split(maxsplit=1)) == 1 and _ADDRESS.search(text)
    return _linked(lab, text) if is_address else _written(lab, text)


def _linked(lab: Lab, address: str) -> Lab:
    """Open the graph of a link, or the tour of one that has no graph."""
    query = address.partition("?")[2].partition("#")[0]
    parameters = {key: values[-1] for key, values in parse_qs(query).items()}
    has_graph = bool({GRAPH, FORMULA}.intersection(parameters))
    if not has_graph and parameters.get(TOUR):
        tour = read_tour(document_of(parameters[TOUR]))
        return go_to(lab, tour, place_of(parameters, tour))
    if not has_graph and LESSON not in parameters:
        message = "This link holds no graph: nothing in it begins with 'g=' or 'f='."
        raise GraphError(Problem("link-empty", message, "Copy the whole address of a page with a graph."))
    linked = from_query(parameters)
    if linked.notice:  # an address of the page opens as far as it can; an import is whole or refused
        raise GraphError(linked.notice)
    after = opened(lab, linked.graph, "Open a link")
    if linked.pinned:
        present = after.history.present._replace(pinned=linked.pinned)
        after = replace(after, history=replace(after.history, present=present))
    if linked.tour:
        after = toured_at(after, linked.tour, linked.at)
    after = replace(
        after, seed=linked.seed, dtype=linked.dtype, ranges=linked.ranges, selected=linked.selected
    )
    if not has_graph:  # a lesson as it is
        after = replace(after, lesson=linked.lesson, variant=linked.variant, collapsed=linked.collapsed)
    return with_text(after, linked.history.present.text)


def _written(lab: Lab, text: str) -> Lab:
    """Open the graph of a formula."""
    try:
        graph = parse(text)
    except GraphError as error:
        if code_in(text):
            return _code(lab, text)
        # The parser's own error, in the first line of a text of another format, would mean little alone.
        message = "This is neither JSON nor a link, and as a formula it cannot be read."
        hint = "A graph opens from its JSON file, from a link to this page, or from formula text."
        raise GraphError((Problem("import-unknown", message, hint), *error.problems[:3])) from error
    return with_text(opened(lab, graph, "Open a formula"), text)


def _code(lab: Lab, text: str) -> Lab:
    """Open the graph of code.

    Raises:
      GraphError: nothing of it could be read.
    """
    reading = reading_of(text)
    if not reading.graph.nodes:
        first = reading.refused[0]
        where = f"line {first.line}: " if first.line else ""
        message = f"Nothing of this code can be read: {where}{unmarked(first.message)}"
        raise GraphError(Problem("import-unknown", message, unmarked(first.hint)))
    after = with_text(opened(lab, reading.graph, "Open code"), text)
    return replace(after, dtype=reading.dtype if reading.dtype in DTYPES else after.dtype)


def _new(lab: Lab, edit: NewGraph) -> Lab:
    """Open an empty graph; undo returns to the present one. No step from a graph that is empty already."""
    return opened(lab, Graph(), "New graph") if lab.graph.nodes or lab.lesson else lab


def jumped(lab: Lab, index: int) -> Lab:
    """Return the lab at another step of its history; unchanged if there is no such step."""
    return stepped(lab, jump(lab.history, index))


HANDLERS: Handlers = {
    NewGraph: _new,
    Undo: lambda lab, _: undone(lab),
    Redo: lambda lab, _: redone(lab),
    Jump: lambda lab, edit: jumped(lab, edit.index),
    Import: lambda lab, edit: imported(lab, edit.text),
    Kept: _kept,
    Restored: _restored,
}
