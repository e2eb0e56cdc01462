"""Test forward mode: a key shows tangents on cards and wires, and a sentence says that both modes agree."""

from __future__ import annotations

import math

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, four_digits, saying

pytestmark = pytest.mark.shared_page(plots=False)

COS, SIN = math.cos(0.6), math.sin(0.6)  # z = y sin x + stop(e^sin x) at (0.6, 1.5)


def test_one_key_shows_tangents_beside_values_and_cotangents(lab: LabPage):
    page = lab.page
    page.set_viewport_size({"width": 1280, "height": 720})
    lab.canvas.locator(".surface").focus()
    lab.press("j")
    says = page.locator(".forward-says")
    expect(says).to_be_in_viewport(ratio=1)
    expect(says).to_contain_text("both modes agree")
    for which, number in (("value", four_digits(SIN)), ("tangent", four_digits(COS)), ("cotangent", "1.5")):
        expect(lab.node("a").locator(f".number.{which}")).to_have_text(number)
        expect(lab.node("a").locator(f".number.{which}")).to_be_in_viewport(ratio=1)
    expect(page.locator(".verdict .forward")).to_have_text("jax.jvp agrees")
    expect(lab.canvas.get_by_text("Wires pass tangents forward:")).to_be_in_viewport(ratio=1)
    expect(lab.wire("a").locator("title")).to_contain_text("passed on")

    lab.select("y")
    field = page.get_by_role("spinbutton", name="Tangent").or_(page.get_by_label("Tangent", exact=True))
    field.first.fill("2")
    field.first.press("Enter")
    lab.settle()
    total = 1.5 * COS + 2 * SIN
    expect(lab.node("z").locator(".number.tangent")).to_have_text(four_digits(total))
    lab.select("b")
    expect(page.locator(".inspector .pushes").nth(1)).to_have_text(f"{SIN:.6g} × 2 = {2 * SIN:.6g}")

    lab.canvas.locator(".surface").focus()
    lab.press("p")
    lab.settle()
    expect(says).to_contain_text("Forward mode is blocked at b: jax.jvp raises a TypeError")
    expect(lab.node("b").locator(".number.tangent")).to_have_text("blocked")
    expect(page.locator(".verdict .forward")).to_have_text("jax.jvp is blocked")
    lab.press("j")
    expect(says).to_be_hidden()
    expect(lab.canvas).not_to_have_class(saying("forward-mode"))
    expect(lab.cotangent("b")).to_have_text("1")
