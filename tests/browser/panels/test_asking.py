"""Test asking on the page: numbers hide, answers come by keyboard and by touch, the pass reveals them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from autodiff_viz.asking.question import NUMBER, PASSED, Quantity, Question
from autodiff_viz.graph.link import to_link
from autodiff_viz.lab.asking import ask
from autodiff_viz.lab.persistence.address import ASK, to_query
from autodiff_viz.lab.state import opened, start
from autodiff_viz.language.parse import parse
from tests.browser.lab_page import LabPage
from tests.browser.page.test_axe import faults

RESULT = re.compile(
    r'^av1 z-[0-9a-f]{4}: number "What arrives at x\?" 2 tries one-path right; '
    r'larger "Which brings back more[^"]*" 1 try right$'
)

pytestmark = pytest.mark.shared_page(plots=False)

TEXT = "x = 3.0\na = 2.0 * x\nb = square(x)\nz = a + b"
"""2 comes from a and 6 from b: 8 arrives at x."""

FORK = parse(TEXT)
LINK = f"?g={to_link(FORK)}&node=x"


def asked_link(*questions: Question) -> str:
    lab = ask(opened(start(), FORK, "Open"), questions, "cotangents")
    return f"{LINK}&{ASK}={to_query(lab)[ASK]}"


def question(lab: LabPage) -> Locator:
    return lab.page.get_by_role("region", name="Question")


def dialog(lab: LabPage) -> Locator:
    return lab.canvas.get_by_role("dialog", name="Ask")


def verdict(lab: LabPage) -> Locator:
    return question(lab).locator(".verdict")


def read_as(lab: LabPage) -> Locator:
    return question(lab).locator(".read-as")


def arriving(lab: LabPage, name: str) -> Locator:
    return lab.node(name).locator(".number.cotangent")


def guess(lab: LabPage, name: str) -> Locator:
    return lab.node(name).locator(".chip.guess")


def answer(lab: LabPage, text: str) -> None:
    """Type an answer from wherever the focus is."""
    lab.press("q")  # to the question
    lab.page.keyboard.type(text)
    lab.page.keyboard.press("Enter")


def ask_too(lab: LabPage, kind: str) -> None:
    """Ask something else in the dialog, which stays open."""
    dialog(lab).get_by_label("Kind").select_option(kind)
    dialog(lab).get_by_role("button", name="Ask this too").press("Enter")


@pytest.fixture
def two_uses(lab: LabPage) -> Iterator[LabPage]:
    """The graph with x selected, without a question; there is none afterwards either."""
    lab.type_formula(TEXT)
    lab.select("x")
    lab.canvas.locator(".surface").focus()
    yield lab
    stop = question(lab).get_by_role("button", name="Stop asking")
    lab.page.keyboard.press("Escape")
    if stop.is_visible():
        stop.click()
        lab.settle()


@pytest.fixture
def asked(two_uses: LabPage) -> LabPage:
    """What arrives at x is asked, with the dialog open."""
    two_uses.press("q")
    two_uses.page.keyboard.press("Enter")  # Ask has the focus: what arrives at the selected node
    expect(arriving(two_uses, "x")).to_have_text("?")
    return two_uses


@pytest.fixture
def open_question(asked: LabPage) -> LabPage:
    """As `asked`, with the dialog closed."""
    asked.page.keyboard.press("Escape")
    expect(dialog(asked)).to_have_count(0)
    return asked


@pytest.fixture
def two_questions(asked: LabPage) -> LabPage:
    """After it comes which wire of x brings more."""
    ask_too(asked, "which wire brings more")
    expect(question(asked).get_by_role("button", name="1 of 2")).to_be_visible()
    asked.page.keyboard.press("Escape")
    return asked


def test_q_and_enter_ask_what_arrives_at_the_selected_node(two_uses: LabPage):
    two_uses.page.set_viewport_size({"width": 1280, "height": 720})
    expect(arriving(two_uses, "x")).to_have_text("8")
    two_uses.press("q")
    expect(dialog(two_uses).get_by_text("not for marks")).to_be_in_viewport(ratio=1)
    graph, fields = two_uses.canvas.bounding_box(), dialog(two_uses).bounding_box()
    assert fields["x"] >= graph["x"] + graph["width"]  # it covers nothing of what is asked about
    two_uses.press("Enter")
    says = question(two_uses).locator(".asking-says")
    expect(says).to_have_text("What arrives at x?")
    expect(says).to_be_in_viewport(ratio=1)


def test_what_is_asked_is_hidden_on_card_wire_and_label(open_question: LabPage):
    expect(open_question.wire("a", 1).locator("title")).to_contain_text("hidden while it is asked for")
    expect(open_question.node("x")).to_have_attribute(
        "aria-label", "x, input, value 3, cotangent hidden while it is asked for"
    )


def test_questions_are_added_and_ordered_by_keyboard(asked: LabPage):
    fields = (
        dialog(asked).locator("[data-field]").evaluate_all("(all) => all.map((one) => one.dataset.field)")
    )
    assert fields.index("hides") < fields.index("add")  # what is asked is given before it is asked
    ask_too(asked, "which wire brings more")
    dialog(asked).get_by_role("button", name="Question 2 earlier").press("Enter")
    first = dialog(asked).get_by_role("group", name="Question 1")
    expect(first).to_contain_text("which wire brings more")
    dialog(asked).get_by_role("button", name="Question 1 later").press("Enter")
    expect(first).to_contain_text("the number")
    assert faults(asked.page) == []


def test_a_wrong_answer_names_its_cause_and_not_the_number(open_question: LabPage):
    answer(open_question, "2")
    expect(verdict(open_question)).to_contain_text("One more try")
    expect(open_question.canvas.locator("[data-wire].to-cause")).to_have_count(1)
    expect(guess(open_question, "x")).to_have_text("your answer: 2")
    assert "8" not in question(open_question).inner_text()
    assert faults(open_question.page) == []


def test_a_question_without_its_node_says_so_and_undo_brings_both_back(open_question: LabPage):
    answer(open_question, "2")
    expect(guess(open_question, "x")).to_have_text("your answer: 2")
    open_question.node("x").focus()
    open_question.page.keyboard.press("Delete")
    expect(verdict(open_question)).to_have_text("x is no longer in the graph. Undo, or remove the question.")
    question(open_question).get_by_role("button", name="Undo").press("Enter")
    expect(guess(open_question, "x")).to_have_text("your answer: 2")


def test_what_is_no_number_is_no_try(open_question: LabPage):
    answer(open_question, "nonsense")
    expect(question(open_question).locator(".read-as.unread")).to_contain_text("is no number")
    expect(guess(open_question, "x")).to_have_count(0)


def test_the_verdict_on_the_answer_before_goes_when_the_next_is_no_number(open_question: LabPage):
    answer(open_question, "2")
    expect(verdict(open_question)).to_contain_text("One more try")
    answer(open_question, "three")
    expect(question(open_question).locator(".read-as.unread")).to_contain_text("is no number")
    expect(verdict(open_question)).to_have_text("")
    field = question(open_question).get_by_role("textbox")
    field.fill("3")
    field.press("Enter")
    expect(verdict(open_question)).to_contain_text("You: 3.")


def test_so_it_does_in_the_field_at_the_place_that_is_asked_for(open_question: LabPage):
    arriving(open_question, "x").click()
    field = open_question.canvas.locator(".answer-pop input")
    says = open_question.canvas.locator(".answer-pop p.verdict")
    field.fill("2")
    field.press("Enter")
    expect(says).to_contain_text("One more try")
    field.fill("three")
    field.press("Enter")
    expect(open_question.canvas.locator(".answer-pop .read-as.unread")).to_contain_text("is no number")
    expect(open_question.canvas.locator(".notice")).to_be_hidden()
    expect(says).to_have_text("")
    expect(verdict(open_question)).to_have_text("")
    expect(field).to_have_value("three")
    expect(field).to_be_focused()
    field.fill("3")
    field.press("Enter")
    expect(verdict(open_question)).to_contain_text("You: 3.")


def test_how_an_answer_is_read_stands_beside_it(open_question: LabPage):
    question(open_question).get_by_role("textbox").fill("16/2")
    expect(read_as(open_question)).to_have_text("read as 16/2 = 8")


def test_a_right_answer_is_explained_and_the_pass_shows_where_it_comes_from(open_question: LabPage):
    answer(open_question, "16/2")
    expect(verdict(open_question)).to_contain_text("You: 16/2. JAX: 8. Right. 2 + 6 = 8")
    expect(open_question.canvas).to_have_attribute("data-play", "backward")
    played = open_question.page.get_by_role("group", name="Play the pass").get_by_role("status")
    expect(played).to_contain_text("8 arrives at x")
    expect(played).to_contain_text("\u00b7 you said 16/2")
    expect(arriving(open_question, "x")).to_have_text("8")


def test_after_an_answer_enter_leads_to_the_next_question_whose_numbers_are_hidden(two_questions: LabPage):
    answer(two_questions, "8")
    expect(arriving(two_questions, "x")).to_have_text("8")
    expect(arriving(two_questions, "a")).to_have_text("?")
    two_questions.page.keyboard.press("Enter")
    expect(question(two_questions).locator(".asking-says")).to_contain_text("Which brings back more")
    assert faults(two_questions.page) == []


def test_when_all_is_answered_the_result_is_a_line_to_copy(two_questions: LabPage):
    answer(two_questions, "2")
    expect(verdict(two_questions)).to_contain_text("One more try")
    question(two_questions).get_by_role("textbox").fill("8")
    two_questions.page.keyboard.press("Enter")
    expect(verdict(two_questions)).to_contain_text("Right.")
    two_questions.page.keyboard.press("Enter")
    question(two_questions).get_by_role("button", name="the wire from b").click()
    expect(verdict(two_questions)).to_contain_text("Right.")
    expect(arriving(two_questions, "a")).to_have_text("1")
    question(two_questions).get_by_role("button", name="Copy my result").click()
    taken = two_questions.canvas.get_by_role("textbox", name="Text to copy")  # no page may copy here
    expect(taken).to_have_value(RESULT)
    two_questions.page.keyboard.press("Escape")
    expect(taken).to_have_count(0)


def test_stop_asking_shows_all_numbers(open_question: LabPage):
    question(open_question).get_by_role("button", name="Stop asking").click()
    expect(question(open_question)).to_be_hidden()
    expect(arriving(open_question, "x")).to_have_text("8")


def test_a_question_with_options_of_ones_own_is_answered_by_a_key(two_uses: LabPage):
    two_uses.press("q")
    dialog(two_uses).get_by_label("Kind").select_option("one of your own options")
    dialog(two_uses).get_by_role("textbox", name="Options").fill(
        "it doubles; it is 4 times as large, for x is squared"
    )
    dialog(two_uses).get_by_role("textbox", name="Right").fill("it is 4 times as large, for x is squared")
    dialog(two_uses).get_by_role("textbox", name="Words").fill("Twice the x: what becomes of b?")
    assert faults(two_uses.page) == []
    two_uses.page.keyboard.press("Enter")
    right = dialog(two_uses).get_by_label("Right answer of question 1")
    expect(right.locator("option:checked")).to_have_text("right: it is 4 times as large, for x is squared")
    expect(dialog(two_uses).get_by_role("button", name="Remove the questions")).to_be_visible()
    dialog(two_uses).get_by_role("button", name="Done").click()
    expect(dialog(two_uses)).to_have_count(0)
    expect(question(two_uses).get_by_role("button", name="it doubles")).to_be_visible()
    two_uses.press("q")
    two_uses.page.keyboard.press("2")
    expect(verdict(two_uses)).to_have_text("You: it is 4 times as large, for x is squared. Right.")


def test_an_own_option_that_is_too_long_is_told_while_it_is_typed_and_no_word_is_lost(two_uses: LabPage):
    two_uses.press("q")
    dialog(two_uses).get_by_label("Kind").select_option("one of your own options")
    options, right, words = (
        dialog(two_uses).get_by_role("textbox", name=name) for name in ("Options", "Right", "Words")
    )
    long = "it is four times as large, for x is squared and so is whatever stands for it"  # 76 characters
    words.fill("Twice the x?")
    options.fill(f"it doubles; {long} {long}")
    told = dialog(two_uses).get_by_role("alert").last
    expect(told).to_contain_text("has 153 characters; at most 120")
    options.press("Enter")
    expect(options).to_have_value(f"it doubles; {long} {long}")
    expect(question(two_uses)).to_be_hidden()
    options.fill(f"it doubles; {long}; ?")  # which only Python finds
    right.fill(long)
    expect(told).to_have_text("")
    right.press("Enter")
    expect(told).to_contain_text("cannot be told from another answer")
    expect(options).to_have_value(f"it doubles; {long}; ?")
    expect(words).to_have_value("Twice the x?")
    options.fill(f"it doubles; {long}")
    options.press("Enter")
    expect(question(two_uses).get_by_role("button", name=long)).to_be_visible()
    two_uses.page.keyboard.press("Escape")
    question(two_uses).get_by_role("button", name=long).click()
    expect(verdict(two_uses)).to_contain_text("Right.")


@pytest.mark.own_page
def test_an_address_with_answers_says_so_to_whom_it_was_given_and_lets_them_start_afresh(
    two_questions: LabPage, address: str
):
    answer(two_questions, "5")
    expect(guess(two_questions, "x")).to_have_text("your answer: 5")
    expect(two_questions.page).to_have_url(re.compile("guess="))
    two_questions.reload()
    expect(guess(two_questions, "x")).to_have_text("your answer: 5")
    expect(question(two_questions).locator(".came")).to_be_hidden()  # they are one's own
    other = two_questions.page.context.new_page()
    student = LabPage(other, two_questions.page.url).open()
    expect(question(student).locator(".came")).to_be_visible()
    student.reload()
    expect(question(student).locator(".came")).to_be_visible()
    question(student).get_by_role("button", name="Start afresh").click()
    expect(guess(student, "x")).to_have_count(0)
    student.settle()
    expect(question(student).locator(".came")).to_be_hidden()
    expect(question(student).get_by_role("button", name="1 of 2")).to_be_visible()
    answer(student, "6")
    expect(guess(student, "x")).to_have_text("your answer: 6")
    expect(other).to_have_url(re.compile("guess="))
    student.reload()
    expect(guess(student, "x")).to_have_text("your answer: 6")
    expect(question(student).locator(".came")).to_be_hidden()
    other.close()


@pytest.mark.own_page
def test_a_reload_keeps_questions_and_answers(two_questions: LabPage):
    answer(two_questions, "16/2")
    expect(guess(two_questions, "x")).to_have_text("your answer: 16/2")
    two_questions.reload()
    expect(question(two_questions).get_by_role("button", name="2 of 2")).to_be_visible()
    expect(guess(two_questions, "x")).to_have_text("your answer: 16/2")


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


@pytest.mark.parametrize("key", ["branch-nan", "twins"])
def test_on_a_phone_the_reason_begins_in_view_and_the_graph_keeps_its_height(
    phone_context: BrowserContext, address: str, key: str
):
    page: Page = phone_context.new_page()
    lab = LabPage(page, address).open(f"/?lesson={key}&path=first-20")
    question = page.get_by_role("region", name="Question")
    question.get_by_role("button", name="I do not know").tap()
    expect(question.locator(".verdict")).to_contain_text("You did not guess.")
    reason = page.locator(".st-key-about_graph p").last
    expect(reason).to_be_visible()
    words, try_ = reason.bounding_box(), page.locator(".st-key-part_onward button").bounding_box()
    assert words["height"] >= 40  # two lines
    assert words["y"] + words["height"] <= try_["y"]
    expect(page.locator(".st-key-lesson h2")).to_be_hidden()  # none is cut
    assert lab.canvas.bounding_box()["height"] >= 220  # 20 px are the legend
    question.get_by_role("button", name="Show why").tap()
    expect(question.get_by_role("button", name="Back to the lesson")).to_be_visible()
    assert lab.canvas.bounding_box()["height"] >= 220
    expect(question.locator(".verdict")).to_be_in_viewport()
    question.get_by_role("button", name="Back to the lesson").tap()
    expect(page.locator(".st-key-lesson h2")).to_be_in_viewport()
    page.close()


@pytest.mark.own_page
@pytest.mark.parametrize("size", [(390, 844), (1280, 720)])
def test_no_button_of_an_answer_moves_while_one_types_or_after_a_wrong_answer(
    page: Page, address: str, size: tuple[int, int]
):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    LabPage(page, address).open("/?lesson=twins")
    asked = page.get_by_role("region", name="Question")
    field, commit = asked.get_by_role("textbox"), asked.get_by_role("button", name="Answer")
    unknown = asked.get_by_role("button", name="I do not know")

    def corners() -> list[float]:
        boxes = [each.bounding_box() for each in (field, commit, unknown)]
        return [box[side] for box in boxes for side in ("x", "y", "width")]

    before = pytest.approx(corners(), abs=1)
    field.fill("1/3 + 7")  # what is said of it is long
    expect(asked.locator(".read-as")).not_to_be_empty()
    assert corners() == before
    field.fill("5")
    commit.click()
    expect(asked.locator(".verdict.wrong")).to_contain_text("One more try.")
    assert corners() == before
    assert faults(page) == []
