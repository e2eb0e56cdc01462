"""Test frames of the lab in a page of another site: pictures until they are touched, then what each shows.

The page around them is served under another name of this machine, so it is another site: cookies of the lab
would be third-party cookies there.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import Frame, FrameLocator, Page, expect

from autodiff_viz.embedding.contract import CONTRACT, SANDBOX, frame_code, without_embed
from autodiff_viz.lessons.codec import tour_to_link
from autodiff_viz.lessons.tour import Step, Tour
from tests.browser.lab_page import MINUS, LabPage
from tests.browser.page.test_axe import faults
from tests.own_lesson import KEY

PARENT = (Path(__file__).parents[3] / "autodiff_viz" / "web" / "embed" / "parent.js").read_text("utf-8")
PAGE = """<!doctype html><title>Course</title><body style="margin: 0"><h1>Course</h1>{frames}
<script>heard = []; addEventListener("message", ({{ data }}) => heard.push(data));</script>
<script>{parent}</script>"""
LIVE = "() => !document.getElementById('av-poster')"


@contextmanager
def course(frames: str) -> Iterator[str]:
    """Serve a page with these frames; its address, which is of another site than the lab's."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(PAGE.format(frames=frames, parent=PARENT).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def framed(address: str, name: str, query: str, sandbox: str | None = SANDBOX) -> str:
    """The code of a frame of this name."""
    code = frame_code(f"{address}/?embed=1&v=1{query}", f"The frame {name}", 360, 460)
    code = code.replace("<iframe ", f'<iframe name="{name}" ').replace('loading="lazy"', "")
    return code.replace(f'sandbox="{SANDBOX}"', f'sandbox="{sandbox}"' if sandbox else "")


def awake(page: Page, name: str) -> Frame:
    """Touch a frame, and wait until the lab is in it."""
    page.locator(f"iframe[name={name}]").click(position={"x": 60, "y": 60})
    frame = page.frame(name)
    frame.wait_for_function(LIVE)
    return frame


def number(frame: Frame | FrameLocator | Page, node: str, which: str = "value"):
    return frame.locator(f'.canvas [data-id="{node}"] .number.{which}')


def whole(frame: Frame) -> dict[str, str]:
    """The query that leads from a frame to the whole lab."""
    link = frame.locator(".to-lab")
    link.dispatch_event("pointerdown")
    return dict(parse_qsl(urlsplit(link.evaluate("(link) => link.href")).query))


EXAMPLES = {each.name: f"&{each.example}" for each in CONTRACT[2:]}
"""By parameter, the link of its row in README."""
NINE = [name for name in EXAMPLES if name != "start"]


@dataclass
class Nine:
    """A page with a frame for each row of the table.

    Attributes:
      posters: text of each picture, before any is touched.
      ready: frames that had said so then.
      sockets: paths of those that are open; none were then.
    """

    page: Page
    posters: dict[str, str]
    ready: int
    sockets: list[str]

    @property
    def sessions(self) -> int:
        return self.sockets.count("/_stcore/stream")

    def awake(self, name: str) -> Frame:
        """The lab in this frame, which is touched the first time."""
        frame = self.page.frame(name)
        return frame if frame.evaluate(LIVE) else awake(self.page, name)


@pytest.fixture(scope="module")
def nine(module_page: Page, address: str) -> Iterator[Nine]:
    page, sockets = module_page, []
    page.on("websocket", lambda socket: sockets.append(urlsplit(socket.url).path))
    sandboxes = {"reveal": "allow-scripts", "wheel": None}
    codes = [framed(address, name, EXAMPLES[name], sandboxes.get(name, SANDBOX)) for name in NINE]
    with course("".join(codes)) as place:
        page.goto(place)  # ten documents
        posters = {}
        for name in NINE:
            poster = page.frame_locator(f"iframe[name={name}]").locator("#av-poster svg")
            poster.wait_for(state="attached")
            posters[name] = poster.text_content()
        ready = page.evaluate("() => heard.filter(({ type }) => type === 'autodiff:ready').length")
        assert sockets == [], "a picture that costs a session"
        yield Nine(page, posters, ready, sockets)


