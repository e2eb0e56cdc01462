"""Test a graph of a hundred nodes: what is drawn in a hurry is where it belongs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from autodiff_viz.graph.link import to_link
from benchmarks.graphs import example
from tests.browser.conftest import watched
from tests.browser.lab_page import FOLDED, LabPage

GRAPH = example(100, 0).graph
NODE = "n50"
OWN = {
    f"{node.name}:{slot}"
    for node in GRAPH.nodes
    for slot, source in node.wires
    if NODE in (node.name, source)
}
ZOOM = """
(host, node) => {
  const card = host.querySelector(`[data-id="${node}"] .card`), box = host.getBoundingClientRect();
  const before = card.getBoundingClientRect();
  host.dispatchEvent(new WheelEvent("wheel", {
    ctrlKey: true, deltaY: -20, bubbles: true, cancelable: true,
    clientX: box.left + box.width / 2, clientY: box.top + box.height / 2,
  }));
  const { x, y, width } = card.getBoundingClientRect();
  return [before.width, [x, y, width], host.querySelector(".pane").matches(".gliding")];
}
"""
PATHS = """
(all) => Object.fromEntries(all.map((w) => [w.dataset.wire, w.querySelector(".line").getAttribute("d")]))
"""


@pytest.fixture(scope="module")
def opened(context: BrowserContext, address: str) -> Iterator[LabPage]:
    page = context.new_page()
    noticed = watched(page)
    yield LabPage(page, address).open(f"/?{urlencode({'g': to_link(GRAPH)})}{FOLDED}")
    page.close()
    assert noticed == ([], [])


@pytest.fixture
def lab(opened: LabPage) -> LabPage:
    """The graph from far, nothing selected; where a test has dragged a node, it stays."""
    opened.page.mouse.move(2, 2)
    opened.deselect()
    opened.press("f")
    expect(opened.canvas.locator(".pane.gliding")).to_have_count(0)
    return opened


def card(lab: LabPage) -> Locator:
    return lab.node(NODE).locator(".card")


@pytest.mark.nightly
def test_a_picture_has_the_numbers_of_nodes_that_have_never_been_seen_from_near(lab: LabPage):
    # first in this file: the tests that follow go near
    lab.tools.get_by_role("button", name="Files, pictures and links").click()
    with lab.page.expect_download() as download:
        lab.canvas.get_by_role("menuitem", name="Picture as SVG").click()
    text = Path(download.value.path()).read_text("utf-8")
    values = lab.canvas.locator("[data-id] .value").all_text_contents()
    assert len(values) == len(GRAPH.nodes)
    assert all(f">{value}<" in text for value in values)


def test_a_zoom_shows_every_node_where_it_is_drawn_when_the_zoom_rests(lab: LabPage):
    box = lab.canvas.bounding_box()
    lab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    width, during, stretched = lab.canvas.evaluate(ZOOM, NODE)
    assert stretched
    assert during[2] == pytest.approx(width * 2.718281828**0.2, rel=1e-3)
    expect(lab.canvas.locator(".pane.gliding")).to_have_count(0)
    after = card(lab).bounding_box()
    assert [after["x"], after["y"], after["width"]] == pytest.approx(during, rel=1e-3, abs=0.5)


def test_a_dragged_node_takes_its_wires_along_and_leaves_the_others(lab: LabPage):
    wires = lab.canvas.locator("[data-wire]")
    before, start = wires.evaluate_all(PATHS), card(lab).bounding_box()
    mouse = lab.page.mouse
    mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] * 0.8)
    mouse.down()
    for step in range(1, 9):
        mouse.move(start["x"] + start["width"] / 2 + 2 * step, start["y"] + start["height"] * 0.8 + 5 * step)
        lab.page.evaluate("() => new Promise((next) => requestAnimationFrame(next))")
    there, during = card(lab).bounding_box(), wires.evaluate_all(PATHS)
    mouse.up()
    lab.settle()
    assert {name for name in before if during[name] != before[name]} == OWN
    assert there["y"] - start["y"] == pytest.approx(40, abs=2)
    after = card(lab).bounding_box()
    assert [after["x"], after["y"]] == pytest.approx([there["x"], there["y"]], abs=1)


TOUCHED = """
(pane) => {
  const leaf = (element) => element.closest(".leaf")?.classList[1];
  const name = (element) => element.closest("[data-wire]")?.dataset.wire ?? leaf(element);
  window.touched = new Set();
  window.watch = new MutationObserver((all) => all.forEach(({ target }) => window.touched.add(name(target))));
  window.watch.observe(pane, { subtree: true, attributes: true, childList: true });
}
"""


def test_a_step_of_a_drag_touches_the_nodes_own_wires_alone(lab: LabPage):
    start = card(lab).bounding_box()
    at = [start["x"] + start["width"] / 2, start["y"] + start["height"] * 0.8]
    mouse = lab.page.mouse
    mouse.move(*at)
    mouse.down()
    for step in range(1, 7):
        mouse.move(at[0], at[1] + 4 * step)
        lab.page.evaluate("() => new Promise((next) => requestAnimationFrame(() => setTimeout(next)))")
        if step == 3:  # the node is in the hand
            lab.canvas.locator(".pane").evaluate(TOUCHED)
    touched = set(lab.page.evaluate("() => (window.watch.disconnect(), [...window.touched])"))
    lab.page.keyboard.press("Escape")
    mouse.up()
    assert touched - {"of-strings"} == OWN  # the leaf of these wires has their numbers too


def zoom_in(lab: LabPage, steps: int) -> None:
    for _ in range(steps):
        lab.canvas.evaluate(ZOOM, NODE)
    expect(lab.canvas.locator(".pane.gliding")).to_have_count(0)


def shown(lab: LabPage) -> set[str]:
    drawn = "(all) => all.filter((node) => getComputedStyle(node).display !== 'none')"
    return set(lab.canvas.locator("[data-id]").evaluate_all(f"{drawn}.map((node) => node.dataset.id)"))


@pytest.mark.nightly
def test_from_near_what_is_out_of_sight_is_left_out_and_keys_bring_it_back(lab: LabPage):
    assert shown(lab) == lab.names()  # from far
    zoom_in(lab, 12)
    first = shown(lab)
    assert 0 < len(first) < len(GRAPH.nodes)
    lab.canvas.locator(".surface").focus()
    for _ in range(40):
        lab.page.keyboard.press("ArrowRight")
    focused = lab.canvas.evaluate("(host) => host.getRootNode().activeElement.dataset.id")
    assert focused not in first
    expect(lab.node(focused).locator(".value")).to_be_in_viewport()


@pytest.mark.nightly
def test_the_list_for_screen_readers_has_all_nodes_whatever_is_on_view(lab: LabPage):
    zoom_in(lab, 12)
    lines = lab.canvas.locator(".unseen > ul > li")
    expect(lines).to_have_count(len(GRAPH.nodes))
