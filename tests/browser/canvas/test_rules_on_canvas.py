"""Test rules put on nodes where they are drawn, and what the canvas shows when an edit is refused.

The first graph: x = 0.6, y = 1.5, a = sin(x), b = a * y, z = b + stop(exp(a)).
"""

from __future__ import annotations

import math

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, four_digits, saying

pytestmark = pytest.mark.shared_page(plots=False)

DX = 1.5 * math.cos(0.6)
READ = 600  # milliseconds; a reason that was on view for so long goes with the next edit


def choose(lab: LabPage, *names: str) -> None:
    first, *rest = names
    lab.select(first)
    for name in rest:
        lab.node(name).locator(".card").click(modifiers=["Shift"])
    lab.settle()


def test_one_key_stops_all_selected_nodes_in_one_step(lab: LabPage):
    choose(lab, "a", "b", "y")
    lab.press("s")
    for name in ("a", "b", "y"):
        expect(lab.node(name).locator(".chip.stop")).to_be_visible()
    undo = lab.tools.get_by_role("button", name="Undo: Stop gradient at 3 nodes")
    undo.click()
    lab.settle()
    expect(lab.canvas.locator(".chip.stop")).to_have_count(1)  # exp_1, as before
    expect(lab.cotangent("x")).to_have_text(four_digits(DX))


def test_of_a_mixed_selection_all_are_stopped_first_and_then_all_follow(lab: LabPage):
    choose(lab, "a", "exp_1")
    lab.press("s")
    expect(lab.canvas.locator(".chip.stop")).to_have_count(2)
    lab.press("s")
    expect(lab.canvas.locator(".chip.stop")).to_have_count(0)
    expect(lab.cotangent("a")).to_have_text(four_digits(1.5 + math.exp(math.sin(0.6))))


def test_the_mark_of_a_rewrite_opens_its_function_and_a_mistake_stays_open(lab: LabPage):
    lab.select("a")
    lab.press("r")
    lab.node("a").locator(".chip.rewrite rect").click()
    field = lab.canvas.get_by_role("textbox", name="What becomes of the cotangent at a")
    expect(field).to_have_value("lambda v: -v")
    field.fill("lambda v: w")
    lab.press("Enter")
    expect(field).to_have_value("lambda v: w")
    expect(lab.canvas.locator(".inline-error")).to_contain_text("w")
    field.fill("lambda v: 3.0 * v")
    lab.press("Enter")
    expect(field).to_have_count(0)
    expect(lab.cotangent("x")).to_have_text(four_digits(3 * DX))


def test_the_mark_of_backward_as_lets_another_node_be_chosen(lab: LabPage):
    lab.select("b")
    lab.press("b")
    lab.press("t")
    choice = lab.canvas.get_by_role("dialog", name="Backward expression of b").get_by_label("Backward as")
    expect(choice).to_have_value("a")
    assert choice.locator("option").all_text_contents() == ["x", "y", "a", "exp_1"]  # b feeds the others
    choice.select_option("y")
    lab.settle()
    expect(lab.formula).to_have_value(saying("b = backward_as(a * y, y)"))
    expect(lab.cotangent("y")).to_have_text("1")


def test_a_new_node_says_what_it_still_needs_and_is_no_mistake(lab: LabPage):
    lab.select("z")
    lab.add("mul")
    expect(lab.node("mul_1").locator(".wanting text")).to_have_text("needs second input")
    expect(lab.node("mul_1").locator(".chip.problem")).to_have_count(0)


def test_why_an_edit_was_refused_stays_to_be_read_though_a_good_one_follows_at_once(lab: LabPage):
    lab.select("x")
    lab.page.keyboard.press("p")
    lab.page.keyboard.press("o")
    lab.settle()
    expect(lab.canvas.get_by_role("alert")).to_contain_text("wired to nothing")
    expect(lab.formula).to_have_value(saying("return x"))
    lab.page.wait_for_timeout(READ)
    lab.press("s")
    expect(lab.canvas.get_by_role("alert")).to_be_hidden()


