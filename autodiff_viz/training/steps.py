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

from autodiff_viz.engine.live_path.compiling import ROUNDED
from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.trace import Trace, precision, trace
from autodiff_viz.engine.whole_program.program import Program, dynamic_params, structure
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.edits import with_param
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.order import descendants, order
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.training.gates import gated, without_gated
from autodiff_viz.training.records import (
    Records,
    as_row,
    dead_share,
    from_rows,
    norm,
    record_dtype,
    stacked,
    update_ratio,
)
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

KEPT = 8  # compiled programs
AT_ONCE = 256  # steps that one call makes at most

Now = tuple[dict, Any, jax.Array, tuple[jax.Array, jax.Array]]
"""(parameters, Optax's state of each parameter, number of the step, (loss scale, good steps))."""

Run = Callable[[Now, int, dict], tuple[Now, Records]]
"""`run(now, count, knobs)` gives the `Now` after `count` steps, and their records, counted from 0."""

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
            like = jax.eval_shape(step, now, knobs)[1]
            options = ROUNDED if DTYPES[dtype].half else None
            _programs[key] = (_one_by_one if one_by_one else _in_a_loop)(step, like, options)
        _programs[key] = _programs.pop(key)  # LRU: the most recently used one moves to the end
        return _programs[key]


def _stepper(graph: Graph, optimiser: str, dtype: str, mixed: bool) -> Callable[..., tuple[Now, Records]]:
    """Return one step as a function of `Now` and the knobs, to compile."""
    moves, names = optimiser_of(optimiser), tuple(node.name for node in order(graph))
    kind = record_dtype(dtype)

    def step_once(now: Now, knobs: dict) -> tuple[Now, Records]:
        parameters, kept, step, (scale, good) = now
        program = Program(graph, dtype, rules=gated(graph, knobs["gates"]))
        dynamic = later_on(knobs["dynamic"], step)

        def forward(parameters: dict, sinks: dict) -> tuple[jax.Array, dict]:
            return program({**knobs["inputs"], **parameters}, dynamic, sinks)

        # Cotangents of data, and of nodes computed from data alone, are not computed, since training does not
        # need them: for images they would cost as much as all the rest.
        given = {name: array.astype(dtype) for name, array in parameters.items()}
        shapes = jax.eval_shape(lambda: forward(given, {})[1])
        moved = descendants(graph, parameters)
        sinks = {(name, ARRIVING): jnp.zeros(shapes[name].shape, shapes[name].dtype) for name in moved}
        loss, pull, values = jax.vjp(forward, given, sinks, has_aux=True)
        seed = scale.astype(dtype if mixed else kind)
        gradient, cotangents = pull(seed.astype(loss.dtype) if mixed else jnp.ones_like(loss))

        if mixed:
            gradient = {name: unscaled(array, seed) for name, array in gradient.items()}
        finite = all_finite(gradient) if mixed else jnp.asarray(True)
        updates, after = {}, {}
        for name, parameter in parameters.items():
            with jax.numpy_dtype_promotion("standard"):  # Optax raises a float to a whole number
                update, after[name] = moves.update(gradient[name], kept[name], parameter)
            updates[name] = jnp.where(knobs["frozen"][name] | ~finite, 0.0, knobs["rate"] * update)
        nothing = jnp.asarray(jnp.nan, kind)
        arrived = [norm(cotangents.get((n, ARRIVING), nothing), kind) / seed.astype(kind) for n in names]
        record = Records(
            nodes=names,
            parameters=tuple(sorted(parameters)),
            first=0,
            loss=loss.astype(kind),
            value=jnp.stack([norm(values[name], kind) for name in names]),
            cotangent=jnp.stack(arrived),
            dead=jnp.stack([dead_share(values[name], kind) for name in names]),
            ratio=jnp.stack([update_ratio(updates[n], parameters[n], kind) for n in sorted(parameters)]),
            scale=scale.astype(kind),
            skipped=~finite,
        )
        scaling = scale, good
        if mixed:
            after = jax.tree.map(partial(jnp.where, finite), after, kept)
            scaling = next_scale(scale, good, finite, knobs["interval"])
        return (optax.apply_updates(parameters, updates), after, step + 1, scaling), record

    return step_once


