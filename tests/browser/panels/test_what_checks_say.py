"""Test that claims, derivatives and differences in the browser are about the graph on the canvas."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from autodiff_viz.graph.link import to_link
from autodiff_viz.language.parse import parse
from tests.browser.lab_page import FOLDED, LabPage
from tests.own_lesson import KEY


def claim(page: Page, says: str):
    return page.locator(".av-claims li").filter(has_text=says)


def test_ticks_follow_the_canvas_through_a_stop_and_back(page: Page, address: str):
    lab = LabPage(page, address).open(f"?lesson={KEY}&variant=1" + FOLDED)
    page.locator(".st-key-open_claims summary").click()
    arrives = claim(page, "What arrives at x")
    expect(arrives.get_by_role("img", name="holds")).to_be_visible()
    expect(arrives).to_contain_text("expected 6, exactly")
    lab.select("y")
    lab.press("s")
    page.get_by_role("tab", name="Lesson", exact=True).click()
    expect(arrives).to_contain_text("now 0")
    # The claim is about the lesson's own graph, where it holds all the same.
    expect(arrives.get_by_role("img", name="holds")).to_be_visible()
    lab.button("Undo")
    expect(arrives.get_by_role("img", name="holds")).to_be_visible()
    expect(arrives).not_to_contain_text("now")


@pytest.mark.nightly
def test_a_wrong_derivative_stands_on_its_node_and_in_the_inspector(page: Page, address: str):
    lab = LabPage(page, address).open("?lesson=declare-derivative" + FOLDED)
    expect(lab.node("y").locator(".chip.state")).to_have_count(0)  # before the answer
    page.get_by_role("region", name="Question").get_by_role("textbox").fill("3")
    page.keyboard.press("Enter")
    expect(lab.node("y").locator(".chip.state")).to_have_text("declared 3, true 20.1")
    page.get_by_role("tab", name="Node, sliders", exact=True).click()
    expect(page.locator(".st-key-inspector").get_by_text("declared 3, true 20.0855")).to_be_visible()
    page.get_by_role("tab", name="Left to JAX").click()
    expect(lab.node("y").locator(".chip.state")).to_have_count(0)


def test_the_details_name_the_corner(page: Page, address: str):
    graph = parse("x = 0.0\ny = maximum(x, 0.0) + log1p(exp(-abs(x)))")
    LabPage(page, address).open("?" + urlencode({"g": to_link(graph)}) + FOLDED)
    page.get_by_role("button", name="Details").click()
    expect(page.get_by_role("row").filter(has_text="corner at abs_1")).to_contain_text("0.5")
    expect(page.get_by_text("Corner: slope or value jump there.")).to_be_visible()
    expect(page.get_by_text("A rule", exact=False)).to_have_count(0)
