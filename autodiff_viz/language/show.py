"""Print graphs as formula text, the inverse of the parser: `parse(show(graph)) == graph`.

The text has names, rules, regions, groups and positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import NamedTuple

from autodiff_viz.graph.check import cycle_problem
from autodiff_viz.graph.grad_nodes import own_slots, without_reads
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import IDENTITY, INPUT, Frame, Graph, Group, Node
from autodiff_viz.graph.order import find_cycle, order
from autodiff_viz.graph.policies import POLICIES, TAKING_NAMES
from autodiff_viz.graph.problem import GraphError, Problem, known_graph, without_natives
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW, KINDS, WIRES
from autodiff_viz.graph.text import COTANGENT, OUT, numbered, quoted, shape_of
from autodiff_viz.language.literals import show_literal
from autodiff_viz.language.printer import (
    INDENT,
    WIDTH,
    Chains,
    Shown,
    candidates,
    chains,
    is_direct,
    joined,
    reading_order,
    show_applied,
    show_argument,
    show_call,
    show_lambda,
    show_operand,
    show_rule,
    span_of,
    stretches,
    text_order,
    well_numbered,
    wrapped,
)
from autodiff_viz.language.reader import SOURCES, source_of
from autodiff_viz.language.scanner import Places, Span
from autodiff_viz.language.statements import show_positions
from autodiff_viz.language.suggestions import BYPASS, CUT

__all__ = ["show", "show_argument", "show_lambda", "show_literal"]


def show_head(frame: Frame, begun: bool = False) -> str:
    """Write the head of a frame's block; only the first block of a region states its policy.

    `begun`: the frame has a block above.
    """
    if isinstance(frame, Group):
        return f'with {"branches" if frame.branches else "group"}("{frame.name}"):'
    parts = [f'"{frame.name}"']
    if not begun and (frame.policy != POLICIES[0] or frame.saved):
        parts.append(f'policy="{frame.policy}"')
    if not begun and (frame.saved or frame.policy in TAKING_NAMES):
        names = ", ".join(f'"{name}"' for name in sorted(frame.saved))
        parts.append(f"names=({names}{',' if len(frame.saved) == 1 else ''})")  # ("a",)
    return f"with checkpoint({', '.join(parts)}):"


DEPTH = 8  # nesting of ops in one line; deeper ones get lines of their own
PASSES = 8  # iterations until the inlined nodes are a fixed point; two are usual
REMEMBERED = 8_192  # nodes whose text is in the LRU cache, for all visitors


def show(graph: Graph, positions: bool = True) -> str:
    """Write the graph as text that `parse` reads back to an equal graph.

    A node that is used once is inlined in the expression of its consumer, if its name is the automatic one
    and the line stays readable.

    Args:
      graph: may be unfinished: an empty slot is written `...`.
      positions: whether to end with the comment that holds the canvas positions of the nodes.
    Returns:
      The text, a line for each step.
    Raises:
      GraphError: the graph has a cycle, two nodes or frames of one name, or a frame of unknown nodes.
    """
    text = _written(graph)
    lines = text.lines
    if positions:
        read = reading_order(graph, text.ordered, text.inlined)
        lines = [*lines, *show_positions(graph[name] for name in read)]
    return _text(lines)


def show_with_spans(graph: Graph) -> tuple[str, dict[str, Span]]:
    """Write the graph without positions; also return the span of each node in the text, by node name.

    These are the spans that `parse_with_spans` finds in the text.
    """
    text, places = show_with_places(graph)
    return text, dict(places.spans)


def show_with_places(graph: Graph) -> tuple[str, Places]:
    """Write the graph without positions; also return its places in the text, as `places_in`."""
    text = _written(graph)
    return _text(text.lines), text.places


@remembered(64)
def written(graph: Graph) -> tuple[str, Places]:
    """Return the canonical text of the graph, and where it has the nodes and the frames."""
    return show_with_places(graph)


class _Written(NamedTuple):
    """A written graph without its positions.

    Attributes:
      lines: of the text.
      places: of nodes and frames in them.
      ordered: nodes in the order of the text.
      inlined: names of the nodes without a line of their own.
    """

    lines: list[str]
    places: Places
    ordered: tuple[Node, ...]
    inlined: set[str]


def _written(graph: Graph) -> _Written:
    _check(without_natives(known_graph(graph), "a formula"))
    graph = without_reads(graph)
    around = chains(graph)
    ordered = text_order(graph, around)
    values = _values(graph, ordered, around)
    roots = [node for node in ordered if node.name in values]
    lines, places = _lines(graph, roots, values, around)
    if roots and graph.output not in (None, roots[-1].name):
        lines.append(f"return {graph.output}")
    return _Written(lines, places, ordered, graph.by_name.keys() - values.keys())


def _text(lines: Iterable[str]) -> str:
    return "".join([f"{line}\n" for line in lines])


def _check(graph: Graph) -> None:
    names = [node.name for node in graph.nodes]
    for what, named in (("nodes", names), ("regions or groups", [frame.name for frame in graph.frames])):
        for name in named if len(set(named)) < len(named) else ():
            if named.count(name) > 1:
                message = f"Two {what} are named {quoted(name)}."
                raise GraphError(Problem("duplicate-name", message, "Rename one of them.", node=name))
    if cycle := find_cycle(graph):
        raise GraphError(cycle_problem(cycle))
    for frame in graph.frames:
        for name in sorted(frame.nodes - graph.by_name.keys()):
            message = f"{quoted(frame.name)} names {quoted(name)}, which is no node of the graph."
            raise GraphError(Problem("unknown-node", message, "Take the name out of it.", node=name))


def _values(graph: Graph, ordered: Iterable[Node], around: Chains) -> dict[str, Shown]:
    """Return the right side of every line by the name on its left; inlined nodes are parts of these."""
    # A node on a line of its own changes the numbers that automatic names behind it get, and makes room in
    # the line that it has left: so this goes on until nothing changes.
    inlined = set(candidates(graph, around))
    for _ in range(PASSES):
        values, kept = _render(graph, ordered, around, inlined)
        kept = well_numbered(graph, ordered, kept)
        if kept == inlined:
            return {name: piece for name, piece in values.items() if name not in inlined}
        inlined = kept
    return _render(graph, ordered, around, set())[0]


def _render(
    graph: Graph, ordered: Iterable[Node], around: Chains, inlined: set[str]
) -> tuple[dict[str, Shown], set[str]]:
    """Write every node, and return the nodes of `inlined` that their lines have room for."""
    kept = set(inlined)
    shown: dict[str, Shown] = {}
    depths: dict[str, int] = {}
    for node in ordered:
        room = WIDTH - len(INDENT) * len(around[node.name]) - len(f"{node.name} = ")
        inner = [slot for _, slot in node.wires if slot in kept]
        # Each number takes at least three characters: a tensor that fills the line leaves no room for others.
        tensors = [slot for slot in node.slots if isinstance(slot, tuple)] if inner else ()
        if any(3 * prod(shape_of(tensor)) > room + 2 for tensor in tensors):
            kept.difference_update(inner)
            inner = []
        inner.sort(key=lambda name: len(shown[name].text))
        while inner and max(depths[name] for name in inner) >= DEPTH:
            deepest = max(inner, key=lambda name: depths[name])
            inner.remove(deepest)
            kept.discard(deepest)
        shown[node.name] = _show_node(node, shown, kept)
        while inner and len(shown[node.name].text) > room:  # the longest gets a line of its own first
            kept.discard(inner.pop())
            shown[node.name] = _show_node(node, shown, kept)
        depths[node.name] = 1 + max((depths[name] for name in inner), default=0)
    return shown, kept


def show_node(node: Node) -> str:
    """Write the right side of the node's line when neither it nor its producers are inlined."""
    return _alone(own_slots(node)).text


