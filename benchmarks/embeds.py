"""Time frames of the lab in a headless Chromium, and count what those cost that nobody touches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median
from urllib.parse import urlencode

from playwright.sync_api import Browser, sync_playwright

from autodiff_viz.graph.link import to_link
from benchmarks.browser import BARE_NUMBER, COLLECTED, FIRST_NUMBER, LOADS, SIZE, first_seen
from benchmarks.graphs import example
from benchmarks.server import serving
from benchmarks.table import Row
from tests.browser.server import FLAGS, HOW_TO_GET_CHROMIUM, chromium

MANY = 9
POSTER_NUMBER = "#av-poster svg text"
STILL = 3_000  # milliseconds for which nobody touches the frames


def embeds() -> Iterator[Row]:
    """Yield the time to the first number of a frame, and the sessions of frames that nobody touches."""
    if chromium() is None:
        print(HOW_TO_GET_CHROMIUM)
        return
    query = urlencode({"embed": "1", "v": "1", "g": to_link(example(SIZE, 0).graph)})
    with ExitStack() as stack:
        bare = stack.enter_context(serving("benchmarks/bare_page.py", COLLECTED))
        app = stack.enter_context(serving("app.py"))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium(), args=[*FLAGS])
        stack.callback(browser.close)
        yield from _loads(browser, f"{app}/?{query}", bare)
        opened = _sessions(browser, app, query)
        yield Row(f"{MANY} embeds that nobody touches: sessions of the server", opened, 0.0)


def _loads(browser: Browser, app: str, bare: str) -> Iterator[Row]:
    context = browser.new_context(viewport={"width": 600, "height": 400})
    sides = ((app, POSTER_NUMBER), (f"{app}&start=now", FIRST_NUMBER), (bare, BARE_NUMBER))
    taken = [[first_seen(context.new_page(), *side) for side in sides] for _ in range(1 + LOADS)]
    picture, live, theirs = (median(side) for side in zip(*taken[1:], strict=True))
    context.close()
    yield Row(f"{SIZE} nodes, embed: address opened to its picture / number on a bare page", picture / theirs)
    yield Row(f"{SIZE} nodes, embed: opened at once to number / the same on a bare page", live / theirs, 1.5)


def _sessions(browser: Browser, app: str, query: str) -> int:
    """Return how many sessions a page with many frames opens; each begins with a websocket."""
    page, sockets = browser.new_page(), []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    page.goto(app + "/words")  # a page of the same server that opens no session
    page.evaluate(
        "([address, many]) => { for (let i = 0; i < many; i++) {"
        " const frame = document.createElement('iframe'); frame.src = address; document.body.append(frame);"
        " } }",
        [f"{app}/?{query}", MANY],
    )
    page.wait_for_timeout(STILL)
    page.close()
    return len(sockets)
