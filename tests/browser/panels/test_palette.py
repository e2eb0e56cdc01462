"""Test that ops are found, chosen and dragged onto the canvas.

The first graph: x = 0.6, y = 1.5, a = sin(x), b = a * y, z = b + stop(exp(a)).
"""

from __future__ import annotations

import math

import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

from tests.browser.lab_page import LabPage, four_digits, middle, saying

pytestmark = pytest.mark.shared_page(plots=False)

A = math.sin(0.6)


def search_field(lab: LabPage) -> Locator:
    return lab.canvas.get_by_role("combobox", name="Search ops")


def option(lab: LabPage, op: str) -> Locator:
    return lab.canvas.locator(f'[data-op="{op}"]')


def ops(lab: LabPage) -> list[str]:
    return lab.canvas.locator("[data-op]").evaluate_all("all => all.map((one) => one.dataset.op)")


def empty_spot(lab: LabPage) -> tuple[float, float]:
    """A point of the canvas without any node, clear of the bars."""
    box = lab.canvas.bounding_box()
    return box["x"] + box["width"] * 0.4, box["y"] + 70


@pytest.mark.parametrize("key", ["/", "a"])
def test_a_key_opens_the_palette_and_what_is_typed_finds_ops(lab: LabPage, key):
    lab.canvas.locator(".surface").focus()
    lab.page.keyboard.press(key)
    expect(search_field(lab)).to_be_focused()
    lab.page.keyboard.type("si")
    assert ops(lab)[:4] == ["sin", "sinh", "sigmoid", "silu"]
    lab.page.keyboard.press("Escape")
    expect(search_field(lab)).to_have_count(0)


def test_a_double_click_on_nothing_opens_the_palette_there(lab: LabPage):
    x, y = empty_spot(lab)
    lab.page.mouse.dblclick(x, y)
    search_field(lab).fill("ln")
    lab.press("Enter")
    assert "log_1" in lab.names()
    box = lab.node("log_1").locator(".card").bounding_box()
    assert box["x"] == pytest.approx(x, abs=3)  # its left edge, where its slots are


@pytest.mark.own_page
def test_the_first_node_goes_with_the_layout_of_the_formula_that_follows(lab: LabPage):
    lab.tools.get_by_role("button", name="Files, pictures and links").click()
    lab.canvas.get_by_role("menuitem", name="New graph").click()
    lab.settle()
    lab.tools.get_by_role("button", name="Add a node").click()
    lab.page.keyboard.type("input")
    lab.press("Enter")
    lab.formula.fill("x = 1.0\ny = sin(x)")
    lab.settle()
    x, y = (lab.node(name).locator(".card").bounding_box() for name in "xy")
    assert y["y"] == pytest.approx(x["y"], abs=2)
    assert 0 < y["x"] - x["x"] - x["width"] < x["width"]  # the next column


def test_every_op_shows_its_formula_and_what_it_does(lab: LabPage):
    lab.tools.get_by_role("button", name="Add a node").click()
    expect(option(lab, "mul").locator("code")).to_have_text("a * b")
    expect(option(lab, "maximum").locator("code")).to_have_text("maximum(a, b)")
    expect(option(lab, "mul")).to_contain_text("Product of a and b")


def test_a_new_node_shows_before_python_has_answered(lab: LabPage):
    lab.tools.get_by_role("button", name="Add a node").click()
    search_field(lab).fill("mul")
    lab.page.keyboard.press("Enter")
    assert "mul_1" in lab.names()  # at once, with its wire
    assert lab.wire("mul_1").count() == 1
    lab.settle()
    assert "mul_1" in lab.names()


def test_a_new_node_stands_clear_and_leaves_all_others_where_they_were(lab: LabPage):
    before = {name: lab.place(name) for name in lab.names()}
    lab.select("a")
    lab.add("mul")
    assert {name: lab.place(name) for name in before} == before
    x, y = lab.place("mul_1")
    assert x > before["a"][0] + 128  # right of what it reads
    assert all(abs(x - other[0]) >= 128 or abs(y - other[1]) >= 80 for other in before.values())