def show_expressions(graph: Graph, inlined: set[str]) -> dict[str, str]:
    """Write the right side of every node's line, by name, with the nodes of `inlined` in it."""
    shown: dict[str, Shown] = {}
    for node in order(graph):
        shown[node.name] = _show_node(node, shown, inlined)
    return {name: piece.text for name, piece in shown.items()}


@remembered(REMEMBERED, lambda node: node.identity)
def _alone(node: Node) -> Shown:
    return _applied(node, {}, set())


def _show_node(node: Node, shown: Mapping[str, Shown], inlined: set[str]) -> Shown:
    """Write the right side of the node's line, or its part of the consumer's line if it is inlined."""
    if node.name not in inlined and not any(slot in inlined for _, slot in node.wires):
        return _alone(node)
    return _applied(node, shown, inlined)


def _applied(node: Node, shown: Mapping[str, Shown], inlined: set[str]) -> Shown:
    operands = []
    for slot in node.slots:
        if not isinstance(slot, str):
            operands.append(show_operand(slot))
        elif slot in inlined:  # with its own place around those of the nodes inside it
            inner = shown[slot]
            operands.append(inner._replace(places=((slot, 0, len(inner.text)), *inner.places)))
        else:
            operands.append(Shown(slot))
    alternative = operands.pop() if node.rule.kind == BACKWARD_AS and operands else Shown("...")
    if node.op == INPUT and not operands:
        inner = _show_input(node)
    elif is_direct(node) or _is_alias(node, inlined):
        inner = operands[0]
    else:
        inner = show_applied(node.op, operands, node.params)
    ruled = show_rule(inner, node.rule, alternative)
    muted = joined(f"{BYPASS}(", ruled, ")") if node.muted else ruled
    return joined(f"{CUT}(", muted, ")") if node.cut else muted


