"""Count how often each node really runs: a callback in every node, while the compiled program executes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.engine.whole_program import program
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.ops.catalog import OPS

# Value, and partials from the operands and the value y: a factor that names y needs the node's own run.
COUNTED: dict[str, tuple[Callable, Callable]] = {
    "sin": (np.sin, lambda y, x: (jnp.cos(x),)),
    "exp": (np.exp, lambda y, x: (y,)),
    "tanh": (np.tanh, lambda y, x: (1 - y * y,)),
    "add": (np.add, lambda y, a, b: (1.0, 1.0)),
    "mul": (np.multiply, lambda y, a, b: (b, a)),
}


def executions(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Runs by node in one compiled call that gives the output and its gradients; inputs are left out.

    The graph's ops are those of `COUNTED`, on scalars.
    """
    counter: Counter[str] = Counter()
    ops = {node.name: _counting(node.op, node.name, counter) for node in graph.nodes if node.op != INPUT}
    apart = tuple(node if node.op == INPUT else replace(node, op=node.name) for node in graph.nodes)
    with monkeypatch.context() as patch:
        patch.setattr(program, "OPS", ops)
        whole = program.Program(replace(graph, nodes=apart), "float32")
        inputs = {n.name: jnp.float32(n.param("value")) for n in graph.nodes if n.op == INPUT}
        jax.block_until_ready(jax.jit(jax.value_and_grad(lambda i: whole(i, {}, {})[0]))(inputs))
        jax.effects_barrier()
    return counter


def _counting(op: str, name: str, counter: Counter[str]):
    value, partials = COUNTED[op]

    def compute(*operands: np.ndarray) -> np.ndarray:
        counter[name] += 1
        return np.asarray(value(*operands), np.float32)

    @jax.custom_jvp
    def counted(*operands: jax.Array) -> jax.Array:
        return jax.pure_callback(compute, jax.ShapeDtypeStruct((), jnp.float32), *operands)

    @counted.defjvp
    def _(primals: tuple, tangents: tuple) -> tuple:
        y = counted(*primals)
        return y, sum(dot * part for dot, part in zip(tangents, partials(y, *primals), strict=True))

    return replace(OPS[op], name=name, apply=counted)
