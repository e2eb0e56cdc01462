"""Test the page drawn in parts: an edit leaves none behind, and the numbers come first."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.lab_page import LabPage
from tests.seeds import seeded

GESTURES = 20
PAUSES = (0, 0, 0, 30, 100, 300, 800)  # milliseconds; most gestures come before Python has answered the last
KEYS = "ssm"
FIGURES = ("Cotangents", "Sweep", "Runs", "Residuals", "Precision")
DUST = 15_000  # milliseconds in which it settles

SEEN = """() => {
  const within = (root) => [...root.querySelectorAll("*")].flatMap((one) => one.shadowRoot ?? []);
  const roots = (root) => [root, ...within(root).flatMap(roots)];
  const all = (selector) => roots(document).flatMap((root) => [...root.querySelectorAll(selector)]);
  const words = (selector) => all(selector).map((one) => one.textContent.trim());
  return {
    nodes: all(".canvas [data-id]").map((one) => `${one.dataset.id}: ${one.textContent}`).sort(),
    formula: all(".formula textarea").map((one) => one.value),
    sliders: all(".sliders input").map((one) => one.value),
    settings: words(".st-key-part_settings button"),
    inspector: words(".inspector .body > *"),
    checks: words(".checks"),
    figure: words(".st-key-figure_panel [data-testid=stText]"),
    choices: all("[role=tab]").map((one) => `${one.textContent} ${one.ariaSelected}`),
    drawings: all(".st-key-figure_panel :is(.av-bars, .js-plotly-plot)").length,
  };
}"""


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1))
def test_after_quick_edits_the_page_is_as_if_it_had_just_been_opened(
    lab: LabPage, context: BrowserContext, seed: int
):
    random = Random(seeded(seed))
    for _ in range(GESTURES):
        gesture(lab, random)
        lab.page.wait_for_timeout(random.choice(PAUSES))
    lab.select("a")
    lab.page.wait_for_timeout(1000)
    lab.canvas.locator(".surface").press("s")
    lab.settle()
    lab.page.wait_for_timeout(1000)
    fresh = context.new_page()
    LabPage(fresh, lab.address).open(lab.page.url.removeprefix(lab.address))
    for page in (lab.page, fresh):
        page.locator(".st-key-figure_place").scroll_into_view_if_needed()
    differs = settled(lab.page, fresh)
    fresh.close()
    assert differs == {}
    seen = lab.page.evaluate(SEEN)
    assert [name for name, shown in seen.items() if not shown] == []


@pytest.mark.nightly
def test_a_figure_that_nobody_sees_is_drawn_when_it_comes_into_view(page: Page, address: str):
    page.set_viewport_size({"width": 590, "height": 520})
    lab = LabPage(page, address).open()
    page.wait_for_timeout(1000)
    words = page.locator(".st-key-figure_place [data-testid=stText]")
    lab.select("b")
    lab.press("s")
    expect(lab.page.locator(".st-key-inspector")).to_contain_text("nothing is passed on")
    page.wait_for_timeout(300)
    expect(words).to_have_count(0)
    page.get_by_role("tab", name="Plots").click()
    page.locator(".st-key-figure_place").scroll_into_view_if_needed()
    expect(words).to_contain_text("stopped at b")


def gesture(lab: LabPage, random: Random) -> None:
    """Something that a visitor does, without waiting for the answer."""
    kind = random.randrange(8)
    if kind < 3:
        name = random.choice(sorted(lab.names()))
        lab.node(name).locator(".card").dispatch_event("click") if kind == 0 else lab.select_quickly(name)
    elif kind < 5:
        lab.canvas.locator(".surface").press(random.choice(KEYS))
    elif kind == 5:
        lab.canvas.locator(".surface").press(random.choice(["Control+z", "Control+y", "Escape"]))
    elif kind == 6:
        lab.page.locator(".sliders input[type=range]").first.press(random.choice(["ArrowRight", "ArrowLeft"]))
    else:
        lab.page.get_by_role("tab", name=random.choice(FIGURES), exact=True).evaluate("(tab) => tab.click()")


def settled(*pages: Page) -> dict[str, list[Any]]:
    """Where the pages differ once they had the time to be drawn: what each shows there."""
    for _ in range(DUST // 500):
        seen = [page.evaluate(SEEN) for page in pages]
        differs = {
            name: [one[name] for one in seen] for name in seen[0] if len({str(one[name]) for one in seen}) > 1
        }
        assert all(seen[0][name] for name in ("nodes", "formula", "sliders", "settings"))
        if not differs:
            break
        pages[0].wait_for_timeout(500)
    return differs
