"""Test the view of the selected tensor: its parts, its statistics and its numbers as text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.tensor.figure import heatmaps, histograms
from autodiff_viz.explain.tensor.view import is_tensor, parts, summary, written
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.parts import PARTS
from autodiff_viz.lab.state import opened, start
from autodiff_viz.language.parse import parse

GRAPH = parse("x = [[1.0, 2.0], [3.0, 4.0]]\ny = x * [10.0, 20.0]\nz = sum(y)")


def test_a_tensor_is_shown_with_what_arrives_and_what_it_passes():
    value, arriving, passed = parts(GRAPH, trace(GRAPH), "y")
    np.testing.assert_array_equal(value.array, [[10, 40], [30, 80]])
    np.testing.assert_array_equal(arriving.array, np.ones((2, 2)))
    np.testing.assert_array_equal(passed.array, [[10, 20], [10, 20]])
    assert passed.label == "Passed to x (first input)"


def test_a_graph_of_numbers_shows_no_tensor():
    view = lab_view(start())
    assert PARTS["tensor"].data(start(), view) is None
    assert not any(is_tensor(view.trace, name) for name in start().graph.by_name)


def test_a_selected_tensor_is_shown():
    lab = replace(opened(start(), GRAPH, "Open"), selected="y")
    assert PARTS["tensor"].data(lab, lab_view(lab)) is not None


def test_a_summary_leaves_what_is_no_number_to_its_own_count():
    found = summary(np.array([[3.0, -4.0, 0.0], [np.nan, np.inf, 1.0]], np.float32))
    assert (found.mean, found.least, found.most, found.nan, found.infinite) == ("0", "\u22124", "3", "1", "1")
    assert (found.shape, found.zeros) == ("[2, 3]", "17 %")  # one of six
    assert summary(np.array([3.0, 4.0])).norm == "5"


def test_numbers_are_written_in_rows_with_their_indices():
    assert written(np.array([[1.0, -2.5], [30.0, 4.0]])).splitlines() == [
        "     [0]   [1]",
        "[0]    1  \u22122.5",
        "[1]   30     4",
    ]


SCALED = parse("x = [[1.0, 2.0], [3.0, 4.0]]\nk = 2.0\ny = k * x\nz = sum(y)")


def test_what_a_tensor_passes_to_a_number_is_shown_in_every_way():
    *_, to_k, _ = found = parts(SCALED, trace(SCALED), "y")
    assert (to_k.label, summary(to_k.array).norm, written(to_k.array)) == (
        "Passed to k (first input)",
        "10",
        "10",
    )
    assert len([one for one in heatmaps(found, "y").data if one.type == "heatmap"]) == len(found)
    histograms(found, "y")


def test_a_wire_without_numbers_is_no_part():
    graph = parse("x = [1.0, 2.0]\ne = x[0:0]\ny = concatenate([e, x, x, x, x, x])\nz = sum(y)")
    labels = [part.label for part in parts(graph, trace(graph), "y")]
    assert "Passed to x (arrays 1)" in labels
    assert "Passed to e (arrays 0)" not in labels


def test_of_more_axes_every_slice_has_its_own_table():
    lines = written(np.zeros((2, 1, 1, 1))).splitlines()
    assert [line for line in lines if ":" in line] == ["[0, 0, :, :]", "[1, 0, :, :]"]


def test_of_many_numbers_there_is_a_sample_with_true_indices():
    text = written(np.arange(400.0).reshape(20, 20), most=100)
    head, _, *rows = text.splitlines()
    assert head.startswith("A sample: 1 in 2 along axis 0")
    assert [row.split()[0] for row in rows] == [f"[{i}]" for i in range(0, 20, 2)]
    assert rows[1].split()[1] == "40"
