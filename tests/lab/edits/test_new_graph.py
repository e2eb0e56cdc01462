"""Test a new graph: empty, and nothing of the graph before is lost."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.graph.model import Graph
from autodiff_viz.lab.actions import typed, undone
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.state import formula_text, start
from tests.own_lesson import KEY

NEW = {"kind": "new"}


def test_a_new_graph_is_empty_and_undo_returns_to_the_one_before_with_all_its_state():
    before = replace(start(), seed=2.0, selected="b", collapsed=frozenset({"g"}))
    lab = edited(before, NEW)
    assert lab.graph == Graph()
    assert (lab.seed, lab.selected, formula_text(lab)) == (None, None, "")
    assert lab.history.present.label == "New graph"
    back = undone(lab)
    assert (back.graph, back.seed, back.selected) == (before.graph, 2.0, "b")


def test_text_that_was_not_finished_is_kept_for_later():
    lab = edited(typed(start(), "a = ("), NEW)
    assert (lab.draft, lab.shelved) == (None, "a = (")


def test_a_new_graph_closes_the_lesson_and_can_be_drawn_linked_and_built_on():
    lab = edited(open_lesson(start(), KEY), NEW)
    assert lab.lesson is None
    assert lab_view(lab).drawing["nodes"] == []
    assert from_query(to_query(lab)).graph == Graph()
    built = edited(edited(lab, {"kind": "write", "text": "2.0"}), {"kind": "write", "text": "sin(x) * x"})
    assert (built.graph["mul_1"].slots, built.notice) == (("sin_1", "x"), ())


def test_a_new_graph_of_an_empty_one_is_no_step():
    lab = edited(start(), NEW)
    assert edited(lab, NEW) == lab
