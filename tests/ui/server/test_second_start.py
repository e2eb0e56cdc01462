"""Test that a server which starts again finds what the first one has computed."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from websockets.sync.client import connect

from autodiff_viz.ui.panels.claims import CHECKING
from tests.browser.server import Server
from tests.own_lesson import KEY, LAST
from tests.ui.visitor import Visitor

PATIENCE = 300  # seconds; the first start compiles all ops, on a busy machine
HELD = 'aria-label="holds"'


@pytest.fixture
def server(tmp_path: Path):
    """One that warms up, with a directory of its own for what it keeps, and none of JAX's own."""
    settings = {"AUTODIFF_VIZ_WARM_UP": "on", "AUTODIFF_VIZ_CACHE": str(tmp_path / "kept")}
    found = Server(tmp_path / "log.txt", "uvicorn", JAX_COMPILATION_CACHE_DIR="", **settings)
    found.start()
    yield found
    found.stop()


def until(what, *arguments) -> None:
    end = time.monotonic() + PATIENCE
    while not what(*arguments):
        assert time.monotonic() < end
        time.sleep(0.2)


def is_ready(server: Server) -> bool:
    try:
        return urlopen(f"{server.address}/ready", timeout=30).status == 200
    except HTTPError:
        return False


def opened(server: Server) -> str:
    """What a visitor gets who opens a lesson."""
    stream = f"ws://127.0.0.1:{server.port}/_stcore/stream"
    with connect(stream, subprotocols=["streamlit", "unused"], max_size=None, proxy=None) as socket:
        visitor = Visitor(socket)
        visitor.query = f"lesson={KEY}&variant={LAST}"  # which asks nothing, so that its claims are shown
        visitor.send()
        return visitor.texts().replace("\\'", "'").replace('\\"', '"')


def code(place: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (place / "compiled").iterdir()}


@pytest.mark.nightly
def test_it_compiles_nothing_again_and_ticks_at_once(server, tmp_path):
    until(is_ready, server)
    (place,) = (tmp_path / "kept").iterdir()
    before = code(place)
    assert before
    until(lambda: HELD in opened(server))
    server.stop()
    server.start()
    until(is_ready, server)
    seen = opened(server)
    assert HELD in seen
    assert f"{CHECKING} ..." not in seen
    assert f"{CHECKING}:" not in seen
    assert code(place) == before
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [place.name]
