"""Test groups of branches with the pointer."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, four_digits, saying

pytestmark = pytest.mark.shared_page(plots=False)

TEXT = """x = 0.5
with branches("gate"):
    with group("gate_1"):
        w_1 = parameter(2.0)
        a_1 = w_1 * x
y = a_1 * 3.0
"""


@pytest.mark.nightly
def test_branches_come_and_go_by_pointer_and_keys_and_one_is_trained_alone(lab: LabPage):
    lab.type_formula(TEXT)
    lab.button("Fit to view")
    tab = lab.canvas.locator('[data-region="gate"] .tab')
    expect(tab).to_have_attribute("aria-label", saying("Group of 1 branches gate"))
    lab.page.context.set_offline(True)  # Python cannot have answered
    more = tab.locator(".more-of .target")
    more.click()
    more.click()
    expect(tab.locator(".amount text")).to_have_text("k = 3")
    lab.page.context.set_offline(False)
    lab.settle()
    expect(lab.node("a_3")).to_be_attached()
    expect(lab.value("y")).to_have_text(four_digits(3 * 3 * 2.0 * 0.5))  # y = 3 k w x
    expect(lab.cotangent("x")).to_have_text(four_digits(3 * 3 * 2.0))
    lab.deselect()
    lab.press("[")
    expect(lab.node("a_3")).to_have_count(0)
    expect(lab.cotangent("x")).to_have_text(four_digits(3 * 2 * 2.0))
    tab.locator(".opener").click()
    lab.settle()
    card = lab.node("group:gate")
    expect(card.locator(".amount text")).to_have_text("k = 2")
    expect(lab.canvas.get_by_role("listitem").filter(has_text="collapsed group of 2 branches")).to_have_count(
        1
    )
    lab.press("Shift+B")
    lab.canvas.get_by_label("Train").select_option("gate_2")
    lab.settle()
    expect(lab.formula).to_have_value(saying("w_1 = stop_gradient(parameter(2.0))"))
    lab.page.keyboard.press("Escape")
    lab.press("Control+z")
    lab.press("Control+z")
    expect(card.locator(".amount text")).to_have_text("k = 3")