def _one_by_one(step: Callable[..., tuple[Now, Records]], like: Records, options: dict | None) -> Run:
    """Return a program that is called for each step; `like` has the shapes of one step's record."""

    @partial(jax.jit, compiler_options=options)
    def compiled(now: Now, knobs: dict) -> tuple[Now, jax.Array]:
        now, record = step(now, knobs)
        return now, as_row(record)

    def run(now: Now, count: int, knobs: dict) -> tuple[Now, Records]:
        rows = []
        for _ in range(count):
            now, row = compiled(now, knobs)
            rows.append(row)
        return now, from_rows(np.stack([np.asarray(row) for row in rows]), like)

    return run


def _in_a_loop(step: Callable[..., tuple[Now, Records]], like: Records, options: dict | None) -> Run:
    """Run many steps inside one compiled loop; `like` as of `_one_by_one`.

    For small steps a call from Python takes longer than the step itself.
    """

    @partial(jax.jit, compiler_options=options)
    def loop(now: Now, count: jax.Array, knobs: dict) -> tuple[Now, jax.Array]:
        row = jax.eval_shape(as_row, like)

        def body(i: jax.Array, state: tuple[Now, jax.Array]) -> tuple[Now, jax.Array]:
            now, rows = state
            now, record = step(now, knobs)
            return now, rows.at[i].set(as_row(record))

        return jax.lax.fori_loop(0, count, body, (now, jnp.zeros((AT_ONCE, *row.shape), row.dtype)))

    def run(now: Now, count: int, knobs: dict) -> tuple[Now, Records]:
        now, rows = loop(now, np.int32(count), knobs)
        return now, from_rows(np.asarray(rows)[:count], like)

    return run


def later_on(dynamic: Mapping[str, dict], step: jax.Array) -> dict[str, dict]:
    """Return the run-time parameters by node after `step` steps: only seeds change."""
    return {
        name: {**given, "seed": later(given["seed"], step)} if "seed" in given else given
        for name, given in dynamic.items()
    }


def walked(graph: Graph, state: State, steps: int, settings: Settings, dtype: str) -> tuple[State, Records]:
    """Return the state after `steps` updates, and their records, counted from 0."""
    rows = []
    for _ in range(steps):
        found = traced(graph, state, dtype)
        after, ratios = _updated(found, state, settings)
        rows.append(_record(found, ratios, state.scaling, skipped=after.optimiser is state.optimiser))
        state = after
    return state, stacked(rows)


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
        ratio = update_ratio(change, parameter, record_dtype(parameter.dtype.name))
        return optax.apply_updates(parameter, change), kept, ratio

    return update


def _record(found: Trace, ratios: dict[str, float], scaling: Scaling | None, skipped: bool) -> Records:
    """Return the record of a step whose trace is known."""
    kind = record_dtype(found.dtype)
    seed = float(found.seed) if scaling else 1.0
    names = tuple(node.name for node in order(found.graph))
    moved, parameters = descendants(found.graph, ratios), tuple(sorted(ratios))

    def size(array: np.ndarray) -> float:
        return float(norm(array, kind, np)) if array.ndim else abs(float(array))

    with np.errstate(all="ignore"):
        arrived = [size(found.cotangent[name]) / seed if name in moved else np.nan for name in names]
        return Records(
            nodes=names,
            parameters=parameters,
            first=0,
            loss=found.value[found.output].astype(kind),
            value=np.asarray([size(found.value[name]) for name in names], kind),
            cotangent=np.asarray(arrived, kind),
            dead=np.asarray([dead_share(found.value[name], kind, np) for name in names], kind),
            ratio=np.asarray([ratios[name] for name in parameters], kind),
            scale=np.asarray(scaling.scale if scaling else 1.0, kind),
            skipped=np.asarray(skipped),
        )
