"""Test frames of the lab in a page of another site: pictures until they are touched, then what each shows.

The page around them is served under another name of this machine, so it is another site: cookies of the lab
would be third-party cookies there.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import Frame, FrameLocator, Page, expect

from autodiff_viz.embedding.contract import CONTRACT, SANDBOX, frame_code, without_embed
from tests.browser.lab_page import MINUS, LabPage
from tests.browser.page.test_axe import faults
from tests.own_lesson import KEY

PARENT = (Path(__file__).parents[3] / "autodiff_viz" / "web" / "embed" / "parent.js").read_text("utf-8")
PAGE = """<!doctype html><title>Course</title><body style="margin: 0">{frames}
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
    frame.wait_for_function(LIVE, timeout=30_000)
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


@pytest.mark.nightly
def test_nine_frames_cost_nothing_until_they_are_touched_and_then_do_what_the_table_says(page, address):
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(urlsplit(socket.url).path))
    sandboxes = {"reveal": "allow-scripts", "wheel": None}
    codes = [framed(address, name, EXAMPLES[name], sandboxes.get(name, SANDBOX)) for name in NINE]
    with course("".join(codes)) as place:
        page.goto(place)
        posters = {
            name: page.frame_locator(f"iframe[name={name}]").locator("#av-poster svg") for name in NINE
        }
        for poster in posters.values():
            poster.wait_for(state="attached")
        # b = sin(0.6) * 1.5; by hand: sin(0.6) = 0.564642, which is its derivative by y.
        expect(posters["wheel"]).to_contain_text("0.847")
        expect(posters["wheel"]).to_contain_text("0.5646")
        assert not re.search(r"\d\.\d", posters["reveal"].text_content()), "numbers to be found"
        scheme = "() => getComputedStyle(document.documentElement).colorScheme"
        assert [page.frame(name).evaluate(scheme) for name in ("type", "theme")] == ["light", "dark"]
        assert page.evaluate("() => heard.filter(({ type }) => type === 'autodiff:ready').length") == 9
        assert sockets == []

        frame = awake(page, "wheel")
        expect(number(frame, "b")).to_have_text("0.847")
        assert sockets.count("/_stcore/stream") == 1
        slide(frame, "y", "3")
        expect(number(frame, "b")).to_have_text("1.694")
        page.wait_for_function("() => heard.some((word) => /^{.subject.:.lti.frameResize/.test(word))")

        # The page around a frame sets values and asks for the state.
        page.evaluate("() => setInLab(document.querySelector('[name=wheel]'), { values: { y: 2 } })")
        expect(number(frame, "b")).to_have_text("1.129")
        page.evaluate(
            "() => document.querySelector('[name=wheel]').contentWindow.postMessage("
            "{ type: 'autodiff:get', v: 1, id: 7 }, '*')"
        )
        answer = page.wait_for_function(
            "() => heard.find(({ type, link }) => type === 'autodiff:state' && link.includes('g='))"
        ).json_value()
        assert answer["id"] == 7
        assert page.evaluate("() => history.length") <= 2, "a frame that adds steps to the page's history"
        turned = turn_wheel(page, "wheel")
        assert turned, "its wheel zooms at once"

        shown = awake(page, "show")
        expect(shown.locator(".transport")).to_be_hidden()
        shown.get_by_role("tab", name="Formula").click()
        expect(shown.locator(".formula textarea")).to_be_visible()
        expect(shown.locator(".sliders .row")).to_have_count(1)
        hidden = awake(page, "hide")
        expect(hidden.locator(".sliders .row")).to_have_count(1)
        expect(hidden.locator(".transport")).to_be_hidden()
        expect(hidden.locator(".to-lab")).to_be_hidden()
        fixed = awake(page, "edit")
        expect(number(fixed, "z")).to_have_text("15")  # 2 * 3 + 3 ** 2
        expect(fixed.locator(".sliders .row")).to_have_count(0)
        chosen = awake(page, "node")
        expect(chosen.locator(".node.selected")).to_have_attribute("data-id", "b")
        chosen.get_by_role("tab", name="Node").click()
        expect(chosen.locator(".inspector")).to_contain_text("Product of")
        step = awake(page, "step")
        expect(step.locator(".transport")).to_have_attribute("data-at", "3")
        assert whole(step)["step"] == "3"

        # The wheel is the page's until the graph was clicked, and Escape gives it back.
        assert not turn_wheel(page, "type")
        large = awake(page, "type")
        assert large.evaluate("() => document.documentElement.dataset.avType") == "large"
        page.mouse.click(5, page.viewport_size["height"] - 5)
        page.keyboard.down("Control")
        assert turn_wheel(page, "type"), "with Ctrl it is the graph's"
        page.keyboard.up("Control")
        assert not turn_wheel(page, "type")
        large.locator(".surface").click(position={"x": 10, "y": 10})
        assert turn_wheel(page, "type")
        page.keyboard.press("Escape")
        large.wait_for_function(f"() => !({ROOT}.activeElement)")
        assert not turn_wheel(page, "type")
        large.locator(".surface").click(position={"x": 10, "y": 10})
        assert turn_wheel(page, "type")
        page.evaluate("() => document.body.insertAdjacentHTML('afterbegin', '<p id=text>Text</p>')")
        page.locator("#text").click()
        assert not turn_wheel(page, "type"), "a click outside gives it back"

        # Without an origin: no storage, no cookies. Nothing is told until the pass is played.
        steps = awake(page, "reveal")
        assert steps.evaluate("() => origin") == "null"
        expect(steps.locator(".canvas")).to_have_attribute("data-play", "forward")
        expect(number(steps, "b")).to_be_hidden()
        steps.locator(".transport button[aria-label='Finish the phase']").click()
        expect(number(steps, "b")).to_be_visible()
        expect(number(steps, "x", "cotangent")).to_be_hidden()
        slide(steps, "y", "3")  # what the steps have not reached stays hidden
        expect(number(steps, "b")).to_have_text("1.694")
        expect(number(steps, "b")).to_be_visible()
        expect(number(steps, "x", "cotangent")).to_be_hidden()
        steps.locator(".transport button[aria-label='Finish the phase']").click()
        expect(number(steps, "x", "cotangent")).to_have_text("2.476")  # 3 * cos(0.6), by hand
        slide(steps, "y", "2")  # the pass was seen to its end: the next one begins anew
        expect(number(steps, "b")).to_have_text("1.129")
        expect(number(steps, "b")).to_be_hidden()
        expect(number(steps, "x", "cotangent")).to_be_hidden()

        dark = awake(page, "theme")
        ground = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
        assert dark.evaluate(ground) == "rgb(20, 23, 28)"  # .streamlit/config.toml: #14171C
        page.evaluate("() => setInLab(document.querySelector('[name=theme]'), { theme: 'light' })")
        dark.wait_for_function(f"() => ({ground})() === 'rgb(255, 255, 255)'")
        assert sockets.count("/_stcore/stream") == 9


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
        frame.wait_for_function(LIVE, timeout=30_000)
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
        first.wait_for_function(LIVE, timeout=30_000)
        slide(first, "y", "3")
        first.wait_for_function("() => location.search.includes('g=')")

        # As reveal.js leaves a slide, and enters it again.
        page.evaluate(
            "() => document.querySelectorAll('iframe').forEach((one) => {"
            " const { src } = one; one.removeAttribute('src'); setTimeout(() => (one.src = src), 50); })"
        )
        back = page.frame_locator("iframe >> nth=0")
        expect(number(back, "b")).to_have_text("1.694", timeout=30_000)
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
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_whole_lab_has_all_that_the_frame_has(page, address, name):
    with course(framed(address, "lab", f"{EXAMPLES[name]}&start=now")) as place:
        page.goto(place)
        frame = page.frame("lab")
        frame.wait_for_function(LIVE, timeout=30_000)
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
    expect(page.locator(".transport")).to_have_attribute("data-at", "3", timeout=30_000)


@pytest.mark.nightly
def test_no_size_has_a_second_scroll_bar_and_axe_finds_nothing(page, address):
    everything = "&show=canvas,formula,sliders,inspector,plot,play,check,open"
    page.set_viewport_size({"width": 300, "height": 200})
    page.goto(f"{address}/?embed=1&v=1{everything}")
    assert faults(page) == []
    page.locator("#av-poster").press("Enter")
    page.wait_for_function(LIVE, timeout=30_000)
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
    page.wait_for_function(LIVE, timeout=30_000)
    asked = page.locator(".asking")
    expect(asked).to_contain_text("What arrives at x?")
    expect(number(page, "x", "cotangent")).to_have_text("?")
    asked.get_by_role("textbox").fill("1.238")  # 1.5 * cos(0.6), by hand
    asked.get_by_role("button", name="Answer").click()
    expect(number(page, "x", "cotangent")).to_have_text("1.238")
    expect(page.locator(".to-lab")).to_have_attribute("href", re.compile("guess="))
    page.set_viewport_size({"width": 1400, "height": 1000})
