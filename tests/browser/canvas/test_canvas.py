"""Test the canvas with mouse and keyboard, against numbers worked by hand.

The first graph: x = 0.6, y = 1.5, a = sin(x), b = a * y, z = b + stop(exp(a)).
"""

from __future__ import annotations

import math

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, four_digits, saying

pytestmark = pytest.mark.shared_page(plots=False)

A = math.sin(0.6)
DX = 1.5 * math.cos(0.6)  # through b alone, while exp is stopped


def test_the_canvas_draws_the_first_graph_with_its_numbers(lab: LabPage):
    assert lab.names() == {"x", "y", "a", "b", "exp_1", "z"}
    assert lab.canvas.locator("[data-wire]").count() == 6
    expect(lab.value("z")).to_have_text(four_digits(1.5 * A + math.exp(A)))
    expect(lab.cotangent("x")).to_have_text(four_digits(DX))
    expect(lab.cotangent("y")).to_have_text(four_digits(A))


def test_s_stops_the_gradient_of_the_selected_node_and_s_again_lets_it_through(lab: LabPage):
    lab.select("a")
    lab.press("s")
    expect(lab.cotangent("x")).to_have_text("0")
    expect(lab.cotangent("a")).to_have_text("1.5")
    lab.press("s")
    expect(lab.cotangent("x")).to_have_text(four_digits(DX))


def test_letting_a_stopped_gradient_through_adds_it_at_the_fork(lab: LabPage):
    lab.select("exp_1")
    lab.press("s")
    expect(lab.cotangent("a")).to_have_text(four_digits(1.5 + math.exp(A)))
    expect(lab.cotangent("x")).to_have_text(four_digits((1.5 + math.exp(A)) * math.cos(0.6)))


@pytest.mark.parametrize(
    ("rule", "line", "arrives_at_x"),
    [
        ("stop", "a = stop_gradient(sin(x))", 0.0),
        ("rewrite", "a = rewrite(sin(x), lambda v: -v)", -DX),
        ("scale", "a = scale_gradient(sin(x), 0.5)", 0.5 * DX),
        ("pullback", "a = custom(sin(x), pullback=lambda v, x, out: v)", 1.5),
        ("backward_as", "a = backward_as(sin(x), x)", 1.5),
    ],
)
def test_a_click_in_the_panel_bends_the_gradient_and_the_formula_follows(
    lab: LabPage, rule, line, arrives_at_x
):
    lab.select("a")
    lab.bend(rule)
    expect(lab.node("a").locator(f".chip.{rule}")).to_be_visible()
    expect(lab.formula).to_have_value(saying(line))
    expect(lab.cotangent("x")).to_have_text(four_digits(arrives_at_x))


def test_a_checkpoint_is_drawn_round_its_node_with_its_runs_and_removed_again(lab: LabPage):
    lab.select("a")
    lab.tool("checkpoint")
    expect(lab.region("block_1").first).to_be_visible()
    expect(lab.canvas.locator(".badge-text")).to_have_text("dropped")  # cos(x) is made of x alone
    expect(lab.formula).to_have_value(saying('with checkpoint("block_1"):'))
    lab.tool("checkpoint")
    expect(lab.region("block_1")).to_have_count(0)


def test_a_node_is_found_in_the_palette_and_wired_by_hand(lab: LabPage):
    lab.press("Escape")  # nothing is selected, so nothing is wired by itself
    lab.add("mul")
    assert "mul_1" in lab.names()
    lab.tools.get_by_role("button", name="Fit to view").click()
    lab.drag(lab.out_port("x"), lab.slot_port("mul_1", 0))
    lab.drag(lab.out_port("y"), lab.slot_port("mul_1", 1))
    expect(lab.value("mul_1")).to_have_text("0.9")
    expect(lab.formula).to_have_value(saying("mul_1 = x * y"))


def test_a_new_node_is_wired_to_the_selected_one(lab: LabPage):
    lab.select("z")
    lab.add("exp")
    expect(lab.wire("exp_2")).to_have_count(1)
    expect(lab.value("exp_2")).to_have_text(four_digits(math.exp(1.5 * A + math.exp(A))))


