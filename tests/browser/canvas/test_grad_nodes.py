"""Test a grad node on the canvas: typed, read in the panel, undone, kept in the link, and made by a key."""

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, saying

pytestmark = pytest.mark.shared_page(plots=False)

# g = 2 x theta = 6 and loss = g^2: 12 arrives at g; it passes 12 * 2 x = 36 to theta, 12 * 2 theta = 48 to x
TYPED = "theta = 2.0\nx = 1.5\ninner = x * square(theta)\ng = grad(inner, theta)\nloss = square(g)"


def test_a_gradient_is_typed_read_undone_and_linked(lab: LabPage):
    lab.type_formula(TYPED)
    expect(lab.value("g")).to_have_text("6")
    lab.select("g")
    panel = lab.page.locator(".inspector")
    expect(panel).to_contain_text(
        "It runs square_1 and inner again, forward and backward, and reads theta and x"
    )
    rows = panel.locator(".wires li")
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("nothing: g runs it again")
    expect(rows.nth(1)).to_contain_text("3 × 12 = 36")
    expect(rows.nth(2)).to_contain_text("4 × 12 = 48")
    expect(rows.nth(2)).to_contain_text("To x (also read)")
    expect(lab.canvas.locator(".reads .read")).to_have_count(1)  # from x

    lab.reload()
    expect(lab.value("g")).to_have_text("6")

    lab.select("inner")
    lab.press("d")
    chooser = lab.page.get_by_role("dialog", name="Differentiate inner by")
    expect(chooser.get_by_role("button")).to_have_count(3)
    chooser.get_by_role("button", name=saying("theta")).click()
    lab.settle()
    expect(lab.value("grad_1")).to_have_text("6")
    expect(lab.formula).to_have_value(saying("grad(inner, theta)"))
    expect(lab.canvas.locator(".reads .read")).to_have_count(1)
    lab.press("Control+z")
    expect(lab.node("grad_1")).to_have_count(0)
