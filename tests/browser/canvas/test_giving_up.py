"""Test that Escape cancels a gesture: the graph is as it was, and the release does nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, middle

pytestmark = pytest.mark.shared_page(plots=False)

GRAPH = "a = 1.0\nb = 2.0\nc = a * b\nd = sin(c)\nreturn d"


@pytest.fixture
def lab(lab: LabPage) -> LabPage:
    lab.type_formula(GRAPH)
    lab.deselect()
    return lab


def give_up(lab: LabPage, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Press, move, Escape, and only then let go, somewhere else."""
    mouse = lab.page.mouse
    mouse.move(*start)
    mouse.down()
    mouse.move(*end, steps=5)
    lab.page.keyboard.press("Escape")
    mouse.move(end[0] + 30, end[1] + 30, steps=3)
    mouse.up()
    lab.settle()


def test_escape_puts_a_dragged_node_back(lab: LabPage):
    before, formula = {name: lab.place(name) for name in lab.names()}, lab.formula.input_value()
    x, y = middle(lab.node("c").locator(".card"))
    give_up(lab, (x, y + 20), (x + 60, y + 90))
    assert {name: lab.place(name) for name in lab.names()} == before
    assert lab.formula.input_value() == formula


def test_escape_lets_go_of_a_wire(lab: LabPage):
    wires = lab.canvas.locator("[data-wire]")
    before = set(wires.evaluate_all("all => all.map((wire) => wire.dataset.wire)"))
    give_up(lab, middle(lab.out_port("a")), middle(lab.slot_port("d", 0)))
    assert set(wires.evaluate_all("all => all.map((wire) => wire.dataset.wire)")) == before
    expect(lab.canvas.locator(".preview")).to_have_count(0)
    expect(lab.canvas.locator(".popover")).to_have_count(0)


def test_escape_ends_a_box_with_nothing_selected(lab: LabPage):
    box = lab.canvas.bounding_box()
    lab.page.keyboard.down("Shift")
    give_up(
        lab, (box["x"] + 12, box["y"] + 70), (box["x"] + box["width"] - 40, box["y"] + box["height"] - 90)
    )
    lab.page.keyboard.up("Shift")
    expect(lab.canvas.locator(".frame")).to_have_count(0)
    expect(lab.canvas.locator(".node.selected")).to_have_count(0)
