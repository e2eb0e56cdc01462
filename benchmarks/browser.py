"""From gesture to number in a headless Chromium: the app's canvas beside a bare Streamlit page.

Both clocks run inside the page: from the gesture until the number that Python sends is in the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from urllib.parse import urlencode

from playwright.sync_api import Browser, Locator, sync_playwright

from autodiff_viz.engine.trace import trace
from autodiff_viz.graph.edits import with_rule
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import INPUT, Graph, Rule
from autodiff_viz.views.numbers import short
from benchmarks.graphs import example
from benchmarks.server import serving
from benchmarks.table import Row
from tests.browser.server import FLAGS, HOW_TO_GET_CHROMIUM, chromium

SIZE, ROUNDS, WARM_UP = 30, 30, 5
PAUSE = 300  # milliseconds after each run of the script, for the browser to finish
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'

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


def gestures() -> Iterator[Row]:
    """A stop toggled on a graph of 30 nodes; the one checkbox of a bare page ticked."""
    if chromium() is None:
        print(HOW_TO_GET_CHROMIUM)
        return
    graph = example(SIZE, 0).graph
    query = urlencode({"g": to_link(graph), "node": _gate(graph)})
    with (
        serving("app.py") as app,
        serving("benchmarks/bare_page.py") as bare,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS)) as browser,
    ):
        canvas = _open(browser, f"{app}/?{query}", ".canvas", '[data-id="x0"]')
        page = _open(browser, bare, "body", '[data-testid="stText"]')
        taken = [(_seconds(canvas, TOGGLE), _seconds(page, TICK)) for _ in range(WARM_UP + ROUNDS)]
    mine, theirs = (median(side) for side in zip(*taken[WARM_UP:], strict=True))
    yield Row(f"{SIZE} nodes: toggle of a stop to number / tick to number on a bare page", mine / theirs)


def _gate(graph: Graph) -> str:
    """A node whose stop shows at the first input."""

    def shown(g: Graph) -> str:
        return short(trace(g).cotangent["x0"])

    usual = shown(graph)
    names = (node.name for node in graph.nodes if node.op != INPUT)
    return next(name for name in names if shown(with_rule(graph, name, Rule("stop"))) != usual)


def _open(browser: Browser, address: str, root: str, shown: str) -> Locator:
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(address)
    page.locator(f"{root} {shown}").wait_for(timeout=60_000)
    page.wait_for_timeout(5_000)  # the warm-up, the figure, the fonts
    return page.locator(root)


def _seconds(root: Locator, what: list) -> float:
    taken = root.evaluate(CLOCK, what)
    root.page.locator(IDLE).wait_for(timeout=60_000)
    root.page.wait_for_timeout(PAUSE)
    return taken / 1000
