"""Hold the state of a training: parameters and the optimiser's state of each.

Also its initialisation, and its continuation when parameters are added, removed or resized.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from autodiff_viz.engine.live_path.arrays import FLOAT32, own_value
from autodiff_viz.engine.trace import precision
from autodiff_viz.engine.training.compiled_steps import later, optimiser_of
from autodiff_viz.engine.training.mixed import Scaling, parameter_dtype, scaling_of
from autodiff_viz.graph.identity import Exact
from autodiff_viz.graph.model import Graph, Node, params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text.literals import shape_of
from autodiff_viz.graph.text.names import listed_names


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
    found = {node.name: jnp.asarray(_drawn(node, settings.seed, dtype)) for node in nodes}
    optimiser = optimiser_of(settings.optimiser)
    return found, {name: optimiser.init(array) for name, array in found.items()}


def _drawn(node: Node, shift: int, dtype: str) -> Any:
    return own_value(with_shifted_seed(node, shift), dtype)


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
