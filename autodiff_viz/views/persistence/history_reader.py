"""Decode the undo history that the browser stores as text, which is untrusted and fully checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from autodiff_viz.engine.training.mixed import LEAST, MOST
from autodiff_viz.graph import limits
from autodiff_viz.graph.edits.history import DTYPE, LOSS_SCALE, SHOWN_STEP, Entry, History, Pinned, Setting
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.registries.dtypes import DTYPES
from autodiff_viz.graph.serialization.codec import FORMAT, VERSION, to_json
from autodiff_viz.graph.size import size_of
from autodiff_viz.language.documents import from_json
from autodiff_viz.views.lab import LAST
from autodiff_viz.views.persistence.compressed_json import unsqueezed
from autodiff_viz.views.persistence.history_writer import Step, digest

EFFORT = 20_000  # limit of nodes in all decoded graphs together
LABEL = 200  # characters


def recalled(
    kept: Mapping[str, Any], graphs: Iterable[tuple[Graph, str | None]], pinned: Pinned | None = None
) -> History | None:
    """Decode the history of `kept`, a trail's data from outside; steps that cannot be read end it.

    Args:
      kept: the data, whose digest identifies its present graph.
      graphs: candidates for the present graph, each with its text; the first with that digest is taken.
      pinned: what is pinned beside the present graph.
    Returns:
      The history around that graph; None if no candidate has the digest.
    Raises:
      AttributeError, KeyError, TypeError, ValueError: `kept` is malformed.
    """
    at, steps = int(kept["at"]), kept["steps"]
    found = next(
        ((graph, text) for graph, text in graphs if digest(to_json(graph, None)) == kept["graph"]), None
    )
    if found is None:
        return None
    graph, text = found
    texts = digest(text or "") == kept["text"]
    own = unsqueezed(steps[str(at)])
    label = str(own["label"])[:LABEL]
    present = Entry(label, graph, text, pinned=pinned, setting=_setting(own), folds=_folds(own))
    pool = {node: node for node in graph.nodes}
    left = [EFFORT, limits.HISTORY_BYTES]
    past = _walk(steps, range(at - 1, -1, -1), present, texts, pool, left)
    future = _walk(steps, range(at + 1, at + 1 + len(steps)), present, texts, pool, left)
    return History(tuple(past[::-1]), present, tuple(future))


def _walk(
    steps: Mapping[str, str],
    numbers: Iterable[int],
    present: Entry,
    texts: bool,
    pool: dict[Node, Node],
    left: list[int],
) -> list[Entry]:
    """Decode the entries of these steps, each from the one before, until one is missing or unreadable."""
    found, entry = [], present
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
            label = str(step["label"])[:LABEL]
            entry = Entry(label, graph, text, pinned=pinned, setting=_setting(step), folds=_folds(step))
        except (AttributeError, KeyError, TypeError, ValueError):  # GraphError is a ValueError
            break
        found.append(entry)
    return found


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


def _setting(step: Step) -> Setting | None:
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


def _is_loss_scale(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and LEAST <= value <= MOST)


_IS_VALUE: Mapping[str, Callable[[Any], bool]] = {
    DTYPE: lambda value: isinstance(value, str) and value in DTYPES,
    LOSS_SCALE: _is_loss_scale,
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
