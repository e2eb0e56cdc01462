"""Check that what "Details" opens, and the panel of the selected node, is in view in every window."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab_page import LabPage

pytestmark = pytest.mark.shared_page(plots=False)

WINDOWS = ((1280, 720), (960, 600), (390, 844))
GRAPHS = {
    "group": ("x = 0.6\nwith group('head'):\n    a = sin(x)\n    b = a * x\nz = b + x", "b"),
    "segment": ("x = 0.6\na = cut(sin(x))\nb = cut(a * x)\nz = b + x", "b"),
    "loop": ("x = 0.6\nh = x\nfor i in range(4):\n    h = sin(h) * x\nz = h + x", "h_2"),
}

TOPMOST = """(thing) => {
  const { left, top, width, height } = thing.getBoundingClientRect();
  return [0.1, 0.5, 0.9].every((part) => [0.3, 0.7].every((down) =>
    thing.contains(thing.getRootNode().elementFromPoint(left + part * width, top + down * height))));
}"""
"""Whether nothing covers a thing."""


def shown_whole(thing: Locator) -> None:
    expect(thing).to_be_in_viewport(ratio=1)
    assert thing.evaluate(TOPMOST)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", GRAPHS)
def test_details_of_a_check_and_of_a_node_open_in_view_in_every_window(lab: LabPage, kind: str):
    formula, node = GRAPHS[kind]
    page, details = lab.page, lab.page.get_by_role("button", name="Details", exact=True)
    lab.type_formula(formula)
    lab.select(node)
    expect(details).to_be_visible()
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        details.click()
        for row in page.locator(".checks .table tr").all():
            shown_whole(row)
        shown_whole(page.locator(".checks .table > p").first)
        details.click()
        if width < 1280:
            page.get_by_role("tab", name="Node", exact=True).click()
        shown_whole(page.locator(".inspector h2"))
        shown_whole(page.locator(".inspector .numbers"))
        # On a phone the rules come first; their second row and the wires are scrolled to.
        first = ".inspector .rules button" if width < 600 else ".inspector .wires li"
        shown_whole(page.locator(first).first)


def test_the_panel_names_the_nodes_of_a_selected_group(lab: LabPage):
    lab.type_formula(GRAPHS["group"][0])
    lab.region("head").locator(".tab text").click()
    expect(lab.page.locator(".inspector .hint")).to_contain_text("a and b are selected. Select one of them")
    lab.deselect()
    expect(lab.page.locator(".inspector .hint")).to_contain_text("Select a node to see its derivative")
