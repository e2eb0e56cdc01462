"""Time gestures to their number in a headless Chromium: the app's canvas beside a bare Streamlit page.

The clocks run inside the page: from the gesture, or from opening the address, until the number from Python is
in the document. Bytes are those that come over the wire to the browser.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from autodiff_viz.display.numbers import short
from autodiff_viz.engine.trace import trace
from autodiff_viz.graph.edits import with_rule
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import INPUT, Graph, Rule
from autodiff_viz.standalone.write import to_html
from benchmarks.graphs import example
from benchmarks.interactions import interactions, lasting
from benchmarks.server import serving
from benchmarks.table import Row
from tests.browser.cuttable import Cuttable
from tests.browser.server import FLAGS, HOW_TO_GET_CHROMIUM, chromium

SIZE, ROUNDS, WARM_UP, LOADS, EDITS = 30, 25, 5, 7, 8
FILED = 15  # nodes of the figure file
PAUSE = 300  # milliseconds after each run of the script, for the browser to finish
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'
COLLECTED = "--runner.postScriptGC=true"  # Streamlit's default
FEW = ("select a node", "stop its gradient", "step of a slider")  # a node is selected before it is stopped
SCREENS = {"figure out of view": 1000, "figure in view": 3500}  # pixels of height

CLOCK = """
(root, [shown, gesture]) => new Promise((resolve) => {
  const number = () => root.querySelector(shown).textContent;
  const before = number(), start = performance.now();
  const watch = new MutationObserver(() => {
    if (number() === before) return;
    watch.disconnect();
    resolve(performance.now() - start);
  });
  watch.observe(root, { subtree: true, childList: true, characterData: true });
  const [selector, key] = gesture, target = root.querySelector(selector);
  if (key) target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  else target.click();
})
"""
TOGGLE = ['[data-id="x0"] .cotangent', [".surface", "s"]]
TICK = ['[data-testid="stText"]', ['[data-testid="stCheckbox"] input', None]]


SHIFTED = {"lab": "/", "lesson": "/?lesson=fork", "lessons": "/lessons"}
WINDOWS = ((1280, 720), (390, 844))
STILL = 0.05  # half of what web.dev calls good
SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifted += value;
}).observe({ type: "layout-shift", buffered: true });
"""

FIRST_SEEN = """
const hosts = ".st-key-canvas *, .graph, #av-first-canvas";
const look = () => {
  const inside = [...document.querySelectorAll(hosts)].map((one) => one.shadowRoot);
  const found = [document, ...inside].map((root) => root?.querySelector(%r)).find(Boolean);
  if (found?.textContent) window.firstSeen = performance.now();
  else requestAnimationFrame(look);
};
look();
"""
FIRST_NUMBER, OF_X = (f'.canvas [data-id="{name}"] .cotangent' for name in ("x0", "x"))
BARE_NUMBER = '[data-testid="stText"]'


def gestures() -> Iterator[Row]:
    """Measure toggles, loads, messages and interactions of a graph of 30 nodes, beside a bare page.

    All servers run at once and are measured in turn, so that a noisy moment of the machine meets all of them.
    """
    if chromium() is None:
        print(HOW_TO_GET_CHROMIUM)
        return
    graph = example(SIZE, 0).graph
    query = urlencode({"g": to_link(graph), "node": _gate(graph)})
    with ExitStack() as stack:
        bare = stack.enter_context(serving("benchmarks/bare_page.py", COLLECTED))
        default = stack.enter_context(serving("app.py", COLLECTED, AUTODIFF_VIZ_WARM_UP="off"))
        app = stack.enter_context(serving("app.py"))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        stack.callback(browser.close)
        pages = [f"{app}/?{query}", f"{default}/?{query}"]
        yield from _toggles(browser, pages, bare)
        yield from _loads(
            browser, {f"{SIZE} nodes": (f"{app}/?{query}", FIRST_NUMBER), "first graph": (app, OF_X)}, bare
        )
        yield from _figures(browser, bare)
        for words, height in SCREENS.items():
            yield from _messages(browser, app, query, graph, words, height)
        yield from interactions(browser, app)
        for words, path in SHIFTED.items():
            for width, height in WINDOWS:
                moved = layout_shift(browser, f"{app}{path}", width, height)
                yield Row(f"{words}: layout shift while it loads, {width} x {height}", moved, STILL)


def few_gestures() -> Iterator[Row]:
    """Measure the same of one server and fewer times: the opening, a toggle, what lasts, and what moves."""
    graph = example(SIZE, 0).graph
    address = urlencode({"g": to_link(graph), "node": _gate(graph)})
    with ExitStack() as stack:
        bare = stack.enter_context(serving("benchmarks/bare_page.py", COLLECTED))
        app = stack.enter_context(serving("app.py"))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        stack.callback(browser.close)
        page, canvas = (
            _open(browser, bare, "body", BARE_NUMBER),
            _open(browser, f"{app}/?{address}", ".canvas", '[data-id="x0"]'),
        )
        taken = [(_seconds(canvas, TOGGLE), _seconds(page, TICK)) for _ in range(WARM_UP + ROUNDS)][WARM_UP:]
        mine, theirs = (median(side) for side in zip(*taken, strict=True))
        yield Row(f"{SIZE} nodes: toggle of a stop to number / tick to number on a bare page", mine / theirs)
        for root in (page, canvas):
            root.page.close()
        yield from _loads(browser, {"first graph": (app, OF_X)}, bare)
        yield from lasting(browser, app, FEW)
        moved = layout_shift(browser, app, *WINDOWS[0])
        yield Row("lab: layout shift while it loads / what is allowed", moved / STILL)


