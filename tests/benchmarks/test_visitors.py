"""Test that simulated visitors do what browsers do: a real server takes every gesture of theirs."""

from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks import outbox
from benchmarks.crowd import at_rest, quantile
from benchmarks.outbox import Word
from benchmarks.replicas import replicas
from benchmarks.server import server
from benchmarks.tab import Tab
from benchmarks.visitor import GESTURES, Editor, Ticker
from tests.browser.replicas import HOW_TO_GET_NGINX, nginx

DATA = {"rev": 7, "full": {"nodes": []}, "key": "0123456789", "ack": 3, "from": None}


def done(tab: Tab, times: int) -> list[str]:
    """What went wrong while the tab did something so many times, one thing after the other."""

    async def visit() -> None:
        try:
            await tab.open()
            await at_rest(tab)
            for _ in range(times):
                assert await tab.act(time.perf_counter()) > 0
        finally:
            await tab.close()

    with ThreadPoolExecutor(1) as thread:  # this one may have a loop of another test's
        thread.submit(asyncio.run, visit()).result()
    return tab.errors


def test_the_word_of_the_component_stands_at_the_end_of_its_data():
    assert outbox.read(json.dumps(DATA)) == Word("0123456789", 3, 7)
    assert outbox.read('{"nodes": []}') is None


def test_the_word_says_where_the_websocket_is_and_what_needs_a_run_of_streamlit():
    told = {"rev": 7, "socket": "1a", "page": True, "due": True, **DATA}
    assert outbox.read(json.dumps(told))[-2:] == (True, "1a")
    alone = json.dumps({**told, "page": False}, separators=(",", ":"))  # as the websocket writes it
    assert outbox.read(alone) == Word("0123456789", 3, 7, None, False, "1a")


def test_a_word_says_when_the_rest_of_the_page_can_be_asked_for():
    due = {"rev": 7, "due": True, "rest": 300, "turn": 5, **DATA}
    word = outbox.read(json.dumps(due))
    assert word.rest == (0.3, 5)
    assert outbox.rest_message(word)["rest"] == 5
    assert outbox.read(json.dumps({**due, "rest": None})).rest is None


def test_a_message_says_which_drawing_the_browser_has():
    found = outbox.edits_message(Word("ab", 0, 7), [])
    assert found == {"key": "ab", "edits": [], "have": 7, "seen": False}
    assert outbox.edits_message(Word("ab", 0, None), []) == {"key": "ab", "edits": []}


def test_the_95th_percentile_is_what_five_of_a_hundred_exceed():
    assert quantile(range(1, 101), 0.95) == 96


@pytest.mark.nightly
@pytest.mark.parametrize("gesture", GESTURES)
def test_the_app_confirms_every_gesture(gesture, app):
    tab = Editor(app.address, size=8, gestures=(gesture,))
    assert done(tab, 2) == []
    assert tab.pending == []


@pytest.mark.nightly
def test_the_app_tells_its_memory_and_its_processor_time(app):
    before = app.seconds
    assert done(Editor(app.address, size=8), 3) == []
    assert app.seconds > before
    assert app.megabytes > 50


@pytest.mark.nightly
def test_a_bare_page_is_run_for_every_tick():
    with server("benchmarks/bare_page.py") as bare:
        assert done(Ticker(bare.address), 3) == []


@pytest.fixture(scope="module")
def app():
    with server("app.py", AUTODIFF_VIZ_WARM_UP="off") as found:
        yield found


@pytest.mark.nightly
@pytest.mark.skipif(nginx() is None, reason=HOW_TO_GET_NGINX)
def test_replicas_behind_nginx_are_measured_as_one_server():
    with replicas() as both:
        before = both.seconds
        assert done(Editor(both.address, size=8, gestures=("rule",)), 2) == []
        assert both.seconds > before
        assert both.megabytes > 2 * 50
        assert len({server.process for server in both.servers}) == 2
