"""Test memory and plans in the dock: the peak in words, a plan chosen by a budget, taken and undone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, saying

pytestmark = pytest.mark.shared_page

SINES = "v0 = 0.5\nv1 = sin(v0)\nv2 = sin(v1)\nv3 = sin(v2)\nv4 = sin(v3)"
WHITE = "rgb(255, 255, 255)"


@pytest.mark.nightly
def test_a_budget_chooses_a_plan_and_one_click_takes_it(lab: LabPage):
    page = lab.page
    page.set_viewport_size({"width": 1280, "height": 720})
    lab.type_formula(SINES)
    lab.choose_figure("Memory")
    words = page.locator(".st-key-figure_place [data-testid=stText]")
    expect(words).to_contain_text("the most is 4 elements, 16 bytes")
    expect(page.locator(".st-key-figure_place")).to_contain_text("XLA's memory_analysis")
    drawn = page.locator(".st-key-figure_place .js-plotly-plot")
    for unit in ("bytes", "elements"):
        drawn.locator(".updatemenu-button").click()
        expect(drawn.locator(".ytitle")).to_have_text(f"{unit} live")

    lab.choose_figure("Plans")
    take = page.get_by_role("button", name="Take this plan")
    expect(take).to_be_in_viewport(ratio=1)
    expect(take).to_be_disabled()  # within what is needed now, nothing is cheaper
    expect(take).not_to_have_css("color", WHITE)  # it has no ground of its own then
    budget = page.get_by_role("slider", name="At most so many elements live")
    budget.focus()
    budget.press("ArrowLeft")
    expect(page.get_by_text("3 elements live at a time, 3 kept, 1 value computed again")).to_be_in_viewport()
    take.click()
    expect(lab.region("block_1").first).to_be_visible()
    expect(lab.formula).to_have_value(saying('with checkpoint("block_1"):'))
    expect(take).to_be_disabled()  # it is the present one
    page.get_by_role("button", name="Undo: Take plan").click()
    lab.settle()
    expect(lab.region("block_1")).to_have_count(0)
    lab.choose_figure("Cotangents")
