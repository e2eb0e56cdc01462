"""Test copy, cut, paste and duplicate, with the keys and between two tabs.

The first graph: x = 0.6, y = 1.5, a = sin(x), b = a * y, z = b + stop(exp(a)).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.lab_page import LabPage, four_digits, saying

pytestmark = pytest.mark.shared_page(plots=False)

A = math.sin(0.6)
EMPTY = "q = 1.0"


@pytest.fixture
def other_tab(lab: LabPage) -> Iterator[LabPage]:
    """A second tab, with a graph of its own."""
    page: Page = lab.page.context.new_page()
    yield LabPage(page, lab.address).open()
    page.close()


def choose(lab: LabPage, *names: str) -> None:
    lab.press("Escape")
    lab.select(names[0])
    for name in names[1:]:
        lab.node(name).locator(".card").click(modifiers=["Shift"])
    lab.settle()


def selected(lab: LabPage) -> set[str]:
    nodes = lab.canvas.locator("[data-id].selected")
    return set(nodes.evaluate_all("nodes => nodes.map((node) => node.dataset.id)"))


def test_copied_nodes_are_pasted_with_their_wires_and_selected(lab: LabPage):
    choose(lab, "a", "b")
    lab.press("Control+c")
    expect(lab.canvas.get_by_role("status")).to_have_text("Copied 2 nodes as formula text")
    lab.press("Control+v")
    assert {"a_1", "b_1"} <= lab.names()
    expect(lab.value("b_1")).to_have_text(four_digits(1.5 * A))
    expect(lab.formula).to_have_value(saying("b_1 = a_1 * y"))
    assert selected(lab) == {"a_1", "b_1"}


IN_VIEW = """canvas => {
  const room = canvas.getBoundingClientRect();
  const within = ({ left, right, top, bottom }) =>
    left >= room.left && right <= room.right && top >= room.top && bottom <= room.bottom;
  const nodes = [...canvas.querySelectorAll("[data-id]")];
  const seen = nodes.filter((node) => within(node.querySelector(".card").getBoundingClientRect()));
  return seen.map((node) => node.dataset.id);
}"""


@pytest.mark.nightly
@pytest.mark.own_page
def test_after_a_paste_all_of_a_small_graph_is_in_view_and_of_a_view_that_was_chosen_the_output(lab: LabPage):
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    lab.canvas.locator(".surface").focus()
    for key in ("Control+a", "Control+c", "Control+v"):
        lab.press(key)
    expect(lab.canvas.locator("[data-id]")).to_have_count(12)
    assert len(lab.canvas.evaluate(IN_VIEW)) == 12
    choose(lab, "x_1")
    lab.press("Control+c")
    for _ in range(4):
        lab.press("Shift+F")
    lab.tools.get_by_role("button", name="Zoom in").click()
    assert "z" not in lab.canvas.evaluate(IN_VIEW)
    lab.canvas.locator(".surface").focus()
    lab.press("Control+v")
    expect(lab.canvas.locator("[data-id]")).to_have_count(13)
    assert {"x_2", "z"} <= set(lab.canvas.evaluate(IN_VIEW))


def test_pasting_again_does_not_cover_the_last_copy(lab: LabPage):
    choose(lab, "a")
    lab.press("Control+c")
    lab.press("Control+v")
    lab.press("Control+v")
    assert len({lab.place(name) for name in ("a", "a_1", "a_2")}) == 3


@pytest.mark.nightly
def test_nodes_are_pasted_in_another_tab_with_rules_and_empty_slots_for_what_is_not_there(
    lab: LabPage, other_tab: LabPage
):
    other_tab.type_formula(EMPTY)
    lab.page.bring_to_front()
    choose(lab, "a", "b", "exp_1")
    lab.press("Control+c")
    other_tab.page.bring_to_front()
    other_tab.canvas.locator(".surface").focus()
    other_tab.press("Control+v")
    assert other_tab.names() == {"q", "a", "b", "exp_1"}
    expect(other_tab.node("exp_1").locator(".chip.stop")).to_be_visible()
    expect(other_tab.formula).to_have_value(saying("a = sin(...)"))
    expect(other_tab.wire("b", 0)).to_have_count(1)
    expect(other_tab.wire("b", 1)).to_have_count(0)  # there is no y


def test_text_from_anywhere_is_pasted_as_nodes(lab: LabPage):
    put_on_clipboard(lab, "w = 2.0\nv = cos(w) * y")
    lab.press("Control+v")
    assert {"w", "v", "cos_1"} <= lab.names()
    expect(lab.value("v")).to_have_text(four_digits(math.cos(2.0) * 1.5))


def test_text_that_is_no_formula_is_refused_with_a_reason_and_changes_nothing(lab: LabPage):
    before = lab.names()
    put_on_clipboard(lab, "Dear diary, today I met a gradient.")
    lab.press("Control+v")
    expect(lab.canvas.locator(".notice")).to_contain_text("Nothing was pasted")
    assert lab.names() == before


def put_on_clipboard(lab: LabPage, text: str) -> None:
    """Copy the text out of a text field, then give the keys back to the canvas."""
    lab.page.evaluate(
        """text => {
          const area = document.body.appendChild(document.createElement("textarea"));
          area.value = text;
          area.select();
        }""",
        text,
    )
    lab.page.keyboard.press("Control+c")
    lab.page.evaluate("() => document.activeElement.remove()")
    lab.canvas.locator(".surface").focus()


def test_cut_nodes_are_gone_until_they_are_pasted(lab: LabPage):
    choose(lab, "a")
    lab.press("Control+x")
    assert "a" not in lab.names()
    expect(lab.value("b")).to_have_text("0.9")  # the wires are healed: x * y
    lab.press("Control+v")
    expect(lab.value("a")).to_have_text(four_digits(A))


def test_duplicates_show_at_once_and_are_selected(lab: LabPage):
    choose(lab, "a", "b")
    lab.page.keyboard.press("Control+d")
    assert {"a_1", "b_1"} <= lab.names()  # before Python has answered
    lab.settle()
    assert selected(lab) == {"a_1", "b_1"}
    expect(lab.formula).to_have_value(saying("b_1 = a_1 * y"))
    lab.press("Control+z")
    assert lab.names() == {"x", "y", "a", "b", "exp_1", "z"}


def test_dragging_with_alt_drags_a_copy_away(lab: LabPage):
    before = lab.place("b")
    lab.page.keyboard.down("Alt")
    lab.drag_by("b", 0, 120)
    lab.page.keyboard.up("Alt")
    assert lab.place("b") == before
    x, y = lab.place("b_1")
    assert x == pytest.approx(before[0], abs=2)
    assert y > before[1] + 60
    expect(lab.formula).to_have_value(saying("b_1 = a * y"))


def test_copying_in_the_formula_is_the_browsers_own(lab: LabPage):
    lab.formula.click()
    lab.page.keyboard.press("Control+a")
    lab.page.keyboard.press("Control+c")
    lab.press("End")
    expect(lab.canvas.get_by_role("status")).not_to_contain_text("Copied")


def in_view(lab: LabPage, name: str) -> bool:
    card, canvas = lab.node(name).locator(".card").bounding_box(), lab.canvas.bounding_box()
    across = canvas["x"] <= card["x"] and card["x"] + card["width"] <= canvas["x"] + canvas["width"]
    return (
        across and canvas["y"] <= card["y"] and card["y"] + card["height"] <= canvas["y"] + canvas["height"]
    )


@pytest.mark.nightly
def test_what_is_pasted_comes_into_view_nodes_and_a_whole_formula(lab: LabPage):
    steps = "".join(f"h{i + 1} = sin(h{i})\n" for i in range(8))
    lab.type_formula(f"h0 = 0.5\n{steps}")
    lab.formula.press("Control+a")
    lab.page.keyboard.press("Control+x")
    lab.page.keyboard.press("Control+v")
    lab.settle()
    assert in_view(lab, "h8")
    lab.click_fast(lab.tools.get_by_role("button", name="Zoom in"), 6)
    assert not in_view(lab, "h8")
    lab.formula.focus()
    lab.page.keyboard.press("Control+a")
    lab.page.keyboard.press("Control+v")
    lab.settle()
    assert in_view(lab, "h8")
    lab.click_fast(lab.tools.get_by_role("button", name="Zoom in"), 4)
    lab.canvas.locator(".surface").focus()
    lab.press("Control+v")
    expect(lab.node("h8_1").locator(".card")).to_be_visible()
    lab.settle()
    assert in_view(lab, "h8_1")
