"""Test the bars of cotangents as HTML, against numbers worked out by hand."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from autodiff_viz.display.table_html import is_table, table_html
from autodiff_viz.display.theme import BARS, COTANGENT, IN_THEMES, NEGATIVE, STOP, enlarged, note
from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.cotangents.figure import cotangents_figure
from autodiff_viz.language.parse import parse

FORK = "x = 3.0\nt = 4.0 * x\nu = -5.0 * x\nz = t + u"  # dz/dx = 4 - 5


class Elements(HTMLParser):
    """The elements of a text: (tag, attributes), and for each its own text."""

    def __init__(self, text: str):
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.words: dict[str, list[str]] = {"av-name": [], "av-words": []}
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        self.found.append((tag, known))
        self.open.append(known.get("class"))
        if known.get("class") in self.words:
            self.words[known["class"]].append("")

    def handle_endtag(self, tag):
        self.open.pop()

    def handle_data(self, data):
        for kind in set(self.open) & set(self.words):
            self.words[kind][-1] += data

    def of(self, kind: str) -> list[dict[str, str]]:
        return [known for _, known in self.found if kind in (known.get("class") or "").split()]


def drawn(text: str) -> Elements:
    return Elements(table_html(cotangents_figure(trace(parse(text)))))


def sizes(style: str) -> dict[str, float]:
    return {name: float(size) for name, size in re.findall(r"(left|width|top|height):(-?[\d.]+)", style)}


def test_bars_stand_on_an_axis_of_all_numbers_in_the_colours_of_their_signs():
    """The longest bars are 4 and -5: with 0.06 of 9 beyond them the axis has 10.08, and zero is at 5.54."""
    bars = drawn(FORK).of("av-bar")
    places = [(sizes(bar["style"])["left"], sizes(bar["style"])["width"]) for bar in bars]
    assert places[:3] == [
        pytest.approx((100 * 4.54 / 10.08, 100 / 10.08), abs=1e-3),  # x hears -1
        pytest.approx((100 * 5.54 / 10.08, 100 * 4 / 10.08), abs=1e-3),  # from t 4
        pytest.approx((100 * 4.54 / 10.08, 100 * 5 / 10.08), abs=1e-3),  # from u -5, from 4 to -1
    ]
    colours = [re.search(r"--bar:(var\([^)]*\))", bar["style"])[1] for bar in bars[:3]]
    below, above = (f"var(--av-{BARS[one]})" for one in (NEGATIVE, COTANGENT))
    assert colours == [below, above, below]
    assert ["av-part" in bar["class"] for bar in bars] == [False, True, True, False, False, False]


def test_names_numbers_and_hover_texts_stand_in_each_row():
    found = drawn(FORK)
    assert [name.strip() for name in found.words["av-name"]] == ["x", "+ t", "+ u", "t", "u", "z"]
    assert [words.strip() for words in found.words["av-words"]] == [
        "\u22121",
        "+4",
        "\u22125",
        "1",
        "1",
        "1 seed",
    ]
    rows = [known for _, known in found.found if known.get("role") == "listitem"]
    assert rows[0]["title"] == "x\n\u22121 arrives\n+4 from t\n\u22125 from u"
    labels = [known["aria-label"] for _, known in found.found if known.get("role") == "list"]
    assert labels == ["What arrives at each node"]


def test_a_part_against_the_sum_is_hatched():
    bars = drawn("x = 1.0\nt = 2.0 * x\nu = -2.0 * x\nz = t + u").of("av-bar")
    assert ["av-against" in bar["class"] for bar in bars[:3]] == [False, False, True]


def test_lines_join_parts_with_each_other_and_with_their_sum():
    """Rows of 30, 25 and 25 px: centres at 15, 42.5 and 67.5; lines begin and end 6 px beside them."""
    joints = [sizes(joint["style"]) for joint in drawn(FORK).of("av-joint")]
    at = [100 * (5.54 + place) / 10.08 for place in (4, -1)]
    assert [joint["left"] for joint in joints] == pytest.approx(at, abs=1e-3)
    assert [(joint["top"], joint["height"]) for joint in joints] == [(36.5, 37), (9, 64.5)]


def test_ticks_are_round_numbers_and_zero_is_marked():
    ticks = drawn(FORK).of("av-tick")
    places = [sizes(tick["style"])["left"] for tick in ticks]
    assert places == pytest.approx([100 * (5.54 + at) / 10.08 for at in (-5, 0)], abs=1e-3)
    assert ["av-zero" in tick["class"] for tick in ticks] == [False, True]
    text = table_html(cotangents_figure(trace(parse("x = 0.5\nz = 1.2 * x"))))  # to 1.272, at most five
    assert re.findall(r"<b>([^<]*)</b></i>", text) == ["0", "0.5", "1"]


def test_a_logarithmic_axis_has_its_powers_of_ten():
    text = table_html(cotangents_figure(trace(parse("x = 1.0\ny = 100000.0 * x\nz = 0.01 * y"))))
    assert re.findall(r"<b>(.*?)</b></i>", text)[0] == "0"
    assert "10<sup>" in text


def test_colours_of_words_are_those_of_the_pages_theme():
    text = table_html(cotangents_figure(trace(parse("x = 3.0\nz = x * stop_gradient(sin(x))"))))
    assert f"color:var(--av-{IN_THEMES[STOP]})" in text
    assert f"color:{STOP}" not in text


def test_large_type_makes_rows_bars_and_text_larger():
    figure = cotangents_figure(trace(parse(FORK)))
    plain, large = (Elements(table_html(one)) for one in (figure, enlarged(figure)))
    for kind in ("av-bar", "av-joint"):
        pairs = zip(plain.of(kind), large.of(kind), strict=True)
        for one, other in pairs:
            assert sizes(other["style"])["height"] == pytest.approx(1.44 * sizes(one["style"])["height"])
    assert "font-size:20.16px" in large.of("av-bars")[0]["style"]


def test_what_moves_the_bars_has_a_row_for_each_and_the_ends_of_the_axis():
    found = drawn(FORK)
    moving = json.loads(found.of("av-bars")[0]["data-moving"])
    assert [place for place, *_ in moving["rows"]][:3] == ["cotangent x", "passed t:1", "passed u:1"]
    assert len(moving["rows"]) == len(found.of("av-bar"))
    assert moving["range"] == pytest.approx([-5.54, 4.54])


def test_no_name_of_a_visitor_is_read_as_html():
    figure = cotangents_figure(trace(parse(FORK)))
    figure.data[0].hovertext = ['<b>&lt;img src=x&gt;" onload</b>'] * 6
    found = Elements(table_html(figure))
    assert {tag for tag, _ in found.found} <= {"div", "span", "i", "b"}
    rows = [known for _, known in found.found if known.get("role") == "listitem"]
    assert rows[0]["title"] == '<img src=x>" onload'


def test_a_figure_in_words_is_no_table():
    assert not is_table(note("There is no node yet.", "cotangents"))
    assert is_table(cotangents_figure(trace(parse(FORK))).to_plotly_json())
