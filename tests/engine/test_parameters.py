"""Test trainable inputs: how they begin, and the messages when they cannot."""

import math

import jax
import numpy as np
import pytest

from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.trace import trace
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.params import INITIALIZERS

SHAPE = (40, 60)  # 40 inputs, 60 outputs
DEVIATION = {
    "normal": 0.01,
    "lecun_normal": math.sqrt(1 / 40),
    "lecun_uniform": math.sqrt(1 / 40),
    "glorot_normal": math.sqrt(2 / 100),
    "glorot_uniform": math.sqrt(2 / 100),
    "he_normal": math.sqrt(2 / 40),
    "he_uniform": math.sqrt(2 / 40),
    "orthogonal": math.sqrt(1 / 60),  # rows of length 1
}


def drawn(call: str) -> np.ndarray:
    return trace(parse(f"w = {call}\ny = sum(w)")).value["w"]


@pytest.mark.parametrize(("init", "deviation"), DEVIATION.items())
def test_draws_have_the_published_deviation(init, deviation):
    found = drawn(f'parameter(shape={SHAPE}, init="{init}", seed=1)')
    assert found.shape == SHAPE
    np.testing.assert_allclose(found.std(), deviation, rtol=0.05)
    assert abs(found.mean()) < 0.1 * deviation


def test_every_initialiser_is_known_here():
    assert set(INITIALIZERS) == {*DEVIATION, "zeros", "ones", "uniform"}


def test_uniform_draws_from_0_to_a_hundredth():
    found = drawn(f'parameter(shape={SHAPE}, init="uniform")')
    assert 0 <= found.min() < 0.0001
    assert 0.0099 < found.max() <= 0.01


def test_orthogonal_rows_stand_at_right_angles():
    w = drawn(f'parameter(shape={SHAPE}, init="orthogonal")')
    np.testing.assert_allclose(w @ w.T, np.eye(40), atol=1e-5)


def test_matrices_begin_as_in_flax_and_biases_at_zero():
    np.testing.assert_allclose(drawn("parameter(shape=(40, 60))").std(), math.sqrt(1 / 40), rtol=0.05)
    np.testing.assert_array_equal(drawn("parameter(shape=(5,))"), np.zeros(5))


def test_same_seed_gives_the_same_draw_in_both_precisions():
    graph = parse("w = parameter(shape=(3, 4), seed=5)\ny = sum(w)")
    np.testing.assert_array_equal(trace(graph).value["w"], trace(graph, dtype="float64").value["w"])


def test_draw_is_that_of_jax():
    theirs = jax.nn.initializers.he_normal()(jax.random.key(3), (4, 2))
    np.testing.assert_array_equal(drawn('parameter(shape=(4, 2), init="he_normal", seed=3)'), theirs)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"shape": (3,), "init": "he_normal"}, "needs at least 2 axes"),
        ({"shape": (3, 3), "init": "nonsense"}, "is none of zeros"),
    ],
)
def test_a_parameter_that_cannot_be_drawn_is_a_problem_at_its_node(given, said):
    graph = Graph((Node("w", INPUT, (), params(trainable=True, seed=0, **given)),), (), "w")
    (problem,) = diagnose(graph)
    assert problem.node == "w"
    assert said in problem.message
