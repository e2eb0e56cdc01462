"""Edit the comparison: pin the present graph, flip between the two, go on without a rule or a region."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.graph import edits
from autodiff_viz.graph.history import OTHER, Entry, Pinned, push
from autodiff_viz.graph.model import Graph, Rule
from autodiff_viz.graph.mute import with_muted
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import KINDS
from autodiff_viz.graph.text import quoted
from autodiff_viz.lab.code import matching_text
from autodiff_viz.lab.edits.edit import Handlers
from autodiff_viz.lab.state import Lab, loss_of_text
from autodiff_viz.messages.edits import Flip, Pin, Unpin, Without


def pinned(lab: Lab) -> Lab:
    """Pin the present graph as A; the present one is B from now on."""
    if not lab.graph.nodes:
        raise GraphError(Problem("nothing-to-pin", "There is no graph to pin yet.", "Add a node first."))
    return _entered(lab, lab.graph, lab.history.present.text, "Pin as A", _as_a(lab))


def unpinned(lab: Lab) -> Lab:
    """Unpin: the present graph stays, the other is left to undo."""
    if lab.pinned is None:
        return lab
    return _entered(lab, lab.graph, lab.history.present.text, f"Unpin {lab.pinned.letter}", None)


def flipped(lab: Lab) -> Lab:
    """Exchange the present graph and the pinned one; each keeps its letter."""
    there = lab.pinned
    if there is None:
        return lab
    here = Pinned(lab.graph, lab.history.present.text, OTHER[there.letter])
    return _entered(lab, there.graph, there.text, f"Show {there.letter}", here)


def without(lab: Lab, edit: Without) -> Lab:
    """Pin the present graph as A, and go on as B without a rule, a mute or a checkpoint region."""
    graph, label = _WITHOUT[edit.what](lab.graph, edit.name)
    if graph == lab.graph:
        return lab
    before = lab.history.present.text
    text = matching_text(before, graph, lab.graph)
    return _entered(lab, graph, text, label + loss_of_text(before, text), _as_a(lab))


def both(lab: Lab) -> tuple[Graph, Graph]:
    """Return A and B of a lab with something pinned."""
    there = lab.pinned.graph
    return (there, lab.graph) if lab.pinned.letter == "A" else (lab.graph, there)


def _as_a(lab: Lab) -> Pinned:
    return Pinned(lab.graph, lab.history.present.text)


def _entered(lab: Lab, graph: Graph, text: str | None, label: str, beside: Pinned | None) -> Lab:
    """Make a graph with what is pinned beside it the present one, as a step of undo. A draft is shelved."""
    history = push(lab.history, Entry(label, graph, text, lab.history.present.document, beside))
    selected = lab.selected if lab.selected in graph else None
    rules = {} if graph is lab.graph else {"as_then": False}
    if graph is not lab.graph:
        rules |= {"draft": None, "mistakes": (), "shelved": lab.draft or lab.shelved}
    return replace(lab, history=history, notice=(), selected=selected, picked=(), typing=False, **rules)


def _without_rule(graph: Graph, name: str) -> tuple[Graph, str]:
    after = edits.with_rule(graph, name, Rule())
    return after, f"Without {KINDS[graph[name].rule.kind].label} at {name}"


def _without_mute(graph: Graph, name: str) -> tuple[Graph, str]:
    if name not in graph:
        raise GraphError(Problem("unknown-node", f"There is no node {quoted(name)}.", "Choose another."))
    return with_muted(graph, [name], False), f"Without mute at {name}"


def _without_region(graph: Graph, name: str) -> tuple[Graph, str]:
    return edits.without_region(graph, name), f"Without checkpoint {name}"


_WITHOUT = {"rule": _without_rule, "mute": _without_mute, "region": _without_region}

HANDLERS: Handlers = {
    Pin: lambda lab, _: pinned(lab),
    Unpin: lambda lab, _: unpinned(lab),
    Flip: lambda lab, _: flipped(lab),
    Without: without,
}
