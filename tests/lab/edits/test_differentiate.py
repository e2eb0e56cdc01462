"""Test a node differentiated by another: one edit, one undo step, and the output moves to the gradient.

The first graph: x = 0.6, y = 1.5, a = sin(x), b = a * y, z = b + stop(exp(a)).
"""

import numpy as np

from autodiff_viz import trace
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.state import start
from tests.lab.canvas_steps import after


def by(name: str) -> dict:
    return {"kind": "add", "op": "grad", "position": [0, 0], "wire": {"from": "z", "slot": 0}, "by": name}


def test_both_wires_come_at_once_and_the_output_moves():
    lab = after(by("x"))
    name = lab.selected
    assert lab.graph[name].slots == ("z", "x")
    assert lab.graph.output == name
    np.testing.assert_allclose(trace(lab.graph).value[name], 1.5 * np.cos(0.6), rtol=1e-6)
    assert lab.history.present.label == "Differentiate z by x"
    assert len(lab.history.past) == 1


def test_a_node_that_is_not_there_is_refused_and_the_graph_stays():
    found = edited(start(), by("nobody"))
    assert found.graph == start().graph
    assert found.notice
