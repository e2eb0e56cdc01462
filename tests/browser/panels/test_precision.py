"""Test that numbers out of a dtype's range are marked, a loss scale saves them, and noise has statistics."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import LabPage, saying

pytestmark = pytest.mark.shared_page

SMALL = "w = 1.0\nm = w * 0.0001220703125\ny = m * 0.0001220703125"  # 2^-13 twice
NOISY = "mu = 0.3\nz = mu + 2.0 * normal()\nf = square(z)"


@pytest.mark.nightly
def test_a_loss_scale_saves_what_float16_loses(lab: LabPage):
    page = lab.page
    page.set_viewport_size({"width": 1280, "height": 720})
    lab.type_formula(SMALL)
    lab.open_settings()
    lab.choose("Precision", "float16")
    page.keyboard.press("Escape")
    lab.choose_figure("Precision")
    expect(lab.cotangent("w")).to_have_text("0")
    expect(lab.wire("m")).to_have_class(saying("underflows"))
    expect(lab.canvas.locator(".range-key")).to_be_visible()
    words = page.locator(".st-key-figure_panel [data-testid=stText]")
    expect(words).to_contain_text("Loss scales from 4 to 32,768 are safe")
    slider = page.get_by_role("slider", name="Loss scale")
    slider.press("End")  # 2^24
    expect(lab.wire("m")).to_have_class(saying("overflows"))
    slider.press("Home")
    expect(lab.wire("m")).to_have_class(saying("underflows"))
    slider.press("ArrowRight")
    slider.press("ArrowRight")  # 4
    expect(lab.wire("m")).not_to_have_class(saying("underflows"))
    expect(page).to_have_url(saying("scale=4"))


@pytest.mark.nightly
def test_only_a_graph_with_a_random_draw_has_statistics_of_noise(lab: LabPage):
    page = lab.page
    page.set_viewport_size({"width": 1280, "height": 720})
    tab = page.get_by_role("tab", name="Noise", exact=True)
    expect(tab).to_have_count(0)
    lab.type_formula(NOISY)
    expect(tab).to_have_count(1)
    lab.choose_figure("Noise")
    words = page.locator(".st-key-figure_panel [data-testid=stText]")
    expect(words).to_contain_text("over 1,000 draws: mu 0.")
