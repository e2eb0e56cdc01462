"""Test the lab's documents: opening, undoing and what each keeps."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.explain.sweep.compute import scalar_inputs
from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.actions import set_input, typed
from autodiff_viz.lab.state import (
    committed,
    opened,
    refused,
    slider_range,
    start,
    with_range,
    without_draft,
)
from autodiff_viz.language.parse import parse

OTHER = parse("t = 2.0\nu = exp(t)")


def lab_of(text: str):
    return opened(start(), parse(text), "Open")


def test_a_first_visit_shows_a_graph_without_problems_with_nothing_selected_and_nothing_to_undo():
    lab = start()
    assert (lab.mistakes, lab.notice, lab.history.can_undo) == ((), (), False)
    assert lab.selected is None


def test_opening_a_graph_can_be_undone():
    assert opened(start(), OTHER, "Open").history.past[-1].graph == start().graph


def test_opening_a_graph_shelves_the_unfinished_text():
    lab = opened(typed(start(), "z = sin("), OTHER, "Open")
    assert (lab.draft, lab.mistakes, lab.shelved) == (None, (), "z = sin(")


def test_opening_another_graph_keeps_the_text_that_was_shelved_before():
    lab = opened(opened(typed(start(), "z = sin("), OTHER, "Open"), parse("q = 1.0"), "Open")
    assert lab.shelved == "z = sin("


def test_opening_a_graph_discards_what_was_about_the_old_one():
    lab = opened(replace(with_range(start(), "x"), selected="a"), OTHER, "Open")
    assert (lab.selected, lab.ranges, lab.choices, lab.seed) == (None, (), (), None)


def test_opening_a_graph_tells_the_canvas_that_it_is_another_one():
    assert opened(start(), OTHER, "Open").document != start().document


def test_a_selected_node_that_is_gone_is_no_longer_selected():
    assert committed(replace(start(), selected="a"), OTHER, "Change").selected is None


def test_an_edit_clears_the_notice_of_the_one_before():
    lab = refused(start(), GraphError(Problem("cycle", "No.")))
    assert committed(lab, OTHER, "Change").notice == ()


def test_a_refused_edit_leaves_the_graph_alone():
    lab = refused(start(), GraphError(Problem("cycle", "No.")))
    assert lab.graph == start().graph
    assert lab.notice == (Problem("cycle", "No."),)


def test_dropping_the_draft_shows_the_graph_again():
    lab = without_draft(typed(start(), "z = sin("))
    assert (lab.draft, lab.mistakes, lab.graph) == (None, (), start().graph)


def test_only_inputs_with_one_number_have_a_slider():
    graph = parse("x = 1.0\nt = [1.0, 2.0]\nr = input(shape=(2,), seed=0)\ny = x * t + r")
    assert scalar_inputs(graph) == ("x",)


@pytest.mark.parametrize(
    ("value", "reach"), [("0.6", 5), ("5.0", 5), ("5.1", 10), ("-30.0", 50), ("300.0", 500), ("0.0", 5)]
)
def test_a_slider_reaches_as_far_as_a_round_number_beyond_its_value(value, reach):
    assert slider_range(lab_of(f"x = {value}\ny = sin(x)"), "x") == (-reach, reach)


def test_the_formula_can_say_how_far_a_slider_reaches():
    assert slider_range(lab_of("x = input(1.0, low=0.0, high=2.0)\ny = sin(x)"), "x") == (0, 2)


def test_a_value_beyond_the_ends_in_the_formula_widens_the_slider():
    assert slider_range(lab_of("x = input(7.0, low=0.0, high=2.0)\ny = sin(x)"), "x") == (0, 7)


def test_the_ends_of_a_slider_stay_where_they_are_while_it_is_used():
    lab = lab_of("x = 30.0\ny = sin(x)")
    assert slider_range(set_input(lab, "x", 2.0), "x") == slider_range(lab, "x")


@given(st.floats(-limits.NUMBER, limits.NUMBER), st.floats(-9, 9), st.floats(-9, 9), st.booleans())
def test_a_slider_always_has_two_different_ends_around_its_value(value, low, high, ends):
    given_ends = f", low={low!r}, high={high!r}" if ends else ""
    try:
        lab = lab_of(f"x = input({value!r}{given_ends})\ny = sin(x)")
    except GraphError:
        return
    left, right = slider_range(lab, "x")
    assert left < right
    assert left <= lab.graph["x"].param("value") <= right
