"""Test the surface on the page: of which step, node and data it is, and where there is none."""

from dataclasses import replace

import numpy as np
import pytest

from autodiff_viz.lab.actions import set_rule
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.parts import changed, shows
from autodiff_viz.lab.state import LAST
from autodiff_viz.lab.surface import learned_surface
from autodiff_viz.lab.training import resets, scrubs
from autodiff_viz.lessons.gallery import lesson
from autodiff_viz.training.course import state_at
from tests.lab.regression import TEXT, lab_of, trained, weight_of

MEANT = next(step.formula for step in lesson("xor-broadcast").steps if step.title == "As it was meant")


def select(lab, name):
    return replace(lab, selected=name)


def shown(lab):
    return learned_surface(lab, lab_view(lab))


@pytest.mark.parametrize(("step", "at"), [(0, 0), (3, 3), (LAST, 8)])
def test_it_is_of_the_step_on_view(step, at):
    found = shown(scrubs(trained(lab_of(), 8), step))
    assert found.step == at
    np.testing.assert_allclose(found.surface.value, weight_of(at) * found.surface.axes[0], rtol=1e-5)


def test_of_two_columns_it_is_the_net_with_the_weights_of_that_step():
    lab = scrubs(trained(lab_of(MEANT), 30), 12)
    found = shown(lab).surface
    weights = state_at(lab.training.course, 12).parameters
    w1, b1, w2, b2 = (np.asarray(weights[name], float) for name in ("W1", "b1", "W2", "b2"))
    x = np.stack(np.meshgrid(*found.axes), axis=-1).astype(float)
    wanted = np.maximum(np.maximum(x @ w1 + b1, 0) @ w2 + b2, 0)
    np.testing.assert_allclose(found.value, wanted, atol=2e-6)


def test_without_a_training_it_is_of_the_formulas_own_numbers():
    lab = trained(lab_of(), 8)
    assert shown(lab_of()).step == 0
    assert shown(resets(lab)).step == 0
    assert shown(scrubs(lab, None)).step is None


def test_it_follows_the_selected_node_if_that_has_a_row_for_each_point():
    lab = lab_of(MEANT)
    assert [shown(select(lab, name)).surface.node for name in ("layer1", "loss", "W1", "y")] == [
        "layer1",
        "yhat",
        "yhat",
        "yhat",
    ]


def test_its_part_changes_with_step_data_and_selection_and_not_with_the_place_of_a_node():
    lab = trained(lab_of(MEANT), 6)
    view = lab_view(lab)
    before = {"surface": shows("surface", lab, view, {})}
    other = lab_of(MEANT.replace("[1.0, 1.0]]", "[2.0, 1.0]]"))
    for after in (scrubs(lab, 2), select(lab, "layer1"), other, set_rule(lab, "layer1", "stop")):
        assert "surface" in changed(before, after, lab_view(after), {})
    assert "surface" not in changed(before, lab, lab_view(lab), {})
    np.testing.assert_array_equal(shown(other).surface.points[3], [2.0, 1.0])


ROWS = "x = [[0.0, 1.0], [1.0, 3.0]]\ny = [0.0, 1.0]\nv = parameter([1.0, 2.0])\n"


def test_where_there_is_none_a_sentence_says_why_or_nothing_is_shown():
    mixed = shown(lab_of(ROWS + "p = matmul(x - mean(x, axis=0), v)\nloss = mean_squared_error(p, y)"))
    assert mixed.startswith("'p' at one row of 'x' depends on the other rows")
    assert shown(lab_of("x = 2.0\nw = parameter(1.0)\nloss = x * w")) is None
    assert shown(lab_of("x = [[1.0, 2.0]]\nloss = sum(x)")) is None
    assert (
        shown(lab_of(TEXT.replace("loss = mean_squared_error(x * w, y)", "p = x * w"))) is None
    )  # no loss yet
    example = "x = [1.0, 2.0]\nw = parameter([[1.0, 2.0], [3.0, 4.0]])\nloss = sum(matmul(x, w))"
    assert shown(lab_of(example)) is None  # one example of two numbers


def test_a_large_network_has_a_coarser_grid_and_a_larger_one_says_so():
    text = ROWS.replace("v = parameter([1.0, 2.0])", "w = parameter(shape=(2, {n}), seed=1)") + (
        "h = tanh(matmul(x, w))\np = mean(h, axis=1)\nloss = mean_squared_error(p, y)"
    )
    sides = [shown(lab_of(text.replace("{n}", n))) for n in ("10", "500", "8000")]
    assert [len(each.surface.axes[0]) for each in sides[:2]] == [41, 21]
    assert "too many numbers" in sides[2]
