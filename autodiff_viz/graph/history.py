"""Undo and redo: keep graphs as frozen data, each with the edit that led to it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.size import size_of


class Pinned(NamedTuple):
    """A graph that is kept beside the present one, for comparison.

    Attributes:
      graph: the graph.
      text: its formula as its author wrote it, if that differs from the canonical text.
      letter: "A" or "B": which of the two it is; the present graph is the other.
    """

    graph: Graph
    text: str | None = None
    letter: str = "A"


class Toured(NamedTuple):
    """The visitor's tour as it is at a place of the history.

    Attributes:
      tour: a `Tour` of `lessons/tour.py`; this folder knows that it has `steps`, each with a `size`.
      at: index of the step that was opened or added last.
    """

    tour: Any
    at: int = 0


DTYPE, LOSS_SCALE, SHOWN_STEP = "dtype", "loss_scale", "step"


class Setting(NamedTuple):
    """A setting beside the graph that a step of undo has changed, before and after.

    It is `DTYPE`, `LOSS_SCALE` or `SHOWN_STEP`, the step of the training that is on view.
    """

    name: str
    before: Any
    after: Any


class Entry(NamedTuple):
    """A graph and the edit that led to it.

    Attributes:
      label: the edit in a few words, for the undo list.
      graph: the graph after the edit.
      text: the formula as its author wrote it, if it differs from the canonical text.
      document: number of the document that the graph is a state of, since opening another one is a step too.
      pinned: the graph that it is compared with.
      setting: a setting that the edit changed, which undo changes back.
      folds: (name of a group, whether collapsed) if the edit collapsed or opened a group and moved what is
        around it; None for any other edit.
      toured: the visitor's tour, if there is one.
    """

    label: str
    graph: Graph
    text: str | None = None
    document: int = 0
    pinned: Pinned | None = None
    setting: Setting | None = None
    folds: tuple[str, bool] | None = None
    toured: Toured | None = None


@dataclass(frozen=True, slots=True)
class History:
    """Undo history: the present entry between past and undone ones.

    Attributes:
      past: entries before the present one, oldest first.
      present: the entry on view.
      future: undone entries, next one first.
      forgotten: number of entries older than those of `past`, dropped beyond `limits.HISTORY` or
        `limits.HISTORY_BYTES`.
      held: the bytes that all entries hold besides the last one, roughly; None if they have not been counted.
    """

    past: tuple[Entry, ...]
    present: Entry
    future: tuple[Entry, ...]
    forgotten: int = 0
    held: int | None = None

    @property
    def graph(self) -> Graph:
        """The present graph."""
        return self.present.graph

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first; the present one is at index `len(past)`."""
        return (*self.past, self.present, *self.future)

    @property
    def can_undo(self) -> bool:
        """Whether there is a past entry."""
        return bool(self.past)

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone entry."""
        return bool(self.future)


def begin(graph: Graph, label: str = "Start") -> History:
    """Return a history with nothing to undo."""
    return History((), Entry(label, graph), ())


def commit(history: History, graph: Graph, label: str, text: str | None = None) -> History:
    """Make `graph` the present and drop the undone entries; returns the same history when nothing changed.

    Positions are part of a node, so a move counts as a change. Keeps the last steps, as `newest` says.
    """
    if graph == history.graph:
        return history
    present = history.present
    entry = Entry(label, graph, text, present.document, present.pinned, toured=present.toured)
    return push(history, entry)


def push(history: History, entry: Entry) -> History:
    """Make `entry` the present, even if nothing changed.

    Where the steps take too much memory the oldest are dropped, and the label of `entry` says so.
    """
    known = _held(history.entries) if history.held is None else history.held
    # An edit must not walk all steps: what they hold is carried along, and what is dropped is taken off it.
    held = known - _held((history.present, *history.future)) + _held((history.present, entry))
    past = (*history.past, history.present)
    over = 0
    while len(past) - over > limits.HISTORY or (held > limits.HISTORY_BYTES and over < len(past)):
        held -= _held((*past, entry)[over : over + 2])
        over += 1
    if over and len(past) - over < limits.HISTORY:
        entry = entry._replace(label=entry.label + DROPPED)
    return History(past[over:], entry, (), history.forgotten + over, held)


DROPPED = "; the oldest steps are no longer kept"
"""End of the label of a step for which older ones were dropped before they were `limits.HISTORY`."""


def newest(past: tuple[Entry, ...], present: Entry) -> tuple[Entry, ...]:
    """Return the last of these entries, as many as are kept beside the present one."""
    past = past[-limits.HISTORY :]
    room = limits.HISTORY_BYTES
    for kept, pair in enumerate(pairwise((present, *reversed(past)))):
        room -= _held(pair[::-1])
        if room < 0:
            return past[len(past) - kept :]
    return past


STEP = 16_000
"""Bytes of a step without its nodes and its text: 2,000 places for nodes."""


def _held(entries: tuple[Entry, ...]) -> int:
    """Return the bytes that entries in a row hold besides the last one: of each, what the next lacks.

    What comes back later counts once more, so the sum is rather too large.
    """
    held = 0
    for entry, after in pairwise(entries):
        parts = _parts(entry)
        own = [parts[part] for part in parts.keys() - _parts(after).keys()]
        held += STEP + sum(map(_size, own))
    return held


def _size(part: Any) -> int:
    """Return the bytes of a text, of a node, or of a step of a tour."""
    if isinstance(part, str):
        return len(part)
    return size_of(part) if isinstance(part, Node) else part.size


def _parts(entry: Entry) -> dict[int, Any]:
    """Return the objects of an entry that entries can share, by their ids."""
    parts: list[Any] = [*entry.graph.nodes]
    if entry.text:
        parts.append(entry.text)
    if entry.pinned:
        parts += [*entry.pinned.graph.nodes, entry.pinned.text or ""]
    if entry.toured:
        parts += entry.toured.tour.steps
    return dict(zip(map(id, parts), parts, strict=True))


def settings_between(then: History, now: History) -> dict[str, Any]:
    """Return the settings that change between two places of a history, with their new values."""
    start, end, entries = len(then.past), len(now.past), now.entries
    if end < start:
        crossed = [entry.setting for entry in entries[end + 1 : start + 1]]
        return {each.name: each.before for each in reversed(crossed) if each}
    crossed = [entry.setting for entry in entries[start + 1 : end + 1]]
    return {each.name: each.after for each in crossed if each}


def undo(history: History) -> History:
    """Go one step back; returns the same history at its beginning."""
    return jump(history, len(history.past) - 1)


def redo(history: History) -> History:
    """Go one step forward; returns the same history at its end."""
    return jump(history, len(history.past) + 1)


def jump(history: History, index: int) -> History:
    """Make `entries[index]` the present; returns the same history when there is no such entry."""
    entries = history.entries
    if not 0 <= index < len(entries):
        return history
    return History(entries[:index], entries[index], entries[index + 1 :], history.forgotten, history.held)


OTHER = {"A": "B", "B": "A"}
