"""Test the whole canvas without a mouse, and the output for screen readers."""

from __future__ import annotations

import math

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab_page import LabPage, four_digits, saying

pytestmark = pytest.mark.shared_page(plots=False)

A = math.sin(0.6)


@pytest.fixture
def keys(lab: LabPage) -> LabPage:
    """The first graph, with the focus on its node x."""
    lab.canvas.locator(".surface").focus()
    lab.press("Escape")
    lab.page.keyboard.press("ArrowRight")
    expect(focused(lab)).to_have_attribute("data-id", "x")
    return lab


def focused(lab: LabPage) -> Locator:
    return lab.canvas.locator(":focus")


def said(lab: LabPage) -> Locator:
    return lab.canvas.get_by_role("status")


def outlined(lab: LabPage, part: str) -> bool:
    """Return whether the focused thing looks unlike the same thing without the focus."""
    found = focused(lab).locator(part)
    dashes = found.evaluate("(part) => getComputedStyle(part).strokeDasharray")
    return dashes != "none"


def test_shift_and_arrows_take_more_nodes_into_the_selection(keys: LabPage):
    keys.press("Shift+ArrowRight")
    keys.press("Shift+ArrowRight")
    expect(keys.canvas.locator(".node.selected")).to_have_count(3)
    keys.press("Delete")
    assert len(keys.names()) == 3


def test_a_wire_is_drawn_with_w_arrows_and_enter(keys: LabPage):
    keys.press("w")
    expect(said(keys)).to_contain_text("Wire from x")
    expect(keys.canvas.locator(".preview")).to_have_count(1)
    for _ in range(6):  # x may go to b twice, to exp_1 and to z twice: look for the second slot of b
        if "the second input of b" in said(keys).text_content():
            break
        keys.page.keyboard.press("ArrowRight")
    expect(said(keys)).to_contain_text("the second input of b, takes the place of y")
    keys.press("Enter")
    expect(keys.formula).to_have_value(saying("b = a * x"))
    expect(keys.value("b")).to_have_text(four_digits(A * 0.6))
    expect(keys.canvas.locator(".preview")).to_have_count(0)


def test_a_slot_that_would_close_a_loop_is_not_offered(keys: LabPage):
    keys.node("z").focus()
    keys.press("w")
    expect(said(keys)).to_contain_text("No slot can take z")


def test_escape_lets_the_wire_go(keys: LabPage):
    before = keys.formula.input_value()
    keys.press("w")
    keys.press("Escape")
    expect(keys.canvas.locator(".preview")).to_have_count(0)
    expect(keys.node("x")).to_be_focused()
    keys.press("Enter")  # selects again: no wire is in hand
    expect(keys.formula).to_have_value(before)


def test_wires_are_stepped_through_shown_said_and_removed(keys: LabPage):
    keys.node("b").focus()
    keys.press(".")
    expect(focused(keys)).to_have_attribute("data-wire", "b:0")
    assert outlined(keys, ".line")
    keys.press(".")
    expect(focused(keys)).to_have_attribute("data-wire", "b:1")
    expect(focused(keys)).to_have_attribute("aria-label", saying(f"passes back {A:.3f}"))
    keys.press("Delete")
    expect(keys.wire("b", 1)).to_have_count(0)
    keys.press("Control+z")
    expect(keys.wire("b", 1)).to_have_count(1)


def test_arrows_on_a_wire_go_to_its_ends(keys: LabPage):
    keys.node("b").focus()
    keys.press(",")
    expect(focused(keys)).to_have_attribute("data-wire", "z:0")
    keys.press("ArrowRight")
    expect(keys.node("z")).to_be_focused()
    assert outlined(keys, ".card")


def test_the_tab_of_a_region_is_reached_with_tab_and_removed_with_delete(keys: LabPage):
    keys.select("a")
    keys.press("c")
    keys.canvas.locator(".surface").focus()
    keys.page.keyboard.press("Tab")
    expect(focused(keys)).to_have_attribute("aria-label", saying("region block_1, holds a"))
    keys.press("Delete")
    expect(keys.region("block_1")).to_have_count(0)


def test_i_goes_to_the_details_of_the_selected_node(keys: LabPage):
    keys.press("i")
    expect(keys.page.locator(".st-key-inspector")).to_be_focused()


def test_the_graph_is_there_as_a_list_in_step_with_the_picture(keys: LabPage):
    nodes = keys.canvas.locator(".unseen > ul")
    expect(nodes).to_have_attribute("aria-label", saying("6 nodes, 6 wires"))
    expect(nodes.locator("> li")).to_have_count(6)
    third = nodes.locator("> li", has_text="b, mul")
    expect(third).to_contain_text(f"value {four_digits(1.5 * A)}")
    expect(third).to_contain_text("wire from y to the second input of b, passes back 0.565")
    keys.node("b").focus()
    keys.press("Enter")
    keys.press("s")
    expect(third).to_contain_text("passes no gradient")
    expect(third).to_contain_text("wire from y to the second input of b, passes back 0")


