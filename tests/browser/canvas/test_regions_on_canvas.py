"""Test checkpoint regions with the pointer, on a chain a, b, c, z: only neighbours can form a region."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, saying

pytestmark = pytest.mark.shared_page(plots=False)

CHAIN = "x = 0.5\na = sin(x)\nb = exp(a)\nc = cos(b)\nz = tanh(c)"


@pytest.fixture
def chain(lab: LabPage) -> LabPage:
    lab.type_formula(CHAIN)
    lab.button("Fit to view")
    return lab


def choose(lab: LabPage, *names: str) -> None:
    lab.select(names[0])
    for name in names[1:]:
        lab.node(name).locator(".card").click(modifiers=["Shift"])
    lab.settle()


def wrap(lab: LabPage, *names: str) -> None:
    choose(lab, *names)
    lab.press("c")
    expect(lab.region("block_1").first).to_be_attached()


def undone(lab: LabPage, label: str) -> None:
    lab.tools.get_by_role("button", name=f"Undo: {label}").click()
    lab.settle()


def test_a_selection_that_cannot_be_a_region_lights_the_path_and_offers_the_smallest_one(chain: LabPage):
    choose(chain, "a", "c")
    chain.press("c")
    notice = chain.canvas.get_by_role("alert")
    expect(notice).to_contain_text("'c' inside it needs 'b' outside it")
    for name in ("a", "b", "c"):
        expect(chain.node(name)).to_have_class(saying("on-path"))
    expect(chain.node("z")).not_to_have_class(saying("on-path"))
    expect(chain.canvas.locator(".wire.on-path")).to_have_count(2)
    notice.get_by_role("button", name="Take b in too").click()
    chain.settle()
    expect(notice).to_be_hidden()
    expect(chain.formula).to_have_value(
        saying('with checkpoint("block_1"):\n    a = sin(x)\n    b = exp(a)\n    c = cos(b)\n')
    )


def test_a_node_dragged_into_a_region_joins_it_in_one_step(chain: LabPage):
    wrap(chain, "a")
    a, b = (chain.node(name).locator(".card").bounding_box() for name in ("a", "b"))
    chain.drag_by("b", a["x"] - b["x"] + 10, a["y"] - b["y"] + a["height"] * 0.4)
    expect(chain.formula).to_have_value(
        saying('with checkpoint("block_1"):\n    a = sin(x)\n    b = exp(a)\n')
    )
    undone(chain, "Move b into block_1")
    expect(chain.formula).to_have_value(saying('with checkpoint("block_1"):\n    a = sin(x)\nb'))


def test_a_node_dragged_out_of_a_region_leaves_it_and_the_page_says_so_before_the_drop(chain: LabPage):
    wrap(chain, "a", "b")
    chain.select("b")
    card = chain.node("b").locator(".card").bounding_box()
    start = (card["x"] + 20, card["y"] + card["height"] - 8)
    mouse = chain.page.mouse
    mouse.move(*start)
    mouse.down()
    mouse.move(start[0] + 40, start[1] + 300, steps=6)
    expect(chain.canvas.get_by_role("status")).to_have_text("Drop to take b out of block_1")
    mouse.up()
    chain.settle()
    expect(chain.formula).to_have_value(saying('with checkpoint("block_1"):\n    a = sin(x)\nb'))


def test_a_node_that_cannot_join_goes_back_and_the_missing_one_can_be_taken_in(chain: LabPage):
    wrap(chain, "a")
    before = chain.place("c")
    a, c = (chain.node(name).locator(".card").bounding_box() for name in ("a", "c"))
    chain.drag_by("c", a["x"] - c["x"] + 10, a["y"] - c["y"] + a["height"] * 0.4)
    assert chain.place("c") == before
    chain.canvas.get_by_role("alert").get_by_role("button", name="Take b in too").click()
    chain.settle()
    assert chain.place("c") != before
    expect(chain.formula).to_have_value(
        saying('block_1"):\n    a = sin(x)\n    b = exp(a)\n    c = cos(b)\n')
    )


def test_dragging_the_tab_moves_all_that_the_region_holds(chain: LabPage):
    wrap(chain, "a", "b")
    before = {name: chain.place(name) for name in ("a", "b", "c")}
    tab = chain.canvas.locator(".tab").bounding_box()
    start = (tab["x"] + 12, tab["y"] + tab["height"] / 2)
    chain.move_mouse(start, (start[0], start[1] + 90))
    after = {name: chain.place(name) for name in before}
    assert after["c"] == before["c"]
    assert after["a"][1] > before["a"][1] + 30
    assert after["a"][1] - before["a"][1] == pytest.approx(after["b"][1] - before["b"][1], abs=1)
    expect(chain.formula).to_have_value(saying('block_1"):\n    a = sin(x)\n    b = exp(a)\nc'))


def test_the_tab_opens_name_policy_and_removal_by_the_keyboard(chain: LabPage):
    wrap(chain, "a", "b")
    chain.canvas.locator(".tab").focus()
    chain.page.keyboard.press("Enter")
    dialog = chain.canvas.get_by_role("dialog", name="Checkpoint region block_1")
    dialog.get_by_label("Keeps").select_option("save_only_these_names")
    chain.settle()
    dialog.get_by_label("a", exact=True).uncheck()
    chain.settle()
    expect(chain.formula).to_have_value(saying('policy="save_only_these_names", names=("b",)'))
    dialog.get_by_label("Name").fill("trunk")
    dialog.get_by_label("Name").press("Tab")
    chain.settle()
    expect(chain.formula).to_have_value(saying('checkpoint("trunk"'))
    dialog.get_by_role("button", name="Remove").click()
    chain.settle()
    expect(dialog).to_have_count(0)
    expect(chain.canvas.locator(".tab")).to_have_count(0)


def test_a_region_is_cut_out_round_a_node_that_it_does_not_hold(chain: LabPage):
    wrap(chain, "a", "b")
    a, b, z = (chain.node(name).locator(".card").bounding_box() for name in ("a", "b", "z"))
    # half on the outline's lower edge, its middle outside: it does not join
    chain.drag_by("z", (a["x"] + b["x"]) / 2 - z["x"], a["y"] + a["height"] * 1.05 - z["y"])
    expect(chain.canvas.locator("mask rect")).to_have_count(2)
    expect(chain.formula).to_have_value(saying("    b = exp(a)\nc = cos(b)\nz"))
