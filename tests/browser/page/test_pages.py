"""Test going from the lab to the lessons and back: no edit is lost, and the lab is as it was left."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from autodiff_viz.lessons.gallery import LESSONS, SERVED
from tests.browser.lab_page import LabPage, saying

STOPPED = "b = stop_gradient(a * y)"


@pytest.fixture
def lab(page: Page, address: str) -> LabPage:
    return LabPage(page, address).open()


def to_lessons(lab: LabPage) -> None:
    lab.page.get_by_role("link", name="Lessons").click()


def to_lab(lab: LabPage) -> None:
    lab.page.get_by_role("link", name="Lab", exact=True).click()


def on_lessons(lab: LabPage) -> None:
    """The page of lessons is complete, and that of the lab has gone."""
    expect(lab.page.locator("li.card")).to_have_count(len(SERVED))
    expect(lab.page.get_by_role("status").first).to_have_text(f"{len(SERVED)} lessons")
    expect(lab.canvas).to_have_count(0)


def on_lab(lab: LabPage) -> None:
    expect(lab.canvas).to_be_visible()
    lab.settle()
    expect(lab.page.locator("li.card")).to_have_count(0)


@pytest.mark.nightly
def test_lessons_open_after_a_rule_was_set_and_back_and_forward_lead_to_each_page(lab: LabPage):
    lab.select("b")
    lab.press("s")
    lab.page.wait_for_timeout(1000)  # nothing is under way any more
    to_lessons(lab)
    on_lessons(lab)
    to_lab(lab)
    on_lab(lab)
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
def test_a_lesson_is_opened_from_the_gallery_wherever_that_was_entered(
    page: Page, address: str, lab: LabPage
):
    lab.select("b")
    lab.press("s")
    to_lessons(lab)
    on_lessons(lab)
    opener = page.locator("a.open")
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
