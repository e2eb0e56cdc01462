"""Drive the lab in a browser as a user does: nodes, wires and panels by the names that users see."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, TimeoutError, expect

MINUS = "\u2212"
DRAWN = ":is(.av-bars, .js-plotly-plot .main-svg)"
"""A figure that is drawn: as HTML, or by Plotly."""
FOLDED = "#folded=1"
"""Of an address: the plots are folded, which saves half of the work of an edit."""


def four_digits(number: float) -> str:
    """A number as a node shows it."""
    return f"{number:.4g}".replace("-", MINUS)


def saying(text: str) -> re.Pattern[str]:
    """Matches whatever has `text` in it."""
    return re.compile(re.escape(text))


STILL = """async (thing) => {
  const frame = () => new Promise(requestAnimationFrame);
  const place = () => (({ x, y, width, height }) => [x, y, width, height])(thing.getBoundingClientRect());
  for (let before = place(), same = 0; ; before = place()) {
    await frame();
    if (!thing.isConnected) return null;
    same = String(before) === String(place()) ? same + 1 : 0;
    if (same === 2) return before;
  }
}"""
"""Wait until a thing has stayed where it is for two frames; its place on the screen. It is null for one that
has been drawn again meanwhile, whose own element stays at (0, 0) for ever."""


def place(thing: Locator) -> tuple[float, float, float, float]:
    """Left, top, width and height on the screen, when it has come to rest."""
    while (found := thing.evaluate(STILL)) is None:
        pass  # the locator finds the new one
    return tuple(found)


def middle(thing: Locator) -> tuple[float, float]:
    """The point of the screen where its middle is, when it has come to rest."""
    x, y, width, height = place(thing)
    return x + width / 2, y + height / 2


FOUND = """
  const hosts = document.querySelectorAll("[data-testid=stBidiComponentIsolated], .av-place");
  const roots = [document, ...[...hosts].flatMap((host) => host.shadowRoot ?? [])];
  const found = (kind) => roots.flatMap((root) => [...root.querySelectorAll(kind)]);
