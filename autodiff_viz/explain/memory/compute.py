"""Count what is live in memory after each step of a pass, and ask XLA what it allocates.

`memory` counts arrays that a later step reads, freed after their last reader; `xla_memory` returns the bytes
of the compiled program, temporary buffers included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp

from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.trace import Trace, precision, with_output
from autodiff_viz.engine.whole_program.program import Program, dynamic_params, structure
from autodiff_viz.explain.play.compute import FORWARD, Array, LiveArray, PlayStep, totals, whole_pass
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.shown import Shown


@dataclass(frozen=True)
class Memory(Shown):
    """What a pass holds between its steps, if every array is freed after its last reader.

    Attributes:
      steps: the steps of `play`; the elements that are live after step i are `steps[i].live`.
      arrays: each array that a later step reads, in the order in which they are written.
      bytes: the bytes that are live after each step.
    """

    steps: tuple[PlayStep, ...]
    arrays: tuple[LiveArray, ...]
    bytes: tuple[int, ...]

    @cached_property
    def peak(self) -> int:
        """The most elements that are live after a step."""
        return max(step.live for step in self.steps)

    @cached_property
    def at_step(self) -> int:
        """The index of the first step after which that many are live."""
        return next(i for i, step in enumerate(self.steps) if step.live == self.peak)

    @property
    def peak_bytes(self) -> int:
        """The most bytes that are live after a step."""
        return max(self.bytes)

    @cached_property
    def turn(self) -> int:
        """The index of the last step of the forward pass."""
        return sum(step.phase == FORWARD for step in self.steps) - 1

    @property
    def kept(self) -> int:
        """The elements that the backward pass finds: those of the residuals that are read."""
        return self.steps[self.turn].live

    @property
    def reruns(self) -> int:
        """How often a node's value is recomputed in the backward pass and kept."""
        return sum(step.again and step.node in step.writes for step in self.steps)

    @cached_property
    def held(self) -> tuple[Mapping[Array, int], ...]:
        """For each step, the arrays that are live after it, with their elements.

        A value that is kept and also recomputed has both in its number.
        """
        live: list[dict[Array, int]] = [{} for _ in self.steps]
        for array in self.arrays:
            for at in live[array.written : array.reads[-1]]:
                at[array.array] = at.get(array.array, 0) + array.elements
        return tuple(live)

    def holds(self, step: int) -> tuple[LiveArray, ...]:
        """Return the arrays that are live after a step."""
        return tuple(array for array in self.arrays if array.written <= step < array.reads[-1])

    def readers(self, array: LiveArray, after: int = -1) -> tuple[str, ...]:
        """Return the nodes whose steps after the step `after` read the array."""
        return tuple(dict.fromkeys(self.steps[i].node for i in array.reads if i > after))


def memory(trace: Trace) -> Memory:
    """Return what is live after each step of `play`: elements, bytes, the nodes that compute and read them.

    After the last forward step that is what `trace.residuals` keeps and a pullback reads. XLA allocates
    otherwise: see `xla_memory`.

    Args:
      trace: has an output.
    Returns:
      The steps with what is live after each.
    Raises:
      GraphError: no trace is given, it has no output, or a checkpoint region is not valid.
    """
    played = whole_pass(trace)
    return Memory(played.steps, played.arrays, totals(len(played.steps), played.arrays, "bytes"))


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
      GraphError: no trace is given, it has no output, or a checkpoint region is not valid.
    Source: https://docs.jax.dev/en/latest/jax.stages.html#jax.stages.Compiled.memory_analysis
    """
    graph = with_output(trace).graph
    shapes = {name: value.shape for name, value in trace.inputs.items()}
    if problems := diagnose(graph, shapes):
        raise GraphError(problems)
    return _memory_analysis(structure(graph), tuple(sorted(shapes.items())), trace.seed.shape, trace.dtype)


@remembered(KEPT)
def _memory_analysis(
    graph: Graph, shapes: tuple, seed_shape: tuple[int, ...], dtype: str
) -> XlaMemory | None:
    with precision(dtype):
        program, dynamic = Program(graph, dtype), dynamic_params(graph)

        def differentiate(inputs: dict[str, jax.Array], seed: jax.Array) -> Any:
            output, pull = jax.vjp(lambda given: program(given, dynamic, {})[0], inputs)
            return output, pull(seed)

        inputs = {name: jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for name, shape in shapes}
        seed = jax.ShapeDtypeStruct(seed_shape, jnp.dtype(dtype))
        # Compiled for shapes alone: no array of the graph's size is made.
        analysis = jax.jit(differentiate).lower(inputs, seed).compile().memory_analysis()
    if analysis is None:
        return None
    return XlaMemory(
        analysis.temp_size_in_bytes, analysis.argument_size_in_bytes, analysis.output_size_in_bytes
    )
