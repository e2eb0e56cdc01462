"""Test the records of a drawing: without nulls, and the same objects where an edit does not change them."""

from __future__ import annotations

import json

import pytest

from autodiff_viz.canvas.delta import without_nulls
from autodiff_viz.lab.actions import set_input, set_rule
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.first_view import drawing, present
from autodiff_viz.lab.inspector.panel import Answers
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


def sent(before: Lab, after: Lab) -> tuple[dict, dict]:
    """The drawings of two states as they are sent."""
    first = present(before, None)
    return tuple(drawing(now, {}, None, Answers()) for now in (first, present(after, first)))


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_after_an_edit_the_drawing_is_as_if_it_were_the_first(edit):
    _, found = sent(LAB, edit(LAB))
    anew, _ = sent(edit(LAB), LAB)
    counted = {"state", "sweeps"}  # numbers of states and keys of tables are of a session
    assert {**found, **dict.fromkeys(counted)} == {**anew, **dict.fromkeys(counted)}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_no_field_of_a_drawing_is_null(edit):
    for each in sent(LAB, edit(LAB)):
        assert "null" not in json.dumps(each)


def test_what_an_edit_does_not_change_is_the_same_record():
    each = sent(LAB, set_rule(LAB, "a", "stop"))
    before, after = ({node["id"]: node for node in one["nodes"]} for one in each)
    # Nothing arrives at x any more; b reads y alone, and what arrives at z is the seed.
    assert {name for name in after if after[name] is not before[name]} == {"a", "x"}


def test_a_record_that_has_gone_is_not_kept():
    first = lab_view(LAB)
    second = lab_view(edited(LAB, {"kind": "delete", "nodes": ["z"]}), first)
    assert [len(view.drawn.cards) for view in (first, second)] == [5, 4]
    assert [len(view.drawn.threads) for view in (first, second)] == [4, 2]


def test_a_rule_without_a_function_has_no_text_of_one():
    nodes = lab_view(set_rule(LAB, "a", "stop")).drawing["nodes"]
    assert [node["id"] for node in nodes if "ruleFull" in node] == []


def test_null_is_left_out_at_any_depth():
    assert without_nulls({"problem": None, "slots": ({"constant": None, "label": "a"},)}) == {
        "slots": [{"label": "a"}]
    }


def test_what_is_empty_is_not_null():
    whole = {"slot": 0, "width": 0.0, "muted": False, "ruleText": "", "branches": [], "sweeps": {}}
    assert without_nulls(whole) == whole