@pytest.mark.nightly
def test_until_it_is_touched_a_frame_is_a_picture_with_its_numbers(nine: Nine):
    # b = sin(0.6) * 1.5; by hand: sin(0.6) = 0.564642, which is its derivative by y.
    assert "0.847" in nine.posters["wheel"]
    assert "0.5646" in nine.posters["wheel"]
    assert nine.ready == 9


@pytest.mark.nightly
def test_the_picture_of_a_frame_that_reveals_step_by_step_has_no_number(nine: Nine):
    assert not re.search(r"\d\.\d", nine.posters["reveal"])


@pytest.mark.nightly
def test_a_touched_frame_costs_one_session_and_its_slider_works(nine: Nine):
    frame = nine.awake("wheel")
    assert nine.sessions == sum(nine.page.frame(name).evaluate(LIVE) for name in NINE)
    slide(frame, "y", "3")
    expect(number(frame, "b")).to_have_text("1.694")
    nine.page.wait_for_function("() => heard.some((word) => /^{.subject.:.lti.frameResize/.test(word))")


@pytest.mark.nightly
def test_the_page_around_a_frame_sets_values(nine: Nine):
    frame = nine.awake("wheel")
    nine.page.evaluate("() => setInLab(document.querySelector('[name=wheel]'), { values: { y: 2 } })")
    expect(number(frame, "b")).to_have_text("1.129")


@pytest.mark.nightly
def test_the_page_around_a_frame_asks_for_its_state(nine: Nine):
    slide(nine.awake("wheel"), "y", "2.5")
    nine.page.evaluate(
        "() => document.querySelector('[name=wheel]').contentWindow.postMessage("
        "{ type: 'autodiff:get', v: 1, id: 7 }, '*')"
    )
    answer = nine.page.wait_for_function(
        "() => heard.find(({ type, link }) => type === 'autodiff:state' && link.includes('g='))"
    ).json_value()
    assert answer["id"] == 7
    assert nine.page.evaluate("() => history.length") <= 2, "a frame that adds steps to the page's history"


@pytest.mark.nightly
def test_show_names_what_a_frame_shows(nine: Nine):
    frame = nine.awake("show")
    expect(frame.locator(".transport")).to_be_hidden()
    frame.get_by_role("tab", name="Formula").click()
    expect(frame.locator(".formula textarea")).to_be_visible()
    expect(frame.locator(".sliders .row")).to_have_count(1)


@pytest.mark.nightly
def test_hide_names_what_a_frame_does_not_show(nine: Nine):
    frame = nine.awake("hide")
    expect(frame.locator(".sliders .row")).to_have_count(1)
    expect(frame.locator(".transport")).to_be_hidden()
    expect(frame.locator(".to-lab")).to_be_hidden()


@pytest.mark.nightly
def test_a_frame_that_may_not_be_edited_has_no_sliders(nine: Nine):
    frame = nine.awake("edit")
    expect(number(frame, "z")).to_have_text("15")  # 2 * 3 + 3 ** 2
    expect(frame.locator(".sliders .row")).to_have_count(0)


@pytest.mark.nightly
def test_node_is_the_one_that_is_selected(nine: Nine):
    frame = nine.awake("node")
    expect(frame.locator(".node.selected")).to_have_attribute("data-id", "b")
    frame.get_by_role("tab", name="Node").click()
    expect(frame.locator(".inspector")).to_contain_text("Product of")


@pytest.mark.nightly
def test_step_is_the_one_on_view_here_and_in_the_whole_lab(nine: Nine):
    frame = nine.awake("step")
    expect(frame.locator(".transport")).to_have_attribute("data-at", "3")
    assert whole(frame)["step"] == "3"


@pytest.mark.nightly
def test_with_wheel_zoom_the_wheel_is_the_graphs_at_once(nine: Nine):
    nine.awake("wheel")
    nine.page.mouse.click(5, nine.page.viewport_size["height"] - 5)
    assert turn_wheel(nine.page, "wheel")


@pytest.fixture
def let_go(nine: Nine) -> Frame:
    """A frame whose wheel is the page's, as nothing in it has been clicked."""
    frame = nine.awake("type")
    nine.page.locator("h1").click()
    frame.wait_for_function(f"() => !({ROOT}.activeElement)")
    return frame


