"""Test the drawing of a graph: hand-worked numbers, wires' signs and sizes, and linear work."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_viz.canvas.palette import palette
from autodiff_viz.canvas.records import DASH, passed
from autodiff_viz.canvas.svg import largest, thickness
from autodiff_viz.display.numbers import sign
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.gallery import LESSONS, lesson
from autodiff_viz.lessons.lesson import Claim, Lesson
from tests import strategies
from tests.web.written import in_browser
from tests.work import lines_run


def drawn(text: str, **changes) -> dict:
    lab = opened(start(), parse(text), "Open")
    return written(lab_view(Lab(lab.history, **changes)).drawing)


def written(drawing: dict) -> dict:
    """The drawing with the fields of cards and wires in which the browser writes numbers."""
    shown = in_browser(drawing)
    return drawing | {
        "nodes": [a | _numbers(b) for a, b in zip(drawing["nodes"], shown["nodes"], strict=True)],
        "wires": [a | _numbers(b) for a, b in zip(drawing["wires"], shown["wires"], strict=True)],
        "groups": [a | {"sums": b["sums"]} for a, b in zip(drawing["groups"], shown["groups"], strict=True)],
    }


def _numbers(record: dict) -> dict:
    names = ("value", "cotangent", "dims", "passed", "width", "sign")
    return {name: record[name] for name in names if name in record}


def node(drawing: dict, name: str) -> dict:
    return next(node for node in drawing["nodes"] if node["id"] == name)


def wire(drawing: dict, source: str, target: str) -> dict:
    return next(w for w in drawing["wires"] if (w["from"], w["to"]) == (source, target))


@pytest.mark.nightly
def test_a_graph_of_empty_slots_is_drawn_in_linear_work():
    def work(count: int) -> int:
        lab = opened(start(), parse("".join(f"y{i} = add(..., ...)\n" for i in range(count))), "Open")
        lab_view(lab)  # places are kept
        return lines_run(lambda: lab_view(lab))

    assert work(1_600) < 6 * work(400)  # 4 times were linear, 16 quadratic


# x = 2: y = 3x passes 3, z = y + (-5x) passes -5 from the other branch.
SIGNS = "x = 2.0\np = 3.0 * x\nn = -5.0 * x\nu = 0.0 * x\nz = p + n + u"


def test_the_first_graph_shows_hand_worked_numbers():
    drawing = written(lab_view(start()).drawing)
    a = math.sin(0.6)
    assert node(drawing, "a")["value"] == f"{a:.4g}"
    assert node(drawing, "b")["value"] == f"{1.5 * a:.4g}"
    assert node(drawing, "z")["value"] == f"{1.5 * a + math.exp(a):.4g}"
    assert node(drawing, "a")["cotangent"] == "1.5"  # through b alone: exp is stopped
    assert node(drawing, "x")["cotangent"] == f"{1.5 * math.cos(0.6):.4g}"
    assert node(drawing, "y")["cotangent"] == f"{a:.4g}"


def test_a_wire_says_what_passes_down_it():
    drawing = drawn(SIGNS)
    assert [wire(drawing, "x", to)["passed"] for to in "pnu"] == ["3", "−5", "0"]


def test_the_sign_of_a_wire_is_the_sign_of_what_passes():
    drawing = drawn(SIGNS)
    assert [wire(drawing, "x", to)["sign"] for to in "pnu"] == [1, -1, 0]


def test_the_largest_contribution_has_the_thickest_wire_and_zero_has_none():
    drawing = drawn(SIGNS)
    assert wire(drawing, "x", "n")["width"] == 1
    assert 0 < wire(drawing, "x", "p")["width"] < 1
    assert wire(drawing, "x", "u")["width"] == 0


def test_a_tensor_with_both_signs_has_a_sign_of_its_own():
    drawing = drawn("x = [1.0, 2.0]\ny = x * [1.0, -1.0]\nz = sum(y)")
    assert wire(drawing, "x", "y")["sign"] == 2


def test_nan_is_drawn_as_text_and_the_node_where_it_begins_says_so():
    drawing = drawn("x = -1.0\ny = log(x)\nz = y * 2.0")
    assert (node(drawing, "y")["value"], node(drawing, "z")["value"]) == ("NaN", "NaN")
    assert "NaN" in node(drawing, "y")["warning"]
    assert "warning" not in node(drawing, "z")


def test_an_infinity_is_drawn_as_text():
    drawing = drawn("x = 0.0\ny = log(x)")
    assert node(drawing, "y")["value"] == "−∞"
    assert wire(drawing, "x", "y")["width"] == 1


def test_nothing_arrives_where_no_path_leads_to_the_output():
    drawing = drawn("x = 1.0\ny = sin(x)\nz = exp(x)")
    assert not node(drawing, "y")["connected"]
    assert node(drawing, "y")["cotangent"] == DASH
    assert node(drawing, "z")["isOutput"]


def marked(record):
    """Return how often a record says that its node or region runs, and what JAX drops of that."""
    return record.get("runs", record.get("badge")), record.get("dropped")


def test_what_jax_drops_has_another_mark_than_what_it_runs_again():
    # By hand: each slope is a cosine of what enters a sine, so that c is needed again, and y is not.
    drawing = drawn(lesson("checkpointing").steps[0].formula)
    marks = {name: marked(node(drawing, name)) for name in "xabcy"}
    twice = ("×2", None)
    assert marks == {"x": (None, None), "a": twice, "b": twice, "c": twice, "y": (None, 1)}
    (region,) = drawing["regions"]
    assert marked(region) == twice


def test_a_region_of_which_jax_drops_every_run_says_so():
    # By hand: the slope of c * c is 2c, which is kept.
    drawing = drawn('x = 10.0\nc = cos(x)\nwith checkpoint("square"):\n    s = c * c')
    assert marked(node(drawing, "s")) == (None, 1)
    assert marked(node(drawing, "c")) == (None, None)
    (region,) = drawing["regions"]
    assert (region["name"], region["nodes"], region["problem"]) == ("square", ["s"], None)
    assert marked(region) == (None, 1)


def _runs_of(about: Lesson) -> list[Claim]:
    return [claim for claim in about.claims if claim.quantity == "runs" and isinstance(claim.at, int)]


@pytest.mark.parametrize("about", [each for each in LESSONS if _runs_of(each)], ids=lambda e: e.key)
def test_the_marks_are_those_of_the_lessons_claims(about):
    for claim in _runs_of(about):
        forward, backward, kept = claim.expected
        record = node(drawn(about.steps[claim.variant].formula), claim.of)
        runs, dropped = marked(record)
        assert runs == (f"×{forward + kept}" if kept else None), claim
        assert (dropped or 0) == backward - kept, claim


def test_a_group_has_the_sum_of_what_its_wires_from_one_node_pass_back():
    text = """
