"""Test several nodes at once: boxed, moved, nudged, lined up, laid out anew."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage
from tests.own_lesson import KEY

pytestmark = pytest.mark.shared_page(plots=False)

FIRST = {"x", "y", "a", "b", "exp_1", "z"}


def selected(lab: LabPage) -> set[str]:
    nodes = lab.canvas.locator("[data-id].selected")
    return set(nodes.evaluate_all("nodes => nodes.map((node) => node.dataset.id)"))


def choose(lab: LabPage, *names: str) -> None:
    lab.select(names[0])
    for name in names[1:]:
        lab.node(name).locator(".card").click(modifiers=["Shift"])
    lab.settle()


def more(lab: LabPage, label: str) -> None:
    lab.tools.get_by_role("button", name="More").click()
    lab.canvas.get_by_role("menuitem", name=label).click()
    lab.settle()


def test_a_box_drawn_with_shift_selects_what_it_touches(lab: LabPage):
    lab.canvas.locator(".surface").focus()
    lab.press("Escape")
    a, b = lab.node("a").bounding_box(), lab.node("b").bounding_box()
    lab.page.keyboard.down("Shift")
    lab.move_mouse((a["x"] - 20, a["y"] - 30), (b["x"] + 50, b["y"] + b["height"] / 2))
    lab.page.keyboard.up("Shift")
    assert {"a", "b"} <= selected(lab)
    assert "z" not in selected(lab)
    lab.press("Control+a")
    assert selected(lab) == FIRST


def test_selected_nodes_move_together(lab: LabPage):
    choose(lab, "a", "b")
    before = {name: lab.place(name) for name in FIRST}
    lab.drag_by("a", 30, 40)
    shifts = {
        name: tuple(now - then for now, then in zip(lab.place(name), before[name], strict=True))
        for name in FIRST
    }
    assert shifts["a"] == shifts["b"] != (0, 0)
    assert {shifts[name] for name in FIRST - {"a", "b"}} == {(0, 0)}


def test_nodes_are_lined_up_and_that_is_one_named_step(lab: LabPage):
    choose(lab, "a", "z")
    top = min(lab.place("a")[1], lab.place("z")[1])
    more(lab, "Align tops")
    assert lab.place("a")[1] == lab.place("z")[1] == top
    expect(lab.tools.get_by_role("button", name="Undo: Align 2 nodes at the top")).to_be_enabled()


def test_alt_and_arrows_nudge_as_one_step(lab: LabPage):
    lab.select("a")
    x, y = lab.place("a")
    for _ in range(3):
        lab.press("Alt+ArrowDown")
    assert lab.place("a") == (x, y + 24)
    lab.press("Control+z")
    assert lab.place("a") == (x, y)
    expect(lab.canvas.get_by_role("status")).to_have_text("Undone: Nudge a")


def test_arranging_the_selection_leaves_the_rest(lab: LabPage):
    lab.drag_by("a", 0, -60)  # not onto another node, which could be above it
    choose(lab, "a", "b", "exp_1")
    before = {name: lab.place(name) for name in FIRST}
    lab.press("l")
    assert {name: lab.place(name) for name in ("x", "y", "z")} == {
        name: before[name] for name in ("x", "y", "z")
    }
    assert lab.place("a")[0] < lab.place("b")[0] == pytest.approx(lab.place("exp_1")[0], abs=1)


@pytest.mark.parametrize(("name", "label"), [("a", "Name of a"), ("x", "Value of x")])
def test_a_double_click_on_a_node_opens_its_name_or_its_value(lab: LabPage, name, label):
    box = lab.node(name).locator(".card").bounding_box()
    lab.page.mouse.dblclick(box["x"] + 30, box["y"] + box["height"] - 12)
    expect(lab.canvas.get_by_role("textbox", name=label)).to_be_focused()


def words_of(lab: LabPage) -> dict[str, str]:
    """By label, the words that are seen on the buttons of the selection."""
    buttons = lab.page.locator(".bar.top button:visible")
    return dict(buttons.evaluate_all("all => all.map((one) => [one.ariaLabel, one.innerText.trim()])"))


def test_what_a_node_can_do_is_said_in_words_and_the_rest_is_in_a_menu_with_words(lab: LabPage):
    lab.select("a")
    words = {
        "Checkpoint": "checkpoint",
        "Group, or take the group apart": "group",
        "Make it the output": "output",
    }
    assert words_of(lab) == {**words, "Delete": "", "More": ""}
    more(lab, "Mute: return the first input")
    assert "muted" in lab.node("a").get_attribute("class")


TOOLS = """tools => tools.map((tool) => [tool.ariaLabel, tool.getBoundingClientRect().x])"""


@pytest.mark.own_page
def test_in_a_lesson_no_tool_moves_when_a_tab_is_chosen_and_the_zoom_stays(lab: LabPage):
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    lab.open(f"/?lesson={KEY}")
    lab.select("x")
    tools = lab.page.locator(".strip button:visible")
    with_node = tools.evaluate_all(TOOLS)
    lab.page.get_by_role("tab", name="Lesson").click()
    assert tools.evaluate_all(TOOLS) == with_node
    assert {"Stop gradient", "Zoom out", "Zoom in"} <= {name for name, _ in with_node}


def test_rules_of_several_nodes_stand_behind_a_word(lab: LabPage):
    choose(lab, "a", "b")
    expect(lab.page.locator(".bar.top .of")).to_have_text("bend")
    assert [*words_of(lab)][:2] == ["Stop gradient", "Rewrite cotangent"]
