"""Test groups with the pointer: x feeds a and b, b feeds c and z; the group holds a and b."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab_page import LabPage, four_digits, middle, saying

pytestmark = pytest.mark.shared_page(plots=False)

TEXT = "x = 0.5\na = sin(x)\nb = a * x\nc = cos(b)\nz = c + b"


@pytest.fixture
def grouped(lab: LabPage) -> LabPage:
    lab.type_formula(TEXT)
    lab.button("Fit to view")
    lab.select("a")
    lab.node("b").locator(".card").click(modifiers=["Shift"])
    lab.settle()
    lab.press("g")
    expect(lab.region("group").first).to_be_attached()
    return lab


def card(lab: LabPage, name: str = "group") -> Locator:
    return lab.node(f"group:{name}")


def shut(lab: LabPage) -> None:
    lab.region("group").locator(".opener").click()
    expect(card(lab)).to_be_attached()
    lab.settle()


def places(lab: LabPage, *names: str) -> list[tuple[float, float]]:
    return [lab.place(name) for name in names]


def test_a_group_collapses_to_one_card_at_once_and_nothing_else_moves(grouped: LabPage):
    grouped.deselect()
    before = places(grouped, "x", "c", "z")
    output = grouped.value("z").text_content()
    opener = grouped.region("group").locator(".opener")
    grouped.page.context.set_offline(True)  # Python cannot have drawn it
    opener.click()
    expect(grouped.node("a")).to_have_count(0)
    assert grouped.names() == {"x", "c", "z", "group:group"}
    grouped.page.context.set_offline(False)
    grouped.settle()
    assert places(grouped, "x", "c", "z") == before
    # b = x sin x at 0.5; the cotangent of b is dz/db = 1 - sin(b)
    expect(card(grouped).locator(".value")).to_have_text(four_digits(0.2397127693))
    expect(card(grouped).locator(".cotangent")).to_have_text(four_digits(0.7625769))
    expect(card(grouped).locator(".port-name")).to_have_text(["x", "b"])
    expect(grouped.value("z")).to_have_text(output)
    # what both wires pass back to x together: (sin x + x cos x) (1 - sin b)
    expect(grouped.wire("group:group").locator("title")).to_have_text(saying(four_digits(0.7002082)[:5]))
    expect(
        grouped.canvas.get_by_role("listitem").filter(has_text="collapsed group of 2 nodes: a, b")
    ).to_have_count(1)


@pytest.mark.nightly
def test_undo_leaves_a_group_shut_and_a_reload_brings_it_back_so(grouped: LabPage):
    shut(grouped)
    grouped.page.keyboard.press("Escape")
    grouped.drag_by("c", 0, 60)
    grouped.press("Control+z")
    expect(card(grouped)).to_be_visible()
    expect(grouped.page).to_have_url(saying("folded=group"))
    grouped.reload()
    expect(card(grouped)).to_be_visible()
    card(grouped).locator(".card").last.dblclick()
    grouped.settle()
    expect(grouped.node("a")).to_be_visible()
    assert "folded" not in grouped.page.url


def test_a_card_is_dragged_and_deleted_as_one(grouped: LabPage):
    before = places(grouped, "a", "b")
    shut(grouped)
    box = card(grouped).locator(".card").last.bounding_box()
    start = (box["x"] + 30, box["y"] + box["height"] - 6)
    grouped.move_mouse(start, (start[0] + 20, start[1] + 70))
    card(grouped).focus()
    grouped.page.keyboard.press("Shift+G")
    grouped.settle()
    after = places(grouped, "a", "b")
    assert after[0][1] > before[0][1] + 20
    assert after[0][1] - before[0][1] == pytest.approx(after[1][1] - before[1][1], abs=1)
    shut(grouped)
    card(grouped).locator(".card").last.click()
    grouped.press("Delete")
    assert grouped.names() == {"x", "c", "z"}
    grouped.press("Control+z")
    expect(card(grouped)).to_be_visible()


def test_a_wire_is_drawn_from_a_port_of_the_card_and_pulled_off_it(grouped: LabPage):
    shut(grouped)
    grouped.add("exp")
    port = card(grouped).locator(".out .port")
    grouped.drag(port, grouped.slot_port("exp_1", 0))
    expect(grouped.formula).to_have_value(saying("exp_1 = exp(b)"))
    expect(grouped.wire("exp_1")).to_be_attached()


def test_a_group_is_named_collapsed_and_taken_apart_by_the_keyboard(grouped: LabPage):
    tab = grouped.region("group").locator(".tab")
    tab.focus()
    grouped.page.keyboard.press("F2")
    field = grouped.canvas.get_by_role("textbox", name="Name of group group")
    field.fill("layer 1")
    field.press("Enter")
    grouped.settle()
    expect(grouped.formula).to_have_value(saying('with group("layer 1"):\n    a = sin(x)\n    b = a * x\n'))
    grouped.region("layer 1").locator(".tab").focus()
    grouped.press("Enter")
    expect(card(grouped, "layer 1")).to_be_visible()
    card(grouped, "layer 1").locator(".card").last.click()
    grouped.press("g")
    assert grouped.names() == {"x", "a", "b", "c", "z"}
    expect(grouped.formula).to_have_value(TEXT)


def test_nodes_are_dragged_into_a_group_and_what_is_wrong_inside_shows_on_its_card(grouped: LabPage):
    grouped.deselect()
    a, c = (middle(grouped.node(name).locator(".card")) for name in ("a", "c"))
    grouped.drag_by("c", a[0] - c[0] + 12, a[1] - c[1] + 30)
    expect(grouped.formula).to_have_value(saying("    b = a * x\n    c = cos(b)\nz"))
    grouped.type_formula(
        'x = 0.5\nwith group("group"):\n    a = stop_gradient(sin(x))\n    b = a + [1.0, 2.0] @ [1.0]\n'
    )
    shut(grouped)
    expect(card(grouped)).to_have_class(saying("wrong"))
    expect(card(grouped).locator(".chip.problem")).to_be_attached()
    expect(card(grouped).locator(".chip.stop")).to_be_attached()
