"""Random gestures on the lab page, and the pure-Python lab that the same edits lead to."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import reduce
from typing import Any

from playwright.sync_api import Error, expect

from autodiff_viz.language.parse import parse_literal
from autodiff_viz.views.actions import set_input, set_rule, set_seed, typed
from autodiff_viz.views.canvas_edits import edited
from autodiff_viz.views.lab import Lab
from tests.browser.lab_page import LabPage

LOG = """(() => {
  const found = (globalThis.gestures = []), seen = new Set(), set = Storage.prototype.setItem;
  Storage.prototype.setItem = function (name, text) {
    const component = /^autodiff_viz\\.1\\.(canvas|formula|sliders)$/.exec(name)?.[1];
    const [outbox] = component && this === sessionStorage ? JSON.parse(text) : [];
    for (const edit of outbox?.pending ?? []) {
      const id = `${outbox.key} ${component} ${edit.seq}`;
      if (!seen.has(id)) found.push([component, edit]);
      seen.add(id);
    }
    return set.call(this, name, text);
  };
})();"""
"""Writes down every edit as the page makes it, whatever becomes of it on its way to Python."""

NODES = """(canvas) => [...canvas.querySelectorAll("[data-id]")].flatMap((node) => {
  const { x, y, width, height } = node.querySelector(".card").getBoundingClientRect();
  const at = [x + width / 2, y + height / 2];
  const top = canvas.getRootNode().elementFromPoint(...at);
  return node.contains(top) ? [[node.dataset.id, ...at]] : [];
})"""
"""Names and places of the nodes that can be clicked."""

KEYS = ["s", "r", "p", "b", "m", "o", "c", "Delete", "l", "Control+d", "Alt+ArrowRight", "Alt+ArrowDown"]
BACK = ["Control+z", "Control+z", "Control+Shift+z"]
OPS = ["sin", "mul", "exp", "add", "tanh", "input", "max"]
LINES = ["w = x * 2.0", "# a note", "w = sin(", "u = stop_gradient(x) + 1.0", "x2 = 3.0"]


class Gestures:
    """A hand that does anything at random, sometimes much faster than the page answers."""

    def __init__(self, lab: LabPage, seed: int):
        self.lab, self.page = lab, lab.page
        self.rng = random.Random(seed)
        self.widgets: list[tuple[int, Callable[[Lab], Lab]]] = []

    def do(self, count: int) -> None:
        for _ in range(count):
            self.one()
            if self.rng.random() < 0.15:
                self.lab.settle()

    def one(self) -> None:
        kinds = [
            self.click,
            self.key,
            self.key,
            self.back,
            self.add,
            self.drag,
            self.slide,
            self.type,
            self.rename,
        ]
        widgets = [self.seed, self.precision, self.rule]
        self.rng.choice([*kinds * 3, *widgets])()

    def nodes(self) -> list[list[Any]]:
        return self.lab.canvas.evaluate(NODES)

    def click(self) -> None:
        found = self.nodes()
        if not found:
            return
        for _ in range(self.rng.choice([1, 1, 2])):
            _, x, y = self.rng.choice(found)
            if self.rng.random() < 0.3:
                self.page.keyboard.down("Shift")
            self.page.mouse.click(x, y)
            self.page.keyboard.up("Shift")

    def focus(self) -> None:
        self.page.keyboard.press("Escape")
        self.lab.canvas.locator(".surface").evaluate("(surface) => surface.focus({ preventScroll: true })")

    def key(self) -> None:
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

    def drag(self) -> None:
        """A node to another place, or a wire from a port to a slot."""
        found = self.nodes()
        if not found:
            return
        name, x, y = self.rng.choice(found)
        end = (x + self.rng.randint(-80, 80), y + self.rng.randint(-60, 60))
        port = self.lab.out_port(name)
        slots = self.lab.canvas.locator("[data-slot] .port")
        if self.rng.random() < 0.5 and slots.count() and port.count():
            box, slot = port.bounding_box(), slots.nth(self.rng.randrange(slots.count())).bounding_box()
            if not box or not slot:
                return
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            end = (slot["x"] + slot["width"] / 2, slot["y"] + slot["height"] / 2)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=3)
        self.page.mouse.up()
        self.page.keyboard.press("Escape")

    def slide(self) -> None:
        sliders = self.page.locator(".sliders input[type=range]")
        if not sliders.count():
            return
        slider = sliders.nth(self.rng.randrange(sliders.count()))
        if self.quietly(lambda: slider.evaluate("(slider) => slider.focus()")):
            for _ in range(self.rng.choice([1, 3])):
                self.page.keyboard.press(self.rng.choice(["ArrowLeft", "ArrowRight"]))

    def type(self) -> None:
        area = self.lab.formula
        area.evaluate(
            "(area) => (area.focus(), area.setSelectionRange(area.value.length, area.value.length))"
        )
        self.page.keyboard.insert_text(f"\n{self.rng.choice(LINES)}")
        self.page.keyboard.press(self.rng.choice(["Control+Enter", "ArrowUp"]))
        if self.rng.random() < 0.5:
            drop = self.page.locator(".st-key-drop button")
            area.evaluate("(area) => (area.select())")
            self.page.keyboard.insert_text("x = 0.6\ny = 1.5\nb = sin(x) * y\nz = b + x")
            self.page.keyboard.press("Control+Enter")
            assert drop is not None

    def rename(self) -> None:
        self.click()
        self.page.keyboard.press("F2")
        self.page.keyboard.type(f"n{self.rng.randrange(99)}")
        self.page.keyboard.press("Enter")
        self.focus()

    def quietly(self, gesture: Callable[[], Any]) -> bool:
        """Whether it could be done: what it is about may have gone meanwhile."""
        try:
            gesture()
            return True
        except Error:
            return False

    def answer(self, action: Callable[[Lab], Lab]) -> None:
        """A widget is about to answer: after the edits so far."""
        self.widgets.append((len(self.edits()), action))

    def seed(self) -> None:
        box = self.page.get_by_role("spinbutton", name="Seed cotangent")
        if not box.count():
            return
        number = self.rng.choice([1.0, 2.0, 0.5, -1.0])
        box.fill(str(number), timeout=2_000)
        self.answer(lambda lab: set_seed(lab, number))
        self.page.keyboard.press("Enter")

    def precision(self) -> None:
        pass

    def rule(self) -> None:
        """In the inspector, of the node that it shows."""
        self.lab.settle()
        title = self.page.locator(".st-key-inspector h2 code")
        rules = self.page.locator(".st-key-inspector").get_by_test_id("stButtonGroup").get_by_role("button")
        if not title.count() or not rules.count():
            return
        name, kinds = title.inner_text(), ["follow", "stop", "rewrite"]
        i = self.rng.randrange(3)
        self.answer(lambda lab: set_rule(lab, name, kinds[i]) if name in lab.graph else lab)
        if not self.quietly(lambda: rules.nth(i).click(timeout=1_000)):
            self.widgets.pop()

    # The model

    def edits(self) -> list[Any]:
        return self.page.evaluate("gestures")

    def expected(self, lab: Lab) -> Lab:
        """What all edits, one after the other, make of `lab`."""
        edits = self.edits()
        for i, edit in enumerate([*edits, None]):
            lab = reduce(lambda now, action: action(now), [a for at, a in self.widgets if at == i], lab)
            if edit is not None:
                lab = applied(lab, *edit)
        return lab


def applied(lab: Lab, component: str, edit: dict[str, Any]) -> Lab:
    """One edit of the page, as its component's own callback does it."""
    if component == "canvas":
        return edited(lab, edit)
    if component == "formula":
        return typed(lab, edit["text"], edit["fresh"])
    name = edit["name"]
    return set_input(lab, name, float(edit["value"]), edit["fresh"]) if name in lab.graph else lab


__all__ = ["LOG", "Gestures", "applied", "expect", "json", "parse_literal"]
