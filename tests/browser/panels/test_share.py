"""Test the dialog that shares a state: each choice stands in a link, and the link shows it."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, expect

from autodiff_viz.asking.question import Quantity, Question
from autodiff_viz.embedding.contract import PARAMETERS
from autodiff_viz.lessons.codec import tour_to_link
from autodiff_viz.lessons.tour import Step, Tour
from tests.browser.lab_page import LabPage, saying
from tests.browser.page.test_axe import faults
from tests.lab.qr_reader import modules_of, text_of

pytestmark = pytest.mark.shared_page(plots=False)

CHOSEN = {
    "edit": "none",
    "reveal": "steps",
    "theme": "dark",
    "type": "large",
    "wheel": "zoom",
    "start": "now",
}
"""Another word than the usual one, for each choice of one word."""

REFUSE = "() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')); }"


def query_of(address: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(address).query, True).items()}


def open_dialog(lab: LabPage):
    lab.button("Share")
    dialog = lab.page.get_by_role("dialog", name="Share")
    expect(dialog.get_by_label("Link", exact=True)).to_have_value(saying("http"))
    return dialog


@pytest.fixture
def dialog(lab: LabPage):
    """The dialog on a graph of the visitor's own."""
    lab.type_formula("p = 3.0\nq = p * p")
    yield open_dialog(lab)
    lab.page.keyboard.press("Escape")


def test_the_short_link_comes_first_with_its_code(dialog: Locator):
    link = dialog.get_by_label("Link", exact=True)
    expect(link).to_be_focused()
    short = link.input_value()
    assert set(query_of(short)) == {"f"}
    picture = dialog.get_by_role("img", name="QR code of the short link")
    size = int(picture.get_attribute("viewBox").split()[2])
    assert text_of(modules_of(picture.locator("path").get_attribute("d"), size)) == short
    assert faults(dialog.page) == []


def test_the_link_of_a_lesson_has_the_graph_itself_where_that_is_chosen(lab: LabPage):
    dialog = open_dialog(lab.open("/?lesson=fork"))
    link = dialog.get_by_label("Link", exact=True)
    expect(link).to_have_value(saying("lesson=fork"))
    dialog.get_by_label("Keep this graph").check()
    expect(link).to_have_value(saying("g="))


@pytest.mark.parametrize("kind", ["SVG", "PNG"])
def test_the_code_is_saved_as_a_picture(dialog: Locator, kind: str):
    with dialog.page.expect_download() as saving:
        dialog.get_by_role("button", name=f"Save as {kind}").click()
    assert saving.value.suggested_filename == f"autodiff_link.{kind.lower()}"


def test_each_choice_stands_in_the_link(dialog: Locator):
    link = dialog.get_by_label("Link", exact=True)
    dialog.get_by_label("Large type").check()
    expect(link).to_have_value(re.compile("#large=1$"))
    dialog.get_by_label("Light or dark").select_option("dark")
    expect(link).to_have_value(re.compile("#large=1&theme=dark$"))
    dialog.get_by_label("Opens").select_option("as a presentation, with what comes back hidden")
    expect(link).to_have_value(saying("present=hidden"))
    dialog.get_by_label("ask first").check()
    expect(link).to_have_value(saying("ask="))


def test_where_the_browser_lets_no_page_copy_the_link_is_selected_for_the_visitor(dialog: Locator):
    dialog.page.evaluate(REFUSE)
    dialog.get_by_role("button", name="Copy link").click()
    expect(dialog.get_by_role("status")).to_have_text(saying("press Ctrl+C"))
    link = dialog.get_by_label("Link", exact=True)
    selected = link.evaluate("field => [field.selectionStart, field.selectionEnd]")
    assert selected == [0, len(link.input_value())]


def test_escape_closes_the_dialog(dialog: Locator):
    dialog.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_a_link_opens_as_it_was_chosen(dialog: Locator):
    link = dialog.get_by_label("Link", exact=True)
    dialog.get_by_label("Large type").check()
    dialog.get_by_label("Light or dark").select_option("dark")
    dialog.get_by_label("Opens").select_option("as a presentation, with what comes back hidden")
    dialog.get_by_label("ask first").check()
    expect(link).to_have_value(saying("ask="))
    other = dialog.page.context.new_page()
    visitor = LabPage(other, link.input_value()).open()
    expect(other.locator(".on-stage")).to_be_visible()
    expect(other.locator(".stage-title")).to_have_text(saying("p?"))
    expect(visitor.node("p").locator(".number.cotangent")).to_have_text("?")
    expect(other.locator("html")).to_have_attribute("data-av-type", "large")
    ground = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    assert other.evaluate(ground) == "rgb(20, 23, 28)"  # .streamlit/config.toml: #14171C
    other.close()


