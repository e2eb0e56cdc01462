"""Test the page of lessons: search, filters, progress, surprise, and the ways to the lab and back."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from autodiff_viz.lessons.gallery import LESSONS, SERVED
from tests import own_lesson

DONE, BEGUN = LESSONS[:2]
"""The first lesson, of which all is done by a visitor who has progress, and the second, which is begun."""

KEPT = {
    "autodiff_viz done": [f"{DONE.key}:{i}" for i in range(len(DONE.to_try))],
    "autodiff_viz.1.lessons": [
        {"key": DONE.key, "at": 2, "answered": True}, {"key": BEGUN.key, "at": 1}, "odd", {"at": 3},
    ],
}  # fmt: skip
KEEP = """(kept) => { localStorage.clear();
  for (const [name, value] of Object.entries(kept)) localStorage.setItem(name, JSON.stringify(value)); }"""


@pytest.fixture(scope="module")
def lessons(module_page: Page, address: str) -> Page:
    module_page.goto(f"{address}/lessons")
    return module_page


@pytest.fixture
def every(lessons: Page, address: str) -> Page:
    """All lessons, for a visitor without progress."""
    lessons.evaluate(KEEP, {})
    lessons.goto(f"{address}/lessons")
    expect(found(lessons)).to_have_text(f"{len(SERVED)} lessons")
    return lessons


@pytest.fixture
def begun(lessons: Page, address: str) -> Page:
    """The same for one who has progress."""
    lessons.evaluate(KEEP, KEPT)
    lessons.goto(f"{address}/lessons")
    expect(card(lessons, DONE.key).locator(".state")).to_have_text("\u2713 Done")
    expect(card(lessons, DONE.key).locator(".ring")).to_be_hidden()  # one sign is enough
    return lessons


def found(page: Page) -> Locator:
    return page.locator(".found")


def search(page: Page) -> Locator:
    return page.get_by_role("searchbox")


def card(page: Page, key: str) -> Locator:
    return page.locator(f".card[data-key={key}]")


def following(page: Page) -> Locator:
    return page.locator(".continue a")


def progress(page: Page) -> Locator:
    """The visitor's progress as text, which is opened."""
    page.get_by_text("Your progress").click()
    text = page.get_by_label("Progress as text")
    expect(text).not_to_have_value("")
    return text


def test_a_slash_leads_to_the_search_and_words_find_lessons(every: Page):
    every.keyboard.press("/")
    expect(search(every)).to_be_focused()
    every.keyboard.type("REMAT")
    expect(card(every, "checkpointing")).to_be_visible()
    expect(card(every, DONE.key)).to_be_hidden()
    expect(every).to_have_url(re.compile(r"\?q=REMAT$"))
    expect(found(every)).to_have_text(re.compile(rf"^\d+ of {len(SERVED)} lessons$"))


def test_where_nothing_is_found_all_can_be_shown(every: Page):
    search(every).fill("zzz")
    every.get_by_role("button", name="Show all").click()
    expect(found(every)).to_have_text(f"{len(SERVED)} lessons")


def test_a_level_leaves_its_own_lessons(every: Page):
    every.get_by_label("Level").select_option("3")
    levels = every.locator(".card:visible").evaluate_all("all => all.map((one) => one.dataset.level)")
    assert {*levels} == {"3"}


def test_after_a_lesson_that_is_done_the_next_one_is_offered(begun: Page):
    expect(following(begun)).to_have_text(BEGUN.title)
    expect(following(begun)).to_have_attribute("href", re.compile(rf"\?lesson={BEGUN.key}$"))


def test_what_is_done_can_be_left_out_and_is_no_surprise(begun: Page):
    begun.get_by_label("Not done yet").check()
    expect(card(begun, DONE.key)).to_be_hidden()
    begun.locator(".surprise").hover()
    leads = begun.locator(".surprise").get_attribute("href")
    assert "lesson=" in leads
    assert f"lesson={DONE.key}" not in leads


def test_progress_is_taken_along_forgotten_and_brought_in(begun: Page):
    text = progress(begun)
    kept = text.input_value()
    assert {each["key"] for each in json.loads(kept)["lessons"]} == {DONE.key, BEGUN.key}
    for _ in range(2):  # the second press means it
        begun.get_by_role("button", name="Forget all").click()
    expect(begun.locator(".continue")).to_be_hidden()
    text.fill(kept)
    begun.get_by_role("button", name="Bring in").click()
    expect(following(begun)).to_have_text(BEGUN.title)


def test_what_is_no_progress_is_refused(begun: Page):
    progress(begun).fill("{}")
    begun.get_by_role("button", name="Bring in").click()
    expect(begun.get_by_text("This is no progress of this page")).to_be_visible()


def test_the_lab_notes_a_visit_and_leads_back(every: Page):
    card(every, BEGUN.key).locator("a.open").press("Enter")
    expect(every.locator(".canvas [data-id]").first).to_be_visible()
    every.get_by_role("link", name="Lessons").click()
    expect(following(every)).to_have_text(BEGUN.title)
    expect(every.locator("#to-lab")).to_have_attribute("href", re.compile(f"lesson={BEGUN.key}"))


def test_lessons_that_are_clicked_become_a_path_that_its_lessons_stay_on(every: Page):
    every.get_by_role("button", name="Make a path").click()
    for key in ("twins", own_lesson.KEY):
        card(every, key).get_by_role("button").click()
    expect(card(every, own_lesson.KEY)).to_have_attribute("data-chosen", "2")
    every.get_by_label("Title").fill("Week 3")
    every.get_by_role("button", name="Open the path").click()
    expect(every.get_by_role("heading", level=1)).to_have_text("Week 3")
    expect(every.locator(".card")).to_have_count(2)
    every.get_by_role("link", name="Start", exact=True).click()
    every.get_by_role("button", name="Next", exact=True).click()
    expect(every.locator(".av-way")).to_have_text("Week 3 \u00b7 2 of 2")
    expect(every.get_by_role("button", name="Next", exact=True)).to_be_disabled()
    every.locator(".av-way a").click()
    expect(card(every, own_lesson.KEY).locator(".state")).to_have_text("Opened")
    expect(every.locator(".start")).to_have_text("Go on with lesson 1")
