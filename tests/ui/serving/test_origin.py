"""Test the address under which visitors reach the server, behind proxies and without."""

from __future__ import annotations

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from autodiff_viz.ui.serving.origin import origin
from tests.ui.serving.asgi import get

PROXY, STRANGER = ("10.0.0.2", 40_000), ("203.0.113.7", 40_000)
SAID = {
    "x-forwarded-for": "198.51.100.4",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "lab.school.example",
}


async def _here(scope, receive, send):
    await PlainTextResponse(origin(Request(scope)))(scope, receive, send)


def seen(headers, trusted="127.0.0.1", **scope) -> str:
    """`origin` as the app sees it inside Uvicorn, which reads the same setting."""
    return get(ProxyHeadersMiddleware(_here, trusted), "/", headers, **scope).text


def test_without_a_proxy_it_is_the_host_that_the_visitor_asked(monkeypatch):
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    assert seen({"host": "127.0.0.1:8501"}) == "http://127.0.0.1:8501"
    assert seen({"host": "[::1]:8501"}) == "http://[::1]:8501"
    assert seen({}, root_path="/lab") == "http://lab.example/lab"


def test_nobody_but_a_trusted_proxy_can_tell_another_host(monkeypatch):
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    assert seen(SAID, client=STRANGER) == "http://lab.example"
    assert seen(SAID, client=PROXY) == "http://lab.example"


@pytest.mark.parametrize("setting", ["10.0.0.2", "192.0.2.1, 10.0.0.0/8", "*"])
def test_a_trusted_proxy_tells_scheme_and_host(monkeypatch, setting):
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", setting)
    assert seen(SAID, setting, client=PROXY) == "https://lab.school.example"
    only_host = {"x-forwarded-host": "a.example, b.example"}
    assert seen(only_host, setting, client=PROXY) == "http://a.example"


def test_an_address_beside_a_trusted_proxy_is_not_trusted(monkeypatch):
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "10.0.0.0/8")
    assert seen(SAID, "10.0.0.0/8", client=STRANGER) == "http://lab.example"


@pytest.mark.parametrize("host", ['x"><b>', "a b", "", "x:99999999", "evil.example/path", "\u00fc", "x\\y"])
def test_what_is_no_host_is_not_said_back(host):
    assert seen({"host": host}) == ""
