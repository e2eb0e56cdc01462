"""Test gestures in any order, much faster than the page answers: every edit is applied once, in order.

`GESTURES=40:100 pytest tests/browser/connection/test_random_gestures.py` makes 40 runs of 100 gestures.
"""

from __future__ import annotations

import os
from dataclasses import replace
from urllib.parse import urlencode

import pytest

from autodiff_viz.graph.history import begin
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.state import Lab, formula_text, start
from benchmarks.graphs import example
from tests.browser.gestures import LOG, Gestures, addressed
from tests.browser.lab_page import FOLDED, LabPage

RUNS, COUNT = map(int, os.environ.get("GESTURES", "1:40").split(":"))


def told(lab: Lab) -> tuple:
    return lab.graph, lab.seed, formula_text(lab), lab.draft


def compare(lab: LabPage, expected: Lab) -> None:
    """The page, its address, and both once more after a reload."""
    for again in (False, True):
        if again:
            lab.reload()
        assert told(addressed(lab)) == told(expected)
        assert lab.formula.input_value() == formula_text(expected)
        assert lab.names() == set(expected.graph.by_name)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(RUNS))
def test_whatever_is_done_however_fast_leads_where_the_same_edits_lead_one_by_one(page, address, seed):
    page.add_init_script(LOG)
    lab = LabPage(page, address).open()
    hand = Gestures(lab, seed)
    hand.do(COUNT)
    assert len(hand.edits) > COUNT
    compare(lab, hand.expected(start()))


@pytest.mark.nightly
def test_what_is_done_while_a_long_computation_runs_is_done_in_order(page, address):
    page.add_init_script(LOG)
    graph = example(120, 0).graph  # every edit has it differentiated as a whole program too
    query = to_query(replace(start(), history=begin(graph), selected=None))
    lab = LabPage(page, f"{address}/?{urlencode(query)}").open(FOLDED)
    hand = Gestures(lab, 0)
    hand.do(12)
    assert len(hand.edits) > 12
    compare(lab, hand.expected(from_query(query)))
