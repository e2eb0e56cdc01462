"""Encode the undo history as text that the browser stores, and decode that text, which is untrusted.

Undo then outlives a reload and a restart of the server, which restore only the present graph, from the
address. A step is delta-encoded against its neighbour towards the present one, so that the present graph is
not part of the text, and the oldest steps can be dropped alone. Steps are numbered from the first one ever:
an edit then changes the text of its neighbours only, and only that is sent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from msgspec import ValidationError, convert

from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import FORMAT, VERSION, Reader, to_json
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.history import DTYPE, LOSS_SCALE, SHOWN_STEP, Entry, History, Pinned, Setting, Toured
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.size import size_of
from autodiff_viz.lab.persistence.json_text import squeezed, unsqueezed
from autodiff_viz.lab.state import LAST
from autodiff_viz.language.documents import from_json
from autodiff_viz.lessons.codec import tour_in, tour_to_json
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.tour import Tour, plain
from autodiff_viz.messages.edits import Trail as Kept
from autodiff_viz.training.state import LEAST, MOST

# Encode

KEPT = 60_000  # characters of all steps together
ONE = 20_000  # characters of one step; a longer one ends the trail

Step = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Trail:
    """History as text.

    Attributes:
      history: the history that was encoded.
      graph, text, tour: digests of the present graph, of its text and of the tour beside it.
      steps: text of each step by its number.
    """

    history: History
    graph: str
    text: str
    tour: str
    steps: Mapping[str, str]

    @property
    def data(self) -> dict[str, Any]:
        """The data that is sent."""
        at = self.history.forgotten + len(self.history.past)
        digests = {"graph": self.graph, "text": self.text, "tour": self.tour}
        return {"at": at, **digests, "steps": dict(self.steps)}


def trail(history: History, last: Trail | None = None) -> Trail:
    """Encode the history.

    Args:
      last: the previous trail, whose unchanged steps are reused.
    """
    if last is not None and last.history is history:
        return last
    graph, text, toured = history.present.graph, history.present.text, history.present.toured
    if last is not None and last.history.present is history.present:
        digests = (last.graph, last.text, last.tour)
    else:
        digests = (digest(to_json(graph, None)), digest(text or ""), _tour_digest(toured))
    return Trail(history, *digests, _steps(history, last))


def digest(text: str) -> str:
    """Return a digest of 12 hexadecimal digits."""
    return hashlib.blake2s(text.encode(), digest_size=6).hexdigest()


def _tour_digest(toured: Toured | None) -> str:
    """Return a digest of the tour, and of the step on view; "" without one."""
    return f"{_digest_of(toured.tour)}.{toured.at}" if toured else ""


@remembered(32)
def _digest_of(tour: Tour) -> str:
    return digest(tour_to_json(tour, None))


def _steps(history: History, last: Trail | None) -> dict[str, str]:
    """Encode the steps, those nearest to the present one first, within the limits of size."""
    entries, at, first = history.entries, len(history.past), history.forgotten
    present = {"label": entries[at].label, "folds": entries[at].folds, **_written_setting(entries[at])}
    texts = {str(first + at): squeezed({key: value for key, value in present.items() if value is not None})}
    room = KEPT  # undo comes first: redo gets what it leaves
    for way in (range(at - 1, -1, -1), range(at + 1, len(entries))):
        for i in way:
            towards = i + 1 if i < at else i - 1
            text = _known(last, first + i, entries[i], entries[towards], i < at)
            text = text or squeezed(step_from(entries[towards], entries[i]))
            room -= len(text)
            if len(text) > ONE or room < 0:  # the steps beyond are differences from this one
                break
            texts[str(first + i)] = text
    return {number: texts[number] for number in sorted(texts, key=int)}


def _known(last: Trail | None, number: int, entry: Entry, towards: Entry, is_past: bool) -> str | None:
    """Return the text of a step in the previous trail; None if the step or its neighbour differs."""
    if last is None:
        return None
    i, entries = number - last.history.forgotten, last.history.entries
    was_past, beside = i < len(last.history.past), i + 1 if is_past else i - 1
    if not (0 <= i < len(entries) and 0 <= beside < len(entries)) or was_past != is_past:
        return None
    # Of the step that was the present one only the label and the like are written: that is no difference.
    same = entries[i] is entry and entries[beside] is towards and i != len(last.history.past)
    return last.steps.get(str(number)) if same else None


def step_from(base: Entry, entry: Entry) -> Step:
    """Return the difference that turns `base` into `entry`, without fields that are the same."""
    old, new = base.graph.by_name, entry.graph.by_name
    names = [[node.name for node in graph.nodes] for graph in (base.graph, entry.graph)]
    changed = [node for node in entry.graph.nodes if old.get(node.name) != node]
    # Of a node that has only been moved, the place is enough.
    moved = {
        node.name: node.position
        for node in changed
        if node.name in old and replace(old[node.name], position=node.position) == node
    }
    written = Graph(tuple(node for node in changed if node.name not in moved))
    # New nodes come last, unless `order` says otherwise.
    usual = [*(name for name in names[0] if name in new), *(name for name in names[1] if name not in old)]
    rest = _rest(entry.graph)
    step: Step = {
        "label": entry.label,
        "gone": [name for name in names[0] if name not in new],
        "moved": moved,
        "set": json.loads(to_json(written, None))["nodes"],
        "order": [] if usual == names[1] else names[1],
        "rest": rest if rest != _rest(base.graph) else None,
        "text": None if entry.text == base.text else _text_change(base.text or "", entry.text),
        "pinned": None if entry.pinned == base.pinned else _pinned(base, entry.pinned),
        "folds": entry.folds,
        "toured": None if entry.toured == base.toured else _tour_change(base.toured, entry.toured),
        **_written_setting(entry),
    }
    return {key: value for key, value in step.items() if value not in ([], {}, None)}


def _written_setting(entry: Entry) -> Step:
    """Return the setting that a step changed, before and after it, by its name."""
    changed = entry.setting
    return {changed.name: [changed.before, changed.after]} if changed else {}


def _pinned(base: Entry, pinned: Pinned | None) -> Any:
    """Return what is pinned: false for nothing, only its letter if it is the graph of `base`."""
    if pinned is None:
        return False
    if pinned == Pinned(base.graph, base.text, pinned.letter):
        return {"letter": pinned.letter}
    document = json.loads(to_json(pinned.graph, None))
    return {"letter": pinned.letter, "graph": document, "text": pinned.text}


def _tour_change(base: Toured | None, toured: Toured | None) -> Any:
    """Return a tour as its difference from that of the neighbour: false for none.

    Of each step that the neighbour has it is the place there.
    """
    if toured is None:
        return False
    if base is not None and base.tour == toured.tour:
        return {"at": toured.at}
    known = base.tour.steps if base else ()
    document = json.loads(tour_to_json(toured.tour, None))
    steps = [
        known.index(step) if step in known else data
        for step, data in zip(toured.tour.steps, document.get("steps", []), strict=True)
    ]
    return {"at": toured.at, "tour": {**document, "steps": steps}}


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


# Decode

EFFORT = 20_000  # limit of nodes in all decoded graphs together
LABEL = 200  # characters


class MalformedTrail(ValueError):
    """Raised for a stored history whose present step cannot be read."""


def recalled(
    kept: Kept | Mapping[str, Any],
    graphs: Iterable[tuple[Graph, str | None]],
    pinned: Pinned | None = None,
    toured: Toured | None = None,
) -> History | None:
    """Decode the history of `kept`, a trail's data from outside; steps that cannot be read end it.

    Args:
      kept: the data, whose digest identifies its present graph.
      graphs: candidates for the present graph, each with its text; the first with that digest is taken.
      pinned: what is pinned beside the present graph.
      toured: the tour beside it.
    Returns:
      The history around that graph; None if no candidate has the digest.
    Raises:
      MalformedTrail: `kept` is malformed.
    """
    try:
        kept = convert(kept, Kept)
    except ValidationError as error:
        raise MalformedTrail from error
    at, steps = kept.at, kept.steps
    match = next(
        ((graph, text) for graph, text in graphs if digest(to_json(graph, None)) == kept.graph), None
    )
    if match is None:
        return None
    graph, text = match
    # Texts are differences too. Where the present one is another, all that follow from it are left out.
    texts = digest(text or "") == kept.text
    tours = _tour_digest(toured) == kept.tour
    try:
        own = unsqueezed(steps[str(at)])
        label, setting, folds = str(own["label"])[:LABEL], _read_setting(own), _folds(own)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise MalformedTrail from error
    present = Entry(label, graph, text, pinned=pinned, setting=setting, folds=folds, toured=toured)
    pool = {node: node for node in graph.nodes}
    left = [EFFORT, limits.HISTORY_BYTES]  # what past and future may take together, counted down
    past = _walk(steps, range(at - 1, -1, -1), present, (texts, tours), pool, left)
    future = _walk(steps, range(at + 1, at + 1 + len(steps)), present, (texts, tours), pool, left)
    return History(tuple(past[::-1]), present, tuple(future))


def _walk(
    steps: Mapping[str, str],
    numbers: Iterable[int],
    present: Entry,
    differ: tuple[bool, bool],
    pool: dict[Node, Node],
    left: list[int],
) -> list[Entry]:
    """Decode the entries of these steps, each from the one before, until one is missing or unreadable.

    Args:
      differ: whether the differences of texts, and those of tours, are from those of `present`.
    """
    texts, tours = differ
    entries, entry = [], present
    document = json.loads(to_json(present.graph, None))
    for number in numbers:
        try:
            step = unsqueezed(steps[str(number)])
            document = changed(document, step)
            left[0] -= len(document["nodes"])
            if left[0] < 0:
                break
            graph = _shared(from_json(json.dumps(document)), pool)
            left[1] -= size_of(graph)
            if left[1] < 0:
                break
            text = _changed_text(entry.text, step.get("text")) if texts else None
            pinned = _changed_pinned(entry, step.get("pinned"), pool)
            toured = _changed_toured(entry.toured, step.get("toured"), left) if tours else entry.toured
            label, setting, folds = str(step["label"])[:LABEL], _read_setting(step), _folds(step)
            entry = Entry(label, graph, text, pinned=pinned, setting=setting, folds=folds, toured=toured)
        except (AttributeError, KeyError, TypeError, ValueError):  # GraphError is a ValueError
            break
        entries.append(entry)
    return entries


def changed(document: dict[str, Any], step: Step) -> dict[str, Any]:
    """Apply the difference of a step to the document of its neighbour."""
    nodes = {node["name"]: node for node in document["nodes"]}
    for name in step.get("gone", ()):
        del nodes[name]
    nodes |= {node["name"]: node for node in step.get("set", ())}
    for name, place in step.get("moved", {}).items():
        unplaced = {key: value for key, value in nodes[name].items() if key != "position"}
        nodes[name] = unplaced if place is None else {**unplaced, "position": place}
    order = step.get("order") or list(nodes)
    rest = step.get("rest") or {key: value for key, value in document.items() if key not in (FORMAT, "nodes")}
    return {**rest, FORMAT: VERSION, "nodes": [nodes[name] for name in order]}


def _read_setting(step: Step) -> Setting | None:
    """Return the change of a setting that a step made; None for none.

    Raises:
      TypeError, ValueError: it is malformed.
    """
    name = next((name for name in _IS_VALUE if name in step), None)
    if name is None:
        return None
    before, after = step[name]
    if not (_IS_VALUE[name](before) and _IS_VALUE[name](after)):
        raise ValueError(f"no such {name}")
    return Setting(name, before, after)


_IS_VALUE: Mapping[str, Callable[[Any], bool]] = {
    DTYPE: lambda value: isinstance(value, str) and value in DTYPES,
    LOSS_SCALE: lambda value: value is None or (type(value) in (int, float) and LEAST <= value <= MOST),
    SHOWN_STEP: lambda value: value is None or (type(value) is int and LAST <= value <= limits.STEPS),
}
"""By setting, whether something from outside is a value of it."""


def _changed_pinned(base: Entry, change: Any, pool: dict[Node, Node]) -> Pinned | None:
    """Apply the difference of a step to what is pinned beside its neighbour.

    Raises:
      KeyError, TypeError, ValueError: the difference is malformed.
    """
    if change is None:
        return base.pinned
    if change is False:
        return None
    letter = change["letter"]
    if letter not in ("A", "B"):
        raise ValueError(letter)
    if "graph" not in change:
        return Pinned(base.graph, base.text, letter)
    text = change["text"]
    if text is not None and not isinstance(text, str):
        raise TypeError(text)
    return Pinned(_shared(from_json(json.dumps(change["graph"])), pool), text, letter)


def _changed_toured(base: Toured | None, change: Any, left: list[int]) -> Toured | None:
    """Apply the difference of a step to the tour beside its neighbour; its new graphs take room of `left`.

    Raises:
      AttributeError, KeyError, TypeError, ValueError: the difference is malformed.
    """
    if change is None:
        return base
    if change is False:
        return None
    at = change["at"]
    if type(at) is not int or not 0 <= at < limits.TOUR_STEPS:
        raise ValueError(at)
    if "tour" not in change:
        return base._replace(at=min(at, max(0, len(base.tour.steps) - 1)))
    known = base.tour.steps if base else ()
    places = change["tour"]["steps"]
    if len(places) > limits.TOUR_STEPS or any(type(p) is int and not 0 <= p < len(known) for p in places):
        raise ValueError(places)
    document = {**change["tour"], "steps": [place for place in places if type(place) is not int]}
    tour = plain(tour_in(Reader(document, "$")))
    left[0] -= sum(len(graph_of(step).nodes) for step in tour.steps)
    new = iter(tour.steps)
    steps = tuple(known[place] if type(place) is int else next(new) for place in places)
    return Toured(replace(tour, steps=steps), min(at, max(0, len(steps) - 1)))


def _folds(step: Step) -> tuple[str, bool] | None:
    """Return the group that a step collapsed or opened.

    Raises:
      TypeError, ValueError: it is malformed.
    """
    if step.get("folds") is None:
        return None
    name, on = step["folds"]
    return str(name), on is True


def _shared(graph: Graph, pool: dict[Node, Node]) -> Graph:
    """Replace the graph's nodes by equal ones of the pool, so that hundreds of steps share their nodes."""
    return replace(graph, nodes=tuple(pool.setdefault(node, node) for node in graph.nodes))


def _changed_text(before: str | None, change: Any) -> str | None:
    """Apply the difference of a step to the text of its neighbour.

    Raises:
      TypeError, ValueError: the difference is malformed.
    """
    if change is None:
        return before
    head, tail, between = change
    if between is None:
        return None
    before = before or ""
    if type(head) is not int or type(tail) is not int or min(head, tail) < 0 or head + tail > len(before):
        raise ValueError(change)
    return before[:head] + str(between) + before[len(before) - tail :]
