"""Test frames of the lab in a page of another site: pictures until they are touched, then what each is to show.

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
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Frame, Page, expect

from autodiff_viz.embedding.contract import CONTRACT, SANDBOX, frame_code, without_embed
from tests.browser.lab_page import LabPage

PARENT = (Path(__file__).parents[3] / "autodiff_viz" / "web" / "embed" / "parent.js").read_text("utf-8")
PAGE = """<!doctype html><title>Course</title><body style="margin: 0">{frames}
<script>heard = []; addEventListener("message", ({{ data }}) => heard.push(data));</script><script>{parent}</script>"""
LIVE = "() => !document.getElementById('av-poster')"
SMALL = {"width": 300, "height": 200}


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


def framed(address: str, at: int, query: str, sandbox: str | None = SANDBOX) -> str:
    """The code of a frame, which is called f0, f1 and so on."""
    code = frame_code(f"{address}/?embed=1&v=1{query}", f"Frame {at}", 360, 460)
    code = code.replace("<iframe ", f'<iframe name="f{at}" ').replace('loading="lazy"', "")
    return code.replace(f'sandbox="{SANDBOX}"', f'sandbox="{sandbox}"' if sandbox else "")


def awake(page: Page, name: str) -> Frame:
    """Touch a frame, and wait until the lab is in it."""
    page.locator(f"iframe[name={name}]").click(position={"x": 60, "y": 60})
    frame = page.frame(name)
    frame.wait_for_function(LIVE, timeout=30_000)
    return frame


def number(frame: Frame, node: str, which: str = "value"):
    return frame.locator(f'.canvas [data-id="{node}"] .number.{which}')


def whole(frame: Frame) -> dict[str, str]:
    """The query that leads from a frame to the whole lab."""
    link = frame.locator(".to-lab")
    link.dispatch_event("pointerdown")
    return dict(parse_qsl(urlsplit(link.evaluate("(link) => link.href")).query))


NINE = (
    "",
    "&show=canvas,slider:y,open",
    "&edit=none&lesson=fork&node=a",
    "&reveal=steps",
    "&theme=dark&type=large",
    "&step=3",
    "&lesson=two-stops&edit=rules&show=canvas,toolbar,open",
    "&wheel=zoom",
    "&edit=all&show=canvas,sliders,play,open",
)


def test_nine_frames_cost_nothing_until_one_is_touched(page, address):
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(urlsplit(socket.url).path))
    sandboxes = {3: "allow-scripts", 7: None}
    frames = "".join(framed(address, i, query, sandboxes.get(i, SANDBOX)) for i, query in enumerate(NINE))
    with course(frames) as place:
        page.goto(place)
        posters = [page.frame_locator(f"iframe[name=f{i}]").locator("#av-poster svg") for i in range(9)]
        for poster in posters:
            poster.wait_for(state="attached")
        # b = sin(0.6) * 1.5; by hand: sin(0.6) = 0.564642, the derivative by y too.
        expect(posters[0]).to_contain_text("0.847")
        expect(posters[0]).to_contain_text("0.5646")
        assert not re.search(r"\d\.\d", posters[3].text_content()), "numbers that the reader is to find"
        scheme = "() => getComputedStyle(document.documentElement).colorScheme"
        assert [page.frame(f"f{i}").evaluate(scheme) for i in (0, 4)] == ["light", "dark"]
        said = page.evaluate("() => heard.filter(({ type }) => type === 'autodiff:ready').length")
        assert said == 9
        assert sockets == []

        frame = awake(page, "f0")
        expect(number(frame, "b")).to_have_text("0.847")
        assert sockets.count("/_stcore/stream") == 1
        frame.locator("input[aria-label='Value of y']").fill("3")
        frame.locator("input[aria-label='Value of y']").press("Enter")
        expect(number(frame, "b")).to_have_text("1.694")
        page.wait_for_function("() => heard.some((word) => /^{.subject.:.lti.frameResize/.test(word))")
        assert page.evaluate("() => heard.every((word) => word.v === undefined || word.v === 1)")

        # The page around it sets values and asks for the state.
        page.evaluate("() => setInLab(document.querySelector('[name=f0]'), { values: { y: 2 } })")
        expect(number(frame, "b")).to_have_text("1.129")
        page.evaluate(
            "() => document.querySelector('[name=f0]').contentWindow.postMessage("
            "{ type: 'autodiff:get', v: 1, id: 7 }, '*')"
        )
        answer = page.wait_for_function(
            "() => heard.find(({ type, link }) => type === 'autodiff:state' && link.includes('g='))"
        ).json_value()
        assert answer["id"] == 7
        assert page.evaluate("() => history.length") <= 2, "a frame that adds steps to the page's history"

        # The wheel is the page's until the graph was clicked, then it zooms, and Escape gives it back.
        zoom = "() => document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot"
        zoom += ".querySelector('.world').getAttribute('transform')"
        page.mouse.click(900, 1)
        before = frame.evaluate(zoom)
        page.mouse.move(60, 60)
        page.mouse.wheel(0, 200)
        page.wait_for_timeout(100)
        assert frame.evaluate(zoom) == before
        page.mouse.click(20, 20)
        page.mouse.wheel(0, 100)
        frame.wait_for_function(f"(before) => ({zoom})() !== before", arg=before)
        page.keyboard.press("Escape")
        frame.wait_for_function("() => !document.activeElement?.shadowRoot?.activeElement")

        # Without an origin: no storage, no cookies. Nothing is told until the pass is played.
        steps = awake(page, "f3")
        assert steps.evaluate("() => origin") == "null"
        expect(steps.locator(".canvas")).to_have_attribute("data-play", "forward")
        expect(number(steps, "b")).to_be_hidden()
        steps.locator(".transport button[aria-label='Finish the phase']").click()
        expect(number(steps, "b")).to_be_visible()

        dark = awake(page, "f4")
        assert dark.evaluate("() => document.documentElement.dataset.avType") == "large"
        ground = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
        assert dark.evaluate(ground) == "rgb(20, 23, 28)"  # .streamlit/config.toml: #14171C
        page.evaluate("() => setInLab(document.querySelector('[name=f4]'), { theme: 'light' })")
        dark.wait_for_function(f"() => ({ground})() === 'rgb(255, 255, 255)'")
        assert sockets.count("/_stcore/stream") == 3


def test_what_may_not_be_changed_is_refused_here_and_by_the_server(page, address):
    with course(framed(address, 0, "&edit=none&lesson=fork&node=a&start=now")) as place:
        page.goto(place)
        frame = page.frame("f0")
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


@pytest.mark.sampled(3)
@pytest.mark.parametrize("query", NINE)
def test_the_whole_lab_has_all_that_the_frame_has(page, address, query):
    with course(framed(address, 0, f"{query}&start=now")) as place:
        page.goto(place)
        frame = page.frame("f0")
        frame.wait_for_function(LIVE, timeout=30_000)
        frame.locator(".canvas [data-id]").first.wait_for()
        rows = frame.locator(".sliders input[role=spinbutton]")
        if rows.count():
            rows.first.fill("2.5")
            rows.first.press("Enter")
            frame.wait_for_function("() => location.search.includes('g=')")
        frame.locator(".canvas [data-id] .card").last.click()
        frame.wait_for_function("() => location.search.includes('node=')")
        numbers = "(cards) => Object.fromEntries(cards.map((card) => [card.dataset.id, card.querySelector('.value')?.textContent]))"
        shown = frame.locator(".canvas [data-id]").evaluate_all(numbers)
        asked = whole(frame)
        at = frame.evaluate("() => location.search")
    assert asked.items() >= without_embed(dict(parse_qsl(at.lstrip("?")))).items() - {
        ("step", asked.get("step"))
    }
    assert not {"embed", "v", "show", "edit", "theme", "wheel"} & asked.keys()
    lab = LabPage(page, address).open("/?" + "&".join(f"{key}={value}" for key, value in asked.items()))
    assert lab.canvas.locator("[data-id]").evaluate_all(numbers) == shown
    expect(lab.canvas.locator(".node.selected")).to_have_attribute("data-id", asked["node"])


ROWS = [
    (each.name, word)
    for each in CONTRACT[2:]
    for word in [*each.values, *{"step": ("2",), "node": ("a",)}.get(each.name, ())]
]


def test_no_size_has_a_second_scroll_bar(page, address):
    everything = "&show=canvas,formula,sliders,inspector,plot,play,check,open&start=now"
    page.set_viewport_size(SMALL)
    page.goto(f"{address}/?embed=1&v=1{everything}")
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
    page.set_viewport_size({"width": 1400, "height": 1000})
