"""Test what the page shows of a grad node: MAML's inner gradient, worked by hand."""

import numpy as np

from autodiff_viz import parse, play, trace, why_zero
from autodiff_viz.display.numbers import short, written
from autodiff_viz.explain.verification.compute import node_cause
from autodiff_viz.lab.inspector.node import node_view

# inner = x theta^2, g = 2 x theta = 6, adapted = 2 - 0.6 = 1.4, loss = 0.98; at g -0.1 * 1.4 = -0.14 arrives,
# and it passes back -0.14 * 2 x = -0.42 to theta and -0.14 * 2 theta = -0.56 to x
GRAPH = parse(
    "theta = 2.0\nx = 1.5\ninner = x * square(theta)\ng = grad(inner, theta)\n"
    "adapted = theta - 0.1 * g\nloss = 0.5 * square(adapted)"
)


def test_the_panel_says_what_it_is_and_what_its_wires_pass_back():
    found = node_view(GRAPH, trace(GRAPH), "g")
    assert found.doc.startswith("Gradient of inner by theta: the cotangent of theta for output inner.")
    assert "It runs square_1 and inner again, forward and backward, and reads theta and x" in found.doc
    assert "Hessian" in found.doc
    assert [(wire.producer, wire.label, wire.nothing or short(wire.passed)) for wire in found.wires] == [
        ("inner", "output", "nothing: g runs it again and reads no value of it"),
        ("theta", "input", "\u22120.42"),
        ("x", "also read", "\u22120.56"),
    ]
    assert written(found.wires[1].numbers, 6) == "3 \u00d7 (\u22120.14) = (\u22120.42)"
    assert r"\partial^2" in found.wires[1].derivative


def test_nothing_arrives_at_the_nodes_that_it_runs_again_and_the_page_says_why():
    found = why_zero(trace(GRAPH), "inner")
    assert found.kind == "disconnected"
    assert found.sentence.startswith("'g' reads no value of 'inner'")
    assert why_zero(trace(GRAPH), "theta") is None


def test_a_second_derivative_of_zero_is_flat_at_the_gradient():
    found = why_zero(trace(parse("x = 2.0\nz = 3.0 * x\ng = grad(z, x)")), "x")
    assert (found.kind, found.at) == ("flat", ("g",))


def test_play_reads_x_and_not_the_value_of_z():
    step = next(step for step in play(trace(GRAPH)) if step.node == "g")
    assert step.reads == ("theta", "x")


def test_a_rule_inside_is_the_cause_of_a_difference():
    """y = q^2, q = x^2 under half a gradient: g = 2 q x, whose slope 6 x^2 is halved once more in part."""
    text = "x = 3.0\nq = scale_gradient(x * x, 0.5)\ny = square(q)\ng = grad(y, x)"
    found = trace(parse(text), dtype="float64")
    np.testing.assert_allclose(found.value["g"], 2 * 9.0 * 3.0)
    np.testing.assert_allclose(found.gradient["x"], 2 * 9.0 + 2 * 3.0 * 3.0)  # 2 q + 2 x dq/dx, dq/dx = x
    assert node_cause(found, "g", 1) == "rule"


def test_a_grad_node_whose_z_does_not_depend_on_its_x_does_not_run_it_again():
    graph = parse("x = 1.0\nw = 2.0\na = sin(x)\ng = grad(a, w)\nz = g + w")
    wire = node_view(graph, trace(graph), "g").wires[0]
    assert wire.nothing == "nothing: g reads no value of it"


def test_a_gradient_by_what_its_output_does_not_depend_on_is_zero_though_a_wire_leads_there():
    """g is d(x * x)/dw: it has a wire from z, and no value of x is in it."""
    graph = parse("x = 2.0\nw = 3.0\nz = x * x\ng = grad(z, w)\nh = grad(g, x)")
    assert "It is zero: no gradient comes from g to x." in node_view(graph, trace(graph), "h").doc
