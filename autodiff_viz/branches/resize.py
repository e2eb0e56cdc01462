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

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from autodiff_viz.branches.attachment import ADD, Attachment, attachment, recounted
from autodiff_viz.branches.extrapolate import (
    fewer_results,
    more_results,
    next_name,
    next_params,
    second_pick,
    with_params,
)
from autodiff_viz.branches.train_one import branches_of
from autodiff_viz.graph import limits
from autodiff_viz.graph.check import UNFINISHED, problems
from autodiff_viz.graph.frames import filled, outermost_first
from autodiff_viz.graph.model import INPUT, Frame, Graph, Group, Node, Region, Rule, Slot
from autodiff_viz.graph.order import consumers
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import PULLBACK, STOP
from autodiff_viz.graph.text import natural, numbered, quoted

# Add a branch: copy the last branch, and connect the copy as the last one is connected.


ASIDE, SPACE = 240.0, 120.0  # px to the right of the running sum; px below an only branch


@dataclass(frozen=True, slots=True)
class Names:
    """Names of the new nodes.

    Attributes:
      copy_of: new name of each node that is copied.
      sum_of: by the running sum so far, the name of the `add` that takes the new term.
    """

    copy_of: Mapping[str, str]
    sum_of: Mapping[str, str]


def with_copy(graph: Graph, last: Group, found: Attachment) -> Graph:
    """Copy the last branch of the graph and join the copy as the last branch is joined."""
    names = _names(graph, found)
    copies = _copies(graph, found, names)
    adds = [_add(graph, found, names, before) for before in names.sum_of]
    moved = {**names.sum_of, **{name: names.copy_of[name] for name in found.carried}}
    kept = [_taking(graph, node, found, names, moved) for node in graph.nodes]
    end = 1 + max(i for i, node in enumerate(graph.nodes) if node.name in found.own)
    nodes = (*kept[:end], *copies, *adds, *kept[end:])
    after = replace(graph, nodes=nodes, output=moved.get(graph.output or "", graph.output))
    return _framed(after, last, names)


def _names(graph: Graph, found: Attachment) -> Names:
    taken = set(graph.by_name)
    copy_of = _counted_on(found.own, taken)
    sum_of = _counted_on(found.sums, taken)
    for end in found.ends:
        sum_of[end] = numbered(ADD, taken)
        taken.add(sum_of[end])
    return Names(copy_of, sum_of)


def _counted_on(names: Iterable[str], taken: set[str]) -> dict[str, str]:
    """Map each name to the next free name after it, which is added to `taken`."""
    found: dict[str, str] = {}
    for name in sorted(names, key=natural):
        found[name] = next_name(name, taken)
        taken.add(found[name])
    return found


def _copies(graph: Graph, found: Attachment, names: Names) -> list[Node]:
    """Copy the nodes that belong to the last branch; random ones get seeds that no node has."""
    seed = max((_seed(node) for node in graph.nodes), default=0)
    copies = []
    for node in graph.nodes:
        if node.name in found.own:
            copy = _copy(graph, node, found, names)
            if node.param("seed") is not None or (node.op == INPUT and node.param("shape")):
                seed = (seed + 1) & limits.SEED
                copy = replace(copy, params=with_params(copy.params, seed=seed))
            copies.append(copy)
    return copies


def _seed(node: Node) -> int:
    given = node.param("seed")
    return given if type(given) is int else 0


def _copy(graph: Graph, node: Node, found: Attachment, names: Names) -> Node:
    like = graph.by_name.get(found.own[node.name] or "")
    params = node.params
    if node.name in found.picks:
        params = second_pick(params)
    elif like and node.op != INPUT:
        params = next_params(like.params, params)
    carried = {older: newer for newer, older in found.carried.items()}
    read = {**carried, **names.copy_of}
    return replace(
        node,
        name=names.copy_of[node.name],
        slots=tuple(read.get(slot, slot) if isinstance(slot, str) else slot for slot in node.slots),
        params=params,
        rule=Rule() if node.is_parameter and node.rule.kind == STOP else node.rule,
        position=_place(graph, node, like, found),
    )


def _place(graph: Graph, node: Node, like: Node | None, found: Attachment) -> tuple[float, float] | None:
    """Return the copy's position: one step on from the last two branches, or below an only branch."""
    if node.position is None:
        return None
    x, y = node.position
    if like and like.position is not None:
        return 2 * x - like.position[0], 2 * y - like.position[1]
    heights = [at[1] for name in found.own if (at := graph[name].position) is not None]
    return x, y + max(heights) - min(heights) + SPACE


def _add(graph: Graph, found: Attachment, names: Names, before: str) -> Node:
    """Return the `add` of the new term to the sum `before`, which is an `add` or the only branch."""
    node, name = graph[before], names.sum_of[before]
    place = None if node.position is None else (node.position[0] + ASIDE, node.position[1])
    if before in found.ends:
        return Node(name, ADD, (before, names.copy_of[before]), position=place)
    slot = found.sums[before]
    term = names.copy_of[str(node.slots[slot])]
    slots = (before, term) if slot == 1 else (term, before)
    return replace(node, name=name, slots=slots, position=place)


def _taking(graph: Graph, node: Node, found: Attachment, names: Names, moved: Mapping[str, str]) -> Node:
    """Return a node of the old graph with its wires to the new branch."""
    if node.name in found.own:
        return node
    if node.name in found.joins:
        return _join_grown(node, found, names)
    return recounted(node, found, moved, 1)


