"""Test the panels round the canvas, themes and small screens."""

from __future__ import annotations

import math
import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.lab.state import start
from tests.browser.conftest import watched
from tests.browser.lab_page import DRAWN, LabPage, four_digits, saying

pytestmark = pytest.mark.shared_page
WITHOUT_PLOTS = pytest.mark.shared_page(plots=False)


@WITHOUT_PLOTS
def test_a_step_of_the_slider_changes_value_and_cotangent(lab: LabPage):
    slider = lab.page.get_by_role("slider", name="Slider of x")
    slider.focus()
    lab.page.keyboard.press("ArrowRight")
    expect(lab.value("x")).to_have_text("0.61")  # a thousandth of -5 to 5
    expect(lab.value("a")).to_have_text(four_digits(math.sin(0.61)))
    expect(lab.cotangent("x")).to_have_text(four_digits(1.5 * math.cos(0.61)))


@WITHOUT_PLOTS
def test_many_steps_of_a_slider_end_where_the_last_one_does(lab: LabPage):
    lab.page.get_by_role("slider", name="Slider of x").focus()
    for _ in range(10):
        lab.page.keyboard.press("ArrowRight")
    expect(lab.value("x")).to_have_text("0.7")
    expect(lab.cotangent("x")).to_have_text(four_digits(1.5 * math.cos(0.7)))


@WITHOUT_PLOTS
def test_a_slider_dragged_twice_is_two_steps_of_undo(lab: LabPage):
    box = lab.page.get_by_role("slider", name="Slider of x").bounding_box()
    middle = box["y"] + box["height"] / 2
    at = [box["x"] + box["width"] * part for part in (0.56, 0.7, 0.2)]
    lab.move_mouse((at[0], middle), (at[1], middle))
    first = lab.value("x").text_content()
    lab.move_mouse((at[1], middle), (at[2], middle))
    expect(lab.value("x")).not_to_have_text(first)
    lab.button("Undo")
    expect(lab.value("x")).to_have_text(first)
    lab.button("Undo")
    expect(lab.value("x")).to_have_text("0.6")


@WITHOUT_PLOTS
def test_a_number_typed_in_the_box_moves_the_slider_beyond_its_end(lab: LabPage):
    box = lab.page.get_by_role("spinbutton", name="Value of y")
    box.fill("40")
    box.press("Enter")
    lab.settle()
    expect(lab.value("y")).to_have_text("40")
    expect(lab.page.get_by_role("slider", name="Slider of y")).to_have_attribute("max", "40")
    box.press("ArrowDown")
    lab.settle()
    expect(lab.value("y")).not_to_have_text("40")


@WITHOUT_PLOTS
def test_what_is_no_number_is_marked_in_its_box_and_goes_nowhere(lab: LabPage):
    box = lab.page.get_by_role("spinbutton", name="Value of x")
    box.fill("six")
    box.press("Enter")
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(lab.value("x")).to_have_text("0.6")
    box.press("Escape")
    expect(box).to_have_value("0.6")
    expect(box).not_to_have_attribute("aria-invalid", "true")


@WITHOUT_PLOTS
def test_the_seed_scales_every_cotangent(lab: LabPage):
    lab.open_settings()
    box = lab.page.get_by_role("spinbutton", name="Seed cotangent")
    box.fill("-2")
    box.press("Enter")
    expect(lab.cotangent("z")).to_have_text(four_digits(-2))
    expect(lab.cotangent("x")).to_have_text(four_digits(-3 * math.cos(0.6)))


@WITHOUT_PLOTS
def test_the_inspector_shows_the_equation_of_the_selected_node(lab: LabPage):
    lab.select("b")
    expect(lab.page.get_by_text("Arriving cotangent")).to_be_visible()
    expect(lab.page.locator(".inspector math").first).to_be_visible()
    expect(lab.page.locator(".katex-error")).to_have_count(0)


@WITHOUT_PLOTS
def test_an_independent_check_stands_beside_the_numbers(lab: LabPage):
    expect(lab.page.get_by_text("Gradients agree")).to_be_visible()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("title", [spec.title for spec in FIGURES.values() if spec.fits(start().graph)])
def test_every_figure_is_drawn(lab: LabPage, title: str):
    lab.choose_figure(title)
    # The first one has Plotly to load, and its sweep to compile.
    expect(lab.page.locator(DRAWN).first).to_be_visible()
    expect(lab.page.get_by_test_id("stException")).to_have_count(0)


