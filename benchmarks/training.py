"""Compare a training step with all records with the same step by hand in JAX and Optax under jit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.surface.compute import POINTS, prediction_surface
from autodiff_viz.graph.model import Graph
from autodiff_viz.language.parse import parse
from autodiff_viz.training.course import further, records, start
from autodiff_viz.training.state import Settings
from autodiff_viz.training.steps import AT_ONCE
from autodiff_viz.training.updates import advance, begin
from benchmarks.clock import ratio, times
from benchmarks.table import Row

TARGET, SURFACE = 1.5, 20.0
ROUNDS, RATE = 9, 0.01
DEEP, WIDTH, BATCH = 12, 256, 32

XOR = """x = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
y = [[0.0], [1.0], [1.0], [0.0]]
w1 = parameter(shape=(2, 10), init="glorot_uniform", seed=1)
b1 = parameter(shape=(10,))
h = relu(dense(x, w1, b1))
w2 = parameter(shape=(10, 1), init="glorot_uniform", seed=2)
b2 = parameter(shape=(1,))
loss = mean_squared_error(dense(h, w2, b2), y)
"""

CNN = """x = input(shape=(10, 16, 16, 3), seed=0)
y = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
w1 = parameter(shape=(5, 5, 3, 6), init="glorot_uniform", seed=1)
b1 = parameter(shape=(6,))
c = conv2d(x, w1, b1)
p = flatten(max_pool(c))
w2 = parameter(shape=(216, 10), init="glorot_uniform", seed=2)
b2 = parameter(shape=(10,))
logits = dense(p, w2, b2)
loss = mean(softmax_cross_entropy_with_integer_labels(logits, y))
"""


class Network(NamedTuple):
    """A loss as a graph, and written by hand as a function of parameters and data by name."""

    what: str
    graph: Graph
    loss: Callable[[dict, dict], jax.Array]


def steps() -> Iterator[Row]:
    """Compare `AT_ONCE` steps with as many written by hand, in turn."""
    for network in (_xor(), _cnn(), _deep()):
        mine, theirs = _ours(network.graph), _by_hand(network)
        mine(0), theirs(0)
        a, b = times(ROUNDS, mine, theirs)
        yield Row(f"{network.what}: a step with all records / JAX and Optax by hand", ratio(a, b), TARGET)


def surface() -> Iterator[Row]:
    """Compare the surface of a prediction with `jax.vmap` by hand, and with one training step by hand."""
    network = _xor()
    found = trace(network.graph)
    weights = {name: jnp.asarray(found.value[name]) for name in ("w1", "b1", "w2", "b2")}
    along = np.linspace(-1 / 6, 7 / 6, POINTS, dtype=np.float32)
    grid = np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)

    @jax.jit
    def predicted(p: dict, points: jax.Array) -> jax.Array:
        return jax.vmap(lambda x: jax.nn.relu(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"])(points)

    def by_hand(_: int) -> np.ndarray:
        return np.asarray(predicted(weights, grid))

    def ours(_: int) -> np.ndarray:
        return prediction_surface(found).value

    one_step = _by_hand(network, 1)
    by_hand(0), ours(0), one_step(0)
    a, b, c = times(ROUNDS, ours, by_hand, one_step)
    yield Row(f"surface of {POINTS} by {POINTS} points / jax.vmap by hand", ratio(a, b), None)
    yield Row(f"surface of {POINTS} by {POINTS} points / a training step by hand", ratio(a, c), SURFACE)


def memory() -> Iterator[Row]:
    """Compare the bytes of records per step and node: the same for a wide network as for a narrow one."""
    narrow, wide = (_held(_mlp(3, width)) for width in (8, WIDTH))
    yield Row(f"1,000 steps recorded: width {WIDTH} / width 8, in bytes", wide / narrow, 1.05)
    once, twice = _held(_mlp(3, 8), 500), _held(_mlp(3, 8), 1_000)
    yield Row("1,000 steps / 500 steps, in bytes", twice / once, 2.1)


def _ours(graph: Graph) -> Callable[[int], Any]:
    settings = Settings("sgd", RATE)
    state = begin(graph, settings)
    return lambda _: advance(graph, state, AT_ONCE, settings)


def _by_hand(network: Network, count: int = AT_ONCE) -> Callable[[int], Any]:
    optimiser = optax.sgd(RATE)
    inputs = {name: jnp.asarray(array) for name, array in trace(network.graph).inputs.items()}
    parameters = {node.name: inputs.pop(node.name) for node in network.graph.nodes if node.is_parameter}

    @jax.jit
    def step(parameters: dict, kept: Any) -> tuple:
        loss, gradient = jax.value_and_grad(network.loss)(parameters, inputs)
        updates, kept = optimiser.update(gradient, kept)
        return optax.apply_updates(parameters, updates), kept, loss

    def run(_: int) -> list[float]:
        now, kept, losses = parameters, optimiser.init(parameters), []
        for _ in range(count):
            now, kept, loss = step(now, kept)
            losses.append(loss)
        return [float(loss) for loss in losses]

    return run


def _held(graph: Graph, count: int = 1_000) -> int:
    settings = Settings("sgd", RATE)
    course = start(graph, settings)
    while len(course) < count:
        course = further(course, graph, settings, min(AT_ONCE, count - len(course)))
    found = records(course)
    return sum(getattr(found, name).nbytes for name in ("loss", "value", "cotangent", "dead", "ratio"))


def _xor() -> Network:
    def loss(p: dict, data: dict) -> jax.Array:
        hidden = jax.nn.relu(data["x"] @ p["w1"] + p["b1"])
        return jnp.mean((hidden @ p["w2"] + p["b2"] - data["y"]) ** 2)

    return Network("XOR network", parse(XOR), loss)


def _cnn() -> Network:
    def loss(p: dict, data: dict) -> jax.Array:
        layout = ("NHWC", "HWIO", "NHWC")
        c = jax.lax.conv_general_dilated(data["x"], p["w1"], (1, 1), "VALID", dimension_numbers=layout)
        pooled = jax.lax.reduce_window(
            c + p["b1"], -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"
        )
        logits = pooled.reshape(len(pooled), -1) @ p["w2"] + p["b2"]
        labels = data["y"].astype(int)
        return jnp.mean(optax.losses.softmax_cross_entropy_with_integer_labels(logits, labels))

    return Network("convolution network", parse(CNN), loss)


def _deep() -> Network:
    def loss(p: dict, data: dict) -> jax.Array:
        h = data["x"]
        for i in range(DEEP):
            h = jnp.tanh(h @ p[f"w{i}"] + p[f"b{i}"])
        return jnp.mean((h - data["y"]) ** 2)

    return Network(f"{DEEP} layers of {WIDTH}", _mlp(DEEP, WIDTH), loss)


def _mlp(layers: int, width: int) -> Graph:
    lines = [f"x = input(shape=({BATCH}, {width}), seed=0)", f"y = input(shape=({BATCH}, {width}), seed=1)"]
    below = "x"
    for i in range(layers):
        lines += [
            f'w{i} = parameter(shape=({width}, {width}), init="glorot_uniform", seed={i})',
            f"b{i} = parameter(shape=({width},))",
            f"h{i} = tanh(dense({below}, w{i}, b{i}))",
        ]
        below = f"h{i}"
    return parse("\n".join([*lines, f"loss = mean_squared_error({below}, y)"]))
