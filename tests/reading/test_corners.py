"""Test that slopes at corners are those of the versions named, and second derivatives are refused there."""

import json

import pytest

import autodiff_viz as av
from autodiff_viz.reading.corners import CHANGED, VERSIONS
from tests.reading.grid.libraries import recorded
from tests.reading.record import FOLDER

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


@pytest.mark.parametrize("library", VERSIONS)
def test_the_version_is_that_of_the_recorded_answers(library):
    snippets = json.loads((FOLDER / f"{library}_answers.json").read_text("utf-8"))
    for answers in (snippets, recorded(library)):
        assert answers["version"].startswith(f"{VERSIONS[library]}.")


@pytest.mark.parametrize("corner", CHANGED, ids=[f"{one.code} at {one.x}" for one in CHANGED])
def test_a_slope_that_a_later_version_changes_is_that_of_the_version_named(corner):
    """PyTorch 2.13 prints 1 at each of these; a report about 2.14 prints 0."""
    reading = av.read(
        f"import torch\nx = torch.tensor({corner.x}, requires_grad=True)\n{corner.code}.backward()"
    )
    assert reading.answers()["x"] == corner.slope != corner.later
    assert f"PyTorch {VERSIONS['torch']} " in reading.changes[0].says
