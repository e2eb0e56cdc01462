"""Trace a graph: evaluate it and its derivatives once, as data that can be read without JAX."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import numpy as np

from autodiff_viz.engine.arguments import input_arrays, known_dtype, numbers
from autodiff_viz.engine.check import diagnose
from autodiff_viz.engine.diagnostics.nonfinite import Origin, find_origins
from autodiff_viz.engine.diagnostics.notes import notes_of
from autodiff_viz.engine.live_path.arrays import Arrays, constant, on_device
from autodiff_viz.engine.live_path.passes import Cotangents, Prepared, Wire, backward, forward
from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.engine.whole_program.interpreter import UNKNOWN
from autodiff_viz.engine.whole_program.remat_counts import Residual, Runs, residuals_of, runs_of
from autodiff_viz.graph.checks.argument_types import kind_of, known_graph
from autodiff_viz.graph.identity import Exact, identity
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.notebook import html_of
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.registries.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.structure.bypass import played


@dataclass(frozen=True, eq=False, repr=False)
class Trace(Exact):
    """One forward and one backward evaluation of `graph`. All arrays are read-only NumPy arrays.

    Two traces are equal if graph, output, dtype, inputs and seed are, since all numbers follow from these.

    Attributes:
      graph: the evaluated graph, in which muted nodes are identities.
      output: name of the output node; None in a `trace_part` without one.
      dtype: "float16", "bfloat16", "float32" or "float64".
      inputs: the value of each input node in this evaluation.
      seed: cotangent of the output, of the output's shape.
      value: by node name.
      cotangent: by node name, d<seed, output>/d(value): the cotangent that arrives at the node.
      passed: by (node, slot), the contribution of that wire to the cotangent of the node it comes from.
      gradient: by input name, the arriving cotangent after the input's own rule.
      chosen: sentences about choices made for the user, such as a seed of ones.
    """

    graph: Graph
    output: str | None
    dtype: str
    inputs: Mapping[str, np.ndarray]
    seed: np.ndarray
    value: Arrays[str]
    cotangent: Arrays[str]
    passed: Arrays[Wire]
    gradient: Arrays[str]
    chosen: tuple[str, ...] = ()

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What the page notes: choices made for the user, where numbers are not finite, and warnings."""
        return (*self.chosen, *notes_of(self))

    @cached_property
    def identity(self) -> bytes:
        """The identity of everything that the numbers of the trace follow from."""
        inputs = tuple((name, identity(value)) for name, value in self.inputs.items())
        return identity((self.graph, self.output, self.dtype, inputs, self.seed))

    @cached_property
    def nonfinite_origins(self) -> tuple[Origin, ...]:
        """Where NaN and infinities begin, forward pass first."""
        return find_origins(self.graph, self.value, self.cotangent, self.passed, self.gradient)

    @cached_property
    def runs(self) -> Mapping[str, Runs]:
        """By node name, how often the node runs. Read off the whole program at first use.

        Raises:
          GraphError: a checkpoint region is not valid.
        """
        return runs_of(self.graph, self._shapes, self.dtype)

    @cached_property
    def residuals(self) -> tuple[Residual, ...]:
        """The residuals: arrays that the forward pass keeps for the backward pass.

        Read off the whole program at first use.

        Raises:
          GraphError: a checkpoint region is not valid.
        """
        return residuals_of(self.graph, self._shapes, self.dtype)

    def __repr__(self) -> str:
        inputs = ", ".join(self.inputs)
        return f"<Trace of {self.output} by {inputs}: {len(self.value)} nodes in {self.dtype}>"

    def _repr_html_(self) -> str | None:
        """Return the canvas's picture with these numbers, for notebooks."""
        return html_of(self)

    @property
    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: value.shape for name, value in self.inputs.items()}


def trace(
    graph: Graph, inputs: Mapping[str, Any] | None = None, seed: Any = None, *, dtype: str = FLOAT32
) -> Trace:
    """Evaluate `graph`, then pull `seed` back from its output to every node and wire.

    Args:
      graph: complete (no empty slot, no cycle).
      inputs: values for input nodes, by name, in place of the graph's own.
      seed: cotangent of the output, broadcast to its shape; ones by default.
      dtype: "float16", "bfloat16", "float32" or "float64".
    Returns:
      The trace; `runs` and `residuals`, which need the whole program, are computed when first read.
    Raises:
      GraphError: the graph, an input or the seed cannot be used; `problems` says where and why.
    Source: stitches `jax.vjp` of single ops; https://docs.jax.dev/en/latest/notebooks/autodiff_cookbook.html
    """
    graph, dtype = played(known_graph(graph)), known_dtype(dtype)
    given = input_arrays(graph, inputs, dtype)
    with precision(dtype):
        prepared = _prepared(graph, {name: on_device(array) for name, array in given.items()}, dtype)
        notes = []
        seed_array = _seed(prepared, seed, notes)
        values, called = forward(prepared)
        cotangents = backward(prepared, values, called, seed_array)
        return _finish(prepared, values, cotangents, seed_array, tuple(notes))


