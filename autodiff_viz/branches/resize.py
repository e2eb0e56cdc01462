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
from autodiff_viz.graph.model import INPUT, Frame, Graph, Group, Node, Region, Rule
from autodiff_viz.graph.order import consumers
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import PULLBACK, STOP
from autodiff_viz.graph.text import natural, numbered, quoted

# One branch more: a copy of the last one, which is connected as that one is.


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


def with_copy(graph: Graph, last: Group, attached: Attachment) -> Graph:
    """Copy the last branch of the graph and join the copy as the last branch is joined."""
    taken = set(graph.by_name)
    copy_of, sum_of = _counted_on(attached.own, taken), _counted_on(attached.sums, taken)
    for end in attached.ends:  # a running sum begins there
        sum_of[end] = numbered(ADD, taken)
        taken.add(sum_of[end])
    names = Names(copy_of, sum_of)
    copies = _copies(graph, attached, names)
    adds = [_add(graph, attached, names, before) for before in names.sum_of]
    moved = {**names.sum_of, **{name: names.copy_of[name] for name in attached.carried}}
    kept = []
    for node in graph.nodes:
        if node.name in attached.joins and node.name not in attached.own:
            node = _join_grown(node, attached, names)
        elif node.name not in attached.own:
            node = recounted(node, attached, moved, 1)
        kept.append(node)
    end = 1 + max(i for i, node in enumerate(graph.nodes) if node.name in attached.own)
    nodes = (*kept[:end], *copies, *adds, *kept[end:])
    after = replace(graph, nodes=nodes, output=moved.get(graph.output or "", graph.output))
    return _framed(after, last, names)


def _counted_on(names: Iterable[str], taken: set[str]) -> dict[str, str]:
    """Map each name to the next free name after it, which is added to `taken`."""
    new: dict[str, str] = {}
    for name in sorted(names, key=natural):
        new[name] = next_name(name, taken)
        taken.add(new[name])
    return new


def _copies(graph: Graph, attached: Attachment, names: Names) -> list[Node]:
    """Copy the nodes that belong to the last branch; random ones get seeds that no node has."""
    seeds = [node.param("seed") for node in graph.nodes]
    seed = max([0, *(given for given in seeds if type(given) is int)])
    copies = []
    for node in graph.nodes:
        if node.name in attached.own:
            copy = _copy(graph, node, attached, names)
            if node.param("seed") is not None or (node.op == INPUT and node.param("shape")):
                seed = (seed + 1) & limits.SEED
                copy = replace(copy, params=with_params(copy.params, seed=seed))
            copies.append(copy)
    return copies


def _copy(graph: Graph, node: Node, attached: Attachment, names: Names) -> Node:
    like = graph.by_name.get(attached.own[node.name] or "")
    params = node.params
    if node.name in attached.picks:
        params = second_pick(params)
    elif like and node.op != INPUT:
        params = next_params(like.params, params)
    carried = {older: newer for newer, older in attached.carried.items()}
    read = {**carried, **names.copy_of}
    return replace(
        node,
        name=names.copy_of[node.name],
        slots=tuple(read.get(slot, slot) if isinstance(slot, str) else slot for slot in node.slots),
        params=params,
        rule=Rule() if node.is_parameter and node.rule.kind == STOP else node.rule,
        position=_place(graph, node, like, attached),
    )


def _place(graph: Graph, node: Node, like: Node | None, attached: Attachment) -> tuple[float, float] | None:
    """Return the copy's position: one step on from the last two branches, or below an only branch."""
    if node.position is None:
        return None
    x, y = node.position
    if like and like.position is not None:
        return 2 * x - like.position[0], 2 * y - like.position[1]
    heights = [at[1] for name in attached.own if (at := graph[name].position) is not None]
    return x, y + max(heights) - min(heights) + SPACE


def _add(graph: Graph, attached: Attachment, names: Names, before: str) -> Node:
    """Return the `add` of the new term to the sum `before`, which is an `add` or the only branch."""
    node, name = graph[before], names.sum_of[before]
    place = None if node.position is None else (node.position[0] + ASIDE, node.position[1])
    if before in attached.ends:
        return Node(name, ADD, (before, names.copy_of[before]), position=place)
    slot = attached.sums[before]
    term = names.copy_of[str(node.slots[slot])]
    slots = (before, term) if slot == 1 else (term, before)
    return replace(node, name=name, slots=slots, position=place)


