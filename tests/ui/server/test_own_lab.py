"""Test that a lab on one's own machine answers to nobody but its owner."""

from __future__ import annotations

import re
from html import unescape
from types import SimpleNamespace

import pytest
from starlette.responses import PlainTextResponse

from autodiff_viz.ui.server.admission import FRAMES, framing_sites
from autodiff_viz.ui.server.own_lab import OWN_LAB, TOKEN, OwnLab
from tests.ui.server.asgi import finished, get

SECRET, HOST = "a-token_of-43-letters", "127.0.0.1:8501"
COOKIE = {"cookie": f"other=1; autodiff_viz_8501={SECRET}"}
PATHS = [
    "/",
    "/?g=A",
    "/lessons",
    "/ready",
    "/embed.svg?g=A",
    "/static/js/a.js",
    "/_stcore/health",
    "/media/a.png",
]
SOCKETS = ["/_stcore/stream", "/lab-socket"]


@pytest.fixture
def lab() -> SimpleNamespace:
    """The middleware, and the paths that came through it."""
    found = SimpleNamespace(came=[])

    async def inside(scope, receive, send):
        found.came.append(scope.get("path", scope["type"]))
        if scope["type"] == "http":
            await PlainTextResponse("ok")(scope, receive, send)
        else:
            await send({"type": "websocket.accept"})

    found.app = OwnLab(inside, SECRET)
    return found


def ask(lab, target, host=HOST, **headers):
    return get(lab.app, target, {"host": host, **headers})


def handshake(lab, path, host=HOST, origin: str | None = f"http://{HOST}", **headers) -> str:
    """What a websocket is told."""
    given = {"host": host, **({"origin": origin} if origin is not None else {}), **headers}
    said = []

    async def send(message):
        said.append(message["type"])

    scope = {
        "type": "websocket",
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), text.encode("latin-1")) for name, text in given.items()],
        "server": ("127.0.0.1", 8501),
    }
    finished(lab.app(scope, None, send))
    (only,) = said
    return only


@pytest.mark.parametrize("path", PATHS)
def test_without_the_token_nothing_is_answered(lab, path):
    for headers in (
        {},
        {"cookie": f"autodiff_viz_8501={SECRET}x"},
        {"cookie": f"autodiff_viz_8502={SECRET}"},
    ):
        answer = ask(lab, path, **headers)
        assert answer.status == 403
        assert answer.headers["cache-control"] == "no-store"
        assert SECRET not in answer.text
    assert lab.came == []
    assert ask(lab, path, **COOKIE).text == "ok"


@pytest.mark.parametrize(
    "host", ["evil.example:8501", "evil.example", "127.0.0.1", "127.0.0.1:80", "localhost:8502", ""]
)
@pytest.mark.parametrize("path", PATHS)
def test_under_another_host_nothing_is_answered_even_with_the_token(lab, path, host):
    """As a name of another site that leads here (DNS rebinding)."""
    around = "&" if "?" in path else "?"
    for target in (path, f"{path}{around}token={SECRET}"):
        answer = ask(lab, target, host, **COOKIE)
        assert answer.status == 403
        assert "set-cookie" not in answer.headers
    assert lab.came == []


@pytest.mark.parametrize("host", ["127.0.0.1:8501", "localhost:8501", "[::1]:8501"])
def test_every_name_of_this_machine_is_its_own(lab, host):
    assert ask(lab, "/", host, **COOKIE).text == "ok"
    assert handshake(lab, SOCKETS[0], host, f"http://{host}", **COOKIE) == "websocket.accept"


@pytest.mark.parametrize("path", SOCKETS)
@pytest.mark.parametrize(
    ("host", "origin"),
    [
        (HOST, "null"),
        (HOST, None),
        (HOST, "http://evil.example"),
        (HOST, "https://127.0.0.1:8501"),
        (HOST, "http://127.0.0.1"),
        (HOST, "http://127.0.0.1:8888"),
        (HOST, "http://localhost:8501"),
        ("evil.example:8501", "http://evil.example:8501"),
        ("localhost:8501", f"http://{HOST}"),
    ],
)
def test_a_websocket_is_opened_by_a_page_of_this_server_alone(lab, path, host, origin):
    assert handshake(lab, path, host, origin, **COOKIE) == "websocket.close"
    assert handshake(lab, path) == "websocket.close"  # without the token
    assert lab.came == []
    assert handshake(lab, path, **COOKIE) == "websocket.accept"


@pytest.mark.parametrize(
    ("target", "goes_on_at"),
    [
        (f"/?token={SECRET}", "/"),
        (f"/?token={SECRET}&g=1eN&node=a%26b", "/?g=1eN&node=a%26b"),
        (f"/lessons?q=%22%3E%3Cb%3E&token={SECRET}&mytoken=1", "/lessons?q=%22%3E%3Cb%3E&mytoken=1"),
        (f'//evil.example/"><b>?token={SECRET}', '//evil.example/"><b>'),
    ],
)
def test_the_token_is_taken_out_of_the_address_and_kept_in_a_cookie(lab, target, goes_on_at):
    answer = ask(lab, target)
    assert (answer.status, lab.came) == (200, [])
    there = unescape(re.findall(r'http-equiv="refresh" content="0; url=([^"]*)"', answer.text)[0])
    assert there == f"http://{HOST}{goes_on_at}"
    assert "<b>" not in answer.text
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"autodiff_viz_8501={SECRET};")
    assert {part.strip().lower() for part in cookie.split(";")[1:]} == {
        "httponly",
        "path=/",
        "samesite=strict",
    }
    assert SECRET not in answer.text


def test_whoever_was_let_in_goes_on_with_an_address_of_an_earlier_server_and_nobody_else(lab):
    assert ask(lab, "/?token=old&g=A").status == 403
    answer = ask(lab, "/?token=old&g=A", **COOKIE)
    assert f"url=http://{HOST}/?g=A" in answer.text
    assert lab.came == []


def test_who_comes_without_the_token_is_told_how_to_open_the_lab(lab):
    text = ask(lab, "/?g=A&node=%22").text
    assert f"http://{HOST}/?token=" in text
    assert f'href="http://{HOST}/?g=A&amp;node=%22"' in text  # the cookie is sent with a click on it
    assert f"http://{HOST}/" in ask(lab, "/", "evil.example").text
    assert "evil" not in ask(lab, "/", "evil.example").text


def test_what_is_no_request_is_passed_on(lab):
    finished(lab.app({"type": "lifespan"}, None, ignored))
    assert lab.came == ["lifespan"]


async def ignored(message):
    pass


def test_a_server_that_has_no_token_is_for_everybody():
    assert OWN_LAB == []


def test_no_other_site_frames_a_lab_of_ones_own(monkeypatch):
    monkeypatch.delenv(FRAMES, raising=False)
    monkeypatch.delenv(TOKEN, raising=False)
    assert framing_sites() == "* file:"
    monkeypatch.setenv(TOKEN, SECRET)
    assert framing_sites() == "'self'"