def _show_input(node: Node) -> Shown:
    function, given = source_of(node.params)
    values = dict(given)
    value = values.pop("value", None)
    if function == INPUT and value is not None and not values:
        return Shown(show_literal(value))
    slots = [] if value is None else [show_literal(value)]
    return show_call(function, slots, tuple(values.items()), tuple(SOURCES[function].values()))


def _is_alias(node: Node, inlined: set[str]) -> bool:
    """Return whether an identity is written `b = a`: not inlined itself, and reads no inlined node."""
    bent = node.rule.kind != FOLLOW or node.muted or node.cut
    if node.op != IDENTITY or bent or len(node.slots) != 1 or node.params:
        return False
    slot = node.slots[0]
    return node.name not in inlined and isinstance(slot, (str, type(None))) and slot not in inlined


def _lines(
    graph: Graph, roots: Iterable[Node], values: Mapping[str, Shown], around: Chains
) -> tuple[list[str], Places]:
    """Return the assignments in their blocks, and where each node and each block is."""
    frames = {frame.name: frame for frame in graph.frames}
    heads: dict[str, list[int]] = {}
    lines: list[str] = []
    spans: dict[str, Span] = {}
    current: tuple[str, ...] = ()
    for node in roots:
        chain = around[node.name]
        same = next((i for i, (a, b) in enumerate(zip(chain, current, strict=False)) if a != b), None)
        level = min(len(chain), len(current)) if same is None else same  # blocks that go on
        for depth in range(level, len(chain)):
            begun = heads.setdefault(chain[depth], [])
            head = show_head(frames[chain[depth]], bool(begun))
            begun.append(len(lines) + 1)
            lines.extend(wrapped(head, INDENT * depth))
        current = chain
        line = joined(f"{node.name} = ", values[node.name])
        pieces = [*stretches(line.text, INDENT * len(chain))]
        for name, start, end in ((node.name, 0, len(line.text)), *line.places):
            spans[name] = span_of(pieces, len(lines) + 1, start, end)
        lines.extend([before + line.text[start:end] for before, start, end in pieces])
    for frame in graph.frames:
        if not frame.nodes:  # a block of `...` at the end, so that an empty frame is not lost
            heads[frame.name] = [len(lines) + 1]
            lines.extend([*wrapped(show_head(frame, False), ""), f"{INDENT}..."])
    return lines, Places(MappingProxyType(spans), MappingProxyType(heads))


# Shadowed names: arguments of a rule's function that are named like a node they do not stand for. Arguments
# are bound by position: in `custom(0.5 * (1.0 + a), pullback=lambda v, a, y: v * a)`, which runs, the
# lambda's `a` is the sum 1.0 + a, since the product is wired to that sum.


VALUES = (OUT, "y")  # "y" is the last argument in texts about custom derivatives

SHOWN = 60  # characters of an expression that a message quotes


@dataclass(frozen=True, slots=True)
class Shadow:
    """A shadowed name.

    Attributes:
      node: node whose rule has the function.
      argument: the argument.
      means: what it stands for, in words.
      better: a name that would say so.
    """

    node: str
    argument: str
    means: str
    better: str

    def __str__(self) -> str:
        return (
            f"Shadowed: in its rule, {self.argument} stands for {self.means}, not for node {self.argument}. "
            f"Call it {self.better}; a rule sees only what is wired to its node."
        )


def shadows(graph: Graph) -> tuple[Shadow, ...]:
    """Return all arguments named like a node that they do not stand for, in graph order."""
    return tuple(shadow for node in graph.nodes if node.rule.function for shadow in _of(graph, node))


def _of(graph: Graph, node: Node) -> Iterator[Shadow]:
    args = node.rule.function.args  # type: ignore[union-attr]
    taken = {*graph.by_name, *args}
    if args[:1] not in ((), (COTANGENT,)) and args[0] in graph:
        yield Shadow(node.name, args[0], "the cotangent that arrives", _free(COTANGENT, taken))
    if KINDS[node.rule.kind].function != WIRES or len(args) != len(node.wires) + 2:
        return
    for argument, (_, producer) in zip(args[1:-1], node.wires, strict=True):
        if argument in graph and argument != producer:
            means = _described(graph, producer)
            yield Shadow(node.name, argument, means, _free(producer, args))
    if args[-1] not in (*VALUES, node.name) and args[-1] in graph:
        yield Shadow(node.name, args[-1], f"the value of {node.name} itself", _free(OUT, taken))


def _described(graph: Graph, name: str) -> str:
    """Name a node with its expression, if it has one."""
    node = graph.by_name.get(name)
    if node is None or node.op == INPUT:
        return f"node {name}"
    text = show_node(node)
    return f"node {name}, {text if len(text) <= SHOWN else f'{text[:SHOWN]}...'}"


def _free(name: str, taken: object) -> str:
    return numbered(name, taken) if name in taken else name  # type: ignore[operator, arg-type]
