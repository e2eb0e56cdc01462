"""Start one server and one browser for all browser tests, with a fresh visitor for each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect, sync_playwright

from tests.asserting import counted
from tests.browser import lab_page
from tests.browser.lab_page import PATIENCE, LabPage
from tests.browser.server import FLAGS, HOW_TO_GET_CHROMIUM, chromium, serving
from tests.browser.shared_page import FOLD, SharedPage
from tests.scheduling import BROWSER

HERE = {"127.0.0.1", "localhost"}
LOCAL_SCHEMES = {"data", "blob", "about", "ws", "wss"}
ONE_PROCESS = "--process-per-site"
"""With a page kept open: the others find Streamlit's own files compiled, which halves the work of a visit."""
STREAMLITS_OWN = "/lessons/_stcore/"
"""Streamlit looks for its server under the address of the page first, and is told that there is none."""

expect.set_options(timeout=PATIENCE)
type(expect).__call__ = counted(type(expect).__call__, waits_in=lab_page.__name__)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """These come first: they are the largest unit of work."""
    for item in items:
        if item.nodeid.startswith(BROWSER):
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: not item.nodeid.startswith(BROWSER))


@pytest.fixture(scope="session")
def executable() -> str:
    found = chromium()
    if found is None and os.environ.get("CI"):
        pytest.fail(HOW_TO_GET_CHROMIUM, pytrace=False)
    if found is None:
        pytest.skip(HOW_TO_GET_CHROMIUM)
    return found


@pytest.fixture(scope="session")
def address(executable: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with serving(log) as found:
        yield found
    assert "The action " not in log.read_text(), "an action failed, and the page went on"


@pytest.fixture(scope="session")
def browser(executable: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=executable, args=[*FLAGS, ONE_PROCESS])
        yield running
        running.close()


@pytest.fixture(scope="session")
def context(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """One for all tests, so that Streamlit's own files are fetched and compiled once."""
    visitor = browser.new_context(viewport={"width": 1400, "height": 1000}, reduced_motion="reduce")
    visitor.set_default_timeout(PATIENCE)
    visitor.new_page().goto(f"{address}/_stcore/health")  # kept open: see ONE_PROCESS
    yield visitor
    visitor.close()


@contextmanager
def clean_page(context: BrowserContext) -> Iterator[Page]:
    """Open a page that must stay on this machine and keep its console clean."""
    found = context.new_page()
    abroad, said = watched(found)
    yield found
    found.close()
    assert abroad == [], "requests that leave this machine"
    assert said == [], "errors on the console"


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    with clean_page(context) as found:
        yield found


@pytest.fixture(scope="module")
def module_pages(context: BrowserContext) -> Iterator[Callable[[], Page]]:
    """Opens pages for tests of a file that only look at one, or that each have a part of it to themselves."""
    with ExitStack() as pages:
        yield lambda: pages.enter_context(clean_page(context))


@pytest.fixture(scope="module")
def module_page(module_pages: Callable[[], Page]) -> Page:
    return module_pages()


@pytest.fixture(scope="session")
def phone_context(browser: Browser) -> Iterator[BrowserContext]:
    screen = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    visitor = browser.new_context(**screen, reduced_motion="reduce")
    visitor.set_default_timeout(PATIENCE)
    yield visitor
    visitor.close()


@pytest.fixture(scope="session")
def shared_page(context: BrowserContext, address: str) -> Iterator[SharedPage]:
    found = SharedPage(context, address, watched)
    yield found
    found.close()


@pytest.fixture(scope="session")
def shared_canvas(context: BrowserContext, address: str) -> Iterator[SharedPage]:
    found = SharedPage(context, address, watched, plots=False)
    yield found
    found.close()


@pytest.fixture(scope="session")
def shared_phone(phone_context: BrowserContext, address: str) -> Iterator[SharedPage]:
    found = SharedPage(phone_context, address, watched)
    yield found
    found.close()


@pytest.fixture
def lab(request: pytest.FixtureRequest, address: str) -> Iterator[LabPage]:
    """The lab as a newcomer finds it. With the mark `shared_page` on a page that others have used before; its
    address and redo may tell, see `SharedPage`. With `shared_page(plots=False)` the plots are folded. A test
    that needs more has the mark `own_page`."""
    mark, own = (request.node.get_closest_marker(name) for name in ("shared_page", "own_page"))
    plots = not mark or mark.kwargs.get("plots", True)
    if not mark or own or "page" in request.fixturenames:
        page = request.getfixturevalue("page")
        if not plots:
            page.add_init_script(FOLD)
        yield LabPage(page, address).open()
        return
    yield from in_first_state(request.getfixturevalue("shared_page" if plots else "shared_canvas"))


@pytest.fixture
def phone(request: pytest.FixtureRequest, shared_phone: SharedPage) -> Iterator[LabPage]:
    """As `lab` with the mark `shared_page`, 390 px wide and under a finger."""
    if request.node.get_closest_marker("own_page"):
        shared_phone.close()
    yield from in_first_state(shared_phone)


def in_first_state(shared: SharedPage) -> Iterator[LabPage]:
    yield shared.take()
    assert shared.abroad == [], "requests that leave this machine"
    assert shared.said == [], "errors on the console"


Noticed = tuple[list[str], list[str]]


def watched(page: Page) -> Noticed:
    """(requests to other hosts, errors on the console), both filled as the page goes on."""
    abroad: list[str] = []
    said: list[str] = []

    def on_request(request: Request) -> None:
        target = urlsplit(request.url)
        if target.hostname not in HERE and target.scheme not in LOCAL_SCHEMES:
            abroad.append(request.url)

    def on_console(message) -> None:
        if message.type == "error" and STREAMLITS_OWN not in message.location["url"]:
            said.append(message.text)

    page.on("request", on_request)
    page.on("console", on_console)
    page.on("pageerror", lambda error: said.append(str(error)))
    return abroad, said
