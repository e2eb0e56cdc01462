"""Test the page on paper: all of it, with no box that cuts what is in it, in light colours."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage
from tests.own_lesson import KEY, LESSON

CUT = """() => {
  const found = [];
  const look = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) look(one.shadowRoot);
      const { overflowY, display } = getComputedStyle(one);
      const cuts = ["auto", "scroll", "hidden", "clip"].includes(overflowY) && display !== "inline";
      if (cuts && one.clientHeight > 2 && one.scrollHeight > one.clientHeight + 2 && !one.closest(".canvas"))
        found.push(`${one.className} ${one.scrollHeight} ${one.clientHeight}`);
    }
  };
  look(document.body);
  return found;
}"""


@pytest.mark.nightly
def test_the_lab_is_printed_whole(lab: LabPage):
    page = lab.page
    page.goto(f"{lab.address}/?lesson={KEY}&node=b")
    expect(lab.canvas.locator("[data-id='b']")).to_be_visible()
    expect(page.get_by_role("heading", name=LESSON.title)).to_be_visible()
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert 1 <= len(re.findall(rb"/Type /Page\b", printed)) <= 4
    page.emulate_media(media="print")
    page.wait_for_function("() => getComputedStyle(document.body).position === 'static'")
    assert page.evaluate(CUT) == []
    for shown in (LESSON.title, "Formula", "Arriving cotangent"):
        expect(page.get_by_text(shown, exact=True).first).to_be_visible()
    expect(page.locator(".strip").first).to_be_hidden()
    assert page.locator(".canvas").evaluate("(one) => one.style.getPropertyValue('--print-scale') > 0")
    page.emulate_media(media="screen")


PAPER = {"width": 703, "height": 1032}
"""Px of A4 between its margins: narrow windows are laid out for phones, and paper is not."""

PRESSED = """() => {
  const found = [];
  const look = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) look(one.shadowRoot);
      if (one.matches("button") && one.checkVisibility() && !one.closest(".canvas, .st-key-tries"))
        found.push(one.ariaLabel ?? one.textContent);
    }
  };
  look(document.querySelector(".st-key-lab"));
  return found;
}"""


@pytest.mark.nightly
def test_paper_has_formula_question_and_figure_and_nothing_to_press(lab: LabPage):
    page = lab.page
    page.goto(f"{lab.address}/?lesson={KEY}")
    expect(page.get_by_role("heading", name=LESSON.title)).to_be_visible()
    expect(page.locator(".asking-says").first).to_be_visible()
    page.emulate_media(media="print")
    page.set_viewport_size(PAPER)
    expect(page.get_by_role("heading", name=LESSON.title)).to_be_visible()
    expect(page.locator(".asking-says").first).to_be_visible()
    expect(page.locator(".mirror").first).to_be_visible()
    assert page.evaluate(PRESSED) == []
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{lab.address}/")
    bars = page.locator(".st-key-dock .av-bars").first
    expect(bars).to_be_visible()
    page.emulate_media(media="print")
    page.set_viewport_size(PAPER)
    expect(bars).to_be_visible()
    page.wait_for_function("() => document.querySelector('.st-key-dock .av-bars').clientWidth > 500")
    page.emulate_media(media="screen")