def test_a_wire_that_would_close_a_loop_is_refused_with_a_reason(lab: LabPage):
    lab.drag(lab.out_port("z"), lab.slot_port("a", 0))
    expect(lab.canvas.get_by_role("status")).to_contain_text("loop")
    expect(lab.value("z")).to_have_text(four_digits(1.5 * A + math.exp(A)))


def test_a_deleted_node_is_healed_over_and_comes_back_with_undo(lab: LabPage):
    lab.select("a")
    lab.press("Delete")
    assert "a" not in lab.names()
    expect(lab.value("b")).to_have_text("0.9")  # x * y
    lab.press("Control+z")
    assert "a" in lab.names()
    expect(lab.value("b")).to_have_text(four_digits(1.5 * A))
    lab.press("Control+Shift+z")
    assert "a" not in lab.names()


def test_undo_and_redo_have_buttons(lab: LabPage):
    lab.select("a")
    lab.press("s")
    lab.button("Undo")
    expect(lab.cotangent("x")).to_have_text(four_digits(DX))
    lab.button("Redo")
    expect(lab.cotangent("x")).to_have_text("0")


def test_a_number_in_a_slot_can_be_typed_over(lab: LabPage):
    lab.type_formula("x = 3.0\ny = x * 2.0")
    lab.node("y").locator(".pill").click()
    lab.page.keyboard.press("Control+a")
    lab.page.keyboard.type("-5")
    lab.press("Enter")
    expect(lab.value("y")).to_have_text(four_digits(-15))
    expect(lab.cotangent("x")).to_have_text(four_digits(-5))


def test_a_node_can_be_renamed(lab: LabPage):
    lab.select("a")
    lab.page.keyboard.press("F2")
    lab.page.keyboard.press("Control+a")
    lab.page.keyboard.type("angle")
    lab.press("Enter")
    assert "angle" in lab.names()
    expect(lab.formula).to_have_value(saying("b = angle * y"))


def test_twenty_clicks_as_fast_as_possible_are_applied_once_each(lab: LabPage):
    lab.select("a")
    stop = lab.page.locator(".rules [data-kind=stop]")
    lab.click_fast(stop, 19)
    expect(lab.cotangent("x")).to_have_text("0")  # an odd number of toggles
    lab.click_fast(stop, 20)
    expect(lab.cotangent("x")).to_have_text("0")  # and an even number more
    lab.click_fast(lab.tools.get_by_role("button", name="Undo"), 39)
    expect(lab.cotangent("x")).to_have_text(four_digits(DX))
    lab.click_fast(lab.tools.get_by_role("button", name="Redo"), 20)
    expect(lab.cotangent("x")).to_have_text(four_digits(DX))


def test_the_keyboard_alone_reaches_a_node_and_stops_it(lab: LabPage):
    lab.press("Escape")
    lab.canvas.locator(".surface").focus()
    lab.page.keyboard.press("ArrowRight")
    name = lab.canvas.locator("[data-id]:focus").get_attribute("data-id")
    assert name in lab.names()
    lab.press("Enter")
    lab.press("s")
    assert "passes no gradient" in lab.node(name).get_attribute("aria-label")


def test_every_node_says_in_words_what_it_shows(lab: LabPage):
    spoken = lab.node("a").get_attribute("aria-label")
    assert "sin" in spoken
    assert f"value {four_digits(A)}" in spoken
    assert "cotangent 1.5" in spoken


def test_dragging_the_empty_canvas_moves_the_view_and_no_node(lab: LabPage):
    before, box = lab.place("a"), lab.canvas.bounding_box()
    left = lab.node("a").bounding_box()["x"]
    corner = (box["x"] + 20, box["y"] + 20)
    lab.move_mouse(corner, (corner[0] + 60, corner[1]))
    assert lab.node("a").bounding_box()["x"] == pytest.approx(left + 60, abs=3)
    assert lab.place("a") == before


def test_the_view_does_not_jump_when_the_graph_is_edited(lab: LabPage):
    before = lab.node("x").bounding_box()
    lab.select("a")
    lab.press("s")
    lab.press("s")
    assert lab.node("x").bounding_box() == pytest.approx(before, abs=0.5)
