"""Test that cards can be told from the canvas at every zoom: WCAG's ratio of 3:1 for graphical objects."""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from autodiff_viz.display.colours import tokens
from autodiff_viz.display.theme import BARS, COTANGENT, IN_THEMES, NEGATIVE, css_of_colours, square
from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.cotangents.figure import cotangents_figure
from autodiff_viz.language.parse import parse
from autodiff_viz.ui.bundle import page_style

ROOT = Path(__file__).parents[2]
WEB = ROOT / "autodiff_viz" / "web" / "canvas"
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
CSS = "\n".join((WEB / f"{name}.css").read_text("utf-8") for name in ("canvas", "sizes"))
SCHEMES = ("light", "dark")

Colour = tuple[float, float, float]


def split(text: str) -> list[str]:
    """The arguments of a CSS function."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", text)]


def colour(text: str, scheme: str) -> Colour:
    """The colour that CSS computes of a hex code, a variable, light-dark() or color-mix() in sRGB."""
    if text.startswith("#"):
        return tuple(int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))
    name, given = re.fullmatch(r"([\w-]+)\((.*)\)", text).groups()
    if name == "var":
        if given.startswith("--av-"):
            return colour(re.search(rf"{given}: ([^;]+);", tokens())[1], scheme)
        key = {"--st-background-color": "backgroundColor", "--st-text-color": "textColor"}.get(given)
        return colour(THEME[scheme][key] if key else declared(given), scheme)
    if name == "light-dark":
        return colour(split(given)[SCHEMES.index(scheme)], scheme)
    assert name == "color-mix"
    space, first, second = split(given)
    assert space == "in srgb"
    second, share = second.rsplit(" ", 1)
    part = float(share.rstrip("%")) / 100
    pairs = zip(colour(first, scheme), colour(second, scheme), strict=True)
    return tuple(a * (1 - part) + b * part for a, b in pairs)


def declared(name: str, after: str = "") -> str:
    return re.search(rf"{re.escape(after)}[^}}]*?{name}: ([^;]+);", CSS)[1]


def luminance(rgb: Colour) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: Colour, b: Colour) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def test_the_ratio_is_that_of_wcag():
    assert contrast((0, 0, 0), (1, 1, 1)) == pytest.approx(21)
    assert contrast(colour("#767676", "light"), (1, 1, 1)) == pytest.approx(4.54, abs=0.01)


def test_the_outline_of_every_card_is_three_to_one_on_the_canvas():
    assert re.search(r"^\.card \{[^}]*stroke: var\(--outline\);", CSS, re.MULTILINE)
    assert "stroke-opacity" not in CSS
    for scheme in SCHEMES:
        ground = colour("var(--ground)", scheme)
        assert contrast(colour("var(--outline)", scheme), ground) >= 3, scheme


@pytest.mark.parametrize("quantity", ["", 'data-sizes="value"', 'data-sizes="elements"'])
def test_every_step_of_the_fill_is_three_to_one_on_the_canvas_and_apart_from_the_next(quantity):
    after = f".canvas[{quantity}] {{" if quantity else ".canvas {"
    for scheme in SCHEMES:
        ground = colour("var(--ground)", scheme)
        steps = [contrast(colour(declared(f"--size-{i}", after), scheme), ground) for i in range(5)]
        assert steps[0] >= 3, scheme
        assert all(b > 1.2 * a for a, b in pairwise(steps)), (scheme, steps)


def test_what_is_not_finite_is_three_to_one_too():
    for scheme in SCHEMES:
        assert contrast(colour("var(--why)", scheme), colour("var(--ground)", scheme)) >= 3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_figures_write_is_legible_in_both_themes_and_their_bars_can_be_told_from_the_page(scheme):
    """WCAG 2.2, 1.4.3 and 1.4.11: 4.5:1 for text, 3:1 for graphical objects."""
    page = colour(THEME[scheme]["backgroundColor"], scheme)
    texts = {one: contrast(colour(f"var(--av-{name})", scheme), page) for one, name in IN_THEMES.items()}
    bars = {one: contrast(colour(f"var(--av-{name})", scheme), page) for one, name in BARS.items()}
    assert min(texts.values()) >= 4.5, texts
    assert min(bars.values()) >= 3, bars
    assert min(contrast(colour(one, scheme), page) for one in IN_THEMES) >= 4  # where there is no page


def test_the_page_has_the_colours_of_that_palette_and_legends_those_of_their_bars():
    assert page_style().text.endswith(css_of_colours())
    told = cotangents_figure(trace(parse("x = -3.0\nz = x * x"))).layout.title.text
    assert [square(found) in told for found in (COTANGENT, NEGATIVE)] == [True, True]
