"""Test the badges of nodes in training, on numbers that can be seen at once."""

from __future__ import annotations

from autodiff_viz.engine.trace import trace
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.language.parse import parse
from autodiff_viz.training.view import states
from tests.lab.regression import lab_of, trained


def found(text: str) -> dict[str, str]:
    return {name: state[0] for name, state in states(trace(parse(text))).items()}


def test_a_unit_is_dead_when_it_is_0_for_every_example():
    # Columns of x * w: (1, 2), (-1, -2), (1, -2), (0, 0): the second and the fourth are never above 0.
    text = "x = [[1.0, 1.0, 1.0, 0.0], [2.0, 2.0, -2.0, 0.0]]\nw = parameter([1.0, -1.0, 1.0, 1.0])"
    assert found(f"{text}\nh = relu(x * w)\nloss = sum(h)") == {"h": "dead 50%"}


def test_a_relu_that_fires_has_no_badge():
    assert found("w = parameter(2.0)\nh = relu(w)\nloss = h * h") == {}


def test_a_parameter_behind_stops_alone_is_frozen():
    text = "w = parameter(2.0)\nv = parameter(3.0)\nloss = stop_gradient(w * w) + v"
    assert found(text) == {"w": "frozen"}
    assert found("w = parameter(2.0)\nloss = stop_gradient(w * w) + w") == {}


def test_a_gradient_vanishes_beside_a_much_larger_one():
    assert found("w = parameter(1.0)\nv = parameter(1.0)\nloss = 0.00001 * w + v") == {"w": "vanishing"}
    assert found("w = parameter(1.0)\nv = parameter(1.0)\nloss = 0.001 * w + v") == {}


def test_a_gradient_explodes_above_a_thousand():
    assert found("w = parameter(1.0)\nloss = 1001.0 * w") == {"w": "exploding"}
    assert found("w = parameter(1.0)\nloss = 999.0 * w") == {}


def test_a_gradient_that_is_no_number_says_so():
    assert found("w = parameter(0.0)\nloss = log(w)") == {"w": "not finite"}


def test_cards_have_badges_while_a_step_is_on_view():
    text = "w = parameter(2.0)\nloss = stop_gradient(w) * 3.0"
    lab = trained(lab_of(text), 1)
    (node,) = [node for node in lab_view(lab).drawing["nodes"] if node["id"] == "w"]
    assert node["state"][0] == "frozen"
    assert all(node["state"] == [] for node in lab_view(lab_of(text)).drawing["nodes"])


def test_a_loss_scale_neither_explodes_nor_vanishes():
    """w gets 2 for a seed of 1, and 2,048 for one of 1,024; 1,010 is too much for any seed."""
    small, large = parse("w = parameter(1.0)\nloss = 2.0 * w"), parse("w = parameter(1.0)\nloss = 1010.0 * w")
    assert states(trace(small, seed=1024.0)) == {}
    assert states(trace(small, seed=0.0)) == {}
    ((word, said),) = states(trace(large, seed=0.5)).values()
    assert word == "exploding"
    assert "divided by the seed, has norm 1010," in said
