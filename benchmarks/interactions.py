"""Measure the interaction to next paint of the main actions, by the browser's own event timing.

An interaction lasts from its first event until the frame that shows what its handlers did; the browser rounds
it to 8 ms. A ratio is the 75th percentile over a goal: 100 ms, and 200 ms on a processor that is slowed to
a quarter. A button of a bare page is measured in turn: where it is late too, the machine was busy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page

from autodiff_viz.graph.link import to_link
from benchmarks.graphs import example
from benchmarks.table import Row

GOALS = {1: 100, 4: 200}  # milliseconds, by how much slower the processor is
ROUNDS = 12
GRAPH = example(30, 0).graph
NODES = [node.name for node in GRAPH.nodes if node.slots]
LEAST = 8  # milliseconds that an interaction takes which is too short to be reported
NOTE = """
window.lasted = new Map();
new PerformanceObserver((list) => {
  for (const { interactionId: id, duration } of list.getEntries())
    if (id) window.lasted.set(id, Math.max(duration, window.lasted.get(id) ?? 0));
}).observe({ type: "event", durationThreshold: 16 });
"""
TAKE = """
() => {
  const found = Math.max(0, ...window.lasted.values());
  window.lasted.clear();
  return found;
}
"""
WORK = """
document.querySelector("button").onclick = () => {
  document.querySelector("main").innerHTML = "<p><b>0.5</b> <i>x</i></p>".repeat(3000);
  document.querySelector("main").getBoundingClientRect();
};
"""
BARE = "a button of a bare page"
Action = Callable[[Page, int], None]


def _click(selector: str) -> Action:
    return lambda page, _i: page.locator(selector).click()


def _select(page: Page, i: int) -> None:
    page.locator(f'.canvas [data-id="{NODES[i % 8]}"] .card').click()


def _slide(page: Page, i: int) -> None:
    page.get_by_role("slider", name="Slider of x0").press("ArrowRight" if i % 2 else "ArrowLeft")


def _type(page: Page, _i: int) -> None:
    page.locator(".formula textarea").press("1")


def _erase(page: Page, _i: int) -> None:
    page.locator(".formula textarea").press("Backspace")


def _graph(page: Page, i: int) -> None:
    page.get_by_role("tablist", name="Graphs of the lesson").get_by_role("tab").nth((i + 1) % 2).click()


def _panel(page: Page, i: int) -> None:
    tab = "lesson" if i % 2 else "formula"
    page.get_by_role("tablist", name="Panels").locator(f'[data-tab="{tab}"]').click()


ON_A_GRAPH: dict[str, Action] = {
    "select a node": _select,
    "stop its gradient": lambda page, _i: page.keyboard.press("s"),
    "undo": lambda page, _i: page.keyboard.press("Control+z"),
    "step of a slider": _slide,
    "a letter in the formula": _type,
    "a letter erased": _erase,
    "plots opened or folded": _click(".plots .fold"),
}
ON_A_LESSON: dict[str, Action] = {"another graph of a lesson": _graph, "another panel of a lesson": _panel}


def interactions(browser: Browser, app: str) -> Iterator[Row]:
    """Yield a ratio for each action and speed of the processor."""
    addresses = {
        f"{app}/?{urlencode({'g': to_link(GRAPH)})}": ON_A_GRAPH,
        f"{app}/?lesson=neuron": ON_A_LESSON,
    }
    for address, actions in addresses.items():
        page, bare = _open(browser, address), _button(browser, app)
        for slower, goal in GOALS.items():
            for one in (page, bare):
                session = one.context.new_cdp_session(one)
                session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
            taken = _measure(page, bare, actions, slower)
            speed = "" if slower == 1 else f", {slower}x slower"
            for what, times in taken.items():
                held = goal if what in actions else None
                yield Row(f"{what}{speed}: p75 to next paint / {goal} ms", _p75(times) / goal, held and 1.0)
        page.close()
        bare.close()


def lasting(browser: Browser, app: str, actions: Sequence[str]) -> Iterator[Row]:
    """Yield a ratio for some actions on a graph, over a button of a bare page that draws 3,000 lines.

    Such a button says how fast the machine is; one that does nothing only says how often the screen is drawn.
    """
    page, bare = _open(browser, f"{app}/?{urlencode({'g': to_link(GRAPH)})}"), _button(browser, app)
    bare.evaluate(f"document.body.append(document.createElement('main')); {WORK}")
    taken = _measure(page, bare, {what: ON_A_GRAPH[what] for what in actions}, 1)
    for what in actions:
        ratio = _p75(taken[what]) / _p75(taken[BARE])
        yield Row(f"{what}: p75 to next paint / 3,000 lines drawn on a bare page", ratio)
    page.close()
    bare.close()


def _measure(page: Page, bare: Page, actions: dict[str, Action], slower: int) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {what: [] for what in [*actions, BARE]}
    for i in range(ROUNDS):
        for what, act in actions.items():
            page.bring_to_front()
            taken[what].append(_lasted(page, partial(act, page, i), slower))
        bare.bring_to_front()
        taken[BARE].append(_lasted(bare, bare.locator("button").click, slower))
    return taken


def _lasted(page: Page, act: Callable[[], None], slower: int) -> float:
    page.evaluate(TAKE)
    act()
    page.wait_for_timeout(300 + 200 * slower)
    return max(page.evaluate(TAKE), LEAST)


def _open(browser: Browser, address: str) -> Page:
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.add_init_script(NOTE)
    page.goto(address)
    page.locator(".canvas [data-id]").first.wait_for(timeout=60_000)
    page.wait_for_timeout(5_000)
    return page


def _button(browser: Browser, app: str) -> Page:
    page = browser.new_page()
    page.add_init_script(NOTE)
    page.goto(f"{app}/robots.txt")  # where scripts may run
    page.set_content("<button>0</button>")
    return page


def _p75(times: list[float]) -> float:
    return sorted(times)[len(times) * 3 // 4]
