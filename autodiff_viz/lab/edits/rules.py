"""Edit rules, mutes, cuts and checkpoint regions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autodiff_viz.canvas.arrange import standing
from autodiff_viz.explain.plans.compute import Plan
from autodiff_viz.graph import edits
from autodiff_viz.graph.cuts import with_cuts
from autodiff_viz.graph.edits import frame_of, mended, mended_group, renamed_frame, with_members
from autodiff_viz.graph.frames import frame_problems
from autodiff_viz.graph.model import INPUT, Graph, Group, Region
from autodiff_viz.graph.mute import with_muted
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import KINDS
from autodiff_viz.graph.text import listed, numbered
from autodiff_viz.lab.actions import set_function, set_policy, set_rules
from autodiff_viz.lab.edits.edit import Handlers, check_nodes, mendable, unreadable
from autodiff_viz.lab.state import Lab, committed, refused
from autodiff_viz.messages.edits import (
    Checkpoint,
    CutAfter,
    Function,
    Mute,
    Policy,
    Regroup,
    RenameRegion,
    Rules,
    SetRegion,
    Uncheckpoint,
)


def _checkpoint(lab: Lab, edit: Checkpoint) -> Lab:
    """Put the nodes into a new checkpoint region."""
    names = frozenset(edit.nodes)
    name = numbered("block", {frame.name for frame in lab.graph.frames})
    graph = mendable(
        lambda: edits.with_region(lab.graph, Region(name, names)),
        lambda: mended(lab.graph, name, names),
        names,
        lambda whole: Checkpoint(nodes=sorted(whole)),
    )
    return committed(lab, graph, f"Checkpoint {name}")


def _uncheckpoint(lab: Lab, edit: Uncheckpoint) -> Lab:
    """Remove a checkpoint region."""
    graph = edits.without_region(lab.graph, edit.region)
    return committed(lab, graph, f"Remove the checkpoint {edit.region}")


def _region(lab: Lab, edit: SetRegion) -> Lab:
    """Set the nodes of a region."""
    name, names = frame_of(lab.graph, edit.region).name, frozenset(edit.nodes)
    graph = mendable(
        lambda: with_members(lab.graph, {name: names}),
        lambda: mended(lab.graph, name, names),
        names,
        lambda whole: SetRegion(region=name, nodes=sorted(whole)),
    )
    return committed(lab, graph, f"Change the nodes of {name}")


def _regroup(lab: Lab, edit: Regroup) -> Lab:
    """Set positions of dragged nodes, and put them into regions and groups or take them out."""
    moved = edits.with_positions(lab.graph, {**standing(lab.graph), **edit.positions})
    joins, leaves = _changes(lab.graph, edit.join), _changes(lab.graph, edit.leave)
    # A node may leave one frame and join another within one drag; all frames change together or none does.
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

    def again(whole: frozenset[str]) -> Regroup:
        """Return the edit for a larger set of nodes."""
        name = next(iter(joins))
        join = {name: sorted(whole - frame_of(lab.graph, name).nodes)}
        return Regroup(positions=edit.positions, join=join, leave={})

    names = next(iter(members.values()), frozenset())
    graph = mendable(lambda: with_members(moved, members), wider, names, again)
    positions = edit.positions
    who = next(iter(positions)) if len(positions) == 1 else f"{len(positions)} nodes"
    where = [f"into {name}" for name in sorted(joins)] + [f"out of {name}" for name in sorted(leaves)]
    return committed(lab, graph, f"Move {who} {listed(where) or 'on the canvas'}")


def _changes(graph: Graph, given: Mapping[str, list[str]]) -> dict[str, frozenset[str]]:
    """Return the nodes by the name of the region or group."""
    return {frame_of(graph, name).name: frozenset(names) for name, names in given.items()}


def _policy(lab: Lab, edit: Policy) -> Lab:
    """Set the policy of a checkpoint region."""
    return set_policy(lab, frame_of(lab.graph, edit.region).name, edit.policy, frozenset(edit.saved))


def _rename_region(lab: Lab, edit: RenameRegion) -> Lab:
    """Rename a region or a group; a collapsed group stays collapsed, an open one open."""
    old, new = frame_of(lab.graph, edit.region).name, edit.name.strip()
    after = committed(lab, renamed_frame(lab.graph, old, new), f"Rename {old} to {new}")
    # `collapsed` may still hold the new name, of a group that was removed.
    kept = lab.collapsed | {new} if old in lab.collapsed else lab.collapsed - {new}
    return replace(after, collapsed=kept)


def _mute(lab: Lab, edit: Mute) -> Lab:
    """Mute nodes, or unmute them."""
    check_nodes(lab, edit, edit.nodes)
    names, on = edit.nodes, edit.on
    graph = with_muted(lab.graph, names, on)
    changed = [name for name in names if graph[name].muted != lab.graph[name].muted]
    where = changed[0] if len(changed) == 1 else f"{len(changed)} nodes"
    return committed(lab, graph, f"{'Mute' if on else 'Unmute'} {where}")


def _cut_after(lab: Lab, edit: CutAfter) -> Lab:
    """Put a cut after nodes, or remove it."""
    check_nodes(lab, edit, edit.nodes)
    names, on = edit.nodes, edit.on
    graph = with_cuts(lab.graph, names, on)
    changed = [name for name in names if graph[name].cut != lab.graph[name].cut]
    where = changed[0] if len(changed) == 1 else f"{len(changed)} nodes"
    return committed(lab, graph, f"{'Cut' if on else 'Remove the cut'} after {where}")


def _rules(lab: Lab, edit: Rules) -> Lab:
    """Put one rule on nodes."""
    check_nodes(lab, edit, edit.nodes)
    if edit.rule not in KINDS:
        raise unreadable(edit)
    return set_rules(lab, edit.nodes, edit.rule)


def _function(lab: Lab, edit: Function) -> Lab:
    """Set the function or the number of a node's rule."""
    check_nodes(lab, edit, [edit.node])
    return set_function(lab, edit.node, edit.text)


HANDLERS: Handlers = {
    Mute: _mute,
    CutAfter: _cut_after,
    Rules: _rules,
    Function: _function,
    Checkpoint: _checkpoint,
    Uncheckpoint: _uncheckpoint,
    SetRegion: _region,
    Regroup: _regroup,
    Policy: _policy,
    RenameRegion: _rename_region,
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
    if problems := tuple(frame_problems(after)):  # groups, which the search knew, may have changed since
        return refused(lab, GraphError(problems))
    return committed(lab, after, f"Take plan: {plan.name}")


def _running(graph: Graph) -> dict[str, bytes]:
    """Return the identities of what runs: no plan depends on the values of inputs."""
    return {node.name: node.content for node in graph.nodes if node.op != INPUT}
