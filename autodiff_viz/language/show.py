"""Graph -> formula text: `parse(show(graph)) == graph`, with names, rules, regions, groups and positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

from autodiff_viz.graph.check import cycle_problem
from autodiff_viz.graph.given import known_graph
from autodiff_viz.graph.literals import shape_of
from autodiff_viz.graph.model import (
    BACKWARD_AS,
    FOLLOW,
    IDENTITY,
    INPUT,
    POLICIES,
    Frame,
    Graph,
    Group,
    Node,
    Region,
)
from autodiff_viz.graph.names import quoted
from autodiff_viz.graph.order import find_cycle
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.language.checkpoints import SAVE_ONLY
from autodiff_viz.language.inline import candidates, is_direct, reading_order, well_numbered
from autodiff_viz.language.inputs import SOURCES, source_of
from autodiff_viz.language.layout import INDENT, WIDTH, Chains, chains, text_order, wrapped
from autodiff_viz.language.literal import show_literal
from autodiff_viz.language.positions import show_positions
from autodiff_viz.language.terms import Shown, show_applied, show_call, show_lambda, show_operand, show_rule
from autodiff_viz.language.wrappers import BYPASS, CUT

__all__ = ["show", "show_lambda", "show_literal"]

DEPTH = 8  # ops inside one another in one line; deeper ones get lines of their own
PASSES = 8  # rounds to agree on what is inlined; two are the rule


def show(graph: Graph, positions: bool = True) -> str:
    """Write the graph as text that `parse` reads back to an equal graph.

    A node that is used once stands inside the expression of its consumer, as far as its name is the
    automatic one and the line stays readable.

    Args:
      graph: may be half built: an empty slot is written `...`.
      positions: whether to end with the comment that keeps where nodes stand on the canvas.
    Returns:
      The text, a line for each step.
    Raises:
      GraphError: the graph has a cycle, two nodes or frames of one name, or a frame of unknown nodes.
    """
    _check(known_graph(graph))
    around = chains(graph)
    ordered = text_order(graph, around)
    values = _values(graph, ordered, around)
    roots = [node for node in ordered if node.name in values]
    lines = _lines(graph, roots, values, around)
    if roots and graph.output not in (None, roots[-1].name):
        lines.append(f"return {graph.output}")
    if positions:
        read = reading_order(graph, ordered, graph.by_name.keys() - values.keys())
        lines.extend(show_positions(graph[name] for name in read))
    return "".join(f"{line}\n" for line in lines)


def _check(graph: Graph) -> None:
    names = [node.name for node in graph.nodes]
    for what, found in (("nodes", names), ("regions or groups", [frame.name for frame in graph.frames])):
        for name in found if len(set(found)) < len(found) else ():
            if found.count(name) > 1:
                message = f"Two {what} are named {quoted(name)}."
                raise GraphError(Problem("duplicate-name", message, "Rename one of them.", node=name))
    if cycle := find_cycle(graph):
        raise GraphError(cycle_problem(cycle))
    for frame in graph.frames:
        for name in sorted(frame.nodes - graph.by_name.keys()):
            message = f"{quoted(frame.name)} names {quoted(name)}, which is no node of the graph."
            raise GraphError(Problem("unknown-node", message, "Take the name out of it.", node=name))


def _values(graph: Graph, ordered: Iterable[Node], around: Chains) -> dict[str, str]:
    """The right side of every line, by the name on its left; the other nodes stand inside these."""
    inlined = set(candidates(graph, around))
    for _ in range(PASSES):
        values, kept = _render(graph, ordered, around, inlined)
        kept = well_numbered(graph, ordered, kept)
        if kept == inlined:
            return {name: text for name, text in values.items() if name not in inlined}
        inlined = kept
    return _render(graph, ordered, around, set())[0]


def _render(
    graph: Graph, ordered: Iterable[Node], around: Chains, inlined: set[str]
) -> tuple[dict[str, str], set[str]]:
    """The text of every node, and those of `inlined` that their lines have room for."""
    kept = set(inlined)
    shown: dict[str, Shown] = {}
    depths: dict[str, int] = {}
    for node in ordered:
        room = WIDTH - len(INDENT) * len(around[node.name]) - len(f"{node.name} = ")
        inner = [slot for _, slot in node.wires if slot in kept]
        if inner and _fills(node, room):
            kept.difference_update(inner)
            inner = []
        inner.sort(key=lambda name: len(shown[name].text))
        while inner and max(depths[name] for name in inner) >= DEPTH:
            deepest = max(inner, key=lambda name: depths[name])
            inner.remove(deepest)
            kept.discard(deepest)
        shown[node.name] = _show_node(node, shown, kept)
        while inner and len(shown[node.name].text) > room:
            kept.discard(inner.pop())
            shown[node.name] = _show_node(node, shown, kept)
        depths[node.name] = 1 + max((depths[name] for name in inner), default=0)
    return {name: piece.text for name, piece in shown.items()}, kept


def _fills(node: Node, room: int) -> bool:
    """Whether the node's own tensors leave no room for anything else: each number takes three characters."""
    return any(3 * prod(shape_of(slot)) > room + 2 for slot in node.slots if isinstance(slot, tuple))


