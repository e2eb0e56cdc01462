"""Count runs of nodes by executing the program: the witness of the counts that are read off its jaxprs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import jax
import jax.numpy as jnp

from autodiff_viz.engine.trace import precision
from autodiff_viz.engine.whole_program.program import Program, dynamic_params, structure
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import Graph

KEPT = 256  # graphs whose counts are memoised


def executed_runs(
    graph: Graph, shapes: Mapping[str, tuple[int, ...]], dtype: str
) -> Mapping[str, tuple[int, int]]:
    """Execute one forward and one backward pass; return by node (runs in the one, runs in the other).

    A callback in each node counts. No jaxpr is read, so that the form in which JAX writes regions has no part
    in it. What runs does not depend on the numbers, which are ones.

    Source: `jax.vjp` with `jax.debug.callback`.
    """
    return _executed(structure(graph), tuple(sorted(shapes.items())), dtype)


@remembered(KEPT)
def _executed(graph: Graph, shapes: tuple, dtype: str) -> Mapping[str, tuple[int, int]]:
    ran: Counter[str] = Counter()
    program, dynamic = Program(graph, dtype, marked=lambda name: ran.update((name,))), dynamic_params(graph)
    with precision(dtype):
        inputs = {name: jnp.ones(shape, dtype) for name, shape in shapes}
        output, pull = jax.vjp(lambda given: program(given, dynamic, {})[0], inputs)
        jax.effects_barrier()
        forward = dict(ran)
        pull(jnp.ones_like(output))
        jax.effects_barrier()
    return {name: (forward.get(name, 0), count - forward.get(name, 0)) for name, count in ran.items()}