@pytest.mark.nightly
def test_the_wheel_is_the_pages_until_the_graph_is_clicked_or_with_ctrl(nine: Nine, let_go: Frame):
    assert not turn_wheel(nine.page, "type")
    nine.page.keyboard.down("Control")
    assert turn_wheel(nine.page, "type"), "with Ctrl it is the graph's"
    nine.page.keyboard.up("Control")
    assert not turn_wheel(nine.page, "type")
    let_go.locator(".surface").click(position={"x": 10, "y": 10})
    assert turn_wheel(nine.page, "type")


@pytest.mark.nightly
@pytest.mark.parametrize("how", ["Escape", "a click outside"])
def test_the_page_gets_its_wheel_back(nine: Nine, let_go: Frame, how: str):
    let_go.locator(".surface").click(position={"x": 10, "y": 10})
    assert turn_wheel(nine.page, "type")
    if how == "Escape":
        nine.page.keyboard.press("Escape")
        let_go.wait_for_function(f"() => !({ROOT}.activeElement)")
    else:
        nine.page.locator("h1").click()
    assert not turn_wheel(nine.page, "type")


@pytest.mark.nightly
def test_type_is_the_size_of_text(nine: Nine):
    assert nine.awake("type").evaluate("() => document.documentElement.dataset.avType") == "large"


@pytest.fixture
def steps(nine: Nine) -> Frame:
    """A frame that reveals step by step, at the first step of its pass."""
    frame = nine.awake("reveal")
    slide(frame, "y", "1")
    finish, canvas = frame.locator(FINISH), frame.locator(".canvas")
    for _ in range(2):  # a pass that was seen to its end begins anew when a number changes
        if canvas.get_attribute("data-play"):
            finish.click()
    slide(frame, "y", "1.5")
    expect(canvas).to_have_attribute("data-play", "forward")
    return frame


@pytest.mark.nightly
def test_a_frame_without_an_origin_works(nine: Nine):
    assert nine.awake("reveal").evaluate("() => origin") == "null"  # no storage, no cookies


@pytest.mark.nightly
def test_revealed_by_steps_a_number_is_told_when_the_pass_has_reached_it(steps: Frame):
    expect(number(steps, "b")).to_be_hidden()
    steps.locator(FINISH).click()
    expect(number(steps, "b")).to_be_visible()
    expect(number(steps, "x", "cotangent")).to_be_hidden()
    slide(steps, "y", "3")  # what the steps have not reached stays hidden
    expect(number(steps, "b")).to_have_text("1.694")
    expect(number(steps, "x", "cotangent")).to_be_hidden()
    steps.locator(FINISH).click()
    expect(number(steps, "x", "cotangent")).to_have_text("2.476")  # 3 * cos(0.6), by hand


@pytest.mark.nightly
def test_after_a_pass_that_was_seen_to_its_end_the_next_one_begins_anew(steps: Frame):
    for _ in range(2):
        steps.locator(FINISH).click()
    expect(number(steps, "x", "cotangent")).to_be_visible()
    slide(steps, "y", "2")
    expect(number(steps, "b")).to_have_text("1.129")
    expect(number(steps, "b")).to_be_hidden()
    expect(number(steps, "x", "cotangent")).to_be_hidden()


@pytest.mark.nightly
def test_theme_is_that_of_the_frame_until_the_page_sets_another(nine: Nine):
    assert nine.page.frame("type").evaluate(SCHEME) == "light"
    frame = nine.awake("theme")
    assert frame.evaluate(SCHEME) == "dark"
    assert frame.evaluate(GROUND) == "rgb(20, 23, 28)"  # .streamlit/config.toml: #14171C
    nine.page.evaluate("() => setInLab(document.querySelector('[name=theme]'), { theme: 'light' })")
    frame.wait_for_function(f"() => ({GROUND})() === 'rgb(255, 255, 255)'")


FINISH = ".transport button[aria-label='Finish the phase']"
SCHEME = "() => getComputedStyle(document.documentElement).colorScheme"
GROUND = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"


def slide(frame: Frame, name: str, value: str) -> None:
    """Type a value into the box of a slider."""
    box = frame.locator(f"input[aria-label='Value of {name}']")
    box.fill(value)
    box.press("Enter")


