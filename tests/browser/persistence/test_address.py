"""Test that the address bar holds the whole state."""

from __future__ import annotations

import math

import pytest
from playwright.sync_api import Browser, expect

from autodiff_viz import from_link, parse
from tests.browser.conftest import watched
from tests.browser.lab_page import LabPage, four_digits, saying

DX = 1.5 * math.cos(0.6)


@pytest.mark.nightly
@pytest.mark.shared_page
def test_a_moved_node_stays_where_it_was_put_after_a_reload(lab: LabPage):
    before = lab.place("b")
    lab.drag_by("b", 30, 70)
    moved = lab.place("b")
    assert moved != before
    lab.reload()
    assert lab.place("b") == moved


def test_a_reload_loses_nothing(lab: LabPage):
    lab.select("b")
    lab.press("s")
    lab.open_settings()
    lab.choose("Precision", "float64")
    lab.page.keyboard.press("Escape")
    lab.choose_figure("Memory")
    for part in ("dtype=float64", "figure=memory"):
        expect(lab.page).to_have_url(saying(part))
    lab.page.set_viewport_size({"width": 1280, "height": 720})  # where not all tabs have room
    tab = lab.page.get_by_role("tab", name="Memory", exact=True)
    expect(tab).to_be_in_viewport(ratio=1)
    address, formula = lab.page.url, lab.formula.input_value()
    assert from_link(address) == parse(formula)
    lab.reload()
    assert lab.page.url == address
    expect(tab).to_have_attribute("aria-selected", "true")
    expect(lab.formula).to_have_value(formula)
    expect(lab.node("b")).to_have_class(saying("selected"))
    expect(lab.cotangent("a")).to_have_text("0")
    lab.open_settings()
    expect(lab.page.get_by_role("combobox", name="Precision")).to_have_value("float64")


@pytest.mark.nightly
def test_a_visitor_who_did_nothing_has_the_bare_address_and_back_leads_to_it_again(lab: LabPage):
    bare = lab.page.url
    assert "?" not in bare
    lab.select("a")
    lab.press("s")
    expect(lab.cotangent("x")).to_have_text("0")
    expect(lab.page).to_have_url(saying("g="))
    stopped = lab.page.url
    lab.page.go_back()
    expect(lab.cotangent("x")).to_have_text(four_digits(DX))
    assert lab.page.url != stopped


@pytest.mark.shared_page(plots=False)
def test_a_link_opens_the_same_lab_for_another_visitor(lab: LabPage, browser: Browser):
    lab.type_formula("p = 3.0\nq = stop_gradient(p * p)\nr = q + p")
    lab.select("q")
    expect(lab.cotangent("p")).to_have_text("1")
    other = browser.new_context(viewport={"width": 1200, "height": 900})
    page = other.new_page()
    abroad, said = watched(page)
    visitor = LabPage(page, lab.page.url).open()
    expect(visitor.formula).to_have_value(saying("q = stop_gradient(p * p)"))
    expect(visitor.cotangent("p")).to_have_text("1")
    expect(visitor.node("q")).to_have_class(saying("selected"))
    other.close()
    assert (abroad, said) == ([], [])


@pytest.mark.parametrize(
    "query", ["/?g=rubbish", "/?g=%3Cscript%3Ealert(1)%3C/script%3E&figure=%3Cb%3E&node=%00"]
)
def test_a_damaged_link_opens_the_first_graph(page, address, query):
    lab = LabPage(page, address).open(query)
    assert "exp_1" in lab.names()
