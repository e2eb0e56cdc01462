"""Test on real processes that a lab on one's own machine ends with its caller, and whom it answers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from autodiff_viz.ui.server.routes import ROUTES
from tests.browser.server import ROOT, free_port
from tests.own_lesson import KEY

CALLER = """
import os, signal, sys
import autodiff_viz as av
for port in sys.argv[1:]:
    print(av.lab(av.parse("x = 2.0\\ny = sin(x)"), port=int(port), open_browser=False), flush=True)
{forked}
how = sys.stdin.readline().strip()
if how == "raise":
    raise ValueError("a mistake of the caller")
if how == "stop":
    av.lab.launch.stop(int(sys.argv[1]))
"""
FORKED = """
if os.fork() == 0:  # outlives the caller, and lets go of what the test reads
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    signal.pause()
"""
ENDING = 30  # seconds, on a busy machine
STREAMLITS = (
    "/_stcore/health", "/_stcore/host-config", "/_stcore/metrics", "/_stcore/script-health-check",
    "/_stcore/agent/openapi.json", "/_stcore/bidi-components/none/x.js", "/component/none/x.js",
    "/static/none.js", "/media/none.png", "/favicon.png", "/index.html", "/none",
)  # fmt: skip


class Caller:
    """A process that has called `av.lab` for each of these ports. Its standard error is also its servers'."""

    def __init__(self, *ports: int, forked: str = ""):
        settings = {"JAX_PLATFORMS": "cpu", "AUTODIFF_VIZ_WARM_UP": "off", "AUTODIFF_VIZ_WORKERS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", CALLER.format(forked=forked), *map(str, ports)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, **settings},
            text=True,
        )
        self.addresses = [self.process.stdout.readline().strip() for _ in ports]

    def end(self, how: str | int) -> str:
        """Have it end by a word or by a signal, and wait until its servers have ended too.

        Raises:
          TimeoutExpired: a process that it has started still has the pipe of its standard error.
        """
        if isinstance(how, int):
            self.process.send_signal(how)
        return self.process.communicate(None if isinstance(how, int) else how, ENDING)[1]

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.returncode is None:
            self.process.kill()
            self.process.communicate(timeout=ENDING)


def answers(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.every
@pytest.mark.parametrize(
    "how",
    [
        signal.SIGKILL,
        pytest.param("return", marks=pytest.mark.nightly),
        pytest.param("raise", marks=pytest.mark.nightly),
        pytest.param("stop", marks=pytest.mark.nightly),
        pytest.param(signal.SIGTERM, marks=pytest.mark.nightly),
    ],
)
def test_all_labs_end_with_their_caller_however_it_ends(how):
    ports = free_port(), free_port()
    with Caller(*ports) as caller, ExitStack() as visits:
        for address in caller.addresses:  # each has a page open
            visits.enter_context(opened(address))
        assert [answers(port) for port in ports] == [True, True]
        said = caller.end(how)
    assert [answers(port) for port in ports] == [False, False]
    assert ("a mistake of the caller" in said) == (how == "raise")


@pytest.mark.nightly
def test_a_process_that_the_caller_has_forked_does_not_keep_the_lab():
    port = free_port()
    with Caller(port, forked=FORKED) as caller:
        caller.end(signal.SIGKILL)
        assert not answers(port)


@pytest.fixture(scope="module")
def lab() -> Iterator[tuple[str, str, str]]:
    """(address without path, token, cookie) of a lab that runs."""
    with Caller(free_port()) as caller:
        parts = urlsplit(caller.addresses[0])
        token = parts.query.partition("&")[0].removeprefix("token=")
        yield f"http://{parts.netloc}", token, f"autodiff_viz_{parts.port}={token}"
        said = caller.end("return")
    assert token not in said


def opened(address: str, path: str = "/_stcore/stream", **headers: str):
    """A websocket that a page at `address` opens, which has the token of it."""
    parts = urlsplit(address)
    token = parts.query.partition("&")[0].removeprefix("token=")
    given = {
        "Cookie": f"autodiff_viz_{parts.port}={token}",
        "Origin": f"http://{parts.netloc}",
        **headers,
    }
    origin = given.pop("Origin")
    return connect(
        f"ws://{parts.netloc}{path}", subprotocols=["streamlit"], origin=origin, additional_headers=given
    )


def status(address: str, **headers: str) -> int:
    try:
        return urlopen(Request(address, headers=headers), timeout=30).status
    except HTTPError as error:
        return error.code


def test_every_path_asks_for_the_token(lab):
    server, token, cookie = lab
    paths = [route.path.format(name=KEY) for route in ROUTES] + [*STREAMLITS]
    assert len({*paths}) > 15
    assert {path: status(server + path) for path in paths} == dict.fromkeys(paths, 403)
    assert {
        path: status(server + path, Host="evil.example", Cookie=cookie) for path in paths
    } == dict.fromkeys(paths, 403)
    for path in ("/", "/lessons", "/ready", "/_stcore/health", f"/cards/{KEY}.png"):
        assert status(server + path, Cookie=cookie) == 200
    entry = urlopen(f"{server}/?token={token}", timeout=30)
    assert entry.headers["Referrer-Policy"] == "strict-origin"  # the next page learns nothing of the query
    assert "frame-ancestors 'self'" in entry.headers["Content-Security-Policy"]
    assert status(f"{server}/?token=x{token}") == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://localhost:8888"},
        {"Cookie": "autodiff_viz_8501=x"},
    ],
)
def test_a_websocket_of_somebody_else_is_refused(lab, headers):
    server, token, _ = lab
    with opened(f"{server}/?token={token}") as own:
        assert own.subprotocol == "streamlit"
    for path in ("/_stcore/stream", "/lab-socket"):
        with pytest.raises(InvalidStatus, match="403"):
            opened(f"{server}/?token={token}", path, **headers)
