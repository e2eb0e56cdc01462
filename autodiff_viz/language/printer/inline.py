"""Choose the nodes that `show` writes inside the expression of their only consumer.

A node may be inlined when `parse` would give it back: it is used once, in the same frames, is neither output
nor input, and its name is the automatic one that its place in the text leads to.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from autodiff_viz.graph.model import FOLLOW, GRAD, IDENTITY, INPUT, Graph, Node
from autodiff_viz.graph.structure.grad_nodes import BY
from autodiff_viz.graph.structure.order import consumers
from autodiff_viz.language.expressions.wrappers import stem_of

_AUTOMATIC = re.compile(r"(\w+)_([1-9]\d*)", re.ASCII)


def is_direct(node: Node) -> bool:
    """Return whether an identity with a rule is written `stop_gradient(x)`, not `stop_gradient(identity(x))`.

    The direct form is for a name, an empty slot or another wrapper.
    """
    if node.op != IDENTITY or _is_plain(node) or len(node.op_slots) != 1 or node.params:
        return False
    return isinstance(node.slots[0], (str, type(None))) and _stem(node.name) != IDENTITY


def _is_plain(node: Node) -> bool:
    """Return whether no wrapper is written around the op."""
    return node.rule.kind == FOLLOW and not node.muted and not node.cut


def _would_take(wrapper: Node, inner: Node) -> bool:
    """Return whether a wrapper without an op would be parsed as a wrapper of the node inside it."""
    if wrapper.rule.kind != FOLLOW:
        return _is_plain(inner)
    return not inner.cut and not (wrapper.muted and inner.muted)


def candidates(graph: Graph, chains: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """Return the nodes that could be inlined, with their consumers, judging from their neighbours alone.

    `chains` has the names of the frames around each node.
    """
    kept = {name for region in graph.regions for name in region.saved} | {graph.output}
    found = {}
    for name, uses in consumers(graph).items():
        node = graph[name]
        if len(uses) != 1 or name in kept or node.op == INPUT:
            continue
        consumer = graph[uses[0][0]]
        if consumer.op == GRAD and uses[0][1] >= BY:  # x, and what the function from x to z reads by name
            continue
        stem = stem_of(node) if is_direct(node) else node.op
        wrapped = uses[0][1] == 0 and is_direct(consumer) and _would_take(consumer, node)
        if _stem(name) == stem and chains[name] == chains[consumer.name] and not wrapped:
            found[name] = consumer.name
    return found


def well_numbered(graph: Graph, ordered: Sequence[Node], inlined: Iterable[str]) -> set[str]:
    """Return those of `inlined` that get their own number back when the text is parsed.

    `parse` numbers the steps of a stem upwards and skips the names that lines assign. So the numbers must
    increase through the text and stay below the first one that no node has.
    """
    inlined = set(inlined)
    taken = defaultdict(set)
    for node in graph.nodes:
        if match := _AUTOMATIC.fullmatch(node.name):
            taken[match[1]].add(int(match[2]))
    lowest = {stem: _first_free(numbers) for stem, numbers in taken.items()}
    kept = set()
    for name in reversed(reading_order(graph, ordered, inlined)):
        if name not in inlined:
            continue
        match = _AUTOMATIC.fullmatch(name)
        stem, number = match[1], int(match[2])  # type: ignore[index]
        if number < lowest[stem]:
            lowest[stem] = number
            kept.add(name)
    return kept


def reading_order(graph: Graph, ordered: Sequence[Node], inlined: set[str]) -> list[str]:
    """Return the names of all nodes in the order in which `parse` makes them.

    That is line by line, innermost first, left to right.
    """
    found: list[str] = []
    for root in ordered:
        if root.name in inlined:
            continue
        stack = [(root, iter(root.slots))]  # an explicit stack: an inlined chain may be long at first
        while stack:
            node, rest = stack[-1]
            inner = next((slot for slot in rest if isinstance(slot, str) and slot in inlined), None)
            if inner is not None:
                stack.append((graph[inner], iter(graph[inner].slots)))
                continue
            stack.pop()
            found.append(node.name)
    return found


def _stem(name: str) -> str:
    match = _AUTOMATIC.fullmatch(name)
    return match[1] if match else ""


def _first_free(numbers: set[int]) -> int:
    return next(k for k in range(1, len(numbers) + 2) if k not in numbers)
