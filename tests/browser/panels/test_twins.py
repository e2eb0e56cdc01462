"""Test two graphs compared: the sentence, the highlighted wire where they part, one key that flips."""

from __future__ import annotations

import math
import re
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, four_digits, saying
from tests.browser.page.test_phone import from_menu, tap

pytestmark = pytest.mark.shared_page

STOPPED = 1.5 * math.cos(0.6)  # d(y sin x)/dx
THROUGH = (1.5 + math.exp(math.sin(0.6))) * math.cos(0.6)  # and of e^sin x


def without_the_stop(lab: LabPage) -> None:
    lab.select("exp_1")
    lab.page.get_by_role("button", name="Compare: without stop").click()
    lab.settle()


@pytest.fixture
def twins(lab: LabPage) -> LabPage:
    """The graph is B, and A the one with the stop."""
    without_the_stop(lab)
    expect(says(lab)).to_contain_text("Equal values")
    return lab


def says(lab: LabPage):
    return lab.page.locator(".twins-says")


def shown(lab: LabPage, letter: str):
    expect(lab.page.get_by_role("button", name=f"Show {letter}", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )


def test_one_sentence_says_what_the_stop_changes(twins: LabPage):
    expect(says(twins)).to_contain_text("Equal values, different gradients of 'x' (equal for 'y')")
    expect(says(twins)).to_contain_text(
        f"passes 0 to 'a' in A and {four_digits(math.exp(math.sin(0.6)))} in B"
    )


def test_the_wire_where_the_sweeps_part_is_marked(twins: LabPage):
    expect(twins.wire("exp_1")).to_have_class(saying("parts"))
    expect(twins.canvas.locator(".wire.parts[data-wire]")).to_have_count(1)


def test_the_numbers_of_both_stand_in_a_row(twins: LabPage):
    row = twins.page.get_by_role("row").filter(has=twins.page.get_by_role("button", name="x", exact=True))
    expect(row.locator(".cotangent.apart")).to_have_text([four_digits(STOPPED), four_digits(THROUGH)])
    expect(twins.page.get_by_text("4 equal")).to_be_visible()


def test_sentence_mark_and_row_are_in_view_in_a_small_window(lab: LabPage):
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    without_the_stop(lab)
    row = lab.page.get_by_role("row").filter(has=lab.page.get_by_role("button", name="x", exact=True))
    for thing in (says(lab), lab.canvas.get_by_text("A and B part here"), row):
        expect(thing).to_be_in_viewport(ratio=1)


def test_while_a_slider_is_dragged_the_comparison_is_pale(twins: LabPage):
    slider = twins.page.get_by_role("slider", name="Slider of x")
    slider.hover()
    expect(twins.canvas).to_have_attribute("data-tables", saying("x"))
    twins.page.mouse.down()
    twins.page.mouse.move(slider.bounding_box()["x"] + 20, slider.bounding_box()["y"] + 5, steps=3)
    for part in (says(twins), twins.page.locator(".texts").locator("xpath=..")):
        expect(part).to_have_css("opacity", "0.4")  # of the numbers before the drag
    twins.page.mouse.up()
    twins.settle()
    expect(says(twins)).to_have_css("opacity", "1")


def test_one_key_flips_and_undo_flips_back(twins: LabPage):
    twins.canvas.locator(".surface").focus()
    twins.press("v")
    shown(twins, "A")
    expect(twins.cotangent("x")).to_have_text(four_digits(STOPPED))
    expect(twins.formula).to_have_value(saying("stop_gradient"))
    twins.button("Undo")
    shown(twins, "B")
    expect(twins.cotangent("x")).to_have_text(four_digits(THROUGH))


def test_both_programs_are_saved_with_their_difference(twins: LabPage):
    with twins.page.expect_download() as download:
        twins.page.get_by_role("button", name="Save both programs").click()
    held = ZipFile(BytesIO(Path(download.value.path()).read_bytes()))
    assert "+z = b + exp(a)" in held.read("formulas.diff").decode()
    assert "a.py" in held.namelist()


def test_without_the_pin_nothing_is_compared(twins: LabPage):
    twins.page.get_by_role("button", name="Unpin").click()
    twins.settle()
    expect(says(twins)).to_be_hidden()
    expect(twins.canvas.locator(".wire.parts")).to_have_count(0)
    expect(twins.page.get_by_role("tab", name="Compare")).to_have_count(0)


@pytest.mark.nightly
def test_the_canvas_compares_without_a_rule_a_mute_or_a_region_too(lab: LabPage):
    def compared(by: str) -> None:
        bar = lab.page.locator(".twins-says")
        expect(bar).to_contain_text(by)
        lab.page.get_by_role("button", name="Unpin").click()
        lab.settle()
        expect(bar).to_be_hidden()

    def from_more() -> None:
        lab.button("More")
        lab.canvas.get_by_role("menuitem", name="Compare: without this").click()
        lab.settle()

    lab.select("exp_1")
    from_more()
    compared("Equal values, different gradients of 'x'")
    lab.button("Undo")
    lab.button("Undo")
    lab.select("a")
    lab.press("m")
    from_more()
    compared("Different values")  # sin x in place of x
    lab.deselect()
    lab.select("a")
    lab.press("c")
    lab.canvas.locator(".region .tab").click()
    lab.canvas.get_by_role("dialog").get_by_role("button", name="Compare: without it").click()
    lab.settle()
    compared("Equal")


@pytest.mark.nightly
@pytest.mark.own_page
def test_a_reload_keeps_both_and_the_steps_between_them(lab: LabPage):
    lab.canvas.locator(".surface").focus()
    lab.press("Shift+V")
    lab.select("a")
    lab.press("s")
    expect(lab.page.locator(".twins-says")).to_contain_text("Equal values, different gradients of 'x'")
    expect(lab.page).to_have_url(re.compile("[?&]a="))
    lab.reload()
    expect(lab.page.locator(".twins-says")).to_contain_text("Equal values, different gradients of 'x'")
    lab.canvas.locator(".surface").focus()
    lab.press("v")
    expect(lab.cotangent("x")).to_have_text(four_digits(STOPPED))
    for step in ("Show A", "Stop gradient at a", "Pin as A"):
        expect(lab.page.locator(".canvas-tools .undo")).to_have_attribute("title", saying(step))
        lab.button("Undo")
    expect(lab.page.locator(".twins-says")).to_be_hidden()


def test_a_finger_pins_and_reads_both(phone: LabPage):
    from_menu(phone, "More", "Compare: pin")
    tap(phone, "a")
    from_menu(phone, "Bend", "Stop gradient")
    says = phone.page.locator(".twins-says")
    expect(says).to_be_in_viewport(ratio=1)
    expect(says).to_contain_text("Equal values, different gradients")
    for _ in range(2):  # the second press opens the sheet
        phone.page.get_by_role("tab", name="Plots").tap()
    expect(phone.page.locator(".twins .sentence")).to_be_in_viewport(ratio=1)
    expect(phone.page.locator(".twins tbody tr").first).to_be_in_viewport(ratio=1)
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 390
    phone.page.get_by_role("tab", name="Node").tap()
    phone.page.locator(".handle").tap()
