"""Test a text that replaces most of the graph: nothing of the one before stays, not even its training."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autodiff_viz.canvas.drawing import places
from autodiff_viz.lab.actions import typed, undone
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.persistence.address import to_query
from autodiff_viz.lab.persistence.training import with_course
from autodiff_viz.lab.state import Lab, start
from autodiff_viz.lab.training import ended, live, moment, trains
from autodiff_viz.language.parse import parse, replaces
from autodiff_viz.training.run import advanced
from tests.lab.regression import TEXT, lab_of, weight_of

FORMULA = "w = 0.5\nx = 2.0\nloss = (tanh(w * x) - 1.0) ** 2\n"
LOOP = """import torch
x = torch.tensor([[0.5, -1.0], [1.0, 2.0]])
w = torch.{}(2, 2)
h = x
for step in range(30):
    h = torch.{}(h @ w)
loss = h.sum()
"""
LONG = LOOP.format("ones", "tanh")
OTHER = LOOP.format("zeros", "relu").replace("h = x\n", "h = x * 2.0\n").replace("h @ w", "w @ h - x")


def moved(lab: Lab, **positions: list[float]) -> Lab:
    return edited(lab, {"seq": 1, "kind": "move", "positions": positions})


@pytest.mark.parametrize("before", [LONG, "x = 3.0\nq = sin(x)\np = cos(q)\nz = exp(p) + q\n"])
@pytest.mark.parametrize("text", [FORMULA, OTHER])
def test_another_graph_is_laid_out_as_if_none_had_been_there(before, text):
    lab = typed(replace(moved(typed(start(), before), x=[900.0, 700.0]), selected="x"), text)
    alone = typed(start(), text)
    assert places(lab.graph).positions == places(alone.graph).positions
    assert lab.graph == alone.graph
    assert lab.selected is None
    assert undone(lab).graph["x"].position == (900.0, 700.0)


@pytest.mark.parametrize("more", ["more = z * 2.0\n", "more = z * 2.0\nlast = sin(more)\n"])
def test_a_small_change_leaves_nodes_where_they_were_put(more):
    text = "x = 3.0\nq = sin(x)\nz = exp(q) + q\n"
    lab = typed(moved(typed(start(), text), x=[900.0, 700.0]), text + more)
    assert lab.graph["x"].position == (900.0, 700.0)
    assert typed(lab, text).graph["x"].position == (900.0, 700.0)
    assert typed(lab, text.replace("sin", "cos")).graph["x"].position == (900.0, 700.0)


def test_a_number_in_a_name_does_not_make_two_nodes_the_same():
    one = parse("x = 2.0\nz = sin(x) * x + cos(x) * x + exp(x) * x")
    other = parse("x = 2.0\nz = (x + x) * x * sin(x * x) + cos(exp(x))")
    both = {node.name for node in one.nodes} & {node.name for node in other.nodes}
    assert {"mul_1", "mul_2", "mul_3", "add_1", "sin_1", "cos_1", "exp_1", "x"} <= both
    assert replaces(other, one)
    assert not replaces(one, one)


@pytest.mark.parametrize("steps", [0, 3])
@pytest.mark.parametrize(
    "text", [FORMULA, LONG, TEXT.replace("w", "v"), "w = parameter(0.0)\nz = cos(w) * w\n"]
)
def test_a_training_ends_where_its_graph_is_replaced(steps, text):
    lab = trains(lab_of(), 20)
    if steps:
        lab = replace(lab, training=advanced(lab.training, steps))
    after = ended(typed(lab, text))
    assert live(lab)
    assert not live(after)
    assert not after.training.running
    assert len(after.training) == steps
    assert not to_query(after).get("trained")


def test_the_steps_of_a_training_are_not_those_of_the_graph_that_replaces_its_own_until_undo():
    lab = replace(trains(lab_of(), 20), step=2)
    lab = replace(lab, training=advanced(lab.training, 3))
    assert moment(lab).parameters["w"] == pytest.approx(weight_of(2))
    other = typed(lab, "w = parameter(0.0)\nz = cos(w) * w\n")  # a parameter of the same name and beginning
    assert moment(other) is None
    back = replace(undone(other), step=2)
    for again in (back, typed(back, TEXT + " * 2.0")):  # it goes on as if that graph had not been there
        assert moment(again).parameters["w"] == pytest.approx(weight_of(2))


def test_a_training_goes_on_while_the_graph_is_edited():
    lab = trains(lab_of(), 20)
    for text in (TEXT + " * 2.0", TEXT.replace("w = ", "u = 1.0\nw = ")):
        assert ended(typed(lab, text)).training is lab.training


def test_no_other_graph_has_a_training_that_waits_for_its_first_step():
    lab = trains(lab_of(), 20)
    lesson = open_lesson(lab, "two-uses")
    assert not ended(lesson).training.running
    assert not to_query(lesson).get("trained")
    assert not ended(with_course(start(), lab.training)).training.running
