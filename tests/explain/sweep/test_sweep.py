"""Test that a sweep is the traces at each of its positions, computed together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.sweep.compute import POSITIONS, Sweep, sweep, true_derivative
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.engine.references.scalar_graphs import NUMBERS, scalar_graphs

ALL_RULES = """
x = 0.7
w = [[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]]
u = uniform(shape=(3,), low=0.9, high=1.1, seed=2)
h = w * x + u
s = stop_gradient(sin(h))
r = rewrite(h * h, lambda v: clip(v, -0.5, x0))
p = custom(exp(h), pullback=lambda v, h, y: v * y / (1.0 + abs(h)))
b = backward_as(round(h), h)
with checkpoint("tail"):
    t = softmax(s * r + p, axis=1) @ b[0]
    q = t[1:] * x
y = concatenate([t, q, [2.0]])
""".replace("x0", "0.8")


def assert_is_the_traces(swept: Sweep, base: Trace, seed: object) -> None:
    for i, position in enumerate(swept.positions):
        one = trace(base.graph, {swept.name: position}, seed, dtype=base.dtype)
        for name in one.value:
            _same(swept.along(swept.value[name], name)[i], one.value[name])
            _same(swept.along(swept.cotangent[name], (name, ARRIVING))[i], one.cotangent[name])
        for wire in one.passed:
            _same(swept.along(swept.passed[wire], wire)[i], one.passed[wire])
        _same(swept.gradient[i], one.gradient[swept.name])


def _same(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def test_with_every_rule_and_arrays_downstream():
    base = trace(parse(ALL_RULES), dtype="float64")
    assert_is_the_traces(sweep(base, "x", np.linspace(-1, 1, 3)), base, None)


def test_with_a_seed_of_its_own():
    seed = np.arange(4.0)
    base = trace(parse(ALL_RULES), seed=seed, dtype="float64")
    assert_is_the_traces(sweep(base, "x", [0.1, 0.2]), base, seed)


@settings(max_examples=25)
@given(graph=scalar_graphs(regions=False), seed=NUMBERS, data=st.data())
def test_of_random_graphs(graph, seed, data):
    """Positions one float64 apart from where the graph is clear of kinks and poles."""
    name = data.draw(st.sampled_from([node.name for node in graph.nodes if node.op == INPUT]))
    at = graph[name].param("value")
    base = trace(graph, seed=seed, dtype="float64")
    swept = sweep(base, name, [at, np.nextafter(at, 9), at])
    for field, key in [(swept.value, lambda n: n), (swept.cotangent, lambda n: (n, ARRIVING))]:
        known = base.value if field is swept.value else base.cotangent
        for node in known:
            for found in swept.along(field[node], key(node)):
                np.testing.assert_allclose(found, known[node], rtol=1e-9, atol=1e-9)
    for wire in base.passed:
        np.testing.assert_allclose(
            swept.along(swept.passed[wire], wire)[2], base.passed[wire], rtol=1e-9, atol=1e-9
        )


def test_the_true_derivative_ignores_rules():
    base = trace(parse("x = 1.0\ny = rewrite(sin(x), lambda v: 0.0) * backward_as(identity(x), 2.0 * x)"))
    points = np.linspace(-2, 2, 9)
    expected = np.cos(points) * points + np.sin(points)
    np.testing.assert_allclose(true_derivative(base, "x", points), expected, rtol=1e-5, atol=1e-6)


def test_an_input_that_does_not_reach_the_output_has_the_gradient_0():
    base = trace(parse("x = 1.0\nz = 2.0\ny = sin(x)\nw = z * y\nreturn y"))
    found = sweep(base, "z", [0.0, 1.0, 2.0])
    np.testing.assert_array_equal(found.gradient, np.zeros(3))
    np.testing.assert_allclose(found.along(found.value["w"], "w"), np.sin(1) * np.arange(3), rtol=1e-6)
    assert found.along(found.value["y"], "y").shape == (3,)


def test_a_swept_input_that_is_the_output_itself():
    found = sweep(trace(parse("x = 1.0")), "x", [3.0, 4.0])
    np.testing.assert_array_equal(found.value["x"], [3.0, 4.0])
    np.testing.assert_array_equal(found.gradient, [1.0, 1.0])


@pytest.mark.parametrize("name", ["y", "v", "nowhere"])
def test_only_a_scalar_input_can_be_swept(name):
    base = trace(parse("x = 1.0\nv = [1.0, 2.0]\ny = x * v"))
    with pytest.raises(GraphError, match=f"'{name}' is not a scalar input, so it cannot be swept"):
        sweep(base, name, [1.0])


@pytest.mark.parametrize("positions", [[], np.zeros(POSITIONS + 1), [[1.0, 2.0]]])
def test_positions_have_a_limit(positions):
    with pytest.raises(GraphError, match=f"At most {POSITIONS} positions on one axis"):
        sweep(trace(parse("x = 1.0\ny = sin(x)")), "x", positions)


def test_so_have_the_numbers_in_all():
    base = trace(parse("x = 1.0\nw = input(shape=(200, 200), seed=0)\ny = sum(x * w)"))
    with pytest.raises(GraphError, match="numbers in all"):
        sweep(base, "x", np.zeros(1000))
