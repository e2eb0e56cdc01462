"""Test that exported trainings run by themselves and make the steps of `train`."""

import re

import jax
import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.graph.problem import GraphError
from tests.export.programs import loaded

NET = """x = input(shape=(6, 3), seed=1)
w = parameter(shape=(3, 4), init="he_normal", seed=3)
b = parameter([0.0, 0.0, 0.0, 0.0])
h = dropout(tanh(dense(x, w, b)), seed=4)
loss = mean(square(h - 0.5))"""

LINE = "x = [1.0, 2.0]\nw = parameter(0.5)\nloss = mean_squared_error(x * w, [3.0, 6.0])"

CASES = {
    "plain": (LINE, {"rate": 0.1}),
    "momentum with noise and another draw": (NET, {"optimizer": "momentum", "seed": 5}),
    "adam in float64": (LINE, {"optimizer": "adam", "dtype": "float64"}),
    "a frozen parameter and a rule": (
        "w = stop_gradient(parameter(0.5))\nu = parameter(1.0)\n"
        "y = rewrite(w * u, lambda v: 0.5 * v)\nloss = square(y - 2.0)",
        {"optimizer": "momentum"},
    ),
    "16 bits": ("x = 1.3\nw = parameter(0.3)\nloss = square(w * x - 3.0)", {"dtype": "bfloat16"}),
    "a loss scale": (
        "w = parameter(1.0)\ny = (w * 0.0001220703125) * 0.0001220703125",
        {"dtype": "float16", "loss_scale": 1024.0, "rate": 2.0**20},
    ),
    "a loss scale that changes, and names that the program has too": (
        "state = 1.0\nstep = parameter(1.0)\nscale = step * 4096.0\nseed = scale * state",
        {"dtype": "float16", "loss_scale": 16.0, "growth_interval": 2, "rate": 2.0**-20},
    ),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", CASES)
def test_the_program_makes_the_same_steps(case, capsys):
    text, given = CASES[case]
    graph = av.parse(text)
    found = av.train(graph, steps=5, **given)
    with jax.numpy_dtype_promotion("standard"):  # as where the program runs alone
        end = loaded(av.training_to_python(graph, steps=5, **given), "__main__")
    printed = capsys.readouterr().out
    room = 1e-12 if found.dtype == "float64" else 1e-5
    np.testing.assert_allclose(np.asarray(end["losses"], float), found.loss, rtol=room)
    for name, array in found.parameters.items():
        assert end["parameters"][name].dtype == array.dtype
        np.testing.assert_allclose(
            np.asarray(end["parameters"][name], float), array.astype(float), rtol=room, atol=room / 10
        )
    assert tuple(end.get("skipped", ())) == found.skipped
    for step in range(5):
        said = f"step {step}: " + ("gradient not finite, skipped" if step in found.skipped else "loss")
        assert re.search(rf"^{said}", printed, re.MULTILINE)


def test_a_random_node_with_a_rule_is_refused_in_words():
    graph = av.parse(
        "w = parameter(1.0)\nd = custom(dropout(w, seed=1), pullback=lambda v, x, y: v)\ny = d * w"
    )
    with pytest.raises(GraphError, match="random, and a program would draw the same"):
        av.training_to_python(graph)


def test_a_graph_without_a_parameter_is_refused_as_by_train():
    with pytest.raises(GraphError, match="no parameter"):
        av.training_to_python(av.parse("x = 1.0\ny = sin(x)"))
