"""Test a server with room for one visitor, and two who come at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from websockets.sync.client import connect

from tests.browser.server import Server


@pytest.fixture
def server(executable: str, tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "log.txt", AUTODIFF_VIZ_VISITORS="1")
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A visitor who is refused, which Chromium notes on the console."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.mark.nightly
def test_whose_place_is_taken_while_the_page_loads_is_told_and_gets_in_when_it_is_free(
    tab: Page, server: Server
):
    with ExitStack() as other:

        def come_first(route) -> None:
            if not taken:
                taken.append(other.enter_context(connect(stream, subprotocols=["streamlit"])))
            route.continue_()

        taken: list = []
        stream = f"ws://127.0.0.1:{server.port}/_stcore/stream"
        tab.route("**/_stcore/health", come_first)
        assert tab.goto(server.address).status == 200
        told = tab.get_by_role("dialog")
        expect(told).to_contain_text("All 1 places on this server are taken.")
        assert tab.request.get(server.address).status == 503
    expect(tab.locator(".canvas")).to_be_visible()
