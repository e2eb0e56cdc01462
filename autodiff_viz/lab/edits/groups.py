"""Edit groups: create, dissolve, collapse and expand, and groups of branches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autodiff_viz.branches.resize import with_branches
from autodiff_viz.branches.train_one import branches_of, freed, tuned
from autodiff_viz.canvas.arrange import pinned, standing
from autodiff_viz.canvas.cards import pictured, size
from autodiff_viz.canvas.layout.placing import Point, placed
from autodiff_viz.canvas.layout.tabs import attached, feet, layers_of, stacked
from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.graph import edits
from autodiff_viz.graph.check import UNFINISHED
from autodiff_viz.graph.edits import (
    frame_of,
    mended_group,
    with_frames,
    with_group,
    with_positions,
    without_group,
)
from autodiff_viz.graph.frames import free_title
from autodiff_viz.graph.history import undo
from autodiff_viz.graph.model import Graph, Group
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.edits.edit import Handlers, mendable
from autodiff_viz.lab.edits.pieces import counted
from autodiff_viz.lab.labels import set_to
from autodiff_viz.lab.state import Lab, committed, stepped
from autodiff_viz.messages.edits import Branches, Collapse, MakeBranches, MakeGroup, Tune, Ungroup

# Groups of branches


def _branches(lab: Lab, edit: Branches) -> Lab:
    """Set the number of branches of a group.

    New branches are collapsed if the last one is. Without any positions the graph is laid out anew.
    """
    name, k = edit.group, edit.k
    loose = all(node.position is None for node in lab.graph.nodes)  # the layout makes room by itself
    before = lab.graph if loose else pinned(lab.graph)
    last = branches_of(before, name)[-1:]
    after = with_branches(before, name, k)
    _check_fit(before, after, k)
    new = {branch.name for branch in branches_of(after, name)} - {group.name for group in before.groups}
    # `collapsed` may still hold the name of a branch that was removed earlier: it says nothing of a new one.
    shut = new if last and last[0].name in lab.collapsed else set()
    after = after if loose else _apart(before, after)
    return committed(replace(lab, collapsed=lab.collapsed - new | shut), after, set_to(f"k of {name}", k))


def _check_fit(before: Graph, after: Graph, k: int) -> None:
    """Check that the shapes still fit with another number of branches.

    Raises:
      GraphError: a node has a problem in `after`, other than an empty slot or the like, and had none in
        `before`.
    """
    known = {problem.node for problem in diagnose(before)}
    wrong = [p for p in diagnose(after) if p.code not in UNFINISHED and p.node not in known]
    if wrong:
        first = wrong[0]
        message = f"k = {k} does not fit what comes after the branches. {first.message}"
        raise GraphError(replace(first, message=message, node=first.node if first.node in before else None))


def _apart(before: Graph, after: Graph) -> Graph:
    """Move new nodes to the nearest free places near their positions."""
    # The parameters of a layer hang on it as tabs: cards are placed with room for theirs below them.
    fixed = {node.name: node.position for node in after.nodes if node.name in before and node.position}
    wanted = {node.name: node.position for node in after.nodes if node.position}
    tall = pictured(after)
    sizes = {node.name: size(node, tall.get(node.name)) for node in after.nodes}
    tabs = attached(layers_of(after), sizes, wanted)
    below = feet(tabs, after.by_name, sizes)
    cards = [node for node in order(after) if node.name not in tabs]
    room = {name: (w, h + below.get(name, 0.0)) for name, (w, h) in sizes.items()}
    free = placed(cards, room, {name: at for name, at in fixed.items() if name not in tabs}, wanted)
    return edits.with_positions(after, free | stacked(tabs, after.by_name, sizes, free))


def _make(lab: Lab, edit: MakeBranches) -> Lab:
    """Make the nodes the only branch of a new group; an existing group of these nodes becomes that branch."""
    names, name = frozenset(edit.nodes), free_title(lab.graph, "branches")
    if not names:
        raise GraphError(Problem("no-nodes", "No node is selected.", "Select one or more nodes first."))
    graph = mendable(
        lambda: _with_first(pinned(lab.graph), name, names),
        lambda: mended_group(lab.graph, name, names),
        names,
        lambda whole: MakeBranches(nodes=sorted(whole)),
    )
    return committed(replace(lab, collapsed=lab.collapsed - {name}), graph, f"Make {name}")


def _with_first(graph: Graph, name: str, names: frozenset[str]) -> Graph:
    """Add a group of branches with its first branch."""
    same = [group for group in graph.groups if group.nodes == names]
    if any(group.branches for group in same):
        message = "These nodes are a group of branches already."
        raise GraphError(Problem("no-branches", message, "Change its number of branches."))
    groups = [*graph.groups, Group(name, names, branches=True)]
    if not same:
        groups.append(Group(free_title(Graph(groups=tuple(groups)), f"{name}_1"), names))
    return with_frames(graph, graph.regions, groups)


def _tune(lab: Lab, edit: Tune) -> Lab:
    """Train one branch alone, or all of them again."""
    name = frame_of(lab.graph, edit.group).name
    if edit.branch is None:
        return committed(lab, freed(lab.graph, name), f"Train all branches of {name}")
    return committed(lab, tuned(lab.graph, name, edit.branch), f"Train only {edit.branch}")


# Groups


def _group(lab: Lab, edit: MakeGroup) -> Lab:
    """Put the nodes into a new group."""
    names, name = frozenset(edit.nodes), free_title(lab.graph, "group")
    if not names:
        raise GraphError(Problem("no-nodes", "No node is selected.", "Select one or more nodes first."))
    graph = mendable(
        lambda: with_group(pinned(lab.graph), Group(name, names)),
        lambda: mended_group(lab.graph, name, names),
        names,
        lambda whole: MakeGroup(nodes=sorted(whole)),
    )
    opened = replace(lab, collapsed=lab.collapsed - {name})  # left over from a group of this name
    return committed(opened, graph, f"Group {counted(names)} as {name}")


def _ungroup(lab: Lab, edit: Ungroup) -> Lab:
    """Dissolve a group; its nodes stay."""
    name = frame_of(lab.graph, edit.group).name
    graph = with_positions(pinned(lab.graph), _positions(lab, edit))
    return committed(lab, without_group(graph, name), f"Ungroup {name}")


def _collapse(lab: Lab, edit: Collapse) -> Lab:
    """Collapse or expand a group. It changes only the view, and is no step of the history.

    If nodes make room for those of the group, at the `positions` of the edit, it is a step. When such a group
    is collapsed they return to where they were.
    """
    name, on = frame_of(lab.graph, edit.group).name, edit.on
    kept = lab.collapsed | {name} if on else lab.collapsed - {name}
    positions = {} if on else _positions(lab, edit)
    if not on and not positions:
        return replace(lab, collapsed=kept, notice=())
    return _shut(lab, name, kept) if on else _moved(lab, positions, f"Open {name}", (name, False), kept)


def _positions(lab: Lab, edit: Collapse | Ungroup) -> dict[str, Point]:
    """Return the new positions of nodes that make room, which may have gone meanwhile."""
    return {name: at for name, at in edit.positions.items() if name in lab.graph}


def _moved(
    lab: Lab, positions: Mapping[str, Point], label: str, folds: tuple[str, bool], kept: frozenset[str]
) -> Lab:
    """Move nodes as one step, which says what it has done with a group."""
    after = committed(lab, with_positions(lab.graph, {**standing(lab.graph), **positions}), label)
    # `folds` in the step lets the group be collapsed or opened again when the step is undone.
    if after.history is not lab.history:
        present = after.history.present._replace(folds=folds)
        after = replace(after, history=replace(after.history, present=present))
    return replace(after, collapsed=kept, selected=lab.selected)


def _shut(lab: Lab, name: str, kept: frozenset[str]) -> Lab:
    """Collapse a group; what has made room for it returns, unless the graph has got other nodes since."""
    # The newest step up to now that says something of this group; it counts if it has opened the group.
    entries, now = lab.history.entries, len(lab.history.past)
    steps = [i for i in range(now, 0, -1) if (entries[i].folds or ("",))[0] == name]
    at = steps[0] if steps and entries[steps[0]].folds == (name, False) else 0
    if not at or entries[at].document != lab.document:
        return replace(lab, collapsed=kept, notice=())
    if at == now:  # nothing has been done since: collapsing is undoing
        return replace(stepped(lab, undo(lab.history)), selected=lab.selected)
    before, after, stand = standing(entries[at - 1].graph), standing(entries[at].graph), standing(lab.graph)
    # Nodes return that the opening has moved and that stand where it has put them.
    back = {n: before[n] for n, place in after.items() if n in before and stand.get(n) == place != before[n]}
    if not back or stand.keys() - after.keys():
        return replace(lab, collapsed=kept, notice=())
    return _moved(lab, back, f"Collapse {name}", (name, True), kept)


HANDLERS: Handlers = {
    Branches: _branches,
    MakeBranches: _make,
    Tune: _tune,
    MakeGroup: _group,
    Ungroup: _ungroup,
    Collapse: _collapse,
}
