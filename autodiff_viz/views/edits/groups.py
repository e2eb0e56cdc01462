"""Edit groups: create, dissolve, collapse and expand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autodiff_viz.graph.edits.frame_edits import frame_of, mended_group, with_group, without_group
from autodiff_viz.graph.edits.history import undo
from autodiff_viz.graph.edits.node_edits import with_positions
from autodiff_viz.graph.model import Group
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.groups import free_title
from autodiff_viz.views.canvas.fixed_positions import pinned, standing
from autodiff_viz.views.edits.pieces import counted
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.edits.repairs import mendable, names_of
from autodiff_viz.views.lab import Lab, committed, stepped
from autodiff_viz.views.layout.placing import Point


def _group(lab: Lab, edit: Edit) -> Lab:
    """Put the nodes into a new group."""
    names, name = names_of(edit["nodes"]), free_title(lab.graph, "group")
    if not names:
        raise GraphError(Problem("no-nodes", "No node is selected.", "Select one or more nodes first."))
    graph = mendable(
        lambda: with_group(pinned(lab.graph), Group(name, names)),
        lambda: mended_group(lab.graph, name, names),
        names,
        lambda whole: {"kind": "group", "nodes": sorted(whole)},
    )
    opened = replace(lab, collapsed=lab.collapsed - {name})  # left over from a group of this name
    return committed(opened, graph, f"Group {counted(names)} as {name}")


def _ungroup(lab: Lab, edit: Edit) -> Lab:
    """Dissolve a group; its nodes stay. `positions` has other nodes that have made room for them."""
    name = frame_of(lab.graph, edit["group"]).name
    graph = with_positions(pinned(lab.graph), _positions(lab, edit))
    return committed(lab, without_group(graph, name), f"Ungroup {name}")


def _collapse(lab: Lab, edit: Edit) -> Lab:
    """Collapse or expand a group. It changes only the view, and is no step of the history.

    If nodes make room for those of the group, at the `positions` of the edit, it is a step. When such a group
    is collapsed they return to where they were.
    """
    name, on = frame_of(lab.graph, edit["group"]).name, edit["on"] is True
    kept = lab.collapsed | {name} if on else lab.collapsed - {name}
    positions = {} if on else _positions(lab, edit)
    if not on and not positions:
        return replace(lab, collapsed=kept, notice=())
    return _shut(lab, name, kept) if on else _moved(lab, positions, f"Open {name}", (name, False), kept)


def _positions(lab: Lab, edit: Edit) -> dict[str, Point]:
    """Return the new positions of nodes that make room."""
    given = {str(name): (float(x), float(y)) for name, (x, y) in edit.get("positions", {}).items()}
    return {name: at for name, at in given.items() if name in lab.graph}


def _moved(
    lab: Lab, positions: Mapping[str, Point], label: str, folds: tuple[str, bool], kept: frozenset[str]
) -> Lab:
    """Move nodes as one step, which says what it has done with a group."""
    after = committed(lab, with_positions(lab.graph, {**standing(lab.graph), **positions}), label)
    if after.history is not lab.history:
        present = after.history.present._replace(folds=folds)
        after = replace(after, history=replace(after.history, present=present))
    return replace(after, collapsed=kept, selected=lab.selected)


def _shut(lab: Lab, name: str, kept: frozenset[str]) -> Lab:
    """Collapse a group; what has made room for it returns, unless the graph has got other nodes since."""
    entries, now = lab.history.entries, len(lab.history.past)
    told = [i for i in range(now, 0, -1) if (entries[i].folds or ("",))[0] == name]
    at = told[0] if told and entries[told[0]].folds == (name, False) else 0
    if not at or entries[at].document != lab.document:
        return replace(lab, collapsed=kept, notice=())
    if at == now:
        return replace(stepped(lab, undo(lab.history)), selected=lab.selected)
    before, after, stand = standing(entries[at - 1].graph), standing(entries[at].graph), standing(lab.graph)
    back = {n: before[n] for n, place in after.items() if n in before and stand.get(n) == place != before[n]}
    if not back or stand.keys() - after.keys():
        return replace(lab, collapsed=kept, notice=())
    return _moved(lab, back, f"Collapse {name}", (name, True), kept)


EDITS: Edits = {"group": _group, "ungroup": _ungroup, "collapse": _collapse}
