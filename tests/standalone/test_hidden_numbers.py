"""Test that a figure whose numbers are hidden has a file, and that none of them is in it before an answer."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from collections.abc import Iterator

import pytest

import autodiff_viz as av
from autodiff_viz.asking.question import COTANGENT, HIDES, NUMBER, PASSED, VALUE
from tests.standalone.test_figure_file import held, states
from tests.ui.test_nothing_hidden_is_sent import spellings

FORMULA = """x = 17.0
w = 41.0
a = x * 1009.0
b = a * w
p = b * 23.0
s = square(a)
z = p + s"""
ABOUT = {
    VALUE: av.Quantity(VALUE, "b"),
    COTANGENT: av.Quantity(COTANGENT, "x"),
    PASSED: av.Quantity(PASSED, "s", 0),
}
OTHER = FORMULA.replace("23.0", "29.0")
CELL = re.compile(r'<tr><th scope="row">(\w+)</th><td>([^<]*)</td><td>([^<]*)</td></tr>')


def hidden_numbers(of: str, hides: str) -> list[float]:
    """The numbers that must not be told, by the words on `HIDES`, worked out by hand."""
    a, b = 17 * 1009, 17 * 1009 * 41
    arrives = {"a": 41 * 23 + 2 * a, "w": a * 23}
    asked = {VALUE: b, COTANGENT: arrives["a"] * 1009, PASSED: 2 * a}
    numbers = [asked[of]]
    if hides in ("values", "cotangents"):
        numbers += [*arrives.values(), asked[COTANGENT], asked[PASSED]]
    if hides == "values":
        numbers += [a, b, b * 23, a * a, b * 23 + a * a]
    return numbers


def secrets(of: str, hides: str) -> set[str]:
    """The ways in which a file may write them."""
    return {text for each in hidden_numbers(of, hides) for text in spellings(each)}


def step(of: str, hides: str, **more) -> av.Step:
    return av.Step(
        "S", FORMULA, questions=(av.Question(NUMBER, ABOUT[of]),), hides=hides, dtype="float64", **more
    )


def told(file: str) -> Iterator[str]:
    """All texts of a file that can be read before an answer."""
    yield re.sub(r'"packed":"[^"]*"', "", file)
    for state in states(file):
        yield json.dumps({**state, "hidden": ""}, ensure_ascii=False)


def found_in(text: str, asked: set[str]) -> list[str]:
    """Those of these numbers that a text has, also as 703273.0."""
    return [each for each in asked if re.search(rf"(?<![\d.]){re.escape(each)}(?!\d|\.\d*[1-9])", text)]


@pytest.mark.every
@pytest.mark.parametrize("hides", HIDES)
@pytest.mark.parametrize("of", ABOUT)
def test_a_tour_that_hides_numbers_has_a_file_without_them(of, hides):
    file = av.to_html(av.Tour(title="T", steps=(step(of, hides),)), check=False)
    assert [found_in(text, secrets(of, hides)) for text in told(file)] == [[]] * 2
    # What judges the answer, and what is on view after it, is in a packed text of its own.
    (state,) = states(file)
    judged = json.loads(zlib.decompress(b64decode(state["hidden"])))
    assert judged["tables"][0]["answer"]["text"]
    nodes = {node["id"]: node for node in judged["after"][-1]["drawing"]["nodes"]}
    assert nodes["b"]["value"] == 17 * 1009 * 41
    assert found_in(json.dumps(judged["after"][-1]), secrets(of, hides))


@pytest.mark.every
@pytest.mark.parametrize("hides", HIDES)
def test_so_has_one_of_several_steps_and_one_with_a_graph_beside_it(hides):
    steps = (step(VALUE, hides), step(COTANGENT, hides, pinned=OTHER), av.Step("Other", "x = 2.0\ny = x * x"))
    file = av.to_html(av.Tour(title="T", steps=steps), check=False)
    first, second, *_ = states(file)
    for state, of in ((first, VALUE), (second, COTANGENT)):
        assert found_in(json.dumps({**state, "hidden": ""}, ensure_ascii=False), secrets(of, hides)) == []
    assert "twin" not in second


@pytest.mark.every
@pytest.mark.parametrize("hides", HIDES)
def test_a_step_may_hide_numbers_and_ask_nothing(hides):
    file = av.to_html(av.Tour(title="T", steps=(av.Step("S", FORMULA, hides=hides),)), check=False)
    assert len(states(file)) == 1
    assert held(file)["first"]["drawing"]["nodes"]


@pytest.mark.every
def test_on_paper_a_hidden_number_is_a_question_mark_and_one_that_there_is_not_a_dash():
    text = "x = 3.0\na = sin(x)\nlone = x * 2.0\ny = a * 5.0\nreturn y"
    question = av.Question(NUMBER, av.Quantity(VALUE, "a"))
    file = av.to_html(
        av.Tour(title="T", steps=(av.Step("S", text, questions=(question,), hides="asked"),)), check=False
    )
    rows = {name: cells for name, *cells in CELL.findall(file)}
    assert rows["a"][0] == "?"
    assert rows["x"][0] == "3"
    assert rows["y"][1] == "1"
    file = av.to_html(
        av.Tour(title="T", steps=(av.Step("S", text, questions=(question,), hides="values"),)), check=False
    )
    rows = {name: cells for name, *cells in CELL.findall(file)}
    assert rows["x"] == ["3", "?"]
    assert rows["y"] == ["?", "?"]
