"""Measure frames of the canvas in a headless Chromium: intervals between calls of requestAnimationFrame.

A gesture goes on meanwhile, one step of it per frame. Ratios are to a frame of 16.7 ms, the best that a
display of 60 Hz shows. A page that moves one square is measured before every gesture: where its frames are
late too, the machine was busy with something else.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from urllib.parse import urlencode

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph
from benchmarks.graphs import example, tensors
from benchmarks.server import serving
from benchmarks.table import Row
from tests.browser.server import FLAGS, HOW_TO_GET_CHROMIUM, chromium

SIZES = (30, 500, 2_000)
TENSORS = 500
FRAME = 1000 / 60  # milliseconds
MEDIAN, TAIL = 16.7 / FRAME, 33.4 / FRAME
ROUNDING = 0.05  # of a frame, in the browser's clock
STEPS = 100
PATIENCE = 120_000  # milliseconds until a large graph is there
DELAY = 300  # milliseconds, each way
PAINTS = 3  # pages opened per size

GESTURE = """
async (host, [kind, steps]) => {
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  const surface = host.querySelector(".surface"), box = host.getBoundingClientRect();
  const middle = [box.x + box.width / 2, box.y + box.height / 2];
  const cards = [...host.querySelectorAll("[data-id] .card")];
  const central = cards.find((card) => {
    const { x, y, right, bottom } = card.getBoundingClientRect();
    return x < middle[0] && y < middle[1] && right > middle[0] - 200 && bottom > middle[1] - 200;
  });
  const target = kind === "drag" ? central ?? cards[0] : surface;
  const edge = target.getBoundingClientRect();
  const [x, y] = kind === "drag" ? [edge.x + edge.width / 2, edge.y + edge.height / 2] : middle;
  const basic = { bubbles: true, composed: true, cancelable: true };
  const point = (type, dx, dy) => target.dispatchEvent(new PointerEvent(type, {
    ...basic, clientX: x + dx, clientY: y + dy, button: 0, pointerId: 1, isPrimary: true, pointerType: "mouse"
  }));
  const turn = (deltaY) => host.dispatchEvent(new WheelEvent("wheel", {
    ...basic, ctrlKey: true, deltaY, clientX: middle[0], clientY: middle[1],
  }));
  surface.setPointerCapture = () => {}; // there is no such pointer
  if (kind !== "zoom") point("pointerdown", 0, 0);
  const times = [];
  for (let i = 0; i < steps; i++) {
    if (kind === "zoom") turn(i % 40 < 20 ? -8 : 8);
    else point("pointermove", 6 + 2 * i, i);
    times.push(await frame());
  }
  if (kind !== "zoom") point("pointercancel", 0, 0);
  return times.slice(1).map((time, i) => time - times[i]);
}
"""
BARE = '<div style="width: 50px; height: 50px; background: blue"></div>'
COME_NEAR = """
async (host) => {
  const { x, y, width, height } = host.getBoundingClientRect();
  const at = { bubbles: true, composed: true, cancelable: true };
  Object.assign(at, { clientX: x + width / 2, clientY: y + height / 2 });
  const world = host.querySelector(".world");
  while (Number(/scale\\((.+)\\)/.exec(world.getAttribute("transform"))[1]) < 0.9) {
    host.dispatchEvent(new WheelEvent("wheel", { ...at, ctrlKey: true, deltaY: -10 }));
    await new Promise((next) => setTimeout(next, 200)); // the picture is drawn once the zoom rests
  }
}
"""
MOVE = """
async (steps) => {
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  const times = [];
  for (let i = 0; i < steps; i++) {
    document.querySelector("div").style.marginLeft = `${i}px`;
    times.push(await frame());
  }
  return times.slice(1).map((time, i) => time - times[i]);
}
"""
SCRUB = """
(host) => new Promise((resolve) => {
  const times = [], number = host.querySelector('[data-id="x0"] .value');
  let painted = 0, before = number.textContent;
  const frame = (time) => {
    times.push(time);
    if (number.textContent !== before) [painted, before] = [painted + 1, number.textContent];
    if (times.length < 90) requestAnimationFrame(frame);
    else resolve([times.slice(1).map((time, i) => time - times[i]), painted]);
  };
  requestAnimationFrame(frame);
})
"""


def frames() -> Iterator[Row]:
    """Measure frames of gestures, and first paint.

    Pan, drag and zoom at each size and among tensors seen from near; a slider dragged on a slow line; first
    paint of 500 nodes over that of 10.
    """
    if chromium() is None:
        print(HOW_TO_GET_CHROMIUM)
        return
    with (
        serving("app.py") as app,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS)) as browser,
    ):
        bare = browser.new_page()
        bare.set_content(BARE)
        for size in SIZES:
            canvas = _open(browser, app, example(size, 0).graph)
            yield from _gestures(canvas, bare, f"{size} nodes")
        canvas = _open(browser, app, tensors(TENSORS))
        canvas.evaluate(COME_NEAR)
        canvas.page.wait_for_timeout(2_000)
        yield from _gestures(canvas, bare, f"{TENSORS} tensors from near")
        yield from _scrub(browser, app)
        few, many = (median(_first_paint(browser, app, size) for _ in range(PAINTS)) for size in (10, 500))
        yield Row("first paint of the canvas: 500 nodes / 10 nodes", many / few, 2.0)


def _gestures(canvas: Locator, bare: Page, what: str) -> Iterator[Row]:
    for kind in ("pan", "drag", "zoom"):
        bare.bring_to_front()
        yield from _rows("a square moved beside", bare.evaluate(MOVE, STEPS), held=False)
        canvas.page.bring_to_front()
        yield from _rows(f"{what}, {kind}", canvas.evaluate(GESTURE, [kind, STEPS]), held=True)
    canvas.page.close()


def _rows(what: str, times: list[float], held: bool) -> Iterator[Row]:
    tail = sorted(times)[int(len(times) * 0.95)]
    yield Row(f"{what}: median frame / 16.7 ms", median(times) / FRAME, MEDIAN + ROUNDING if held else None)
    yield Row(f"{what}: 95th percentile / 16.7 ms", tail / FRAME, TAIL + ROUNDING if held else None)


def _open(browser: Browser, app: str, graph: Graph) -> Locator:
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(f"{app}/?{urlencode({'g': to_link(graph)})}")
    page.locator('.canvas [data-id="x0"]').wait_for(timeout=PATIENCE)
    page.wait_for_timeout(10_000)  # for the rest of the page and the first visitor's compilation
    return page.locator(".canvas")


def _scrub(browser: Browser, app: str) -> Iterator[Row]:
    """Count the numbers that a dragged slider paints while every message takes `DELAY` each way."""
    canvas = _open(browser, app, example(30, 0).graph)
    page = canvas.page
    _slow_down(page)
    line = page.get_by_role("slider", name="Slider of x0")
    line.hover()
    page.wait_for_timeout(5_000)
    box = line.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    found = canvas.evaluate_handle(f"(host) => ({{ end: ({SCRUB})(host) }})")
    for i in range(60):
        page.mouse.move(box["x"] + box["width"] * (0.5 + i / 150), middle)
    times, painted = found.evaluate("(found) => found.end")
    page.mouse.up()
    yield from _rows(f"30 nodes, slider dragged at {DELAY} ms delay", times, held=True)
    what = "frames in which a number did not change / all, of 40 positions in 90 frames"
    yield Row(what, 1 - painted / 90, 0.7)
    page.close()


def _slow_down(page: Page) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    speed = {"downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.emulateNetworkConditions", {"offline": False, "latency": DELAY, **speed})


def _first_paint(browser: Browser, app: str, size: int) -> float:
    """Return milliseconds from the request of the page to the first node of the canvas."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(f"{app}/?{urlencode({'g': to_link(example(size, 0).graph)})}")
    page.locator('.canvas [data-id="x0"]').wait_for(timeout=PATIENCE)
    taken = page.evaluate("() => new Promise((next) => requestAnimationFrame(next))")
    page.close()
    return taken
