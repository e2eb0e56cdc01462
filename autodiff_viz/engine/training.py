"""Training: a graph whose output is the loss, and whose parameters an optimiser of Optax moves.

One compiled program runs any number of steps and writes down what happened in each. The stops and plain
rewrites of the graph are run-time gates and checkpoint regions change no number, so that toggling them
between two steps compiles nothing. Steps are pure: the same state and the same settings give the same steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from autodiff_viz.engine.arrays import FLOAT32, initializer, own_value
from autodiff_viz.engine.gates import Gates, change, close, gates, without_gated
from autodiff_viz.engine.program import dynamic_params, ruled, ruled_input, structure, tap
from autodiff_viz.engine.trace import Trace, precision, trace
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT, STOP, Graph, Node
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError, Problem

OPTIMISERS: Mapping[str, Any] = {
    "sgd": optax.sgd,
    "momentum": partial(optax.sgd, momentum=0.9),
    "adam": optax.adam,
}
"""Optax's own, by the names on the page; momentum is `optax.sgd` with a momentum of 0.9."""

BUFFER = 64  # steps that one call of the compiled program can run
KEPT = 8  # compiled programs


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user chooses before and while a graph is trained.

    Attributes:
      optimiser: a name from `OPTIMISERS`.
      rate: the learning rate.
      seed: added to the seed of every random parameter, so that one number draws them all anew.
    """

    optimiser: str = "sgd"
    rate: float = 0.02
    seed: int = 0


@dataclass(frozen=True)
class State:
    """Where training stands. `step` counts the updates that were made; `optimiser` is Optax's own state."""

    step: int
    parameters: Mapping[str, jax.Array]
    optimiser: Any


@dataclass(frozen=True)
class Records:
    """What happened in each of some steps, as arrays with one row per step.

    Attributes:
      nodes: names of the columns of `value` and `cotangent`.
      parameters: names of the columns of `ratio`.
      first: number of the first step; 0 is the one before any update.
      loss: before the step's update.
      value, cotangent: Euclidean norm of each node's value and of the cotangent that arrives there.
      dead: share of a node's units that are 0 for every example; a unit is an element behind the first axis.
      ratio: by parameter, norm of the update over norm of the parameter.
    """

    nodes: tuple[str, ...]
    parameters: tuple[str, ...]
    first: int
    loss: np.ndarray
    value: np.ndarray
    cotangent: np.ndarray
    dead: np.ndarray
    ratio: np.ndarray

    def __len__(self) -> int:
        return len(self.loss)


def begin(graph: Graph, settings: Settings, dtype: str = FLOAT32) -> State:
    """The state before the first step.

    Raises:
      GraphError: the graph cannot be trained; the problem says what is missing.
    """
    check_trainable(graph, trace(graph, dtype=dtype))
    with precision(dtype):
        found = {node.name: jnp.asarray(_drawn(node, settings.seed, dtype)) for node in learned(graph)}
        return State(0, found, _optimiser(settings.optimiser).init(found))


def learned(graph: Graph) -> tuple[Node, ...]:
    """The parameters of a graph, in its order."""
    return tuple(node for node in graph.nodes if node.is_parameter)


def check_trainable(graph: Graph, found: Trace) -> None:
    """
    Raises:
      GraphError: there is no parameter, or the output is no number.
    """
    if not learned(graph):
        message = "Nothing can be trained: the graph has no parameter."
        hint = "Write w = parameter(0.5), or turn an input into a parameter in the inspector."
        raise GraphError(Problem("no-parameters", message, hint))
    shape = found.value[found.output].shape
    if shape:
        message = f"The loss must be one number; {found.output!r} has shape {list(shape)}."
        hint = "End with mean(...) or a loss such as mean_squared_error."
        raise GraphError(Problem("no-loss", message, hint, node=found.output))


def advance(
    graph: Graph, state: State, steps: int, settings: Settings, dtype: str = FLOAT32
) -> tuple[State, Records]:
    """Make `steps` updates, at most `BUFFER`, under the rules that the graph has now.

    The graph may differ from that of the steps before in rules, regions, positions and values of inputs.
    Run-time seeds (of noise and dropout) count up with the steps.

    Raises:
      GraphError: the graph cannot be trained, or a parameter has another shape than in `state`.
    """
    graph = played(graph)
    found = trace(graph, state.parameters, dtype=dtype)
    check_trainable(graph, found)
    with precision(dtype):
        knobs = {
            "inputs": {n: jnp.asarray(found.inputs[n]) for n in found.inputs if n not in state.parameters},
            "dynamic": dynamic_params(graph),
            "gates": gates(found),
            "frozen": {n.name: np.asarray(n.rule.kind == STOP) for n in learned(graph)},
            "rate": np.asarray(settings.rate, dtype),
        }
        shapes = tuple(sorted((name, value.shape) for name, value in found.inputs.items()))
        program = _compiled(structure(without_gated(graph)), shapes, settings.optimiser, dtype)
        parameters = {name: jnp.asarray(array, dtype) for name, array in state.parameters.items()}
        steps = min(steps, BUFFER)
        parameters, optimiser, rows = program(parameters, state.optimiser, state.step, steps, knobs)
    rows = {name: np.asarray(array)[:steps] for name, array in rows.items()}
    names = tuple(node.name for node in order(graph))
    records = Records(names, tuple(sorted(parameters)), state.step, **rows)
    return State(state.step + steps, parameters, optimiser), records


