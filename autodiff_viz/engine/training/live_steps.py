"""Make training steps on the live path, for graphs whose step would take too long to compile.

XLA's compile time grows with the square of the size of such a program: 12 s for 60 nodes in a row. A step
here is one live pass and one small update program per parameter shape, which all graphs share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from autodiff_viz.engine.trace import Trace, precision, trace
from autodiff_viz.engine.training.compiled_steps import later, optimiser_of, record_dtype
from autodiff_viz.engine.training.mixed import (
    Scaling,
    all_finite,
    in_dtype,
    next_scale,
    parameter_dtype,
    seed_of,
    unscaled,
)
from autodiff_viz.engine.training.state import Settings, State, learned
from autodiff_viz.engine.whole_program.program import dynamic_params
from autodiff_viz.graph.edits.node_edits import with_param
from autodiff_viz.graph.model import STOP, Graph
from autodiff_viz.graph.structure.order import descendants, order


def walked(
    graph: Graph, state: State, steps: int, settings: Settings, dtype: str
) -> tuple[State, np.ndarray]:
    """Return the state after `steps` updates, and per update a row of numbers in the order of `steps.Run`."""
    rows = []
    for _ in range(steps):
        found = traced(graph, state, dtype)
        after, ratios = _updated(found, state, settings)
        rows.append(_row(found, ratios, state.scaling, skipped=after.optimiser is state.optimiser))
        state = after
    return state, np.stack(rows)


def traced(graph: Graph, state: State, dtype: str, seed: Any = None) -> Trace:
    """Return the trace of the step that follows `state`, with its noise and its parameters.

    Args:
      seed: in place of the step's own, which is its loss scale.
    """
    given = in_dtype(state.parameters, dtype)
    seed = seed_of(state.scaling, dtype) if seed is None else seed
    return trace(with_seeds(graph, state.step), given, seed, dtype=dtype)


def with_seeds(graph: Graph, step: int) -> Graph:
    """Return the graph with the noise seeds of the step with number `step`."""
    for name, given in dynamic_params(graph).items():
        if "seed" in given:
            graph = with_param(graph, name, "seed", later(given["seed"], step))
    return graph


def _updated(found: Trace, state: State, settings: Settings) -> tuple[State, dict[str, float]]:
    """Return the next state and, by parameter, the norm of the update over the norm of the parameter."""
    parameters, kept, ratios = {}, {}, {}
    gradient, scaling, finite = _gradient(found, state.scaling, settings)
    if not finite:
        after = State(state.step + 1, state.parameters, state.optimiser, scaling)
        return after, dict.fromkeys(state.parameters, 0.0)
    with precision(found.dtype):
        rate = np.asarray(settings.rate, parameter_dtype(settings.loss_scale, found.dtype))
        for node in learned(found.graph):
            name, frozen = node.name, np.asarray(node.rule.kind == STOP)
            given = gradient[name], state.optimiser[name], state.parameters[name], rate, frozen
            parameters[name], kept[name], ratios[name] = _update(settings.optimiser)(*given)
    after = State(state.step + 1, parameters, kept, scaling)
    return after, {name: float(ratio) for name, ratio in ratios.items()}


def _gradient(
    found: Trace, scaling: Scaling | None, settings: Settings
) -> tuple[Mapping[str, Any], Scaling | None, bool]:
    """Return (gradient, next state of the loss scale, whether the step is made).

    In mixed precision the gradient is divided by the loss scale, and no step is made if it is not finite.
    """
    if scaling is None:
        return found.gradient, None, True
    names = [node.name for node in learned(found.graph)]
    gradient = {name: unscaled(found.gradient[name], found.seed) for name in names}
    finite = all_finite(gradient)
    scale, good = next_scale(scaling.scale, scaling.good, finite, settings.growth_interval)
    return gradient, scaling._replace(scale=scale, good=good), bool(finite)


@cache
def _update(optimiser: str) -> Callable[..., tuple]:
    """Return the update of one parameter, compiled once per shape."""
    moves = optimiser_of(optimiser)

    @jax.jit
    def update(slope: jax.Array, kept: Any, parameter: jax.Array, rate: jax.Array, frozen: jax.Array) -> Any:
        with jax.numpy_dtype_promotion("standard"):  # Optax raises a float to a whole number
            change, kept = moves.update(slope, kept, parameter)
        change = jnp.where(frozen, 0.0, rate * change)
        kind = record_dtype(parameter.dtype.name)
        size, moved = (jnp.sqrt(jnp.sum(jnp.square(each.astype(kind)))) for each in (parameter, change))
        ratio = jnp.where(size > 0, moved / size, 0.0)
        return optax.apply_updates(parameter, change), kept, ratio

    return update


def _row(found: Trace, ratios: dict[str, float], scaling: Scaling | None, skipped: bool) -> np.ndarray:
    seed = float(found.seed) if scaling else 1.0
    names = [node.name for node in order(found.graph)]
    moved = descendants(found.graph, ratios)
    values = [found.value[name] for name in names]
    with np.errstate(all="ignore"):
        row = [
            float(found.value[found.output]),
            *map(_norm, values),
            *(_norm(found.cotangent[name]) / seed if name in moved else np.nan for name in names),
            *map(_dead, values),
            *(ratios[name] for name in sorted(ratios)),
            float(scaling.scale) if scaling else 1.0,
            skipped,
        ]
    return np.asarray(row, record_dtype(found.dtype))


def _norm(array: np.ndarray) -> float:
    wide = array.astype(record_dtype(array.dtype.name))
    return float(np.sqrt(np.sum(np.square(wide)))) if array.ndim else abs(float(array))


def _dead(value: np.ndarray) -> float:
    """Return the share of units that are 0 in every example."""
    silent = np.all(value == 0, axis=0) if value.ndim > 1 else value == 0
    return float(np.mean(silent))
