"""Test on real servers that `streamlit run app.py` and `uvicorn app:app` serve the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from autodiff_viz.lessons.gallery import LESSONS, SERVED
from tests.browser.server import COMMANDS, Server

PAGE = {"Referer": "http://127.0.0.1/"}
STREAM = "/_stcore/stream"
FILE = b"--x\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\nparked\r\n--x--\r\n"


@pytest.fixture(scope="module", params=[*COMMANDS])
def server(request, tmp_path_factory) -> Iterator[Server]:
    """With two places."""
    settings = {"AUTODIFF_VIZ_VISITORS": "2", "AUTODIFF_VIZ_HOSTS": "*"}
    server = Server(tmp_path_factory.mktemp("server") / "log.txt", request.param, **settings)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def fetch(server: Server, path: str, method: str = "GET", data: bytes | None = None, **headers: str):
    """(status, headers, body)"""
    request = Request(server.address + path, data, headers, method=method)
    try:
        with urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read()
    except HTTPError as error:
        return error.code, error.headers, error.read()


def visit(server: Server):
    """A websocket to Streamlit, as a browser opens it."""
    return connect(f"ws://127.0.0.1:{server.port}{STREAM}", subprotocols=["streamlit"], origin=server.address)


def session_of(socket) -> str:
    """The name of the session that Streamlit has made for a websocket."""
    socket.send(BackMsg(rerun_script=ClientState()).SerializeToString())
    message = ForwardMsg()
    while message.WhichOneof("type") != "new_session":
        message.ParseFromString(socket.recv(timeout=60))
    return message.new_session.initialize.session_id


def test_a_lesson_has_its_title_in_the_page_itself(server):
    status, headers, body = fetch(server, f"/?lesson={LESSONS[0].key}")
    assert status == 200
    assert int(headers["Content-Length"]) == len(body)
    assert re.findall(r"<title>(.*?)</title>", body.decode()) == [f"{LESSONS[0].title} · autodiff_viz"]
    assert f'content="{server.address}/cards/{LESSONS[0].key}.png"' in body.decode()
    assert fetch(server, f"/cards/{LESSONS[0].key}.png")[2].startswith(b"\x89PNG")
    assert b"<title>Lessons" in fetch(server, "/lessons")[2]


def test_the_files_that_the_page_asks_for_are_there(server):
    found = re.findall(r'(?:src|href)="\./(static/[^"]+)"', fetch(server, "/")[2].decode())
    assert len(found) > 10
    assert {fetch(server, f"/{path}")[0] for path in found} == {200}


def test_what_crawlers_and_balancers_ask_for_is_there(server):
    assert f"{server.address}/sitemap.xml".encode() in fetch(server, "/robots.txt")[2]
    assert fetch(server, "/sitemap.xml")[2].count(b"<loc>") == len(SERVED) + 2
    assert fetch(server, "/ready")[::2] == (200, b'{"ready":true,"state":"warm"}')
    assert fetch(server, "/ready", "HEAD")[0] == 200


def test_an_upload_is_refused_though_the_session_is_there(server):
    with visit(server) as socket:
        cookie = fetch(server, "/_stcore/health")[1]["Set-Cookie"].partition(";")[0]
        allowed = {"Cookie": cookie, "X-Xsrftoken": cookie.partition("=")[2]}
        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        place = f"/_stcore/upload_file/{session_of(socket)}/f"
        assert fetch(server, place, "PUT", FILE, **allowed, **kind)[0] == 404
    assert fetch(server, "/_stcore/metrics")[0] == 404


def test_the_visitor_after_the_last_is_told_that_the_lab_is_full(server):
    with visit(server), visit(server):
        status, headers, body = fetch(server, "/")
        assert (status, b"All 2 places" in body) == (503, True)
        assert int(headers["Retry-After"]) > 0
        assert fetch(server, "/_stcore/health", **PAGE)[0] == 503
        assert fetch(server, "/_stcore/health")[0] == 200
        with pytest.raises(InvalidStatus):
            visit(server)


def test_a_server_that_has_just_started_is_not_ready(tmp_path):
    server = Server(tmp_path / "log.txt", "uvicorn", AUTODIFF_VIZ_WARM_UP="on")
    try:
        server.start()
        status, _, body = fetch(server, "/ready")
    finally:
        server.kill()
    assert (status, json.loads(body)) == (503, {"ready": False, "state": "warming up"})
