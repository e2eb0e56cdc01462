"""Encode the undo history as compact text that the browser stores. `history_reader.py` decodes it.

Undo then outlives a reload and a restart of the server, which restore only the present graph, from the
address. A step is delta-encoded against its neighbour towards the present one, so that the present graph is
not part of the text, and the oldest steps can be dropped alone. Steps are numbered from the first one ever:
an edit then changes the text of its neighbours only, and only that is sent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from autodiff_viz.graph.edits.history import Entry, History, Pinned
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.serialization.codec import FORMAT, to_json
from autodiff_viz.views.persistence.compressed_json import squeezed

KEPT = 60_000  # characters of all steps together
ONE = 20_000  # characters of one step; a longer one ends the trail

Step = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Trail:
    """History as text.

    Attributes:
      history: the history that was encoded.
      graph, text: digests of the present graph and of its text.
      steps: text of each step by its number.
    """

    history: History
    graph: str
    text: str
    steps: Mapping[str, str]

    @property
    def data(self) -> dict[str, Any]:
        """The data that is sent."""
        at = self.history.forgotten + len(self.history.past)
        return {"at": at, "graph": self.graph, "text": self.text, "steps": dict(self.steps)}


def trail(history: History, last: Trail | None = None) -> Trail:
    """Encode the history.

    Args:
      last: the previous trail, whose unchanged steps are reused.
    """
    if last is not None and last.history is history:
        return last
    graph, text = history.present.graph, history.present.text
    same = last is not None and last.history.present is history.present
    digests = (last.graph, last.text) if same else (digest(to_json(graph, None)), digest(text or ""))
    return Trail(history, *digests, _steps(history, last))


def digest(text: str) -> str:
    """Return a digest of 12 hexadecimal digits."""
    return hashlib.blake2s(text.encode(), digest_size=6).hexdigest()


def _steps(history: History, last: Trail | None) -> dict[str, str]:
    """Encode the steps, those nearest to the present one first, within the limits of size."""
    entries, at, first = history.entries, len(history.past), history.forgotten
    here = {"label": entries[at].label, "folds": entries[at].folds, **_setting(entries[at])}
    found = {str(first + at): squeezed({key: value for key, value in here.items() if value is not None})}
    room = KEPT
    for way in (range(at - 1, -1, -1), range(at + 1, len(entries))):
        for i in way:
            towards = i + 1 if i < at else i - 1
            text = _known(last, first + i, entries[i], entries[towards], i < at)
            text = text or squeezed(step_from(entries[towards], entries[i]))
            room -= len(text)
            if len(text) > ONE or room < 0:
                break
            found[str(first + i)] = text
    return {number: found[number] for number in sorted(found, key=int)}


def _known(last: Trail | None, number: int, entry: Entry, towards: Entry, is_past: bool) -> str | None:
    """Return the text of a step in the previous trail; None if the step or its neighbour differs."""
    if last is None:
        return None
    i, entries = number - last.history.forgotten, last.history.entries
    was_past, beside = i < len(last.history.past), i + 1 if is_past else i - 1
    if not (0 <= i < len(entries) and 0 <= beside < len(entries)) or was_past != is_past:
        return None
    same = entries[i] is entry and entries[beside] is towards and i != len(last.history.past)
    return last.steps.get(str(number)) if same else None


def step_from(base: Entry, entry: Entry) -> Step:
    """Return the difference that turns `base` into `entry`, without fields that are the same."""
    old, new = base.graph.by_name, entry.graph.by_name
    names = [[node.name for node in graph.nodes] for graph in (base.graph, entry.graph)]
    changed = [node for node in entry.graph.nodes if old.get(node.name) != node]
    moved = {node.name: node.position for node in changed if _is_moved(old.get(node.name), node)}
    usual = [*(name for name in names[0] if name in new), *(name for name in names[1] if name not in old)]
    rest = _rest(entry.graph)
    step: Step = {
        "label": entry.label,
        "gone": [name for name in names[0] if name not in new],
        "moved": moved,
        "set": _records(node for node in changed if node.name not in moved),
        "order": [] if usual == names[1] else names[1],
        "rest": rest if rest != _rest(base.graph) else None,
        "text": None if entry.text == base.text else _text_change(base.text or "", entry.text),
        "pinned": None if entry.pinned == base.pinned else _pinned(base, entry.pinned),
        "folds": entry.folds,
        **_setting(entry),
    }
    return {key: value for key, value in step.items() if value not in ([], {}, None)}


def _setting(entry: Entry) -> Step:
    """Return the setting that a step changed, before and after it, by its name."""
    found = entry.setting
    return {found.name: [found.before, found.after]} if found else {}


def _pinned(base: Entry, pinned: Pinned | None) -> Any:
    """Return what is pinned: false for nothing, only its letter if it is the graph of `base`."""
    if pinned is None:
        return False
    if pinned == Pinned(base.graph, base.text, pinned.letter):
        return {"letter": pinned.letter}
    document = json.loads(to_json(pinned.graph, None))
    return {"letter": pinned.letter, "graph": document, "text": pinned.text}


def _is_moved(old: Node | None, new: Node) -> bool:
    """Return whether only the node's position differs."""
    return old is not None and replace(old, position=new.position) == new


def _records(nodes: Iterable[Node]) -> list[Any]:
    """Return nodes as JSON data."""
    return json.loads(to_json(Graph(tuple(nodes)), None))["nodes"]


def _rest(graph: Graph) -> dict[str, Any]:
    """Return a graph's JSON data without the nodes."""
    document = json.loads(to_json(replace(graph, nodes=()), None))
    return {key: value for key, value in document.items() if key not in (FORMAT, "nodes")}


def _text_change(before: str, after: str | None) -> list[Any]:
    """Return [characters kept at the start, at the end, text between them].

    The text between is None if `after` is.
    """
    if after is None:
        return [0, 0, None]
    most = min(len(before), len(after))
    head = next((i for i in range(most) if before[i] != after[i]), most)
    tail = next((i for i in range(most - head) if before[-1 - i] != after[-1 - i]), most - head)
    return [head, tail, after[head : len(after) - tail]]
