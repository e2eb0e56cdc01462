"""Add a branch: copy the last branch, and connect the copy as the last one is connected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from autodiff_viz.branches.attachment import ADD, Attachment, recounted
from autodiff_viz.branches.extrapolate import (
    more_results,
    next_name,
    next_params,
    second_pick,
    with_params,
)
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT, PULLBACK, STOP, Frame, Graph, Group, Node, Region, Rule
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.groups import outermost_first
from autodiff_viz.graph.text.names import natural, numbered, quoted

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
        return _joining(node, found, names)
    return recounted(node, found, moved, 1)


def _joining(node: Node, found: Attachment, names: Names) -> Node:
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