x = 3.0
y = 2.0
with group("g"):
    a = x * x
    b = a + y"""
    (group,) = drawn(text)["groups"]
    assert (group["name"], group["nodes"], group["collapsed"]) == ("g", ["a", "b"], False)
    (both,) = group["sums"]
    assert (both["from"], both["passed"], both["sign"]) == ("x", "6", 1)  # d(x * x + y)/dx = 2 * 3


def test_a_group_that_cuts_through_another_one_says_so_and_all_numbers_are_there():
    text = """
x = 3.0
with group("g"):
    a = sin(x)
    with group("h"):
        b = exp(a)
with group("h"):
    c = cos(b)"""
    found = drawn(text)
    assert ["share 'b'" in group["problem"] for group in found["groups"]] == [True, True]
    assert all(node["value"] != DASH for node in found["nodes"])


def test_a_region_that_is_left_and_entered_again_is_marked():
    text = 'x = 1.0\nwith checkpoint("r"):\n    a = sin(x)\nb = exp(a)\nwith checkpoint("r"):\n    c = a * b'
    (region,) = drawn(text)["regions"]
    assert region["problem"]


def test_an_unfinished_node_says_what_it_needs_and_is_no_mistake():
    found = node(drawn("x = 2.0\nz = where(x, ..., 1.0)"), "z")
    assert (found["missing"], "problem" in found) == ("needs second input", False)


def test_a_mistake_is_marked_at_its_node():
    found = node(drawn("x = [1.0, 2.0]\ny = [1.0, 2.0, 3.0]\nz = x + y"), "z")
    assert ("missing" in found, bool(found["problem"])) == (False, True)


def test_an_unfinished_node_is_marked_and_the_rest_is_evaluated():
    drawing = drawn("x = 2.0\ny = x * 3.0\nz = y + ...\nw = exp(z)")
    assert node(drawing, "z")["missing"]
    assert "problem" not in node(drawing, "y")
    assert node(drawing, "y")["value"] == "6"
    assert (node(drawing, "z")["value"], node(drawing, "w")["value"]) == (DASH, DASH)


def test_shapes_that_do_not_fit_are_marked_at_the_node_where_they_meet():
    drawing = drawn("a = [1.0, 2.0]\nb = [1.0, 2.0, 3.0]\nc = a + b")
    assert "2" in node(drawing, "c")["problem"]
    assert node(drawing, "a")["value"] == "[1, 2]"


@pytest.mark.parametrize(
    ("line", "rule", "text"),
    [
        ("y = stop_gradient(sin(x))", "stop", ""),
        ("y = rewrite(sin(x), lambda v: 0.5)", "rewrite", "0.5"),
        ("y = custom(exp(x), pullback=lambda v, x, y: v * y)", "pullback", "v * y"),
        ("y = backward_as(round(x), x)", "backward_as", "x"),
    ],
)
def test_a_rule_is_marked_on_its_node(line, rule, text):
    found = node(drawn(f"x = 1.2\n{line}"), "y")
    assert (found["rule"], found["ruleText"]) == (rule, text)


def test_the_wire_to_an_alternative_is_dotted():
    drawing = drawn("x = 1.2\nt = 2.0 * x\ny = backward_as(round(x), t)")
    assert wire(drawing, "t", "y")["alternative"]
    assert not wire(drawing, "x", "y")["alternative"]


def test_a_constant_stands_in_its_slot():
    slots = node(drawn(SIGNS), "p")["slots"]
    assert [(slot.get("constant"), slot["wired"]) for slot in slots] == [("3.0", False), (None, True)]


def test_no_two_nodes_stand_in_the_same_place():
    nodes = drawn(SIGNS)["nodes"]
    assert len({(n["x"], n["y"]) for n in nodes}) == len(nodes)


def test_a_moved_node_is_drawn_where_it_was_put():
    drawing = drawn("x = 1.0\ny = sin(x)\n# positions: x 7 9, y 300 9")
    assert (node(drawing, "x")["x"], node(drawing, "x")["y"]) == (7, 9)


def test_another_value_leaves_every_node_in_its_place():
    before, after = drawn(SIGNS), drawn(SIGNS.replace("x = 2.0", "x = -3.5"))
    assert [(n["x"], n["y"]) for n in before["nodes"]] == [(n["x"], n["y"]) for n in after["nodes"]]


def test_an_empty_graph_is_an_empty_drawing():
    drawing = lab_view(Lab(opened(start(), parse(""), "Open").history)).drawing
    assert (drawing["nodes"], drawing["wires"]) == ([], [])


def test_the_palette_holds_every_op_once_and_inputs_first():
    ops = [op["op"] for group in palette() for op in group["ops"]]
    assert ops[0] == "input"
    assert len(ops) == len(set(ops)) > 40


def test_every_op_shows_its_formula_as_it_is_typed():
    shown = {op["op"]: op["formula"] for group in palette() for op in group["ops"]}
    assert [
        shown[op] for op in ("mul", "neg", "maximum", "where", "matmul", "reshape", "getitem", "stack")
    ] == [
        "a * b",
        "-x",
        "maximum(a, b)",
        "where(condition, a, b)",
        "a @ b",
        "reshape(x, shape)",
        "x[index]",
        "stack([a, b])",
    ]


def test_other_names_are_found_as_they_are_typed_in_lower_case():
    names = [name for group in palette() for op in group["ops"] for name in op["aliases"]]
    assert len(names) > 100
    assert [name for name in names if name != name.lower()] == []


def test_the_shape_of_a_value_travels_as_numbers():
    drawing = drawn("a = [[1.0, 2.0]]\nb = 3.0\nc = a * b")
    assert [node(drawing, name)["dims"] for name in "abc"] == [[1, 2], [], [1, 2]]


# Ops of any shape would need shapes that fit; these broadcast or are refused, and both must be drawn.
OPS = tuple(
    strategies.Spec(name, slots) for name, slots in [("identity", 1), ("log", 1), ("div", 2), ("where", 3)]
)
NUMBERS = st.one_of(
    st.sampled_from([0.0, -1.0, 1e30, 1e-30]), st.lists(st.sampled_from([0.0, 2.0]), min_size=1).map(tuple)
)


@settings(max_examples=25)
@given(strategies.graphs(OPS, max_nodes=6, literals=NUMBERS))
def test_any_graph_half_built_or_full_of_nan_is_drawn_as_strict_json(graph):
    lab = opened(start(), graph, "Open")
    view = lab_view(lab)
    drawing, shown = view.drawing, in_browser(view.drawing)
    assert json.loads(json.dumps(drawing, allow_nan=False)) == drawing
    assert {n["id"] for n in drawing["nodes"]} == set(graph.by_name)
    assert all(0 <= w["width"] <= 1 and w["sign"] in (-1, 0, 1, 2) for w in shown["wires"])
    for wire_ in shown["wires"]:
        array = passed(view.trace, view.graph[wire_["to"]], wire_["slot"])
        expected = (0, 0) if array is None else (thickness(array, largest(view.trace)), sign(array))
        assert (wire_["width"], wire_["sign"]) == pytest.approx(expected, abs=2e-3)