ROOT = "document.querySelector('[data-testid=stBidiComponentIsolated]')?.shadowRoot"


def turn_wheel(page: Page, name: str) -> bool:
    """Turn the wheel over a frame; whether that has zoomed its graph."""
    frame, box = page.frame(name), page.locator(f"iframe[name={name}]")
    box.scroll_into_view_if_needed()
    place, zoom = box.bounding_box(), f"() => {ROOT}?.querySelector('.world')?.getAttribute('transform')"
    before = frame.evaluate(zoom)
    page.mouse.move(place["x"] + 60, place["y"] + 60)
    page.mouse.wheel(0, 20)
    page.wait_for_timeout(300)  # a zoom that ends is drawn again then
    return frame.evaluate(zoom) != before


def test_what_may_not_be_changed_is_refused_here_and_by_the_server(page, address):
    with course(framed(address, "lab", f"&edit=none&lesson={KEY}&node=a&start=now")) as place:
        page.goto(place)
        frame = page.frame("lab")
        frame.wait_for_function(LIVE)
        expect(frame.locator(".sliders .row")).to_have_count(0)
        place_of = "(node) => node.getAttribute('transform')"
        card = frame.locator('.canvas [data-id="x"]')
        before, address_before = card.evaluate(place_of), frame.evaluate("() => location.search")
        box = card.bounding_box()
        page.mouse.move(box["x"] + 20, box["y"] + 20)
        page.mouse.down()
        page.mouse.move(box["x"] + 60, box["y"] + 50, steps=4)
        page.mouse.up()
        frame.locator(".surface").focus()
        page.keyboard.press("Delete")
        expect(frame.locator(".canvas")).to_contain_text("has not let this be changed")
        assert card.evaluate(place_of) == before
        assert frame.evaluate("() => location.search") == address_before


ASK = """([frame, id]) => document.querySelectorAll("iframe")[frame].contentWindow.postMessage(
  { type: "autodiff:get", v: 1, id }, "*")"""


def test_of_two_equal_frames_each_has_its_own_state_and_strangers_are_not_heard(page, address):
    def listed(route) -> None:
        answer = route.fetch()
        own = answer.text().replace('data-av-embedders=""', 'data-av-embedders="https://school.example"')
        route.fulfill(response=answer, body=own)

    page.route(re.compile("theme=light"), listed)
    same = framed(address, "", "").replace('name=""', "")
    with course(same + same + framed(address, "strict", "&theme=light")) as place:
        page.goto(place)
        page.locator("iframe").first.click(position={"x": 60, "y": 60})
        first = page.locator("iframe").first.element_handle().content_frame()
        first.wait_for_function(LIVE)
        slide(first, "y", "3")
        first.wait_for_function("() => location.search.includes('g=')")

        # As reveal.js leaves a slide, and enters it again.
        page.evaluate(
            "() => document.querySelectorAll('iframe').forEach((one) => {"
            " const { src } = one; one.removeAttribute('src'); setTimeout(() => (one.src = src), 50); })"
        )
        back = page.frame_locator("iframe >> nth=0")
        expect(number(back, "b")).to_have_text("1.694")
        other = page.frame_locator("iframe >> nth=1").locator("#av-poster")
        expect(other).to_contain_text("0.847")
        expect(page.frame_locator("iframe[name=strict]").locator("#av-poster")).to_be_visible()

        # Its list names another site than that of the page; and no frame hears the one beside it.
        page.evaluate(ASK, [2, 1])
        beside = page.locator("iframe").nth(1).element_handle().content_frame()
        beside.evaluate("() => parent[0].postMessage({ type: 'autodiff:get', v: 1, id: 2 }, '*')")
        page.evaluate(ASK, [1, 3])
        page.wait_for_function("() => heard.some(({ type }) => type === 'autodiff:state')")
        answers = "() => heard.filter(({ type }) => type === 'autodiff:state').map(({ id }) => id)"
        assert page.evaluate(answers) == [3]


