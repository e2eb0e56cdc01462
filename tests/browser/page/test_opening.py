"""Hold code back: the lab stands before Streamlit, its picture before the lab, and both keep what is done."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from autodiff_viz.ui.bundle import script
from tests.browser.lab_page import LabPage

CODE = re.compile(r"/static/js/index\..*\.js$")  # Streamlit's own
LAB = re.compile(rf"/{script().path}$")
NEAR = 2  # px by which a picture may be beside what takes its place
SHELL = "#av-first"
PLACES = f"""() => {{
  const round = ({{ x, y, width, height }}) => [x, y, width, height].map((side) => Math.round(side * 2) / 2);
  const found = {{}};
  const note = (name, element) => {{ if (element) found[name] = round(element.getBoundingClientRect()); }};
  for (const place of document.querySelectorAll("[data-place]"))
    if (["bar", "panels", "formula", "sliders", "plots", "asking"].includes(place.dataset.place))
      note(place.dataset.place, (place.shadowRoot?.querySelector(".sliders")
        ?? place.shadowRoot?.lastElementChild));
  const host = document.querySelector("{SHELL} #av-first-canvas, [data-testid=stBidiComponentIsolated]");
  for (const name of [".canvas", ".transport", ".legend"]) note(name, host.shadowRoot.querySelector(name));
  for (const node of host.shadowRoot.querySelectorAll("[data-id]"))
    note(node.dataset.id, node.querySelector(".card"));
  note("logo", document.querySelector("[data-testid=stHeaderLogo]"));
  document.querySelectorAll(".st-key-pages a").forEach((link, at) => note(`link ${{at}}`, link));
  note("title", document.querySelector(".st-key-lesson h2"));
  note("words", document.querySelector(".av-lesson-words"));
  return found;
}}"""
"""Where things stand that a visitor sees, to half a px."""


class Held:
    """A page for which Streamlit's code waits until it is let go."""

    def __init__(self, page: Page, address: str):
        self.page, self.lab = page, LabPage(page, address)
        self.routes: list[Route] = []
        self.labs: list[Route] = []
        self.goes_on = False
        page.route(CODE, lambda route: route.continue_() if self.goes_on else self.routes.append(route))

    def open(self, query: str, pictured: bool = False) -> LabPage:
        """Open an address without Streamlit's code, and without the lab's if it is to be a picture."""
        if pictured:
            self.page.route(LAB, lambda route: self.labs.append(route))
        for _ in range(50):  # a server that has just been started takes longer than a request waits
            if SHELL[1:] in self.page.request.get(self.lab.address + query).text():
                break
        self.page.goto(self.lab.address + query, wait_until="commit")
        expect(self.lab.node("x").locator(".value")).to_be_visible()
        return self.lab

    def build_lab(self) -> None:
        self.page.unroute(LAB)
        for route in self.labs:
            route.continue_()
        expect(self.page.locator(f"{SHELL} .canvas[data-rev]")).to_have_count(1)

    def go_on(self) -> None:
        self.goes_on = True  # what is not asked for yet
        for route in self.routes:
            route.continue_()
        self.routes.clear()
        expect(self.page.locator(SHELL)).to_have_count(0)
        self.lab.settle()


@pytest.fixture
def held(page: Page, address: str) -> Held:
    return Held(page, address)


def test_the_numbers_of_the_first_graph_stand_without_streamlit(held: Held):
    lab = held.open("")
    assert lab.cotangent("x").text_content() == "1.238"  # cos(0.6) * 1.5, by hand
    assert lab.value("z").text_content() == "2.606"  # 1.5 sin(0.6) + exp(sin(0.6))
    expect(lab.formula).to_have_value(re.compile(r"z = b \+ stop_gradient\(exp\(a\)\)"))


def far(one: list[float], other: list[float]) -> bool:
    return any(abs(a - b) > NEAR for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (390, 844)], ids=str)
@pytest.mark.parametrize("query", ["", "?lesson=fork"])
def test_nothing_moves_when_the_lab_and_streamlit_have_come(held: Held, query: str, size: tuple[int, int]):
    held.page.set_viewport_size({"width": size[0], "height": size[1]})
    held.open(query, pictured=True)
    held.page.evaluate("() => document.fonts.ready")
    picture = held.page.evaluate(PLACES)
    held.build_lab()
    before = held.page.evaluate(PLACES)
    assert set(picture) >= {"x", ".canvas", "logo", "link 0"}
    beside = {name: (picture[name], before[name]) for name in picture if far(picture[name], before[name])}
    assert beside == {}
    held.go_on()
    after = held.page.evaluate(PLACES)
    assert {name: after.get(name) for name in before} == before
    assert before["x"] != [0, 0, 0, 0]


@pytest.fixture
def newcomer(browser: Browser, address: str) -> Iterator[Held]:
    """The page of one whose browser has kept nothing of other tests."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000}, reduced_motion="reduce")
    yield Held(context.new_page(), address)
    context.close()


def test_a_picture_has_the_look_that_the_visitor_chose_and_notes_the_lesson(newcomer: Held):
    held = newcomer
    kept = json.dumps([{"large": True, "folded": True}])
    held.page.add_init_script(f"localStorage.setItem('autodiff_viz.1.look', '{kept}')")
    held.open("?lesson=fork", pictured=True)
    visits = held.page.evaluate("() => JSON.parse(localStorage.getItem('autodiff_viz.1.lessons'))")
    assert [visit["key"] for visit in visits] == ["fork"]  # of one who leaves before the lab has come, too
    picture = held.page.evaluate(PLACES)
    held.build_lab()
    before = held.page.evaluate(PLACES)
    assert [name for name in picture if far(picture[name], before[name])] == []
    assert held.page.evaluate("() => document.documentElement.dataset.avType") == "large"


@pytest.mark.parametrize("pictured", [False, True], ids=["lab", "picture"])
def test_what_is_done_early_is_kept_and_done(held: Held, pictured: bool):
    lab = held.open("", pictured)
    if pictured:
        lab.node("b").locator(".card").click()
    else:
        held.build_lab()
        lab.select_quickly("b")
    held.page.keyboard.press("s")
    if pictured:
        held.build_lab()
    held.go_on()
    expect(lab.formula).to_have_value(re.compile(r"b = stop_gradient\(a \* y\)"))
    assert lab.cotangent("y").text_content() == "0"  # y is used in b alone


def test_what_is_being_typed_early_keeps_its_place_and_is_read(held: Held):
    lab = held.open("")
    lab.formula.fill("x = 2.0\ny = square(x)\n")
    held.go_on()
    expect(lab.formula).to_be_focused()
    held.page.keyboard.press("Control+Enter")
    lab.settle()
    assert lab.cotangent("x").text_content() == "4"


def test_what_a_lesson_asks_is_not_in_its_page(held: Held):
    lab = held.open("?lesson=fork")
    assert lab.cotangent("x").text_content() == "?"
    sent = held.page.evaluate("() => JSON.parse(document.getElementById('av-opening').textContent)")
    asked = next(node for node in sent["full"]["nodes"] if node["id"] == "x")
    assert "8" not in str(asked.get("cotangent", ""))
    expect(held.page.locator(".st-key-lesson h2")).to_have_text(re.compile("gradients add or compete"))


def test_a_shell_without_its_code_does_not_cover_the_page(page: Page, address: str):
    other = {"content_type": "text/javascript", "body": "export const nothing = 0;"}
    page.route(LAB, lambda route: route.fulfill(**other))
    page.goto(address, wait_until="commit")
    expect(page.locator(SHELL)).to_have_count(0)
