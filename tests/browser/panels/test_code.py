"""Test code in the formula's place: lit by nodes and by play, refused, written as a formula, reloaded."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, middle, saying

pytestmark = pytest.mark.shared_page(plots=False)

CODE = """import torch

x = torch.tensor(3.0, requires_grad=True)
y = x * x
loss = 2.0 * y
loss.backward()
"""
"""d(2 x^2)/dx is 12 at 3."""


@pytest.fixture
def code(lab: LabPage) -> LabPage:
    """The lab with the code in place of the formula, and nothing selected."""
    lab.type_formula(CODE)
    lab.deselect()
    return lab


def foot(lab: LabPage):
    return lab.page.locator(".formula .foot")


def test_pasted_code_is_read_and_not_run(code: LabPage):
    expect(foot(code)).to_contain_text("Read as PyTorch, not run.")
    expect(code.page.get_by_test_id("stMarkdownContainer").get_by_text("Code", exact=True)).to_be_visible()
    expect(code.cotangent("x")).to_have_text("12")


def test_a_selected_node_marks_its_line(code: LabPage):
    code.select("y")
    expect(code.page.locator(".formula .line .chosen")).to_have_text("y = x * x")


def test_each_step_of_the_pass_lights_its_line(code: LabPage):
    lit = code.page.locator(".formula .line.lit-line")
    bar = code.page.get_by_role("group", name="Play the pass")
    for line in ("x = torch.tensor(3.0, requires_grad=True)", "y = x * x", "loss = 2.0 * y"):
        bar.get_by_role("button", name="One step on").click()
        expect(lit).to_have_text(line)
    code.page.keyboard.press("Escape")
    expect(lit).to_have_count(0)


def test_a_slider_leaves_the_text_which_says_so(code: LabPage):
    code.page.get_by_label("Slider of x").press("ArrowRight")
    expect(foot(code)).to_contain_text("The numbers of 'x' are others here than in the code.")
    expect(code.formula).to_have_value(CODE)


def test_a_typo_is_underlined_and_leaves_the_graph(code: LabPage):
    code.type_formula(CODE.replace("2.0 * y", "2.0 * yy"))
    expect(code.page.locator(".formula .wrong")).to_have_text("yy")
    expect(code.canvas.get_by_text("From the last good formula")).to_be_visible()
    assert code.names() == {"x", "y", "loss"}
    code.type_formula(CODE)
    expect(code.page.locator(".formula .wrong")).to_have_count(0)


def test_of_code_that_cannot_be_read_in_full_the_graph_is_what_does_not_need_the_rest(code: LabPage):
    code.type_formula(CODE.replace("x * x", "x * x\nz = torch.fft.fft(y)").replace("3.0", "4.0"))
    foot(code).get_by_role("button", name="Line 5").click()
    assert code.formula.evaluate("area => area.value.slice(area.selectionStart)").startswith("torch.fft")
    expect(foot(code)).to_contain_text("The graph is the rest, read as PyTorch.")
    expect(code.canvas.get_by_text("From the last good formula")).to_have_count(0)
    expect(foot(code).locator(".extent")).to_contain_text("this name is unknown: z.")
    assert code.names() == {"x", "y", "loss"}
    expect(code.cotangent("x")).to_have_text(re.compile("^16"))  # 4 x at 4


def test_code_becomes_a_formula_and_undo_brings_it_back(code: LabPage):
    foot(code).get_by_role("button", name="As formula").click()
    expect(code.formula).to_have_value(saying("y = x * x"))
    expect(foot(code).get_by_text("From code")).to_be_visible()
    cut = "area => area.closest('.box').scrollHeight - area.closest('.box').clientHeight"
    assert code.formula.evaluate(cut) == 0
    code.deselect()
    code.press("Control+z")
    expect(code.formula).to_have_value(CODE)


def test_from_code_stays_where_it_is_when_it_shows_code_to_try(code: LabPage):
    foot(code).get_by_role("button", name="As formula").click()
    button = foot(code).get_by_role("button", name="From code")
    before = middle(button)
    for is_shown in (True, False):
        button.click()
        says = foot(code).get_by_text("into the field above, in place of its text. It is read, never run")
        expect(says).to_be_visible(visible=is_shown)
        assert middle(button) == before


def test_from_code_stays_beside_how_the_formula_is_read(code: LabPage):
    code.type_formula("x = 3.0\ny = x^2\n")
    expect(foot(code)).to_contain_text("^ is read as power")
    foot(code).get_by_role("button", name="From code").click()
    expect(foot(code).get_by_role("button", name="NumPy: a loss by hand")).to_be_visible()


def test_other_code_is_there_to_try(code: LabPage):
    foot(code).get_by_text("Other code").click()
    foot(code).get_by_role("button", name="TensorFlow: a second derivative").click()
    code.settle()
    expect(foot(code)).to_contain_text("Read as TensorFlow, not run.")
    expect(code.cotangent("x")).to_have_text("18")  # 6 x of x^3 at 3


@pytest.mark.own_page
def test_code_outlives_a_reload(code: LabPage):
    code.reload()
    expect(code.formula).to_have_value(CODE)
    expect(code.cotangent("x")).to_have_text(re.compile("^12"))


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