def at_step(graph: Graph, state: State, dtype: str = FLOAT32) -> Trace:
    """The trace of the graph with the parameters of `state`, and noise and dropout as that step draws them."""
    return trace(with_seeds(graph, state.step), state.parameters, dtype=dtype)


def with_seeds(graph: Graph, step: int) -> Graph:
    """The graph with the seeds that its noise has `step` steps on."""
    from autodiff_viz.graph.edits import with_param  # noqa: PLC0415

    for name, given in dynamic_params(graph).items():
        if "seed" in given:
            graph = with_param(graph, name, "seed", int(given["seed"] + step) % (limits.SEED + 1))
    return graph


def _drawn(node: Node, shift: int, dtype: str) -> Any:
    if node.param("value") is not None:
        return own_value(node, dtype)
    seed = (int(node.param("seed", 0)) + shift) % (limits.SEED + 1)
    given = tuple(sorted({**dict(node.params), "seed": seed, "init": initializer(node.params)}.items()))
    return own_value(Node(node.name, INPUT, (), given), dtype)


def _optimiser(name: str) -> optax.GradientTransformation:
    """With a learning rate of 1: the real one is a run-time number, which every step multiplies by."""
    return OPTIMISERS[name](1.0)


@lru_cache(maxsize=KEPT)
def _compiled(graph: Graph, shapes: tuple, optimiser: str, dtype: str) -> Any:
    """`(parameters, optimiser state, step, count, knobs) -> the same after count steps, and their rows`."""
    moves = _optimiser(optimiser)
    nodes = order(graph)
    sizes = {name: jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for name, shape in shapes}

    def one(carry: tuple, step: jax.Array, knobs: dict) -> tuple[tuple, dict[str, jax.Array]]:
        parameters, kept = carry
        loss, gradient, values, cotangents = _differentiated(nodes, graph.output, parameters, step, knobs, dtype)
        updates, kept = moves.update(gradient, kept, parameters)
        updates = {
            name: jnp.where(knobs["frozen"][name], 0.0, knobs["rate"] * update)
            for name, update in updates.items()
        }
        row = {
            "loss": loss,
            "value": jnp.stack([_norm(values[node.name]) for node in nodes]),
            "cotangent": jnp.stack([_norm(cotangents[node.name]) for node in nodes]),
            "dead": jnp.stack([_dead(values[node.name]) for node in nodes]),
            "ratio": jnp.stack([_ratio(updates[name], parameters[name]) for name in sorted(parameters)]),
        }
        return (optax.apply_updates(parameters, updates), kept), row

    def run(parameters: dict, kept: Any, step: jax.Array, count: jax.Array, knobs: dict) -> tuple:
        rows = jax.eval_shape(lambda carry: one(carry, step, knobs)[1], (parameters, kept))
        empty = {name: jnp.zeros((BUFFER, *row.shape), row.dtype) for name, row in rows.items()}

        def body(i: jax.Array, state: tuple) -> tuple:
            carry, written = state
            carry, row = one(carry, step + i, knobs)
            return carry, {name: written[name].at[i].set(row[name]) for name in row}

        (parameters, kept), written = jax.lax.fori_loop(0, count, body, ((parameters, kept), empty))
        return parameters, kept, written

    return jax.jit(run)


def _differentiated(
    nodes: list[Node], output: str, parameters: dict, step: jax.Array, knobs: dict, dtype: str
) -> tuple[jax.Array, dict, dict, dict]:
    """(loss, gradient by parameter, values, arriving cotangents) of one forward and one backward pass."""
    dynamic = {name: _later(given, step) for name, given in knobs["dynamic"].items()}

    def forward(parameters: dict, sinks: dict) -> tuple[jax.Array, dict]:
        values: dict[str, jax.Array] = {}
        given = {**knobs["inputs"], **parameters}
        for node in nodes:
            values[node.name] = _node(node, values, given, dynamic, sinks, knobs["gates"], dtype)
        return values[output], values

    shapes = jax.eval_shape(lambda: forward(parameters, {})[1])
    sinks = {name: jnp.zeros(shape.shape, shape.dtype) for name, shape in shapes.items()}
    loss, pull, values = jax.vjp(forward, parameters, sinks, has_aux=True)
    gradient, cotangents = pull(jnp.ones_like(loss))
    return loss, gradient, values, cotangents


def _node(
    node: Node, values: dict, given: dict, dynamic: dict, sinks: dict, standing: Gates, dtype: str
) -> jax.Array:
    if node.op == INPUT:
        value = ruled_input(node, given[node.name])
    else:
        wired = [close(values[name], standing.closed[node.name, slot]) for slot, name in node.wires]
        value = ruled(node, wired, dynamic.get(node.name, {}), dtype, named=False)
    value = change(value, *standing.changes[node.name])
    return tap(value, sinks[node.name]) if node.name in sinks else value


def _later(given: dict, step: jax.Array) -> dict:
    """Run-time parameters `step` steps on: seeds count up."""
    return {**given, "seed": (given["seed"] + step) % (limits.SEED + 1)} if "seed" in given else given


def _norm(array: jax.Array) -> jax.Array:
    return jnp.sqrt(jnp.sum(jnp.square(array)))


def _dead(value: jax.Array) -> jax.Array:
    """The share of units that are 0 in every example."""
    silent = jnp.all(value == 0, axis=0) if value.ndim > 1 else value == 0
    return jnp.mean(silent, dtype=value.dtype)


def _ratio(update: jax.Array, parameter: jax.Array) -> jax.Array:
    size = _norm(parameter)
    return jnp.where(size > 0, _norm(update) / size, 0.0)
