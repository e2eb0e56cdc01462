"""Test that an input pulled out of a loss's slot has the shape of what stands in its other slot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autodiff_viz.graph.history import begin
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.state import Lab, start
from autodiff_viz.language.parse import parse

BEFORE = "x = input(shape={shape}, seed=0)\np = x * 2.0"


def pulled(shape: tuple[int, ...], op: str, slot: int = 1) -> np.ndarray:
    """Wire p into the other slot of a new node, then pull an input out of the slot."""
    lab: Lab = replace(start(), history=begin(parse(BEFORE.format(shape=shape)), "Start"))
    at = [0, 0]
    lab = edited(lab, {"kind": "add", "op": op, "position": at, "wire": {"from": "p", "slot": 1 - slot}})
    loss = lab.selected
    lab = edited(lab, {"kind": "add", "op": "input", "position": at, "feeds": {"to": loss, "slot": slot}})
    assert lab.notice == ()
    return np.array(lab.graph[lab.graph[loss].slots[slot]].param("value"))


@pytest.mark.parametrize(
    ("shape", "op", "slot", "wanted"),
    [
        ((4, 1), "mean_squared_error", 1, np.ones((4, 1))),
        ((3,), "mean_squared_error", 0, np.ones(3)),
        ((2, 3), "sigmoid_binary_cross_entropy", 1, np.zeros((2, 3))),
        ((4, 3), "softmax_cross_entropy_with_integer_labels", 1, np.zeros(4)),
        ((3,), "softmax_cross_entropy_with_integer_labels", 1, np.zeros(())),
        ((4, 1), "mul", 1, np.ones(())),
        ((300, 1), "mean_squared_error", 1, np.ones(())),
    ],
)
def test_an_input_pulled_out_of_a_loss_has_the_shape_of_its_other_operand(shape, op, slot, wanted):
    found = pulled(shape, op, slot)
    assert found.shape == wanted.shape
    assert (found == wanted).all()
