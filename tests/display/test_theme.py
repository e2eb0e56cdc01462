"""Test the colours and the texts that all figures share."""

from math import inf, nan

import pytest

from autodiff_viz.display import theme
from autodiff_viz.display.theme import in_lines, short, width
from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.graph.text import scalar
from autodiff_viz.language.parse import parse


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("page", ["#ffffff", "#0e1117"])
@pytest.mark.parametrize("name", ["VALUE", "COTANGENT", "STOP", "RULE", "CHECKPOINT", "NEUTRAL"])
def test_every_colour_stands_out_from_a_light_and_from_a_dark_page(name, page):
    dark, light = sorted([luminance(getattr(theme, name)), luminance(page)])
    assert (light + 0.05) / (dark + 0.05) >= 4  # WCAG asks 3 of graphics and of large text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.704041, "0.704"),
        (-12.0, "−12"),
        (12345.6, "12350"),
        (1234567.0, "1.23e6"),
        (-0.00001, "−1e−5"),
        (-0.0, "0"),
        (nan, "NaN"),
        (-inf, "−∞"),
    ],
)
def test_a_number_is_short_and_rounds_as_expected(value, text):
    assert scalar(value) == text


def test_a_long_name_is_cut_in_the_middle():
    assert width(short("a" * 20 + "_last")) == 16
    assert short("a" * 20 + "_last").endswith("_last")


def test_the_mode_bar_stands_beside_titles_in_a_colour_that_is_seen_on_any_page():
    bar = FIGURES["sweep"].build(trace(parse("x = 1.0\ny = x * x")), None).layout.modebar
    assert (bar.orientation, bar.color) == ("v", theme.NEUTRAL)


def test_a_long_line_of_a_note_is_broken_between_words_and_never_inside_a_tag():
    said = "One number by one number: the Jacobian is the derivative itself."
    assert in_lines(f"d q = <b>3</b><br>{said}") == (
        "d q = <b>3</b><br>One number by one number: the Jacobian is the<br>derivative itself."
    )
    tagged = "<span style='color:#123456'>nothing</span>"
    assert in_lines(tagged) == tagged
