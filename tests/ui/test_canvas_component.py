"""What Python and the browser both know of the canvas."""

import re

from autodiff_viz.graph import limits
from autodiff_viz.ui.lab.bundle import WEB
from autodiff_viz.views.cards import HEIGHT, WIDTH


def test_the_browser_and_python_agree_on_the_size_of_a_card():
    (found,) = re.findall(r"CARD = \{ w: (\d+), h: (\d+) \}", (WEB / "editor/web/geometry.js").read_text())
    assert tuple(map(int, found)) == (WIDTH, HEIGHT)


def test_the_browser_and_python_agree_on_the_size_of_a_document():
    (found,) = re.findall(r"MOST_TEXT = (\d+)", (WEB / "editor/web/paper.js").read_text())
    assert int(found) == limits.JSON