@pytest.mark.nightly
@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "hide"])  # which hides the link
def test_the_whole_lab_has_all_that_the_frame_has(page, address, name):
    with course(framed(address, "lab", f"{EXAMPLES[name]}&start=now")) as place:
        page.goto(place)
        frame = page.frame("lab")
        frame.wait_for_function(LIVE)
        frame.locator(".canvas [data-id]").first.wait_for()
        rows = frame.locator(".sliders input[role=spinbutton]")
        if rows.count() and rows.first.is_visible():  # in a low frame the answer has their place
            rows.first.fill("2.5")
            rows.first.press("Enter")
            frame.wait_for_function("() => location.search.includes('g=')")
        frame.locator(".canvas [data-id] .card").last.click()
        frame.wait_for_function("() => location.search.includes('node=')")
        shown = values(frame)
        asked = whole(frame)
        at = dict(parse_qsl(frame.evaluate("() => location.search").lstrip("?")))
    assert {**asked, "step": ""} == {**without_embed(at), "step": ""}
    assert not {"embed", "v", "show", "edit", "theme", "wheel"} & asked.keys()
    lab = LabPage(page, address).open(f"/?{urlencode(asked)}")
    assert values(lab.page).keys() == shown.keys()
    assert values(lab.page) == pytest.approx(shown, rel=0.01)  # a small card writes fewer digits
    expect(lab.canvas.locator(".node.selected")).to_have_attribute("data-id", asked["node"])


def values(page: Page | Frame) -> dict[str, float]:
    """The values on the canvas, by node."""
    texts = page.locator(".canvas [data-id]").evaluate_all(
        "(cards) => cards.map((card) => [card.dataset.id, card.querySelector('.value')?.textContent])"
    )
    return {name: float(text.strip("\u2016").replace(MINUS, "-")) for name, text in texts if text}


def test_the_step_of_the_pass_goes_on_in_the_whole_lab(page, address):
    page.goto(f"{address}/?step=3")
    expect(page.locator(".transport")).to_have_attribute("data-at", "3")


