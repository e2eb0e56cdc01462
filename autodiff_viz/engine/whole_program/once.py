"""Compute the numbers of a graph that is asked once, as one program.

The live path compiles a small program for each op and shape, which many graphs and visitors share: an edit
then compiles nothing. Who asks once for the numbers of pasted code would pay for all of them, and one
program of the whole graph is compiled in a tenth of that time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.grad_op import op_call
from autodiff_viz.engine.live_path.arrays import own_value
from autodiff_viz.engine.live_path.compiling import QUICK, compiled, rounded
from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.trace import precision
from autodiff_viz.engine.whole_program.program import Program, dynamic_params, structure
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import GRAD, INPUT, Graph
from autodiff_viz.graph.mute import played


@dataclass(frozen=True)
class Pass:
    """Numbers of a forward and a backward pass, by node name."""

    value: dict[str, np.ndarray]
    cotangent: dict[str, np.ndarray]


def values_once(graph: Graph, names: Sequence[str], dtype: str) -> dict[str, np.ndarray]:
    """Compute the values of some nodes.

    Args:
      graph: complete, with shapes that fit; it needs no output.
      names: of the nodes.
    Raises:
      GraphError: a grad node of it has too high an order, or too many ops.
    """
    return _computed(graph, tuple(names), dtype)


def pass_once(graph: Graph, dtype: str) -> Pass:
    """Compute all values of a graph, and the cotangents that arrive at its nodes from ones at its output.

    Args:
      graph: complete, with shapes that fit.
    Raises:
      GraphError: as `values_once`.
    """
    return Pass(*_computed(graph, None, dtype))


def _computed(graph: Graph, names: tuple[str, ...] | None, dtype: str) -> Any:
    graph = played(graph)
    for node in graph.nodes:
        if node.op == GRAD:
            op_call(graph, node, lambda name: ())  # refuses what the live path refuses
    with precision(dtype):
        given = {node.name: own_value(node, dtype) for node in graph.nodes if node.op == INPUT}
        shapes = tuple((name, array.shape) for name, array in given.items())
        results = _program(structure(graph), shapes, names, dtype)(given, dynamic_params(graph))
        return jax.tree.map(np.asarray, results)


KEPT = 16  # programs: an answer is computed again with other numbers, to see whether it jumps


@remembered(KEPT)
def _program(
    graph: Graph, shapes: tuple[tuple[str, tuple[int, ...]], ...], names: tuple[str, ...] | None, dtype: str
) -> Callable[[Any, Any], Any]:
    """Return a program of inputs and run-time parameters: of some values, or of a whole pass.

    Args:
      shapes: of the inputs, on which the compiled program depends.
    """
    program = Program(graph, dtype)

    def forward(inputs: Any, dynamic: Any) -> Any:
        values = program.values(inputs, dynamic, {})
        return {name: values[name] for name in names or ()}

    def both(inputs: Any, dynamic: Any) -> Any:
        known = jax.eval_shape(lambda: program.values(inputs, dynamic, {}))
        sinks = {(name, ARRIVING): jnp.zeros(each.shape, dtype) for name, each in known.items()}
        output, pull, values = jax.vjp(lambda sinks: program(inputs, dynamic, sinks), sinks, has_aux=True)
        (arriving,) = pull(jnp.ones_like(output))
        return values, {name: arriving[name, ARRIVING] for name in known}

    return compiled(both if names is None else forward, rounded(QUICK, dtype), fixed=True)