def test_a_refused_edit_says_why_on_the_canvas_and_nothing_below_moves(lab: LabPage):
    below = lab.page.locator(".sliders")
    expect(lab.page.get_by_text("Gradients agree")).to_be_visible()
    before = below.bounding_box()["y"]
    lab.select("x")
    lab.press("p")
    notice = lab.canvas.get_by_role("alert")
    expect(notice).to_contain_text("wired to nothing")
    assert below.bounding_box()["y"] == pytest.approx(before, abs=1)
    lab.press("Escape")
    expect(notice).to_be_hidden()
    expect(lab.node("x")).to_have_class(saying("selected"))  # it closed the notice alone


MEETS = """(note, selector) => {
  const { left, right, top, bottom } = note.getBoundingClientRect();
  return [...note.getRootNode().querySelectorAll(selector)].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.left < right && left < box.right && box.top < bottom && top < box.bottom;
  }).map((one) => one.textContent);
}"""
"""Texts of what a note covers."""


def test_a_refusal_covers_no_card_no_number_and_not_the_legend(lab: LabPage):
    lab.select("x")
    lab.press("p")
    notice = lab.canvas.get_by_role("alert")
    expect(notice).to_contain_text("wired to nothing")
    assert notice.evaluate(MEETS, "[data-id] > .card, [data-id] > .number, .chip rect, .flow-key") == []
    lab.press("Escape")


def test_a_number_that_cannot_be_read_stays_open_with_the_reason_and_can_be_mended(lab: LabPage):
    lab.type_formula("x = 3.0\ny = x * 2.0")
    lab.node("y").locator(".pill").click()
    lab.page.keyboard.press("Control+a")
    lab.page.keyboard.type("abc")
    lab.press("Enter")
    field = lab.canvas.locator(".inline")
    expect(field).to_have_value("abc")
    expect(lab.canvas.locator(".inline-error")).to_contain_text("abc")
    expect(field).to_be_focused()
    field.fill("-5")
    lab.press("Enter")
    expect(field).to_have_count(0)
    expect(lab.value("y")).to_have_text(four_digits(-15))


def test_a_name_that_is_taken_stays_open_with_the_reason(lab: LabPage):
    lab.select("a")
    lab.page.keyboard.press("F2")
    lab.page.keyboard.press("Control+a")
    lab.page.keyboard.type("b")
    lab.press("Enter")
    expect(lab.canvas.locator(".inline")).to_have_value("b")
    expect(lab.canvas.locator(".inline-error")).to_contain_text("There is a node 'b' already.")
    lab.press("Escape")
    expect(lab.canvas.locator(".inline")).to_have_count(0)
    assert "a" in lab.names()


def test_m_mutes_a_node_that_then_returns_its_input_and_m_again_lets_it_act(lab: LabPage):
    lab.select("a")
    lab.press("m")
    expect(lab.node("a")).to_have_class(saying("muted"))
    expect(lab.value("a")).to_have_text("0.6")
    expect(lab.cotangent("x")).to_have_text("1.5")  # of 1.5 * x, while exp is stopped
    expect(lab.formula).to_have_value(saying("a = bypass(sin(x))"))
    expect(lab.page.get_by_text("Gradients agree")).to_be_visible()
    lab.press("m")
    expect(lab.value("a")).to_have_text(four_digits(math.sin(0.6)))
    expect(lab.formula).to_have_value(saying("a = sin(x)"))


def test_a_muted_product_returns_its_first_wire_alone(lab: LabPage):
    lab.select("b")
    lab.press("m")
    expect(lab.value("b")).to_have_text(four_digits(math.sin(0.6)))
    expect(lab.cotangent("a")).to_have_text("1")
    expect(lab.cotangent("y")).to_have_text("\u2013")  # no path to the output any more
    lab.reload()
    expect(lab.node("b")).to_have_class(saying("muted"))


def test_an_input_cannot_be_muted_and_the_canvas_says_why(lab: LabPage):
    lab.select("x")
    lab.press("m")
    expect(lab.canvas.get_by_role("alert")).to_contain_text("'x' is an input")
