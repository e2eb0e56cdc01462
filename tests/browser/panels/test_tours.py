"""Test a tour by gesture: states added, worded, ordered, shared, saved, and found again after a reload."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from autodiff_viz.asking.question import Quantity, Question
from autodiff_viz.asking.summary import count
from autodiff_viz.lessons.codec import read_tour, tour_to_link
from autodiff_viz.lessons.tour import Step, Tour
from tests.browser.lab_page import LabPage, middle
from tests.browser.page.test_axe import faults

pytestmark = [pytest.mark.own_page, pytest.mark.shared_page(plots=False)]


def panel(lab: LabPage) -> Locator:
    return lab.page.get_by_role("region", name="Tour")


def names(lab: LabPage) -> list[str]:
    """The titles in the list, that of the step on view from its field."""
    rows = panel(lab).locator(".step .line")
    return [
        row.locator("input").input_value()
        if row.locator("input").count()
        else row.locator(".name").inner_text()
        for row in rows.all()
    ]


def do(lab: LabPage, name: str) -> None:
    panel(lab).get_by_role("button", name=name, exact=True).click()
    lab.settle()


def write(lab: LabPage, label: str, text: str) -> None:
    panel(lab).get_by_label(label).fill(text)
    panel(lab).get_by_label(label).blur()
    lab.settle()


TWO_WAYS = Tour(
    title="Two ways",
    steps=(
        Step("Free", "x = 2.0\ny = sin(x)\nz = x * y", text="What arrives at `x`?"),
        Step("Stopped", "x = 2.0\ny = stop_gradient(sin(x))\nz = x * y", notes="Wait."),
    ),
)


def write_on(lab: LabPage, *, edit: bool = True) -> None:
    """Open the tour of two steps, to be edited."""
    lab.open(f"/?tour={tour_to_link(TWO_WAYS)}")
    if edit:
        do(lab, "Edit")


def test_states_and_their_words_are_added_to_a_tour(lab: LabPage):
    lab.tools.get_by_role("button", name="Files, pictures and links").click()
    lab.canvas.get_by_role("menuitem", name="Tour").click()
    expect(panel(lab)).to_contain_text("A tour is a list of steps")
    do(lab, "Add this graph")
    write(lab, "Title of the tour", "Two ways")
    write(lab, "Title of the step", "Free")
    write(lab, "Caption", "What arrives at `x`?")
    lab.select("b")
    lab.press("s")
    lab.page.get_by_role("tab", name="Tour", exact=True).click()
    do(lab, "Add this graph")
    write(lab, "Title of the step", "Stopped")
    write(lab, "Speaker's notes; whoever has the link can read them", "Wait.")
    assert names(lab) == ["Free", "Stopped"]
    assert faults(lab.page) == []


def test_steps_are_ordered_by_button_and_by_key_and_undo_takes_it_back(lab: LabPage):
    write_on(lab)
    do(lab, "Up: step 2")
    assert names(lab) == ["Stopped", "Free"]
    lab.page.keyboard.press("Control+z")
    lab.settle()
    assert names(lab) == ["Free", "Stopped"]
    panel(lab).get_by_role("button", name="Stopped").focus()
    lab.page.keyboard.press("Alt+ArrowUp")
    lab.settle()
    assert names(lab) == ["Stopped", "Free"]
    expect(panel(lab).get_by_role("button", name="Stopped")).to_be_focused()


def test_steps_are_ordered_by_hand(lab: LabPage):
    write_on(lab)
    grips = panel(lab).locator(".grip")
    x, y = middle(grips.nth(1))
    lab.move_mouse((x, y), (x, middle(grips.nth(0))[1] - 12))
    lab.settle()
    assert names(lab) == ["Stopped", "Free"]


def test_a_step_that_was_changed_is_restarted(lab: LabPage):
    write_on(lab, edit=False)
    expect(panel(lab).locator(".place")).to_have_text("Tour, 1 of 2")
    restart = panel(lab).get_by_role("button", name="Restart the step")
    expect(restart).to_have_count(0)
    lab.select("y")
    lab.press("r")
    lab.page.get_by_role("tab", name="Tour", exact=True).click()
    do(lab, "Restart the step")
    expect(restart).to_have_count(0)
    expect(lab.formula).to_have_value(re.compile(r"y = sin\(x\)"))


def test_words_just_typed_outlive_a_reload_and_so_does_undo(lab: LabPage):
    write_on(lab)
    write(lab, "Title of the tour", "Both ways")
    panel(lab).get_by_label("Caption").fill("What arrives?")
    lab.page.reload()
    lab.canvas.wait_for()
    lab.settle()
    expect(panel(lab)).to_contain_text("Both ways")
    expect(panel(lab).get_by_role("heading")).to_have_text("Free")
    expect(panel(lab)).to_contain_text("What arrives?")
    lab.button("Undo")
    expect(panel(lab)).to_contain_text("What arrives at x?")


def test_a_tour_is_saved_as_a_file(lab: LabPage):
    write_on(lab)
    with lab.page.expect_download() as saved:
        do(lab, "Save as JSON")
    tour = read_tour(Path(saved.value.path()).read_text("utf-8"))
    assert (tour.title, [step.title for step in tour.steps]) == ("Two ways", ["Free", "Stopped"])
    assert tour.steps[1].notes == "Wait."
    expect(lab.canvas.get_by_role("status")).to_contain_text("Saved as autodiff_tour.json")


def test_another_visitor_reads_the_link_of_a_tour_without_its_notes(
    lab: LabPage, context: BrowserContext, address: str
):
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    write_on(lab)
    do(lab, "Copy the link")
    expect(lab.canvas.get_by_role("status")).to_contain_text("Link copied")
    link = lab.page.evaluate("navigator.clipboard.readText()")
    do(lab, "Close")
    expect(panel(lab).locator("*")).to_have_count(0)
    lab.page.goto(link)
    lab.canvas.wait_for()
    lab.settle()
    expect(panel(lab).locator(".place")).to_have_text("Tour, 1 of 2")
    expect(panel(lab)).to_contain_text("What arrives at x?")
    do(lab, "Next: Stopped")
    expect(panel(lab).get_by_role("heading")).to_have_text("Stopped")
    expect(panel(lab)).not_to_contain_text("Wait.")
    expect(lab.node("y").locator(".chip, .mark").first).to_be_visible()
    assert faults(lab.page) == []


def asking_tour() -> str:
    """The link of a tour whose first step asks, and has words that name the answer."""
    asks = Question("zero", Quantity("cotangent", "x"))
    first = Step("Ask", "x = 2.0\ny = x * x", text="It is four.", notes="Say four.", questions=(asks,))
    return tour_to_link(Tour(title="T", steps=(first, Step("Next one", "x = 3.0\ny = sin(x)"))))


def test_edit_shows_no_reader_what_is_said_after_an_answer_before_it_is_given(lab: LabPage):
    lab.open(f"/?tour={asking_tour()}")
    do(lab, "Edit")
    after, notes = (panel(lab).get_by_label(label) for label in ("Text after the answer", "Speaker's notes"))
    expect(panel(lab).get_by_label("Caption; on the stage in your notes alone")).to_be_visible()
    expect(after).to_be_hidden()
    expect(notes).to_be_hidden()
    assert faults(lab.page) == []
    panel(lab).get_by_text("Text after the answer, and notes").click()  # its author asks for it
    expect(after).to_have_value("It is four.")
    panel(lab).get_by_text("Text after the answer, and notes").click()
    expect(after).to_be_hidden()
    lab.page.get_by_role("button", name="not zero").click()
    lab.settle()
    expect(after).to_have_value("It is four.")
    expect(after).to_be_visible()
    expect(notes).to_be_visible()
    panel(lab).get_by_role("button", name="Next one", exact=True).click()
    expect(
        panel(lab).get_by_label("Text of the step; on the stage in your notes alone")
    ).to_be_visible()  # where nothing is asked
    expect(after).to_be_hidden()


def test_a_frame_leads_through_a_tour_and_lets_nobody_edit_it(lab: LabPage):
    show = "canvas,question,lesson,sliders,play,open"
    lab.page.goto(f"{lab.address}/?embed=1&v=1&start=now&show={show}&tour={asking_tour()}")
    expect(panel(lab).get_by_role("heading")).to_have_text("Ask")
    for name in ("Edit", "Close"):
        expect(panel(lab).get_by_role("button", name=name)).to_have_count(0)
    panel(lab).get_by_role("button", name="Next: Next one").click()
    expect(panel(lab).get_by_role("heading")).to_have_text("Next one")


def test_the_last_step_of_a_tour_offers_the_results_once_where_it_asks_itself(lab: LabPage):
    about = Question("zero", Quantity("cotangent", "x"))
    steps = tuple(Step(title, "x = 2.0\ny = x * x", questions=(about,)) for title in ("One", "Two"))
    lab.open(f"/?tour={tour_to_link(Tour(title='Ways', steps=steps))}")
    for title in ("One", "Two"):
        if title == "Two":
            do(lab, "Next: Two")
        lab.page.get_by_role("button", name="not zero", exact=True).click()
        lab.settle()
    copies = lab.page.get_by_role("button", name="Copy my result")
    expect(copies).to_have_text(["Copy my results of 2 steps"])
    lab.page.get_by_role("button", name="Stop asking").click()
    lab.settle()
    expect(copies).to_have_text(["Copy my results"])


def test_at_the_end_of_a_tour_the_results_of_all_its_steps_are_a_block_to_copy_though_one_returns(
    lab: LabPage, context: BrowserContext, address: str
):
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    about = Question("zero", Quantity("cotangent", "x"))
    titles = ("One", "Two", "Three")
    steps = [Step(title, f"x = {at}.0\ny = x * x", questions=(about,)) for at, title in enumerate(titles, 1)]
    tour = Tour(title="Ways", steps=(*steps, Step("End", "x = 1.0\ny = sin(x)")))
    lab.open(f"/?tour={tour_to_link(tour)}")
    for title in ("Two", "Three", "End"):
        lab.page.get_by_role("button", name="zero" if title == "Two" else "not zero", exact=True).click()
        lab.settle()
        if title == "Two":
            lab.page.get_by_role("button", name="not zero", exact=True).click()
            lab.settle()
        do(lab, f"Next: {title}")
    do(lab, "One")
    lab.page.get_by_role("button", name="not zero", exact=True).click()  # who returns knows it
    lab.settle()
    do(lab, "End")
    do(lab, "Copy my results")
    pasted = lab.page.evaluate("navigator.clipboard.readText()")
    made = count(f"A name\n{pasted}")
    assert (made.lines, [(one.title, one.right_at) for one in made.questions]) == (
        3,
        [("ways-1", (0, 1)), ("ways-2", (1, 0)), ("ways-3", (1, 0))],
    )
