"""Find the rules because of which a gradient is not the true one: those that change it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from autodiff_viz.graph.model import Graph, Node, Rule
from autodiff_viz.graph.rule_kinds import FOLLOW

MOST = 12  # rules that are tried; two gradients each


def causing_rules(
    graph: Graph,
    rules: Iterable[Node],
    gradient: Callable[[Graph], np.ndarray],
    differs: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> tuple[Node, ...]:
    """Return those of the rules that change a gradient: by their absence, or by themselves.

    Of two stops on one path neither is missed, and each alone stops.

    Args:
      rules: nodes of the graph. All of them are returned if they are more than `MOST`.
      gradient: returns the numbers that may change, of a graph with fewer rules.
      differs: returns where two such arrays differ by more than rounding.
    """
    rules = tuple(rules)
    if len(rules) > MOST:
        return rules
    names = {node.name for node in rules}
    declared, true = gradient(graph), gradient(without(graph, names))

    def changes(name: str) -> bool:
        left_out = gradient(without(graph, {name}))
        return bool(
            np.any(differs(left_out, declared))
            or np.any(differs(gradient(without(graph, names - {name})), true))
        )

    return tuple(node for node in rules if changes(node.name))


def without(graph: Graph, names: Iterable[str]) -> Graph:
    """Return the graph in which these nodes have no rule."""
    chosen = set(names)
    return replace(
        graph,
        nodes=tuple(
            replace(node, rule=Rule(), slots=node.op_slots)
            if node.name in chosen and node.rule.kind != FOLLOW
            else node
            for node in graph.nodes
        ),
    )
