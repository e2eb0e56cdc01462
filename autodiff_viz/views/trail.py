"""The history as compact text that the browser keeps: undo then outlives a reload and a restart of the
server, which both open the present graph alone, from the address. `recall.py` reads it.

A step is told by how it differs from its neighbour on the side of the present one, so the present graph
itself need not be there, and the oldest steps can go without the others. Steps are numbered from the first
that there ever was: an edit then changes the text of its neighbours alone, and only that travels.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from autodiff_viz.graph.codec import FORMAT, to_json
from autodiff_viz.graph.history import Entry, History
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.views.squeeze import squeezed

KEPT = 60_000  # characters of all steps together
ONE = 20_000  # characters of one step; what is larger ends the trail

Step = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Trail:
    """A history as text. `steps` are by number; `graph` and `text` are digests of the present step's own."""

    history: History
    graph: str
    text: str
    steps: Mapping[str, str]

    @property
    def data(self) -> dict[str, Any]:
        """As it travels."""
        at = self.history.forgotten + len(self.history.past)
        return {"at": at, "graph": self.graph, "text": self.text, "steps": dict(self.steps)}


def trail(history: History, last: Trail | None = None) -> Trail:
    """The history as text; what it has in common with the `last` one is not worked out again."""
    if last is not None and last.history is history:
        return last
    graph, text = history.present.graph, history.present.text
    same = last is not None and last.history.present is history.present
    digests = (last.graph, last.text) if same else (digest(to_json(graph, None)), digest(text or ""))
    return Trail(history, *digests, _steps(history, last))


def digest(text: str) -> str:
    return hashlib.blake2s(text.encode(), digest_size=6).hexdigest()


def _steps(history: History, last: Trail | None) -> dict[str, str]:
    """Those next to the present one first, as far as there is room."""
    entries, at, first = history.entries, len(history.past), history.forgotten
    found = {str(first + at): squeezed({"label": entries[at].label})}
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
    if last is None:
        return None
    i, entries = number - last.history.forgotten, last.history.entries
    was_past, beside = i < len(last.history.past), i + 1 if is_past else i - 1
    if not (0 <= i < len(entries) and 0 <= beside < len(entries)) or was_past != is_past:
        return None
    same = entries[i] is entry and entries[beside] is towards and i != len(last.history.past)
    return last.steps.get(str(number)) if same else None


def step_from(base: Entry, entry: Entry) -> Step:
    """What makes `entry` of `base`; what is the same is left out."""
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
    }
    return {key: value for key, value in step.items() if value not in ([], {}, None)}


def _is_moved(old: Node | None, new: Node) -> bool:
    """Whether it has another place and is else the same."""
    return old is not None and replace(old, position=new.position) == new


def _records(nodes: Iterable[Node]) -> list[Any]:
    return json.loads(to_json(Graph(tuple(nodes)), None))["nodes"]


def _rest(graph: Graph) -> dict[str, Any]:
    """All but the nodes."""
    document = json.loads(to_json(replace(graph, nodes=()), None))
    return {key: value for key, value in document.items() if key not in (FORMAT, "nodes")}


def _text_change(before: str, after: str | None) -> list[Any]:
    """[characters kept at the beginning, at the end, what stands between them]; [] for no text of its own."""
    if after is None:
        return [0, 0, None]
    most = min(len(before), len(after))
    head = next((i for i in range(most) if before[i] != after[i]), most)
    tail = next((i for i in range(most - head) if before[-1 - i] != after[-1 - i]), most - head)
    return [head, tail, after[head : len(after) - tail]]
