"""Test a slider dragged while no answer of Python comes back: the canvas shows every number all the same,
and each is right for the position that the slider's box shows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.conftest import Noticed, in_first_state, watched
from tests.browser.lab_page import MINUS, LabPage, four_digits
from tests.browser.shared_page import SharedPage
from tests.browser.wire import Wire

Y = 1.5  # and x = 0.6, a = sin(x), b = a * y, z = b + stop(exp(a))


NUMBER = rf"{MINUS}?[\d.]+(?:e{MINUS}?\d+)?"

Pages = tuple[SharedPage, list[Wire]]


@pytest.fixture(scope="module")
def pages(context: BrowserContext, address: str) -> Iterator[Pages]:
    """The page of this file, and the connections of its pages: the last one is that of the page on view."""
    wires: list[Wire] = []

    def routed(page: Page) -> Noticed:
        wires.append(Wire(page))
        return watched(page)

    shared = SharedPage(context, address, routed, plots=False)
    yield shared, wires
    shared.close()


@pytest.fixture
def lab(pages: Pages) -> Iterator[LabPage]:
    yield from in_first_state(pages[0])


@pytest.fixture
def wire(lab: LabPage, pages: Pages) -> Wire:
    return pages[1][-1]


def slider(lab: LabPage, name: str) -> Locator:
    return lab.page.get_by_role("slider", name=f"Slider of {name}")


def box(lab: LabPage, name: str) -> Locator:
    return lab.page.get_by_role("spinbutton", name=f"Value of {name}")


def number(text: str | None) -> float:
    return float((text or "").replace(MINUS, "-").strip().replace("\u221e", "inf"))


def near(lab: LabPage, name: str) -> None:
    """Move the mouse to the slider, and wait until the numbers for it are there."""
    lab.settle()
    slider(lab, name).hover()
    expect(lab.canvas).to_have_attribute("data-tables", re.compile(rf"\b{name}\b"))
    lab.settle()


def positions(lab: LabPage, name: str, parts: list[float]) -> Iterator[float]:
    """Drag the slider's thumb to these parts of its line; gives what the box says at each."""
    line = slider(lab, name).bounding_box()
    middle = line["y"] + line["height"] / 2
    for part in parts:
        lab.page.mouse.move(line["x"] + line["width"] * part, middle)
        lab.page.evaluate(
            "() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))"
        )
        yield number(box(lab, name).input_value())


def press(lab: LabPage, name: str, part: float) -> None:
    line = slider(lab, name).bounding_box()
    lab.page.mouse.move(line["x"] + line["width"] * part, line["y"] + line["height"] / 2)
    lab.page.mouse.down()


@pytest.mark.nightly
def test_tangents_follow_the_slider_too_while_the_server_does_not_answer(lab: LabPage, wire: Wire):
    """z = y sin x + stop(e^sin x): the tangent of x is 1, so that of z is y cos x, as the cotangent of x."""
    lab.canvas.locator(".surface").focus()
    lab.press("j")
    near(lab, "x")
    with wire.hold():
        sent = wire.sent
        press(lab, "x", 0.56)
        for x in positions(lab, "x", [0.7, 0.9, 0.2]):
            for name, expected in (("a", math.cos(x)), ("b", Y * math.cos(x)), ("z", Y * math.cos(x))):
                tangent = lab.node(name).locator(".number.tangent")
                assert number(tangent.text_content()) == pytest.approx(expected, rel=6e-4, abs=1e-6)
            assert number(lab.value("a").text_content()) == pytest.approx(math.sin(x), rel=6e-4)
            assert number(lab.cotangent("x").text_content()) == pytest.approx(Y * math.cos(x), rel=6e-4)
        assert wire.sent == sent
        lab.page.mouse.up()


def in_the_wire(about: Locator) -> dict[str, list[float]]:
    """The numbers of a wire's popover, by their terms."""
    lines = about.locator("dl").evaluate(
        "(list) => [...list.querySelectorAll('dt')]"
        ".map((term) => [term, term.nextSibling].map(({ textContent }) => textContent))"
    )
    return {term: [number(one) for one in re.findall(NUMBER, says)] for term, says in lines}


