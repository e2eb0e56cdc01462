"""Test every page, in both themes, with axe, the checker of the accessibility rules: no violations.

The axe-core that comes with axe-playwright-python runs inside the page. Nothing is excused: what Streamlit
gets wrong by itself is put right in `assets/`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.lab_page import DRAWN, FOLDED, LabPage

VISITS = {"desk-light": ("context", "light"), "phone-dark": ("phone_context", "dark")}
"""Every width and every theme once; what differs by neither is tried on a desk alone."""

"""Milliseconds in which the first plot comes: its code is 4 MB, and a worker may have it to make."""

DESK = pytest.mark.parametrize("visit", ["desk-light"], indirect=True)


@pytest.fixture(params=VISITS)
def visit(request: pytest.FixtureRequest) -> Iterator[Page]:
    context, scheme = VISITS[request.param]
    page = request.getfixturevalue(context).new_page()
    page.emulate_media(color_scheme=scheme)
    yield page
    page.close()


def faults(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [
        f"{fault['id']}: {node['html'][:160]} {node['failureSummary']}"
        for fault in found
        for node in fault["nodes"]
    ]


@DESK
def test_axe_is_not_blind(visit: Page):
    visit.set_content('<html lang="en"><title>t</title><main><h1>t</h1><button></button></main>')
    assert [fault.split(":")[0] for fault in faults(visit)] == ["button-name"]


@pytest.mark.sampled(3)
def test_the_lab_and_all_that_opens_on_its_canvas(visit: Page, address: str):
    lab = LabPage(visit, address).open()
    plots = visit.get_by_role("tab", name="Plots")
    if plots.count():  # on a phone, which has a sheet
        plots.click()
    expect(visit.locator(DRAWN).first).to_be_visible()
    assert faults(visit) == []
    for key, opened in (("/", ".palette"), ("?", ".sheet"), ("Control+f", ".find-box")):
        lab.canvas.locator(".surface").focus()
        visit.keyboard.press(key)
        expect(lab.canvas.locator(opened)).to_be_visible()
        assert faults(visit) == []
        visit.keyboard.press("Escape")
    lab.tools.get_by_role("button", name="Files, pictures and links").click()
    assert faults(visit) == []
    lab.canvas.get_by_role("menuitem", name="Open a link").click()
    assert faults(visit) == []


@pytest.mark.nightly
@DESK
def test_the_lab_with_rules_a_region_a_wire_in_hand_and_a_problem(visit: Page, address: str):
    lab = LabPage(visit, address).open(FOLDED)
    lab.type_formula(
        'x = 1.0\nwith checkpoint("r"):\n    a = rewrite(sin(x), lambda v: -v)\nb = a * 2.0\nc = log(x)'
    )
    lab.node("b").focus()
    lab.press(".")
    assert faults(visit) == []
    lab.node("x").focus()
    lab.press("w")
    assert faults(visit) == []
    lab.press("Escape")
    lab.node("b").focus()
    lab.press(",")
    lab.press("Delete")
    assert faults(visit) == []


@pytest.mark.nightly
@DESK
def test_a_stopped_node_in_a_region_its_comparison_and_the_history(visit: Page, address: str):
    lab = LabPage(visit, address).open()
    lab.canvas.locator(".surface").focus()
    lab.press("Shift+V")
    lab.select("a")
    lab.press("s")
    expect(visit.locator(".twins tbody tr")).to_have_count(1)
    visit.get_by_text("5 equal").click()
    assert faults(visit) == []
    lab.node("a").focus()
    lab.press("c")
    lab.press("h")
    assert faults(visit) == []
    visit.keyboard.press("Escape")
    lab.tools.get_by_role("button", name="More", exact=True).click()
    assert faults(visit) == []
    visit.keyboard.press("Escape")
    lab.canvas.locator(".tab").first.click()
    assert faults(visit) == []


@DESK
def test_the_lessons_and_one_that_is_open(visit: Page, address: str):
    LabPage(visit, address)
    visit.goto(f"{address}/lessons")
    link = visit.locator("a.open").last
    expect(link).to_be_visible()
    assert faults(visit) == []
    link.click()
    expect(visit.locator(".canvas .node").first).to_be_visible()
    LabPage(visit, address).settle()
    assert faults(visit) == []
