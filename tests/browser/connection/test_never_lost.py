"""Test that no edit is lost or applied twice: edit, break something, come back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from autodiff_viz.lab.persistence.address import to_query
from autodiff_viz.lab.training import plans
from tests.browser.cuttable import Cuttable
from tests.browser.lab_page import FOLDED, LabPage, four_digits, saying
from tests.browser.server import Server
from tests.lab.regression import lab_of, loss_of

STOPPED = "b = stop_gradient(a * y)"


@pytest.fixture
def tab(context: BrowserContext) -> Iterator[Page]:
    """A page that is broken on purpose: Chromium says on the console what it cannot reach."""
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.close()
    assert errors == []


@pytest.fixture
def server(executable: str, tmp_path: Path) -> Iterator[Server]:
    """A server of the test's own, to be killed."""
    server = Server(tmp_path / "log.txt")
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def line(address: str) -> Iterator[Cuttable]:
    """A connection to the server that can be cut."""
    found = Cuttable(urlsplit(address).port)
    yield found
    found.close()


def connection(lab: LabPage, state: str | re.Pattern[str]) -> None:
    app = lab.page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-connection-state", state)


def offline(lab: LabPage) -> None:
    connection(lab, re.compile("^(?!CONNECTED)"))
    expect(lab.canvas.locator(".offline")).to_be_visible()


def returned(lab: LabPage) -> None:
    connection(lab, "CONNECTED")
    lab.settle()
    expect(lab.canvas.locator(".offline")).to_have_count(0)


def add_quickly(lab: LabPage, op: str) -> None:
    """As `LabPage.add`, without waiting for anything."""
    lab.tools.get_by_role("button", name="Add a node").click()
    lab.canvas.get_by_role("combobox", name="Search ops").fill(op)
    lab.page.keyboard.press("Enter")


@pytest.mark.shared_page(plots=False)
def test_edits_under_way_outlive_a_reload(lab: LabPage):
    lab.select("b")
    lab.page.keyboard.press("s")
    add_quickly(lab, "tanh")
    add_quickly(lab, "tanh")
    lab.page.reload()
    expect(lab.formula).to_have_value(saying(STOPPED))
    lab.settle()
    assert {name for name in lab.names() if name.startswith("tanh")} == {"tanh_1", "tanh_2"}


@pytest.mark.shared_page(plots=False)
def test_text_just_typed_outlives_a_reload(lab: LabPage):
    lab.formula.press("Control+End")
    lab.page.keyboard.type("w = z * 3.0")
    lab.page.reload()
    expect(lab.node("w")).to_be_visible()


@pytest.mark.shared_page(plots=False)
def test_a_slider_just_moved_outlives_a_reload(lab: LabPage):
    lab.page.get_by_label("Slider of x").press("ArrowRight")
    moved = lab.page.get_by_label("Value of x").input_value()
    assert moved != "0.6"
    lab.page.reload()
    expect(lab.page.get_by_label("Value of x")).to_have_value(moved)


@pytest.mark.nightly
def test_a_server_that_restarts_opens_the_newest_state_and_does_once_each_what_was_done_meanwhile(
    tab: Page, server: Server
):
    lab = LabPage(tab, server.address).open(FOLDED)
    lab.select("a")  # a second click on b would soon be a double click
    add_quickly(lab, "tanh")  # may or may not have arrived
    server.kill()
    lab.select_quickly("b")
    tab.keyboard.press("s")
    add_quickly(lab, "tanh")
    expect(lab.canvas.locator(".offline")).to_contain_text("kept")
    server.start()
    returned(lab)
    expect(lab.formula).to_have_value(saying(STOPPED))
    assert {name for name in lab.names() if name.startswith("tanh")} == {"tanh_1", "tanh_2"}
    for node, key in (("a", "r"), ("y", "s")):
        lab.select(node)
        lab.press(key)
    told = lab.formula.input_value()
    server.kill()  # while nothing is under way
    offline(lab)
    server.start()
    returned(lab)
    expect(lab.formula).to_have_value(told)
    lab.select("a")
    lab.press("r")
    expect(lab.formula).to_have_value(saying("a = sin(x)"))
    expect(lab.formula).to_have_value(saying(STOPPED))


LONG = """import torch
x = torch.tensor(3.0, requires_grad=True)
y = x * sum([1.0 for i in range(300) for j in range(300)])
y.backward()
"""
"""Code that takes a moment to be read."""


@pytest.mark.nightly
def test_two_tabs_of_a_server_that_restarts_get_back_each_its_own(
    context: BrowserContext, tab: Page, server: Server
):
    """In one edits are under way, in the other code is being read."""
    other = LabPage(context.new_page(), server.address).open(FOLDED)
    lab = LabPage(tab, server.address).open(FOLDED)
    lab.select("b")
    lab.press("s")
    other.select("a")
    other.press("s")
    other.formula.fill(LONG)
    add_quickly(lab, "tanh")
    server.kill()
    add_quickly(lab, "tanh")
    server.start()
    for reloaded in (False, True):
        for one in (lab, other):
            if reloaded:
                one.page.reload()
            returned(one)
        expect(lab.formula).to_have_value(saying(STOPPED))
        expect(lab.formula).to_have_value(saying("a = sin(x)"))
        assert {name for name in lab.names() if name.startswith("tanh")} == {"tanh_1", "tanh_2"}
        expect(other.formula).to_have_value(LONG)
        assert "tanh_1" not in other.names()
    expect(other.canvas).not_to_contain_text("tanh")
    other.page.close()


