"""Test the closed forms of lessons with draws, worked out by hand or in NumPy from what was drawn."""

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.lab.actions import resampled
from autodiff_viz.lab.state import opened, start
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.gallery import lesson

RANDOM = "uniform(shape=(3,), low=0.9, high=1.1, seed=0)"
THREE = "x = [-2.0, -1.0, 1.0]\ny = square(x)\nu = {u}\n"
NAIVE = "yu = y * u\nz = sqrt(yu)\n"
EARLY = "yu = y * u\nnoise = stop_gradient(yu - y)\nz = sqrt(noise + y)\n"
LAST = "yu = y * u\nclean = sqrt(y)\nnoise = stop_gradient(sqrt(yu) - clean)\nz = noise + clean\n"
X = np.array([-2.0, -1.0, 1.0])
CLOSED_FORMS = [
    pytest.param(NAIVE, lambda u: np.sign(X) * np.sqrt(u), id="naive"),
    pytest.param(EARLY, lambda u: np.sign(X) / np.sqrt(u), id="stop placed early"),
]


def _draws(variant: str, count: int = 4):
    """Traces of the lesson's graph with its first draw and with the next ones, as Resample makes them."""
    lab = opened(start(), av.parse(THREE.format(u=RANDOM) + variant), "Noise")
    for _ in range(count):
        yield av.trace(lab.graph)
        lab = resampled(lab)


@pytest.mark.parametrize(("variant", "gradient"), CLOSED_FORMS)
def test_the_gradient_follows_its_closed_form_in_every_draw(variant, gradient):
    for trace in _draws(variant):
        u = trace.value["u"].astype(np.float64)
        np.testing.assert_allclose(trace.gradient["x"], gradient(u), rtol=1e-6)


def test_stopped_last_the_gradient_is_the_sign_exactly_in_every_draw():
    for trace in _draws(LAST):
        assert trace.gradient["x"].tolist() == [-1.0, -1.0, 1.0]


@pytest.mark.parametrize("variant", [NAIVE, EARLY, LAST], ids=["naive", "early", "last"])
def test_the_value_is_the_noisy_root_wherever_the_stop_is(variant):
    for trace in _draws(variant):
        noisy = np.sqrt(X**2 * trace.value["u"].astype(np.float64))
        np.testing.assert_allclose(trace.value["z"], noisy, rtol=1e-6)


def test_resampling_draws_new_noise_between_its_bounds():
    draws = [tuple(trace.value["u"].tolist()) for trace in _draws(NAIVE)]
    assert len(set(draws)) == len(draws)
    assert all(0.9 <= u <= 1.1 for draw in draws for u in draw)


@pytest.mark.parametrize(
    ("step", "variance"),
    [(0, 1 + 6 * 3 + 15 - 4), (1, 4), (2, 15 + 2 * 3 + 1 - 4)],
    ids=["score", "draw", "less"],
)
def test_both_roads_have_the_mean_2_and_the_variances_of_the_lesson(step, variance):
    """By hand, with z = 1 + eps and the moments 1, 3, 15 of eps: of z² eps, of 2z and of (z² - 2) eps."""
    found = av.statistics(graph_of(lesson("reinforce").steps[step]), draws=50_000)
    assert float(found.mean["mu"]) == pytest.approx(2.0, abs=0.1)
    assert float(found.variance["mu"]) == pytest.approx(variance, rel=0.1)  # some four standard errors


def test_the_graphs_of_the_lesson_are_these():
    formulas = [step.formula for step in lesson("forward-backward").steps]
    assert THREE.format(u=RANDOM) + LAST in formulas
    for tail in (NAIVE, EARLY, LAST):
        assert any(formula.endswith(tail) for formula in formulas)
