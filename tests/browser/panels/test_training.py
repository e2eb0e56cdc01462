"""Test training on the page, with a graph whose losses are worked out by hand."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from autodiff_viz.lab.persistence.address import to_query
from autodiff_viz.lab.training import plans
from tests.browser.lab_page import FOLDED, LabPage, four_digits
from tests.browser.page.test_axe import faults
from tests.lab.regression import TEXT, lab_of, loss_of, weight_of

THUMB = "(slider) => slider.closest('[style*=left]').getBoundingClientRect().toJSON()"
SLOPE = "({ _fullData: [{ x, y }] }) => (y[1] - y[0]) / (x[1] - x[0])"
PARTS = ("curves", "surface")


def scrubber(page: Page) -> Locator:
    return page.get_by_role("slider", name="Step on view")


def go_to(lab: LabPage, step: int, of: int) -> None:
    """Move the slider with the keys."""
    scrubber(lab.page).focus()
    lab.page.keyboard.press("Home")
    for _ in range(step):
        lab.page.keyboard.press("ArrowRight")
    expect(lab.page.get_by_text(f"Step {step} of {of}")).to_be_visible()
    lab.settle()


def drag_to(lab: LabPage, step: int) -> None:
    """Drag the slider until it is at a step: the canvas has its numbers before the release."""
    mouse, slider = lab.page.mouse, scrubber(lab.page)
    thumb = slider.evaluate(THUMB)
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    mouse.move(x, y)
    mouse.down()
    while int(slider.input_value()) < step:
        x += 3
        mouse.move(x, y)
    assert int(slider.input_value()) == step
    expect(lab.value("loss")).to_have_text(four_digits(loss_of(step)))


@pytest.mark.nightly
def test_a_step_comes_back_on_the_canvas_and_after_a_reload(lab):
    lab.type_formula(TEXT)
    lab.choose_figure("Training")
    lab.page.get_by_role("button", name="One step", exact=True).click()
    expect(lab.page.get_by_text("Step 1 of 1")).to_be_visible()
    lab.page.get_by_role("button", name="sgd").click()
    field = lab.page.get_by_label("Steps at a time")
    field.fill("19")
    field.press("Enter")
    lab.settle()
    lab.page.keyboard.press("Escape")
    lab.page.get_by_role("button", name="Train 19").click()
    expect(lab.page.get_by_text("Step 20 of 20")).to_be_visible()
    lab.settle()
    expect(lab.value("loss")).to_have_text(four_digits(loss_of(20)))
    go_to(lab, 6, 20)
    expect(lab.value("loss")).to_have_text(four_digits(loss_of(6)))
    drag_to(lab, 15)
    lab.page.mouse.up()
    lab.settle()
    expect(lab.page.get_by_text("Step 15 of 20")).to_be_visible()
    go_to(lab, 6, 20)
    lab.reload()
    expect(lab.page.get_by_text("Step 6 of 20")).to_be_visible()
    lab.settle()
    expect(lab.value("loss")).to_have_text(four_digits(loss_of(6)))
    lab.page.get_by_role("button", name="sgd").click()
    expect(lab.page.get_by_role("spinbutton", name="Learning rate")).to_be_visible()
    assert faults(lab.page) == []
    lab.page.keyboard.press("Escape")
    lab.page.get_by_role("button", name="Use the weights of step 6").click()
    lab.settle()
    expect(lab.value("loss")).to_have_text(four_digits(loss_of(6)))
    lab.button("Undo")
    expect(lab.page.get_by_text("Step 6 of 20")).to_be_visible()  # as before, of the same numbers
    expect(lab.value("loss")).to_have_text(four_digits(loss_of(6)))
    lab.page.get_by_role("button", name="Formula as written").click()
    expect(lab.value("loss")).to_have_text(four_digits(loss_of(0)))


@pytest.mark.nightly
def test_a_step_goes_on_from_the_one_on_view_and_loses_none_that_was_made(lab):
    lab.type_formula(TEXT)
    live = lab.page.get_by_role("tab", name="Cotangents", exact=True)
    expect(live).to_have_attribute("aria-selected", "true")  # a plot, since nothing has been trained
    lab.choose_figure("Training")
    steps = ((1, loss_of(1)), (2, loss_of(2)), (3, loss_of(3)))
    for step, loss in steps:
        lab.page.get_by_role("button", name="One step", exact=True).click()
        expect(lab.page.get_by_text(f"Step {step} of {step}")).to_be_visible()
        lab.settle()
        expect(lab.value("loss")).to_have_text(four_digits(loss))
    go_to(lab, 0, 3)
    drag_to(lab, 2)  # the figure and the words follow before the release
    expect(lab.page.get_by_text("Step 2 of 3")).to_contain_text(f"{loss_of(2):.5g}")
    mark = lab.page.locator(".step-marker")
    expect(mark).to_contain_text(f"step 2: {four_digits(loss_of(2))}")
    lab.page.mouse.up()
    lab.settle()
    expect(mark).to_have_count(0)  # the figure has its own again
    own = lab.page.locator(".st-key-part_curves .annotation-text").filter(has_text="step 2")
    expect(own).to_contain_text(four_digits(loss_of(2)))
    learned = lab.page.locator(".st-key-part_surface")
    expect(learned).to_contain_text("mul_1 after step 2 over x; the 2 points are the data.")
    line = learned.locator(".js-plotly-plot").evaluate(SLOPE)
    assert line == pytest.approx(weight_of(2), rel=1e-5)
    loss, surface = (
        lab.page.locator(f".st-key-part_{part} .js-plotly-plot").bounding_box() for part in PARTS
    )
    assert loss["x"] + loss["width"] <= surface["x"]  # side by side, at the same height
    assert abs(loss["y"] + loss["height"] - surface["y"] - surface["height"]) < 100
    go_to(lab, 0, 3)
    for step, loss in steps[:2]:
        lab.page.get_by_role("button", name="One step", exact=True).click()
        expect(lab.page.get_by_text(f"Step {step} of 3")).to_be_visible()
        lab.settle()
        expect(lab.value("loss")).to_have_text(four_digits(loss))
    lab.select("w")
    lab.press("s")
    lab.page.get_by_role("button", name="One step", exact=True).click()  # of w, which is stopped now
    expect(lab.page.get_by_text("Step 3 of 3")).to_be_visible()
    lab.settle()
    expect(lab.value("loss")).to_have_text(four_digits(loss_of(2)))
    lab.page.get_by_role("button", name="Bring back 3 steps").click()
    lab.settle()
    expect(lab.value("loss")).to_have_text(four_digits(loss_of(3)))


HEAVY = """x = input(shape=(256, 256), seed=0)
w = parameter(shape=(256, 256), seed=1)
v = parameter(shape=(256, 256), seed=2)
h = tanh(matmul(tanh(matmul(x, w)), v))
loss = mean(h * h)"""
"""Its 20,000 steps take a minute or more."""


@pytest.mark.nightly
def test_a_formula_typed_over_a_training_ends_it_and_is_checked(lab, page):
    lab.open(f"/?{urlencode(to_query(plans(lab_of(HEAVY), steps=20_000)))}")
    lab.choose_figure("Training")
    page.get_by_role("button", name="Train 20,000").click()
    expect(page.get_by_test_id("stProgress")).to_be_visible()
    lab.type_formula("q = 3.0\nx = 2.0\nr = q * x")
    expect(lab.value("r")).to_have_text("6")
    expect(page.locator(".checks .verdict .says")).to_contain_text("agree")
    labels = page.locator(".sliders").get_by_role("slider")
    assert [label.get_attribute("aria-label") for label in labels.all()] == ["Slider of q", "Slider of x"]
    x, q = lab.place("x"), lab.place("q")
    assert x[0] == q[0]  # one below the other: as if no x had been there


@pytest.mark.nightly
def test_the_canvas_follows_a_training_and_a_pause_leaves_all_at_one_step(lab, page, context, address):
    """Another visitor is answered meanwhile."""
    lab.open(f"/?{urlencode(to_query(plans(lab_of(HEAVY), steps=20_000)))}")
    at_first = lab.value("loss").text_content()
    lab.choose_figure("Training")
    page.get_by_role("button", name="Train 20,000").click()
    progress = page.get_by_test_id("stProgress")
    expect(progress).to_contain_text("loss")
    other = LabPage(context.new_page(), address).open(FOLDED)
    other.type_formula("q = 3.0\nr = q * q")
    expect(other.value("r")).to_have_text("9")
    other.page.close()
    expect(progress).to_be_visible()
    expect(lab.value("loss")).not_to_have_text(at_first)
    meanwhile = lab.value("loss").text_content()
    expect(lab.value("loss")).not_to_have_text(meanwhile)
    verdict = page.locator(".checks .verdict .says")
    expect(verdict).to_have_text("Checked when the training stops.")
    expect(progress).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(scrubber(page)).to_be_visible()
    lab.settle()
    expect(verdict).to_contain_text("agree")
    made = int(scrubber(page).input_value())
    assert 0 < made < 20_000
    expect(page.get_by_text(f"Step {made:,} of {made:,}")).to_contain_text(
        lab.value("loss").text_content()[:-1]
    )
    lab.page.get_by_role("button", name="One step", exact=True).click()
    expect(page.get_by_text(f"Step {made + 1:,} of {made + 1:,}")).to_be_visible()
