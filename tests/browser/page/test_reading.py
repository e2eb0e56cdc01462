"""Test reading a lesson: all in view, wrong answers, the reason, the exercises, and the way to the next."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.state import start
from autodiff_viz.lessons.gallery import LESSONS, lesson, track_of
from tests import own_lesson
from tests.browser.lab_page import LabPage, saying
from tests.browser.page.test_axe import faults

SIZES = ((1280, 720), (853, 480), (390, 844))
PANEL, NEXT = ".st-key-lesson", ".st-key-part_onward button p"
BRIEF = ".brief"  # a phone's words above the graph
ASKING = [found.key for found in LESSONS if found.steps[0].questions]
CUT = """(one) => one.scrollWidth > one.clientWidth + 1"""
FAULTS = """(canvas) => {
  const box = (one) => one.getBoundingClientRect();
  const meet = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
  const seen = (what) => [...canvas.querySelectorAll(what)].filter((one) => one.getClientRects().length);
  const key = canvas.querySelector(".flow-key");
  const line = (one) => box(one).top < box(key).bottom - 2; // others wrap below its edge
  const beyond = (one) => box(one).left < box(key).left - 1 || box(one).right > box(key).right + 1;
  return [
    ...seen(".flow-key > span").filter((one) => line(one) && beyond(one)),
    ...seen(".chip.guess rect").flatMap((guess) => [
      ...seen(".card, .number, .passed").filter((one) => meet(box(guess), box(one))),
      ...(box(guess).left < box(canvas).left || box(guess).right > box(canvas).right ? [guess] : []),
    ]),
  ].map((one) => `${one.getAttribute("class")} ${one.textContent}`);
}"""
"""What the legend cuts, and what an answer that stands on the canvas covers."""


def words_of(page: Page) -> str:
    """Where the lesson's title and set-up are, in a window of this size."""
    return BRIEF if page.viewport_size["width"] < 600 else PANEL


def is_asked_in_view(lab: LabPage) -> None:
    """Title, set-up, question, graph and all answers are in view, and nothing of them is cut."""
    page = lab.page
    words, question = page.locator(words_of(page)), page.locator(".asking")
    for each in (
        words.locator("h2"),
        words.locator("p:not(.st-key-lesson_head p)").first,
        page.locator(f"{BRIEF} .says" if words_of(page) == BRIEF else ".asking-says"),
        *question.locator(".answer-form :is(button, input)").all(),
        *lab.canvas.locator("[data-id] > .card").all(),
    ):
        expect(each).to_be_in_viewport(ratio=0.99)
    assert not words.locator("h2").evaluate(CUT)
    assert lab.canvas.bounding_box()["height"] >= 180
    assert lab.canvas.evaluate(FAULTS) == []


def is_answer_in_view_over_the_sheet(lab: LabPage) -> None:
    """On a phone the sheet of plots leaves the graph and what was said of the answer in view."""
    plots = lab.page.get_by_role("tab", name="Plots")
    for _ in range(2):  # the second press opens it
        plots.click()
    expect(lab.page.locator(".asking .verdict")).to_be_in_viewport(ratio=1)
    low = lab.page.locator(".asking .verdict").bounding_box()
    assert low["y"] + low["height"] <= lab.page.locator(".workbench.panels").bounding_box()["y"]
    assert lab.canvas.bounding_box()["height"] >= 110
    lab.page.get_by_role("tab", name="Lesson").click()
    lab.page.locator(".handle").click()


ONWARD = ".st-key-part_onward button"
GROUND = "(button) => getComputedStyle(button).backgroundColor"
KNOBS = lesson("two-knobs")
AHA = KNOBS.steps[0].text.replace("`", "")[:30]  # as it is drawn


def asked(page: Page, address: str, size: tuple[int, int]) -> LabPage:
    """Open the lesson in a window of this size: its question is in view."""
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    lab = LabPage(page, address)
    lab.open(f"/?lesson={KNOBS.key}")
    is_asked_in_view(lab)
    return lab


def answered(lab: LabPage) -> None:
    """Answer wrongly twice, so that the reason is there."""
    question = lab.page.locator(".asking")
    question.get_by_role("button", name="the wire to w").click()
    expect(question.locator(".verdict")).to_contain_text("One more try.")
    question.get_by_role("button", name="same").click()
    expect(question.locator(".verdict")).to_contain_text("JAX: the wire to x")


