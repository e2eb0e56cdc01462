"""Test the stage: what the last row reads, a presenter's keys, and the notes in a second window."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from autodiff_viz.asking.question import Quantity, Question
from autodiff_viz.lessons.codec import tour_to_link
from autodiff_viz.lessons.tour import Step, Tour
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
    """Wait until no text on view is smaller, cut off, or to be scrolled; return the texts.

    The bars of a norm are a mark beside its number, and may be smaller.
    """
    page.wait_for_function(
        f"""(least) => {{ const {{ texts, scrolling }} = ({SEEN})();
          const read = ({{ own, px, cut }}) => (px >= least - 0.05 || own === "\u2016") && !cut;
          return texts.length > 8 && !scrolling && texts.every(read); }}""",
        arg=least,
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


class Hall(NamedTuple):
    """The lesson on the stage, with its question answered by now.

    Attributes:
      title, numbers: what stood there as it opened.
    """

    lab: LabPage
    title: str
    numbers: str


@pytest.fixture(scope="module")
def hall(module_page: Page, address: str) -> Hall:
    lab = opened(module_page, address, STAGE)
    expect(numbers(lab)).to_have_text(saying("z = 15"))
    found = Hall(lab, title(lab).inner_text(), numbers(lab).inner_text())
    module_page.keyboard.press("a")
    expect(numbers(lab)).not_to_have_text(saying("?"))
    module_page.keyboard.press("s")
    module_page.keyboard.press("s")  # from a press for each phase, over none, to one for each node
    return found


@pytest.fixture
def stage(hall: Hall) -> LabPage:
    """The first graph, before its pass is played."""
    lab, keyboard = hall.lab, hall.lab.page.keyboard
    if not lab.page.locator(".on-stage").is_visible():
        lab.open(STAGE)
    keyboard.press("End")
    expect(place(lab)).to_have_text("3 / 3")
    keyboard.press("Home")
    expect(place(lab)).to_have_text("1 / 3")
    lab.settle()
    return lab


def title(lab: LabPage):
    return lab.page.locator(".stage-title")


def step(lab: LabPage):
    return lab.page.locator(".stage-step")


def place(lab: LabPage):
    return lab.page.locator(".stage-place")


def press(lab: LabPage, key: str, times: int = 1) -> None:
    for _ in range(times):
        lab.page.keyboard.press(key)


STAGE = f"/?lesson={KEY}&present"
PASS = 8
"""Presses through the pass of its first graph: four values, and what comes back to each node."""


@pytest.mark.parametrize(("window", "least"), LEAST)
def test_the_last_row_reads_the_graph_on_the_stage(stage: LabPage, window, least):
    stage.page.set_viewport_size(window)
    assert wait_for_the_last_row(stage.page, least)


def test_the_stage_asks_first_and_a_answers(hall: Hall):
    assert "What does x hear?" in hall.title
    assert hall.numbers.split() == ["z", "=", "15", "what", "arrives", "at", "x:", "?"]
    expect(numbers(hall.lab)).to_have_text("z = 15what arrives at x: 8")  # 2x + x² at 3; 2 + 2x


def test_nothing_but_the_graph_is_on_the_stage(stage: LabPage):
    expect(stage.page.get_by_test_id("stHeader")).to_be_hidden()
    expect(stage.canvas.locator(".flow-key")).to_be_hidden()


def test_the_keys_of_a_remote_step_through_the_pass_and_back(stage: LabPage):
    for key in ("ArrowRight", "PageDown", "Space", "PageDown"):
        press(stage, key)
    expect(says(stage)).to_have_text("z = a + b = 15")
    press(stage, "PageUp")
    expect(says(stage)).to_have_text("b = square(x) = 9")


def test_h_hides_what_comes_back_until_it_is_pressed_again(stage: LabPage):
    press(stage, "h")
    press(stage, "PageDown", PASS)
    expect(stage.canvas).to_have_attribute("data-play", "backward")
    expect(says(stage)).to_be_empty()
    expect(arriving(stage, "x")).to_be_hidden()
    expect(numbers(stage)).to_have_text("z = 15what arrives at x: ?")
    lines = stage.canvas.locator(".surface .wire .line")
    widths = lines.evaluate_all("lines => lines.map((line) => getComputedStyle(line).strokeWidth)")
    assert len(set(widths)) == 1  # 2 and 6 come back, and no width tells it
    assert "8" not in " ".join(wait_for_the_last_row(stage.page, 20))
    press(stage, "h")
    expect(says(stage)).to_have_text(saying("8 arrives at x"))


def test_behind_the_last_step_of_the_pass_comes_the_next_graph(stage: LabPage):
    press(stage, "PageDown", PASS)
    expect(says(stage)).to_have_text(saying("8 arrives at x"))
    press(stage, "PageDown")
    expect(step(stage)).to_have_text(GRAPHS[1])
    expect(stage.page).to_have_url(saying("present"))


def test_on_a_graph_that_asks_nothing_a_asks_and_answers(stage: LabPage):
    press(stage, "ArrowDown")
    expect(step(stage)).to_have_text(GRAPHS[1])
    stage.settle()
    press(stage, "a")
    expect(title(stage)).to_have_text(saying("x?"))
    expect(arriving(stage, "x")).to_have_text("?")
    press(stage, "a")
    expect(arriving(stage, "x")).to_have_text("6")  # 3 + 3


def test_end_and_home_lead_to_the_last_graph_and_the_first(stage: LabPage):
    press(stage, "End")
    expect(step(stage)).to_have_text(GRAPHS[LAST])
    press(stage, "Home")
    expect(step(stage)).to_have_text(GRAPHS[0])


def test_b_blanks_the_stage_until_any_key(stage: LabPage):
    press(stage, "b")
    expect(stage.canvas).to_be_hidden()
    press(stage, "PageDown")
    expect(stage.canvas).to_be_visible()
    expect(says(stage)).to_be_empty()  # the key has done nothing else


def test_p_shows_a_pointer_where_the_mouse_is(stage: LabPage):
    press(stage, "p")
    stage.page.mouse.move(700, 400)
    at = stage.page.locator(".stage-spot").bounding_box()
    assert abs(at["x"] + at["width"] / 2 - 700) < 2
    assert at["height"] > 40
    press(stage, "p")
    expect(stage.page.locator(".stage-spot")).to_be_hidden()


def test_q_shows_a_code_of_this_state_that_the_last_row_reads(stage: LabPage, address: str):
    press(stage, "q")
    picture = stage.page.locator(".stage-code svg.qr")
    size = int(picture.get_attribute("viewBox").split()[2])
    link = urlsplit(text_of(modules_of(picture.locator("path").get_attribute("d"), size)))
    assert f"{link.scheme}://{link.netloc}" == address
    assert parse_qs(link.query)["lesson"] == [KEY]
    assert picture.bounding_box()["height"] / size >= 6  # px of a module
    press(stage, "Escape")
    expect(picture).to_have_count(0)


def test_a_question_mark_lists_the_keys(stage: LabPage):
    press(stage, "?")
    expect(stage.page.locator(".stage-keys")).to_contain_text("A QR code of this state")
    assert faults(stage.page) == []
    press(stage, "?")
    expect(stage.page.locator(".stage-keys")).to_have_count(0)


def test_in_a_low_window_all_keys_are_in_view(stage: LabPage):
    stage.page.set_viewport_size({"width": 853, "height": 480})
    press(stage, "?")
    rows = stage.page.locator(".stage-keys dd")
    for row in (rows.first, rows.last):
        expect(row).to_be_in_viewport(ratio=1)
    press(stage, "?")
    stage.page.set_viewport_size(SMALL)


def test_the_pass_takes_no_number_away_that_is_in_view(stage: LabPage):
    press(stage, "ArrowDown")
    expect(step(stage)).to_have_text(GRAPHS[1])  # which asks nothing
    expect(arriving(stage, "x")).to_have_text("6")
    press(stage, "PageDown")
    expect(says(stage)).not_to_be_empty()
    expect(arriving(stage, "x")).to_be_visible()
    expect(arriving(stage, "x")).to_have_text("6")
    expect(numbers(stage)).to_have_text(saying("what arrives at x: 6"))
    expect(stage.canvas.locator(".no-flow")).to_have_count(0)


def test_a_reload_stays_on_the_stage_and_escape_leaves_it(stage: LabPage):
    stage.reload()
    expect(stage.page.locator(".on-stage")).to_be_visible()
    expect(place(stage)).to_have_text("1 / 3")
    press(stage, "Escape")
    expect(stage.page.get_by_test_id("stHeader")).to_be_visible()
    expect(stage.page).not_to_have_url(saying("present"))
    expect(says(stage)).to_be_hidden()


@pytest.mark.nightly
def test_notes_in_a_second_window_follow_the_stage_and_drive_it(page: Page, address: str):
    lab = opened(page, address, STAGE)
    press(lab, "s", 2)  # from a press for each phase, over none, to one for each node
    press(lab, "ArrowRight")
    expect(says(lab)).to_have_text("x = 3")
    with page.context.expect_page() as opening:
        page.keyboard.press("n")
    notes = opening.value
    expect(notes.locator(".notes-caption")).to_have_text(saying("What does x hear?"))
    expect(notes.locator(".notes-says")).to_have_text("x = 3")
    expect(notes.locator(".notes-text")).to_contain_text("One use doubles it")  # the lesson's own words
    expect(notes.locator(".notes-next")).to_have_text(f"Next: {GRAPHS[1]}")
    expect(notes.locator(".notes-time")).to_have_text(re.compile(r"^\d+:\d\d$"))
    assert faults(notes) == []
    notes.reload()
    on = notes.get_by_role("button", name="On", exact=True)
    on.click()
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


def test_a_remote_leads_through_a_tour_with_its_titles_options_and_what_is_said_after_them(
    page: Page, address: str
):
    about = Quantity("cotangent", "x")
    options = ("both add", "the larger wins")
    asks = Question("choice", about, words="Which?", options=options, right=options[0])
    first = Step("Look", "x = 2.0\ny = x * x", caption="One use.")
    second = Step("Vote", first.formula, text="2 + 2.", questions=(asks,), hides="cotangents")
    lab = opened(page, address, f"/?tour={tour_to_link(Tour(title='Uses', steps=(first, second)))}&present")
    head, more = page.locator(".stage-head"), page.locator(".stage-more")
    expect(head).to_have_text("UsesLook1 / 2")
    expect(more).to_have_text("One use.")
    press(lab, "PageDown", 2)  # there and back
    expect(says(lab)).to_have_text(saying("x is 4"))
    press(lab, "PageDown")
    expect(head).to_have_text("Which?Vote2 / 2")
    expect(more.locator("li")).to_have_text(options)
    expect(more).not_to_contain_text("2 + 2")
    expect(more.locator(".right")).to_have_count(0)
    wait_for_the_last_row(page, 20)
    press(lab, "PageDown")
    expect(more.locator("li.right")).to_have_text(options[0])
    expect(more.locator(".stage-told")).to_have_text("2 + 2.")
    expect(head).to_have_text("Which?Vote2 / 2")
    wait_for_the_last_row(page, 20)


def test_a_click_that_starts_answers_nothing_and_what_is_hidden_hides_the_verdict_too(
    page: Page, address: str
):
    asks = Question("choice", Quantity("cotangent", "x"), words="Which?", options=("add", "win"), right="add")
    step = Step("Vote", "x = 2.0\ny = x * x", text="2 + 2.", questions=(asks,), hides="cotangents")
    page.set_viewport_size(SMALL)
    lab = LabPage(page, address).open(f"/?tour={tour_to_link(Tour(title='Uses', steps=(step,)))}")
    lab.canvas.locator(".surface").focus()
    press(lab, "Shift+L")
    prepare = page.get_by_role("dialog", name="Present")
    prepare.get_by_label("Begin with what comes back hidden").check()
    prepare.get_by_role("button", name="In this window").click()
    more = page.locator(".stage-more")
    expect(more.locator("li")).to_have_text(("add", "win"))
    lab.settle()
    assert more.locator(".right").count() == 0
    page.mouse.click(900, 400)  # behind the last place of the pass it answers
    page.mouse.click(900, 400)
    page.mouse.click(900, 400)
    lab.settle()
    expect(more.locator("li")).to_have_text(("add", "win"))
    assert more.inner_text().split() == ["add", "win"]
    assert more.locator(".right").count() == 0
    press(lab, "h")
    expect(more.locator("li.right")).to_have_text("add")
    expect(more.locator(".stage-told")).to_have_text("2 + 2.")


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