@pytest.mark.own_page
def test_of_a_tour_a_link_has_all_steps_or_one_and_never_what_was_answered(lab: LabPage):
    asks = Question("zero", Quantity("cotangent", "x"))
    steps = (Step("A", "x = 3.0"), Step("B", "x = 2.0\ny = x * x", questions=(asks,)))
    lab.open(f"/?tour={tour_to_link(Tour(title='T', steps=steps))}&tourstep=1")
    lab.page.get_by_role("button", name="not zero").click()
    lab.settle()
    expect(lab.page.locator(".asking .verdict")).to_contain_text("Right")
    dialog = open_dialog(lab)
    link = dialog.get_by_label("Link", exact=True)
    assert set(query_of(link.input_value())) == {"tour"}
    asks_first = dialog.get_by_label("For a class: ask first")
    expect(asks_first).to_be_checked()  # it asks already
    expect(asks_first).to_be_disabled()
    dialog.get_by_label("Steps").select_option("step 2 alone")
    expect(link).not_to_have_value(saying("tour="))
    assert set(query_of(link.input_value())) == {"f", "ask"}
    dialog.get_by_label("With my answers").check()
    expect(link).to_have_value(saying("guess="))
    assert faults(dialog.page) == []
    lab.page.keyboard.press("Escape")


@pytest.mark.nightly
def test_each_choice_of_a_frame_is_in_its_code_and_on_view(lab: LabPage):
    dialog = open_dialog(lab)
    dialog.get_by_role("tab", name="Frame for a page").press("Enter")
    code = dialog.get_by_label("Code of the frame")
    preview = dialog.locator("iframe")
    expect(code).to_have_value(saying('<iframe src="'))
    for part in ("title=", 'loading="lazy"', "sandbox=", "<noscript>", "embed.svg"):
        assert part in code.input_value()
    for name, word in CHOSEN.items():
        parameter = PARAMETERS[name]
        dialog.get_by_label(parameter.label, exact=True).select_option(parameter.values[word])
        expect(code).to_have_value(saying(f"{name}={word}"))
    dialog.get_by_text("What the frame shows").click()
    dialog.get_by_role("checkbox", name="the bar that plays").uncheck()
    expect(code).to_have_value(saying("show=canvas%2Cquestion%2Csliders%2Copen"))
    dialog.get_by_label("Height").fill("300")
    dialog.get_by_label("Height").press("Tab")
    expect(code).to_have_value(saying("height: 300px"))
    expect(preview).to_have_css("height", "300px")
    assert query_of(preview.get_attribute("src")) | CHOSEN == query_of(preview.get_attribute("src"))
    shown = lab.page.frame_locator("dialog iframe")
    expect(shown.locator(".canvas .node").first).to_be_visible()
    for name in ("theme", "type", "edit", "start"):
        expect(shown.locator("html")).to_have_attribute(f"data-av-{name}", CHOSEN[name])
    expect(shown.locator(".transport")).to_be_hidden()
    lab.page.keyboard.press("Escape")


@pytest.mark.nightly
def test_on_a_phone_it_fills_the_screen_and_nothing_is_cut(phone: LabPage):
    phone.page.get_by_role("button", name="Files, pictures and links").click()
    phone.page.get_by_role("menuitem", name="Share").click()
    dialog = phone.page.get_by_role("dialog", name="Share")
    expect(dialog.get_by_label("Link", exact=True)).to_have_value(saying("http"))
    for name in ("Link and QR code", "Frame for a page"):
        dialog.get_by_role("tab", name=name).click()
        body = dialog.locator(".share-body")
        assert body.evaluate("body => body.scrollWidth - body.clientWidth") == 0
        box = dialog.bounding_box()
        assert (box["x"], box["width"]) == (0, 390)
        assert faults(phone.page) == []
    phone.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
