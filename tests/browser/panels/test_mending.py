"""Test that the page highlights the wires to the cause of a zero, and that a click mends a zero or a NaN."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage

pytestmark = pytest.mark.shared_page(plots=False)


def lit(lab: LabPage):
    return lab.canvas.locator("[data-wire].to-cause")


def test_the_wires_to_a_stop_are_lit_while_the_node_is_selected_and_one_click_removes_it(lab: LabPage):
    lab.type_formula("x = 0.6\na = sin(x)\nb = stop_gradient(a)\nz = 2.0 * b")
    lab.select("x")
    button = lab.page.get_by_role("button", name="Mend: remove the stop at b")
    expect(button).to_be_visible()
    expect(lit(lab)).to_have_count(2)
    expect(lab.node("b")).to_have_class(re.compile(r"\bis-cause\b"))
    expect(lab.canvas.get_by_text("to the cause")).to_be_visible()
    lab.select("z")
    expect(lit(lab)).to_have_count(0)
    expect(lab.canvas.get_by_text("to the cause")).to_be_hidden()
    lab.select("x")
    button.click()
    lab.settle()
    expect(lab.cotangent("x")).to_have_text("1.651")  # 2 cos 0.6
    expect(button).to_have_count(0)
    expect(lit(lab)).to_have_count(0)
    lab.page.keyboard.press("Control+z")  # the focus is on the canvas, since the button has gone
    expect(lab.cotangent("x")).to_have_text("0")


def test_a_nan_is_mended_by_one_click_without_a_node_selected(lab: LabPage):
    lab.deselect()
    lab.type_formula("x = 0.0\nc = x < 1.0\ny = where(c, x, sqrt(x))")
    expect(lab.cotangent("x")).to_have_text("NaN")
    button = lab.page.get_by_role("button", name="Mend: double where")
    expect(button).to_be_visible()
    expect(lit(lab)).to_have_count(1)  # 0 arrives at the root, whose slope is infinite at 0
    expect(lab.wire("sqrt_1")).to_have_class(re.compile(r"\bto-cause\b"))
    expect(lab.canvas.locator(".is-cause[data-id]")).to_have_count(1)
    expect(lab.canvas.get_by_text("NaN or ∞ begins here")).to_be_visible()
    expect(lab.canvas.get_by_text("to the cause")).to_be_hidden()
    button.click()
    lab.settle()
    expect(lit(lab)).to_have_count(0)
    expect(lab.cotangent("x")).to_have_text("1")
    expect(lab.formula).to_have_value(re.compile(re.escape("y = where(c, x, sqrt(where(c, 1.0, x)))")))
    expect(lab.page.locator(".notes .explained")).to_be_hidden()
