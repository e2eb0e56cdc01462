"""Test which edits a frame accepts: the server refuses what it does not let be changed."""

from __future__ import annotations

from itertools import pairwise

import pytest

from autodiff_viz.embedding.levels import KINDS_OF, LEVELS, LOOKS, OF_RULES, OF_VALUES
from autodiff_viz.lab.edits.apply import edited, edited_all
from autodiff_viz.lab.state import start
from autodiff_viz.messages.edits import KINDS

SLIDE = {"kind": "slide", "name": "x", "value": 2.0, "seq": 1}
STOP = {"kind": "rules", "nodes": ["b"], "rule": "stop", "seq": 1}
DELETE = {"kind": "delete", "nodes": ["z"], "seq": 1}
LOOK = {"kind": "select", "node": "a", "seq": 1}
NEEDS = {
    "none": [LOOK],
    "values": [LOOK, SLIDE],
    "rules": [LOOK, SLIDE, STOP],
    "all": [LOOK, SLIDE, STOP, DELETE],
}


@pytest.mark.parametrize("level", LEVELS)
def test_each_level_does_what_it_lets_be_changed_and_refuses_the_rest_in_words(level):
    lab = start()
    for edit in NEEDS["all"]:
        after = edited(lab, edit, level)
        if edit in NEEDS[level]:
            assert after != lab
            assert not after.notice
        else:
            assert after.graph == lab.graph
            assert [(problem.code, problem.seq) for problem in after.notice] == [("frame-edit", 1)]
            assert "lets you change" in after.notice[0].message


def test_a_reader_of_every_level_goes_through_the_steps_of_a_tour_and_edits_it_at_none_below_all():
    lab = start()
    for edit in ({"kind": "tour_add"}, SLIDE, {"kind": "tour_add"}):
        lab = edited(lab, edit)
    assert lab.at == 1
    for level in LEVELS:
        assert edited(lab, {"kind": "tour_go", "step": 0}, level).at == 0
        editing = edited(lab, {"kind": "tour_edit", "on": not lab.authoring}, level)
        assert (editing.authoring != lab.authoring) is (level == "all")


def test_each_level_has_all_that_the_one_before_it_has():
    for less, more in pairwise(LEVELS):
        assert {*KINDS_OF[less]} < {*KINDS_OF[more]}
    assert {*KINDS_OF["all"]} == {*KINDS}


def test_no_kind_is_listed_twice():
    listed = [*LOOKS, *OF_VALUES, *OF_RULES]
    assert len(listed) == len({*listed})


NEW = {"add", "write", "paste", "connect", "delete", "cut", "import", "type", "new", "data", "block", "mend"}


def test_what_makes_another_graph_is_let_to_nobody_but_by_all():
    assert not NEW & {*KINDS_OF["rules"]}


@pytest.mark.parametrize(
    ("edit", "is_value"),
    [
        ({"node": "x", "slot": None, "text": "3"}, True),  # the number of an input
        ({"node": "m", "slot": 1, "text": "3"}, True),  # a constant that is there
        ({"node": "m", "slot": 0, "text": "3"}, False),  # a wire would go
        ({"node": "m", "slot": 7, "text": "3"}, False),
        ({"node": "none", "slot": None, "text": "3"}, False),
    ],
)
def test_a_constant_is_a_value_where_it_replaces_one(edit, is_value):
    lab = edited(start(), {"kind": "import", "text": "x = 1.0\nm = x * 2.0", "seq": 1})
    after = edited(lab, {"kind": "constant", "seq": 2, **edit}, "values")
    assert (after.graph != lab.graph) is is_value
    assert edited(lab, {"kind": "constant", "seq": 2, **edit}, "none").graph == lab.graph


def test_a_refused_edit_does_not_stop_those_after_it():
    after = edited_all(start(), [DELETE, {**SLIDE, "seq": 2}], level="values")
    assert after.graph["x"].param("value") == 2.0
    assert [problem.code for problem in after.notice] == ["frame-edit"]
