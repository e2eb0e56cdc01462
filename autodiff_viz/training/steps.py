"""Make training steps on the live path, for graphs whose step would take too long to compile.

XLA's compile time grows with the square of the size of such a program: 12 s for 60 nodes in a row. A step
here is one live pass and one small update program per parameter shape, which all graphs share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from threading import Lock
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from autodiff_viz.engine.live_path.kernels import ROUNDED
from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.trace import Trace, precision, trace
from autodiff_viz.engine.whole_program.program import dynamic_params, ruled, ruled_input, structure, tap
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.edits import with_param
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import INPUT, Graph, Node
from autodiff_viz.graph.order import descendants, order
from autodiff_viz.graph.rule_kinds import FOLLOW, STOP
from autodiff_viz.training.gates import change, close, passages, without_gated
from autodiff_viz.training.state import (
    Scaling,
    Settings,
    State,
    all_finite,
    in_dtype,
    later,
    learned,
    next_scale,
    optimiser_of,
    parameter_dtype,
    seed_of,
    unscaled,
)

# Compile a training step, with the record of numbers that each step writes. Stops and plain rewrites of
# the graph are run-time gates, and checkpoint regions change no number, so one compiled program serves
# all settings of these toggles.

"""Optax's optimisers by the names on the page; "momentum" is `optax.sgd` with a momentum of 0.9."""

KEPT = 8  # compiled programs
AT_ONCE = 256  # steps that one call makes at most

Now = tuple[dict, Any, jax.Array, tuple[jax.Array, jax.Array]]
"""(parameters, Optax's state of each parameter, number of the step, (loss scale, good steps))."""

Run = Callable[[Now, int, dict], tuple[Now, np.ndarray]]
"""`run(now, count, knobs)` gives the `Now` after `count` steps and a row of numbers per step.

A row holds the loss, then per node the norm of its value, the norm of its arriving cotangent and its share of
dead units, then per parameter, by name, the ratio of its update, then the loss scale and whether the step was
skipped. Norms of cotangents are divided by the loss scale.
"""

_programs: dict[bytes, Run] = {}
_making = Lock()  # two visitors who open the same lesson share one program


def program(graph: Graph, optimiser: str, dtype: str, now: Now, knobs: dict, mixed: bool = False) -> Run:
    """Return the training steps of a graph for arrays of these shapes; `mixed`: with float32 parameters.

    Memoised by structure, shapes, optimiser and dtypes (LRU of `KEPT` programs); compiled at the first run.
    """
    shapes = tuple(
        tuple((name, array.shape) for name, array in sorted(arrays.items()))
        for arrays in (knobs["inputs"], now[0])
    )
    bare = structure(without_gated(graph))
    key = identity((bare, shapes, optimiser, dtype, mixed))
    with _making:
        if key not in _programs:
            while len(_programs) >= KEPT:
                _programs.pop(next(iter(_programs)))
            # XLA's convolutions on the CPU take some ten times as long inside a loop.
            one_by_one = any(node.op == "conv2d" for node in graph.nodes)
            step = _stepper(bare, optimiser, dtype, mixed)
            options = ROUNDED if DTYPES[dtype].half else None
            _programs[key] = (_one_by_one if one_by_one else _in_a_loop)(step, options)
        _programs[key] = _programs.pop(key)  # LRU: the most recently used one moves to the end
        return _programs[key]


def _stepper(graph: Graph, optimiser: str, dtype: str, mixed: bool) -> Callable[..., tuple]:
    moves, nodes = optimiser_of(optimiser), order(graph)
    kind = record_dtype(dtype)
    nothing = jnp.asarray(jnp.nan, kind)

    def step_once(parameters: dict, kept: Any, step: jax.Array, scaling: tuple, knobs: dict) -> tuple:
        scale, good = scaling
        given = {name: array.astype(dtype) for name, array in parameters.items()}
        seed = scale.astype(dtype if mixed else kind)
        loss, gradient, values, cotangents = _differentiated(
            graph, given, step, knobs, dtype, seed if mixed else None
        )
        if mixed:
            gradient = {name: unscaled(array, seed) for name, array in gradient.items()}
        finite = all_finite(gradient) if mixed else jnp.asarray(True)
        updates, after = {}, {}
        for name, parameter in parameters.items():
            with jax.numpy_dtype_promotion("standard"):  # Optax raises a float to a whole number
                update, after[name] = moves.update(gradient[name], kept[name], parameter)
            updates[name] = jnp.where(knobs["frozen"][name] | ~finite, 0.0, knobs["rate"] * update)
        row = [
            loss.astype(kind),
            *(_norm(values[node.name], kind) for node in nodes),
            *(_norm(cotangents.get(node.name, nothing), kind) / seed.astype(kind) for node in nodes),
            *(_dead(values[node.name], kind) for node in nodes),
            *(_ratio(updates[name], parameters[name], kind) for name in sorted(parameters)),
            scale.astype(kind),
            (~finite).astype(kind),
        ]
        if mixed:
            after = jax.tree.map(partial(jnp.where, finite), after, kept)
            scaling = next_scale(scale, good, finite, knobs["interval"])
        return optax.apply_updates(parameters, updates), after, step + 1, scaling, jnp.stack(row)

    return step_once