def _join_grown(node: Node, attached: Attachment, names: Names) -> Node:
    """Add slots to a join, after each run of adjacent slots that read the last branch."""
    runs: list[list[int]] = []
    for i, slot in enumerate(node.op_slots):
        if slot in names.copy_of:
            if runs and runs[-1][-1] == i - 1:
                runs[-1].append(i)
            else:
                runs.append([i])
    for run in reversed(runs):  # from the last, so that the slots of earlier runs keep their places
        end = run[-1] + 1
        new = tuple(names.copy_of[str(node.slots[i])] for i in run)
        rule = node.rule
        if rule.kind == PULLBACK and rule.function is not None:
            wires = [i for i, (slot, _) in enumerate(node.wires) if slot in run]
            function = more_results(rule.function, wires, attached.k)
            if function is None:
                message = f"The declared derivative of {quoted(node.name)} uses one branch for another one."
                hint = "Write it for one more by hand."
                raise GraphError(Problem("branches-mixed", message, hint, node.name))
            rule = replace(rule, function=function)
        node = replace(node, slots=(*node.slots[:end], *new, *node.slots[end:]), rule=rule)
    return node


def _framed(graph: Graph, last: Group, names: Names) -> Graph:
    """Add the copies to regions and groups.

    Frames inside the last branch are copied; other frames with its nodes hold the copies too.
    """
    ranked = outermost_first(graph.frames)
    # Frames of the same nodes that come before the branch lie around it.
    inside = [frame for frame in ranked[ranked.index(last) :] if frame.nodes <= last.nodes]
    taken = {frame.name for frame in graph.frames}
    titles = _counted_on((frame.name for frame in inside), taken)
    frames: list[Frame] = []
    for frame in ranked:
        if frame not in inside:
            if isinstance(frame, Region):
                frame = replace(frame, saved=_with_new(frame.saved, names))
            frames.append(replace(frame, nodes=_with_new(frame.nodes, names)))
    frames += inside
    for frame in inside:
        copied = frozenset(names.copy_of[name] for name in frame.nodes)
        copy = replace(frame, name=titles[frame.name], nodes=copied)
        if isinstance(copy, Region):
            copy = replace(copy, saved=frozenset(names.copy_of[name] for name in frame.saved))
        frames.append(copy)
    return replace(
        graph,
        regions=tuple(frame for frame in frames if isinstance(frame, Region)),
        groups=tuple(frame for frame in frames if isinstance(frame, Group)),
    )


def _with_new(held: frozenset[str], names: Names) -> frozenset[str]:
    return held.union(*({of[name] for name in held if name in of} for of in (names.copy_of, names.sum_of)))


# One branch less: the last one goes, with its slots, terms and weights elsewhere.


def without_last(graph: Graph, attached: Attachment) -> Graph:
    """Remove the last branch and the wires into it.

    Raises:
      GraphError: code "branch-read", when a node that is no sum or join of all branches reads it; code
        "branches-mixed", when a declared pullback mixes branches.
    """
    gone = {*attached.own, *attached.sums} - _needed(graph, attached)
    # What is read in place of a sum that goes: the sum before it, in the slot beside the term.
    left = {name: graph[name].slots[1 - slot] for name, slot in attached.sums.items()} | attached.carried
    nodes = tuple(
        _join_shrunk(node, gone) if node.name in attached.joins else recounted(node, attached, left, -1)
        for node in graph.nodes
        if node.name not in gone
    )
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


def _needed(graph: Graph, attached: Attachment) -> set[str]:
    """Return the picks and weights of the last branch that other nodes read too; they stay."""
    uses = consumers(graph)
    needed: set[str] = set()
    while True:
        going = {*attached.own, *attached.sums} - needed
        aside = attached.aside - needed
        read = {n for n in aside if n == graph.output or any(user not in going for user, _ in uses[n])}
        if not read:
            return needed
        needed |= read


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


# The number of branches.


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
    attached = attachment(graph, branches)
    if not (attached.joins or attached.sums or attached.ends or attached.carried):
        message = f"Nothing joins the branches of {quoted(name)}, so one more would lead nowhere."
        hint = "Put them into a stack, a concatenate or a sum: result_2 = result_1 + p[1] * branch_2."
        raise GraphError(Problem("branches-apart", message, hint))
    return _checked(graph, with_copy(graph, branches[-1], attached))


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
    if added := [p for p in problems(after) if p.code not in UNFINISHED and p not in known]:
        raise GraphError(added)
    return after
