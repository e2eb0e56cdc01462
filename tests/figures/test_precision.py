"""The figures of precision and of noise: what is drawn is what was compared, and where the limits stand."""

from __future__ import annotations

import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.figures.noise import noise_figure, noise_text
from autodiff_viz.figures.precision import precision_figure, precision_text
from autodiff_viz.language.parse import parse

SMALL = parse("w = 1.0\nm = w * 0.0001220703125\ny = m * 0.0001220703125")  # 2^-13 twice


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
    found = trace(parse("mu = 0.3\nz = mu + 2.0 * normal()\nf = square(z)"))
    means = next(drawn for drawn in noise_figure(found, "100").data if drawn.error_x.array)
    assert means.x[0] == pytest.approx(0.6, abs=4 * 0.4)
    assert means.error_x.array[0] == pytest.approx(0.4, rel=0.3)
    assert "over 100 draws: mu " in noise_text(found, "100")


def test_a_graph_without_noise_says_so():
    found = trace(SMALL)
    assert "no random draw" in noise_figure(found, None).layout.annotations[0].text
    assert "no random draw" in noise_text(found, None)