def test_a_wires_popover_follows_the_slider_while_the_server_is_silent(lab: LabPage, wire: Wire):
    """z = x sin x: JAX passes x cos x to x through the sine, and sin x through the product."""
    lab.type_formula("x = 1.0\na = sin(x)\nz = a * x")
    lab.wire("a").locator(".hit").click(force=True)
    about = lab.canvas.get_by_role("dialog", name="Wire")
    expect(about).to_contain_text("Local \u00d7 arriving")
    near(lab, "x")
    with wire.hold():
        sent = wire.sent
        press(lab, "x", 0.6)
        for x in positions(lab, "x", [0.62, 0.8, 0.3]):
            _, pull_back = jax.vjp(lambda a, x: a * x, jnp.sin(x), jnp.float32(x))
            arriving, beside = map(float, pull_back(jnp.float32(1)))
            (through,) = map(float, jax.vjp(jnp.sin, jnp.float32(x))[1](jnp.float32(arriving)))
            share = [through, through + beside]
            said = in_the_wire(about)
            assert said["Forward"] == pytest.approx([x], rel=5e-4)
            assert said["Arrives at a"] == pytest.approx([arriving], rel=5e-4)
            assert said["Local \u00d7 arriving"] == pytest.approx(
                [math.cos(x), x, x * math.cos(x)], rel=2e-5, abs=1e-6
            )
            assert said["Share at x"][:2] == pytest.approx(share, rel=5e-3, abs=1e-6)
            percent = said["Share at x"][2:-1]  # the last is the number of wires
            assert percent == (
                [pytest.approx(100 * through / sum(share[1:]), abs=0.51)] if through * beside > 0 else []
            )
        assert wire.sent == sent
        lab.page.mouse.up()
    lab.settle()
    exact = number(box(lab, "x").input_value())
    assert in_the_wire(about)["Local \u00d7 arriving"] == pytest.approx(
        [math.cos(exact), exact, exact * math.cos(exact)], rel=2e-5, abs=1e-6
    )


def test_every_number_follows_the_slider_while_the_server_is_silent(lab: LabPage, wire: Wire):
    near(lab, "x")
    with wire.hold():
        sent = wire.sent
        press(lab, "x", 0.56)
        shown = []
        for x in positions(lab, "x", [0.6, 0.7, 0.8, 0.9, 0.3, 0.1]):
            a = math.sin(x)
            assert number(lab.value("x").text_content()) == pytest.approx(x, rel=5e-4)
            for found, expected in [
                (lab.value("a"), a),
                (lab.value("b"), a * Y),
                (lab.value("exp_1"), math.exp(a)),
                (lab.value("z"), a * Y + math.exp(a)),
                (lab.cotangent("x"), Y * math.cos(x)),
                (lab.cotangent("y"), a),
            ]:
                assert number(found.text_content()) == pytest.approx(expected, rel=6e-4, abs=1e-6)
            shown.append(x)
        assert len(set(shown)) == 6
        assert wire.sent == sent
        lab.page.mouse.up()
    lab.settle()
    exact = number(box(lab, "x").input_value())
    expect(lab.value("a")).to_have_text(four_digits(math.sin(exact)))
    expect(lab.cotangent("x")).to_have_text(four_digits(Y * math.cos(exact)))
    expect(lab.canvas).not_to_have_attribute("data-scrub", re.compile("x"))


def test_a_wire_turns_its_colour_and_its_number_with_the_sign(lab: LabPage, wire: Wire):
    near(lab, "x")
    into_sin = lab.wire("a")
    assert "positive" in (into_sin.get_attribute("class") or "")
    with wire.hold():
        press(lab, "x", 0.56)
        (x,) = positions(lab, "x", [0.75])
        assert math.cos(x) < 0
        assert "negative" in (into_sin.get_attribute("class") or "")
        lab.page.mouse.up()
    lab.settle()


def test_a_drag_is_one_step_of_undo_and_one_message(lab: LabPage, wire: Wire):
    near(lab, "x")
    sent = wire.sent
    press(lab, "x", 0.56)
    list(positions(lab, "x", [0.6, 0.65, 0.7, 0.75, 0.8]))
    assert wire.sent == sent
    lab.page.mouse.up()
    lab.settle()
    lab.button("Undo")
    expect(lab.value("x")).to_have_text("0.6")
    expect(lab.value("a")).to_have_text(four_digits(math.sin(0.6)))


def test_after_the_release_the_numbers_are_pythons_own(lab: LabPage, wire: Wire):
    near(lab, "x")
    press(lab, "x", 0.56)
    list(positions(lab, "x", [0.8, 0.9]))
    lab.page.mouse.up()
    lab.settle()
    after = number(box(lab, "x").input_value())
    expect(lab.value("a")).to_have_text(four_digits(math.sin(after)))
    assert lab.value("a").text_content() == four_digits(math.sin(after))  # no spaces are left either


def test_after_another_edit_the_old_numbers_are_never_shown(lab: LabPage, wire: Wire):
    near(lab, "x")
    lab.select("a")
    lab.press("s")
    near(lab, "x")
    with wire.hold():
        press(lab, "x", 0.56)
        (x,) = positions(lab, "x", [0.8])
        assert number(lab.value("a").text_content()) == pytest.approx(math.sin(x), rel=6e-4)
        assert lab.cotangent("x").text_content() == "0"
        lab.page.mouse.up()
    lab.settle()