def _join_grown(node: Node, found: Attachment, names: Names) -> Node:
    """Add slots to a join, after each run of adjacent slots that read the last branch."""
    runs: list[list[int]] = []
    for i, slot in enumerate(node.op_slots):
        if slot in names.copy_of:
            if runs and runs[-1][-1] == i - 1:
                runs[-1].append(i)
            else:
                runs.append([i])
    for run in reversed(runs):
        node = _with_run(node, run, found.k, names)
    return node


def _with_run(node: Node, run: list[int], k: int, names: Names) -> Node:
    end = run[-1] + 1
    new = tuple(names.copy_of[str(node.slots[i])] for i in run)
    rule = node.rule
    if rule.kind == PULLBACK and rule.function is not None:
        wires = [i for i, (slot, _) in enumerate(node.wires) if slot in run]
        function = more_results(rule.function, wires, k)
        if function is None:
            message = f"The declared derivative of {quoted(node.name)} uses one branch for another one."
            raise GraphError(Problem("branches-mixed", message, "Write it for one more by hand.", node.name))
        rule = replace(rule, function=function)
    return replace(node, slots=(*node.slots[:end], *new, *node.slots[end:]), rule=rule)


def _framed(graph: Graph, last: Group, names: Names) -> Graph:
    """Add the copies to regions and groups.

    Frames inside the last branch are copied; other frames with its nodes hold the copies too.
    """
    ranked = outermost_first(graph.frames)
    inside = [frame for frame in ranked[ranked.index(last) :] if frame.nodes <= last.nodes]
    taken = {frame.name for frame in graph.frames}
    titles = _counted_on((frame.name for frame in inside), taken)
    frames = [_wider(frame, names) for frame in ranked if frame not in inside]
    frames += inside
    frames += [_copied(frame, titles[frame.name], names.copy_of) for frame in inside]
    return replace(
        graph,
        regions=tuple(frame for frame in frames if isinstance(frame, Region)),
        groups=tuple(frame for frame in frames if isinstance(frame, Group)),
    )


def _wider(frame: Frame, names: Names) -> Frame:
    if isinstance(frame, Region):
        frame = replace(frame, saved=_with_new(frame.saved, names))
    return replace(frame, nodes=_with_new(frame.nodes, names))


def _with_new(held: frozenset[str], names: Names) -> frozenset[str]:
    return held.union(*({of[name] for name in held if name in of} for of in (names.copy_of, names.sum_of)))


def _copied(frame: Frame, title: str, copies: Mapping[str, str]) -> Frame:
    frame = replace(frame, name=title, nodes=frozenset(copies[name] for name in frame.nodes))
    if isinstance(frame, Region):
        return replace(frame, saved=frozenset(copies[name] for name in frame.saved))
    return frame


# Remove the last branch of a group, with its slots, terms and weights elsewhere.


def without_last(graph: Graph, found: Attachment) -> Graph:
    """Remove the last branch and the wires into it.

    Raises:
      GraphError: code "branch-read", when a node that is no sum or join of all branches reads it; code
        "branches-mixed", when a declared pullback mixes branches.
    """
    gone = {*found.own, *found.sums} - _needed(graph, found)
    left = {name: graph[name].slots[1 - slot] for name, slot in found.sums.items()} | found.carried
    nodes = tuple(_without(node, found, gone, left) for node in graph.nodes if node.name not in gone)
    output = left.get(graph.output or "", graph.output)
    reader = next((node for node in nodes if any(name in gone for _, name in node.wires)), None)
    if reader is not None or output in gone:
        what = "The output" if reader is None else quoted(reader.name)
        message = f"{what} needs the last branch, and is no sum or join of all of them."
        raise GraphError(
            Problem("branch-read", message, "Wire it to something else first.", reader and reader.name)
        )
    return replace(
        graph,
        nodes=nodes,
        output=output,
        regions=filled(replace(r, nodes=r.nodes - gone, saved=r.saved - gone) for r in graph.regions),
        groups=filled(replace(group, nodes=group.nodes - gone) for group in graph.groups),
    )


def _needed(graph: Graph, found: Attachment) -> set[str]:
    """Return the picks and weights of the last branch that other nodes read too; they stay."""
    uses = consumers(graph)
    needed: set[str] = set()
    while True:
        going = {*found.own, *found.sums} - needed
        aside = found.aside - needed
        read = {n for n in aside if n == graph.output or any(user not in going for user, _ in uses[n])}
        if not read:
            return needed
        needed |= read


def _without(node: Node, found: Attachment, gone: set[str], left: Mapping[str, Slot]) -> Node:
    return _join_shrunk(node, gone) if node.name in found.joins else recounted(node, found, left, -1)


def _join_shrunk(node: Node, gone: set[str]) -> Node:
    kept = tuple(i for i, slot in enumerate(node.slots) if slot not in gone)
    rule = node.rule
    if rule.kind == PULLBACK and rule.function is not None:
        wires = [i for i, (slot, _) in enumerate(node.wires) if slot not in kept]
        function = fewer_results(rule.function, wires)
        if function is None:
            message = f"The declared derivative of {quoted(node.name)} uses one branch for another one."
            raise GraphError(Problem("branches-mixed", message, "Write it for one less by hand.", node.name))
        rule = replace(rule, function=function)
    return replace(node, slots=tuple(node.slots[i] for i in kept), rule=rule)


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
