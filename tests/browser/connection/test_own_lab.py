"""Test a lab on one's own machine in a browser: its printed address opens it, and goes nowhere else."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

import autodiff_viz as av
from autodiff_viz.lab import launch
from tests.browser.conftest import watched
from tests.browser.lab_page import FOLDED, LabPage, saying
from tests.browser.server import free_port

TOKEN = secrets.token_urlsafe()
GRAPH = "g=" + av.to_link(av.parse("x = 2.0\ny = sin(x)"))


@pytest.fixture(scope="module")
def server(executable) -> Iterator[str]:
    """The address of a lab of one's own, without its token."""
    port = free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTODIFF_VIZ_WARM_UP", "off")
        patch.setenv("AUTODIFF_VIZ_WORKERS", "1")
        launch._servers[port] = launch.Own(launch.started(port, TOKEN), TOKEN)
    yield f"http://127.0.0.1:{port}/"
    launch.stop(port)


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """In a browser that was never there; its console stays clean."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000}, reduced_motion="reduce")
    context.set_default_timeout(15_000)
    page = context.new_page()
    abroad, said = watched(page)
    yield page
    context.close()
    assert (abroad, said) == ([], [])


@pytest.fixture
def elsewhere(server, tmp_path: Path) -> Iterator[str]:
    """A page on another site, such as a notebook, with a link to the printed address."""
    (tmp_path / "index.html").write_text(f'<a href="{server}?token={TOKEN}&{GRAPH}">Open the lab</a>')
    there = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path)))
    Thread(target=there.serve_forever, daemon=True).start()
    yield f"http://localhost:{there.server_port}/"
    there.shutdown()
    there.server_close()


def test_the_printed_address_opens_the_lab_which_keeps_no_token_in_sight(tab, server):
    lab = LabPage(tab, server).open(f"?token={TOKEN}&{GRAPH}{FOLDED}")
    assert lab.names() == {"x", "y"}
    assert tab.url.partition("#")[0] == f"{server}?{GRAPH}"
    lab.add("tanh")  # over the lab's own websocket, which asks for the cookie
    assert re.fullmatch(rf"{re.escape(server)}\?g=[^#]*", tab.url.partition("#")[0])
    lab.button("Share")
    dialog = tab.get_by_role("dialog", name="Share")
    expect(dialog.get_by_label("Link", exact=True)).to_have_value(saying(server))
    fields = dialog.locator("input, textarea").evaluate_all("(all) => all.map((one) => one.value)")
    seen = [
        tab.url,
        tab.content(),
        *fields,
        tab.evaluate("document.cookie"),
        tab.evaluate("document.referrer"),
    ]
    assert [text for text in seen if TOKEN in text] == []
    tab.keyboard.press("Escape")
    lab.reload()
    assert len(lab.names()) == 3
    again = tab.context.new_page()
    assert LabPage(again, server).open(f"?token={TOKEN}").names()
    assert TOKEN not in again.url


def test_a_click_on_another_site_opens_the_lab_by_its_token(tab, server, elsewhere):
    tab.goto(elsewhere)
    tab.get_by_role("link", name="Open the lab").click()
    lab = LabPage(tab, server)
    lab.canvas.wait_for()
    assert lab.names() == {"x", "y"}
    assert TOKEN not in tab.url
    assert urlsplit(tab.url).netloc == urlsplit(server).netloc


def test_a_browser_without_the_token_is_told_how_to_get_in(browser, tab, server):
    with browser.new_context() as context:
        page = context.new_page()
        answer = page.goto(f"{server}?{GRAPH}")
        assert answer.status == 403
        expect(page.get_by_role("heading")).to_have_text("This lab is somebody's own")
        expect(page.get_by_text("Open it by the whole address that was printed")).to_be_visible()
    LabPage(tab, server).open(f"?token={TOKEN}")
    other = tab.context.new_page()
    assert other.goto(f"{server}?{GRAPH}").status == 200