def test_an_unfinished_node_says_what_it_needs_and_is_no_mistake(lab: LabPage):
    lab.select("a")
    lab.add("mul")
    expect(lab.node("mul_1").locator(".wanting")).to_have_text(saying("needs second input"))
    assert "needs second input" in lab.node("mul_1").get_attribute("aria-label")
    assert "wrong" not in lab.node("mul_1").get_attribute("class")
    assert lab.page.get_by_text("is empty").count() == 0
    assert lab.page.get_by_text("Still to be wired: mul_1.").count() == 1
    lab.node("mul_1").locator(".wanting rect").click()
    lab.page.keyboard.type("2")
    lab.press("Enter")
    expect(lab.value("mul_1")).to_have_text(four_digits(2 * A))


def test_an_op_dragged_out_of_the_palette_lands_where_it_is_let_go(lab: LabPage):
    lab.deselect()
    lab.tools.get_by_role("button", name="Add a node").click()
    search_field(lab).fill("sub")
    end = empty_spot(lab)
    lab.page.mouse.move(*middle(option(lab, "sub")))
    lab.page.mouse.down()
    lab.page.mouse.move(end[0] - 50, end[1] - 30, steps=4)
    expect(lab.canvas.locator(".ghost")).to_contain_text("sub")
    lab.page.mouse.move(*end, steps=4)
    lab.page.mouse.up()
    lab.settle()
    assert middle(lab.node("sub_1").locator(".card")) == pytest.approx(end, abs=4)
    assert [lab.wire("sub_1", slot).count() for slot in (0, 1)] == [0, 0]
    expect(lab.canvas.locator(".ghost")).to_have_count(0)
    expect(search_field(lab)).to_have_count(0)


def test_an_op_dropped_on_a_wire_is_put_into_it_in_one_step(lab: LabPage):
    lab.tools.get_by_role("button", name="Add a node").click()
    search_field(lab).fill("neg")
    start, end = middle(option(lab, "neg")), middle(lab.wire("b", 0).locator(".line"))
    lab.page.mouse.move(*start)
    lab.page.mouse.down()
    lab.page.mouse.move(end[0] - 40, end[1] + 60, steps=3)
    lab.page.mouse.move(*end, steps=3)
    expect(lab.canvas.locator(".wire.opens")).to_have_attribute("data-wire", "b:0")
    lab.page.mouse.up()
    lab.settle()
    expect(lab.value("b")).to_have_text(four_digits(-1.5 * A))
    expect(lab.formula).to_have_value(saying("b = -a * y"))
    lab.button("Undo: Insert neg_1 between a and b")
    expect(lab.value("b")).to_have_text(four_digits(1.5 * A))
    assert "neg_1" not in lab.names()


def test_an_op_let_go_outside_the_canvas_is_given_up(lab: LabPage):
    before = lab.names()
    lab.tools.get_by_role("button", name="Add a node").click()
    search_field(lab).fill("neg")
    lab.move_mouse(middle(option(lab, "neg")), (700, 5))
    assert lab.names() == before


def test_a_wire_dropped_on_nothing_offers_the_ops_that_can_take_it(lab: LabPage):
    spot = empty_spot(lab)
    lab.move_mouse(middle(lab.out_port("x")), spot)
    expect(lab.canvas.locator(".preview")).to_have_count(1)  # stays while the palette is open
    found = set(ops(lab))
    assert {"sin", "mul", "where"} <= found
    assert not {"input", "uniform", "matmul"} & found  # x is a scalar
    search_field(lab).fill("cos")
    lab.press("Enter")
    expect(lab.canvas.locator(".preview")).to_have_count(0)
    expect(lab.value("cos_1")).to_have_text(four_digits(math.cos(0.6)))


