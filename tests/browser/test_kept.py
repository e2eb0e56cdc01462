"""What the address does not hold comes back too: the history, the view and the selection."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.lab_page import LabPage, saying
from tests.browser.test_never_lost import BACK, returned, server, tab  # noqa: F401


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


def test_the_history_comes_back_after_a_restart_of_the_server(tab: Page, server):  # noqa: F811
    lab = LabPage(tab, server.address).open()
    before = worked(lab)
    server.kill()
    lab.select_quickly("b")
    tab.keyboard.press("o")  # done while nobody is there
    server.start()
    returned(lab)
    expect(lab.formula).to_have_value(saying("return b"), timeout=BACK)
    assert labels(lab) == [*before[:-1], "Output: b"]


def test_a_reload_in_mid_edit_keeps_the_history(lab: LabPage):
    before = worked(lab)
    lab.select("b")
    lab.page.keyboard.press("o")
    lab.page.reload()
    expect(lab.formula).to_have_value(saying("return b"), timeout=BACK)
    lab.settle()
    assert labels(lab)[:-1] == before[:-1]


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


def test_a_link_of_somebody_else_brings_no_history_of_mine(lab: LabPage):
    worked(lab)
    link = lab.page.url
    lab.select("b")
    lab.press("o")
    lab.page.goto(link.split("&at=")[0])
    lab.settle()
    assert len(labels(lab)) == 1


def view(lab: LabPage) -> str:
    return lab.canvas.locator(".world").get_attribute("transform")


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
    assert chosen != first
    lab.reload()
    assert view(lab) == chosen
    selected = lab.canvas.locator("[data-id].selected").evaluate_all(
        "all => all.map((node) => node.dataset.id)"
    )
    assert sorted(selected) == names
