"""Test a tour by gesture: states added, worded, ordered, shared, saved, and found again after a reload."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from autodiff_viz.lessons.codec import read_tour
from tests.browser.lab_page import LabPage, middle
from tests.browser.page.test_axe import faults

pytestmark = [pytest.mark.own_page, pytest.mark.shared_page(plots=False)]


def panel(lab: LabPage) -> Locator:
    return lab.page.get_by_role("region", name="Tour")


def names(lab: LabPage) -> list[str]:
    """The titles in the list, that of the step on view from its field."""
    rows = panel(lab).locator(".step .line")
    return [
        row.locator("input").input_value()
        if row.locator("input").count()
        else row.locator(".name").inner_text()
        for row in rows.all()
    ]


def do(lab: LabPage, name: str) -> None:
    panel(lab).get_by_role("button", name=name, exact=True).click()
    lab.settle()


def write(lab: LabPage, label: str, text: str) -> None:
    panel(lab).get_by_label(label).fill(text)
    panel(lab).get_by_label(label).blur()
    lab.settle()


def test_a_tour_from_the_first_state_to_its_link(lab: LabPage, context: BrowserContext, address: str):
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    page = lab.page
    lab.tools.get_by_role("button", name="Files, pictures and links").click()
    lab.canvas.get_by_role("menuitem", name="Tour").click()
    expect(panel(lab)).to_contain_text("A tour is a list of steps")

    # Two states with words.
    do(lab, "Add this state")
    write(lab, "Title of the tour", "Two ways")
    write(lab, "Title of the step", "Free")
    write(lab, "Caption", "What arrives at `x`?")
    lab.select("b")
    lab.press("s")
    page.get_by_role("tab", name="Tour", exact=True).click()
    do(lab, "Add this state")
    write(lab, "Title of the step", "Stopped")
    write(lab, "Notes to speak from; they go with the link", "Wait.")
    assert names(lab) == ["Free", "Stopped"]
    assert faults(page) == []

    # Order: by button, by key, by hand; each is taken back by undo.
    do(lab, "Up: step 2")
    assert names(lab) == ["Stopped", "Free"]
    page.keyboard.press("Control+z")
    lab.settle()
    assert names(lab) == ["Free", "Stopped"]
    panel(lab).get_by_role("button", name="Free").focus()
    page.keyboard.press("Alt+ArrowDown")
    lab.settle()
    assert names(lab) == ["Stopped", "Free"]
    expect(panel(lab).get_by_role("button", name="Free")).to_be_focused()
    grips = panel(lab).locator(".grip")
    x, y = middle(grips.nth(1))
    lab.move_mouse((x, y), (x, middle(grips.nth(0))[1] - 12))
    lab.settle()
    assert names(lab) == ["Free", "Stopped"]

    # A step opens as it was, and is restarted once it has been changed.
    do(lab, "Free")
    expect(lab.formula).not_to_have_value(re.compile("stop_gradient.a"))
    expect(panel(lab).locator(".place")).to_have_text("Tour, 1 of 2")
    lab.select("b")
    lab.press("r")
    page.get_by_role("tab", name="Tour", exact=True).click()
    do(lab, "Restart the step")
    expect(panel(lab).get_by_role("button", name="Restart the step")).to_have_count(0)

    # Words just typed outlive a reload, and so does undo.
    panel(lab).get_by_label("Caption").fill("What arrives?")
    page.reload()
    lab.canvas.wait_for()
    lab.settle()
    expect(panel(lab).get_by_role("heading")).to_have_text("Free")
    expect(panel(lab)).to_contain_text("What arrives?")
    lab.button("Undo")
    expect(panel(lab)).to_contain_text("What arrives at x?")
    lab.button("Redo")

    # A file, and a link that another visitor reads.
    do(lab, "Edit")
    with page.expect_download() as saved:
        do(lab, "Save as JSON")
    tour = read_tour(Path(saved.value.path()).read_text("utf-8"))
    assert (tour.title, [step.title for step in tour.steps]) == ("Two ways", ["Free", "Stopped"])
    assert tour.steps[1].notes == "Wait."
    do(lab, "Copy the link")
    link = page.evaluate("navigator.clipboard.readText()")
    do(lab, "Close")
    expect(panel(lab).locator("*")).to_have_count(0)
    page.goto(link)
    lab.canvas.wait_for()
    lab.settle()
    expect(panel(lab).locator(".place")).to_have_text("Tour, 1 of 2")
    expect(panel(lab)).to_contain_text("What arrives?")
    expect(panel(lab)).not_to_contain_text("Wait.")
    do(lab, "Next: Stopped")
    expect(panel(lab).get_by_role("heading")).to_have_text("Stopped")
    expect(lab.node("b").locator(".chip, .mark").first).to_be_visible()
    assert faults(page) == []
