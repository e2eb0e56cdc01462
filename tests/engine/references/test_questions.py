"""Test questions that people ask about a gradient, as graphs with the numbers that follow by hand."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.language.parse import parse

NAN = float("nan")
GUMBEL = """logits = log([0.2, 0.5, 0.3])
soft = softmax(logits)
hard = one_hot(argmax(soft), num_classes=3)
y = {}
z = sum(y * [1.0, 2.0, 3.0])"""
EXPERT = """logits = [1.0, 2.0]
p = softmax(logits)
k = one_hot(argmax(p), num_classes=2)
y = {} * 5.0"""
UPDATE = """x = [1.0, 2.0, 3.0]
c = 5.0
y = x.at[0].set(c)
z = sum(y * [1.0, 10.0, 100.0])"""

CASES = {
    # Gumbel-softmax with a hard choice: s_i (c_i - 2.1) where the soft path is open; pytorch #48574, #68941.
    "hard minus stopped soft plus soft": (
        GUMBEL.format("hard - stop_gradient(soft) + soft"),
        2.0,
        {"logits": [-0.22, -0.05, 0.27]},
    ),
    "a stop around the difference": (
        GUMBEL.format("stop_gradient(hard - soft) + soft"),
        2.0,
        {"logits": [-0.22, -0.05, 0.27]},
    ),
    "no stop": (GUMBEL.format("hard - soft + soft"), 2.0, {"logits": [0.0, 0.0, 0.0]}),
    "all in one stop": (GUMBEL.format("stop_gradient(hard - soft + soft)"), 2.0, {"logits": [0.0, 0.0, 0.0]}),
    # Top-1 expert: the gate passes 5 p0 p1, the choice alone nothing; dm-haiku #442, mlx #652.
    "the gate of the chosen expert": (
        EXPERT.format("sum(k * p)"),
        3.6552929,
        {"logits": [-0.9830597, 0.9830597]},
    ),
    "the choice of an expert alone": (EXPERT.format("k[1]"), 5.0, {"logits": [0.0, 0.0]}),
    # The length is not smooth at 0, its square is, and JAX multiplies 0 by inf; jax #21723, autograd #151.
    "the square of a length at 0": ("x = [0.0, 0.0]\ny = square(norm(x))", 0.0, {"x": [NAN, NAN]}),
    "the sum of squares at 0": ("x = [0.0, 0.0]\ny = sum(square(x))", 0.0, {"x": [0.0, 0.0]}),
    "the square of a length": ("x = [3.0, 4.0]\ny = square(norm(x))", 25.0, {"x": [6.0, 8.0]}),
    "a factor inside a length": ("a = 1.3\ny = norm(a * [3.0, 4.0])", 6.5, {"a": 5.0}),
    # Clipped into the domain, still NaN: 0 from the clip times an infinite slope; jax #23649, pytorch #8069.
    "an angle clipped to the end": ("x = 10.0\ny = arccos(clip(x, -1.0, 1.0))", 0.0, {"x": NAN}),
    "an angle clipped before the end": (
        "x = 10.0\ny = arccos(clip(x, -0.99, 0.99))",
        np.arctan2(0.1410674, 0.99),  # sin and cos of the angle
        {"x": 0.0},
    ),
    # A functional update cuts the path to the old value.
    "an updated element": (UPDATE, 325.0, {"x": [0.0, 10.0, 100.0], "c": 1.0}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_numbers_are_those_worked_by_hand(case):
    text, value, gradients = CASES[case]
    found = trace(parse(text))
    np.testing.assert_allclose(found.value[found.output], value, rtol=2e-5)
    for name, gradient in gradients.items():
        room = 2e-7 if np.any(gradient) else 0.0  # an exact zero is exact
        np.testing.assert_allclose(found.cotangent[name], gradient, rtol=2e-5, atol=room)
    assert verify(found).agrees


def test_nan_of_an_angle_begins_at_the_infinite_slope():
    found = trace(parse("x = 10.0\nc = clip(x, -1.0, 1.0)\ny = arccos(c)"))
    assert [(origin.node, origin.direction, origin.kind) for origin in found.nonfinite_origins] == [
        ("y", "backward", "infinity")
    ]
