"""Test the compact drawing: nothing spare, and unchanged records are the same objects."""

from __future__ import annotations

import pytest

from autodiff_viz.canvas.delta import NOTHING, Lean, lean, leaned
from autodiff_viz.lab.actions import set_input, set_rule
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.language.parse import parse

TEXT = "x = 2.0\ny = 3.0\na = sin(x)\nb = cos(y)\nz = a + b"
LAB = opened(start(), parse(TEXT), "Open")

EDITS = {
    "slide": lambda lab: set_input(lab, "x", 1.0),
    "rule": lambda lab: set_rule(lab, "a", "stop"),
    "select": lambda lab: edited(lab, {"kind": "select", "node": "b"}),
    "move": lambda lab: edited(lab, {"kind": "move", "positions": {"b": [9, 9]}}),
    "add": lambda lab: edited(lab, {"kind": "add", "op": "exp", "wire": {"from": "z", "slot": 0}}),
}


def both(before: Lab, after: Lab) -> tuple[Lean, Lean, dict]:
    """The lean drawings of two states, and the whole one of the second."""
    first = lab_view(before)
    second = lab_view(after, first)
    one = leaned(first.drawing)
    return one, leaned(second.drawing, one), second.drawing


def test_fields_that_hold_nothing_do_not_travel():
    assert lean(
        {"problem": None, "isInput": False, "ruleText": "", "via": [], "slots": [{"wired": False}]}
    ) == {"slots": [{}]}


def test_zero_is_not_nothing():
    assert lean({"slot": 0, "sign": 0, "width": 0.0}) == {"slot": 0, "sign": 0, "width": 0.0}


def test_a_full_text_travels_only_where_it_says_more():
    assert lean({"constant": "10", "constantFull": "10"}) == {"constant": "10"}
    shortened = {"constant": "[0.7, 2]", "constantFull": "[0.70404, 2.0]"}
    assert lean(shortened) == shortened


def test_what_is_usual_does_not_travel():
    node = {"id": "follow", "op": "sin", "symbol": "sin", "rule": "follow", "connected": True}
    assert lean(node) == {"id": "follow", "op": "sin"}


def test_what_is_unusual_travels():
    node = {"id": "x", "op": "mul", "symbol": "\u00d7", "rule": "stop", "connected": False, "h": 110}
    assert lean(node) == node


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_after_an_edit_the_drawing_is_as_lean_as_if_it_were_the_first(edit):
    _, found, whole = both(LAB, edit(LAB))
    assert found.drawing == lean(whole)


def test_what_an_edit_does_not_change_is_the_same_record():
    one, other, _ = both(LAB, set_rule(LAB, "a", "stop"))
    before, after = ({node["id"]: node for node in each.drawing["nodes"]} for each in (one, other))
    # Nothing arrives at x any more; b reads y alone, and what arrives at z is the seed.
    assert {name for name in after if after[name] is not before[name]} == {"a", "x"}


def test_a_record_that_has_gone_is_not_kept():
    one, other, _ = both(LAB, edited(LAB, {"kind": "delete", "nodes": ["z"]}))
    assert len(other.made) == 4 + 2  # nodes, wires
    assert len(one.made) == 5 + 4


def test_another_record_of_the_same_content_is_made_lean_by_itself():
    record = {"id": "x", "rule": "follow"}
    first = leaned({"nodes": [record]}, NOTHING)
    again = leaned({"nodes": [dict(record)]}, first)
    assert first.drawing == again.drawing == {"nodes": [{"id": "x"}]}


def test_a_rule_without_a_function_has_no_text_of_one():
    drawing = leaned(lab_view(set_rule(LAB, "a", "stop")).drawing).drawing
    assert [node["id"] for node in drawing["nodes"] if "ruleFull" in node] == []


def test_a_group_of_branches_that_has_none_is_still_one():
    assert lean({"name": "gate", "branches": [], "sums": []}) == {"name": "gate", "branches": []}
