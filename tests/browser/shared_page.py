"""Share a page of the lab among several tests: reset to its first state after each, else loaded anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Error, Page, expect

from tests.browser.lab_page import FOLDED, FOUND, LabPage

MODIFIERS = ("Shift", "Control", "Alt", "Meta", " ")
PRESSED = """found(":is(.workspace, .canvas-tools) [aria-pressed=true]")
  .filter((one) => one.checkVisibility())"""
PLOT = ".plots .tab[aria-selected=true]"
OPEN = ".popover, .inline, .preview, .ghost, .frame"
NEAR = 3  # px by which the view that is fitted differs from the first one
TWICE = 400  # milliseconds after which the next click makes no double click
SETTINGS = ["seed", "dtype", "figure", "sweep", "scale", "draws"]  # in the address
TRIES, PAUSE = 6, 100  # times and milliseconds in which the page is as it was
SELECTED = "?node=a"  # most tests edit the selected node; a newcomer finds none selected

NOTE_CLICKS = """addEventListener("pointerup", ({ timeStamp }) => { window.clickedAt = timeStamp; }, true)"""
SINCE_CLICK = "performance.now() - (window.clickedAt ?? -1e6)"  # milliseconds

FOLD = f"""if (location.protocol !== "about:" && !location.hash)
  history.replaceState(history.state, "", {FOLDED!r});"""
"""As if each address, also after a reload, were a link that says so."""

FORGET = """() => Object.keys(localStorage).filter((key) => /[.](lab|shelf)$/.test(key))
  .forEach((key) => localStorage.removeItem(key))"""
"""The graphs of earlier pages, of which a page offers to continue the last until something is edited."""

RELEASE = f"""(first) => {{ {FOUND}
  {PRESSED}.filter((one) => !first.includes(one.title)).forEach((one) => one.click());
}}"""

TO_THE_TOP = """document.querySelectorAll("[data-testid=stMain], .st-key-side, .st-key-dock > *")
  .forEach((one) => one.scrollTo(0, 0))"""

SEEN = f"""() => {{ {FOUND}
  const [canvas] = found(".canvas");
  const all = (selector) => [...canvas.querySelectorAll(selector)];
  const places = canvas.getBoundingClientRect();
  const at = ({{ x, y, width, height }}) => [x - places.x, y - places.y, width, height].map(Math.round);
  return {{
    size: [innerWidth, innerHeight, ...at(places).slice(2)],
    nodes: all("[data-id]").map((node) => [
      node.dataset.id, node.getAttribute("class").replace(" lit", ""), node.getAttribute("aria-label"),
    ]).sort(),
    places: Object.fromEntries(all("[data-id]").map((node) => [
      node.dataset.id, at(node.querySelector(".card").getBoundingClientRect()),
    ])),
    drawn: ["wire", "region"].map((kind) => all(`[data-${{kind}}]`).map((one) => one.dataset[kind]).sort()),
    selected: all("[data-id].selected").map((node) => node.dataset.id),
    open: all({OPEN!r}).length,
    settings: {SETTINGS}.map((name) => new URLSearchParams(location.search).get(name)),
    look: {{...document.documentElement.dataset}},
    inspected: found(".inspector h2").map((one) => one.textContent),
    details: found(".checks .details").map((one) => one.ariaExpanded),
    plot: found({PLOT!r}).map((one) => one.textContent),
    pressed: {PRESSED}.map((one) => one.title),
    undo: found(".canvas-tools .undo").map((one) => one.title),
    formula: found(".formula textarea").map((one) => one.value),
    sliders: found(".sliders input").map(({{ value, min, max }}) => [value, min, max]),
  }};
}}"""
"""What a visitor finds: all that tests of a page that was put back may rely on."""


class SharedPage:
    """One page for many tests.

    Args:
      plots: whether the plots are open.

    Attributes:
      abroad, said: requests to other hosts and errors on the console since it was reset.
    """

    def __init__(
        self, context: BrowserContext, address: str, watched: Callable[[Page], Any], plots: bool = True
    ):
        self.context, self.address, self.watched = context, address, watched
        self.plots = plots
        self.lab: LabPage | None = None
        self.first: dict[str, Any] = {}
        self.size: Any = None
        self.abroad: list[str] = []
        self.said: list[str] = []

    def take(self) -> LabPage:
        """The first graph, with a node selected; undo has nothing to undo, redo may have."""
        if self.lab is None or not self._put_back():
            self.close()
            page = self.context.new_page()
            self.abroad, self.said = self.watched(page)
            page.add_init_script(NOTE_CLICKS)
            page.goto(f"{self.address}/_stcore/health")
            page.evaluate(FORGET)
            if not self.plots:
                page.add_init_script(FOLD)
            self.lab = LabPage(page, self.address).open(SELECTED)
            expect(page.get_by_test_id("stPopover").get_by_role("button", name="Settings")).to_be_visible()
            expect(page.locator(".inspector")).to_be_visible()
            self.first, self.size = self._seen(), page.viewport_size
        self.abroad.clear()
        self.said.clear()
        return self.lab

    def close(self) -> None:
        if self.lab:
            self.lab.page.close()
        self.lab = None

    def _seen(self) -> dict[str, Any]:
        return self.lab.page.evaluate(SEEN)

    def _put_back(self) -> bool:
        try:
            self._let_go()
            self._undo_all()
            return any(self._is_as_first() for _ in range(TRIES))
        except (Error, AssertionError):
            return False

    def _let_go(self) -> None:
        lab, page = self.lab, self.lab.page
        page.context.set_offline(False)
        page.mouse.up()
        for key in MODIFIERS:
            page.keyboard.up(key)
        page.mouse.move(2, 2)
        if page.viewport_size != self.size:
            page.set_viewport_size(self.size)
        for _ in range(lab.canvas.locator(OPEN).count()):
            lab.canvas.locator(".surface").focus()
            page.keyboard.press("Escape")
        lab.settle()

    def _undo_all(self) -> None:
        lab = self.lab
        surface = lab.canvas.locator(".surface")
        if lab.page.locator(".canvas-tools .undo").is_enabled():
            surface.focus()
            lab.page.keyboard.press("h")
            lab.canvas.locator(".step-list .step").last.click()
            lab.settle()
            lab.page.keyboard.press("Escape")
        surface.focus()
        lab.page.keyboard.press("f")
        if self._seen()["selected"] != ["a"]:
            lab.node("a").focus()  # a click would make the next one a double click
            lab.page.keyboard.press("Enter")
        if self.plots and (plot := self.first["plot"]) and self._seen()["plot"] != plot:
            lab.choose_figure(*plot)
        lab.page.evaluate(
            RELEASE, self.first["pressed"]
        )  # not before: the rules that undo takes back are pressed too
        lab.page.mouse.move(2, 2)
        lab.page.evaluate(TO_THE_TOP)
        lab.settle()
        lab.page.wait_for_timeout(max(0, TWICE - lab.page.evaluate(SINCE_CLICK)))

    def _is_as_first(self) -> bool:
        found, first = self._seen(), self.first
        near = found["places"].keys() == first["places"].keys() and all(
            abs(a - b) <= NEAR for name in first["places"]
            for a, b in zip(found["places"][name], first["places"][name], strict=True)
        )  # fmt: skip
        if near and {**found, "places": None} == {**first, "places": None}:
            return True
        self.lab.page.wait_for_timeout(PAUSE)
        return False
