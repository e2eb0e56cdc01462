"""Test the line of the check while the numbers on view are not those of the text."""

from __future__ import annotations

import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.nonfinite.view import explained_non_finite
from autodiff_viz.lab.actions import typed
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.inspector.panel import Answers, check_data
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.language.parse import parse


def said(lab: Lab) -> dict:
    return check_data(lab, lab_view(lab), Answers(checks=True), details=False)


def test_text_that_cannot_be_read_leaves_the_numbers_of_the_last_good_formula_and_no_tick():
    lab = typed(start(), "x = 1.0\ny = sinn(x)")
    assert said(lab) == {"notes": [], "state": "waits", "says": "From the last good formula."}
    mended = typed(lab, "x = 1.0\ny = sin(x)")
    assert said(mended)["state"] == "checking"


@pytest.mark.parametrize("text", ["x = [1.0, 2.0]\nw = [1.0, 2.0, 3.0]\ny = x * w", "x = 1.0\ny = x @ x"])
def test_text_that_cannot_run_says_that_nothing_is_checked(text):
    lab = typed(start(), text)
    assert lab.draft is None
    assert said(lab)["state"] == "failed"
    assert "cannot run" in said(lab)["says"]


def test_the_mark_of_where_infinity_begins_is_on_one_node_and_on_no_wire_that_carries_it_on():
    found = explained_non_finite(trace(parse("x = 0.0\ny = log(x)\nz = y * y")))
    assert (found.at, found.wires) == (("y",), ())
    found = explained_non_finite(trace(parse("x = 0.0\ny = sqrt(x)")))
    assert (found.at, found.wires) == (("y",), (("y", 0),))


def test_a_graph_that_is_only_unfinished_is_not_called_wrong():
    found = said(opened(start(), parse("x = 1.0\ny = x * ...\nz = sin(x)\nreturn z"), "Open"))
    assert found.get("state") is None
