"""Test that slopes at corners are those of the versions named, and second derivatives are refused there."""

import json

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.reading.functions.corners import CHANGED, VERSIONS
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


NOT_FINITE = """
import torch
x = torch.tensor([-1.0, 4.0], requires_grad=True)
y = {y}
(y * torch.tensor([2.0, 3.0])).sum().backward()
"""


@pytest.mark.parametrize(
    ("y", "op"),
    [
        ("torch.relu(torch.sqrt(x))", "relu"),  # PyTorch passes 2 * NaN at the first, JAX 0
        ("torch.maximum(torch.sqrt(x), x)", "maximum"),  # PyTorch passes all to both, JAX nothing
        ("x / (x * 1e-25)", "div"),  # PyTorch divides twice by what no float holds squared
        ("torch.sign(torch.log(x))", "sign"),  # 0 in PyTorch, NaN in JAX
    ],
)
def test_what_a_library_passes_at_an_odd_number_is_refused_at_its_line(y, op):
    with pytest.raises(av.GraphError, match=rf"^line 4, column 1: {op}\(\) gets NaN"):
        av.read(NOT_FINITE.format(y=y)).answers()


@pytest.mark.parametrize(
    ("y", "answer"),
    [
        ("torch.where(torch.relu(torch.sqrt(x)) > 1.0, 3.0 * x, x)", [2.0, 9.0]),  # in a condition alone
        ("torch.nn.functional.hardtanh(torch.log(x) * 0.0 + x, -9.0, 9.0)", [2.0, 3.0]),
        ("x.detach() / (x.detach() * 1e-25) * 0.0 + x", [2.0, 3.0]),  # no derivative by what divides
    ],
)
def test_an_odd_number_where_all_agree_is_no_refusal(y, answer):
    """PyTorch 2.13 prints these."""
    found = av.read(NOT_FINITE.format(y=y)).answers()["x"]
    np.testing.assert_allclose(found, answer)
