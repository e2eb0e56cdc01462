"""Hold the state of a training: parameters and the optimiser's state of each.

Also its initialisation, and its continuation when parameters are added, removed or resized.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from autodiff_viz.engine.live_path.arrays import own_value
from autodiff_viz.engine.trace import precision
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.identity import Exact
from autodiff_viz.graph.model import Graph, Node, params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import listed_names, shape_of

# Train in mixed precision: parameters in float32, both passes in 16 bits, and a loss scale.


LEAST, MOST = 1.0, 2.0**24  # of a loss scale that changes by itself


class Scaling(NamedTuple):
    """State of the loss scale.

    Attributes:
      scale: the seed of the next step's backward pass.
      good: steps with finite gradients since the scale changed or a step was skipped.
      first: the setting that it began with.
    """

    scale: Any
    good: Any
    first: float


def is_mixed(loss_scale: float | None, dtype: str) -> bool:
    """Return whether parameters are float32 while the pass is in 16 bits: given any loss scale, also 1."""
    return loss_scale is not None and DTYPES[dtype].half


def parameter_dtype(loss_scale: float | None, dtype: str) -> str:
    """Return the dtype of parameters and of the optimiser's state: float32 in mixed precision."""
    return FLOAT32 if is_mixed(loss_scale, dtype) else dtype


def scaling_of(was: Scaling | None, loss_scale: float | None, interval: int, dtype: str) -> Scaling | None:
    """Return the state of the loss scale under these settings; None without one.

    A scale that changes by itself goes on where it was, unless the setting has changed.
    """
    if not is_mixed(loss_scale, dtype):
        return None
    if was is not None and was.first == loss_scale and (interval or float(was.scale) == loss_scale):
        return was
    return Scaling(np.float32(loss_scale), np.int32(0), loss_scale)


def in_dtype(parameters: Mapping[str, Any], dtype: str) -> dict[str, Any]:
    """Return the parameters rounded to the dtype of the pass; what is too large for it becomes infinite."""
    with np.errstate(over="ignore"):
        return {
            name: array if array.dtype == dtype else np.asarray(array).astype(dtype)
            for name, array in parameters.items()
        }


def seed_of(scaling: Scaling | None, dtype: str) -> np.ndarray | None:
    """Return the seed of a backward pass: the loss scale, as the dtype has it; None without a loss scale."""
    if scaling is None:
        return None
    with np.errstate(over="ignore"):
        return np.asarray(scaling.scale).astype(dtype)


def unscaled(gradient: Any, seed: Any) -> jax.Array:
    """Return a gradient of the scaled loss, divided in float32 by the seed that it was computed with."""
    return jnp.asarray(gradient).astype(FLOAT32) / jnp.asarray(seed).astype(FLOAT32)


def all_finite(arrays: Any) -> jax.Array:
    """Return whether all numbers of all these arrays are finite."""
    return jnp.all(jnp.stack([jnp.all(jnp.isfinite(array)) for array in jax.tree.leaves(arrays)]))


