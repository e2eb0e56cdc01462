"""Test what is particular to layers and losses."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.trace import trace
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS


def test_mean_squared_error_of_a_column_and_a_row_averages_all_pairs():
    """The tutorial's loss: yhat is [4, 1], y is [4], and all 16 differences count. Outputs of 0.5 give the
    floor of 0.25."""
    column, row = jnp.full((4, 1), 0.5), jnp.array([0.0, 1.0, 1.0, 0.0])
    assert OPS["mean_squared_error"].apply(column, row) == 0.25


def test_dropout_keeps_the_mean_and_another_seed_drops_others():
    x = jnp.ones(10_000)
    drop = OPS["dropout"].apply
    once = drop(x, rate=0.2, seed=1)
    np.testing.assert_allclose(once.mean(), 1.0, atol=0.02)
    np.testing.assert_allclose((once == 0).mean(), 0.2, atol=0.02)
    assert (once != drop(x, rate=0.2, seed=2)).any()


def test_dropout_seed_and_rate_compile_nothing_new():
    assert not any(param.static for param in OPS["dropout"].params)


def test_cross_entropy_passes_softmax_minus_one_hot():
    """Worked by hand: logits ln 1, ln 2, ln 5 have chances 1/8, 2/8, 5/8."""
    logits = jnp.log(jnp.array([1.0, 2.0, 5.0]))
    loss = OPS["softmax_cross_entropy_with_integer_labels"].apply
    value, passed = jax.value_and_grad(loss)(logits, jnp.array(2.0))
    np.testing.assert_allclose(value, np.log(8 / 5), rtol=1e-6)
    np.testing.assert_allclose(passed, [1 / 8, 2 / 8, 5 / 8 - 1], rtol=1e-5)


def test_nothing_at_all_is_passed_to_class_labels():
    found = trace(
        parse(
            "z = [[1.0, 2.0]]\nk = [1.0]\n"
            "loss = softmax_cross_entropy_with_integer_labels(z, k)\ny = mean(loss)"
        )
    )
    assert found.passed.is_symbolic_zero(("loss", 1))
    assert not found.passed.is_symbolic_zero(("loss", 0))


def test_batch_norm_published_gradients_of_the_first_output():
    """reference: x = [1, 2, 4, 7], first output [.1974, -.1870, -.0831, .0727]."""
    norm = OPS["batch_norm"].apply
    x = jnp.array([[1.0], [2.0], [4.0], [7.0]])
    one, zero = jnp.ones(1), jnp.zeros(1)
    slope = jax.grad(lambda x: norm(x, one, zero, epsilon=0.0)[0, 0])(x)
    np.testing.assert_allclose(slope[:, 0], [0.1974, -0.1870, -0.0831, 0.0727], atol=1e-4)


@pytest.mark.parametrize(
    "line",
    [
        "y = conv2d(x, w, 0.0, stride=0)",
        "y = conv2d(x, w, 0.0, stride=-1)",
        "y = max_pool(x, window=0)",
        "y = max_pool(x, window=9)",
        "y = avg_pool(x, stride=0)",
        'y = avg_pool(x, window=65536, padding="SAME")',
        "y = max_pool([[1.0]])",
        "y = conv2d(w, x, 0.0)",
        "y = conv2d(x, 1.0, 0.0)",
        "y = flatten(1.0)",
        "y = batch_norm(1.0, 1.0, 1.0)",
        "y = batch_norm([1.0, 2.0], 1.0, 1.0)",
    ],
)
def test_what_cannot_run_is_a_problem_at_the_node(line):
    graph = parse(f"x = input(shape=(1, 4, 4, 2), seed=0)\nw = input(shape=(2, 2, 2, 3), seed=0)\n{line}")
    (problem,) = diagnose(graph)
    assert problem.node == "y"
    assert "JAX says" not in problem.message
