"""Test cuts on the canvas, and the panel of segments."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, saying

pytestmark = pytest.mark.shared_page


@pytest.mark.own_page  # a plot that another test has chosen stays in front
def test_k_cuts_after_a_node_and_the_segments_say_that_their_chain_is_the_gradient(lab: LabPage):
    panel = lab.page.locator(".st-key-segments_panel")
    expect(panel).to_be_hidden()
    lab.select("a")
    lab.press("k")
    expect(lab.node("a").locator(".cut-mark")).to_have_count(1)
    expect(lab.node("b")).to_have_attribute("aria-label", saying("segment 2"))
    expect(lab.formula).to_have_value(saying("a = cut(sin(x))"))
    expect(panel.get_by_text("2 pullbacks in a chain equal the whole gradient")).to_be_visible()
    expect(panel.get_by_role("button", name="three ways")).to_have_count(0)  # no parameters
    lab.tools.get_by_role("button", name="Undo: Cut after a").click()
    lab.settle()
    expect(lab.node("a").locator(".cut-mark")).to_have_count(0)
    expect(panel).to_be_hidden()
