"""Test going from the lab to the lessons and back: the page requested last is the one on view, whatever else
was on its way to the server, and no edit is lost.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from autodiff_viz.lessons.gallery import LESSONS
from tests.browser.lab_page import LabPage, saying
from tests.browser.wire import Wire

STOPPED = "b = stop_gradient(a * y)"
COLD = 120_000  # milliseconds in which the claims of all lessons are worked out for the first time


@pytest.fixture
def wire(page: Page) -> Wire:
    return Wire(page)


@pytest.fixture
def lab(page: Page, address: str, wire: Wire) -> LabPage:
    return LabPage(page, address).open()


def to_lessons(lab: LabPage) -> None:
    lab.page.get_by_role("link", name="Lessons").click()


def to_lab(lab: LabPage) -> None:
    lab.page.get_by_role("link", name="Lab").click()


def on_lessons(lab: LabPage) -> None:
    """The gallery is complete, and stays when all that was under way has come."""
    cards = lab.page.get_by_role("button", name="Open in the lab")
    expect(cards).to_have_count(len(LESSONS), timeout=COLD)
    expect(lab.page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    lab.page.wait_for_timeout(300)
    expect(cards).to_have_count(len(LESSONS))
    expect(lab.canvas).to_have_count(0)


def on_lab(lab: LabPage) -> None:
    expect(lab.canvas).to_be_visible()
    lab.settle()
    expect(lab.page.get_by_role("button", name="Open in the lab")).to_have_count(0)


SCROLLED = "[data-testid=stMain]"


def top(lab: LabPage) -> float:
    return max(lab.page.locator(SCROLLED).evaluate_all("(all) => all.map((one) => one.scrollTop)"))


def scroll(lab: LabPage) -> None:
    lab.page.locator(SCROLLED).evaluate_all("(all) => all.forEach((one) => one.scrollTo(0, 300))")
    assert top(lab) > 0


@pytest.mark.nightly
def test_lessons_open_after_a_rule_was_set_and_back_and_forward_lead_to_each_page(lab: LabPage):
    lab.select("b")
    lab.press("s")
    lab.page.wait_for_timeout(1000)  # nothing is under way any more
    to_lessons(lab)
    on_lessons(lab)
    scroll(lab)  # the lab does not scroll
    to_lab(lab)
    on_lab(lab)
    assert top(lab) == 0
    expect(lab.formula).to_have_value(saying(STOPPED))
    lab.page.go_back()
    on_lessons(lab)
    lab.page.go_back()
    on_lab(lab)
    expect(lab.formula).to_have_value(saying(STOPPED))
    lab.page.go_forward()
    on_lessons(lab)
    lab.page.reload()
    on_lessons(lab)


@pytest.mark.nightly
def test_between_a_link_and_its_answer_nothing_is_sent_that_could_lead_back_and_no_edit_is_lost(
    lab: LabPage, wire: Wire
):
    """Streamlit joins a waiting request for a page with a later message, whose address is the old one."""
    lab.select_quickly("b")
    with wire.hold():
        to_lessons(lab)
        lab.page.wait_for_timeout(200)
        before = wire.sent
        lab.canvas.locator(".surface").press("s")
        lab.page.wait_for_timeout(1500)  # in which the check and the rest of the page would be asked for
        assert wire.sent == before
    on_lessons(lab)
    to_lab(lab)
    on_lab(lab)
    expect(lab.formula).to_have_value(saying(STOPPED))


def test_claims_are_ticked_when_they_have_been_checked_and_nobody_asks(lab: LabPage):
    """The fork has six claims, three times two; they are worked out in a process beside the server."""
    to_lessons(lab)
    on_lessons(lab)
    card = lab.page.locator(".st-key-card_fork")
    expect(card.get_by_text("6 of 6 claims hold")).to_be_visible(timeout=COLD)
    card.get_by_text("6 of 6 claims hold").click()
    expect(card.get_by_role("img", name="holds")).to_have_count(6)


def set_rule(lab: LabPage) -> Callable[[], None]:
    lab.select_quickly("a")
    lab.canvas.locator(".surface").press("s")
    return lambda: expect(lab.formula).to_have_value(saying("a = stop_gradient(sin(x))"))


def add_node(lab: LabPage) -> Callable[[], None]:
    lab.tools.get_by_role("button", name="Add a node").click()
    lab.canvas.get_by_role("combobox", name="Search ops").fill("tanh")
    lab.page.keyboard.press("Enter")
    return lambda: expect(lab.node("tanh_1")).to_be_visible()


def delete_node(lab: LabPage) -> Callable[[], None]:
    lab.select_quickly("exp_1")
    lab.page.keyboard.press("Delete")
    return lambda: expect(lab.node("exp_1")).to_have_count(0)


def move_slider(lab: LabPage) -> Callable[[], None]:
    lab.page.get_by_label("Slider of x").press("ArrowRight")
    return lambda: expect(lab.page.get_by_label("Value of x")).to_have_value("0.61")


def type_text(lab: LabPage) -> Callable[[], None]:
    lab.formula.press("Control+Home")
    lab.page.keyboard.type("w = 3.0\n")
    return lambda: expect(lab.node("w")).to_be_visible()


@pytest.mark.nightly
def test_no_edit_is_lost_when_the_page_is_left_at_once(lab: LabPage):
    for edit in (set_rule, add_node, delete_node, move_slider, type_text):
        is_done = edit(lab)
        to_lessons(lab)
        on_lessons(lab)
        to_lab(lab)
        on_lab(lab)
        is_done()


@pytest.mark.nightly
def test_what_is_done_after_lessons_were_asked_for_does_not_take_their_place(lab: LabPage, wire: Wire):
    """On a slow line a page stays on view until the other one comes."""
    with wire.hold():
        to_lessons(lab)
        is_done = set_rule(lab)
        lab.page.wait_for_timeout(100)  # it is sent
        lab.page.get_by_role("tab", name="Runs", exact=True).click()
        lab.page.wait_for_timeout(100)
    on_lessons(lab)
    to_lab(lab)
    on_lab(lab)
    is_done()


@pytest.mark.nightly
def test_the_lab_opens_whatever_is_done_among_the_lessons_meanwhile(lab: LabPage, wire: Wire):
    to_lessons(lab)
    on_lessons(lab)
    with wire.hold():
        to_lab(lab)
        lab.page.get_by_test_id("stExpander").first.click()
        lab.page.wait_for_timeout(100)
    on_lab(lab)
    expect(lab.page).to_have_url(f"{lab.address}/")  # nothing has been done
    lab.reload()
    on_lab(lab)


def test_a_lesson_is_opened_from_the_gallery_wherever_that_was_entered(
    page: Page, address: str, lab: LabPage
):
    lab.select("b")
    lab.press("s")
    to_lessons(lab)
    on_lessons(lab)
    opener = page.get_by_role("button", name="Open in the lab")
    opener.nth(1).click()
    on_lab(lab)
    expect(page.locator(".st-key-lesson").get_by_text(LESSONS[1].title).first).to_be_visible()
    page.go_back()
    on_lessons(lab)
    page.goto(f"{address}/lessons")
    on_lessons(lab)
    opener.nth(2).click()
    on_lab(lab)
    expect(page.locator(".st-key-lesson").get_by_text(LESSONS[2].title).first).to_be_visible()
