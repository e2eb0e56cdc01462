"""Test that the formula and the canvas are two views of one graph."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, four_digits, middle, saying

pytestmark = pytest.mark.shared_page(plots=False)

TYPED = "p = 3.0\nq = p * p\nr = 2.0 * q"


def test_what_is_typed_is_drawn(lab: LabPage):
    lab.type_formula(TYPED)
    expect(lab.value("r")).to_have_text("18")
    expect(lab.cotangent("p")).to_have_text("12")  # d(2 p^2)/dp
    assert lab.names() == {"p", "q", "r"}


FITS = """area => {
  const box = area.closest(".box"), last = [...box.querySelectorAll(".line")].at(-1);
  const row = parseFloat(getComputedStyle(last).minHeight);
  const [end, floor] = [last.getBoundingClientRect().bottom, box.getBoundingClientRect().bottom];
  return { hidden: box.scrollHeight - box.clientHeight, free: (floor - end) / row, high: box.clientHeight };
}"""


def test_the_box_of_the_formula_is_as_high_as_its_text(lab: LabPage):
    lab.type_formula("p = 3.0\nq = p * p\nr = 2.0 * q\ns = r + p\nt = s * q\nu = t * t\nv = u + 1.0")
    found = lab.formula.evaluate(FITS)
    assert found["hidden"] == 0
    assert found["free"] < 1
    lab.type_formula("p = 3.0")
    lower = lab.formula.evaluate(FITS)
    assert lower["high"] < found["high"]
    assert lower["hidden"] == 0
    assert lower["free"] < 3  # three lines have room at least
    lab.type_formula("\n".join(["p = 3.0", *(f"q{i} = p * {i}.0" for i in range(60))]))
    assert lab.formula.evaluate(FITS)["hidden"] > 0
    assert lab.formula.evaluate(FITS)["high"] < 0.6 * lab.page.viewport_size["height"]


def test_a_mistake_is_marked_in_the_text_and_the_graph_stays(lab: LabPage):
    lab.type_formula("p = 3.0\nq = sinn(p)")
    expect(lab.page.get_by_text("sinn").first).to_be_visible()
    assert "exp_1" in lab.names()
    expect(lab.formula).to_have_value(saying("q = sinn(p)"))
    expect(lab.canvas.get_by_text("From the last good formula")).to_be_visible()
    assert float(lab.canvas.locator(".pane").first.evaluate("pane => getComputedStyle(pane).opacity")) < 1
    expect(lab.page.get_by_role("group", name="Check")).to_have_text(saying("From the last good formula."))
    lab.type_formula(TYPED)
    expect(lab.canvas.get_by_text("From the last good formula")).to_have_count(0)


@pytest.mark.nightly
def test_unfinished_text_outlives_a_click_on_the_canvas_and_a_reload(lab: LabPage):
    lab.type_formula("p = 3.0\nq = sinn(p)")
    lab.select("b")
    lab.press("s")
    expect(lab.formula).to_have_value(saying("q = sinn(p)"))
    lab.reload()
    expect(lab.formula).to_have_value(saying("q = sinn(p)"))
    expect(lab.cotangent("a")).to_have_text("0")


@pytest.mark.nightly
def test_unfinished_text_can_be_dropped(lab: LabPage):
    lab.type_formula("p = sinn(")
    lab.page.get_by_role("button", name="Drop my text").click()
    expect(lab.formula).to_have_value(saying("a = sin(x)"))


def test_a_half_built_graph_is_marked_at_its_node_and_the_rest_has_numbers(lab: LabPage):
    lab.type_formula("p = 3.0\nq = p * p\nr = q * ...\ns = exp(r)")
    expect(lab.node("r").get_by_text("needs second input").first).to_be_visible()
    expect(lab.node("q").get_by_text("needs")).to_have_count(0)
    expect(lab.value("q")).to_have_text("9")


def test_nan_is_marked_at_the_node_where_it_begins(lab: LabPage):
    lab.type_formula("p = -1.0\nq = log(p)\nr = 2.0 * q")
    expect(lab.value("r")).to_have_text("NaN")
    expect(lab.node("q").locator(".chip.warning")).to_be_visible()
    expect(lab.node("r").locator(".chip.warning")).to_have_count(0)


def test_an_argument_that_stands_for_another_node_is_noted_in_the_text_on_the_node_and_below(lab: LabPage):
    lab.type_formula("a = 2.0\ny = custom(0.5 * (1.0 + a), pullback=lambda v, a, y: v * a)")
    expect(lab.value("y")).to_have_text("1.5")  # it is a program, and runs
    noted = lab.page.locator(".mirror .noted").first
    expect(noted).to_have_attribute("data-message", re.compile("a stands for node add_1, .* not for node a"))
    expect(lab.node("y").locator(".chip.warning")).to_be_visible()
    expect(lab.page.get_by_text("Note: at y: Shadowed", exact=False).first).to_be_visible()


def test_text_that_looks_like_html_is_text(lab: LabPage):
    lab.type_formula("p = '<img src=x onerror=\"window.hacked = 1\">'")
    lab.page.wait_for_timeout(300)
    assert lab.page.evaluate("window.hacked") is None
    assert lab.page.locator("img[src=x]").count() == 0


@pytest.mark.nightly
def test_nodes_keep_their_places_when_the_formula_is_edited(lab: LabPage):
    lab.select("b")
    lab.drag_by("b", 40, 60)
    place = lab.place("b")
    lab.type_formula(lab.formula.input_value().replace("0.6", "0.7"))
    expect(lab.value("x")).to_have_text(four_digits(0.7))
    assert lab.place("b") == place


LOOP = "x = 0.5\nb = log(x) + sin(x)\nfor i in range(2):\n    b = b * x\nz = exp(b)"


def selected(lab: LabPage) -> set[str]:
    return set(lab.canvas.locator(".node.selected").evaluate_all("all => all.map((one) => one.dataset.id)"))


def move_caret(lab: LabPage, *offsets: int) -> None:
    """Put the caret at one place after the other, without a pause."""
    lab.formula.focus()
    lab.formula.evaluate(
        """(area, offsets) => offsets.forEach((at) => {
          area.setSelectionRange(at, at);
          area.dispatchEvent(new Event("selectionchange"));
        })""",
        list(offsets),
    )


@pytest.mark.nightly
def test_the_caret_and_the_pointer_in_the_formula_lead_to_the_canvas_and_back(lab: LabPage):
    lab.type_formula(LOOP)
    before = int(lab.page.locator(".formula").get_attribute("data-ack"))
    move_caret(lab, LOOP.index("x ="), LOOP.index("log"), LOOP.index("for"), LOOP.index("* x"))
    expect(lab.node("b_0")).to_have_class(saying("pointed"))  # at once, before anything is sent
    expect(lab.node("b_1")).to_have_class(saying("selected"))
    assert selected(lab) == {"b_0", "b_1"}  # both steps
    move_caret(lab, LOOP.index("x ="), LOOP.index("log"), LOOP.index("z ="))
    expect(lab.node("z")).to_have_class(saying("selected"))
    lab.settle()
    assert int(lab.page.locator(".formula").get_attribute("data-ack")) == before + 1
    expect(lab.formula).to_be_focused()

    lab.page.locator(".mirror .op", has_text="sin").hover(force=True)
    expect(lab.node("sin_1")).to_have_class(saying("pointed"))
    expect(lab.wire("sin_1")).to_have_class(saying("to-pointed"))
    frame = lab.node("sin_1").locator("> .card")
    expect(frame).to_have_css("stroke-dasharray", "5px, 3px")  # not yet the frame of a selection
    x, y = middle(lab.page.locator(".mirror .op", has_text="sin"))
    lab.page.mouse.click(x, y)
    expect(lab.node("sin_1")).to_have_class(saying("selected"))
    expect(frame).to_have_css("stroke-dasharray", "none")
    assert selected(lab) == {"sin_1"}
    expect(lab.page.locator(".mirror .chosen").first).to_have_text("sin")
    expect(lab.formula).to_be_focused()

    lab.node("z").locator(".card").hover()
    expect(lab.page.locator(".mirror .lit-line")).to_have_text("z = exp(b)")
    lab.select("z")
    expect(lab.page.locator(".mirror .line.here")).to_have_text("z = exp(b)")


def test_a_node_is_found_by_name_op_group_or_value_from_formula_and_canvas(lab: LabPage):
    lab.type_formula(LOOP)
    lab.formula.press("Control+f")
    field = lab.canvas.get_by_role("combobox", name="Find a node")
    expect(field).to_be_focused()
    expect(lab.canvas.get_by_role("option")).to_have_count(7)  # x, log_1, sin_1, b, b_0, b_1, z
    field.press_sequentially("mul")
    expect(lab.canvas.get_by_role("status")).to_have_text("2 nodes match")
    field.press("Enter")
    expect(lab.node("b_1")).to_have_class(saying("selected"))
    field.press("Shift+Enter")
    expect(lab.node("b_0")).to_have_class(saying("selected"))
    expect(lab.canvas.locator(".find-count")).to_have_text("1 of 2")
    field.fill("i 1")  # the group of the second step
    expect(lab.node("b_1")).to_have_class(saying("selected"))
    field.press("Escape")
    expect(lab.formula).to_be_focused()
    expect(field).to_have_count(0)

    lab.canvas.locator(".surface").focus()
    lab.press("Control+f")
    field.fill("-0.69")  # the logarithm of 0.5
    expect(lab.node("log_1")).to_have_class(saying("selected"))
    lab.press("Escape")
    expect(lab.canvas.locator(".surface")).to_be_focused()
    asked = 'new KeyboardEvent("keydown", { key: "f", ctrlKey: true, bubbles: true, cancelable: true })'
    assert lab.page.evaluate(f"() => document.body.dispatchEvent({asked})")  # there it is the browser's
    expect(field).to_have_count(0)


def test_undo_of_a_text_pasted_over_all_leads_to_the_line_that_was_typed_before(lab: LabPage):
    lab.formula.focus()
    keyboard = lab.page.keyboard
    for key in ("ControlOrMeta+a", "ControlOrMeta+c", "ControlOrMeta+End"):
        keyboard.press(key)
    keyboard.type("\nlast = a * 3.0")
    expect(lab.node("last")).to_be_visible()
    lab.settle()
    typed = lab.formula.input_value()
    for key in ("ControlOrMeta+a", "ControlOrMeta+v"):
        keyboard.press(key)
    expect(lab.node("last")).to_have_count(0)
    lab.settle()
    lab.page.get_by_role("button", name=re.compile("^Undo")).click()
    expect(lab.formula).to_have_value(typed)
    expect(lab.node("last")).to_be_visible()
