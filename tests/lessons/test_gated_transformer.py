"""Test k branches and a gate for k = 1 to 6, in four ways, against NumPy in float64."""

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.branches.resize import with_branches
from autodiff_viz.lessons.gallery import lesson
from tests.lessons.gated_formulas import declared, joined, running, stacked


def by_hand(trace, k):
    """(d image, d p, d kernels) of mean(square(sum_i p_i conv(image, kernel_i) + bias_i))."""
    value = {name: np.asarray(trace.value[name]) for name in trace.value}
    padded = np.pad(value["image"][0], ((1, 1), (1, 1), (0, 0)))
    logits = np.exp(value["logits"])
    p = logits / logits.sum()
    windows = [(a, b) for a in range(3) for b in range(3)]
    kernels = [value[f"kernel_{i}"] for i in range(1, k + 1)]
    branches = [
        sum(padded[a : a + 6, b : b + 6] @ kernel[a, b] for a, b in windows) + value[f"bias_{i}"]
        for i, kernel in enumerate(kernels, 1)
    ]
    arrives = 2 / 72 * sum(weight * branch for weight, branch in zip(p, branches, strict=True))
    image = np.zeros_like(padded)
    slopes = [np.zeros_like(kernel) for kernel in kernels]
    for weight, kernel, slope in zip(p, kernels, slopes, strict=True):
        for a, b in windows:
            image[a : a + 6, b : b + 6] += weight * arrives @ kernel[a, b].T
            slope[a, b] = weight * np.einsum("hwi,hwo->io", padded[a : a + 6, b : b + 6], arrives)
    return image[None, 1:-1, 1:-1], [np.sum(arrives * branch) for branch in branches], slopes


EVERY = [(way, k) for way in (stacked, running) for k in range(1, 7)]
SOME = [(way, k) for way in (joined, declared) for k in (1, 4, 6)]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("way", "k"), EVERY + SOME, ids=lambda x: getattr(x, "__name__", x))
def test_gradients_of_a_gate_grown_to_k_branches_are_those_worked_by_hand(way, k):
    trace = av.trace(with_branches(av.parse(way(2)), "transformer", k), dtype="float64")
    image, weights, kernels = by_hand(trace, k)
    np.testing.assert_allclose(trace.gradient["image"], image, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(trace.cotangent["p"], weights, rtol=1e-9, atol=1e-12)
    for i, slope in enumerate(kernels, 1):
        np.testing.assert_allclose(trace.gradient[f"kernel_{i}"], slope, rtol=1e-9, atol=1e-12)


def test_the_graphs_of_the_lesson_are_these():
    formulas = [step.formula for step in lesson("gated-transformer").steps[1:]]
    assert formulas == [stacked(3), running(3), joined(3), declared(3), stacked(6)]
