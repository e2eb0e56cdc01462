"""Test statistics of noise against closed forms; the draws are fixed, so the tests are deterministic."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.noise.compute import Statistics, noisy_nodes, statistics
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse

DRAWS = 20_000
BOUND = 4.0  # standard errors: passed by chance in 99.994 % of all sets of seeds, and these are fixed

PATH = "mu = 0.3\nz = mu + 2.0 * normal()\nf = square(z)"
SCORE = """mu = 0.3
z = stop_gradient(mu + 2.0 * normal())
f = {} * (-0.5 * square((z - mu) / 2.0))"""


def near(found, name, mean, variance, fourth):
    """Mean and variance lie within their own standard errors; `fourth` is the fourth central moment."""
    assert abs(found.mean[name] - mean) <= BOUND * np.sqrt(variance / found.draws)
    spread = np.sqrt((fourth - variance**2) / found.draws)
    assert abs(found.variance[name] - variance) <= BOUND * spread
    assert found.error[name] == pytest.approx(np.sqrt(found.variance[name] / found.draws))


def moments(text):
    """Mean, variance and fourth central moment of z^2 (less a baseline) times the score, by quadrature.

    Gauss-Hermite quadrature with 40 points is exact for these polynomials.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    z = 0.3 + 2.0 * nodes
    found = text(z, nodes)
    mean = (weights * found).sum()
    return mean, (weights * (found - mean) ** 2).sum(), (weights * (found - mean) ** 4).sum()


def test_noise_in_float64_is_computed_in_float64():
    """d e^x n / dx with n normal about 1: mean e^100, above all that float32 holds; deviation half of it."""
    text = "x = 100.0\ny = exp(x) * normal(mean=1.0, scale=0.5, seed=3)"
    found = statistics(parse(text), DRAWS, dtype="float64")
    near(found, "x", np.exp(100.0), (0.5 * np.exp(100.0)) ** 2, 3 * (0.5 * np.exp(100.0)) ** 4)


def test_row_12_path_derivative():
    """d z^2 / d mu = 2z: mean 2 mu = 0.6, variance 4 sigma^2 = 16, and 3 * 16^2 for a normal number."""
    found = statistics(parse(PATH), DRAWS)
    assert found.noisy == ("normal_1",)
    near(found, "mu", 0.6, 16.0, 3 * 16.0**2)


@pytest.mark.parametrize(
    ("reward", "baseline", "variance"),
    [
        ("square(z)", 0.0, 61.262),
        ("(square(z) - 4.09)", 4.09, 40.72),
    ],
)
def test_row_12_score_function(reward, baseline, variance):
    """(z^2 - b) (z - mu) / sigma^2 has the same mean and another variance, worked by hand in the question."""
    mean, var, fourth = moments(lambda z, eps: (z**2 - baseline) * eps / 2.0)
    assert (mean, var) == (pytest.approx(0.6), pytest.approx(variance, rel=1e-4))
    near(statistics(parse(SCORE.format(reward)), DRAWS), "mu", mean, var, fourth)


def test_two_estimators_in_one_graph_see_the_same_draw():
    graph = parse("a = 0.3\nb = 0.3\ne = 2.0 * normal()\ny = square(a + e) + square(b + e) - square(b + e)")
    found = statistics(graph, 500)
    assert found.mean["a"] == pytest.approx(0.6, abs=BOUND * 4 / np.sqrt(500))
    assert found.mean["b"] == found.variance["b"] == 0.0


def test_dropout():
    """x m / 0.6, m = 1 with probability 0.6: mean x, so d/dx has mean 1 and variance 0.4 / 0.6."""
    graph = parse("x = [1.0, 2.0, 3.0]\ny = sum(dropout(x, rate=0.4))")
    found = statistics(graph, DRAWS)
    keep = 0.6
    values, chances = np.array([1 / keep, 0.0]), np.array([keep, 1 - keep])
    fourth = (chances * (values - 1.0) ** 4).sum()
    for i in range(3):
        parts = [{"x": part["x"][i]} for part in (found.mean, found.variance, found.error)]
        one = Statistics(found.draws, found.noisy, *parts, {})
        near(one, "x", 1.0, 0.4 / 0.6, fourth)


def test_a_random_input_is_drawn_and_a_parameter_is_not():
    """d (w x) / dw = x: standard normal."""
    graph = parse("x = input(shape=(), seed=4)\nw = parameter(shape=(), seed=5)\ny = w * x")
    found = statistics(graph, DRAWS)
    assert found.noisy == noisy_nodes(graph) == ("x",)
    near(found, "w", 0.0, 1.0, 3.0)
    assert found.variance["x"] == 0.0
    assert found.mean["x"] == pytest.approx(float(trace(graph).value["w"]), rel=1e-6)


def test_equal_seeds_are_equal_draws_and_others_are_independent():
    """a - b is 0 where both have the seed 1; with seeds 1 and 2 its variance is 2."""
    text = "x = 1.0\na = normal(seed=1)\nb = normal(seed={})\ny = x * (a - b)"
    assert statistics(parse(text.format(1)), 100).variance["x"] == 0.0
    near(statistics(parse(text.format(2)), DRAWS), "x", 0.0, 2.0, 12.0)


def test_chunks_give_the_moments_of_all_draws():
    """2,300 draws are two full chunks and a part of a third; held against 1,000 and 2,000 of the same."""
    graph = parse(PATH)
    parts = {n: statistics(graph, n) for n in (1_000, 2_000, 2_300)}
    assert len({float(found.mean["mu"]) for found in parts.values()}) == 3
    for found in parts.values():
        near(found, "mu", 0.6, 16.0, 3 * 16.0**2)


def test_the_present_draw_stands_beside():
    graph = parse(PATH)
    found = statistics(graph, 10)
    assert found.present["mu"] == trace(graph).cotangent["mu"]


def test_regions_rules_and_half_precision():
    """d/dx of x^2 m / 0.5, doubled: 8x or 0, with mean 4x and variance 16 x^2."""
    graph = parse(
        "x = [1.0, 2.0]\nwith checkpoint('drop'):\n    d = dropout(x, rate=0.5, seed=3)\n    h = d * x\n"
        "y = sum(rewrite(h, lambda v: 2.0 * v))"
    )
    found = statistics(graph, 4_000, dtype="float16")
    np.testing.assert_allclose(found.mean["x"], [4.0, 8.0], atol=BOUND * 8 / np.sqrt(4_000))
    np.testing.assert_allclose(found.variance["x"], [16.0, 64.0], rtol=0.01)


@pytest.mark.parametrize("draws", [1, 0, 2.5, 10_000_000, True])
def test_the_number_of_draws_is_checked(draws):
    with pytest.raises(GraphError, match="number of draws"):
        statistics(parse(PATH), draws)


def test_a_graph_without_noise_is_refused():
    with pytest.raises(GraphError, match="no random draw"):
        statistics(parse("x = 1.0\ny = sin(x)"))
