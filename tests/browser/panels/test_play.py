"""Test the pass, played step by step below the canvas."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import DRAWN, saying

VALUES = ["x = 0.6", "y = 1.5", "a = sin(x) = 0.5646", "b = a * y = 0.847"]


COUNT_MESSAGES = """() => {
  globalThis.messagesSent = [];
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    globalThis.messagesSent.push(typeof data === "string" ? data : new TextDecoder().decode(data));
    send.call(this, data);
  };
}"""


def bar(lab):
    return lab.page.get_by_role("group", name="Play the pass")


def says(lab):
    return bar(lab).get_by_role("status")


def is_known(lab, node, which, known):
    number = lab.node(node).locator(f".number.{which}")
    dash = lab.node(node).locator(f".blank.{which}")
    (expect(number).to_be_visible if known else expect(number).to_be_hidden)()
    expect(dash).to_have_css("display", "none" if known else "inline")


def ended(lab):
    expect(lab.canvas).not_to_have_attribute("data-play", re.compile("."))


@pytest.mark.shared_page(plots=False)
def test_at_its_end_the_wire_behind_a_stop_looks_as_it_does_at_rest(lab):
    dashes = lab.wire("exp_1", 0).locator(".line").evaluate("line => getComputedStyle(line).strokeDasharray")
    assert dashes != "none"
    bar(lab).get_by_role("button", name="Play the pass").click()
    expect(lab.canvas).to_have_attribute("data-play", "forward")
    bar(lab).get_by_role("button", name="Pause").click()
    expect(lab.wire("exp_1", 0).locator(".line")).to_have_css("stroke-dasharray", "none")
    lab.page.keyboard.press("End")
    lab.page.keyboard.press("End")
    expect(says(lab)).to_have_text("the gradient of x is 1.238")
    expect(lab.wire("exp_1", 0).locator(".line")).to_have_css("stroke-dasharray", dashes)
    expect(lab.canvas.locator(".passed.zero")).to_be_visible()


def paused(lab):
    """Play the pass, and pause it at its first step."""
    bar(lab).get_by_role("button", name="Play the pass").click()
    expect(lab.canvas).to_have_attribute("data-play", "forward")
    bar(lab).get_by_role("button", name="Pause").click()
    lab.page.keyboard.press("Home")


@pytest.mark.shared_page
def test_values_appear_as_they_are_computed(lab):
    paused(lab)
    for i, equation in enumerate(VALUES):
        lab.page.keyboard.press("ArrowRight")
        expect(says(lab)).to_have_text(equation)
        is_known(lab, "b", "value", i == 3)
    expect(lab.wire("b", 0)).to_have_class(saying("flows"))
    is_known(lab, "z", "value", False)
    lab.page.keyboard.press("End")
    is_known(lab, "z", "value", True)
    is_known(lab, "z", "cotangent", False)


@pytest.mark.shared_page
def test_cotangents_appear_as_they_are_pulled_back_beside_the_plots_too(lab):
    numbers = lab.page.locator(".st-key-part_figure .av-words")  # beside the bars of the figure
    expect(numbers.filter(has_text="1.238")).not_to_have_count(0)
    paused(lab)
    for key in ("End", "ArrowRight"):
        lab.page.keyboard.press(key)
    expect(lab.canvas).to_have_attribute("data-play", "backward")
    is_known(lab, "z", "cotangent", True)
    is_known(lab, "x", "cotangent", False)
    expect(numbers.filter(has_text="\u2013")).not_to_have_count(0)
    expect(numbers.filter(has_text="1.238")).to_have_count(0)
    expect(lab.node("x")).to_have_accessible_name(saying("cotangent not computed yet"))
    for _ in range(3):  # the stopped exponential, b, a
        lab.page.keyboard.press("ArrowRight")
    expect(says(lab)).to_have_text(saying("0.8253 × 1.5 = 1.238 goes to x"))
    expect(lab.wire("a", 0)).to_have_class(saying("flows-back"))
    lab.page.keyboard.press("ArrowLeft")
    expect(says(lab)).to_have_text(saying("1.5 × 1 = 1.5 goes to a"))


@pytest.mark.shared_page(plots=False)
def test_the_slider_of_the_steps_leads_to_any_of_them(lab):
    paused(lab)
    at = bar(lab).get_by_role("slider", name="Step of the pass").bounding_box()
    ends = [(at["x"] + share * at["width"], at["y"] + at["height"] / 2) for share in (0.5, 0.02, 0.98)]
    lab.page.mouse.move(*ends[0])
    lab.page.mouse.down()
    lab.page.mouse.move(*ends[1], steps=3)
    expect(bar(lab)).to_have_attribute("data-at", "0")
    is_known(lab, "x", "value", False)
    lab.page.mouse.move(*ends[2], steps=3)
    expect(says(lab)).to_have_text("the gradient of x is 1.238")
    is_known(lab, "x", "cotangent", True)
    lab.page.mouse.up()
    lab.page.keyboard.press("ArrowLeft")
    expect(says(lab)).to_have_text("the gradient of y is 0.5646")


@pytest.mark.own_page  # its socket is watched
def test_a_play_to_its_end_asks_the_server_for_nothing(lab):
    expect(lab.page.get_by_role("group", name="Check")).to_contain_text("agree")
    paused(lab)
    lab.page.evaluate(COUNT_MESSAGES)
    bar(lab).get_by_label("Speed").select_option("4")
    bar(lab).get_by_role("button", name="Play on").click()
    ended(lab)
    expect(lab.page.locator(".st-key-part_figure .av-words").filter(has_text="1.238")).not_to_have_count(0)
    expect(lab.canvas.locator(".blank")).to_have_count(0)
    expect(lab.cotangent("x")).to_be_visible()
    # The page may still ask for parts that a worker was late with.
    sent = lab.page.evaluate("globalThis.messagesSent")
    assert [message for message in sent if '"seq"' in message or '"play"' in message] == []


@pytest.mark.own_page
def test_on_a_first_visit_play_leads_to_the_first_stop(lab):
    lab.page.evaluate("localStorage.clear()")  # what other tests have learnt
    lab.reload()
    expect(lab.page.locator(DRAWN).first).to_be_visible()
    expect(lab.canvas.locator("[data-id].selected")).to_have_count(0)
    expect(says(lab)).to_have_text("Click a node to bend its gradient")
    expect(bar(lab).get_by_role("button", name="Play the pass")).to_be_in_viewport()
    paused(lab)
    for _ in range(2):
        lab.page.keyboard.press("End")
    bar(lab).get_by_role("button", name="Play on").click()
    ended(lab)
    expect(says(lab)).to_have_text(saying("then press stop"))
    lab.select("exp_1")
    expect(says(lab)).to_have_text(saying("press stop"))
    lab.press("s")
    expect(says(lab)).to_have_text("")
    expect(lab.cotangent("x")).to_have_text("2.69")  # 0.82534 * (1.5 + exp(0.56464))
    lab.reload()
    expect(lab.page.locator(DRAWN).first).to_be_visible()
    expect(says(lab)).to_have_text("")  # the browser remembers


@pytest.mark.shared_page
def test_an_edit_ends_the_play_and_a_region_that_runs_again_is_marked(lab):
    lab.select("b")
    lab.press("c")
    bar(lab).get_by_role("button", name="Play the pass").click()
    expect(lab.canvas).to_have_attribute("data-play", "forward")
    lab.page.keyboard.press("Space")
    expect(bar(lab).get_by_role("button", name="Play on")).to_be_focused()
    lab.page.keyboard.press("End")
    lab.page.keyboard.press("ArrowRight")
    while "again" not in says(lab).inner_text():
        expect(bar(lab)).not_to_have_attribute("data-at", "13")
        lab.page.keyboard.press("ArrowRight")
    expect(lab.node("b")).to_have_class(saying("runs-again"))
    expect(lab.node("b").locator(".again-mark")).to_be_visible()
    lab.canvas.locator(".surface").focus()
    lab.press("s")  # b is still selected
    ended(lab)
    expect(says(lab)).to_have_text(saying("The numbers have changed"))
    bar(lab).get_by_role("button", name="Play the pass").click()
    expect(lab.canvas).to_have_attribute("data-play", "forward")
    lab.page.keyboard.press("Space")
    expect(bar(lab).get_by_role("button", name="Play on")).to_be_focused()
    for _ in range(2):
        lab.page.keyboard.press("End")
    expect(says(lab)).to_have_text(saying("stops it: nothing is passed on"))
    lab.page.keyboard.press("Escape")
    ended(lab)


@pytest.mark.shared_page
def test_keys_that_are_not_the_transports_do_what_they_do_on_the_canvas(lab):
    lab.select("b")
    play = bar(lab).get_by_role("button", name="Play the pass")
    scrubber = bar(lab).get_by_role("slider", name="Step of the pass")
    play.focus()
    lab.page.keyboard.press("?")
    expect(lab.page.get_by_text("Wire, either way")).to_be_visible()
    lab.page.keyboard.press("Escape")
    play.focus()
    lab.press("s")
    expect(lab.cotangent("a")).to_have_text("0")
    expect(play).to_be_focused()
    lab.page.keyboard.press("ArrowDown")
    expect(play).to_be_focused()
    lab.page.keyboard.press("ArrowRight")
    expect(says(lab)).to_have_text(VALUES[0])
    scrubber.focus()
    lab.press("Control+z")
    ended(lab)
    expect(lab.cotangent("a")).to_have_text("1.5")
    lab.type_formula("x = [1.0, 2.0]\nz = sum(x * 2.0)")
    bar(lab).get_by_role("button", name="One step on").click()
    expect(says(lab)).to_have_text("x = [1, 2]")
    expect(lab.node("x").locator(".cell").first).to_be_visible()
    expect(lab.node("mul_1").locator(".cell").first).to_be_hidden()
    lab.page.keyboard.press("Escape")
    expect(lab.node("mul_1").locator(".cell").first).to_be_visible()