@pytest.mark.nightly
def test_no_size_has_a_second_scroll_bar_and_axe_finds_nothing(page, address):
    everything = "&show=canvas,formula,sliders,inspector,plot,play,check,open"
    page.set_viewport_size({"width": 300, "height": 200})
    page.goto(f"{address}/?embed=1&v=1{everything}")
    assert faults(page) == []
    page.locator("#av-poster").press("Enter")
    page.wait_for_function(LIVE)
    for width, height in ((300, 200), (390, 500), (600, 400), (853, 480), (1280, 720), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(
            "([width, height]) => { const box = document.scrollingElement;"
            " return innerWidth === width && box.scrollHeight <= height && box.scrollWidth <= width; }",
            arg=[width, height],
        )
        canvas = page.locator(".canvas").bounding_box()
        assert canvas["width"] > 200
        assert canvas["height"] > 90
        assert canvas["y"] + canvas["height"] <= height
        if width in (300, 853):
            assert faults(page) == []
    page.set_viewport_size({"width": 1400, "height": 1000})


def test_a_frame_asks_before_it_tells(page, address):
    page.set_viewport_size({"width": 600, "height": 400})
    page.goto(f"{address}/?embed=1&v=1&reveal=ask&start=now")
    page.wait_for_function(LIVE)
    asked = page.locator(".asking")
    expect(asked).to_contain_text("What arrives at x?")
    expect(number(page, "x", "cotangent")).to_have_text("?")
    asked.get_by_role("textbox").fill("1.238")  # 1.5 * cos(0.6), by hand
    asked.get_by_role("button", name="Answer").click()
    expect(number(page, "x", "cotangent")).to_have_text("1.238")
    expect(page.locator(".to-lab")).to_have_attribute("href", re.compile("guess="))
    # What is said of the step does not cover the answer, nor the way to the lab the output's badge.
    expect(page.locator(".transport .equation")).not_to_be_empty()
    for one, other in ((".asking .verdict", ".transport .says"), (".to-lab", ".out-chip")):
        a, b = (page.locator(thing).first.bounding_box() for thing in (one, other))
        assert a["y"] + a["height"] <= b["y"] or b["y"] + b["height"] <= a["y"], f"{one} and {other} overlap"
    page.set_viewport_size({"width": 1400, "height": 1000})


@pytest.mark.parametrize("size", [(640, 420), (390, 420)])
def test_the_way_to_the_lab_stands_above_the_canvas_and_covers_nothing(page, address, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{address}/?embed=1&v=1&type=large&start=now&lesson={KEY}")
    page.wait_for_function(LIVE)
    expect(number(page, "z")).to_be_visible()
    link, canvas = (page.locator(thing).bounding_box() for thing in (".to-lab", ".canvas"))
    assert 0 <= link["y"] <= link["y"] + link["height"] <= canvas["y"] + 0.5
    assert (link["width"] > 100) == (size[0] > 420)  # its words, or its sign alone


CARD = """(frame) => {
  const output = [...frame.querySelectorAll("text")].find(({ textContent }) => textContent === "z");
  const { x, y } = output.getBoundingClientRect();
  return [x, y];
}"""
"""The place of the name of the output, in the picture and on the canvas."""


@pytest.mark.parametrize("size", [(640, 380), (390, 420), (960, 300)])
def test_a_frame_that_is_touched_keeps_its_graph_where_it_was(page, address, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{address}/?embed=1&v=1&lesson={KEY}")
    before = page.locator("#av-poster > svg").evaluate(CARD)
    page.locator("#av-poster").click(position={"x": 30, "y": 30})
    page.wait_for_function(LIVE)
    expect(number(page, "z")).to_be_visible()
    after = page.locator(".canvas .surface").evaluate(CARD)
    middle = (size[0] / 2, size[1] / 2)
    for at, (old, new) in enumerate(zip(before, after, strict=True)):
        assert abs(old - new) < 0.06 * size[at], (middle, before, after)
    if size == (390, 420):  # the graph has the room of the key
        assert page.locator(".canvas .surface").bounding_box()["height"] >= 190


WORDS = """(page) => {
  const roots = [document, ...[...document.querySelectorAll("*")].flatMap((one) => one.shadowRoot ?? [])];
  const [said] = roots.flatMap((root) => [...root.querySelectorAll(".av-asks, .asking-says")]);
  const words = document.createRange();
  words.selectNodeContents(said.firstChild);
  const { x, y, height } = words.getBoundingClientRect();
  return [x, y + height / 2];
}"""
"""Left end and middle of the question's words."""


@pytest.mark.parametrize("play", ["", "&hide=play"], ids=["play", "no play"])
@pytest.mark.parametrize("size", [(700, 480), (390, 420), (1000, 480)])
def test_a_frame_that_is_touched_keeps_its_question_where_it_was(page, address, size, play):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{address}/?embed=1&v=1&reveal=ask&lesson={KEY}{play}")
    before = page.evaluate(WORDS)
    page.locator("#av-poster").click(position={"x": 30, "y": 30})
    page.wait_for_function(LIVE)
    expect(page.locator(".asking-says")).to_be_visible()
    after = page.evaluate(WORDS)
    assert all(abs(old - new) <= 12 for old, new in zip(before, after, strict=True)), (before, after)


def test_a_low_frame_of_a_tour_has_its_caption_and_the_way_on_beside_the_tab_of_the_graph(
    page: Page, address: str
):
    steps = (
        Step("Free", "x = 2.0\ny = x * x", caption="Both wires bring something back to `x`."),
        Step("Stopped", "x = 2.0\ny = x * stop_gradient(x)", caption="One wire has a stop."),
    )
    query = {"show": "canvas,lesson", "start": "now", "tour": tour_to_link(Tour(title="T", steps=steps))}
    page.set_viewport_size({"width": 700, "height": 420})
    page.goto(f"{address}/?embed=1&v=1&{urlencode(query)}")
    page.wait_for_function(LIVE)
    expect(page.get_by_role("tablist").get_by_role("tab")).to_have_text(["Graph", "Tour"])
    expect(page.locator('.canvas [data-id="y"]')).to_be_in_viewport()
    step = page.locator(".panes .step")
    expect(step).to_contain_text("Both wires bring something back to x.")
    expect(step).to_be_in_viewport(ratio=1)
    onward = page.get_by_role("button", name="Next: 2 of 2")
    onward.focus()
    onward.press("Enter")
    expect(step).to_contain_text("One wire has a stop.")
    expect(page.locator('.canvas [data-id="y"]')).to_be_in_viewport()
    expect(page.get_by_role("button", name="Next:")).to_have_count(0)  # in view
    assert faults(page) == []
