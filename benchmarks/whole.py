"""Compare the whole-program path with a hand-written function, each differentiated by one `jax.vjp`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp

from autodiff_viz.engine.whole_program.program import Program
from autodiff_viz.graph.dtypes import FLOAT32
from benchmarks.clock import ratio, times
from benchmarks.engine import fresh
from benchmarks.graphs import Example
from benchmarks.table import Row

TARGET = 1.3
SIZE, ROUNDS, CALLS = 30, 15, 300


def programs() -> Iterator[Row]:
    """Compare eager calls, the first compiled call, and later compiled calls."""
    examples = fresh(SIZE, ROUNDS)
    mine, hand = [_gradients(_program(e)) for e in examples], [_gradients(e.function()) for e in examples]
    inputs = [[jnp.float32(x) for x in each.inputs] for each in examples]
    for gradients in (mine[0], hand[0]):
        gradients(*inputs[0])
    a, b = times(ROUNDS, lambda i: mine[i](*inputs[i]), lambda i: hand[i](*inputs[i]))
    yield Row(f"{SIZE} nodes, eager: the graph's program / hand-written", ratio(a, b), TARGET)
    compiled = [jax.jit(gradients) for gradients in mine], [jax.jit(gradients) for gradients in hand]
    a, b = times(ROUNDS, *(lambda i, c=c: c[i](*inputs[i]) for c in compiled))
    yield Row(f"{SIZE} nodes, jit, first call: the graph's program / hand-written", ratio(a, b), TARGET)
    a, b = times(ROUNDS, *(lambda i, c=c: [c[i](*inputs[i]) for _ in range(CALLS)] for c in compiled))
    yield Row(f"{SIZE} nodes, jit, later calls: the graph's program / hand-written", ratio(a, b), TARGET)


def _program(each: Example) -> Callable[..., jax.Array]:
    program = Program(each.graph, FLOAT32)
    return lambda x0, x1, x2: program({"x0": x0, "x1": x1, "x2": x2}, {}, {})[0]


def _gradients(function: Callable[..., jax.Array]) -> Callable[..., Any]:
    def gradients(*inputs: jax.Array) -> Any:
        value, pull = jax.vjp(function, *inputs)
        return pull(jnp.ones_like(value))

    return gradients
