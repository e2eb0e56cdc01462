"""What the canvas sends to the browser."""

import re

from autodiff_viz.graph import limits
from autodiff_viz.ui.lab.bundle import WEB
from autodiff_viz.views.cards import HEIGHT, WIDTH
from autodiff_viz.views.lean import lean


def test_fields_that_hold_nothing_do_not_travel():
    assert lean(
        {"problem": None, "isInput": False, "ruleText": "", "via": [], "slots": [{"wired": False}]}
    ) == {"slots": [{}]}


def test_zero_is_not_nothing():
    assert lean({"slot": 0, "sign": 0, "width": 0.0}) == {"slot": 0, "sign": 0, "width": 0.0}


def test_a_full_text_travels_only_where_it_says_more():
    assert lean({"value": "10", "valueFull": "10"}) == {"value": "10"}
    assert lean({"value": "0.7", "valueFull": "0.70404"}) == {"value": "0.7", "valueFull": "0.70404"}


def test_what_is_usual_does_not_travel():
    node = {"id": "follow", "op": "sin", "symbol": "sin", "rule": "follow", "connected": True}
    assert lean(node) == {"id": "follow", "op": "sin"}


def test_what_is_unusual_travels():
    node = {"id": "x", "op": "mul", "symbol": "\u00d7", "rule": "stop", "connected": False, "h": 110}
    assert lean(node) == node


def test_the_browser_and_python_agree_on_the_size_of_a_card():
    (found,) = re.findall(r"CARD = \{ w: (\d+), h: (\d+) \}", (WEB / "editor/web/geometry.js").read_text())
    assert tuple(map(int, found)) == (WIDTH, HEIGHT)


def test_the_browser_and_python_agree_on_the_size_of_a_document():
    (found,) = re.findall(r"MOST_TEXT = (\d+)", (WEB / "editor/web/paper.js").read_text())
    assert int(found) == limits.JSON