def counts_unknown(found: Trace) -> str:
    """Return why runs cannot be counted with this JAX; "" if they can, or if regions cannot run."""
    try:
        _ = found.runs
    except GraphError as error:
        return error.problems[0].message if error.problems[0].code == UNKNOWN else ""
    return ""


def known_trace(found: Any) -> Trace:
    """Return `found` if it is a trace.

    Raises:
      GraphError: `found` is something else, such as the graph of a trace.
    """
    if isinstance(found, Trace):
        return found
    message = f"A trace is needed; found {kind_of(found)}."
    raise GraphError(Problem("not-a-trace", message, "trace(graph) makes one."))


def trace_part(graph: Graph, *, dtype: str = FLOAT32) -> Trace:
    """Trace a graph whose output may be missing; its trace then has values and no cotangents."""
    graph = played(graph)
    if graph.output is not None:
        return trace(graph, dtype=dtype)
    with precision(dtype):
        prepared = prepare(graph, {}, dtype)
        return _finish(prepared, forward(prepared)[0], Cotangents({}, {}, {}), np.zeros((), dtype), ())


def precision(dtype: str) -> AbstractContextManager:
    """Return a context in which JAX computes in `dtype`. Thread-local, so other visitors are not affected."""
    if dtype not in DTYPES:
        raise ValueError(f"dtype is {dtype!r}; it must be one of {', '.join(DTYPES)}")
    return jax.enable_x64(True) if DTYPES[dtype].wide else nullcontext()


def _prepared(graph: Graph, inputs: dict[str, jax.Array], dtype: str) -> Prepared:
    try:
        prepared = prepare(graph, inputs, dtype)
    except GraphError as error:
        # Preparation stops at the first problem; `diagnose` names them all.
        shapes = {name: array.shape for name, array in inputs.items()}
        raise GraphError(diagnose(graph, shapes) or error.problems) from error
    if graph.output not in prepared.shapes or len(prepared.shapes) != len(graph.nodes):
        empty = Problem("no-output", "The graph is empty.", "Add a node.")
        raise GraphError(diagnose(graph) or empty)  # no output, or two nodes of one name
    return prepared


def _seed(prepared: Prepared, seed: Any, notes: list[str]) -> jax.Array:
    output, dtype = prepared.graph.output, prepared.dtype
    shape = prepared.shapes[output]
    if seed is None:
        if shape:
            notes.append(
                f"The output {output!r} has shape {list(shape)}, so it has no single gradient. The seed is "
                "ones: what you see is the gradient of the sum of its elements."
            )
        return _ones(shape, dtype)
    fault = ""
    try:
        array = numbers(seed, dtype)
        fault = f"has shape {list(array.shape)}"
        return on_device(np.broadcast_to(array, shape))
    except ValueError as error:
        fits = f"The seed does not fit the output {output!r}, which has shape {list(shape)}"
        hint = "Give one number, or an array of that shape."
        raise GraphError(Problem("seed-shape", f"{fits}: it {fault or error}.", hint, output)) from error


def _ones(shape: tuple[int, ...], dtype: str) -> jax.Array:
    return on_device(np.ones(shape, dtype)) if shape else constant(1.0, dtype)


def _finish(
    prepared: Prepared,
    values: dict[str, jax.Array],
    cotangents: Cotangents,
    seed: jax.Array,
    chosen: tuple[str, ...],
) -> Trace:
    graph, shapes, dtype = prepared.graph, prepared.shapes, prepared.dtype
    inputs = {name: values[name] for name in prepared.inputs}
    return Trace(
        graph=graph,
        output=graph.output,
        dtype=dtype,
        inputs=Arrays(inputs, dtype, shapes.__getitem__),
        seed=np.asarray(seed),
        value=Arrays(values, dtype, shapes.__getitem__),
        cotangent=Arrays(cotangents.arriving, dtype, shapes.__getitem__),
        passed=Arrays(cotangents.passed, dtype, lambda wire: shapes[graph[wire[0]].slots[wire[1]]]),
        gradient=Arrays(cotangents.gradients, dtype, shapes.__getitem__),
        chosen=chosen,
    )
