"""Flatten an expression tree to nodes, with automatic names for intermediate steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import count

from autodiff_viz.graph.model import Node
from autodiff_viz.language.expressions.tree import Applied
from autodiff_viz.language.source.caret import Span

Position = tuple[float, float]


class Namer:
    """Generator of automatic names: `<stem>_<k>` with the smallest k >= 1 that is free."""

    def __init__(self, taken: Iterable[str]):
        self._taken = frozenset(taken)
        self._next: dict[str, count[int]] = {}

    def __call__(self, stem: str) -> str:
        numbers = self._next.setdefault(stem, count(1))
        return next(name for k in numbers if (name := f"{stem}_{k}") not in self._taken)


def flatten(
    tree: Applied,
    name: str | None,
    fresh: Callable[[str], str],
    positions: Mapping[str, Position],
    spans: dict[str, Span],
) -> list[Node]:
    """Return the nodes of an expression in topological order; the last one is called `name`.

    Args:
      tree: the expression.
      name: name of the root, or None for an automatic one.
      fresh: returns an automatic name for a stem.
      positions: canvas positions by node name, in pixels.
      spans: receives the place of each node in the text.
    """
    nodes: list[Node] = []

    def add(tree: Applied, name: str | None) -> str:
        slots = tuple(add(part, None) if isinstance(part, Applied) else part for part in tree.operands)
        name = name or fresh(tree.stem)
        marks = (positions.get(name), tree.muted, tree.cut)
        nodes.append(Node(name, tree.op, slots, tree.params, tree.rule, *marks))
        spans[name] = tree.span
        return name

    add(tree, name)
    return nodes
