"""Test expressions typed in Add.

The first graph: x = 0.6, y = 1.5, a = sin(x), b = a * y, z = b + stop(exp(a)).
"""

from __future__ import annotations

import pytest

from autodiff_viz.canvas.cards import size
from autodiff_viz.canvas.drawing import places
from autodiff_viz.canvas.notices import notice_data
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.state import Lab, start
from tests.lab.canvas_steps import after


def write(text: str, **fields) -> dict:
    return {"kind": "write", "text": text, **fields}


def refusal(text: str) -> dict:
    (notice,) = notice_data(edited(start(), write(text)).notice)
    return notice


def test_the_names_of_an_expression_are_wires_from_the_nodes_that_have_them():
    lab = after(write("x*y"))
    assert (lab.graph["mul_1"].op, lab.graph["mul_1"].slots) == ("mul", ("x", "y"))
    assert lab.graph.output == "z"
    assert lab.history.present.label == "Add x*y"


def test_the_steps_of_an_expression_have_names_that_are_free():
    lab = after(write("sin(x) + sin(y)"), write("sin(b) * 2.0"))
    assert lab.graph["sin_3"].slots == ("b",)
    assert lab.graph["mul_1"].slots == ("sin_3", 2.0)
    assert lab.graph["add_1"].slots == ("sin_1", "sin_2")


def test_what_was_added_is_selected_and_is_one_step_of_undo():
    one, two = after(write("cos(z)")), after(write("cos(z) * x"))
    assert (one.selected, one.picked) == ("cos_1", ("cos_1",))
    assert (two.selected, set(two.picked)) == ("mul_1", {"cos_1", "mul_1"})
    assert edited(two, {"kind": "undo"}).graph == start().graph


def test_an_expression_may_have_a_name_a_rule_and_an_empty_slot():
    lab = after(write("q = stop_gradient(a * ...)"))
    assert lab.graph["q"].slots == ("a", None)
    assert lab.graph["q"].rule.kind == "stop"


def test_a_number_is_an_input_with_a_letter_of_its_own():
    lab = after(write("2.5"))
    assert lab.graph["w"].param("value") == 2.5  # x, y and z are taken


def test_an_expression_can_feed_the_slot_that_a_wire_was_drawn_from():
    lab = after(write("cos(x) + 1.0", feeds={"to": "b", "slot": 1}))
    assert lab.graph["b"].slots == ("a", "add_1")


def cards(lab: Lab) -> dict[str, tuple[float, float, float, float]]:
    at = places(lab.graph).positions
    return {node.name: (*at[node.name], *size(node)) for node in lab.graph.nodes}


@pytest.mark.parametrize("at", [None, [260, 60]])
def test_new_nodes_cover_no_other_and_move_none(at):
    before = cards(start())
    lab = after(write("sin(x) * cos(y) + exp(b)", at=at), write("x * y", at=at), write("a / b", at=at))
    now = cards(lab)
    assert [now[name] for name in before] == [pytest.approx(box, abs=0.1) for box in before.values()]
    boxes = list(now.items())
    covering = [
        (one, other)
        for i, (one, (x, y, w, h)) in enumerate(boxes)
        for other, (u, v, width, height) in boxes[i + 1 :]
        if x < u + width and u < x + w and y < v + height and v < y + h
    ]
    assert len(boxes) == 6 + 5 + 1 + 1
    assert covering == []


@pytest.mark.parametrize(
    ("text", "code", "word", "column"),
    [
        ("x * q", "unknown-name", "no node 'q'", (4, 5)),
        ("foo(x)", "unknown-op", "no op 'foo'", (0, 3)),
        ("b = x", "name-taken", "a node 'b' already", (0, 1)),
        ("x", "nothing-new", "'x' is in the graph", (0, 1)),
        ("x *", "syntax", "not a formula", (3, 4)),
        ("__import__('os')", "unknown-op", "__import__", (0, 10)),
        ("with group('g'): c = x", "syntax", "One expression", (0, 22)),
    ],
)
def test_a_mistake_is_named_with_its_place(text, code, word, column):
    found = refusal(text)
    assert found["code"] == code
    assert word in found["message"]
    assert (found["column"], found["end_column"]) == column


def test_text_that_is_no_single_expression_is_refused():
    assert refusal("x\ny")["code"] == refusal("")["code"] == "syntax"
    assert edited(start(), {"kind": "write", "text": 5}).notice[0].code == "bad-edit"
