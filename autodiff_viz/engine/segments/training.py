"""Train a graph three times from the same start: joint, chain and apart.

Joint training uses the whole gradient, the chain passes cotangents across cuts, and apart, the broken way,
differentiates each segment against its own output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from autodiff_viz.engine.live_path.kernels import ONCE, rounded
from autodiff_viz.engine.segments.chain import (
    Arrays,
    Part,
    Silent,
    apart,
    forward,
    handed,
    parts,
    silent_wires,
    with_input_rules,
)
from autodiff_viz.engine.segments.comparison import cut_structure
from autodiff_viz.engine.trace import Trace, precision, trace
from autodiff_viz.engine.training.compiled_steps import later_on, optimiser_of
from autodiff_viz.engine.training.updates import Settings, begin
from autodiff_viz.engine.whole_program.program import Program, dynamic_params
from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.registries.dtypes import FLOAT32
from autodiff_viz.graph.structure.bypass import played
from autodiff_viz.graph.structure.segments import segments
from autodiff_viz.workers.reports import report

JOINT, CHAIN, APART = WAYS = ("joint", "chain", "apart")

Gradient = Callable[[Arrays, Arrays, Mapping[str, dict]], tuple[jax.Array, Arrays]]
"""Return (loss, gradient by parameter) at parameters, data and run-time parameters."""


@dataclass(frozen=True)
class Curves:
    """The loss before each step, for each way of training.

    Attributes:
      joint: by the whole graph's gradient.
      chain: by the cotangents that segments pass across cuts.
      apart: by each segment's own output.
    """

    joint: np.ndarray
    chain: np.ndarray
    apart: np.ndarray

    @property
    def difference(self) -> float:
        """The largest difference between joint training and the chain."""
        return float(np.max(np.abs(self.joint - self.chain)))


def curves(graph: Graph, settings: Settings, steps: int, dtype: str = FLOAT32) -> Curves:
    """Train three times. Seeds of noise and dropout count up with the steps, alike in all three.

    There is no loss scale: see `without_scale`.

    Raises:
      GraphError: the graph cannot be trained, has no segments, or it would be too much work.
    """
    settings = without_scale(settings)
    start = dict(begin(graph, settings, dtype).parameters)
    graph = played(graph)
    if not segments(graph):
        raise GraphError(Problem("no-segments", "No cut divides the graph.", "Cut after a node: key k."))
    found = trace(graph, start, dtype=dtype)
    check_work(most_steps(found), steps)
    with precision(dtype):
        data = {n: jnp.asarray(v) for n, v in found.inputs.items() if n not in start}
        silent = silent_wires(found)
        knobs = (data, dynamic_params(graph), jnp.asarray(settings.rate, dtype))
        losses_by = {}
        for done, way in enumerate(WAYS):
            step = _step(cut_structure(graph), way, settings.optimiser, dtype, silent)
            now: Any = (start, optimiser_of(settings.optimiser).init(start), jnp.asarray(0, jnp.int32))
            losses = []
            for i in range(steps):
                report(done * steps + i, len(WAYS) * steps, "steps")
                now, loss = step(now, *knobs)
                losses.append(loss)
            losses_by[way] = np.asarray([float(loss) for loss in losses])
    return Curves(**losses_by)


def without_scale(settings: Settings) -> Settings:
    """Return the settings of a training by segments: a seed of 1, parameters in the dtype."""
    return replace(settings, loss_scale=None, growth_interval=0)


def most_steps(found: Trace) -> int:
    """Return how many steps of the traced graph are within the limit of work."""
    elements = sum(found.value[name].size for name in found.value)
    return min(limits.SEGMENT_STEPS, limits.SEGMENT_WORK // max(elements, 1))


def check_work(most: int, steps: int) -> None:
    """Check the number of steps against the limit of work.

    Raises:
      GraphError: there are more than `most` steps.
    """
    if steps > most:
        message = f"{steps} steps of training by segments are too much work for this graph."
        hint = f"At most {most} steps." if most else "Use smaller tensors."
        raise GraphError(Problem("too-much-work", message, hint))


@remembered(6)
def _step(graph: Graph, way: str, optimiser: str, dtype: str, silent: Silent) -> Callable[..., tuple]:
    moves, gradient = optimiser_of(optimiser), _gradient(graph, way, dtype, silent)

    @partial(jax.jit, compiler_options=rounded(ONCE, dtype))
    def step(now: tuple, data: Arrays, dynamic: dict, rate: jax.Array) -> tuple:
        parameters, kept, count = now
        loss, slope = gradient(parameters, data, later_on(dynamic, count))
        with jax.numpy_dtype_promotion("standard"):  # Optax raises a float to a whole number
            updates, kept = moves.update(slope, kept, parameters)
        updates = {name: rate * update for name, update in updates.items()}
        return (optax.apply_updates(parameters, updates), kept, count + 1), loss

    return step


def _gradient(graph: Graph, way: str, dtype: str, silent: Silent) -> Gradient:
    if way == JOINT:
        return partial(_joint, Program(graph, dtype))
    if way == CHAIN:
        return partial(_by_segments, graph, parts(graph, dtype, silent.chained), handed)
    return partial(_by_segments, graph, parts(graph, dtype, silent.apart, apart=True), apart)


def _joint(program: Program, parameters: Arrays, data: Arrays, dynamic: Mapping[str, dict]) -> tuple:
    return jax.value_and_grad(lambda p: program({**data, **p}, dict(dynamic), {})[0])(parameters)


def _by_segments(
    graph: Graph, whole: tuple[Part, ...], back: Callable, parameters: Arrays, data: Arrays, dynamic: Mapping
) -> tuple[jax.Array, Arrays]:
    """Return (loss, gradient) with one `jax.vjp` per segment, combined by `back`."""
    run = forward(whole, {**data, **parameters}, dynamic)
    loss = run.values[whole[-1].segment.gives[-1]]
    arriving = back(whole, run, jnp.ones_like(loss))
    return loss, with_input_rules(graph, parameters, arriving)
