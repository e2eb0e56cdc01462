"""Test that no log has a visitor's graph or the secret of a session, whichever command starts the server."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import suppress
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from autodiff_viz.lab.edits import apply
from autodiff_viz.reading import reading
from autodiff_viz.ui import session
from autodiff_viz.ui.server.log_filter import FAULTS, LOGS, SECONDS, Seldom, filter_logs, without_query
from tests.browser.server import COMMANDS, Server
from tests.deploy.image import stages
from tests.ui.visitor import visiting

GRAPH = "eJyrVkrLz1eyUkpKLFKqBQAcTgQP"  # stands for a visitor's graph


@pytest.fixture(scope="module", params=[*COMMANDS, "Dockerfile"])
def server(request, tmp_path_factory) -> Iterator[Server]:
    """One that is started by each of the commands."""
    log = tmp_path_factory.mktemp("server") / "log.txt"
    server = Server(log, "uvicorn" if request.param == "Dockerfile" else request.param)
    try:
        server.start() if request.param != "Dockerfile" else server.start_by(_words(server.port))
        yield server
    finally:
        server.stop()


def _words(port: int) -> list[str]:
    """The command that the image's supervisor runs, for this machine."""
    command = stages()["app"].command[3:]
    return [{"0.0.0.0": "127.0.0.1", "8501": str(port)}.get(word, word) for word in command]


def ask(server: Server, target: str) -> None:
    headers = {"Referer": f"{server.address}/?g={GRAPH}"}
    with suppress(HTTPError):
        urlopen(Request(server.address + target, headers=headers), timeout=30).read()


@pytest.mark.nightly
@pytest.mark.sampled(3)
def test_the_log_has_neither_graph_nor_secret(server):
    for path in ("/", "/lessons", "/none", "/static/none.js", "/_stcore/metrics", "/media/none"):
        ask(server, f"{path}?g={GRAPH}")
    with visiting(server.address) as visitor:
        secret = json.loads(visitor.elements["canvas"].json)["socket"]
        with connect(
            f"ws://127.0.0.1:{server.port}/lab-socket?g={GRAPH}", subprotocols=["lab", secret]
        ) as socket:
            socket.send("{}")
            assert secret in socket.recv(30)
        for origin, word in [("http://evil.example", "lab"), (server.address, "other")]:
            with pytest.raises(InvalidStatus):
                connect(
                    f"ws://127.0.0.1:{server.port}/lab-socket?g={GRAPH}",
                    subprotocols=[word, secret],
                    origin=origin,
                )
    log = server.log.read_text()
    assert GRAPH not in log
    assert secret not in log
    assert ("/lab-socket" in log) == (server.command == "uvicorn")  # `streamlit run` notes no requests
    assert log.count("GET /none HTTP") == (server.command == "uvicorn")


def test_only_the_query_of_an_address_is_cut():
    made = logging.makeLogRecord({"msg": "%s %s %s %d", "args": ("a?b", "/c?d=e", "GET", 200)})
    assert without_query(made)
    assert made.getMessage() == "a?b /c GET 200"
    assert without_query(logging.makeLogRecord({"msg": "x", "args": ()}))


def test_the_filter_is_added_once():
    filter_logs()
    filter_logs()
    assert [logging.getLogger(name).filters.count(without_query) for name in LOGS] == [1, 1]


def test_what_uvicorn_and_streamlit_both_write_is_written_once(monkeypatch):
    said: list[str] = []
    log = logging.getLogger("uvicorn.access")
    both = [logging.Handler(), logging.Handler()]
    for handler in both:
        handler.emit = lambda record: said.append(record.getMessage())
    # As uvicorn's LOGGING_CONFIG and streamlit/logger.py leave it.
    monkeypatch.setattr(log, "handlers", [*both])
    monkeypatch.setattr(log, "streamlit_console_handler", both[1], raising=False)
    filter_logs()
    log.warning("GET /")
    assert said == ["GET /"]
    monkeypatch.setattr(log, "handlers", both[1:])  # under `streamlit run` it is the only one
    filter_logs()
    log.warning("GET /lessons")
    assert said == ["GET /", "GET /lessons"]


def fault(error: Exception, message: str = "An edit failed") -> logging.LogRecord:
    return logging.makeLogRecord({"msg": message, "exc_info": (type(error), error, None)})


def test_a_fault_that_happens_a_thousand_times_is_logged_once_and_counted():
    now = [0.0]
    seldom = Seldom(lambda: now[0])
    assert [seldom(fault(KeyError("x"))) for _ in range(1000)].count(True) == 1
    now[0] = SECONDS
    later = fault(KeyError("y"))
    assert seldom(later)
    assert later.getMessage() == "An edit failed (999 more like it since the last one)"


def test_another_fault_is_logged_beside_it():
    seldom = Seldom(lambda: 0.0)
    assert [seldom(fault(error)) for error in (KeyError("x"), TypeError("x"), KeyError("y"))] == [
        True,
        True,
        False,
    ]
    assert seldom(fault(KeyError("x"), "A callback failed"))


def test_the_logs_of_visitors_faults_are_those_that_are_filtered():
    filter_logs()
    assert {name: len(logging.getLogger(name).filters) for name in FAULTS} == dict.fromkeys(FAULTS, 1)
    assert {apply._log.name, session._log.name, reading._log.name} == {*FAULTS}
