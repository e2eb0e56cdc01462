"""Generate random graphs of scalars that exist three times: as a graph, and as JAX and PyTorch functions.

The functions are Python source with one line per node, as a person would write them by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from types import ModuleType
from typing import Any

import jax.numpy as jnp

from autodiff_viz.graph.model import INPUT, Graph, Node, params

UNARY = ("sin", "cos", "tanh", "exp", "square", "sqrt")
BINARY = {"add": "+", "sub": "-", "mul": "*"}
TAME = {"exp": "sin", "square": "tanh", "sqrt": "exp"}
"""By op, the op before it that keeps its values moderate at any depth of graph: exp(sin(x)) is at most e."""
INPUTS = 3
NEAR = 12  # a node reads among this many nodes before it, so that depth grows with the number of nodes


@dataclass(frozen=True, slots=True)
class Example:
    """A graph, the source of the same function, and the values of its inputs, in order."""

    graph: Graph
    source: str
    inputs: tuple[float, ...]

    def function(self, library: ModuleType = jnp) -> Callable[..., Any]:
        """Return the source as a function of the inputs, in `jax.numpy` or in `torch`."""
        names = {op: getattr(library, op) for op in UNARY}
        exec(self.source, names)
        return names["f"]


def example(size: int, seed: int) -> Example:
    """Return a random graph of `size` nodes; another seed gives another structure."""
    random = Random(f"{size} {seed}")
    nodes = [Node(f"x{i}", INPUT, (), params(value=random.uniform(0.3, 1.2))) for i in range(INPUTS)]
    unused = [node.name for node in nodes]
    while len(nodes) < size:
        op, slots = _choose(random, nodes, unused, size - len(nodes))
        nodes.append(Node(f"n{len(nodes)}", op, slots))
        unused = [name for name in unused if name not in slots] + [nodes[-1].name]
    return Example(
        Graph(tuple(nodes), (), nodes[-1].name),
        _source(nodes),
        tuple(node.param("value") for node in nodes[:INPUTS]),
    )


def tensors(size: int) -> Graph:
    """Return the same graph with values of shape [8, 8].

    The inputs are parameters, and a last node sums the output.
    """
    graph = example(size, 0).graph
    drawn = {"shape": (8, 8), "init": "normal", "trainable": True}
    inputs = [Node(f"x{i}", INPUT, (), params(seed=i, **drawn)) for i in range(INPUTS)]
    total = Node("total", "sum", (graph.output,))
    return Graph((*inputs, *graph.nodes[INPUTS:], total), (), total.name)


def _choose(random: Random, nodes: list[Node], unused: list[str], left: int) -> tuple[str, tuple]:
    """Return the next op and its slots.

    Towards the end all unused nodes are joined, so that each takes part in the backward pass.
    """
    if left < len(unused):
        return "mul" if random.random() < 0.3 else "add", (unused[0], unused[-1])
    last = nodes[-1]
    if last.op in TAME.values() and random.random() < 0.4:
        return next(op for op, before in TAME.items() if before == last.op), (last.name,)
    if random.random() < 0.5:
        return random.choice(("sin", "cos", "tanh")), (random.choice(nodes[-NEAR:]).name,)
    op, first = random.choice(tuple(BINARY)), random.choice(nodes[-NEAR:]).name
    second = random.choice((random.choice(nodes[-NEAR:]).name, round(random.uniform(0.2, 0.9), 1)))
    return op, (first, second)


def _source(nodes: list[Node]) -> str:
    given = [node.name for node in nodes if node.op == INPUT]
    lines = [f"    {node.name} = {_expression(node)}" for node in nodes if node.op != INPUT]
    return "\n".join([f"def f({', '.join(given)}):", *lines, f"    return {nodes[-1].name}"])


def _expression(node: Node) -> str:
    if node.op in BINARY:
        return f"{node.slots[0]} {BINARY[node.op]} {node.slots[1]}"
    return f"{node.op}({node.slots[0]})"