"""
"""`found(selector)`: elements of the page, those of the canvas and its panels too."""

SETTLED = f"""() => {{ {FOUND}
  const still = ({{ pending, due }}) => pending === "0" && due !== "true";
  const parts = found(".canvas, .sliders, .formula");
  return parts.some((one) => one.matches(".canvas")) && parts.every((one) => still(one.dataset))
    && document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
    && !document.querySelector("#av-first"); // the page's shell, before Streamlit has drawn anything
}}"""
"""Whether Python has applied every gesture and the page has been drawn. One question, for `expect` describes
the whole page each time that it finds something else."""

OFTEN, USUAL = 25, 15_000  # milliseconds
PATIENCE = 60_000  # ms for all that is awaited: no test is about time, and who checks has the lowest priority


class LabPage:
    """One visitor's lab page. Every gesture waits until Python has answered it."""

    def __init__(self, page: Page, address: str):
        self.page = page
        self.address = address
        self.canvas = page.locator(".canvas")
        self.tools = page.locator(".workspace, .canvas-tools")  # the canvas, and the toolbars above it

    def open(self, query: str = "") -> LabPage:
        self.page.goto(self.address + query)
        self.canvas.wait_for()
        self.settle()
        return self

    def reload(self) -> None:
        self.page.reload()
        self.canvas.wait_for()
        self.settle()

    def settle(self) -> None:
        """Wait until Python has applied every gesture and the page has been drawn."""
        try:
            self.page.wait_for_function(SETTLED, polling=OFTEN, timeout=USUAL)
        except TimeoutError:
            self._settle_slowly()

    def _settle_slowly(self) -> None:
        """As `settle`, step by step: what does not come is named."""
        expect(self.canvas).to_have_attribute("data-pending", "0")
        waiting = self.page.locator(":is(.sliders, .formula):not([data-pending='0'])")
        expect(waiting).to_have_count(0)
        expect(self.canvas).not_to_have_attribute("data-due", "true")
        app = self.page.get_by_test_id("stApp")
        expect(app).to_have_attribute("data-test-script-state", "notRunning")

    # Reading

    def node(self, name: str) -> Locator:
        return self.canvas.locator(f'[data-id="{name}"]')

    def value(self, name: str) -> Locator:
        return self.node(name).locator(".value")

    def cotangent(self, name: str) -> Locator:
        return self.node(name).locator(".cotangent")

    def wire(self, target: str, slot: int = 0) -> Locator:
        return self.canvas.locator(f'[data-wire="{target}:{slot}"]')

    def region(self, name: str) -> Locator:
        return self.canvas.locator(f'[data-region="{name}"]')

    @property
    def formula(self) -> Locator:
        return self.page.locator(".formula textarea")

    def names(self) -> set[str]:
        nodes = self.canvas.locator("[data-id]")
        return set(nodes.evaluate_all("nodes => nodes.map((node) => node.dataset.id)"))

    def place(self, name: str) -> tuple[float, float]:
        """Where the node stands in the graph, whatever the zoom."""
        found = re.search(
            r"translate\((-?[\d.]+)[ ,]+(-?[\d.]+)\)", self.node(name).get_attribute("transform") or ""
        )
        return float(found[1]), float(found[2])

    # Doing

    def select(self, name: str) -> None:
        self.node(name).locator(".card").click()
        self.settle()

    def select_quickly(self, name: str) -> None:
        """As `select`, without waiting for Python."""
        self.node(name).locator(".card").click()

    def deselect(self) -> None:
        self.canvas.locator(".surface").focus()
        self.press("Escape")

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.settle()

    def button(self, label: str) -> None:
        self.tools.get_by_role("button", name=re.compile(f"^{re.escape(label)}")).click()
        self.settle()

    def tool(self, name: str) -> None:
        """Press a button of the selection's toolbar."""
        self.tools.locator(f".bar.top .tool.{name}").click()
        self.settle()

    def bend(self, kind: str) -> None:
        """Press the button of a kind of rule in the panel of the selected node."""
        self.page.locator(f".rules [data-kind={kind}]").click()
        self.settle()

    def click_fast(self, button: Locator, times: int) -> None:
        """Click a button again and again without waiting for anything."""
        button.evaluate("(button, times) => { for (let i = 0; i < times; i++) button.click(); }", times)
        self.settle()

    def drag(self, start: Locator, end: Locator) -> None:
        """Press on the middle of one thing, release on the middle of another."""
        self.move_mouse(middle(start), middle(end))

    def move_mouse(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=4)
        mouse.move(*end, steps=4)
        mouse.up()
        self.settle()

    def out_port(self, name: str) -> Locator:
        return self.node(name).locator(".out .port")

    def slot_port(self, name: str, slot: int) -> Locator:
        return self.node(name).locator(f'[data-slot="{slot}"] .port')

    def add(self, op: str) -> None:
        """Add an op from the palette: open, search, Enter."""
        self.tools.get_by_role("button", name="Add a node").click()
        self.canvas.get_by_role("combobox", name="Search ops").fill(op)
        self.page.keyboard.press("Enter")
        self.settle()

    def type_formula(self, text: str) -> None:
        self.formula.fill(text)
        self.formula.press("Control+Enter")
        self.settle()

    def drag_by(self, name: str, right: float, down: float) -> None:
        """Drag a node by its card."""
        box = self.node(name).locator(".card").bounding_box()
        start = (box["x"] + 20, box["y"] + box["height"] - 8)
        self.move_mouse(start, (start[0] + right, start[1] + down))

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a select box."""
        box = self.page.get_by_role("combobox", name=label)
        box.scroll_into_view_if_needed()
        self.page.wait_for_timeout(300)  # Streamlit closes a list of options when something scrolls
        box.click()
        options = self.page.locator("[role=option]")  # not those of a <select>
        options.get_by_text(option, exact=True).click()
        expect(options).to_have_count(0)
        self.settle()

    def choose_figure(self, title: str) -> None:
        self.page.get_by_role("tab", name=title, exact=True).click()
        self.settle()

    def open_settings(self) -> None:
        self.page.get_by_test_id("stPopover").get_by_role("button", name="Settings").click()