SLOPE_OF_TANGENT = """(plot) => {
  const { xaxis, yaxis } = plot._fullLayout;
  const ends = plot.querySelector(".sweep-follow path.declared").getAttribute("d").match(/-?[0-9.]+/g);
  const [x, y, right, foot] = ends.map(Number);
  const unit = ({ range, _length }) => (range[1] - range[0]) / _length;
  return ((y - foot) * unit(yaxis)) / ((right - x) * unit(xaxis));
}"""
"""Of the line that is drawn while the marker is dragged, in units of the axes."""


@pytest.mark.nightly
def test_the_marker_of_the_sweep_is_dragged_and_a_click_puts_it_elsewhere(lab: LabPage):
    lab.deselect()
    lab.choose_figure(FIGURES["sweep"].title)
    lab.page.locator(".st-key-figure_place").scroll_into_view_if_needed()
    plot = lab.page.locator(".js-plotly-plot").first
    expect(plot.locator(".main-svg").first).to_be_visible()
    box = plot.bounding_box()
    axis = plot.evaluate("({_fullLayout: {xaxis: a}}) => ({at: a._offset, long: a._length, low: a.range[0]})")
    assert axis["low"] == -5  # the slider's own end
    at = [box["x"] + axis["at"] + axis["long"] * (x + 5) / 10 for x in (0.6, 2.0, -1.0)]
    y = box["y"] + 90  # in the upper panel: the dock shows no more of a tall figure
    lab.page.mouse.move(at[0], y)
    lab.page.mouse.down()
    for x in (2.9, 2.0):
        lab.page.mouse.move(box["x"] + axis["at"] + axis["long"] * (x + 5) / 10, y, steps=4)
    expect(lab.value("a")).to_have_text(saying(four_digits(math.sin(2.0))))
    expect(lab.formula).to_have_value(saying("x = 2.0\n"))
    expect(lab.page.get_by_role("spinbutton", name="Value of x")).to_have_value("2")
    words = lab.page.locator(".st-key-figure_panel .av-told")
    for number in (1.5 * math.sin(2.0) + math.exp(math.sin(2.0)), 1.5 * math.cos(2.0)):
        expect(words).to_contain_text(four_digits(number))
    slope = plot.evaluate(SLOPE_OF_TANGENT)
    assert slope == pytest.approx(1.5 * math.cos(2.0), rel=1e-3)  # exp(a) is stopped
    note = "inspector => getComputedStyle(inspector, '::after').content"
    assert lab.page.locator(".inspector").evaluate(note) == "none"  # no node: nothing there is old
    lab.page.mouse.up()
    lab.settle()
    expect(lab.value("a")).to_have_text(four_digits(math.sin(2.0)))
    expect(plot.locator(".sweep-follow")).to_have_count(0)
    expect(words).to_contain_text(four_digits(1.5 * math.cos(2.0)))
    lab.page.mouse.click(at[2], y)
    lab.settle()
    expect(lab.value("a")).to_have_text(four_digits(math.sin(-1.0)))
    lab.button("Undo")
    expect(lab.value("a")).to_have_text(four_digits(math.sin(2.0)))


SAID_OVER = "(part) => getComputedStyle(part, '::after').content"
BARS = """(figure) => {
  const { range: [low, high] } = JSON.parse(figure.dataset.moving);
  return [...figure.querySelectorAll("[role=listitem]")].map((row) => {
    const [lane, bar] = [".av-lane", ".av-bar"].map((one) => row.querySelector(one).getBoundingClientRect());
    const value = (x) => low + ((x - lane.left) / lane.width) * (high - low);
    return [row.querySelector(".av-name").textContent, row.querySelector(".av-words").textContent,
      value(bar.left), value(bar.right)];
  });
}"""
"""(name, words, ends in units of the axis) of each bar; the axis is as long as Python has drawn it."""


