"""Test that undo leads from one document to the one before it, with its lesson."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from autodiff_viz.lessons.gallery import LESSONS
from tests.browser.lab_page import LabPage, saying


def lesson(lab: LabPage) -> Locator:
    return lab.page.locator(".st-key-lesson")


def shows_lesson(lab: LabPage, number: int, text: str) -> None:
    expect(lesson(lab)).to_contain_text(LESSONS[number - 1].title)
    expect(lab.formula).to_have_value(saying(text))
    lab.settle()


@pytest.mark.nightly
@pytest.mark.parametrize("number", [2, 10])
def test_undo_in_a_lesson_that_has_just_been_opened_leads_out_of_it(lab: LabPage, number: int):
    lab.page.get_by_role("link", name="Lessons").click()
    lab.page.locator("a.open").nth(number - 2).click()
    expect(lab.canvas).to_be_visible()
    lab.settle()
    before = lab.formula.input_value().splitlines()[0]
    lab.page.get_by_role("button", name="Next", exact=True).click()
    expect(lesson(lab)).to_contain_text(LESSONS[number - 1].title)
    lab.settle()
    text = lab.formula.input_value()
    shows_lesson(lab, number, text.splitlines()[0])
    lab.button("Undo")
    shows_lesson(lab, number - 1, before)
    lab.button("Redo")
    shows_lesson(lab, number, text.splitlines()[0])
    graphs = lab.page.get_by_role("tablist", name="Graphs of the lesson").get_by_role("tab")
    graphs.filter(has_text=LESSONS[number - 1].steps[1].title).first.click()
    expect(lab.formula).not_to_have_value(text)
    lab.settle()
    lab.page.keyboard.press("Control+z")  # with the focus on the tab
    expect(lab.formula).to_have_value(text)
    lab.button("Redo")
    expect(lab.formula).not_to_have_value(text)
    lab.settle()
    lab.reload()
    lab.button("Undo")
    expect(lab.formula).to_have_value(text)
    expect(graphs.nth(0)).to_have_attribute("aria-selected", "true")
    lab.button("Undo")
    shows_lesson(lab, number - 1, before)


def test_a_closed_lesson_leads_back_to_ones_own_graph_and_asks_no_longer(lab: LabPage):
    mine = "u = 2.0\nv = tanh(u)"
    lab.type_formula(mine)
    expect(lab.page).to_have_url(saying("g="))
    lab.open("?lesson=fork")
    back = lab.canvas.get_by_role("link", name="Back to your graph")
    expect(back).to_be_hidden()
    lab.page.get_by_role("button", name="Close", exact=True).click()
    expect(back).to_be_visible()
    expect(lab.canvas.locator(".welcome:visible")).to_have_count(1)
    expect(lab.cotangent("x")).to_have_text("8")  # 2 + 2 * 3, which the lesson had asked for
    lab.reload()
    expect(back).to_be_visible()
    back.click()
    expect(lab.formula).to_have_value(mine)
    expect(back).to_be_hidden()