def record_dtype(dtype: str) -> str:
    """Return the dtype of a training's record: float32 for 16 bits, whose squares overflow at once."""
    return FLOAT32 if DTYPES[dtype].half else dtype


def _one_by_one(step: Callable[..., tuple], options: dict | None) -> Run:
    compiled = jax.jit(step, compiler_options=options)

    def run(now: Now, count: int, knobs: dict) -> tuple[Now, np.ndarray]:
        rows = []
        for _ in range(count):
            *now, row = compiled(*now, knobs)
            rows.append(row)
        return tuple(now), np.stack([np.asarray(row) for row in rows])

    return run


def _in_a_loop(step: Callable[..., tuple], options: dict | None) -> Run:
    """Run many steps inside one compiled loop.

    For small steps a call from Python takes longer than the step itself.
    """

    @partial(jax.jit, compiler_options=options)
    def loop(now: Now, count: jax.Array, knobs: dict) -> tuple[Now, jax.Array]:
        row = jax.eval_shape(step, *now, knobs)[-1]

        def body(i: jax.Array, state: tuple) -> tuple:
            now, rows = state
            *now, row = step(*now, knobs)
            return tuple(now), rows.at[i].set(row)

        return jax.lax.fori_loop(0, count, body, (now, jnp.zeros((AT_ONCE, *row.shape), row.dtype)))

    def run(now: Now, count: int, knobs: dict) -> tuple[Now, np.ndarray]:
        now, rows = loop(now, np.int32(count), knobs)
        return now, np.asarray(rows)[:count]

    return run


def _differentiated(
    graph: Graph, parameters: dict, step: jax.Array, knobs: dict, dtype: str, seed: jax.Array | None
) -> tuple[jax.Array, dict, dict, dict]:
    """Return (loss, gradient by parameter, values, arriving cotangents) of one forward and one backward pass.

    `seed` is the loss scale, by which the cotangents are larger; None for 1.

    Cotangents of the data, and of nodes computed from data alone, are left out, since training does not need
    them: for images they would cost as much as all the rest.
    """
    dynamic = later_on(knobs["dynamic"], step)
    closed = dict(zip(passages(graph), knobs["gates"].closed, strict=True))
    changes = dict(zip((node.name for node in order(graph)), knobs["gates"].changes, strict=True))

    def node_value(node: Node, values: dict, given: dict) -> jax.Array:
        if node.op == INPUT:
            value = given[node.name]
            if node.rule.kind != FOLLOW:  # a compiled-in rule may turn a zero into something else
                value = ruled_input(node, close(value, closed[node.name, ARRIVING]))
        else:
            wired = [close(values[name], closed[node.name, slot]) for slot, name in node.wires]
            value = ruled(node, wired, dynamic.get(node.name, {}), dtype, named=False)
        return change(value, *changes[node.name])

    def forward(parameters: dict, sinks: dict) -> tuple[jax.Array, dict]:
        values: dict[str, jax.Array] = {}
        given = {**knobs["inputs"], **parameters}
        for node in order(graph):
            value = node_value(node, values, given)
            values[node.name] = tap(value, sinks[node.name]) if node.name in sinks else value
        return values[graph.output], values

    shapes = jax.eval_shape(lambda: forward(parameters, {})[1])
    moved = descendants(graph, parameters)
    sinks = {name: jnp.zeros(shapes[name].shape, shapes[name].dtype) for name in moved}
    loss, pull, values = jax.vjp(forward, parameters, sinks, has_aux=True)
    gradient, cotangents = pull(jnp.ones_like(loss) if seed is None else seed.astype(loss.dtype))
    return loss, gradient, values, cotangents


def later_on(dynamic: Mapping[str, dict], step: jax.Array) -> dict[str, dict]:
    """Return the run-time parameters by node after `step` steps: only seeds change."""
    return {
        name: {**given, "seed": later(given["seed"], step)} if "seed" in given else given
        for name, given in dynamic.items()
    }


def _norm(array: jax.Array, kind: str) -> jax.Array:
    return jnp.sqrt(jnp.sum(jnp.square(array.astype(kind))))


def _dead(value: jax.Array, kind: str) -> jax.Array:
    """Return the share of units that are 0 in every example."""
    silent = jnp.all(value == 0, axis=0) if value.ndim > 1 else value == 0
    return jnp.mean(silent, dtype=kind)


def _ratio(update: jax.Array, parameter: jax.Array, kind: str) -> jax.Array:
    size = _norm(parameter, kind)
    return jnp.where(size > 0, _norm(update, kind) / size, 0.0)


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
            *map(_live_norm, values),
            *(_live_norm(found.cotangent[name]) / seed if name in moved else np.nan for name in names),
            *map(_live_dead, values),
            *(ratios[name] for name in sorted(ratios)),
            float(scaling.scale) if scaling else 1.0,
            skipped,
        ]
    return np.asarray(row, record_dtype(found.dtype))


def _live_norm(array: np.ndarray) -> float:
    wide = array.astype(record_dtype(array.dtype.name))
    return float(np.sqrt(np.sum(np.square(wide)))) if array.ndim else abs(float(array))


def _live_dead(value: np.ndarray) -> float:
    """Return the share of units that are 0 in every example."""
    silent = np.all(value == 0, axis=0) if value.ndim > 1 else value == 0
    return float(np.mean(silent))
