"""Groups of k branches: one more, one less. The branches are nodes like any others; they are in the order of
the numbers in their names.

A new branch is a copy of the last one: its nodes inside read each other, and read outside what the last one
reads; what it draws at random it draws anew, and none of its parameters is stopped. What takes the branches
takes one more: `stack` and `concatenate` have another slot, a running sum another `add`, and where nothing
joins the only branch yet, a sum begins. A weighted term is copied with it. Whole numbers that differ between
the last two branches, such as i in `p[i]`, go on by the same step; of the only branch, i = 0 does. An input
with one number per branch, which meets the joined branches or from which they pick, repeats its last number;
so do shapes without -1 on the way, in the one place that has k.
"""

from __future__ import annotations

from autodiff_viz.branches.following import attachment
from autodiff_viz.branches.growing import with_copy
from autodiff_viz.branches.shrinking import without_last
from autodiff_viz.graph import limits
from autodiff_viz.graph.branches import branches_of
from autodiff_viz.graph.check import UNFINISHED, problems
from autodiff_viz.graph.model import Graph, Group
from autodiff_viz.graph.names import quoted
from autodiff_viz.graph.problem import GraphError, Problem


def with_branches(graph: Graph, name: str, k: int) -> Graph:
    """The graph with k branches in the group: the first ones are those that it has.

    Raises:
      GraphError: the problem says what stands in the way.
    """
    now = len(branches_of(graph, name))
    for _ in range(now, min(k, limits.BRANCHES + 1)):
        graph = grown(graph, name)
    for _ in range(max(k, 0), now):
        graph = shrunk(graph, name)
    return graph


def grown(graph: Graph, name: str) -> Graph:
    """One branch more; all that was there keeps its name, its numbers and its seeds.

    Raises:
      GraphError: there is no branch to copy, there would be too many, or nothing can take another one.
    """
    branches = _some(graph, name)
    if len(branches) >= limits.BRANCHES:
        message = f"{quoted(name)} has {len(branches)} branches, as many as it may."
        raise GraphError(Problem("too-many-branches", message, "Use fewer."))
    found = attachment(graph, branches)
    if not (found.joins or found.sums or found.ends or found.carried):
        message = f"Nothing joins the branches of {quoted(name)}, so one more would lead nowhere."
        hint = "Put them into a stack, a concatenate or a sum: result_2 = result_1 + p[1] * branch_2."
        raise GraphError(Problem("branches-apart", message, hint))
    return _checked(graph, with_copy(graph, branches[-1], found))


def shrunk(graph: Graph, name: str) -> Graph:
    """The last branch less, with all that came with it.

    Raises:
      GraphError: it is the only one, or something else reads it.
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
    """The graph, unless it is over a limit or broken in a way in which it was not before."""
    known = set(problems(before))
    if found := [p for p in problems(after) if p.code not in UNFINISHED and p not in known]:
        raise GraphError(found)
    return after