@pytest.mark.every
@pytest.mark.parametrize("size", SIZES)
def test_a_question_gives_nothing_away_and_stays_in_view_after_a_wrong_answer(
    page: Page, address: str, size: tuple[int, int]
):
    lab = asked(page, address, size)
    seen = page.locator("body").inner_text()
    assert AHA not in seen
    assert "Gradients agree" not in seen
    expect(page.locator(NEXT)).to_have_count(0)
    wrong = page.locator(".asking").get_by_role("button", name="the wire to w")
    wrong.click()
    expect(page.locator(".asking .verdict")).to_contain_text("One more try.")
    expect(wrong).to_be_focused()
    expect(page.locator(".asking .verdict")).to_be_in_viewport(ratio=1)
    is_asked_in_view(lab)


@pytest.mark.every
@pytest.mark.parametrize("size", SIZES)
def test_after_the_last_try_the_reason_plays_and_its_button_alone_leads(
    page: Page, address: str, size: tuple[int, int]
):
    lab = asked(page, address, size)
    answered(lab)
    expect(lab.canvas).to_have_attribute("data-play", "backward")  # the reason comes by itself
    expect(lab.canvas.locator(".chip.guess")).to_have_text("your answer: same")
    why = page.locator(".asking").get_by_role("button", name="Show why")
    expect(why).to_be_in_viewport(ratio=1)
    expect(why).to_be_focused()
    expect(page.locator(".asking .main")).to_have_text(["Show why"])
    beside = (page.locator(".transport .play"), page.locator(ONWARD))
    assert len({one.evaluate(GROUND) for one in (why, *beside)}) == 3
    assert lab.canvas.evaluate(FAULTS) == []
    expect(page.locator(PANEL).get_by_text(AHA)).to_be_attached()


def test_on_a_phone_the_answer_keeps_its_graph_and_covers_no_tab(page: Page, address: str):
    lab = asked(page, address, SIZES[-1])
    answered(lab)
    assert lab.canvas.bounding_box()["height"] >= 240  # the graph that the answer is about
    is_answer_in_view_over_the_sheet(lab)
    expect(page.locator(NEXT)).to_be_in_viewport(ratio=1)
    page.locator(".handle").click()
    page.locator(".st-key-side").evaluate("(one) => one.scrollTo(0, 150)")
    page.get_by_role("tab", name="Node").click(trial=True)  # nothing covers the tabs
    page.locator(".handle").click()
    expect(page.locator(".st-key-side")).to_have_js_property("scrollTop", 0)


@pytest.mark.every
@pytest.mark.parametrize("size", SIZES)
def test_exercises_are_done_in_turn_and_lead_to_the_next_lesson(
    page: Page, address: str, size: tuple[int, int]
):
    lab, following = asked(page, address, size), track_of(KNOBS).lessons[1]
    answered(lab)
    onward, done = page.locator(NEXT), page.locator(PANEL).locator(".av-done")
    expect(onward).to_have_text("Do try 1 for me")
    expect(onward).to_be_in_viewport(ratio=1)
    onward.click()
    expect(done).to_have_count(1)
    expect(lab.node("x").locator(".number.cotangent")).to_have_text("\u221230")
    expect(onward).to_have_text("Do try 2 for me")  # and the one before has gone
    onward.click()
    expect(done).to_have_count(2)
    expect(onward).to_have_text(f"Next: {following.title}")
    assert size != SIZES[0] or faults(page) == []
    onward.click()
    expect(page.locator(PANEL).locator("h2")).to_have_text(following.title)


