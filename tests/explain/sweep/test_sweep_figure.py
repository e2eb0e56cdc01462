"""Test the sweep against derivatives known from calculus."""

import re
from itertools import pairwise

import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.sweep.compute import SLIDER, SLIDER_POSITIONS, curves, span
from autodiff_viz.explain.sweep.figure import low_sweep, sweep_figure, sweep_text
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse

SQUARE = "x = input(1.5, low=-2.0, high=2.0)\nz = x * x"
STOPPED = "x = input(0.5, low=-2.0, high=2.0)\nz = stop_gradient(x) * x"  # declared x, true 2x


def swept(text, name=None, **options):
    return curves(trace(parse(text), **options), name)


def said(marked):
    """The words without their tags."""
    return re.sub("<[^>]+>", "", marked)


def named(figure, name):
    return next(drawn for drawn in figure.data if drawn.name == name)


def test_the_derivative_of_a_square_is_twice_its_input():
    found = swept(SQUARE)
    np.testing.assert_allclose(found.value, found.positions**2, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found.declared, 2 * found.positions, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found.slopes, 2 * found.marked, rtol=1e-6, atol=1e-6)
    assert not found.bent.any()


def test_the_present_value_is_one_of_the_positions_and_of_the_marks():
    found = swept("x = input(0.123, low=-2.0, high=2.0)\nz = x * x")
    assert len(found.positions) == SLIDER_POSITIONS
    assert np.float32(found.positions[found.at_present]) == np.float32(0.123)
    assert np.float32(0.123) in found.marked.astype(np.float32)


def test_the_positions_of_a_slider_are_among_those_of_the_figure_which_follows_it():
    found = swept(SQUARE)
    slider = np.linspace(-2.0, 2.0, SLIDER)
    nearest = np.abs(found.positions[:, None] - slider).min(axis=0)
    assert nearest.max() < 1e-12


def test_a_rule_bends_the_declared_derivative_and_leaves_the_true_one():
    found = swept(STOPPED)
    np.testing.assert_allclose(found.declared, found.positions, atol=1e-6)
    np.testing.assert_allclose(found.true, 2 * found.positions, atol=1e-6)
    np.testing.assert_allclose(found.slopes, 2 * found.marked, atol=1e-6)


def test_where_declared_and_true_differ_is_shaded_dashed_and_named():
    figure = sweep_figure(swept(STOPPED))
    assert named(figure, "true").line.dash == "dash"
    assert named(figure, "bent").fill == "toself"
    words = said(" ".join(note.text for note in figure.layout.annotations))
    assert "declared 0.5" in words
    assert "true 1 " in words
    assert "stop at stop_gradient_1" in words


def test_a_rule_that_changes_nothing_shades_nothing():
    text = "x = input(1.0, low=0.0, high=2.0)\nz = custom(exp(x), pullback=lambda v, x, y: v * y)"
    figure = sweep_figure(swept(text))
    assert {"true", "bent"}.isdisjoint(drawn.name for drawn in figure.data)
    assert "declared = true" in figure.layout.annotations[1].text


def test_nan_leaves_a_gap():
    figure = sweep_figure(swept("x = input(1.0, low=-1.0, high=1.0)\nz = log(x)"))
    value = named(figure, "value")
    assert all(np.isnan(y) == (x <= 0) for x, y in zip(value.x, value.y, strict=True))


def test_where_there_is_no_value_no_derivative_is_called_true():
    found = swept("x = input(1.0, low=-1.0, high=1.0)\ny = stop_gradient(x)\nz = log(x)")
    missing = found.positions < 0
    np.testing.assert_allclose(found.declared[missing], 1 / found.positions[missing], rtol=1e-5)  # JAX's
    assert np.isnan(found.true[missing]).all()
    assert not found.bent.any()


def test_a_pole_is_not_drawn_as_a_line_and_does_not_crush_the_rest():
    figure = sweep_figure(swept("x = input(0.5, low=-1.0, high=1.0)\nz = 1.0 / x"))
    value = named(figure, "value")
    assert not any(a < 0 < b for a, b in pairwise(value.y))
    assert figure.layout.yaxis2.range[0] > -1000  # the slope beside the pole is -2500


def test_an_output_of_many_elements_is_paired_with_the_seed():
    found = swept("x = 2.0\nz = x * [1.0, 10.0]", seed=[3.0, 1.0])
    assert found.declared == pytest.approx([13.0] * SLIDER_POSITIONS)
    assert found.value[found.at_present] == pytest.approx(26.0)
    assert "⟨seed, z⟩" in sweep_text(found)


def test_an_output_that_does_not_depend_on_the_input_is_flat():
    found = swept("x = 2.0\ny = 3.0\nz = y * y", name="x")
    assert found.value == pytest.approx([9.0] * SLIDER_POSITIONS)
    assert found.declared == pytest.approx([0.0] * SLIDER_POSITIONS)


