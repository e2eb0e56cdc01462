"""Test heat-maps and histograms of tensors: their scales, marks of what is no number, and counts."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.explain.tensor.figure import heatmaps, histograms
from autodiff_viz.explain.tensor.view import Part

VALUE = Part("Value", "value", np.array([[1.0, -4.0], [0.0, 2.0]]))
ARRIVING = Part("Arriving", "cotangent", np.array([[0.5, 0.0], [0.25, -0.125]]))
PASSED = Part("Passed", "cotangent", np.array([3.0, np.nan, np.inf, -1.0]))
ALL = (VALUE, ARRIVING, PASSED)


def maps(figure: go.Figure) -> list[dict]:
    return [dict(trace.to_plotly_json()) for trace in figure.data if trace.type == "heatmap"]


def test_both_figures_are_ones_that_plotly_accepts():
    for build in (heatmaps, histograms):
        accepted = go.Figure(build(ALL, "n").to_dict())  # raises for unknown properties
        assert len(accepted.data) >= len(ALL)


def test_cotangents_share_a_scale_and_every_scale_is_symmetric():
    ends = [(one["zmin"], one["zmax"]) for one in maps(heatmaps(ALL, "n"))]
    assert ends == [(-4.0, 4.0), (-3.0, 3.0), (-3.0, 3.0)]


def test_a_cotangent_too_faint_for_the_shared_scale_has_its_own_and_says_so():
    faint = Part("Faint", "cotangent", np.array([0.002, -0.001, 0.0, 0.0]))
    figure = heatmaps((*ALL, faint), "n")
    assert [one["zmax"] for one in maps(figure)] == [4.0, 3.0, 3.0, 0.002]
    assert "orange to 0.002" in figure.layout.annotations[3].text


def test_the_scale_is_told_and_no_shade_stands_for_zero():
    figure = heatmaps(ALL, "n")
    assert "blue to 4, grey to \u22124" in figure.layout.annotations[0].text
    middle = [colour for at, colour in maps(figure)[0]["colorscale"] if at == 0.5]
    assert middle
    assert all(colour.endswith(",0)") for colour in middle)


def test_what_is_no_number_has_marks_of_different_shapes():
    marks = {trace.marker.symbol for trace in heatmaps(ALL, "n").data if trace.type == "scatter"}
    assert marks == {"x", "triangle-up"}


def test_a_histogram_counts_every_finite_number_once():
    counts = [int(np.sum(trace.y)) for trace in histograms(ALL, "n").data]
    assert counts == [4, 4, 2]
    assert "2 not finite" in histograms(ALL, "n").layout.annotations[2].text


def test_a_map_of_float64_has_numbers_that_float32_does_not_hold():
    numbers = np.array([[1e50, -1e-60]])
    (found,) = maps(heatmaps((Part("Value", "value", numbers),), "n"))
    np.testing.assert_array_equal(np.asarray(found["z"], np.float64), numbers)
