"""Test the page of lessons: search, filters, progress, surprise, and the ways to the lab and back."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Page, expect

from autodiff_viz.lessons.gallery import LESSONS, lesson
from tests.own_lesson import KEY, LESSON

DONE = """() => localStorage.setItem("autodiff_viz done",
  JSON.stringify(["fork:0", "fork:1", "fork:2", "fork:3"]))"""
PARTS = """() => localStorage.setItem("autodiff_viz.1.lessons",
  JSON.stringify([{ key: "fork", at: 2, answered: true }, { key: "surgery", at: 1 }, "odd", { at: 3 }]))"""


def test_a_lesson_is_found_and_progress_is_shown_taken_along_and_forgotten(page: Page, address: str):
    page.goto(f"{address}/lessons")
    found, search = page.locator(".found"), page.get_by_role("searchbox")
    expect(found).to_have_text(f"{len(LESSONS)} lessons")
    page.keyboard.press("/")
    expect(search).to_be_focused()
    page.keyboard.type("REMAT")
    expect(page.locator(".card[data-key=checkpointing]")).to_be_visible()
    expect(page.locator(f".card[data-key={KEY}]")).to_be_hidden()
    expect(page).to_have_url(re.compile(r"\?q=REMAT$"))
    expect(found).to_have_text(re.compile(rf"^\d+ of {len(LESSONS)} lessons$"))
    search.fill("zzz")
    page.get_by_role("button", name="Show all").click()
    expect(found).to_have_text(f"{len(LESSONS)} lessons")
    page.get_by_label("Level").select_option("3")
    for card in page.locator(".card:visible").all():
        assert card.get_attribute("data-level") == "3"

    page.evaluate(DONE)
    page.evaluate(PARTS)
    page.goto(f"{address}/lessons?q={KEY}")
    fork = page.locator(f".card[data-key={KEY}]")
    expect(fork.locator(".state")).to_have_text("✓ Done")
    following = page.locator(".continue a")
    after = LESSONS[LESSONS.index(LESSON) + 1]
    expect(following).to_have_text(after.title)
    expect(following).to_have_attribute("href", re.compile(rf"\?lesson={after.key}$"))
    search.fill("")
    page.get_by_label("Not done yet").check()
    expect(fork).to_be_hidden()
    page.locator(".surprise").hover()
    assert f"lesson={KEY}" not in (page.locator(".surprise").get_attribute("href") or "")

    page.get_by_text("Your progress").click()
    text = page.get_by_label("Progress as text")
    expect(text).not_to_have_value("")
    kept = text.input_value()
    assert [each["key"] for each in json.loads(kept)["lessons"]] == [KEY, "surgery"]
    page.get_by_role("button", name="Forget all").click()
    page.get_by_role("button", name="Forget all").click()
    expect(page.locator(".continue")).to_be_hidden()
    text.fill(kept)
    page.get_by_role("button", name="Bring in").click()
    expect(following).to_have_text(after.title)
    text.fill("{}")
    page.get_by_role("button", name="Bring in").click()
    expect(page.get_by_text("This is no progress of this page")).to_be_visible()

    page.get_by_label("Not done yet").uncheck()
    page.locator(".card[data-key=surgery] a.open").press("Enter")
    expect(page.locator(".canvas [data-id]").first).to_be_visible(timeout=60_000)
    page.get_by_role("link", name="Lessons").click()
    expect(following).to_have_text(lesson("surgery").title)  # the lab has noted it
    expect(page.locator("#to-lab")).to_have_attribute("href", re.compile("lesson=surgery"))
