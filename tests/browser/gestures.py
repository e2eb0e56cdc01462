"""Make random gestures on the lab page, and apply the same edits to a lab in pure Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import reduce
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Error

from autodiff_viz.lab.actions import set_seed
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.persistence.address import from_query
from autodiff_viz.lab.state import Lab
from tests.browser.lab_page import LabPage
from tests.seeds import seeded

LOG = """(() => {
  const found = (globalThis.gestures = []), seen = new Set(), set = Storage.prototype.setItem;
  Storage.prototype.setItem = function (name, text) {
    const [outbox] = name === "autodiff_viz.1.lab" && this === sessionStorage ? JSON.parse(text) : [];
    for (const edit of outbox?.pending ?? []) {
      const id = `${outbox.key} ${edit.seq}`;
      if (!seen.has(id)) found.push(edit);
      seen.add(id);
    }
    return set.call(this, name, text);
  };
})();"""
"""Writes down every edit as the page makes it, whatever becomes of it on its way to Python."""

NODES = """(canvas) => [...canvas.querySelectorAll("[data-id]")].flatMap((node) => {
  const { x, y, width, height } = node.querySelector(".card").getBoundingClientRect();
  const at = [x + width / 2, y + height / 2];
  return node.contains(canvas.getRootNode().elementFromPoint(...at)) ? [[node.dataset.id, ...at]] : [];
})"""
"""Names and places of the nodes that can be clicked."""

PORTS = """(canvas) => {
  const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
  const of = (kind) => [...canvas.querySelectorAll(kind)].map((port) => middle(port.getBoundingClientRect()));
  return [of(".out .port"), of("[data-slot] .port")];
}"""
"""Places of the ports of outputs, and of slots."""

TO_END = "(area, from) => (area.focus(), area.setSelectionRange(from ?? 1e6, 1e6))"

KEYS = ["s", "r", "p", "b", "m", "o", "c", "g", "Delete", "l", "Control+d", "Alt+ArrowRight", "Alt+ArrowDown"]
BACK = ["Control+z", "Control+z", "Control+Shift+z"]
OPS = ["sin", "mul", "exp", "add", "tanh", "input", "max"]
LINES = ["w = x * 2.0", "# a note", "w = sin(", "u = stop_gradient(x) + 1.0", "x2 = 3.0"]
WHOLE = "x = 0.6\ny = 1.5\nb = sin(x) * y\nz = b + x"


class Gestures:
    """A hand that does anything at random, mostly without waiting for the page."""

    def __init__(self, lab: LabPage, seed: int):
        self.lab, self.page = lab, lab.page
        self.rng = random.Random(seeded(seed))
        self.widgets: list[tuple[int, Callable[[Lab], Lab]]] = []
        """What widgets of Streamlit's own answered, and after how many edits."""

    def do(self, count: int) -> None:
        often = [self.click, self.key, self.key, self.back, self.add, self.move, self.wire, self.slide]
        seldom = [self.type, self.rename, self.rename, self.seed, self.rule]
        for _ in range(count):
            self.rng.choice([*often, *often, *seldom])()
            if self.rng.random() < 0.1:
                self.lab.settle()
        self.focus()
        self.lab.settle()
        self.page.wait_for_timeout(500)  # the formula sends what was typed after a pause
        self.lab.settle()

    def nodes(self) -> list[list[Any]]:
        return self.lab.canvas.evaluate(NODES)

    def click(self) -> None:
        """One node, or some."""
        found = self.nodes()
        for i in range(self.rng.choice([1, 1, 2]) if found else 0):
            _, x, y = self.rng.choice(found)
            held = "Shift" if i else None
            if held:
                self.page.keyboard.down(held)
            self.page.mouse.click(x, y)
            if held:
                self.page.keyboard.up(held)

    def focus(self) -> None:
        self.page.keyboard.press("Escape")
        self.lab.canvas.locator(".surface").evaluate("(it) => it.focus({ preventScroll: true })")

    def key(self) -> None:
        """What is done to the selected nodes by keys."""
        self.click()
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            self.page.keyboard.press(self.rng.choice(KEYS))

    def back(self) -> None:
        self.focus()
        for _ in range(self.rng.choice([1, 2, 4])):
            self.page.keyboard.press(self.rng.choice(BACK))

    def add(self) -> None:
        self.focus()
        for _ in range(self.rng.choice([1, 1, 2])):
            self.page.keyboard.press("/")
            self.page.keyboard.type(self.rng.choice(OPS))
            self.page.keyboard.press("Enter")

    def drag(self, start: list[float], end: list[float]) -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=3)
        self.page.mouse.up()
        self.page.keyboard.press("Escape")

    def move(self) -> None:
        for _, x, y in self.nodes()[:1] if self.rng.random() < 0.5 else self.nodes()[-1:]:
            self.drag([x, y], [x + self.rng.randint(-80, 80), y + self.rng.randint(-60, 60)])

    def wire(self) -> None:
        outs, slots = self.lab.canvas.evaluate(PORTS)
        if outs and slots:
            self.drag(self.rng.choice(outs), self.rng.choice(slots))

    def slide(self) -> None:
        sliders = self.page.locator(".sliders input[type=range]")
        count = sliders.count()
        if count and self.can(lambda: sliders.nth(self.rng.randrange(count)).focus(timeout=1_000)):
            for _ in range(self.rng.choice([1, 3])):
                self.page.keyboard.press(self.rng.choice(["ArrowLeft", "ArrowRight"]))

    def type(self) -> None:
        """Something more, or all anew; sent at once or when the editor sends it."""
        area, anew = self.lab.formula, self.rng.random() < 0.5
        area.evaluate(
            "(area, from) => (area.focus(), area.setSelectionRange(from ?? 1e6, 1e6))", 0 if anew else None
        )
        self.page.keyboard.insert_text(WHOLE if anew else f"\n{self.rng.choice(LINES)}")
        self.page.keyboard.press(self.rng.choice(["Control+Enter", "ArrowUp"]))

    def rename(self) -> None:
        self.click()
        self.page.keyboard.press("F2")
        self.page.keyboard.type(f"n{self.rng.randrange(99)}")
        self.page.keyboard.press("Enter")
        self.focus()

    def can(self, gesture: Callable[[], Any]) -> bool:
        """Do it, unless what it is about has gone meanwhile."""
        try:
            gesture()
        except Error:
            return False
        return True

    def answer(self, action: Callable[[Lab], Lab]) -> None:
        self.widgets.append((len(self.edits), action))

    def seed(self) -> None:
        """Typed into its box among the settings, which answers on Enter."""
        settings = self.page.get_by_test_id("stPopover").get_by_role("button", name="Settings")
        self.can(lambda: settings.click(timeout=2_000))
        box, number = (
            self.page.get_by_role("spinbutton", name="Seed cotangent"),
            self.rng.choice([2.0, 0.5, -1.0]),
        )
        if box.count() and self.can(lambda: box.fill(str(number), timeout=2_000)):
            self.answer(lambda lab: set_seed(lab, number))
            self.page.keyboard.press("Enter")
        self.can(lambda: settings.click(timeout=2_000))

    def rule(self) -> None:
        """Of the node that the inspector shows."""
        buttons = self.page.get_by_role("toolbar", name="Rule").get_by_role("button")
        if buttons.count():
            self.can(lambda: buttons.nth(self.rng.randrange(3)).click(timeout=2_000))

    @property
    def edits(self) -> list[dict[str, Any]]:
        """All edits that the page has sent, in the order in which they were made."""
        return self.page.evaluate("gestures")

    def expected(self, lab: Lab) -> Lab:
        """What all of it, one after the other, makes of `lab`."""
        for i, edit in enumerate([*self.edits, None]):
            lab = reduce(lambda now, action: action(now), [do for at, do in self.widgets if at == i], lab)
            lab = lab if edit is None else edited(lab, edit)
        return lab


def addressed(lab: LabPage) -> Lab:
    """What the page's address says."""
    parameters = parse_qs(urlsplit(lab.page.url).query)
    return from_query({key: values[-1] for key, values in parameters.items()})
