"""Measure the bytes that XLA allocates for the compiled program, temporary buffers included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from autodiff_viz.engine.check import diagnose
from autodiff_viz.engine.trace import Trace, known_trace, precision
from autodiff_viz.engine.whole_program.program import Program, dynamic_params, structure
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError

KEPT = 64  # graphs whose numbers are memoised


@dataclass(frozen=True, slots=True)
class XlaMemory:
    """XLA's `memory_analysis` of the compiled program that returns output and gradients, in bytes.

    Attributes:
      temporary: of buffers between its first and its last op.
      arguments: of the inputs and the seed.
      outputs: of the output and the gradients.
    """

    temporary: int
    arguments: int
    outputs: int


def xla_memory(trace: Trace) -> XlaMemory | None:
    """Compile the differentiated graph for this machine and return XLA's own numbers.

    They differ from `memory`: XLA fuses ops, so that some arrays never exist, reuses the buffers of others,
    and may order ops otherwise. Compilation takes from tenths of a second to many seconds.

    Args:
      trace: has an output.
    Returns:
      Bytes; None if XLA says nothing.
    Raises:
      GraphError: no trace is given, or a checkpoint region is not valid.
    Source: https://docs.jax.dev/en/latest/jax.stages.html#jax.stages.Compiled.memory_analysis
    """
    graph = known_trace(trace).graph
    shapes = {name: value.shape for name, value in trace.inputs.items()}
    if found := diagnose(graph, shapes):
        raise GraphError(found)
    return _analysed(structure(graph), tuple(sorted(shapes.items())), trace.seed.shape, trace.dtype)


@remembered(KEPT)
def _analysed(graph: Graph, shapes: tuple, seed_shape: tuple[int, ...], dtype: str) -> XlaMemory | None:
    with precision(dtype):
        program, dynamic = Program(graph, dtype), dynamic_params(graph)

        def differentiate(inputs: dict[str, jax.Array], seed: jax.Array) -> Any:
            output, pull = jax.vjp(lambda given: program(given, dynamic, {})[0], inputs)
            return output, pull(seed)

        inputs = {name: jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for name, shape in shapes}
        seed = jax.ShapeDtypeStruct(seed_shape, jnp.dtype(dtype))
        found = jax.jit(differentiate).lower(inputs, seed).compile().memory_analysis()
    if found is None:
        return None
    return XlaMemory(found.temp_size_in_bytes, found.argument_size_in_bytes, found.output_size_in_bytes)
