"""Test the steps of a pass as the browser gets them."""

import json
from dataclasses import replace

from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.model import Graph, Node, params
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.page import play_data
from autodiff_viz.lab.state import FIRST, opened, start
from autodiff_viz.language.parse import parse


def played(text):
    return play_data(lab_view(opened(start(), parse(text), "Open")), 7)


def says(text, node, back=True, again=False):
    (found,) = [
        step["says"]
        for step in played(text)["steps"]
        if (step["node"], step.get("back", False), "again" in step) == (node, back, again)
    ]
    return found


def test_each_step_has_its_equation_with_the_present_numbers():
    """sin 0.6 = 0.56464, cos 0.6 = 0.82534; 1.5 · 0.82534 = 1.2380."""
    assert says(FIRST, "x", back=False) == "x = 0.6"
    assert says(FIRST, "a", back=False) == "a = sin(x) = 0.5646"
    assert says(FIRST, "b") == "1.5 × 1 = 1.5 goes to a and 0.5646 × 1 = 0.5646 goes to y"
    assert says(FIRST, "a") == "1.5 + 0 = 1.5 arrives at a; 0.8253 × 1.5 = 1.238 goes to x"
    assert says(FIRST, "x") == "the gradient of x is 1.238"


def test_the_way_back_begins_with_the_seed():
    assert says("x = 2.0\nz = square(x)", "z") == "the seed 1 arrives at z; 4 × 1 = 4 goes to x"


def test_what_passes_nothing_says_why():
    assert says("x = 2.0\nz = x + stop_gradient(exp(x))", "exp_1").endswith("stops it: nothing is passed on")
    assert "reads nothing" in says("u = uniform(seed=1)\nz = exp(u)", "u")
    assert says("x = 2.0\nz = x + backward_as(x * x, 1.0)", "mul_1") == "the rule of mul_1 passes nothing on"
    assert says("x = 2.0\na = round(x)\nz = a * x", "a").endswith("is flat: nothing is passed on")


def test_a_rule_is_part_of_the_equation():
    text = "x = 2.0\nz = rewrite(square(x), lambda v: 0.5 * v)"
    assert says(text, "z") == "the seed 1 arrives at z; 4 × (1 → 0.5) = 2 goes to x"


def test_a_tensor_is_named_by_its_shape_and_norm():
    text = "x = [[3.0, 0.0, 0.0], [4.0, 0.0, 0.0]]\nz = sum(x * 1.0)"
    assert says(text, "x", back=False) == "x = 2×3 ‖5‖"
    assert says(text, "x") == "the gradient of x is 2×3 ‖2.45‖"  # of six ones: the root of 6


SQUARE = 'x = 10.0\nc = cos(x)\nwith checkpoint("square"):\n    s = c * c'


def test_a_region_that_runs_again_says_so_and_what_is_dropped():
    found = played(SQUARE)["steps"]
    again = [step for step in found if "again" in step]
    assert [(step["node"], step["again"], step["dropped"]) for step in again] == [("s", "square", True)]
    assert again[0]["says"] == "“square” runs again: s is not needed, so JAX drops it"
    kept = 'x = 0.0\nwith checkpoint("r"):\n    a = exp(x)\n    z = sin(a)'
    assert says(kept, "a", again=True) == "“r” runs again: a = exp(x) = 1"


def test_a_step_lights_the_wires_that_it_uses():
    wires = {(s["node"], s.get("back", False)): s.get("wires", []) for s in played(FIRST)["steps"]}
    assert wires["b", False] == wires["b", True] == ["b:0", "b:1"]
    assert wires["exp_1", False] == ["exp_1:0"]
    assert wires["exp_1", True] == []  # stopped
    text = "x = 0.6\na = sin(x)\nr = backward_as(round(a), x)"
    wires = {(s["node"], s.get("back", False)): s.get("wires", []) for s in played(text)["steps"]}
    assert (wires["r", False], wires["r", True]) == (["r:0"], ["r:1"])  # forward from a, back to x


def test_the_steps_name_the_state_of_their_numbers_and_are_small():
    found = played(FIRST)
    assert found["state"] == 7
    assert len(json.dumps(found)) < 2_000


def test_a_graph_without_all_numbers_has_no_steps_and_says_why():
    lab = opened(start(), Graph((Node("a", "sin", (None,)),), (), "a"), "Open")
    found = play_data(lab_view(lab), 1)
    assert found["steps"] == []
    assert found["says"].startswith("Nothing to play yet")


def test_a_region_that_cannot_run_is_told():
    text = 'x = 1.0\nwith checkpoint("r"):\n    a = sin(x)\nb = cos(a)\nwith checkpoint("r"):\n    c = a * b'
    assert "cannot run as a whole" in played(text)["says"]


def test_a_large_graph_is_not_played():
    nodes = [Node("n0", "input", (), params(value=1.0))]
    nodes += [Node(f"n{i}", "sin", (f"n{i - 1}",)) for i in range(1, VERIFIED_AT_ONCE + 1)]
    graph = Graph(tuple(nodes), (), nodes[-1].name)
    assert play_data(lab_view(opened(start(), graph, "Open")), 1)["steps"] == []
    fewer = replace(graph, nodes=graph.nodes[:-1], output=nodes[-2].name)
    assert len(play_data(lab_view(opened(start(), fewer, "Open")), 1)["steps"]) == 2 * VERIFIED_AT_ONCE
