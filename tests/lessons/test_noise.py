"""Test the noise lesson's closed forms, worked out in NumPy from whatever noise was drawn."""

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.lab.actions import resampled
from autodiff_viz.lab.state import opened, start
from autodiff_viz.lessons.stops.forward_backward import EARLY, LAST, NAIVE, RANDOM, THREE

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