@pytest.mark.own_page  # what could be redone before is said to be redone
def test_an_answered_edit_and_its_undo_are_said(keys: LabPage):
    told = keys.canvas.locator(".told")
    keys.node("b").focus()
    keys.press("Enter")
    keys.press("s")
    expect(told).to_have_text("stop on b: cotangents of x, y, a changed")
    keys.press("Control+z")
    expect(told).to_contain_text("Undone: Stop gradient at b")


def test_a_toolbar_is_one_stop_of_tab_and_its_buttons_are_reached_by_arrows(keys: LabPage):
    keys.select("b")
    for name in ("Selection", "Graph"):
        bar = keys.page.get_by_role("toolbar", name=name)
        assert bar.locator("button[tabindex='0']:visible").count() == 1
    first, second = (keys.page.locator(".bar.top button:visible").nth(i) for i in (0, 1))
    first.focus()
    keys.page.keyboard.press("ArrowRight")
    expect(second).to_be_focused()
    keys.page.keyboard.press("ArrowLeft")
    expect(first).to_be_focused()
    assert keys.canvas.locator("[data-id].selected").count() == 1  # the arrows did not reach the canvas


def test_escape_leaves_the_formula_for_the_canvas_and_the_sheet_of_keys_says_so(keys: LabPage):
    keys.formula.focus()
    keys.page.keyboard.press("End")
    keys.page.keyboard.press("Escape")
    expect(keys.canvas.locator(".surface")).to_be_focused()
    keys.page.keyboard.press("?")
    keys.page.get_by_role("searchbox", name="Search keys and gestures").fill("leave")
    expect(keys.page.get_by_text("Esc in the formula")).to_be_visible()
    keys.page.keyboard.press("Escape")


def test_the_page_has_one_heading_of_level_one(keys: LabPage):
    assert keys.page.get_by_role("heading", level=1).all_text_contents() == [
        "Lab: automatic differentiation of a graph"
    ]


def nothing_has_the_focus(lab: LabPage) -> bool:
    return lab.page.evaluate("document.activeElement === document.body")


@pytest.mark.nightly
@pytest.mark.own_page  # what could be redone before a reload
def test_right_after_loading_the_keys_work_without_a_click(lab: LabPage):
    lab.select("a")
    lab.press("s")
    expect(lab.cotangent("x")).to_have_text("0")
    lab.reload()
    assert nothing_has_the_focus(lab)
    lab.press("Control+z")
    expect(lab.cotangent("x")).to_have_text(four_digits(1.5 * math.cos(0.6)))
    assert nothing_has_the_focus(lab)
    lab.press("Control+y")
    expect(lab.cotangent("x")).to_have_text("0")
    lab.press("Control+z")
    lab.press("Control+Shift+z")
    expect(lab.cotangent("x")).to_have_text("0")
    lab.reload()
    assert nothing_has_the_focus(lab)
    lab.page.keyboard.press("Space")
    expect(lab.canvas).to_have_attribute("data-play", "forward")
    lab.page.keyboard.press("Home")
    says = lab.page.get_by_role("group", name="Play the pass").get_by_role("status")
    for equation in ("x = 0.6", "y = 1.5"):
        lab.page.keyboard.press("ArrowRight")
        expect(says).to_have_text(equation)
    lab.page.evaluate("document.activeElement.blur()")
    lab.page.keyboard.press("ArrowLeft")
    expect(says).to_have_text("x = 0.6")
    lab.page.keyboard.press("Escape")
    lab.page.keyboard.press("?")
    expect(lab.page.get_by_text("Wire, either way")).to_be_visible()
    lab.page.keyboard.press("Escape")
    lab.canvas.locator(".surface").focus()
    lab.page.keyboard.press("Space")  # a tap; held, it pans
    expect(lab.canvas).to_have_attribute("data-play", "forward")


def test_undo_works_wherever_nothing_is_being_written(keys: LabPage):
    panel, surface = keys.page.locator(".inspector"), keys.canvas.locator(".surface")
    keys.select("a")
    for place in (
        lambda: panel.locator("[data-kind='stop']").focus(),
        lambda: panel.locator(".doc").click(),
        lambda: keys.page.get_by_role("slider", name="Slider of y").focus(),
    ):
        surface.focus()  # a second click on the node would soon be a double click
        keys.press("s")
        expect(keys.cotangent("x")).to_have_text("0")
        place()
        keys.press("Control+z")
        expect(keys.cotangent("x")).to_have_text(four_digits(1.5 * math.cos(0.6)))
    surface.focus()
    keys.press("s")
    keys.formula.focus()
    keys.press("Control+z")  # of the text
    expect(keys.cotangent("x")).to_have_text("0")
