"""Time the page of lessons in a headless Chromium beside a bare Streamlit page, and weigh what it sends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median
from urllib.request import Request, urlopen

from playwright.sync_api import sync_playwright

from autodiff_viz.lab.persistence.address import GALLERY
from autodiff_viz.lessons.gallery import LESSONS
from benchmarks.browser import BARE_NUMBER, COLLECTED, LOADS, first_seen
from benchmarks.server import Server, server, until_warm
from benchmarks.table import Row
from tests.browser.cuttable import Cuttable
from tests.browser.server import FLAGS, HOW_TO_GET_CHROMIUM, chromium

CARD = ".card h3"
SETTLED = ".found:not(:empty)"  # its script has run
VIEW = 200.0  # KB over the wire until the page is complete
ASKED = 200  # requests of which the processor time is measured


def lessons_page() -> Iterator[Row]:
    """Yield the time to the first card, the KB of a first visit, and the processor time of a request."""
    if chromium() is None:
        print(HOW_TO_GET_CHROMIUM)
        return
    with ExitStack() as stack:
        bare = stack.enter_context(server("benchmarks/bare_page.py", COLLECTED))
        app = stack.enter_context(server("app.py"))
        until_warm(app)
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium(), args=[*FLAGS])
        stack.callback(browser.close)
        what = f"page of {len(LESSONS)} lessons"
        sides = ((f"{app.address}/{GALLERY}", CARD), (bare.address, BARE_NUMBER))
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        taken = [[first_seen(context.new_page(), *side) for side in sides] for _ in range(1 + LOADS)]
        context.close()
        mine, theirs = (median(side) for side in zip(*taken[1:], strict=True))
        yield Row(f"{what}: address opened to its first card / number on a bare page", mine / theirs, 0.5)
        line = Cuttable(int(app.address.rpartition(":")[2]))
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{line.address}/{GALLERY}")
        page.locator(SETTLED).wait_for(state="attached")
        page.wait_for_load_state("networkidle")
        yield Row(f"{what}: KB over the wire, first visit", line.to_browser / 1000, VIEW)
        line.close()
        own, other = _processor(app, f"/{GALLERY}"), _processor(bare, "/")
        yield Row(f"{what}: processor time of a request / of a bare page's first file", own / other)


def _processor(of: Server, path: str) -> float:
    """Return the processor seconds of so many requests for a path."""
    wanted = Request(of.address + path, headers={"Accept-Encoding": "gzip"})
    with urlopen(wanted) as answer:  # made once
        answer.read()
    before = of.own_seconds
    for _ in range(ASKED):
        with urlopen(wanted) as answer:
            answer.read()
    return of.own_seconds - before
