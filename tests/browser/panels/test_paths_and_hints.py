"""Test that a path of the list highlights its wires on the canvas, and that a hint mends with one click."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, place

pytestmark = pytest.mark.shared_page


def test_paths_are_listed_with_their_factors_and_light_up_by_pointer_and_by_keys(lab: LabPage):
    page = lab.page
    page.set_viewport_size({"width": 1280, "height": 720})
    lab.type_formula("w = 0.5\nh0 = 1.0\nh1 = w * h0\nh2 = w * h1\nh3 = w * h2")
    lab.select("w")
    page.get_by_role("tab", name="Paths").click()
    rows = page.locator(".paths li button")
    sums = ["0.25", "0.5 × 0.5 = 0.25", "1 × 0.5 × 0.5 = 0.25"]
    expect(rows.locator(".sum")).to_have_text(sums)
    expect(page.get_by_text("0.75 arrives at w, the sum over 3 paths to h3.")).to_be_in_viewport()
    expect(page.locator(".st-key-part_figure .sankey-link")).to_have_count(5)
    lit = page.locator(".canvas.on-paths .wire.along[data-wire]")
    slider = lab.page.get_by_role("slider", name="Slider of w")
    x, y, width, height = place(slider)
    page.mouse.move(x + width / 2, y + height / 2)
    page.mouse.down()
    page.mouse.move(x + 0.7 * width, y + height / 2, steps=3)
    expect(page.locator(".paths")).to_have_class(re.compile(r"\bstale\b"))  # of the number before
    page.keyboard.press("Escape")
    page.mouse.up()
    lab.settle()
    lab.button("Undo")
    expect(page.locator(".paths")).not_to_have_class(re.compile(r"\bstale\b"))
    expect(rows.locator(".sum")).to_have_text(sums)
    rows.nth(1).hover()
    expect(lit).to_have_count(2)
    rows.nth(0).focus()
    expect(lit).to_have_count(1)
    page.keyboard.press("End")
    expect(rows.nth(2)).to_be_focused()
    expect(lit).to_have_count(3)
    expect(rows.nth(2)).to_have_accessible_name(re.compile("^w, h1, h2, h3: 1 × 0.5 × 0.5 = 0.25. "))
    page.keyboard.press("Enter")
    expect(rows.nth(2)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Enter")
    lab.canvas.locator(".surface").focus()
    expect(lit).to_have_count(0)
    lab.select("h2")
    expect(rows.locator(".sum")).to_have_text(["0.5"])
    page.get_by_role("tab", name="Cotangents").click()
    expect(page.locator(".paths")).to_be_hidden()


def test_a_hint_is_folded_until_it_is_asked_for_and_mends_with_one_click(lab: LabPage):
    page = lab.page
    lab.deselect()
    lab.type_formula("x = 0.0\ny = maximum(x, 0.0) + log1p(exp(-abs(x)))")
    expect(lab.cotangent("x")).to_have_text("0")
    button = page.get_by_role("button", name="1 hint")
    expect(button).to_be_visible()
    panel = page.get_by_role("group", name="Hints")
    expect(panel).to_be_hidden()
    place = lab.formula.bounding_box()
    button.click()
    expect(panel).to_contain_text("The slope of y by x is 0.5 on both sides, and JAX has 0")
    assert lab.formula.bounding_box() == place
    panel.get_by_role("button", name="abs_1").click()
    lab.settle()
    expect(lab.node("abs_1")).to_have_class(re.compile(r"\bselected\b"))
    panel.get_by_role("button", name="Mend: write y as softplus(x)").click()
    lab.settle()
    expect(lab.cotangent("x")).to_have_text("0.5")
    expect(button).to_be_hidden()
    expect(panel).to_be_hidden()