def test_a_wire_drawn_from_an_empty_slot_to_nothing_offers_what_can_feed_it(lab: LabPage):
    lab.select("a")
    lab.add("mul")
    lab.tools.get_by_role("button", name="Fit to view").click()
    lab.settle()
    port = middle(lab.slot_port("mul_1", 1))
    lab.move_mouse(port, empty_spot(lab))
    assert {"input", "sin", "uniform"} <= set(ops(lab))
    search_field(lab).fill("input")
    lab.press("Enter")
    expect(lab.wire("mul_1", 1)).to_have_count(1)
    expect(lab.value("mul_1")).to_have_text(four_digits(A))  # times 1


def touch_along(page: Page, *points: tuple[float, float]) -> CDPSession:
    """Put a finger down on the first point and move it along the others; it stays down."""
    session = page.context.new_cdp_session(page)
    for i, (x, y) in enumerate(points):
        kind = "touchMove" if i else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    return session


def lift(finger: CDPSession) -> None:
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_on_a_phone_the_palette_comes_up_from_the_foot_and_an_op_is_dragged_out_by_touch(phone: LabPage):
    before = phone.names()
    phone.tools.get_by_role("button", name="Add", exact=True).tap()
    palette, canvas = phone.canvas.locator(".palette").bounding_box(), phone.canvas.bounding_box()
    assert palette["y"] + palette["height"] == pytest.approx(canvas["y"] + canvas["height"], abs=2)
    assert palette["height"] < 0.9 * canvas["height"]  # the graph that is added to stays in view
    option(phone, "add").scroll_into_view_if_needed()
    start = middle(option(phone, "add").locator(".mark"))
    end = (canvas["x"] + 200, canvas["y"] + 100)
    between = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    finger = touch_along(phone.page, start, between, end)
    expect(phone.canvas.locator(".ghost")).to_contain_text("add")
    lift(finger)
    phone.settle()
    assert phone.names() - before == {"add_1"}


def test_on_a_phone_a_swipe_scrolls_the_list_of_ops(phone: LabPage):
    before = phone.names()
    phone.tools.get_by_role("button", name="Add", exact=True).tap()
    x, y = middle(option(phone, "input").locator(".what"))
    lift(touch_along(phone.page, *((x, y - up) for up in (0, 20, 60, 100, 140))))
    expect(phone.canvas.locator(".ops")).not_to_have_js_property("scrollTop", 0)
    assert phone.names() == before


def test_an_expression_is_added_and_a_mistake_in_it_is_shown_at_its_place(lab: LabPage):
    lab.tools.get_by_role("button", name="Add a node").click()
    search_field(lab).fill("x*y")
    lab.press("Enter")
    expect(lab.value("mul_1")).to_have_text(four_digits(0.6 * 1.5))
    lab.tools.get_by_role("button", name="Add a node").click()
    search_field(lab).fill("cos(z) * q")
    lab.press("Enter")
    expect(lab.canvas.get_by_role("alert").filter(has_text="There is no node 'q'")).to_be_visible()
    expect(search_field(lab)).to_have_value("cos(z) * q")
    marked = search_field(lab).evaluate("({value, selectionStart: a, selectionEnd: b}) => value.slice(a, b)")
    assert marked == "q"
    lab.page.keyboard.type("x")
    lab.press("Enter")
    assert "cos_1" in lab.names()


def test_all_ops_are_tiles_by_group_walked_with_arrows_until_something_is_typed(lab: LabPage):
    lab.tools.get_by_role("button", name="Add a node").click()
    marked = lab.canvas.locator("[role=option][aria-selected=true]")
    expect(marked).to_have_attribute("data-op", "input")
    lab.page.keyboard.press("ArrowRight")
    expect(marked).to_have_attribute("data-op", "parameter")
    expect(lab.canvas.locator(".told-op")).to_contain_text("A value that training may change.")
    lab.page.keyboard.press("ArrowDown")  # the first row of the next group
    assert marked.get_attribute("data-op") not in ("input", "parameter", "random")
    first, second = (option(lab, name).bounding_box() for name in ("input", "parameter"))
    assert first["y"] == second["y"]
    lab.page.keyboard.type("sin")
    expect(marked).to_have_attribute("data-op", "sin")
    expect(option(lab, "sin").locator("small")).to_be_visible()