def layout_shift(browser: Browser, address: str, width: int, height: int) -> float:
    """Return the cumulative layout shift of a page from its first frame until nothing more comes.

    Source: https://web.dev/articles/cls; what a visitor has pressed moves rightly, and is left out.
    """
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.add_init_script(SHIFTS)
    page.goto(address)
    page.locator(".verdict[data-state=agrees], li.card, .asking:not([hidden])").first.wait_for(timeout=60_000)
    page.wait_for_timeout(3_000)  # for the parts of Streamlit, the figure and the fonts
    found = page.evaluate("window.shifted")
    context.close()
    return found


def _toggles(browser: Browser, apps: list[str], bare: str) -> Iterator[Row]:
    page = _open(browser, bare, "body", BARE_NUMBER)
    canvases = [_open(browser, address, ".canvas", '[data-id="x0"]') for address in apps]
    taken = [
        [*(_seconds(canvas, TOGGLE) for canvas in canvases), _seconds(page, TICK)]
        for _ in range(WARM_UP + ROUNDS)
    ]
    mine, default, theirs = (median(side) for side in zip(*taken[WARM_UP:], strict=True))
    gesture = f"{SIZE} nodes: toggle of a stop to number / tick to number on a bare page"
    yield Row(f"{gesture}, both collecting garbage as Streamlit does", default / theirs, 1.3)
    yield Row(f"{gesture} that does, as the app ships", mine / theirs, 1.0)
    yield Row("first toggle on a new server / its later ones", taken[0][0] / mine)
    for root in (page, *canvases):
        root.page.close()


def _loads(browser: Browser, apps: Mapping[str, tuple[str, str]], bare: str) -> Iterator[Row]:
    """Measure first paint, with Streamlit's own files in the browser's cache."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    sides = (*apps.values(), (bare, BARE_NUMBER))
    taken = [[first_seen(context.new_page(), *side) for side in sides] for _ in range(1 + LOADS)]
    *mine, theirs = (median(side) for side in zip(*taken[1:], strict=True))
    context.close()
    for words, seconds in zip(apps, mine, strict=True):
        yield Row(f"{words}: address opened to number / the same on a bare page", seconds / theirs, 0.2)


def _figures(browser: Browser, bare: str) -> Iterator[Row]:
    """Measure a figure that lives without a server, opened from disk."""
    text = to_html(example(FILED, 0).graph, check=False)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "figure.html"
        file.write_text(text, "utf-8")
        context = browser.new_context(viewport={"width": 1400, "height": 1000})
        sides = ((file.as_uri(), FIRST_NUMBER), (bare, BARE_NUMBER))
        taken = [[first_seen(context.new_page(), *side) for side in sides] for _ in range(1 + LOADS)]
        context.close()
    mine, theirs = (median(side) for side in zip(*taken[1:], strict=True))
    yield Row(f"{FILED} nodes: figure file opened to number / a bare page", mine / theirs, 1.0)
    yield Row(f"{FILED} nodes: KB of the figure file", len(text.encode()) / 1000, 350.0)


def first_seen(page: Page, address: str, number: str) -> float:
    """Open an address until an element has text, and close the page; return the milliseconds."""
    page.add_init_script(FIRST_SEEN % number)
    page.goto(address)
    page.wait_for_function("() => window.firstSeen")
    taken = page.evaluate("window.firstSeen")
    page.close()
    return taken


def _messages(browser: Browser, app: str, query: str, graph: Graph, words: str, height: int) -> Iterator[Row]:
    """Measure the bytes and messages of an edit.

    Nodes are selected one after the other and stopped, so that nothing is sent twice.
    """
    line, frames = Cuttable(urlsplit(app).port), []
    canvas = _open(browser, f"{line.address}/?{query}", ".canvas", '[data-id="x0"]', height, frames)
    kinds: dict[str, list[tuple[int, int]]] = {"select": [], "toggle": []}
    for name in [node.name for node in graph.nodes if node.slots][: 1 + EDITS]:
        for kind in kinds:
            frames.clear()
            before = line.to_browser
            if kind == "select":
                canvas.locator(f'[data-id="{name}"] .card').click()
            else:
                canvas.locator(".surface").press("s")
            canvas.page.wait_for_timeout(3 * PAUSE)
            canvas.page.locator(IDLE).wait_for(timeout=60_000)
            kinds[kind].append((line.to_browser - before, len(frames)))
    for kind, found in kinds.items():
        size, count = (median(side) for side in zip(*found[1:], strict=True))
        yield Row(f"{SIZE} nodes, {words}: KB over the socket, a {kind}", size / 1024, 10.0)
        yield Row(f"{SIZE} nodes, {words}: messages to the browser, a {kind}", count)
    canvas.page.close()
    line.close()


def _gate(graph: Graph) -> str:
    """Return a node whose stop changes the cotangent of the first input."""

    def shown(g: Graph) -> str:
        return short(trace(g).cotangent["x0"])

    usual = shown(graph)
    names = (node.name for node in graph.nodes if node.op != INPUT)
    return next(name for name in names if shown(with_rule(graph, name, Rule("stop"))) != usual)


def _open(
    browser: Browser, address: str, root: str, shown: str, height: int = 1000, frames: list | None = None
) -> Locator:
    page = browser.new_page(viewport={"width": 1400, "height": height})
    if frames is not None:
        page.on("websocket", lambda socket: socket.on("framereceived", lambda sent: frames.append(sent)))
    page.goto(address)
    page.locator(f"{root} {shown}").wait_for(timeout=60_000)
    page.wait_for_timeout(5_000)  # for the warm-up, the figure and the fonts
    return page.locator(root)


def _seconds(root: Locator, what: list) -> float:
    taken = root.evaluate(CLOCK, what)
    root.page.locator(IDLE).wait_for(timeout=60_000)
    root.page.wait_for_timeout(PAUSE)
    return taken / 1000
