"""Test the canvas's picture as SVG, as notebooks show a graph."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import autodiff_viz as av
from autodiff_viz.canvas.svg import picture, svg_of
from autodiff_viz.graph.model import Graph, Node, params

SVG = "{http://www.w3.org/2000/svg}"
TEXT = """x = 0.5
w = parameter(2.0)
with checkpoint("block"):
    a = stop_gradient(x * w)
with group("head"):
    z = rewrite(a, lambda v: -v) + x
"""


def drawn(thing) -> ElementTree.Element:
    return ElementTree.fromstring(picture(thing))


def words(root: ElementTree.Element) -> list[str]:
    return [text.text for text in root.iter(f"{SVG}text") if text.text]


@pytest.mark.parametrize("thing", [av.parse(TEXT), av.trace(av.parse(TEXT))], ids=["graph", "trace"])
def test_a_picture_has_every_node_with_its_numbers_and_rules(thing):
    root = drawn(thing)
    assert root.tag == f"{SVG}svg"
    found = words(root)
    assert {"x", "w", "a", "z", "block", "stop", "output"} <= set(found)
    assert ("head" in found) == isinstance(thing, av.Graph)  # a trace has no groups
    assert {"0.5", "2", "1", "1.5"} <= set(found)  # x, w, a = x w, z = a + x
    cards = [each for each in root.iter(f"{SVG}g") if each.get("data-id")]
    assert [card.get("data-id") for card in cards] == ["x", "w", "a", "rewrite_1", "z"]
    assert len([path for path in root.iter(f"{SVG}path") if path.get("data-wire")]) == 5


def test_the_numbers_are_those_of_the_trace_and_not_the_graphs_own():
    found = words(drawn(av.trace(av.parse("x = 2.0\ny = x * x"), {"x": 3.0})))
    assert {"3", "9", "6"} <= set(found)  # x, x^2, 2 x


def test_a_graph_that_cannot_be_evaluated_is_drawn_without_numbers():
    root = drawn(av.parse("x = 2.0\ny = x * ...\nz = y + x"))
    assert {"x", "y", "z"} <= set(words(root))


def test_an_empty_graph_is_left_to_its_text():
    assert picture(av.Graph()) is None


def test_a_tensor_has_a_cell_for_each_element():
    root = drawn(av.parse("x = [[1.0, -2.0, 3.0], [0.5, 0.0, 1.0]]\ny = sum(x)"))
    (card,) = [each for each in root.iter(f"{SVG}g") if each.get("data-id") == "x"]
    (cells,) = [each for each in card.iter(f"{SVG}g") if each.get("class") == "cells value"]
    shades = [path.get("d").count("z") for path in cells]
    assert sorted(shades) == [1, 1, 1, 2]  # -2, 3, 0.5 and two of 1; the 0 is left out


def test_a_large_tensor_takes_few_letters():
    """Pages of lessons have thousands of cells, and a page of the site has at most 400 kB."""
    small, large = (
        len(svg_of(graph, av.trace(graph)))
        for graph in (av.parse(f"x = input(shape=({n}, {n}), seed=0)\ny = sum(x)") for n in (3, 12))
    )
    assert large - small < 2 * (144 - 9) * 40  # value and cotangent


def test_no_text_of_the_user_becomes_markup():
    wicked = '<script>alert("1")</script>&'
    graph = Graph((Node(wicked, "input", (), params(value=1.0)), Node("y", wicked, (wicked,))), (), "y")
    text = svg_of(graph, None)
    root = ElementTree.fromstring(text)
    assert wicked in {text for each in root.iter() for text in (each.text, each.get("data-id"))}
    assert re.search(r"<script|<style|href|\son\w+=", text) is None


def test_the_picture_has_all_cards_inside_it():
    root = drawn(av.parse(TEXT))
    left, top, width, height = map(float, root.get("viewBox").split())
    for card in root.iter(f"{SVG}g"):
        if card.get("data-id"):
            x, y = map(float, re.findall(r"-?[\d.]+", card.get("transform")))
            assert left <= x <= left + width - 128
            assert top <= y <= top + height - 80
