"""Test code in the formula's place: lit by nodes and by play, refused, written as a formula, reloaded."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, saying

CODE = """import torch

x = torch.tensor(3.0, requires_grad=True)
y = x * x
loss = 2.0 * y
loss.backward()
"""
"""d(2 x^2)/dx is 12 at 3."""


@pytest.mark.own_page
def test_code_is_pasted_lit_played_refused_and_kept(lab: LabPage):
    page, foot = lab.page, lab.page.locator(".formula .foot")
    lit, chosen = page.locator(".formula .line.lit-line"), page.locator(".formula .line .chosen")
    lab.type_formula(CODE)
    expect(foot).to_contain_text("Read as PyTorch, not run.")
    expect(page.get_by_test_id("stMarkdownContainer").get_by_text("Code", exact=True)).to_be_visible()
    expect(lab.cotangent("x")).to_have_text("12")

    lab.select("y")
    expect(chosen).to_have_text("y = x * x")
    lab.deselect()
    bar = page.get_by_role("group", name="Play the pass")
    for line in ("x = torch.tensor(3.0, requires_grad=True)", "y = x * x", "loss = 2.0 * y"):
        bar.get_by_role("button", name="One step on").click()
        expect(lit).to_have_text(line)
    page.keyboard.press("Escape")
    expect(lit).to_have_count(0)

    # A slider leaves the text; a typo leaves the graph, and is underlined.
    page.get_by_label("Slider of x").press("ArrowRight")
    expect(foot).to_contain_text("The numbers of 'x' are others here than in the code.")
    expect(lab.formula).to_have_value(CODE)
    lab.type_formula(CODE.replace("2.0 * y", "2.0 * yy"))
    expect(page.locator(".formula .wrong")).to_have_text("yy")
    expect(lab.canvas.get_by_text("From the last good formula")).to_be_visible()
    assert lab.names() == {"x", "y", "loss"}

    # Of code that cannot be read in full the graph is what does not need the rest.
    lab.type_formula(CODE.replace("x * x", "x * x\nz = torch.fft.fft(y)").replace("3.0", "4.0"))
    foot.get_by_role("button", name="Line 5").click()
    assert lab.formula.evaluate("area => area.value.slice(area.selectionStart)").startswith("torch.fft")
    expect(foot).to_contain_text("The graph is the rest, read as PyTorch.")
    expect(lab.canvas.get_by_text("From the last good formula")).to_have_count(0)
    expect(foot.locator(".extent")).to_contain_text("this name is unknown: z.")
    assert lab.names() == {"x", "y", "loss"}
    expect(lab.cotangent("x")).to_have_text(re.compile("^16"))  # 4 x at 4

    lab.type_formula(CODE)
    foot.get_by_role("button", name="As formula").click()
    expect(lab.formula).to_have_value(saying("y = x * x"))
    expect(foot.get_by_text("From code")).to_be_visible()
    lab.deselect()
    lab.press("Control+z")
    expect(lab.formula).to_have_value(CODE)
    lab.reload()
    expect(lab.formula).to_have_value(CODE)
    expect(lab.cotangent("x")).to_have_text(re.compile("^12"))

    foot.get_by_text("Other code").click()
    foot.get_by_role("button", name="TensorFlow: a second derivative").click()
    lab.settle()
    expect(foot).to_contain_text("Read as TensorFlow, not run.")
    expect(lab.cotangent("x")).to_have_text("18")  # 6 x of x^3 at 3


LARGE = """import torch
m = torch.nn.Linear(4096, 4096)
y = m(torch.ones(4096)).sum()
y.backward()
"""


@pytest.mark.own_page
def test_code_that_asks_for_too_much_is_refused_and_the_graph_stays(lab: LabPage):
    names = lab.names()
    lab.type_formula(LARGE)
    expect(lab.page.locator(".formula .foot")).to_contain_text("16,777,216 numbers")  # 4,096 squared
    expect(lab.canvas.get_by_text("The code is being read.")).to_have_count(0)
    assert lab.names() == names
    expect(lab.formula).to_have_value(LARGE)