def test_nan_and_infinity_are_shown_as_such(lab: LabPage, wire: Wire):
    lab.type_formula("x = 1.0\ny = log(x)")
    near(lab, "x")
    with wire.hold():
        press(lab, "x", 0.6)
        said = [(x, lab.value("y").text_content()) for x in positions(lab, "x", [0.3, 0.5])]
        assert said[0][1] == "NaN"
        assert said[1] == (0.0, f"{MINUS}\u221e")
        lab.page.mouse.up()
    lab.settle()


def tick(lab: LabPage) -> Locator:
    return lab.page.locator(".checks").get_by_text("Gradients agree")


def said_over_node(lab: LabPage) -> str:
    """What is written over the numbers of the selected node; "none" for nothing."""
    return lab.page.locator(".inspector").evaluate("(panel) => getComputedStyle(panel, '::after').content")


def told(lab: LabPage) -> str | None:
    """The value of the selected node, as its panel says it."""
    return lab.page.locator(".inspector .value dd").text_content()


def product(lab: LabPage) -> list[float]:
    """The numbers of "local x arriving = passed" in the first row of the panel."""
    text = lab.page.locator(".inspector .wires li").first.locator(".terms").text_content()
    return [number(part.strip(" ()")) for part in re.split("[×=]", text or "")]


def written(lab: LabPage, name: str) -> float:
    """The number that stands for an input in the formula."""
    return float(re.search(rf"^{name} = ([-+.\de]+)$", lab.formula.input_value(), re.MULTILINE)[1])


def test_while_a_slider_is_held_what_lags_behind_says_so(lab: LabPage, wire: Wire):
    lab.select("a")
    near(lab, "x")
    expect(tick(lab)).to_be_visible()
    assert said_over_node(lab) == "none"
    with wire.hold():
        press(lab, "x", 0.56)
        for x in positions(lab, "x", [0.7, 0.2]):
            assert number(lab.value("x").text_content()) == pytest.approx(x, rel=5e-4)
            assert written(lab, "x") == pytest.approx(x, rel=1e-6)
            assert written(lab, "y") == Y
            expect(tick(lab)).not_to_be_visible()
            expect(lab.page.locator(".checks .says")).to_have_text("Not checked while you drag.")
            assert said_over_node(lab) == "none"
            assert product(lab) == pytest.approx([math.cos(x), Y, Y * math.cos(x)], rel=2e-5, abs=1e-6)
            assert number(told(lab)) == pytest.approx(math.sin(x), rel=2e-5, abs=1e-6)
            title = lab.node("a").locator("title").first.text_content()
            value = re.search(r"^value (.+)$", title, re.MULTILINE)[1]
            assert number(value) == pytest.approx(math.sin(x), rel=2e-5, abs=1e-6)  # as on the canvas
        lab.page.mouse.up()
        lab.page.wait_for_timeout(200)
        expect(tick(lab)).not_to_be_visible()
        assert written(lab, "x") == pytest.approx(number(box(lab, "x").input_value()), rel=1e-6)
        assert number(told(lab)) == pytest.approx(math.sin(x), rel=2e-5, abs=1e-6)  # as on the canvas
    lab.settle()
    expect(tick(lab)).to_be_visible()
    assert said_over_node(lab) == "none"
    exact = number(box(lab, "x").input_value())
    assert written(lab, "x") == exact
    title = lab.node("a").locator("title").first.text_content()
    for value in (re.search(r"^value (.+)$", title, re.MULTILINE)[1], told(lab)):
        assert number(value) == pytest.approx(math.sin(exact), rel=1e-6, abs=1e-6)  # float32
    lab.page.get_by_role("button", name="Details").click()
    gradient = lab.page.get_by_role("row", name=re.compile("^x ")).get_by_role("cell").first
    assert number(gradient.text_content()) == pytest.approx(Y * math.cos(exact), rel=1e-6, abs=1e-6)


@pytest.mark.nightly
def test_a_tick_goes_with_the_numbers_that_it_was_found_for(lab: LabPage, wire: Wire):
    lab.select("a")
    expect(tick(lab)).to_be_visible()
    for edit in (
        lambda: lab.page.keyboard.press("s"),
        lambda: slider(lab, "y").press("ArrowRight"),
        lambda: (lab.formula.press("Control+End"), lab.page.keyboard.type(" ")),
    ):
        with wire.hold():
            edit()
            expect(tick(lab)).not_to_be_visible()
        lab.settle()
        expect(tick(lab)).to_be_visible()
    with wire.hold():
        lab.select_quickly("b")  # changes no number
        lab.page.wait_for_timeout(100)
        expect(tick(lab)).to_be_visible()
    lab.settle()
