"""Test what is used after a click alone: nothing of it is loaded before, and all works that has come late."""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import monotonic

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from autodiff_viz.lessons.codec import tour_to_link
from autodiff_viz.lessons.tour import Step, Tour
from autodiff_viz.ui.bundle import parts, script
from tests.browser.lab_page import LabPage, saying

PARTS = re.compile("|".join(re.escape(part.path) for part in parts().values()))
HAS_COME = "(path) => performance.getEntriesByName(new URL(path, document.baseURI).href).length"
NEVER_IDLE = "window.requestIdleCallback = () => 0;"
TOUR = Tour(title="A tour", steps=(Step("First", "x = 3.0\ny = sin(x)"),))


class Late:
    """A page on which the browser always has something to do. Parts are held back until they `come`."""

    def __init__(self, page: Page, address: str):
        self.page, self.lab = page, LabPage(page, address)
        self.held: list[Route] = []
        page.add_init_script(NEVER_IDLE)
        page.route(PARTS, lambda route: self.held.append(route))

    def come(self) -> None:
        """Let the part that is asked for come."""
        begun = monotonic()
        while not self.held:
            assert monotonic() - begun < 60, "no part is asked for"
            self.page.wait_for_timeout(20)
        self.held.pop().continue_()

    def refuse(self, **answer: object) -> None:
        """Refuse parts: without an answer, or with that one."""
        self.page.unroute(PARTS)
        self.page.route(PARTS, lambda route: route.fulfill(**answer) if answer else route.abort())


def status(lab: LabPage) -> Locator:
    return lab.canvas.locator(".status")


@pytest.fixture
def late(page: Page, address: str) -> Late:
    return Late(page, address)


def test_no_part_is_asked_for_before_it_is_used(late: Late):
    late.lab.open()
    expect(late.lab.node("x").locator(".value")).to_be_visible()
    assert late.held == []
    late.page.keyboard.press("?")
    expect(status(late.lab)).to_contain_text("The list of keys")
    late.come()
    expect(late.page.get_by_role("dialog", name="Keys and gestures")).to_be_visible()
    assert late.held == []


def test_all_parts_come_while_the_browser_has_nothing_to_do(page: Page, address: str):
    asked: list[str] = []
    first = script().path
    page.on("request", lambda request: asked.append(request.url))
    LabPage(page, address).open()
    of_lab = {part.path for name, part in parts().items() if name != "present/notes.js"}
    for path in of_lab:
        page.wait_for_function(HAS_COME, arg=path)
    found = [url.removeprefix(f"{address}/") for url in asked]
    assert min(map(found.index, of_lab)) > found.index(first)
    assert not any(found.count(path) > 1 for path in of_lab)


def typed(page: Page, name: str) -> Locator:
    return page.get_by_role("dialog", name=name)


def test_what_is_typed_for_the_search_changes_nothing_while_it_comes(late: Late):
    lab = late.lab.open()
    lab.select("a")
    late.page.keyboard.press("Control+f")
    late.page.keyboard.type("so")  # "s" stops what passes the node, "o" makes it the output
    late.come()
    field = late.page.get_by_role("combobox", name=saying("Find a node"))
    expect(field).to_be_focused()
    late.page.keyboard.type("exp")
    expect(late.page.locator(".found .match")).to_have_count(1)
    lab.settle()
    expect(lab.formula).to_have_value(re.compile(r"a = sin\(x\)\nb = a \* y\n"))


def test_a_tour_comes_with_its_words(late: Late):
    late.page.goto(f"{late.lab.address}?tour={tour_to_link(TOUR)}")
    late.come()
    expect(late.page.get_by_role("region", name="Tour").get_by_role("heading")).to_have_text("First")


def test_plotly_comes_with_the_first_plot_that_it_draws(page: Page, address: str):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    lab = LabPage(page, address).open()
    expect(page.locator(".av-bars")).to_contain_text("1.238")
    assert [url for url in asked if "PlotlyChart" in url] == []
    lab.choose_figure("Sweep")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    assert len([url for url in asked if "PlotlyChart" in url]) == 1


@pytest.mark.parametrize(("key", "label"), [("Shift+L", "Present"), ("q", "Ask")])
def test_a_part_that_comes_late_opens(late: Late, key: str, label: str):
    late.lab.open().canvas.locator(".surface").press(key)
    late.come()
    expect(late.page.get_by_role("dialog", name=label)).to_be_visible()


def test_a_dialog_that_comes_late_has_its_style(late: Late):
    late.lab.open().button("Share")
    late.come()
    dialog = late.page.get_by_role("dialog", name="Share")
    expect(dialog).to_be_visible()
    assert dialog.evaluate("(dialog) => getComputedStyle(dialog).display") == "flex"


def test_the_stage_that_the_address_asks_for_comes_late(late: Late):
    late.lab.open("?present")
    late.come()
    expect(late.page.locator(".on-stage .stage-numbers")).to_contain_text("1.238")


def test_a_file_is_written_late(late: Late):
    late.lab.open()
    with late.page.expect_download() as saved:
        late.page.keyboard.press("Control+s")
        late.come()
    assert saved.value.suggested_filename == "autodiff_graph.json"


@pytest.fixture
def unwatched(context: BrowserContext, address: str) -> Iterator[Late]:
    """A page that may say on its console what could not be loaded."""
    page = context.new_page()
    yield Late(page, address)
    page.close()


def test_without_a_connection_a_part_says_so_and_comes_when_it_is_back(unwatched: Late):
    lab = unwatched.lab.open()
    unwatched.refuse()
    unwatched.page.keyboard.press("?")
    expect(status(lab)).to_contain_text("not loaded, since the server cannot be reached")
    unwatched.page.unroute(PARTS)
    expect(typed(unwatched.page, "Keys and gestures")).to_be_visible()


def test_what_has_come_while_idle_works_without_a_connection(context: BrowserContext, address: str):
    page = context.new_page()
    lab = LabPage(page, address).open()
    last = parts()["tour/panel.js"].path
    page.wait_for_function(HAS_COME, arg=last)
    page.route(re.compile("."), lambda route: route.abort())
    lab.canvas.locator(".surface").focus()
    page.keyboard.press("?")
    expect(typed(page, "Keys and gestures")).to_be_visible()
    page.close()


def test_a_page_of_an_older_version_says_that_it_has_to_be_loaded_again(unwatched: Late):
    lab = unwatched.lab.open()
    unwatched.refuse(status=404, body="Not found")
    unwatched.page.keyboard.press("?")
    expect(status(lab)).to_contain_text("newer version of this page. Reload it")
