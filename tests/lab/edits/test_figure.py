"""Test that an edit from the browser, which is not trusted, chooses the figure on view."""

import pytest

from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.state import start


def test_a_figure_is_chosen_by_its_name_and_no_step_of_the_history_is_made():
    lab = edited(start(), {"kind": "figure", "figure": "runs", "seq": 1})
    assert (lab.figure, lab.history) == ("runs", start().history)


@pytest.mark.parametrize("edit", [{}, {"figure": None}, {"figure": "no such"}, {"figure": {"a": 1}}])
def test_a_figure_cannot_be_chosen_away(edit):
    lab = edited(start(), {"kind": "figure", "seq": 1, **edit})
    assert lab.figure == "cotangents"
    assert [notice.seq for notice in lab.notice] == [1]
