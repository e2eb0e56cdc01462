"""Test the list of steps on the canvas."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage

pytestmark = pytest.mark.shared_page(plots=False)


def test_every_step_is_listed_and_a_click_leads_there(lab: LabPage):
    lab.select("a")
    lab.press("s")
    lab.press("Delete")
    lab.type_formula("x = 2.0\ny = sin(x)")
    lab.canvas.locator(".surface").focus()
    lab.press("h")
    steps = lab.canvas.locator(".step span:not(.mark)")
    expect(steps).to_have_text(["Edit the formula", "Delete a", "Stop gradient at a", "Start"])
    expect(lab.canvas.locator("[aria-current]")).to_contain_text("Edit the formula")
    lab.tools.get_by_role("button", name="Stop gradient at a").click()
    lab.settle()
    assert "a" in lab.names()
    expect(lab.node("a").locator(".chip.stop")).to_be_visible()
    expect(lab.canvas.locator("[aria-current]")).to_contain_text("Stop gradient at a")
    expect(steps).to_have_count(4)  # the steps after it stay, to go back to
    lab.page.keyboard.press("ArrowUp")
    lab.page.keyboard.press("Enter")
    lab.settle()
    assert "a" not in lab.names()


def test_undo_and_redo_say_what_they_did(lab: LabPage):
    lab.select("a")
    lab.press("s")
    status = lab.canvas.get_by_role("status")
    lab.press("Control+z")
    expect(status).to_have_text("Undone: Stop gradient at a")
    lab.press("Control+Shift+z")
    expect(status).to_have_text("Done again: Stop gradient at a")
    lab.press("Control+Shift+z")
    expect(status).to_have_text("Nothing to redo.")