@pytest.mark.nightly
def test_a_training_in_a_server_that_is_killed_leaves_no_number_under_another_graph(
    tab: Page, server: Server
):
    """Its steps are gone and can be made again; the canvas has the numbers of the graph in the address."""
    query = urlencode(to_query(plans(lab_of(), steps=20_000)))
    lab = LabPage(tab, server.address).open(f"/?{query}")
    lab.choose_figure("Training")
    tab.get_by_role("button", name="Train 20,000").click()
    expect(lab.value("loss")).not_to_have_text(four_digits(loss_of(0)))
    server.kill()
    server.start()
    for reloaded in (False, True):
        if reloaded:
            tab.reload()
        returned(lab)
        expect(tab.get_by_role("button", name="Train to step 20,000 again")).to_be_visible()
        expect(lab.value("loss")).to_have_text(four_digits(loss_of(0)))
        expect(tab.locator(".stException")).to_have_count(0)


@pytest.mark.nightly
def test_where_no_websocket_but_streamlits_gets_through_all_is_done_as_well(tab: Page, address: str):
    tab.route_web_socket("**/lab-socket", lambda socket: socket.close())
    lab = LabPage(tab, address).open(FOLDED)
    lab.select("b")
    lab.press("s")
    expect(lab.formula).to_have_value(saying(STOPPED))
    expect(lab.cotangent("y")).to_have_text("0")
    lab.reload()
    expect(lab.formula).to_have_value(saying(STOPPED))


@pytest.mark.nightly
def test_the_canvas_keeps_the_keys_while_there_is_no_connection(tab: Page, line: Cuttable):
    lab = LabPage(tab, line.address).open(FOLDED)
    lab.select("b")
    line.cut()
    offline(lab)
    tab.wait_for_timeout(4_000)  # after some attempts Streamlit opens a window of its own
    tab.keyboard.press("s")
    expect(lab.node("b").locator(".chip.stop")).to_be_visible()
    expect(lab.canvas.locator(".offline")).to_have_text("Offline. 1 edit is kept and sent later.")
    line.mend()
    returned(lab)
    expect(lab.formula).to_have_value(saying(STOPPED))


def test_all_that_was_done_without_a_connection_is_done_in_order(tab: Page, line: Cuttable):
    lab = LabPage(tab, line.address).open(FOLDED)
    lab.select("b")
    line.cut()
    for key in ("s", "r", "s", "o"):  # stop, then rewrite, then stop again, then the output
        tab.keyboard.press(key)
    for number in (lab.value("b"), lab.cotangent("x"), lab.canvas.locator(".passed").first):
        expect(number).to_have_css("opacity", "0.4")  # they are of the graph from before
    line.mend()
    returned(lab)
    expect(lab.cotangent("x")).to_have_css("opacity", "1")
    expect(lab.formula).to_have_value(saying(STOPPED))
    expect(lab.formula).to_have_value(saying("return b"))
    expect(lab.tools.get_by_role("button", name="Undo: Make b the output")).to_be_enabled()


@pytest.mark.nightly
def test_a_phone_that_slept_in_mid_edit_goes_on_where_it_was(tab: Page, line: Cuttable):
    lab = LabPage(tab, line.address).open(FOLDED)
    lab.select("b")
    show(tab, "hidden")
    line.cut()
    tab.keyboard.press("s")
    offline(lab)
    line.mend()
    show(tab, "visible")
    returned(lab)
    expect(lab.formula).to_have_value(saying(STOPPED))


def show(page: Page, state: str) -> None:
    """What a phone tells the page as its screen goes off and on."""
    page.evaluate(
        """(state) => {
          Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        state,
    )


@pytest.mark.nightly
@pytest.mark.shared_page(plots=False)
def test_two_tabs_do_not_meet(context: BrowserContext, lab: LabPage, tab: Page):
    lab.select("b")
    lab.page.keyboard.press("s")
    other = LabPage(tab, lab.address).open(FOLDED)
    other.select("a")
    other.press("s")
    lab.settle()
    lab.reload()
    other.reload()
    expect(lab.formula).to_have_value(saying(STOPPED))
    expect(lab.formula).to_have_value(saying("a = sin(x)"))
    expect(other.formula).to_have_value(saying("a = stop_gradient(sin(x))"))
    expect(other.formula).to_have_value(saying("b = a * y"))


@pytest.mark.nightly
@pytest.mark.shared_page(plots=False)
def test_after_the_back_button_and_a_reload_nothing_is_done_again(lab: LabPage):
    lab.select("b")
    lab.press("s")
    expect(lab.formula).to_have_value(saying(STOPPED))
    lab.page.go_back()
    expect(lab.formula).to_have_value(saying("b = a * y"))
    lab.reload()
    expect(lab.formula).to_have_value(saying("b = a * y"))


@pytest.mark.nightly
@pytest.mark.own_page
@pytest.mark.shared_page(plots=False)
def test_another_link_in_the_same_tab_gets_no_edit_of_the_first_document(lab: LabPage):
    lab.type_formula("p = 2.0\nb = p * p")
    expect(lab.page).to_have_url(saying("g="))
    link = lab.page.url
    lab.page.goto(lab.address)
    lab.settle()
    lab.select("b")
    lab.page.keyboard.press("s")
    lab.page.goto(link)
    expect(lab.node("p")).to_be_visible()
    lab.settle()
    expect(lab.formula).to_have_value("p = 2.0\nb = p * p")


def test_a_link_of_another_version_says_why_it_cannot_be_opened_and_stays_in_the_bar(page, address):
    lab = LabPage(page, address).open("/?g=2eNqFj8sKwyAQRf")
    expect(page.get_by_text("The link has version 2; this program reads version 1.")).to_be_visible()
    assert page.url.endswith("/?g=2eNqFj8sKwyAQRf")
    assert "exp_1" in lab.names()
