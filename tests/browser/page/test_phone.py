"""Test the canvas by touch, 390 px wide."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, middle, saying

TOUCH = """(target, [kind, id, x, y]) => target.dispatchEvent(new PointerEvent(kind, {
  pointerId: id, pointerType: "touch", isPrimary: true, clientX: x, clientY: y,
  bubbles: true, cancelable: true, composed: true,
}))"""
HOLD = 700  # ms; a press counts as held after 450


def hold(lab: LabPage, name: str) -> None:
    card = lab.node(name).locator(".card")
    x, y = middle(card)
    # there is no real finger to take
    card.evaluate("(card) => { card.closest('.surface').setPointerCapture = () => {}; }")
    card.evaluate(TOUCH, ["pointerdown", 7, x, y])
    lab.page.wait_for_timeout(HOLD)
    card.evaluate(TOUCH, ["pointerup", 7, x, y])
    lab.settle()


def tap(lab: LabPage, name: str) -> None:
    lab.page.touchscreen.tap(*middle(lab.node(name).locator(".card")))
    lab.settle()


def from_menu(phone: LabPage, menu: str, item: str) -> None:
    """Press one of the buttons below the canvas, then an item of its menu."""
    phone.tools.get_by_role("button", name=menu, exact=True).tap()
    phone.canvas.locator("[role^=menuitem]").filter(has_text=item).first.tap()
    phone.settle()


def test_every_tool_is_large_enough_for_a_finger_and_none_is_out_of_reach(phone: LabPage):
    tap(phone, "a")
    phone.tools.get_by_role("button", name="Bend", exact=True).tap()
    tools = phone.tools.locator(":is(.tool, .entry):visible")
    boxes = [tool.bounding_box() for tool in tools.all()]
    assert len(boxes) > 15
    assert [box for box in boxes if box["height"] < 44 or box["width"] < 44] == []
    assert [box for box in boxes if box["x"] < 0 or box["x"] + box["width"] > 390] == []
    last = phone.canvas.get_by_role("menuitem", name="Delete")
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport(ratio=1)
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_gradient_is_bent_and_undone_by_the_four_buttons(phone: LabPage):
    before = phone.cotangent("x").text_content()
    tap(phone, "a")
    from_menu(phone, "Bend", "Stop gradient")
    expect(phone.cotangent("x")).to_have_text("0")
    phone.tools.get_by_role("button", name="Undo", exact=True).tap()
    expect(phone.cotangent("x")).to_have_text(before)
    phone.deselect()
    phone.tools.get_by_role("button", name="Bend", exact=True).tap()
    expect(phone.canvas.get_by_role("dialog", name="Bend")).to_contain_text("Tap a node first")


CORNERS = "\n".join(f"x{i} = 0.0\ny{i} = maximum(x{i}, 0.0) + log1p(exp(-abs(x{i})))" for i in range(4))


@pytest.mark.nightly
@pytest.mark.own_page
def test_undo_is_above_every_panel_and_a_menu_closes_the_panels_in_its_place(phone: LabPage):
    page, panel = phone.page, phone.page.get_by_role("group", name="Hints")
    undo = phone.tools.get_by_role("button", name="Undo", exact=True)
    high = page.get_by_role("button", name="Make the panel high")
    page.get_by_role("tab", name="Formula").tap()
    high.tap()
    phone.type_formula(f"{CORNERS}\nz = y0 + y1 + y2 + y3")
    page.locator(".hints-button").tap()
    undo.tap(trial=True)  # with the panel high and low: a tap reaches it
    phone.tools.get_by_role("button", name="More", exact=True).tap()
    expect(panel).to_be_hidden()
    expect(high).to_be_visible()
    page.locator(".hints-button").tap()
    expect(panel).to_contain_text("y3")
    undo.tap()
    expect(phone.node("x3")).to_have_count(0)


@pytest.mark.nightly
def test_add_opens_the_ops_over_most_of_the_canvas_and_closes_them_again(phone: LabPage):
    add, ops = phone.tools.get_by_role("button", name="Add", exact=True), phone.canvas.locator(".palette")
    add.tap()
    expect(ops).to_be_visible()
    assert ops.bounding_box()["height"] > 0.75 * phone.canvas.bounding_box()["height"]
    add.tap()
    expect(ops).to_have_count(0)
    # The page does not scroll, so no touch of the canvas is left to it.
    surface = phone.canvas.locator(".surface")
    assert surface.evaluate("(surface) => getComputedStyle(surface).touchAction") == "none"


@pytest.mark.own_page
def test_the_first_view_shows_the_whole_first_graph(phone: LabPage):
    canvas = phone.canvas.bounding_box()
    for name in phone.names():
        box = phone.node(name).locator(".card").bounding_box()
        assert canvas["x"] <= box["x"]
        assert box["x"] + box["width"] <= canvas["x"] + canvas["width"]


def test_a_node_that_is_held_joins_the_selection_and_one_held_again_leaves_it(phone: LabPage):
    tap(phone, "a")
    hold(phone, "b")
    expect(phone.canvas.locator(".node.selected")).to_have_count(2)
    expect(phone.canvas.get_by_role("status")).to_contain_text("2 selected")
    hold(phone, "a")
    expect(phone.canvas.locator(".node.selected")).to_have_count(1)
    expect(phone.node("b")).to_have_class(saying("selected"))


def test_the_tool_for_several_makes_taps_add_nodes(phone: LabPage):
    tap(phone, "a")
    from_menu(phone, "More", "Select several")
    tap(phone, "b")
    tap(phone, "z")
    expect(phone.canvas.locator(".node.selected")).to_have_count(3)
    from_menu(phone, "More", "Select several")
    tap(phone, "x")
    expect(phone.canvas.locator(".node.selected")).to_have_count(1)


def test_a_node_is_found_by_touch_and_the_list_gives_the_canvas_back(phone: LabPage):
    from_menu(phone, "More", "Find a node")
    phone.canvas.get_by_role("option", name="exp_1").tap()
    expect(phone.node("exp_1")).to_have_class(saying("selected"))
    expect(phone.canvas.locator(".match").first).to_be_hidden()
    phone.canvas.get_by_role("button", name="Next match").tap()
    expect(phone.node("z")).to_have_class(saying("selected"))
    phone.canvas.get_by_role("button", name="Close", exact=True).tap()
    expect(phone.canvas.locator(".find-box")).to_have_count(0)


def test_the_tool_for_several_makes_a_drag_draw_a_box(phone: LabPage):
    places = {name: phone.place(name) for name in phone.names()}
    from_menu(phone, "More", "Select several")
    first, last = (
        phone.node("y").locator(".card").bounding_box(),
        phone.node("exp_1").locator(".card").bounding_box(),
    )
    beside = first["x"] + first["width"] + 8, first["y"] - 8  # y stands above exp_1
    phone.move_mouse(beside, (last["x"] + last["width"] / 2, last["y"] + last["height"] / 2))
    chosen = {node.get_attribute("data-id") for node in phone.canvas.locator(".node.selected").all()}
    assert {"y", "exp_1"} <= chosen
    assert {name: phone.place(name) for name in phone.names()} == places


@pytest.mark.own_page  # it leaves the sheet high
def test_a_wires_numbers_have_the_whole_canvas_which_a_high_sheet_gives_back(phone: LabPage):
    page, about = phone.page, phone.canvas.get_by_role("dialog", name="Wire")
    page.get_by_role("tab", name="Node", exact=True).tap()
    if page.get_by_role("button", name="Make the panel high").count():
        page.get_by_role("button", name="Make the panel high").tap()
    expect(page.get_by_role("button", name="Make the panel low")).to_be_visible()
    page.touchscreen.tap(*middle(phone.wire("b").locator(".line")))
    for part in ("Share at a", "Remove"):
        expect(about.get_by_text(part)).to_be_in_viewport(ratio=1)
    surface, box = phone.canvas.bounding_box(), about.bounding_box()
    assert surface["y"] <= box["y"]
    assert box["y"] + box["height"] <= surface["y"] + surface["height"]


@pytest.mark.own_page  # it leaves the sheet high
def test_a_tap_on_the_node_that_is_selected_already_opens_its_panel(phone: LabPage):
    low = phone.page.get_by_role("button", name="Make the panel low")
    phone.page.get_by_role("tab", name="Formula").tap()
    if low.count():
        low.tap()
    tap(phone, "b")
    expect(low).to_have_count(0)
    phone.page.wait_for_timeout(HOLD)  # two taps at once would change its name
    tap(phone, "b")
    expect(phone.page.get_by_role("tab", name="Node", exact=True)).to_have_attribute("aria-selected", "true")
    expect(low).to_be_visible()
    expect(phone.page.locator(".st-key-inspector")).to_contain_text("Product")


@pytest.mark.nightly
def test_details_leads_to_the_node_on_the_sheet(phone: LabPage):
    tap(phone, "b")
    panel = phone.page.locator(".st-key-inspector")
    phone.page.get_by_role("tab", name="Plots").tap()
    expect(panel).to_be_hidden()
    from_menu(phone, "Bend", "Details")
    expect(panel).to_be_in_viewport()
    expect(panel).to_contain_text("Product")


def test_a_value_is_edited_in_place_with_letters_that_need_no_zoom(phone: LabPage):
    phone.canvas.locator('[data-id="x"] .editable').tap()
    field = phone.canvas.get_by_role("textbox", name="Value of x")
    expect(field).to_be_in_viewport(ratio=1)
    assert float(field.evaluate("(field) => getComputedStyle(field).fontSize").removesuffix("px")) >= 16
    field.fill("2")
    field.press("Enter")
    phone.settle()
    expect(phone.value("x")).to_have_text("2")


def test_the_cheat_sheet_can_be_scrolled_to_its_end_and_closed(phone: LabPage):
    from_menu(phone, "More", "Keys and gestures")
    last = phone.canvas.locator(".sheet section").last
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport(ratio=1)
    phone.page.keyboard.press("Escape")
    expect(phone.canvas.locator(".sheet")).to_have_count(0)