def test_the_bars_of_cotangents_follow_a_dragged_slider(lab: LabPage):
    """z = x sin x, so x cos x and sin x arrive at x, and x at a; at 0.6 they are 0.4952, 0.5646 and 0.6."""
    lab.type_formula("x = 0.6\na = sin(x)\nz = a * x")
    lab.choose_figure(FIGURES["cotangents"].title)
    plot = lab.page.locator(".st-key-figure_place .av-bars")
    expect(plot.get_by_text("0.4952")).to_be_visible()
    line = lab.page.get_by_role("slider", name="Slider of x")
    line.hover()
    expect(lab.canvas).to_have_attribute("data-tables", "x")
    lab.settle()
    at = line.bounding_box()
    lab.page.mouse.down()
    for part in (0.53, 0.555):
        lab.page.mouse.move(at["x"] + part * at["width"], at["y"] + at["height"] / 2)
        lab.page.evaluate("() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
        x = float(lab.page.get_by_role("spinbutton", name="Value of x").input_value())
        sine, through = math.sin(x), x * math.cos(x)
        wanted = {"a": [(through, 0, through), (x, 0, x)], "z": [(sine, through, through + sine), (1, 0, 1)]}
        wanted |= {"x": [(through + sine, 0, through + sine)]}
        bars = plot.evaluate(BARS)
        assert lab.page.locator(".st-key-part_figure").evaluate(SAID_OVER) == "none"
        assert len(bars) == 5
        for name, words, left, right in bars:
            number, start, end = wanted[name.strip().removeprefix("+").strip()].pop(0)
            assert four_digits(number) in words
            assert (left, right) == pytest.approx((start, end), abs=0.02)
    lab.page.mouse.up()
    lab.settle()
    expect(plot).not_to_have_class(saying("bars-follow"))
    x = float(lab.page.get_by_role("spinbutton", name="Value of x").input_value())  # no longer a position
    expect(plot.get_by_text(four_digits(x * math.cos(x)))).to_be_visible()


def test_reset_leads_back_to_the_first_graph(lab: LabPage):
    lab.type_formula("p = 3.0\nq = p * p")
    expect(lab.value("q")).to_have_text("9")
    lab.open_settings()
    lab.page.locator(".st-key-reset").get_by_role("button").click()
    expect(lab.value("a")).to_have_text(four_digits(math.sin(0.6)))


@pytest.mark.parametrize("path", ["/", "/lessons"])
def test_a_phone_shows_the_page_without_sideways_scrolling_in_either_theme(
    phone_context: BrowserContext, address: str, path: str
):
    page = phone_context.new_page()
    abroad, said = watched(page)
    page.goto(address + path)
    ready = page.locator(".canvas [data-id]" if path == "/" else "a.open")
    expect(ready.first).to_be_visible()
    app = page.get_by_test_id("stApp")
    if path == "/":
        expect(app).to_have_attribute("data-test-script-state", "notRunning")
    wide = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        if path == "/":
            expect(app).to_have_css("color-scheme", scheme)
        wide[scheme] = page.evaluate(WIDER_THAN_THE_PAGE)
    page.close()
    assert wide == {"light": [], "dark": []}
    assert (abroad, said) == ([], [])


WIDER_THAN_THE_PAGE = """() => {
  const whole = [document.documentElement, document.body, document.querySelector('[data-testid="stMain"]')];
  const wide = whole.filter((e) => e && e.scrollWidth > e.clientWidth + 1);
  return wide.map((e) => `${e.tagName} ${e.scrollWidth} > ${e.clientWidth}`);
}"""


def test_a_tap_selects_a_node_on_a_phone(phone: LabPage):
    phone.press("Escape")
    phone.node("x").locator(".card").tap()
    phone.settle()
    expect(phone.node("x")).to_have_class(re.compile("selected"))


def test_the_dark_theme_has_light_letters_on_a_dark_canvas(page: Page, address: str):
    page.emulate_media(color_scheme="dark")
    LabPage(page, address).open()
    letters, page = (brightness(page, place) for place in (".canvas .node .value", '[data-testid="stApp"]'))
    assert letters > 120
    assert page < 60


def brightness(page: Page, place: str) -> float:
    """0 to 255: of the letters (fill) of SVG text, of the background of anything else."""
    script = """(e) => {
      const style = getComputedStyle(e), paint = document.createElement("canvas").getContext("2d");
      paint.fillStyle = e instanceof SVGElement ? style.fill : style.backgroundColor;
      paint.fillRect(0, 0, 1, 1);
      const [r, g, b] = paint.getImageData(0, 0, 1, 1).data;
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    }"""
    return page.locator(place).first.evaluate(script)
