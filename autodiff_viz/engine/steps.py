"""The compiled program behind training: any number of steps, each with what happened in it.

The stops and plain rewrites of the graph are run-time gates and checkpoint regions change no number, so that
one program serves every position of these toggles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from threading import Lock
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from autodiff_viz.engine.gates import Gates, change, close, without_gated
from autodiff_viz.engine.program import ruled, ruled_input, structure, tap
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT, Graph, Node
from autodiff_viz.graph.order import descendants, order

OPTIMISERS: Mapping[str, Any] = {
    "sgd": optax.sgd,
    "momentum": partial(optax.sgd, momentum=0.9),
    "adam": optax.adam,
}
"""Optax's own, by the names on the page; momentum is `optax.sgd` with a momentum of 0.9."""

BUFFER = 64  # steps that one call of the compiled program can run
KEPT = 8  # compiled programs


class Program(NamedTuple):
    """A compiled training program: `run(parameters, optimiser state, step, count, knobs)` gives the first two
    after `count` steps, and their rows. `work` is what one step costs, in floating-point operations."""

    run: Any
    work: float


def program(graph: Graph, optimiser: str, dtype: str, arguments: tuple) -> Program:
    shapes = tuple((name, array.shape) for name, array in sorted(arguments[-1]["inputs"].items()))
    shapes += tuple((name, array.shape) for name, array in sorted(arguments[0].items()))
    key = structure(without_gated(graph)), shapes, optimiser, dtype
    with _compiling:
        if key not in _programs:
            while len(_programs) >= KEPT:
                _programs.pop(next(iter(_programs)))
            lowered = jax.jit(_runner(key[0], optimiser, dtype)).lower(*arguments)
            _programs[key] = Program(
                lowered.compile(), float((lowered.cost_analysis() or {}).get("flops", 0.0))
            )
        return _programs[key]


_programs: dict[tuple, Program] = {}
_compiling = Lock()  # two visitors who open the same lesson compile it once


def optimiser_of(name: str) -> optax.GradientTransformation:
    """With a learning rate of 1: the real one is a run-time number, which every step multiplies by."""
    return OPTIMISERS[name](1.0)


def _runner(graph: Graph, optimiser: str, dtype: str) -> Callable[..., tuple]:
    moves, nodes = optimiser_of(optimiser), order(graph)
    nothing = jnp.asarray(jnp.nan, dtype)

    def one(parameters: dict, kept: Any, step: jax.Array, knobs: dict) -> tuple[dict, Any, dict]:
        loss, gradient, values, cotangents = _differentiated(graph, parameters, step, knobs, dtype)
        with jax.numpy_dtype_promotion("standard"):  # Optax raises a float to a whole number
            updates, kept = moves.update(gradient, kept, parameters)
        updates = {
            name: jnp.where(knobs["frozen"][name], 0.0, knobs["rate"] * update)
            for name, update in updates.items()
        }
        row = {
            "loss": loss,
            "value": jnp.stack([_norm(values[node.name]) for node in nodes]),
            "cotangent": jnp.stack([_norm(cotangents.get(node.name, nothing)) for node in nodes]),
            "dead": jnp.stack([_dead(values[node.name]) for node in nodes]),
            "ratio": jnp.stack([_ratio(updates[name], parameters[name]) for name in sorted(parameters)]),
        }
        return optax.apply_updates(parameters, updates), kept, row

    def run(parameters: dict, kept: Any, step: jax.Array, count: jax.Array, knobs: dict) -> tuple:
        rows = jax.eval_shape(lambda *state: one(*state, knobs)[2], parameters, kept, step)
        empty = {name: jnp.zeros((BUFFER, *row.shape), row.dtype) for name, row in rows.items()}

        def body(i: jax.Array, state: tuple) -> tuple:
            parameters, kept, written = state
            parameters, kept, row = one(parameters, kept, step + i, knobs)
            return parameters, kept, {name: written[name].at[i].set(row[name]) for name in row}

        return jax.lax.fori_loop(0, count, body, (parameters, kept, empty))

    return run


def _differentiated(
    graph: Graph, parameters: dict, step: jax.Array, knobs: dict, dtype: str
) -> tuple[jax.Array, dict, dict, dict]:
    """(loss, gradient by parameter, values, arriving cotangents) of one forward and one backward pass.

    What arrives at the data, and at what is made of data alone, no training needs: for images it would cost
    as much as all the rest.
    """
    dynamic = {name: _later(given, step) for name, given in knobs["dynamic"].items()}

    def forward(parameters: dict, sinks: dict) -> tuple[jax.Array, dict]:
        values: dict[str, jax.Array] = {}
        given = {**knobs["inputs"], **parameters}
        for node in order(graph):
            values[node.name] = _node(node, values, given, dynamic, sinks, knobs["gates"], dtype)
        return values[graph.output], values

    shapes = jax.eval_shape(lambda: forward(parameters, {})[1])
    moved = descendants(graph, parameters)
    sinks = {name: jnp.zeros(shapes[name].shape, shapes[name].dtype) for name in moved}
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
    """Run-time parameters `step` steps on: seeds count up, and begin again at 0 after the last one."""
    return {**given, "seed": jnp.bitwise_and(given["seed"] + step, limits.SEED)} if "seed" in given else given


def _norm(array: jax.Array) -> jax.Array:
    return jnp.sqrt(jnp.sum(jnp.square(array)))


def _dead(value: jax.Array) -> jax.Array:
    """The share of units that are 0 in every example."""
    silent = jnp.all(value == 0, axis=0) if value.ndim > 1 else value == 0
    return jnp.mean(silent, dtype=value.dtype)


def _ratio(update: jax.Array, parameter: jax.Array) -> jax.Array:
    size = _norm(parameter)
    return jnp.where(size > 0, _norm(update) / size, 0.0)