def show_node(node: Node) -> str:
    """What stands right of `=` where the node has a line of its own and all that it reads has one too."""
    return _show_node(node, {}, set()).text


def show_frame(frame: Frame, begun: bool) -> str:
    """The line that begins a block of a region or a group; `begun` when it has one above."""
    return _head(frame, begun)


def show_head(region: Region) -> str:
    """The line that begins a region's first block."""
    return _region_head(region, False)


def _show_node(node: Node, shown: Mapping[str, Shown], inlined: set[str]) -> Shown:
    """What stands right of `=`, or inside the consumer if the node itself is inlined."""
    operands = [
        (shown[slot] if slot in inlined else Shown(slot)) if isinstance(slot, str) else show_operand(slot)
        for slot in node.slots
    ]
    alternative = operands.pop().text if node.rule.kind == BACKWARD_AS and operands else "..."
    if node.op == INPUT and not operands:
        inner = _show_input(node)
    elif is_direct(node) or _is_alias(node, inlined):
        inner = operands[0]
    else:
        inner = show_applied(node.op, operands, node.params)
    ruled = inner if node.rule.kind == FOLLOW else Shown(show_rule(inner.text, node.rule, alternative))
    heard = Shown(f"{BYPASS}({ruled.text})") if node.muted else ruled
    return Shown(f"{CUT}({heard.text})") if node.cut else heard


def _show_input(node: Node) -> Shown:
    function, given = source_of(node.params)
    values = dict(given)
    value = values.pop("value", None)
    if function == INPUT and value is not None and not values:
        return Shown(show_literal(value))
    slots = [] if value is None else [show_literal(value)]
    return show_call(function, slots, tuple(values.items()), tuple(SOURCES[function].values()))


def _is_alias(node: Node, inlined: set[str]) -> bool:
    """Whether an identity is written `b = a`: it has a line of its own and names a node, or none yet."""
    bent = node.rule.kind != FOLLOW or node.muted or node.cut
    if node.op != IDENTITY or bent or len(node.slots) != 1 or node.params:
        return False
    slot = node.slots[0]
    return node.name not in inlined and isinstance(slot, (str, type(None))) and slot not in inlined


def _lines(graph: Graph, roots: Iterable[Node], values: Mapping[str, str], around: Chains) -> list[str]:
    """The assignments in their blocks."""
    frames = {frame.name: frame for frame in graph.frames}
    begun: set[str] = set()
    lines: list[str] = []
    current: tuple[str, ...] = ()
    for node in roots:
        chain = around[node.name]
        same = next((i for i, (a, b) in enumerate(zip(chain, current, strict=False)) if a != b), None)
        level = min(len(chain), len(current)) if same is None else same
        for depth in range(level, len(chain)):
            lines.extend(wrapped(_head(frames[chain[depth]], chain[depth] in begun), INDENT * depth))
            begun.add(chain[depth])
        current = chain
        lines.extend(wrapped(f"{node.name} = {values[node.name]}", INDENT * len(chain)))
    for frame in graph.frames:
        if not frame.nodes:
            lines.extend([*wrapped(_head(frame, False), ""), f"{INDENT}..."])
    return lines


def _head(frame: Frame, begun: bool) -> str:
    """`with group("..."):`, `with branches("..."):`, or `with checkpoint(...):`, whose policy stands in its
    first block alone."""
    if isinstance(frame, Group):
        return f'with {"branches" if frame.branches else "group"}("{frame.name}"):'
    return _region_head(frame, begun)


def _region_head(region: Region, begun: bool) -> str:
    parts = [f'"{region.name}"']
    if not begun and (region.policy != POLICIES[0] or region.saved):
        parts.append(f'policy="{region.policy}"')
    if not begun and (region.saved or region.policy == SAVE_ONLY):
        names = ", ".join(f'"{name}"' for name in sorted(region.saved))
        parts.append(f"names=({names}{',' if len(region.saved) == 1 else ''})")
    return f"with checkpoint({', '.join(parts)}):"
