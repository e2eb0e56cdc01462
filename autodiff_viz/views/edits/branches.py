"""Edit groups of branches: create one, set the number of branches, train one branch alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from autodiff_viz.branches.resize import with_branches
from autodiff_viz.engine.check import diagnose
from autodiff_viz.graph.checks.check import UNFINISHED
from autodiff_viz.graph.edits import node_edits as edits
from autodiff_viz.graph.edits.frame_edits import frame_of, mended_group, with_frames
from autodiff_viz.graph.edits.train_one_branch import freed, tuned
from autodiff_viz.graph.model import Graph, Group
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.branches import branches_of
from autodiff_viz.graph.structure.groups import free_title
from autodiff_viz.graph.structure.order import order
from autodiff_viz.views.canvas.cards import pictured, size
from autodiff_viz.views.canvas.fixed_positions import pinned
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.edits.repairs import mendable, names_of
from autodiff_viz.views.lab import Lab, committed
from autodiff_viz.views.labels import set_to
from autodiff_viz.views.layout.placing import placed
from autodiff_viz.views.layout.tabs import attached, feet, layers_of, stacked


def _branches(lab: Lab, edit: Edit) -> Lab:
    """Set the number of branches of a group.

    New branches are collapsed if the last one is. Without any positions the graph is laid out anew.
    """
    name, k = str(edit["group"]), int(edit["k"])
    loose = all(node.position is None for node in lab.graph.nodes)
    before = lab.graph if loose else pinned(lab.graph)
    last = branches_of(before, name)[-1:]
    after = with_branches(before, name, k)
    _fits(before, after, k)
    new = {branch.name for branch in branches_of(after, name)} - {group.name for group in before.groups}
    shut = {*new} if last and last[0].name in lab.collapsed else set()
    after = after if loose else _apart(before, after)
    return committed(replace(lab, collapsed=lab.collapsed - new | shut), after, set_to(f"k of {name}", k))


def _fits(before: Graph, after: Graph, k: int) -> None:
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


def _make(lab: Lab, edit: Edit) -> Lab:
    """Make the nodes the only branch of a new group; an existing group of these nodes becomes that branch."""
    names, name = names_of(edit["nodes"]), free_title(lab.graph, "branches")
    if not names:
        raise GraphError(Problem("no-nodes", "No node is selected.", "Select one or more nodes first."))
    graph = mendable(
        lambda: _with_first(pinned(lab.graph), name, names),
        lambda: mended_group(lab.graph, name, names),
        names,
        lambda whole: {"kind": "make_branches", "nodes": sorted(whole)},
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
        groups.append(Group(_free(groups, f"{name}_1"), names))
    return with_frames(graph, graph.regions, groups)


def _free(groups: Iterable[Group], title: str) -> str:
    """Return a name that no group has."""
    return free_title(Graph(groups=tuple(groups)), title)


def _tune(lab: Lab, edit: Edit) -> Lab:
    """Train one branch alone, or all of them again."""
    name, branch = frame_of(lab.graph, edit["group"]).name, edit["branch"]
    if branch is None:
        return committed(lab, freed(lab.graph, name), f"Train all branches of {name}")
    return committed(lab, tuned(lab.graph, name, str(branch)), f"Train only {branch}")


EDITS: Edits = {"branches": _branches, "make_branches": _make, "tune": _tune}
