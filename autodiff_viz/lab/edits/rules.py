"""Edit rules, mutes, cuts and checkpoint regions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autodiff_viz.canvas.arrange import standing
from autodiff_viz.explain.plans.compute import Plan
from autodiff_viz.graph import edits
from autodiff_viz.graph.cuts import with_cuts
from autodiff_viz.graph.edits import frame_of, mended, mended_group, renamed_frame, with_members
from autodiff_viz.graph.frames import frame_problems
from autodiff_viz.graph.model import INPUT, Graph, Group, Region
from autodiff_viz.graph.mute import with_muted
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import listed, numbered
from autodiff_viz.lab.actions import set_function, set_policy, set_rules
from autodiff_viz.lab.edits.edit import Edit, Edits, mendable, names_of
from autodiff_viz.lab.state import Lab, committed, refused


def _checkpoint(lab: Lab, edit: Edit) -> Lab:
    """Put the nodes into a new checkpoint region."""
    names = names_of(edit["nodes"])
    name = numbered("block", {frame.name for frame in lab.graph.frames})
    graph = mendable(
        lambda: edits.with_region(lab.graph, Region(name, names)),
        lambda: mended(lab.graph, name, names),
        names,
        lambda whole: {"kind": "checkpoint", "nodes": sorted(whole)},
    )
    return committed(lab, graph, f"Checkpoint {name}")


def _uncheckpoint(lab: Lab, edit: Edit) -> Lab:
    """Remove a checkpoint region."""
    region = edit["region"]
    return committed(lab, edits.without_region(lab.graph, region), f"Remove the checkpoint {region}")


def _region(lab: Lab, edit: Edit) -> Lab:
    """Set the nodes of a region."""
    name, names = frame_of(lab.graph, edit["region"]).name, names_of(edit["nodes"])
    graph = mendable(
        lambda: with_members(lab.graph, {name: names}),
        lambda: mended(lab.graph, name, names),
        names,
        lambda whole: {"kind": "region", "region": name, "nodes": sorted(whole)},
    )
    return committed(lab, graph, f"Change the nodes of {name}")


def _regroup(lab: Lab, edit: Edit) -> Lab:
    """Set positions of dragged nodes, and put them into regions and groups or take them out."""
    positions = {str(name): (float(x), float(y)) for name, (x, y) in edit["positions"].items()}
    moved = edits.with_positions(lab.graph, {**standing(lab.graph), **positions})
    joins, leaves = _changes(lab.graph, edit["join"]), _changes(lab.graph, edit["leave"])
    members = {
        name: (frame_of(lab.graph, name).nodes | joins.get(name, frozenset())) - leaves.get(name, frozenset())
        for name in {**joins, **leaves}
    }

    def wider() -> frozenset[str] | None:
        """Return the smallest valid set, if the nodes join a single region or group."""
        if len(joins) != 1 or leaves:
            return None
        name = next(iter(joins))
        mend = mended_group if isinstance(frame_of(lab.graph, name), Group) else mended
        return mend(lab.graph, name, members[name])

    def again(whole: frozenset[str]) -> Edit:
        """Return the edit for a larger set of nodes."""
        name = next(iter(joins))
        join = {name: sorted(whole - frame_of(lab.graph, name).nodes)}
        return {"kind": "regroup", "positions": edit["positions"], "join": join, "leave": {}}

    whole = next(iter(members.values()), frozenset())
    graph = mendable(lambda: with_members(moved, members), wider, whole, again)
    return committed(lab, graph, _regrouped(positions, joins, leaves))


def _changes(graph: Graph, given: Any) -> dict[str, frozenset[str]]:
    """Return the nodes by the name of the region or group."""
    return {frame_of(graph, name).name: names_of(names) for name, names in given.items()}


def _regrouped(positions: dict[str, Any], joins: dict[str, Any], leaves: dict[str, Any]) -> str:
    """Return the label of the edit."""
    who = next(iter(positions)) if len(positions) == 1 else f"{len(positions)} nodes"
    where = [f"into {name}" for name in sorted(joins)] + [f"out of {name}" for name in sorted(leaves)]
    return f"Move {who} {listed(where) or 'on the canvas'}"


def _policy(lab: Lab, edit: Edit) -> Lab:
    """Set the policy of a checkpoint region."""
    return set_policy(lab, frame_of(lab.graph, edit["region"]).name, edit["policy"], names_of(edit["saved"]))


def _rename_region(lab: Lab, edit: Edit) -> Lab:
    """Rename a region or a group; a collapsed group stays collapsed."""
    old, new = frame_of(lab.graph, edit["region"]).name, str(edit["name"]).strip()
    after = committed(lab, renamed_frame(lab.graph, old, new), f"Rename {old} to {new}")
    return replace(after, collapsed=lab.collapsed | {new}) if old in lab.collapsed else after


def _mute(lab: Lab, edit: Edit) -> Lab:
    """Mute nodes, or unmute them."""
    names, on = [str(name) for name in edit["nodes"]], edit["on"] is True
    graph = with_muted(lab.graph, names, on)
    changed = [name for name in names if graph[name].muted != lab.graph[name].muted]
    where = changed[0] if len(changed) == 1 else f"{len(changed)} nodes"
    return committed(lab, graph, f"{'Mute' if on else 'Unmute'} {where}")


def _cut_after(lab: Lab, edit: Edit) -> Lab:
    """Put a cut after nodes, or remove it."""
    names, on = [str(name) for name in edit["nodes"]], edit["on"] is True
    graph = with_cuts(lab.graph, names, on)
    changed = [name for name in names if graph[name].cut != lab.graph[name].cut]
    where = changed[0] if len(changed) == 1 else f"{len(changed)} nodes"
    return committed(lab, graph, f"{'Cut' if on else 'Remove the cut'} after {where}")


EDITS: Edits = {
    "mute": _mute,
    "cut_after": _cut_after,
    "rules": lambda lab, edit: set_rules(lab, [str(name) for name in edit["nodes"]], edit["rule"]),
    "function": lambda lab, edit: set_function(lab, edit["node"], str(edit["text"])),
    "checkpoint": _checkpoint,
    "uncheckpoint": _uncheckpoint,
    "region": _region,
    "regroup": _regroup,
    "policy": _policy,
    "rename_region": _rename_region,
}


def take_plan(lab: Lab, plan: Plan, graph: Graph) -> Lab:
    """Give the lab's graph the regions of a plan, as one step of undo.

    Args:
      graph: what the plan is of. If other nodes run by now, nothing is changed and `notice` says so.
    """
    if _running(lab.graph) != _running(graph):
        message = "The graph has changed since these plans were found."
        return refused(lab, GraphError(Problem("other-graph", message, "Choose one of its new plans.")))
    after = replace(lab.graph, regions=plan.regions)
    if found := tuple(frame_problems(after)):
        return refused(lab, GraphError(found))
    return committed(lab, after, f"Take plan: {plan.name}")


def _running(graph: Graph) -> dict[str, bytes]:
    return {node.name: node.content for node in graph.nodes if node.op != INPUT}
