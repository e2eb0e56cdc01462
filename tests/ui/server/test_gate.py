"""Test requests that are refused before they reach Streamlit."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.responses import PlainTextResponse

from autodiff_viz.graph import limits
from autodiff_viz.ui.server.admission import VISITORS, Gate, Visits, most_visitors
from tests.ui.server.asgi import answered, finished, get

PAGE = {"referer": "http://lab.example/lessons"}


class Inside:
    """What stands for Streamlit: a websocket stays open until `leave` is set."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.leave = asyncio.Event()

    async def __call__(self, scope, receive, send):
        self.asked.append(scope["path"])
        if scope["type"] == "http":
            await PlainTextResponse("ok")(scope, receive, send)
            return
        await send({"type": "websocket.accept"})
        await self.leave.wait()
        if scope["path"].startswith("/broken"):
            raise RuntimeError("the connection broke")


@pytest.mark.parametrize("base", ["", "/lab"])
@pytest.mark.parametrize("method", ["GET", "PUT", "POST", "DELETE", "OPTIONS"])
@pytest.mark.parametrize(
    "path", ["/_stcore/upload_file/session/file", "/_stcore/upload_file", "/_stcore/metrics"]
)
def test_uploads_and_metrics_are_refused_unread(base, method, path):
    inside = Inside()
    assert get(Gate(inside, Visits(1)), base + path, method=method).status == 404
    assert inside.asked == []


@pytest.mark.parametrize(
    "path", ["/", "/_stcore/health", "/_stcore/host-config", "/media/a.png", "/static/js/a.js"]
)
def test_all_else_is_passed_on(path):
    inside = Inside()
    assert get(Gate(inside, Visits(1)), path).text == "ok"
    assert inside.asked == [path]


@pytest.mark.parametrize("path", ["/", "/embed.svg", "/lessons", "/_stcore/health"])
def test_an_address_that_is_too_long_is_refused_unread(path):
    inside = Inside()
    query = b"embed=1&v=1&g=" + b"a" * limits.ADDRESS
    answer = get(Gate(inside, Visits(1)), path, query_string=query)
    assert (answer.status, inside.asked) == (414, [])
    assert f"{limits.ADDRESS:,} characters" in answer.text
    assert "JSON" in answer.text


def test_the_longest_link_is_passed_on():
    inside = Inside()
    query = b"embed=1&v=1&g=" + b"a" * limits.LINK
    assert get(Gate(inside, Visits(1)), "/", query_string=query).text == "ok"
    assert len(urlencode({"kept": "0" * 64, "at": "0123456789.123456789"})) < limits.ADDRESS - limits.LINK


async def opened(gate: Gate, path: str = "/_stcore/stream") -> tuple[list[str], asyncio.Task]:
    """(what came back, the connection) once a websocket has been asked for."""
    said: list[str] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        said.append(message["type"])

    connection = asyncio.create_task(gate({"type": "websocket", "path": path, "headers": []}, receive, send))
    await asyncio.sleep(0)
    return said, connection


def test_one_visitor_more_than_there_are_places_is_told_why_and_has_the_next_place_that_is_free():
    async def story():
        visits, inside = Visits(2), Inside()
        gate = Gate(inside, visits)
        first, second = await opened(gate), await opened(gate)
        assert first[0] == second[0] == ["websocket.accept"]
        third = await opened(gate)
        assert third[0] == ["websocket.close"]
        refused = await answered(gate, "/_stcore/health", PAGE)
        assert refused.status == 503
        assert refused.headers["retry-after"]
        assert "All 2 places on this server are taken." in json.loads(refused.text)
        inside.leave.set()
        await asyncio.gather(first[1], second[1], third[1])
        assert visits.open == 0
        assert (await answered(gate, "/_stcore/health", PAGE)).status == 200
        assert (await opened(gate))[0] == ["websocket.accept"]

    finished(story())


def test_a_host_that_asks_whether_the_server_is_well_is_not_told_that_it_is_full():
    visits = Visits(1)
    visits.open = 1
    assert get(Gate(Inside(), visits), "/_stcore/health").text == "ok"


def test_a_connection_that_breaks_gives_its_place_back():
    async def story():
        visits, inside = Visits(1), Inside()
        _, connection = await opened(Gate(inside, visits), "/broken/_stcore/stream")
        assert visits.full
        inside.leave.set()
        with pytest.raises(RuntimeError):
            await connection
        assert not visits.full

    finished(story())


def test_the_number_of_places_is_set_by_the_environment(monkeypatch):
    monkeypatch.delenv(VISITORS, raising=False)
    assert most_visitors() == 400
    monkeypatch.setenv(VISITORS, " 25 ")
    assert most_visitors() == 25
    for wrong in ("many", "0", "-3", "1.5"):
        monkeypatch.setenv(VISITORS, wrong)
        with pytest.raises(ValueError, match=r"AUTODIFF_VIZ_VISITORS is '.*'; it must be a whole number"):
            most_visitors()
