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
from autodiff_viz.lab.asking import hiding
from autodiff_viz.lab.code import matching_text
from autodiff_viz.lab.edits.edit import Handlers
from autodiff_viz.lab.state import Lab, loss_of_text
from autodiff_viz.messages.edits import Flip, Pin, Unpin, Without

HIDDEN = "Numbers are hidden while they are asked for."


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
    shown = lab.pinned
    if shown is None:
        return lab
    beside = Pinned(lab.graph, lab.history.present.text, OTHER[shown.letter])
    return _entered(lab, shown.graph, shown.text, f"Show {shown.letter}", beside)


def without(lab: Lab, edit: Without) -> Lab:
    """Pin the present graph as A, and go on as B without a rule, a mute or a checkpoint region.

    Raises:
      GraphError: code "hidden", while a question hides numbers: the other graph would tell them.
    """
    name = edit.name
    if hiding(lab):
        raise GraphError(Problem("hidden", HIDDEN, "Answer first, then compare.", name))
    if edit.what == "region":
        graph, label = edits.without_region(lab.graph, name), f"Without checkpoint {name}"
    elif edit.what == "mute":
        if name not in lab.graph:  # the other two refuse an unknown name themselves
            raise GraphError(Problem("unknown-node", f"There is no node {quoted(name)}.", "Choose another."))
        graph, label = with_muted(lab.graph, [name], False), f"Without mute at {name}"
    else:
        graph = edits.with_rule(lab.graph, name, Rule())
        label = f"Without {KINDS[lab.graph[name].rule.kind].label} at {name}"
    if graph == lab.graph:
        return lab
    before = lab.history.present.text
    text = matching_text(before, graph, lab.graph)
    return _entered(lab, graph, text, label + loss_of_text(before, text), _as_a(lab))


def both(lab: Lab) -> tuple[Graph, Graph]:
    """Return A and B of a lab with something pinned."""
    beside = lab.pinned.graph
    return (beside, lab.graph) if lab.pinned.letter == "A" else (lab.graph, beside)


def _as_a(lab: Lab) -> Pinned:
    return Pinned(lab.graph, lab.history.present.text)


def _entered(lab: Lab, graph: Graph, text: str | None, label: str, beside: Pinned | None) -> Lab:
    """Make a graph with what is pinned beside it the present one, as a step of undo. A draft is shelved."""
    now = lab.history.present
    history = push(lab.history, Entry(label, graph, text, now.document, beside, toured=now.toured))
    selected = lab.selected if lab.selected in graph else None
    after = replace(lab, history=history, notice=(), selected=selected, picked=(), typing=False)
    if (
        graph is lab.graph
    ):  # only what is pinned has changed: the draft and the step on view are of this graph
        return after
    return replace(after, as_then=False, draft=None, mistakes=(), shelved=lab.draft or lab.shelved)


HANDLERS: Handlers = {
    Pin: lambda lab, _: pinned(lab),
    Unpin: lambda lab, _: unpinned(lab),
    Flip: lambda lab, _: flipped(lab),
    Without: without,
}
