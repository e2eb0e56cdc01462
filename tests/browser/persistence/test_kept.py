"""Test that what the address does not hold is restored too: the history, the view and the selection."""

from __future__ import annotations

import hashlib
import json

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.connection.test_never_lost import returned, server, tab  # noqa: F401
from tests.browser.lab_page import LabPage, saying
from tests.browser.persistence.test_export_import import DROP

pytestmark = pytest.mark.shared_page(plots=False)


def labels(lab: LabPage) -> list[str]:
    """The history as its list says it, oldest first."""
    lab.canvas.locator(".surface").focus()
    lab.press("h")
    found = lab.canvas.locator(".step-list .step > span:not(.mark)").all_inner_texts()
    lab.press("Escape")
    return found[::-1]


def worked(lab: LabPage) -> list[str]:
    """Some steps, the last of them undone."""
    lab.type_formula("x = 0.5\nb = sin(x)\nz = b * 2.0 # mine")
    lab.select("b")
    lab.press("s")
    lab.add("tanh")
    lab.select("x")
    lab.press("Delete")
    lab.button("Undo")
    return labels(lab)


@pytest.mark.nightly
def test_the_history_comes_back_after_a_reload_with_what_was_undone(lab: LabPage):
    before = worked(lab)
    assert len(before) == 5
    lab.reload()
    assert labels(lab) == before
    lab.button("Redo")
    expect(lab.node("x")).to_have_count(0)
    for _ in range(4):
        lab.button("Undo")
    assert "exp_1" in lab.names()
    lab.reload()
    lab.reload()
    lab.button("Redo")
    expect(lab.formula).to_have_value("x = 0.5\nb = sin(x)\nz = b * 2.0 # mine")


@pytest.mark.nightly
def test_the_history_comes_back_after_a_restart_of_the_server(tab: Page, server):  # noqa: F811
    lab = LabPage(tab, server.address).open()
    before = worked(lab)
    server.kill()
    lab.select_quickly("b")
    tab.keyboard.press("o")  # done while nobody is there
    server.start()
    returned(lab)
    expect(lab.formula).to_have_value(saying("return b"))
    assert labels(lab) == [*before[:-1], "Make b the output"]


@pytest.mark.nightly
def test_a_reload_in_mid_edit_keeps_the_history(lab: LabPage):
    before = worked(lab)
    lab.select("b")
    lab.page.keyboard.press("o")
    lab.page.reload()
    expect(lab.formula).to_have_value(saying("return b"))
    lab.settle()
    assert labels(lab)[:-1] == before[:-1]


@pytest.mark.nightly
@pytest.mark.own_page
def test_a_tab_opened_again_from_its_address_has_the_history(lab: LabPage, context: BrowserContext):
    before = worked(lab)
    link = lab.page.url
    lab.page.goto("about:blank")
    other = context.new_page()
    try:
        again = LabPage(other, link).open()
        assert labels(again) == before
    finally:
        other.close()


@pytest.mark.nightly
def test_a_link_of_somebody_else_brings_no_history_of_mine(lab: LabPage):
    worked(lab)
    link = lab.page.url
    lab.select("b")
    lab.press("o")
    lab.page.goto(link.split("&at=")[0])
    lab.settle()
    assert len(labels(lab)) == 1


def view(lab: LabPage) -> tuple[float, ...]:
    """Where a node is on the canvas, and how large."""
    card = lab.node("b").locator(".card").bounding_box()
    canvas = lab.canvas.bounding_box()
    return card["x"] - canvas["x"], card["y"] - canvas["y"], card["width"]


@pytest.mark.nightly
@pytest.mark.parametrize("names", [["a"], ["a", "b"]])
def test_the_chosen_view_and_the_selection_are_as_they_were_after_a_reload(lab: LabPage, names: list[str]):
    first = view(lab)
    lab.canvas.locator(".surface").focus()
    for key in ("+", "+"):
        lab.press(key)
    lab.select(names[0])
    for name in names[1:]:
        lab.node(name).locator(".card").click(modifiers=["Shift"])
    lab.settle()
    chosen = view(lab)
    assert chosen != pytest.approx(first, abs=5)
    lab.reload()
    assert view(lab) == pytest.approx(chosen, abs=1)
    selected = lab.canvas.locator("[data-id].selected").evaluate_all(
        "all => all.map((node) => node.dataset.id)"
    )
    assert sorted(selected) == names


def large_graph() -> str:
    """A graph as JSON, of more numbers than a link can hold."""
    numbers = [round((i * 7919) % 10_007 / 9_973, 6) for i in range(16_000)]
    nodes = [
        {"name": "v", "op": "input", "params": {"value": numbers}},
        {"name": "s", "op": "sin", "slots": ["v"]},
        {"name": "t", "op": "sum", "slots": ["s"]},
    ]
    return json.dumps({"autodiff_viz": 1, "nodes": nodes, "output": "t"})


@pytest.mark.nightly
@pytest.mark.own_page
def test_a_graph_too_large_for_a_link_comes_back_from_the_browser(lab: LabPage):
    lab.canvas.evaluate(DROP, large_graph())
    expect(lab.node("t")).to_be_visible()
    lab.settle()
    lab.open_settings()
    expect(lab.page.get_by_text("Too large for a link")).to_be_visible()
    expect(lab.page).to_have_url(saying("kept="))
    assert len(lab.page.url) < 500
    lab.page.keyboard.press("Escape")
    lab.page.get_by_role("button", name="Share").click()
    told = lab.page.get_by_role("dialog", name="Share")
    expect(told).to_contain_text("This graph is too large for a link")
    with lab.page.expect_download() as saved:
        told.get_by_role("button", name="Save as JSON").click()
    assert len(json.loads(saved.value.path().read_text())["nodes"]) == 3
    expect(told).to_have_count(0)
    lab.select("s")
    lab.press("s")
    before = lab.value("t").text_content()
    steps = labels(lab)
    lab.reload()
    expect(lab.node("t")).to_be_visible()
    expect(lab.node("s").locator(".chip.stop")).to_be_visible()
    assert (lab.value("t").text_content(), labels(lab)) == (before, steps)
    lab.page.go_back()
    expect(lab.node("s").locator(".chip.stop")).to_have_count(0)


@pytest.mark.nightly
@pytest.mark.own_page
def test_a_large_graph_is_not_in_another_browser_which_says_so(lab: LabPage):
    lab.page.goto(lab.address + "/?kept=0123456789ab")
    expect(lab.page.get_by_text("This graph is too large for a link.")).to_be_visible()
    assert lab.names() == set()


@pytest.mark.nightly
@pytest.mark.own_page
def test_a_draft_too_long_for_a_link_comes_back(lab: LabPage):
    digits = "".join(hashlib.sha256(bytes([i % 256, i // 256])).hexdigest() for i in range(1_900))
    comments = "\n".join(f"# {digits[i : i + 1_900]}" for i in range(0, len(digits), 1_900))
    draft = f"x = 0.5\ny = sin(x\n{comments}"
    lab.formula.fill(draft)
    lab.formula.press("Control+Enter")
    lab.settle()
    expect(lab.page).to_have_url(saying("kept="))
    lab.reload()
    expect(lab.formula).to_have_value(draft)