FOCUSED = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at === document.body ? "nothing" : at.textContent;
}"""


def tab_to(page: Page, words: str) -> None:
    """Press Tab until what has the focus says these words."""
    for _ in range(16):
        page.keyboard.press("Tab")
        if words in page.evaluate(FOCUSED):
            return
    raise AssertionError(f"not reached: {words}")


def test_a_lesson_is_read_with_the_keyboard_alone_beside_its_cause_and_its_plot(page: Page, address: str):
    found = lesson("hidden-stop")
    following = track_of(found).lessons[track_of(found).lessons.index(found) + 1]
    page.set_viewport_size({"width": 1280, "height": 720})
    LabPage(page, address).open("/?lesson=hidden-stop")
    panel, question, onward = page.locator(PANEL), page.locator(".asking"), page.locator(NEXT)
    expect(panel.locator("h2")).to_be_focused()
    options = found.steps[0].questions[0].options
    for option, heard in zip(options[:2], ("One more try.", "Right."), strict=True):
        tab_to(page, option)
        page.keyboard.press("Enter")
        expect(question.get_by_role("status").first).to_contain_text(heard)
    expect(question.get_by_role("button", name="Show why")).to_be_focused()
    page.keyboard.press("Enter")
    cause = question.get_by_text("meets a stop, at 'a_copy' and 'b_copy'")
    expect(cause).to_be_in_viewport()
    expect(panel.locator("h2")).to_be_in_viewport(ratio=1)
    expect(question.get_by_role("button", name="Show why")).to_be_focused()
    tab_to(page, "Do try 1 for me")
    for done, says in ((1, "Do try 2 for me"), (2, f"Next: {following.title}")):
        page.keyboard.press("Enter")
        expect(panel.locator(".av-done")).to_have_count(done)
        expect(onward).to_have_text(says)
        assert says in page.evaluate(FOCUSED)
    expect(
        page.locator(".st-key-figure_place")
    ).to_be_in_viewport()  # with the paths that the first was about
    page.keyboard.press("Enter")
    expect(panel.locator("h2")).to_have_text(following.title)
    expect(panel.locator("h2")).to_be_focused()


@pytest.mark.sampled(25)
@pytest.mark.parametrize("key", ASKING)
def test_question_graph_and_answer_of_every_lesson_are_in_view(page: Page, address: str, key: str):
    assert lab_view(open_lesson(start(), key)).hiding
    page.set_viewport_size({"width": 1280, "height": 720})
    is_asked_in_view(LabPage(page, address).open(f"/?lesson={key}"))
    expect(page.locator("html")).to_have_attribute("data-av-dock", "folded")  # its figure is hidden too


@pytest.mark.nightly
def test_in_large_type_what_is_said_of_an_answer_comes_into_view_in_a_low_window(page: Page, address: str):
    page.set_viewport_size({"width": 853, "height": 480})
    lab = LabPage(page, address).open("/?lesson=two-knobs#large=1")
    question = page.locator(".asking")
    question.get_by_role("button", name="the wire to x").click()
    expect(question.locator(".verdict")).to_contain_text("Right.")
    expect(page.locator(NEXT)).to_be_in_viewport(ratio=1)
    expect(question.locator(".verdict")).to_be_in_viewport(ratio=1)
    expect(question.get_by_role("button", name="Show why")).to_be_in_viewport(ratio=1)
    assert lab.canvas.evaluate(FAULTS) == []
    for tab in page.get_by_role("tablist", name="Panels").get_by_role("tab").all():
        expect(tab).to_be_in_viewport(ratio=0.99)


def test_the_exercise_and_its_tick_are_in_view_whichever_panel_is_and_its_slider_is_in_the_lesson(
    page: Page, address: str
):
    page.set_viewport_size({"width": 1280, "height": 720})
    lab = LabPage(page, address).open(f"/?lesson={own_lesson.KEY}")
    line, slider = page.locator(".exercise"), page.get_by_role("slider", name="Slider of x")
    expect(slider).to_have_count(0)
    page.locator(".answer-field").fill("8")
    page.keyboard.press("Enter")
    expect(line).to_contain_text("Move x: of its two wires one keeps its 2")
    expect(slider).to_be_in_viewport()
    slider.press("ArrowLeft")
    expect(line.get_by_role("img", name="done", exact=True)).to_be_in_viewport()
    lab.select("b")
    expect(page.get_by_role("tab", name="Node, sliders")).to_have_attribute("aria-selected", "true")
    expect(slider).to_have_count(1)  # the same, in its own place
    expect(slider).to_be_in_viewport()
    line.get_by_role("button", name="Next try").click()
    expect(line).to_contain_text("Stop what b brings")
    lab.node("b").locator(".card").focus()
    lab.press("s")
    expect(line.get_by_role("img", name="done", exact=True)).to_be_in_viewport()
    assert faults(page) == []


def test_the_sliders_of_an_exercise_are_in_view_beside_its_button_and_stay_in_place(page: Page, address: str):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(color_scheme="dark")
    LabPage(page, address).open("/?lesson=two-knobs")
    page.get_by_role("button", name="the wire to x").click()
    expect(page.locator(NEXT)).to_have_text("Do try 1 for me")
    box = page.get_by_label("Value of x")
    box.click()  # nothing covers it
    place = box.bounding_box()
    box.fill("1")
    box.press("Enter")
    expect(page.locator(".asking .verdict")).to_have_text("You were right (the wire to x), with x = 2.")
    assert box.bounding_box() == place
    page.locator(f"{PANEL} h2").scroll_into_view_if_needed()
    for name in ("x", "w"):
        page.get_by_label(f"Value of {name}").click(trial=True)
    page.locator(NEXT).click(trial=True)
    assert faults(page) == []


def test_on_a_phone_an_answer_leaves_the_graph_its_direction_and_its_height(page: Page, address: str):
    page.set_viewport_size({"width": 390, "height": 844})
    lab = LabPage(page, address).open("/?lesson=branch-nan")

    def is_as_before() -> None:
        lab.settle()
        cards = [lab.node(name).locator(".card") for name in "xy"]
        for card in cards:  # a panel that opens draws the graph anew
            expect(card).to_be_visible()
        x, y = (card.bounding_box() for card in cards)
        assert x["y"] + x["height"] < y["y"], "it runs from left to right"
        assert lab.canvas.bounding_box()["height"] >= 220

    is_as_before()
    chosen = page.locator(".variants .tab[aria-selected=true]").bounding_box()
    assert chosen["y"] + chosen["height"] <= lab.canvas.bounding_box()["y"]  # its underline is seen
    question = page.locator(".asking")
    for guess, says in (("0", "One more try."), ("1", "JAX: NaN.")):
        page.locator(".answer-field").fill(guess)
        page.keyboard.press("Enter")
        expect(question.locator(".verdict")).to_contain_text(says)
    is_as_before()
    question.get_by_role("button", name="Show why").click()
    expect(question.locator(".cause")).to_be_visible()
    is_as_before()
    question.get_by_role("button", name="Back to the lesson").click()
    expect(page.locator(f"{PANEL} h2")).to_be_in_viewport()
    expect(question.locator(".verdict")).to_be_in_viewport(ratio=1)
    is_as_before()


def test_on_a_phone_the_present_exercise_is_on_view_from_the_answer_on_and_stays(page: Page, address: str):
    page.set_viewport_size({"width": 390, "height": 844})
    LabPage(page, address).open("/?lesson=two-knobs")
    line, question = page.locator(".exercise"), page.locator(".asking")
    question.get_by_role("button", name="the wire to x").click()
    expect(line).to_contain_text("Move x to 0")
    expect(line).to_be_in_viewport(ratio=1)
    expect(question.locator(".verdict")).to_be_in_viewport(ratio=1)
    box = page.get_by_label("Value of x")
    place = box.bounding_box()
    for value in ("0", "2"):  # at 2 the graph is the one that was asked about
        box.fill(value)
        box.press("Enter")
        expect(page.locator("[data-id='x'] .number.value")).to_have_text(value)
        expect(line).to_be_in_viewport(ratio=1)
        expect(question).to_be_hidden()
        assert box.bounding_box() == place
    other = page.get_by_label("Value of w")
    other.fill("2.5")
    other.press("Enter")
    line.get_by_role("button", name="Next lesson").click()
    following = track_of(lesson("two-knobs")).lessons[1]
    expect(page.locator(f"{BRIEF} h2")).to_have_text(following.title)


def test_on_a_phone_the_buttons_for_a_rule_are_in_view_once_the_node_is_selected(page: Page, address: str):
    page.set_viewport_size({"width": 390, "height": 700})
    lab = LabPage(page, address).open(f"/?lesson={own_lesson.KEY}")
    page.locator(".asking").get_by_role("button", name="I do not know").click()
    onward = page.get_by_role("button", name="Do try 1 for me")
    expect(onward).to_be_in_viewport(ratio=1)  # below the tabs of the lesson's graphs too
    page.set_viewport_size({"width": 390, "height": 844})
    onward.click()
    line = page.locator(".exercise")
    line.get_by_role("button", name="Next try").click()
    expect(line).to_contain_text("Stop what b brings")
    lab.node("b").locator(".card").click()
    stop = page.locator(".rules").get_by_role("button", name="stop")
    expect(stop).to_be_in_viewport(ratio=1)
    stop.click()
    expect(line).to_have_class(saying("done"))


@pytest.mark.nightly
def test_an_exercise_that_trains_opens_the_training_and_its_button_tells_how_far_it_is(
    page: Page, address: str
):
    page.set_viewport_size({"width": 1280, "height": 720})
    LabPage(page, address).open("/?lesson=xor-tutorial")
    page.get_by_role("button", name="I do not know").click()
    page.locator(NEXT).click()
    expect(page.locator("html")).to_have_attribute("data-av-plot", "training")
    expect(page.locator("html")).to_have_attribute("data-av-dock", "open")
    button = page.locator(".st-key-part_onward").get_by_role("button", name="Training: ")
    expect(button).to_be_disabled()
    expect(button).to_contain_text(" of 10 \u2026")
    expect(page.locator(NEXT)).to_have_text("Do the rest of try 1 for me")
