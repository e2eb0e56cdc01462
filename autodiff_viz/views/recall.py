"""The history that the browser has kept as text, read back. It comes from outside: all of it is checked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from autodiff_viz.graph.codec import FORMAT, VERSION, to_json
from autodiff_viz.graph.history import Entry, History
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.language.documents import from_json
from autodiff_viz.views.squeeze import unsqueezed
from autodiff_viz.views.trail import Step, digest

EFFORT = 20_000  # nodes in all graphs that are read back
LABEL = 200  # characters


def recalled(kept: Mapping[str, Any], graphs: Iterable[tuple[Graph, str | None]]) -> History | None:
    """The history of `kept`, which is a trail's data from outside, around the first of `graphs` (each with
    its text) that is its present one; None when none is. Steps that cannot be read end it.

    Raises:
      AttributeError, KeyError, TypeError, ValueError: it is not made as a trail's data is.
    """
    at, steps = int(kept["at"]), kept["steps"]
    found = next(
        ((graph, text) for graph, text in graphs if digest(to_json(graph, None)) == kept["graph"]), None
    )
    if found is None:
        return None
    graph, text = found
    texts = digest(text or "") == kept["text"]
    label = str(unsqueezed(steps[str(at)])["label"])
    present = Entry(label[:LABEL], graph, text)
    pool = {node: node for node in graph.nodes}
    left = [EFFORT]
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
    """The entries of these steps, each made of the one before, until one is missing or cannot be read."""
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
            text = _changed_text(entry.text, step.get("text")) if texts else None
            entry = Entry(str(step["label"])[:LABEL], graph, text)
        except (AttributeError, KeyError, TypeError, ValueError):  # GraphError too
            break
        found.append(entry)
    return found


def changed(document: dict[str, Any], step: Step) -> dict[str, Any]:
    """The document of a step, made of its neighbour's."""
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


def _shared(graph: Graph, pool: dict[Node, Node]) -> Graph:
    """The same graph, of the nodes that other steps have already: hundreds then take little memory."""
    return replace(graph, nodes=tuple(pool.setdefault(node, node) for node in graph.nodes))


def _changed_text(before: str | None, change: Any) -> str | None:
    if change is None:
        return before
    head, tail, between = change
    if between is None:
        return None
    before = before or ""
    if type(head) is not int or type(tail) is not int or min(head, tail) < 0 or head + tail > len(before):
        raise ValueError(change)
    return before[:head] + str(between) + before[len(before) - tail :]
