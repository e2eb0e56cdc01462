"""Test that at extreme parameters every op gives what NumPy gives in float64, in both precisions.

The check of the page shares the ops, so that it cannot see a parameter that lost its digits on the way.
"""

import jax
import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.training.state import Settings
from autodiff_viz.training.updates import advance, begin
from tests.export.programs import run_here
from tests.ops.references import reference

TOLERANCE = {"float32": 1e-6, "float64": 1e-12}

FAR = (
    (10000.0, 10001.0, 10002.0, 10005.0),
    (-64.0, -63.0, -62.0, -59.0),
)  # a mean far from 0, exact in float32
NARROW = tuple(
    tuple(x / 1024 for x in row) for row in FAR
)  # a deviation that the usual epsilon is small beside
EPSILONS = [0.0, 1e-12, 1e-5, 0.1, 1e8]


def _normed(x: tuple) -> list:
    return [((x, 1.5, -0.25), {"epsilon": epsilon}) for epsilon in EPSILONS]


RATES = [0.0, 1e-7, 1e-3, 0.1, 0.9, 0.99, 0.9999, 0.999999, 0.99999997, 1.0]
ONES = tuple(1.0 for _ in range(4096))
DRAWS = {"shape": (64,), "seed": 7}

CASES = {
    "layer_norm": _normed(FAR) + _normed(NARROW),
    "batch_norm": _normed(tuple(zip(*FAR, strict=True))) + _normed(tuple(zip(*NARROW, strict=True))),
    "dropout": [((ONES,), {"rate": rate, "seed": seed}) for rate in RATES for seed in (0, 5)],
    "uniform": [
        ((), {**DRAWS, "low": low, "high": high})
        for low, high in [(0.1, 0.1), (0.9, 1.1), (-1e-30, 3e-30), (-7e29, 1e30), (1e10, 1e10 + 1.0)]
    ],
    "normal": [
        ((), {**DRAWS, "mean": mean, "scale": scale})
        for mean, scale in [(0.1, 0.0), (1e10, 1.0), (1e-3, 1e-10), (0.0, 1e30), (-0.1, -1e-30)]
    ],
}


def wanted(name: str, arrays: tuple, given: dict) -> np.ndarray:
    """From NumPy in float64. What JAX draws in float32 is taken as it is."""
    key, shape = jax.random.key(given.get("seed", 0)), given.get("shape", ())
    if name == "uniform":
        unit = np.asarray(jax.random.uniform(key, shape, np.float32), np.float64)
        return given["low"] + (given["high"] - given["low"]) * unit
    if name == "normal":
        unit = np.asarray(jax.random.normal(key, shape, np.float32), np.float64)
        return given["mean"] + given["scale"] * unit
    with np.errstate(divide="ignore", invalid="ignore"):
        return reference(name)(*(np.asarray(array, np.float64) for array in arrays), **given)


def graph_of(name: str, arrays: tuple, given: dict) -> Graph:
    inputs = [Node(f"x{i}", INPUT, (), params(value=array)) for i, array in enumerate(arrays)]
    return Graph((*inputs, Node("y", name, tuple(node.name for node in inputs), params(**given))), (), "y")


def test_every_op_with_a_number_for_a_parameter_is_here():
    assert {op.name for op in OPS.values() if any(p.kind == "float" for p in op.params)} == set(CASES)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("name", "arrays", "given"),
    [pytest.param(name, *case, id=f"{name}-{case[1]}") for name, cases in CASES.items() for case in cases],
)
def test_an_extreme_parameter_keeps_its_digits(name, arrays, given, dtype):
    found = trace(graph_of(name, arrays, given), dtype=dtype)
    expected = wanted(name, arrays, given)
    room = TOLERANCE[dtype] * np.abs(expected).max()
    np.testing.assert_allclose(found.value["y"], expected, rtol=TOLERANCE[dtype], atol=room)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rate", RATES)
def test_dropout_passes_what_it_keeps_enlarged_and_nothing_where_it_drops(rate, dtype):
    found = trace(graph_of("dropout", (ONES,), {"rate": rate}), dtype=dtype)
    np.testing.assert_allclose(found.gradient["x0"], found.value["y"], rtol=1e-6)  # of a 1: the same


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CASES)
def test_an_exported_program_keeps_them_too(name, dtype):
    for arrays, given in CASES[name][::3]:
        value, gradients, _ = run_here(to_python(graph_of(name, arrays, given), dtype=dtype))
        expected, room = wanted(name, arrays, given), TOLERANCE[dtype]
        np.testing.assert_allclose(value, expected, rtol=room, atol=room * np.abs(expected).max())
        assert all(np.isfinite(gradient).all() for gradient in gradients)


@pytest.mark.parametrize(
    ("name", "dtype"), [("sgd", "float64"), ("momentum", "float64"), ("adam", "float64")]
)
def test_optimisers_are_those_of_the_papers_in_float64(name, dtype):
    """d loss/dw = 2 w. Adam as in Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015."""
    graph, rate = parse("w = parameter(1.7)\nloss = square(w)"), 0.0123
    w, first, second = 1.7, 0.0, 0.0
    for step in range(1, 8):
        slope = 2 * w
        first = {"sgd": slope, "momentum": 0.9 * first + slope, "adam": 0.9 * first + 0.1 * slope}[name]
        second = 0.999 * second + 0.001 * slope**2
        move = first
        if name == "adam":
            move = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        w -= rate * move
    settings = Settings(name, rate)
    state, _ = advance(graph, begin(graph, settings, dtype), 7, settings, dtype)
    np.testing.assert_allclose(state.parameters["w"], w, rtol=1e-13)
