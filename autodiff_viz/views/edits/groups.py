"""Edits of groups: create, dissolve, collapse and expand."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.graph.frame_edits import frame_of, mended_group, with_group, without_group
from autodiff_viz.graph.groups import free_title
from autodiff_viz.graph.model import Group
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.views.edits.fixed_positions import pinned
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.edits.repairs import mendable, names_of
from autodiff_viz.views.lab import Lab, committed


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
    return committed(opened, graph, f"Make {name}")


def _ungroup(lab: Lab, edit: Edit) -> Lab:
    """Dissolve a group; its nodes stay."""
    name = frame_of(lab.graph, edit["group"]).name
    return committed(lab, without_group(pinned(lab.graph), name), f"Ungroup {name}")


def _collapse(lab: Lab, edit: Edit) -> Lab:
    """Collapse or expand a group. It changes only the view, and is no step of the history."""
    name = frame_of(lab.graph, edit["group"]).name
    kept = lab.collapsed | {name} if edit["on"] is True else lab.collapsed - {name}
    return replace(lab, collapsed=kept, notice=())


EDITS: Edits = {"group": _group, "ungroup": _ungroup, "collapse": _collapse}
