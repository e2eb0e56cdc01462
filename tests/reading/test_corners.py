"""Test that a second derivative at a corner is refused, and given where it goes on."""

import pytest

import autodiff_viz as av

pytestmark = pytest.mark.every

TEXT = """
import torch
import torch.nn.functional as F
x = torch.tensor({x}, requires_grad=True)
y = {y}
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
g.sum().backward()
"""


@pytest.mark.parametrize(
    ("y", "x", "answer"),
    [
        ("x ** 3", 2.0, 12.0),  # 6 x
        ("F.leaky_relu(x) ** 2", 1.5, 2.0),
        ("F.leaky_relu(x, 0.1) ** 2", -1.5, 0.02),  # 2 * 0.1 ** 2
        ("F.relu(x) * 3.0", 0.0, 0.0),  # 0 on both sides
    ],
)
def test_a_second_derivative_that_goes_on_is_given(y, x, answer):
    assert float(av.read(TEXT.format(x=x, y=y)).answers()["x"]) == pytest.approx(answer, rel=1e-5)


@pytest.mark.parametrize(
    "y", ["F.leaky_relu(x) ** 2", "F.elu(x)", "x.abs() ** 1.5", "F.huber_loss(x, x * 0.0 + 1.0)"]
)
def test_a_second_derivative_at_a_corner_is_refused(y):
    with pytest.raises(av.GraphError, match="jumps at this point"):
        av.read(TEXT.format(x=0.0, y=y)).answers()
