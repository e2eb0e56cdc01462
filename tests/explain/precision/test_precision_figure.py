"""Test that the figures of precision and noise draw what was compared, and the limits in their places."""

from __future__ import annotations

import re

import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.explanation import Twin
from autodiff_viz.explain.noise.figure import noise_figure, noise_text
from autodiff_viz.explain.precision.figure import precision_figure, precision_text
from autodiff_viz.language.parse import parse

SMALL = parse("w = 1.0\nm = w * 0.0001220703125\ny = m * 0.0001220703125")  # 2^-13 twice


PATH = "mu = 0.3\nz = mu + 2.0 * normal()\nf = square(z)"


def lines(figure):
    return [shape.x0 for shape in figure.layout.shapes if shape.type == "line"]


@pytest.mark.parametrize(
    ("dtype", "limits"), [("float16", [-24, -14, 16]), ("bfloat16", [-133, -126, 128]), ("float64", [])]
)
def test_the_limits_of_the_dtype_are_drawn(dtype, limits):
    figure = precision_figure(trace(SMALL, dtype=dtype), None)
    assert lines(figure) == limits
    low, high = figure.layout.xaxis.range
    assert all(low < limit < high for limit in limits)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_the_words_below_two_limits_that_are_near_each_other_stand_in_different_lines(dtype):
    ticks = precision_figure(trace(SMALL, dtype=dtype), None).layout.xaxis.ticktext[:2]
    written = [[bool(part) for part in re.sub("<(?!br)[^>]*>", "", tick).split("<br>")] for tick in ticks]
    assert written == [[True], [False, True]]


def test_lost_numbers_are_marked_where_float64_has_them():
    lost = precision_figure(trace(SMALL, dtype="float16"), None).data[-1]
    assert list(lost.x) == [-26, -26, -26]  # what arrives at w, what m passes, the value of y
    assert list(precision_figure(trace(SMALL, dtype="float16"), "1024.0").data[-1].x) == [-26]
    assert not precision_figure(trace(SMALL, dtype="bfloat16"), None).data[-1].x


def test_the_words_say_what_is_lost_and_which_scales_are_safe():
    said = precision_text(trace(SMALL, dtype="float16"), None)
    assert "Underflow" in said
    assert "Loss scales from 4 to 32,768 are safe" in said
    assert (
        "float16, loss scale 1,024"
        in precision_figure(trace(SMALL, dtype="float16"), "1024").layout.title.text
    )


def test_noise_is_drawn_with_its_standard_error():
    """z^2 by mu: mean 0.6, variance 16, so 100 draws have a standard error near 0.4."""
    found = trace(parse(PATH))
    means = next(drawn for drawn in noise_figure(found, "100").data if drawn.error_x.array)
    assert means.x[0] == pytest.approx(0.6, abs=4 * 0.4)
    assert means.error_x.array[0] == pytest.approx(0.4, rel=0.3)
    assert "over 100 draws: mu " in noise_text(found, "100")


SCORE = """mu = 0.3
z = stop_gradient(mu + 2.0 * normal())
f = {} * (-0.5 * square((z - mu) / 2.0))"""


@pytest.mark.parametrize(
    ("b", "variances", "factor"),
    [
        (SCORE.format("square(z)"), (16.0, 61.262), 3.829),
        (SCORE.format("(square(z) - 4.09)"), (16.0, 40.72), 40.72 / 16),
    ],
)
def test_row_12_two_estimators_side_by_side(b, variances, factor):
    """Questions, 12: by path the variance is 4 sigma^2 = 16, by the score function 61.262, and
    with a baseline 40.72."""
    twin = Twin(trace(parse(PATH)), "A")
    figure, said = noise_figure(trace(parse(b)), "10000", twin), noise_text(trace(parse(b)), "10000", twin)
    means = next(drawn for drawn in figure.data if drawn.error_x.array)
    assert means.x == pytest.approx((0.6, 0.6), abs=4 * 0.08)
    found = [(error**2) * 10_000 for error in means.error_x.array]
    assert found == pytest.approx(variances, rel=0.15)
    assert [re.sub("<[^>]*>", "", label) for label in figure.layout.yaxis.ticktext] == ["mu A", "mu B"]
    assert "mu in A 0." in said
    assert "mu in B 0." in said
    ratio = re.search(r"variance of mu: ([\d.]+) times as large in B as in A", said)
    assert float(ratio[1]) == pytest.approx(factor, rel=0.15)


def test_the_letters_go_with_the_graphs_when_b_is_pinned_and_a_graph_without_noise_has_no_spread():
    still, noisy = trace(parse("x = 2.0\ny = x * x")), trace(parse("x = 2.0\ny = dropout(x * x, rate=0.5)"))
    said = noise_text(still, "100", Twin(noisy, "B"))
    assert "x in A 4 \u00b1 0, variance 0 and x in B " in said
    assert "times as large" not in said
    assert "no random draw" in noise_text(still, "100", Twin(still, "B"))


def test_a_graph_without_noise_says_so():
    found = trace(SMALL)
    assert "no random draw" in noise_figure(found, None).layout.annotations[0].text
    assert "no random draw" in noise_text(found, None)