def test_the_range_is_the_sliders_widened_to_the_present_value():
    node = parse(SQUARE)["x"]
    assert span(node, 1.5) == (-2.0, 2.0)
    assert span(node, 5.0) == (-2.0, 5.0)
    assert span(node, 1.5, (0.0, 3.0)) == (0.0, 3.0)


@pytest.mark.parametrize(("here", "reach"), [(0.0, 5), (-5.0, 5), (6.0, 10), (30.0, 50), (99.0, 100)])
def test_a_range_that_nobody_set_is_round_and_stays_while_the_value_moves(here, reach):
    assert span(parse("x = 1.0")["x"], here) == (-reach, reach)


@pytest.mark.parametrize("name", [None, "x", "nowhere", "z"])
def test_a_graph_without_such_a_scalar_input_is_refused(name):
    with pytest.raises(GraphError, match="scalar input"):
        swept("x = [1.0, 2.0]\nz = sum(x)", name)


def test_the_text_gives_the_numbers_at_the_present_value_and_where_they_part():
    text = sweep_text(swept(STOPPED))
    assert "at 0.5, z is 0.25, its declared derivative 0.5 and its true derivative 1" in text
    assert "differ between −2 and 2, because of stop at stop_gradient_1" in text
    assert sweep_text(swept(SQUARE)).endswith("declared and true agree everywhere.")


def test_only_rules_that_change_the_derivative_are_named():
    """z = x + stop(x) + 1 · x: the rewrite passes on what arrives, and `off` is on no way to z."""
    text = "x = 0.5\na = rewrite(x, lambda v: v)\nb = stop_gradient(x)\noff = stop_gradient(sin(x))\n"
    said = sweep_text(swept(f"{text}z = a + b + x\nreturn z"))
    assert said.endswith("because of stop at b.")


def test_the_tangent_touches_the_curve_at_the_present_value_with_its_slope():
    figure = sweep_figure(swept(SQUARE))  # x^2 at 1.5: value 2.25, slope 3
    tangent = named(figure, "tangent")
    (x0, x1), (y0, y1) = tangent.x, tangent.y
    assert x0 < 1.5 < x1
    assert (y1 - y0) / (x1 - x0) == pytest.approx(3.0, rel=1e-5)
    assert y0 + 3.0 * (1.5 - x0) == pytest.approx(2.25, rel=1e-5)
    low, high = figure.layout.yaxis.range
    assert low <= min(y0, y1) <= max(y0, y1) <= high


def test_a_bent_derivative_has_a_tangent_of_its_own_beside_the_true_one():
    figure = sweep_figure(swept(STOPPED))  # x^2 at 0.5: true slope 1, declared 0.5
    slopes = {}
    for name in ("tangent", "true tangent"):
        (x0, x1), (y0, y1) = named(figure, name).x, named(figure, name).y
        slopes[name] = (y1 - y0) / (x1 - x0)
    assert slopes == pytest.approx({"tangent": 0.5, "true tangent": 1.0}, rel=1e-5)


def test_where_the_slope_is_not_finite_there_is_no_tangent():
    figure = sweep_figure(swept("x = input(0.0, low=0.0, high=1.0)\nz = sqrt(x)"))
    assert "tangent" not in {drawn.name for drawn in figure.data}


def test_the_figure_says_which_input_its_marker_moves():
    assert sweep_figure(swept(SQUARE)).layout.meta == {"swept": "x", "here": 1.5}


def test_in_a_low_place_the_panels_stand_side_by_side_with_the_same_lines():
    found = swept(STOPPED)
    low, high = low_sweep(found), sweep_figure(found)
    assert low.layout.height < 240  # the dock of a window of 1280x720
    assert low.layout.xaxis.domain[1] < low.layout.xaxis2.domain[0]
    assert low.layout.yaxis.domain == low.layout.yaxis2.domain == (0, 1)
    for one, other in zip(low.data, high.data, strict=True):
        np.testing.assert_array_equal(np.asarray(one.y, float), np.asarray(other.y, float))
        assert (one.xaxis or "x", one.yaxis) in {("x", "y"), ("x2", "y2")}
    assert "declared 0.5" in said(low.layout.meta["told"])
    assert {shape.xref for shape in low.layout.shapes} == {"x", "x2"}


def test_a_long_title_of_the_low_figure_ends_with_it_and_none_meets_the_other():
    """Of a window of 900 px: 190 px from the right panel to the figure's end, and 260 for both titles."""
    letter = 6.6  # px of a bold letter of 14 px, about
    texts = [
        STOPPED,
        "u = 0.5\nboth = stack([sqrt(u), u])",
        "the_input_u = 0.5\nthe_output_of_both = stack([sqrt(the_input_u), the_input_u])",
    ]
    ends = set()
    for text in texts:
        left, right = low_sweep(swept(text)).layout.annotations
        wide = [letter * len(said(one.text)) for one in (left, right)]
        ends.add(right.xanchor)
        assert right.xanchor == "right" or wide[1] < 80
        assert sum(wide) < 260
        assert said(right.text).startswith("d")
    assert ends == {"left", "right"}
