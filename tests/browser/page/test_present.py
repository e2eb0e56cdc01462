"""Test the stage: what the last row reads, a presenter's keys, and the notes in a second window."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.lab_page import FOUND, LabPage, saying
from tests.browser.page.test_axe import faults
from tests.lab.qr_reader import modules_of, text_of
from tests.own_lesson import GRAPHS, KEY, LAST

SMALL, HIGH = {"width": 1280, "height": 720}, {"width": 1920, "height": 1080}
LEAST = ((SMALL, 20), (HIGH, 28))
"""Px of the smallest text that the last row reads, by window."""

SEEN = f"""() => {{ {FOUND}
  const [stage] = found(".on-stage");
  const texts = [...stage.querySelectorAll("*")].flatMap((one) => {{
    const own = [...one.childNodes].filter(({{ nodeType }}) => nodeType === 3)
      .map((node) => node.data).join("").trim();
    if (!own || one.closest("style, title, defs, .unseen")) return [];
    if (!one.checkVisibility({{ visibilityProperty: true, opacityProperty: true }})) return [];
    const {{ left, top, right, bottom, width }} = one.getBoundingClientRect();
    const within = width && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
    const matrix = one instanceof SVGElement ? one.closest("text").getScreenCTM() : {{ a: 1, b: 0 }};
    const px = parseFloat(getComputedStyle(one).fontSize) * Math.hypot(matrix.a, matrix.b);
    const cut = right > innerWidth + 1 || bottom > innerHeight + 1 || left < -1 || top < -1;
    return within ? [{{ own, px, cut }}] : [];
  }});
  const scrolling = [document.scrollingElement, ...stage.querySelectorAll("div, pre")].filter(
    (one) => one.checkVisibility() && (one.scrollTop = 9, one.scrollTop !== 0));
  return {{ texts, scrolling: scrolling.length }};
}}"""
"""All text on view, with its size on the screen, and how much of the stage scrolls."""

NUMBERS = re.compile(r"^[\u22120-9.]+$")


def wait_for_the_last_row(page: Page, least: float) -> list[str]:
    """Wait until no text on view is smaller, cut off, or to be scrolled; return the texts."""
    page.wait_for_function(
        f"""(least) => {{ const {{ texts, scrolling }} = ({SEEN})();
          const read = ({{ px, cut }}) => px >= least - 0.05 && !cut;
          return texts.length > 8 && !scrolling && texts.every(read); }}""",
        arg=least,
        timeout=15_000,
    )
    return [text["own"] for text in page.evaluate(SEEN)["texts"]]


def says(lab: LabPage):
    return lab.page.locator(".stage-says")


def numbers(lab: LabPage):
    return lab.page.locator(".stage-numbers")


def arriving(lab: LabPage, name: str):
    """The number, which stands beside a dash while the pass is played."""
    return lab.node(name).locator(".number.cotangent")


def opened(page: Page, address: str, query: str) -> LabPage:
    page.set_viewport_size(SMALL)
    lab = LabPage(page, address).open(query)
    expect(page.locator(".on-stage")).to_be_visible()
    return lab


@pytest.mark.nightly
@pytest.mark.parametrize("query", ["lesson=xor-broadcast&variant=1", "lesson=gated-transformer&variant=4"])
def test_the_last_row_reads_all_of_a_lesson(page: Page, address: str, query: str):
    opened(page, address, f"/?{query}&present")
    for window, least in LEAST:
        page.set_viewport_size(window)
        texts = wait_for_the_last_row(page, least)
        assert len([text for text in texts if NUMBERS.match(text.strip("\u2016"))]) > 8


def test_a_presenter_steps_hides_asks_blanks_points_and_leaves(page: Page, address: str):
    lab = opened(page, address, f"/?lesson={KEY}&present")
    for window, least in LEAST:
        page.set_viewport_size(window)
        wait_for_the_last_row(page, least)
    title, caption, place = (page.locator(f".stage-{name}") for name in ("title", "caption", "place"))
    expect(title).to_have_text(saying("What does x hear?"))
    expect(place).to_have_text("1 / 3")
    expect(numbers(lab)).to_have_text("z = 15what arrives at x: ?")
    page.keyboard.press("a")
    expect(numbers(lab)).to_have_text("z = 15what arrives at x: 8")  # 2x + x² at 3; 2 + 2x
    expect(says(lab)).to_have_text(saying("8 arrives at x"))  # where the reveal ends
    for _ in range(7):  # back to the first number of the pass
        page.keyboard.press("PageUp")
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    expect(lab.canvas.locator(".flow-key")).to_be_hidden()

    for key in ("ArrowRight", "PageDown", "Space"):
        page.keyboard.press(key)
    expect(says(lab)).to_have_text("z = a + b = 15")
    page.keyboard.press("PageUp")
    expect(says(lab)).to_have_text("b = square(x) = 9")
    page.keyboard.press("h")
    expect(says(lab)).to_be_empty()
    for _ in range(5):  # to the end of the pass
        page.keyboard.press("PageDown")
    expect(lab.canvas).to_have_attribute("data-play", "backward")
    expect(arriving(lab, "x")).to_be_hidden()
    expect(numbers(lab)).to_have_text("z = 15what arrives at x: ?")
    lines = lab.canvas.locator(".surface .wire .line")
    widths = lines.evaluate_all("lines => lines.map((line) => getComputedStyle(line).strokeWidth)")
    assert len(set(widths)) == 1  # 2 and 6 come back, and no width tells it
    assert "8" not in " ".join(wait_for_the_last_row(page, 28))
    page.keyboard.press("h")
    expect(says(lab)).to_have_text(saying("8 arrives at x"))

    page.keyboard.press("PageDown")  # behind the last step of the pass comes the next graph
    expect(caption).to_have_text(GRAPHS[1])
    expect(page).to_have_url(saying("present"))
    lab.settle()
    page.keyboard.press("a")
    expect(title).to_have_text(saying("x?"))
    expect(arriving(lab, "x")).to_have_text("?")
    page.keyboard.press("a")
    expect(arriving(lab, "x")).to_have_text("6")
    page.keyboard.press("End")
    expect(caption).to_have_text(GRAPHS[LAST])
    page.keyboard.press("Home")
    expect(place).to_have_text("1 / 3")
    lab.settle()

    page.keyboard.press("b")
    expect(lab.canvas).to_be_hidden()
    page.keyboard.press("PageDown")  # any key brings it back
    expect(lab.canvas).to_be_visible()
    expect(place).to_have_text("1 / 3")
    page.keyboard.press("p")
    page.mouse.move(700, 400)
    at = page.locator(".stage-spot").bounding_box()
    assert abs(at["x"] + at["width"] / 2 - 700) < 2
    assert at["height"] > 40
    page.keyboard.press("q")
    picture = page.locator(".stage-code svg.qr")
    size = int(picture.get_attribute("viewBox").split()[2])
    link = urlsplit(text_of(modules_of(picture.locator("path").get_attribute("d"), size)))
    assert f"{link.scheme}://{link.netloc}" == address
    assert parse_qs(link.query)["lesson"] == [KEY]
    assert picture.bounding_box()["height"] / size >= 6  # px of a module
    page.keyboard.press("Escape")
    expect(picture).to_have_count(0)
    page.keyboard.press("?")
    expect(page.locator(".stage-keys")).to_contain_text("A QR code of this state")
    assert faults(page) == []
    page.keyboard.press("?")

    lab.reload()
    expect(page.locator(".on-stage")).to_be_visible()
    expect(place).to_have_text("1 / 3")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stHeader")).to_be_visible()
    expect(page).not_to_have_url(saying("present"))
    expect(says(lab)).to_be_hidden()


@pytest.mark.nightly
def test_notes_in_a_second_window_follow_the_stage_and_drive_it(page: Page, address: str):
    lab = opened(page, address, f"/?lesson={KEY}&present")
    page.keyboard.press("ArrowRight")
    expect(says(lab)).to_have_text("x = 3")
    with page.context.expect_page() as opening:
        page.keyboard.press("n")
    notes = opening.value
    expect(notes.locator(".notes-caption")).to_have_text(saying("What does x hear?"), timeout=30_000)
    expect(notes.locator(".notes-says")).to_have_text("x = 3")
    expect(notes.locator(".notes-text")).to_contain_text("At x arrives 2 + 6 = 8.")
    expect(notes.locator(".notes-next")).to_have_text(f"Next: {GRAPHS[1]}")
    expect(notes.locator(".notes-time")).to_have_text(re.compile(r"^\d+:\d\d$"))
    assert faults(notes) == []
    notes.reload()
    press = notes.get_by_role("button", name="On", exact=True)
    press.click(timeout=30_000)
    expect(says(lab)).to_have_text(saying("= 6"))
    notes.keyboard.press("PageUp")
    expect(says(lab)).to_have_text("x = 3")
    notes.get_by_role("button", name="Hide").click()
    expect(says(lab)).to_be_empty()
    expect(notes.locator(".notes-says")).to_have_text("x = 3")
    notes.get_by_role("button", name="Blank").click()
    expect(lab.canvas).to_be_hidden()
    notes.get_by_role("button", name="Blank").click()
    notes.get_by_role("button", name="To the next step").click()
    expect(notes.locator(".notes-place, .notes-span").first).to_have_text("2 / 3")
    page.keyboard.press("Escape")
    expect(notes.locator(".notes-caption")).to_have_text("The stage was left.")
    notes.close()


@pytest.mark.shared_page(plots=False)
def test_what_is_too_small_says_so_while_it_is_prepared(lab: LabPage):
    inside = "\n".join(f"    y_{i} = sin(y_{i - 1})" for i in range(1, 30))
    lab.type_formula(f'x = 1.0\ny_0 = cos(x)\nwith group("chain"):\n{inside}\nz = y_29 * 2.0')
    lab.canvas.locator(".surface").focus()
    lab.page.keyboard.press("Shift+L")
    prepare = lab.page.get_by_role("dialog", name="Present")
    expect(prepare.locator(".stage-room")).to_contain_text("cards are smaller than the last row reads")
    prepare.get_by_role("button", name="Collapse chain").click()
    prepare.get_by_role("button", name="Arrange").click()
    expect(prepare.locator(".stage-room .fits")).to_have_count(2)
    prepare.get_by_role("button", name="In this window").click()
    expect(lab.page.locator(".on-stage")).to_be_visible()
    lab.page.keyboard.press("Escape")
    expect(lab.page.locator(".on-stage")).to_have_count(0)
