"""Test that what opens over the page closes in the same ways, and that a rule is taken off by its button."""

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab_page import LabPage

pytestmark = pytest.mark.shared_page(plots=False)

EMPTY = (1000, 940)  # in a window of 1400 x 1000: in the column beside the canvas, below everything
OPENERS = ("Ask", "View: type", "History", "Files", "Details")


def opened(lab: LabPage, name: str) -> tuple[Locator, Locator]:
    """The button of that name, and what it opens."""
    button = lab.page.get_by_role("button", name=name).first
    return button, lab.page.locator(".checks .table" if name == "Details" else ".canvas .popover").first


@pytest.mark.parametrize("name", OPENERS)
def test_escape_a_press_outside_and_the_same_button_close_what_is_open(lab: LabPage, name: str):
    button, panel = opened(lab, name)
    for close in (
        lambda: lab.page.keyboard.press("Escape"),
        lambda: lab.page.mouse.click(*EMPTY),
        button.click,
    ):
        button.click()
        expect(panel).to_be_visible()
        close()
        expect(panel).to_be_hidden()


def test_a_rule_that_is_on_is_taken_off_by_its_own_button(lab: LabPage):
    lab.select("exp_1")
    stop = lab.page.locator(".rules [data-kind=stop]")
    expect(stop).to_have_attribute("aria-pressed", "true")
    stop.click()
    lab.settle()
    assert "stop_gradient" not in lab.formula.input_value()
    stop.click()
    lab.settle()
    assert "stop_gradient" in lab.formula.input_value()


def test_escape_after_a_click_on_nothing_draws_no_frame_round_the_page(lab: LabPage):
    lab.page.mouse.click(*EMPTY)
    lab.page.keyboard.press("Escape")
    main = lab.page.get_by_test_id("stMain")
    expect(main).to_have_css("outline-style", "none")
    expect(main).to_have_css("box-shadow", "none")


def test_what_the_panel_has_with_words_is_no_icon_above_the_canvas_too(lab: LabPage):
    icons = lab.page.locator(".bar.top .tool:visible")
    lab.select("exp_1")
    expect(lab.page.locator(".bar.top .what")).to_have_text("exp_1")
    kinds = lab.page.locator(".rules button").evaluate_all("all => all.map(({ dataset }) => dataset.kind)")
    assert "stop" in kinds
    assert [kind for kind in kinds if lab.page.locator(f".bar.top .tool.{kind}:visible").count()] == []
    alone = icons.count()
    lab.press("Control+a")  # of several nodes the panel has no rules
    expect(lab.page.locator(".bar.top .tool.stop")).to_be_visible()
    assert icons.count() > alone
