"""Set the number of parallel branches of a group, one branch at a time.

Branches are ordinary nodes, ordered by the numbers in their names. A new branch is a copy of the last one.
Wires inside the branch are copied; wires from outside come from the same nodes. Random nodes get new seeds,
and no parameter of the copy is stopped. Each node that joins the branches gets a wire from the copy: `stack`
and `concatenate` get a slot, a running sum another `add`, and where nothing joins an only branch yet, a sum
begins. A weighted term is copied with its branch. Whole numbers that differ between the last two branches,
such as i in `p[i]`, go on by the same step; for an only branch i = 0 goes on to 1. An input with one number
per branch, which meets the joined branches or from which they pick, repeats its last number; shapes without
-1 on the way grow in the one place that has k.
"""

from __future__ import annotations

from autodiff_viz.branches.add_branch import with_copy
from autodiff_viz.branches.find_attachment import attachment
from autodiff_viz.branches.remove_branch import without_last
from autodiff_viz.graph import limits
from autodiff_viz.graph.checks.check import UNFINISHED, problems
from autodiff_viz.graph.model import Graph, Group
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.branches import branches_of
from autodiff_viz.graph.text.names import quoted


def with_branches(graph: Graph, name: str, k: int) -> Graph:
    """Add or remove branches at the end until the group has `k`.

    Raises:
      GraphError: the problem that prevents it.
    """
    now = len(branches_of(graph, name))
    for _ in range(now, min(k, limits.BRANCHES + 1)):
        graph = grown(graph, name)
    for _ in range(max(k, 0), now):
        graph = shrunk(graph, name)
    return graph


def grown(graph: Graph, name: str) -> Graph:
    """Add one branch; all nodes of the old graph keep their names, numbers and seeds.

    Raises:
      GraphError: there is no branch to copy, there would be too many, or nothing can join another one.
    """
    branches = _some(graph, name)
    if len(branches) >= limits.BRANCHES:
        message = f"{quoted(name)} has {len(branches)} branches, which is the limit."
        raise GraphError(Problem("too-many-branches", message, "Use fewer."))
    found = attachment(graph, branches)
    if not (found.joins or found.sums or found.ends or found.carried):
        message = f"Nothing joins the branches of {quoted(name)}, so one more would lead nowhere."
        hint = "Put them into a stack, a concatenate or a sum: result_2 = result_1 + p[1] * branch_2."
        raise GraphError(Problem("branches-apart", message, hint))
    return _checked(graph, with_copy(graph, branches[-1], found))


def shrunk(graph: Graph, name: str) -> Graph:
    """Remove the last branch, with the slots, terms and weights that belong to it.

    Raises:
      GraphError: it is the only branch, or a node that is no join of all branches reads it.
    """
    branches = _some(graph, name)
    if len(branches) == 1:
        message = f"{quoted(branches[0].name)} is the only branch of {quoted(name)}."
        raise GraphError(Problem("last-branch", message, "Delete the group if it is not needed."))
    return _checked(graph, without_last(graph, attachment(graph, branches)))


def _some(graph: Graph, name: str) -> tuple[Group, ...]:
    branches = branches_of(graph, name)
    if not branches:
        message = f"{quoted(name)} holds no branch: each branch is a group inside it."
        raise GraphError(Problem("no-branches", message, "Select the nodes of the first one and group them."))
    return branches


def _checked(before: Graph, after: Graph) -> Graph:
    """Return `after`, or raise the problems that it has and `before` has not, other than being unfinished."""
    known = set(problems(before))
    if found := [p for p in problems(after) if p.code not in UNFINISHED and p not in known]:
        raise GraphError(found)
    return after
