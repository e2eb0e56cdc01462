"""Test asking on the page: numbers hide, answers come by keyboard and by touch, the pass reveals them."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from autodiff_viz.asking.question import NUMBER, PASSED, Quantity, Question
from autodiff_viz.graph.link import to_link
from autodiff_viz.lab.asking import ask
from autodiff_viz.lab.persistence.address import ASK, to_query
from autodiff_viz.lab.state import opened, start
from autodiff_viz.language.parse import parse
from tests.browser.lab_page import LabPage
from tests.browser.page.test_axe import faults

FORK = parse("x = 3.0\na = 2.0 * x\nb = square(x)\nz = a + b")  # 2 comes from a and 6 from b: 8 arrives at x
LINK = f"?g={to_link(FORK)}&node=x"


def asked_link(*questions: Question) -> str:
    lab = ask(opened(start(), FORK, "Open"), questions, "cotangents")
    return f"{LINK}&{ASK}={to_query(lab)[ASK]}"


@pytest.mark.own_page
def test_a_question_is_asked_answered_and_kept_by_keyboard_alone(lab: LabPage):
    page = lab.page
    page.set_viewport_size({"width": 1280, "height": 720})
    lab.open(LINK)
    question = page.get_by_role("region", name="Question")
    expect(lab.node("x").locator(".number.cotangent")).to_have_text("8")
    lab.canvas.locator(".surface").focus()
    lab.press("q")
    dialog = lab.canvas.get_by_role("dialog", name="Ask")
    expect(dialog.get_by_text("not for marks")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")  # Ask has the focus: what arrives at the selected node
    says = question.locator(".asking-says")
    expect(says).to_have_text("What arrives at x?")
    expect(says).to_be_in_viewport(ratio=1)
    expect(lab.node("x").locator(".number.cotangent")).to_have_text("?")
    expect(lab.wire("a", 1).locator("title")).to_contain_text("hidden while it is asked for")
    expect(lab.node("x")).to_have_attribute(
        "aria-label", "x, input, value 3, cotangent hidden while it is asked for"
    )
    dialog.get_by_label("Kind").select_option("which wire brings more")
    dialog.get_by_role("button", name="Ask this too").press("Enter")
    expect(question.get_by_role("button", name="1 of 2")).to_be_visible()
    dialog.get_by_role("button", name="Question 2 earlier").press("Enter")
    expect(dialog.get_by_role("group", name="Question 1")).to_contain_text("which wire brings more")
    dialog.get_by_role("button", name="Question 1 later").press("Enter")
    expect(dialog.get_by_role("group", name="Question 1")).to_contain_text("the number")
    assert faults(page) == []
    page.keyboard.press("Escape")

    lab.press("q")  # to the question
    page.keyboard.type("2")
    expect(question.locator(".read-as")).to_have_text("read as 2")
    page.keyboard.press("Enter")
    expect(question.locator(".verdict")).to_contain_text("One more try")
    expect(lab.canvas.locator("[data-wire].to-cause")).to_have_count(1)
    expect(lab.node("x").locator(".chip.guess")).to_have_text("you 2")
    assert "8" not in question.inner_text()
    lab.node("x").focus()
    page.keyboard.press("Delete")
    expect(question.locator(".verdict")).to_have_text(
        "x is no longer in the graph. Undo, or remove the question."
    )
    assert faults(page) == []
    question.get_by_role("button", name="Undo").press("Enter")
    expect(lab.node("x").locator(".chip.guess")).to_have_text("you 2")
    lab.press("q")
    page.keyboard.type("nonsense")
    page.keyboard.press("Enter")
    expect(question.locator(".read-as.unread")).to_contain_text("is no number")
    question.get_by_role("textbox").fill("16/2")
    expect(question.locator(".read-as")).to_have_text("read as 16/2 = 8")
    page.keyboard.press("Enter")
    expect(question.locator(".verdict")).to_contain_text("You: 16/2. JAX: 8. Right. 2 + 6 = 8")
    expect(lab.canvas).to_have_attribute("data-play", "backward")  # at the step that computes it
    expect(page.get_by_role("group", name="Play the pass").get_by_role("status")).to_have_text(
        "8 arrives at x \u00b7 you said 16/2"
    )
    expect(lab.node("x").locator(".number.cotangent")).to_have_text("8")
    expect(lab.node("a").locator(".number.cotangent")).to_have_text("?")  # of the question that is still open
    page.keyboard.press("Enter")  # Next question has the focus
    expect(says).to_contain_text("Which brings back more")
    assert faults(page) == []
    page.reload()
    lab.settle()
    expect(question.get_by_role("button", name="2 of 2")).to_be_visible()
    expect(lab.node("x").locator(".chip.guess")).to_have_text("you 16/2")
    question.get_by_role("button", name="the wire from b").click()
    expect(question.locator(".verdict")).to_contain_text("Right.")
    question.get_by_role("button", name="Copy my result").click()
    taken = lab.canvas.get_by_role("textbox", name="Text to copy")  # this browser lets no page copy
    expect(taken).to_have_value("av1 graph: number 2 tries one-path right; larger 1 try right")
    page.keyboard.press("Escape")
    expect(taken).to_have_count(0)
    expect(lab.node("a").locator(".number.cotangent")).to_have_text("1")
    question.get_by_role("button", name="Stop asking").click()
    expect(question).to_be_hidden()
    lab.press("q")  # a question whose answer no number tells
    dialog.get_by_label("Kind").select_option("one of your own options")
    dialog.get_by_role("textbox", name="Options").fill("it doubles; it is 4 times as large, for x is squared")
    dialog.get_by_role("textbox", name="Right").fill("it is 4 times as large, for x is squared")
    dialog.get_by_role("textbox", name="Words").fill("Twice the x: what becomes of b?")
    assert faults(page) == []
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(question.get_by_role("button", name="it doubles")).to_be_visible()
    lab.press("q")
    page.keyboard.press("2")
    expect(question.locator(".verdict")).to_have_text("You: it is 4 times as large, for x is squared. Right.")


def test_on_a_phone_the_question_stands_below_the_graph_and_a_tap_on_its_sign_answers(
    phone_context: BrowserContext, address: str
):
    page: Page = phone_context.new_page()
    page.emulate_media(color_scheme="dark")
    wire = Question(NUMBER, Quantity(PASSED, "b", 0))
    lab = LabPage(page, address).open(asked_link(Question(NUMBER, Quantity("cotangent", "x")), wire))
    question = page.get_by_role("region", name="Question")
    graph, row = lab.canvas.bounding_box(), question.bounding_box()
    assert row["y"] >= graph["y"] + graph["height"] - 1
    lab.canvas.locator("[data-id='x'] .number.cotangent").tap()
    dialog = lab.canvas.get_by_role("dialog", name="What arrives at x?")
    dialog.get_by_role("button", name="I do not know").tap()
    expect(question.locator(".verdict")).to_contain_text("You did not guess. JAX: 8.")
    question.get_by_role("button", name="Next question").tap()
    expect(question.locator(".asking-says")).to_have_text("What does the wire from b to x bring back?")
    field = question.get_by_role("textbox")
    field.fill("\u06f6")  # a Persian six
    expect(question.locator(".read-as")).to_have_text("read as 6")
    question.get_by_role("button", name="Answer").tap()
    expect(question.locator(".verdict")).to_contain_text("JAX: 6. Right.")
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
    assert faults(page) == []
    page.close()
