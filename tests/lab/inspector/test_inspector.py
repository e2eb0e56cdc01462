"""Test the inspector against derivatives worked by hand."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from autodiff_viz.display.numbers import COTANGENT, Terms, in_full, short, written
from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.whole_program.remat import Runs
from autodiff_viz.explain.analysis import program_says
from autodiff_viz.explain.remat.view import residuals_say, runs_say
from autodiff_viz.explain.verification.view import differs_say
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.text import MINUS
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.inspector.node import NodeView, WireView, node_view
from autodiff_viz.lab.inspector.panel import Answers, node_data
from autodiff_viz.lab.page import lab_drawing
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS, slot_label
from autodiff_viz.workers.jobs import Answer


def seen(text: str, name: str, seed=None, dtype: str = "float64") -> NodeView:
    graph = parse(text)
    return node_view(graph, trace(graph, seed=seed, dtype=dtype), name)


def line(terms: Terms, is_sum: bool = False) -> str:
    return written(terms, 6, is_sum)


def numbers(terms: Terms) -> list[float]:
    """The numbers in a line, in order."""
    return [float(text) for text in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", line(terms).replace(MINUS, "-"))]


def local_arriving_passed(wire: WireView) -> list[float]:
    assert "×" in line(wire.numbers)
    assert "=" in line(wire.numbers)
    return numbers(wire.numbers)


def apart(counts: Answer | None = None) -> tuple[Lab, dict]:
    """What the panel says of the node t, which z does not read, before and after its runs are counted."""
    graph = parse("x = 0.6\nz = sin(x)\nt = tanh(z)\nreturn z")
    lab = replace(opened(start(), graph, "Open"), selected="t")
    return lab, node_data(lab, lab_view(lab), Answers(counting=True, counts=counts))


def test_a_node_that_the_output_does_not_read_says_so_at_once_and_has_the_sign_of_the_canvas():
    lab, said = apart()
    assert "No path leads from 't' to the output 'z', so no gradient arrives." in said["why"]["says"]
    assert said["arriving"] is None  # "–", as on its card
    assert [wire["passed"] for wire in said["wires"]] == ["nothing"]
    reads = {node["id"]: node["connected"] for node in lab_drawing(lab, lab_view(lab))["nodes"]}
    assert reads == {"x": True, "z": True, "t": False}


def test_the_button_under_that_makes_the_node_the_output_and_its_gradient_arrives():
    found = program_says(trace(apart()[0].graph), "t")
    lab, said = apart(Answer(found))
    assert said["why"]["label"] == "Mend: make t the output"
    mended = edited(lab, said["why"]["edit"])
    assert mended.graph.output == "t"
    arrives = trace(mended.graph).cotangent
    assert float(arrives["t"]) == 1
    tanh = math.tanh(math.sin(0.6))
    assert float(arrives["x"]) == pytest.approx((1 - tanh**2) * math.cos(0.6), rel=1e-6)


def test_what_is_a_cotangent_is_marked_as_one():
    (wire,) = seen("x = 2.0\nf = x * 5.0\nz = f * 3.0", "f").wires
    assert [float(number) for number, role, *_ in wire.numbers if role == COTANGENT] == [3, 15]


X, Y = 0.7, 1.3
# z = f * 3: 3 arrives at f. The locals are textbook derivatives of f at x = 0.7 (and y = 1.3).
LOCALS = [
    ("sin(x)", [math.cos(X)]),
    ("cos(x)", [-math.sin(X)]),
    ("exp(x)", [math.exp(X)]),
    ("log(x)", [1 / X]),
    ("sqrt(x)", [0.5 / math.sqrt(X)]),
    ("tanh(x)", [1 / math.cosh(X) ** 2]),
    ("sigmoid(x)", [math.exp(-X) / (1 + math.exp(-X)) ** 2]),
    ("softplus(x)", [1 / (1 + math.exp(-X))]),
    ("square(x)", [2 * X]),
    ("-x", [-1]),
    ("relu(x)", [1]),
    ("x + y", [1, 1]),
    ("x - y", [1, -1]),
    ("x * y", [Y, X]),
    ("x / y", [1 / Y, -X / Y**2]),
    ("x ** y", [Y * X ** (Y - 1), X**Y * math.log(X)]),
    ("maximum(x, y)", [0, 1]),
]


@pytest.mark.parametrize(("expression", "locals_"), LOCALS)
def test_local_times_arriving_is_passed_with_the_numbers_of_the_textbook(expression, locals_):
    view = seen(f"x = {X}\ny = {Y}\nf = {expression}\nz = f * 3.0 + y", "f")
    for wire, local in zip(view.wires, locals_, strict=True):
        assert local_arriving_passed(wire) == pytest.approx([local, 3, 3 * local], rel=2e-3, abs=2e-5)


def test_the_derivative_is_written_with_the_names_of_the_graph():
    (wire,) = seen("angle = 0.7\nf = sin(angle)", "f").wires
    assert r"\partial" in wire.derivative
    assert r"\cos" in wire.derivative
    assert "angle" in wire.derivative


def test_a_node_says_its_formula_value_and_what_arrives():
    view = seen("x = 0.5\nf = x * x\nz = f * 3.0", "f")
    assert (in_full(view.value), in_full(view.arriving)) == ("0.25", "3")
    assert "f" in view.formula
    assert "x" in view.formula


def test_a_stopped_node_shows_what_arrives_and_that_nothing_is_passed():
    (wire,) = seen("x = 0.7\nf = stop_gradient(sin(x))\nz = f * 3.0", "f").wires
    assert line(wire.numbers).startswith("stopped: ")
    expected = [math.cos(0.7), 3, 0]  # the product would pass without the stop
    assert numbers(wire.numbers) == pytest.approx(expected, rel=2e-3)


def test_a_rewritten_node_shows_the_cotangent_before_and_after():
    (wire,) = seen("x = 0.7\nf = rewrite(sin(x), lambda v: v + 2.0)\nz = f * 3.0", "f").wires
    expected = [math.cos(0.7), 3, 5, 5 * math.cos(0.7)]
    assert numbers(wire.numbers) == pytest.approx(expected, rel=2e-3)


def test_a_declared_pullback_shows_what_it_makes_of_the_cotangent():
    view = seen("x = 2.0\nf = custom(exp(x), pullback=lambda v, x, y: v * x)\nz = f * 3.0", "f")
    (wire,) = view.wires
    assert "declared" in line(wire.numbers)
    assert numbers(wire.numbers) == [3, 6]
    assert view.function == "lambda v, x, y: v * x"


def test_a_muted_node_still_has_the_function_of_its_rule():
    view = seen("x = 2.0\nf = bypass(rewrite(sin(x), lambda v: v * 3.0))\nz = f * 3.0", "f")
    assert view.function == "lambda v: v * 3.0"
    assert [numbers(wire.numbers) for wire in view.wires] == [[1, 3, 3]]  # and it does not act


def test_differentiating_differently_passes_all_to_the_alternative_and_nothing_to_the_rest():
    op, alternative = seen("x = 1.2\nt = x * 2.0\nr = backward_as(round(x), t)\nz = r * 3.0", "r").wires
    assert (op.producer, numbers(op.numbers)) == ("x", [3, 0])
    assert (alternative.producer, numbers(alternative.numbers)) == ("t", [3, 3])


def test_a_fork_is_written_as_a_sum():
    view = seen("x = 2.0\na = x * 3.0\nb = x * -5.0\nz = a + b", "x")
    assert line(view.fork, is_sum=True) == "3 + (−5) = −2"


def test_the_seed_counts_where_the_output_is_used_again():
    view = seen("x = 2.0\na = x * 3.0\nb = a * 5.0\nreturn a", "a")
    assert line(view.fork, is_sum=True) == "1 + 0 = 1"


def test_one_use_is_no_fork():
    assert seen("x = 2.0\ny = sin(x)", "x").fork == ()


def test_a_negative_local_derivative_stands_in_brackets():
    (wire,) = seen("x = 0.7\ny = cos(x)", "y").wires
    assert line(wire.numbers).startswith(f"({MINUS}")


def test_a_node_without_a_trace_still_has_its_derivative():
    graph = parse("x = 2.0\ny = sin(x)\nz = y + ...")
    view = node_view(graph, None, "y")
    assert (view.value, view.arriving, view.wires[0].numbers) == (None, None, ())
    assert view.wires[0].derivative


def test_a_tensor_shows_its_shape_and_no_scalar_equation():
    view = seen("x = [[1.0, 2.0, 3.0]]\ny = exp(x)\nz = sum(y)", "y")
    assert view.value.shape == (1, 3)
    assert view.wires[0].numbers == ()
    assert view.wires[0].passed.shape == (1, 3)


def test_an_input_says_so():
    view = seen("x = 2.0\ny = sin(x)", "x")
    assert (view.is_input, view.is_output, view.wires, view.formula) == (True, False, (), "")


def test_an_op_that_is_not_in_the_catalog_is_shown_without_a_derivative():
    view = node_view(Graph((Node("y", "warp", (None,)),), (), "y"), None, "y")
    assert "not in the catalog" in view.doc
    assert (view.formula, view.wires, view.params) == ("", (), ())


def test_an_empty_slot_is_a_box_in_the_formula():
    graph = parse("x = 2.0\nz = x * ...")
    assert r"\square" in node_view(graph, None, "z").formula


def test_numbers_that_are_none_stand_in_the_equation():
    """Of sqrt at 0 the slope is infinite; 0 arrives, and their product is no number."""
    (wire,) = seen("x = 0.0\ny = sqrt(x)\nz = y * 0.0", "y").wires
    assert line(wire.numbers) == "∞ × 0 = NaN"


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        (Runs(1, 0, 0), "Runs once, in the forward pass."),
        (Runs(1, 1, 0), "drops that work"),
        (Runs(1, 1, 1), "runs once more in the backward pass; a derivative needs 1"),
        (Runs(1, 3, 2), "runs 3 times more in the backward pass; a derivative needs 2"),
    ],
)
def test_runs_are_said_in_a_sentence(runs, says):
    assert says in runs_say(runs)


def test_a_square_keeps_the_number_that_it_multiplies():
    found = trace(parse("x = 10.0\nc = cos(x)\ns = c * c"))
    assert "(1 number, for s)" in residuals_say(found, "c")


def test_of_a_residual_that_nothing_reads_that_is_said():
    kept = SimpleNamespace(producer="c", is_value=True, elements=4, consumers=())
    said = residuals_say(SimpleNamespace(residuals=[kept]), "c")
    assert said == "The forward pass keeps its value (4 numbers, which nothing reads)."


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("relu(x)", "a mask of true and false (3 elements, for y) and 3 more numbers that nothing reads"),
        ("abs(x)", "a mask of true and false (3 elements, for y)"),
        ("sin(x)", "what its derivative needs, worked out early (3 numbers, for y)"),
        ("exp(x)", "its value (3 numbers, for y)"),
        (
            "max(x)",
            "what its derivative needs, worked out early (4 numbers, for y)",
        ),  # of x those, and how many
    ],
)
def test_what_is_kept_is_said_once(line, says):
    found = trace(parse(f"x = [1.0, -2.0, 3.0]\ny = {line}\nz = sum(y)"))
    assert residuals_say(found, "y") == f"The forward pass keeps {says}."


def test_a_linear_op_keeps_nothing():
    assert residuals_say(trace(parse("x = 2.0\ny = x + 1.0\nz = -y")), "y") == ""


def test_a_bent_gradient_is_said_to_differ_and_by_how_much():
    (sentence,) = differs_say(trace(parse("x = 0.7\nf = rewrite(exp(x), lambda v: 0.5)\nz = f * 3.0")), "f")
    passed, true = (float(text) for text in re.findall(r"\d+\.\d+", sentence))
    assert (passed, true) == pytest.approx((0.5 * math.exp(0.7), 3 * math.exp(0.7)), rel=1e-4)


def test_an_honest_gradient_differs_from_nothing():
    assert differs_say(trace(parse("x = 0.7\nf = exp(x)")), "f") == ()


def test_a_difference_at_a_corner_says_why_and_elsewhere_does_not():
    """The slopes of relu at 0 are 0 and 1: JAX takes 0, central differences their mean."""
    (said,) = differs_say(trace(parse("x = [0.0, 1.0]\nh = relu(x)\ny = sum(h)")), "h")
    assert "[0, 1]" in said
    assert "[0.5, 1]" in said
    assert said.endswith("Slope or value jump there: JAX takes one slope, differences look at both sides.")
    (bent,) = differs_say(
        trace(parse("x = [0.5, 1.0]\nh = rewrite(relu(x), lambda v: 2.0 * v)\ny = sum(h)")), "h"
    )
    assert "jumps" not in bent


def test_a_node_is_looked_into_once_for_one_state_of_the_graph():
    graph, other = parse("x = 0.5\nf = x * x"), parse("x = -0.5\nf = x * x")
    found = node_view(graph, trace(graph), "f")
    assert node_view(graph, trace(graph), "f") is found
    assert node_view(other, trace(other), "f").wires[0].passed == -0.5


def test_no_product_is_written_that_is_not_the_number_passed():
    """The floor passes nothing back of a NaN (row R2), and the root nothing of what a stop holds back."""
    for text, name in (
        ("x = 1.0\ny = (x - floor(x)) ** 0.0", "floor_1"),
        ("x = 0.0\na = sqrt(x)\ny = stop_gradient(a) + x", "a"),
    ):
        graph = parse(text)
        (wire,) = node_view(graph, trace(graph), name).wires
        assert (wire.numbers, short(wire.passed)) == ((), "0")


def test_a_node_of_the_first_graph_says_what_it_reads_and_not_the_names_of_slots():
    """The first graph has nodes called a and b; b is a * y."""
    view = lab_view(start())
    assert node_view(view.graph, view.trace, "b").doc == "Product of a and y, element by element."
    assert [wire.label for wire in node_view(view.graph, view.trace, "b").wires] == [
        "first input",
        "second input",
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("p = 2.0\nz = p * 3.0", "Product of p and 3.0, element by element."),
        ("p = [1.0, 2.0]\nz = p - [1.0, 2.0]", "Difference, p minus a constant."),
        ("p = 2.0\nq = 1.0\nz = where(p > 1.0, q, 0.5)", "q where the condition is not 0, else 0.5; "),
        ("p = [1.0]\nz = p.at[0].set(3.0)", "A copy of p with 3.0 at an index: there the cotangent goes to"),
        ("a = 2.0\nx = 1.0\nz = sin(a)", "Sine of a in radians."),
        ("z = 2.0\nx = 1.0\ny = grad(z * 3.0, z)", "Gradient of mul_1 by z: "),
    ],
)
def test_the_doc_of_a_node_names_what_it_reads(text, says):
    assert seen(text, parse(text).nodes[-1].name).doc.startswith(says)


def test_an_empty_slot_is_named_by_its_place():
    graph = parse("b = 2.0\nz = ... * b")
    assert node_view(graph, None, "z").doc == "Product of its first input and b, element by element."


def test_no_text_about_a_node_names_a_slot_by_one_letter():
    """Such as a or x, which may be another node; "a" before a word is the article."""
    named = {}
    for op in OPS.values():
        operands = [f"operand{i}" for i in range(len(op.slots))]
        letters = {slot for slot in op.slots if len(slot) == 1}
        words = re.findall(r"(?<![\w-])[a-z]\b(?! [a-z]{2,})", op.documented(operands))
        labels = [slot_label(Node("n", op.name, (*operands,)), i) for i in range(len(operands))]
        if found := {*words, *labels} & letters:
            named[op.name] = found
    assert named == {}
