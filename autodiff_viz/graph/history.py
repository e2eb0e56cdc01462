"""Undo and redo: graphs with what was done to get to each, as frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Graph


class Entry(NamedTuple):
    """A graph and the edit that led to it, in a few words for the undo list.

    `text` is the formula as its author wrote it, where that is not how the graph would be written anyway.
    `document` is the number of the document that the graph is a state of: opening another one is a step too.
    """

    label: str
    graph: Graph
    text: str | None = None
    document: int = 0


@dataclass(frozen=True, slots=True)
class History:
    """The present graph between those before it, oldest first, and those undone, next one first. `forgotten`
    are the entries before the oldest, of which there are too many to be kept."""

    past: tuple[Entry, ...]
    present: Entry
    future: tuple[Entry, ...]
    forgotten: int = 0

    @property
    def graph(self) -> Graph:
        return self.present.graph

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first; the present one is at index `len(past)`."""
        return (*self.past, self.present, *self.future)

    @property
    def can_undo(self) -> bool:
        return bool(self.past)

    @property
    def can_redo(self) -> bool:
        return bool(self.future)


def begin(graph: Graph, label: str = "Start") -> History:
    """A history with nothing to undo."""
    return History((), Entry(label, graph), ())


def commit(history: History, graph: Graph, label: str, text: str | None = None) -> History:
    """Make `graph` the present; what was undone is gone. The same history when nothing changed.

    Positions are part of a node, so a move counts as a change. Keeps the last `limits.HISTORY` steps.
    """
    if graph == history.graph:
        return history
    return push(history, Entry(label, graph, text, history.present.document))


def push(history: History, entry: Entry) -> History:
    """Make `entry` the present, whatever it holds."""
    past = (*history.past, history.present)
    over = max(len(past) - limits.HISTORY, 0)
    return History(past[over:], entry, (), history.forgotten + over)


def undo(history: History) -> History:
    """One step back; the same history at its beginning."""
    return jump(history, len(history.past) - 1)


def redo(history: History) -> History:
    """One step forward again; the same history at its end."""
    return jump(history, len(history.past) + 1)


def jump(history: History, index: int) -> History:
    """Make `entries[index]` the present; the same history when there is no such entry."""
    entries = history.entries
    if not 0 <= index < len(entries):
        return history
    return History(entries[:index], entries[index], entries[index + 1 :], history.forgotten)