def next_scale(scale: Any, good: Any, finite: Any, interval: Any) -> tuple[jax.Array, jax.Array]:
    """Return (scale, good steps) after a step; with `interval` 0 the scale stays as it is.

    Otherwise it is halved by a step whose gradients are not finite, down to `LEAST`, and doubled after
    `interval` finite ones in a row, up to `MOST`.

    Source: P. Micikevicius et al., "Mixed Precision Training", 2018, arXiv:1710.03740, section 3.2; halving
    and doubling with an interval as `torch.amp.GradScaler` and `jmp.DynamicLossScale` do.
    """
    good = jnp.where(finite, good + 1, 0)
    grows = (interval > 0) & (good >= interval)
    smaller = jnp.where(interval > 0, jnp.maximum(scale / 2, LEAST), scale)
    larger = jnp.where(grows, jnp.minimum(scale * 2, MOST), scale)
    return jnp.where(finite, larger, smaller), jnp.where(grows, 0, good).astype(jnp.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Settings(Exact):
    """Settings of a training, chosen by the user before and during it.

    Attributes:
      optimiser: a name from `OPTIMISERS`.
      rate: the learning rate.
      seed: added to the seed of every random parameter, so that one number draws them all anew.
      loss_scale: of mixed precision: with it parameters are float32, while a graph of 16 bits computes in
        these. None: parameters have the dtype of the graph. Without effect on a graph of more bits.
      growth_interval: finite steps after which the loss scale doubles; it is then halved by a step that is
        not finite. 0: it stays as it is.
    """

    optimiser: str = "sgd"
    rate: float = 0.02
    seed: int = 0
    loss_scale: float | None = None
    growth_interval: int = 0


@dataclass(frozen=True)
class State:
    """State of a training.

    Attributes:
      step: how many updates were made.
      parameters: by name.
      optimiser: by parameter, Optax's own state. A parameter that is added later begins with a new state,
        however far the others are.
      scaling: state of the loss scale; None without one.
    """

    step: int
    parameters: Mapping[str, jax.Array]
    optimiser: Mapping[str, Any]
    scaling: Scaling | None = None


def learned(graph: Graph) -> tuple[Node, ...]:
    """Return the parameters of a graph, in its order."""
    return tuple(node for node in graph.nodes if node.is_parameter)


def begun(
    nodes: Iterable[Node], settings: Settings, dtype: str
) -> tuple[dict[str, jax.Array], dict[str, Any]]:
    """Return parameters before any step, and the optimiser's state of each."""
    dtype = parameter_dtype(settings.loss_scale, dtype)
    shifted = [with_shifted_seed(node, settings.seed) for node in nodes]
    parameters = {node.name: jnp.asarray(own_value(node, dtype)) for node in shifted}
    optimiser = optimiser_of(settings.optimiser)
    return parameters, {name: optimiser.init(array) for name, array in parameters.items()}


def with_shifted_seed(node: Node, shift: int) -> Node:
    """Return a parameter with `shift` added to its seed, if it is drawn."""
    if node.param("value") is not None:
        return node
    seed = later(node.param("seed", 0), shift)
    return replace(node, params=params(**{**dict(node.params), "seed": seed}))


def carried(graph: Graph, state: State, settings: Settings, dtype: str = FLOAT32) -> State:
    """Return the state with the parameters that the graph has now, in the dtype that the settings give them.

    A parameter in both continues as it was. A new one begins as at step 0, with a new state of the optimiser.
    One that became longer or shorter along one axis keeps the numbers that it had there.

    Raises:
      GraphError: none of the earlier parameters is left, or one changed its shape in another way.
    """
    state = _under(state, settings, dtype)
    nodes = learned(graph)
    changed = [node for node in nodes if not _is_same(node, state)]
    if not changed and len(nodes) == len(state.parameters):
        return state
    if not any(node.name in state.parameters for node in nodes):
        message = f"No trained parameter is left: {listed_names(sorted(state.parameters))}."
        raise GraphError(Problem("other-parameters", message, "Start over to begin with the new ones."))
    with precision(dtype):
        arrays, kept = begun(changed, settings, dtype)
        for name in arrays.keys() & state.parameters.keys():
            graft = partial(_grafted, name)
            arrays[name] = graft(state.parameters[name], arrays[name])
            kept[name] = jax.tree.map(graft, state.optimiser[name], kept[name])
    names = [node.name for node in nodes]
    arrays, kept = {**state.parameters, **arrays}, {**state.optimiser, **kept}
    return State(state.step, {n: arrays[n] for n in names}, {n: kept[n] for n in names}, state.scaling)


def _under(state: State, settings: Settings, dtype: str) -> State:
    """Return the state as these settings have it: with or without a loss scale and float32 parameters."""
    scaling = scaling_of(state.scaling, settings.loss_scale, settings.growth_interval, dtype)
    if scaling == state.scaling:
        return state
    kind = parameter_dtype(settings.loss_scale, dtype)

    def cast(array: Any) -> Any:
        return array.astype(kind) if jnp.issubdtype(array.dtype, jnp.floating) else array

    with precision(dtype):
        parameters, optimiser = jax.tree.map(cast, (dict(state.parameters), dict(state.optimiser)))
    return State(state.step, parameters, optimiser, scaling)


def _is_same(node: Node, state: State) -> bool:
    value = node.param("value")
    shape = node.param("shape") if value is None else shape_of(value)
    return node.name in state.parameters and state.parameters[node.name].shape == tuple(shape)


def _grafted(name: str, was: jax.Array, new: jax.Array) -> jax.Array:
    """Copy the numbers that both arrays have room for; an optimiser's count has no shape and continues."""
    if was.shape == new.shape:
        return was
    pairs = list(zip(was.shape, new.shape, strict=False))
    if was.ndim != new.ndim or sum(a != b for a, b in pairs) > 1:
        message = (
            f"{name!r} had the shape {list(was.shape)} when it was trained, and now has {list(new.shape)}."
        )
        raise GraphError(Problem("other-parameters", message, "Start over to begin with it.", node=name))
    common = tuple(slice(min(pair)) for pair in pairs)
    return new.at[common].set(was[common])


OPTIMISERS: Mapping[str, Any] = {
    "sgd": optax.sgd,
    "momentum": partial(optax.sgd, momentum=0.9),
    "adam": optax.adam,
}


def optimiser_of(name: str) -> optax.GradientTransformation:
    """Return an optimiser with a learning rate of 1.

    Each step multiplies the update by the learning rate, a run-time number.
    """
    return OPTIMISERS[name](1.0)


def later(seed: Any, steps: Any) -> Any:
    """Return the seed after `steps` steps; seeds wrap around to 0 after the largest one."""
    return (seed + steps) & limits.SEED
