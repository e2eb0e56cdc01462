"""Find shadowed names: arguments of a rule's function named like a node they do not stand for.

Arguments are bound by position: in `custom(0.5 * (1.0 + a), pullback=lambda v, a, y: v * a)`, which runs, the
lambda's `a` is the sum 1.0 + a, since the product is wired to that sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from autodiff_viz.graph.model import INPUT, Graph, Node
from autodiff_viz.graph.registries.rule_kinds import KINDS, WIRES
from autodiff_viz.graph.text.names import COTANGENT, OUT, numbered
from autodiff_viz.language.show import show_node

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
