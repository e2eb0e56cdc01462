"""Test what is sent between the server and the canvas: only what changed, and always enough."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from autodiff_viz.graph.link import to_link
from benchmarks.graphs import example
from tests.browser.lab_page import FOLDED, LabPage, saying

SIZE = 30  # nodes
CANVAS = re.compile(rb'"rev": ?\d+')


class Messages:
    """Sizes in bytes of the messages that had a drawing in them, or what changed in one."""

    def __init__(self, page: Page):
        self.sizes: list[int] = []
        page.on("websocket", lambda socket: socket.on("framereceived", self.note))

    def note(self, payload: bytes | str) -> None:
        data = payload.encode() if isinstance(payload, str) else payload
        if CANVAS.search(data):
            self.sizes.append(len(data))


@pytest.fixture
def messages(page: Page) -> Iterator[Messages]:
    return Messages(page)


@pytest.mark.nightly
def test_an_edit_sends_what_it_changed_and_not_the_drawing(messages: Messages, page: Page, address: str):
    graph = example(SIZE, 0).graph
    lab = LabPage(page, address).open("/?" + urlencode({"g": to_link(graph)}) + FOLDED)
    whole = max(messages.sizes)
    inputs = " ".join(node.name for node in graph.nodes if node.op == "input")
    expect(lab.canvas).to_have_attribute("data-tables", inputs)  # of the sliders: a message of its own
    names = [node.name for node in graph.nodes if node.slots]
    lab.select(names[0])  # the browser says for the first time which drawing it has
    messages.sizes.clear()
    lab.select(names[1])
    selected = max(messages.sizes)
    messages.sizes.clear()
    lab.press("s")
    expect(lab.node(names[1]).locator(".chip.stop")).to_be_visible()
    toggled = max(messages.sizes)
    assert (whole > 8_000, selected < 3_000, toggled < 6_000) == (True, True, True), (
        f"{whole} bytes for all, {selected} for a selection, {toggled} for a rule"
    )


@pytest.mark.shared_page(plots=False)
def test_a_drawing_that_got_lost_is_asked_for_again(lab: LabPage):
    lab.select("b")
    lab.page.evaluate("""() => {
      const code = Object.values(globalThis).find((one) => one?.main && one.constants?.palette);
      const { main } = code;
      code.main = (component, ...rest) => {  // the next message is about a drawing that never came
        code.main = main;
        return main({ ...component, data: { ...component.data, base: 999_999 } }, ...rest);
      };
    }""")
    lab.press("s")
    expect(lab.node("b").locator(".chip.stop")).to_be_visible()
    expect(lab.formula).to_have_value(saying("b = stop_gradient(a * y)"))
    expect(lab.cotangent("y")).to_have_text("0")


@pytest.mark.nightly
def test_a_browser_that_cannot_load_the_code_by_its_path_is_sent_it(context: BrowserContext, address: str):
    page = context.new_page()  # whose console says that it could not
    page.route("**/code/*.js", lambda route: route.fulfill(status=404, body="Not found"))
    lab = LabPage(page, address).open(FOLDED)
    lab.select("b")
    lab.press("s")
    expect(lab.formula).to_have_value(saying("b = stop_gradient(a * y)"))
    page.close()


def test_the_code_is_kept_by_the_browser_under_a_name_that_no_other_version_has(page: Page, address: str):
    with page.expect_response("**/code/*.js") as loaded:
        LabPage(page, address).open(FOLDED)
    assert loaded.value.header_value("cache-control") == "public, max-age=31536000, immutable"
    assert page.request.get(f"{address}/code/0000000000000000.js").status == 404
