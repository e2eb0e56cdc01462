"""Test the small picture of a graph: what is in it, and that no number of a trace is."""

from __future__ import annotations

import re

from autodiff_viz.asking.question import Quantity
from autodiff_viz.canvas.sketch import (
    ASKED_COTANGENT,
    ASKED_VALUE,
    BAR,
    CARD,
    CUT_LINE,
    INPUT_CARD,
    LEAST,
    OUTPUT_CARD,
    REGION,
    RULED,
    SIZE,
    STOPPED,
    Box,
    Curve,
    Sketch,
    Word,
    sketch,
    svg,
)
from autodiff_viz.language.parse import parse

STOPS = "x = 30.5\ny = x * stop_gradient(sin(x))\nz = rewrite(y, lambda v: 0.25 * v)\nw = 2.0 * z + x"
CHAIN = "x = 1.0\n" + "\n".join(f"y{i} = sin({f'y{i - 1}' if i else 'x'})" for i in range(40))
LAYERS = """x = [[1.0, 2.0]]
W = parameter(shape=(2, 3))
b = parameter(shape=(3,))
with group("head"):
    h = relu(dense(x, W, b))
    V = parameter(shape=(3, 1))
    c = parameter(shape=(1,))
    y = dense(h, V, c)
loss = mean(square(y - 1.0))
"""


def looks(drawn: Sketch) -> list[str]:
    return [shape.look for shape in drawn.shapes if isinstance(shape, Box)]


def words(drawn: Sketch) -> set[str]:
    return {shape.text for shape in drawn.shapes if isinstance(shape, Word)}


def test_a_card_has_its_symbol_its_short_constant_and_its_rule():
    drawn = sketch(parse(STOPS))
    assert words(drawn) == {"x", "sin", "×", "rewrite", "2 ×", "+"}
    assert sorted(looks(drawn)) == sorted([INPUT_CARD, STOPPED, BAR, CARD, RULED, CARD, OUTPUT_CARD])
    assert not drawn.cropped


def test_a_stop_of_an_input_is_no_second_input():
    assert words(sketch(parse("x = 3.0\ny = x * stop_gradient(x)"))) == {"x", "stop", "×"}


def test_no_value_of_an_input_is_in_the_picture():
    text = re.sub(r'[a-z-]+="[^"]*"', "", svg(sketch(parse(STOPS))))
    assert "30.5" not in text
    assert "0.25" not in text


def test_regions_and_cuts_are_drawn():
    graph = parse('x = 1.0\nwith checkpoint("r"):\n    a = sin(x)\nb = cut(exp(a))\nc = b * b')
    assert {REGION, CUT_LINE} <= {*looks(sketch(graph))}


def test_what_is_asked_for_has_a_mark_in_the_colour_of_its_number_and_a_count_has_none():
    graph = parse("x = 3.0\na = 2.0 * x\nb = square(x)\nz = a + b")

    def marks(*asked: Quantity) -> list[str]:
        drawn = sketch(graph, asked=asked)
        return [shape.look for shape in drawn.shapes if isinstance(shape, Word) and shape.text == "?"]

    assert marks() == []
    assert marks(Quantity("cotangent", "x")) == [ASKED_COTANGENT]
    assert marks(Quantity("value", "z")) == [ASKED_VALUE]
    assert marks(Quantity("passed", "a", 1), Quantity("passed", "b", 0)) == [ASKED_COTANGENT] * 2
    assert marks(Quantity("kept", "z"), Quantity("cotangent", "gone")) == []


def test_of_a_network_parameters_of_one_layer_are_left_out_and_a_collapsed_group_is_one_card():
    graph = parse(LAYERS)
    assert {"W", "b", "V", "c"}.isdisjoint(words(sketch(graph)))
    folded = sketch(graph, collapsed=("head",))
    assert "head" in words(folded)
    assert "relu" not in words(folded)


def test_a_large_graph_is_cropped_to_what_can_be_read_around_its_focus():
    graph = parse(CHAIN)
    drawn = sketch(graph, "y20")
    left, _, wide, _ = drawn.view
    assert drawn.cropped
    assert wide == SIZE[0] / LEAST
    cards = [shape for shape in drawn.shapes if isinstance(shape, Box)]
    assert 0 < len(cards) < 12
    assert all(left - 200 < card.x < left + wide + 200 for card in cards)


def test_every_wire_ends_where_its_card_begins():
    """Also one that comes back to another row."""
    drawn = sketch(parse("\n".join(CHAIN.split("\n")[:10])))
    lefts = {round(shape.x) for shape in drawn.shapes if isinstance(shape, Box)}
    ends = {round(shape.parts[-1][2][0]) for shape in drawn.shapes if isinstance(shape, Curve)}
    assert ends <= lefts


def test_text_of_a_graph_cannot_end_an_element():
    drawn = Sketch((Word(0, 0, "<script>", 29),), (0, 0, 10, 10))
    assert "&lt;script&gt;" in svg(drawn)
