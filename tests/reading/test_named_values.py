"""Ask a text for numbers by the names that its code has for them."""

import jax
import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.graph.problem import GraphError

TORCH = """import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([1.0, 2.0]))
    def forward(self, x):
        return (self.w * x).sum()
layer = Net()
x = torch.tensor([3.0, 4.0], requires_grad=True)
loss = layer(x) ** 2
loss.backward()
params = list(layer.parameters())
grads = [p.grad for p in params]
losses = [loss.item(), 0.5]
named = {"x": x}
"""  # loss = (w.x)^2 = 121, so that x.grad = 22 w and w.grad = 22 x


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("loss", 121.0),
        ("x", [3.0, 4.0]),
        ("x.grad", [22.0, 44.0]),
        ("layer.w", [1.0, 2.0]),
        ("layer.w.grad", [66.0, 88.0]),
        ("params[0]", [1.0, 2.0]),
        ("params[0].grad", [66.0, 88.0]),
        ("grads[0]", [66.0, 88.0]),
        ("grads.0", [66.0, 88.0]),
        ("losses.0", 121.0),
        ("losses.1", 0.5),
        ("named['x'].grad", [22.0, 44.0]),
    ],
)
def test_a_number_has_the_name_that_code_has_for_it(name, right):
    np.testing.assert_allclose(av.read(TORCH).values()[name], right)


@pytest.mark.parametrize("name", ["layer.w", "layer.w.grad", "params[0]", "params[0].grad", "w"])
def test_a_gradient_has_the_name_that_code_has_for_its_parameter(name):
    np.testing.assert_allclose(av.read(TORCH).answers()[name], [66.0, 88.0])


def test_what_is_not_there_has_no_number():
    values = av.read(TORCH).values()
    assert values["loss.grad"] is None
    for name in ("layer", "layer.b", "params[1]", "y", "x.grads"):
        with pytest.raises(KeyError):
            values[name]
    with pytest.raises(GraphError, match="line 17"):
        av.read(f"{TORCH}x.grad = torch.no_such(x)").values()["x.grad"]


JAX = """import jax, jax.numpy as jnp
from typing import NamedTuple
class Params(NamedTuple):
    w: jax.Array
    b: float
def loss(params, x):
    return jnp.sum((params["layer"].w * x + params["layer"].b) ** 2)
params = {"layer": Params(jnp.array([1.0, 2.0]), 0.5)}
x = jnp.array([3.0, 4.0])
for step in range(2):
    grads = jax.grad(loss)(params, x)
    params = jax.tree.map(lambda p, g: p - 0.01 * g, params, grads)
once = Params(jnp.ones(2), 2.0)
"""


@pytest.mark.parametrize(
    "name", ["params['layer'].w", "params['layer'].b", "grads['layer'].w", "once.w", "once.b"]
)
def test_a_number_of_jax_has_the_name_that_code_has_for_it(name):
    names: dict = {"__name__": "program"}
    exec(compile(JAX, "program", "exec"), names)
    right = eval(name, names)
    assert isinstance(right, (jax.Array, float))
    np.testing.assert_allclose(av.read(JAX).values()[name], right, rtol=1e-6)


def test_a_gradient_that_an_update_uses_up_has_its_number():
    text = (
        "import tensorflow as tf\nx = tf.Variable(1.0)\nfor step in range(2):\n"
        "    with tf.GradientTape() as tape:\n        loss = x * x\n"
        "    grads = tape.gradient(loss, [x])\n    x.assign_sub(0.25 * grads[0])\n"
    )
    values = av.read(text).values()
    assert values["grads.0"] == 1.0  # 2 x at 0.5, where the first step has led
    assert values["x"] == 0.25
