"""Test the address under which visitors reach the server, behind proxies and without."""

from __future__ import annotations

import pytest
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse
from streamlit import config, net_util
from streamlit.web.server import server_util
from streamlit.web.server.starlette import starlette_websocket
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from autodiff_viz.ui.server.admission import HOSTS, OPAQUE, is_from_own_page, origin
from tests.ui.server.asgi import get

PROXY, STRANGER = ("10.0.0.2", 40_000), ("203.0.113.7", 40_000)
SAID = {
    "x-forwarded-for": "198.51.100.4",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "lab.school.example",
}


async def _here(scope, receive, send):
    await PlainTextResponse(origin(Request(scope)))(scope, receive, send)


@pytest.fixture(autouse=True)
def _any_host(monkeypatch):
    monkeypatch.setenv(HOSTS, "*")


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


@pytest.mark.parametrize("listed", ["", "lab.example", "lab.example:8501, school.example", "evil.example:80"])
def test_a_host_that_is_not_listed_is_not_said_back(monkeypatch, listed):
    monkeypatch.setenv(HOSTS, listed)
    assert seen({"host": "evil.example"}) == ""
    assert seen({"host": "evil.example"}, root_path="/lab") == "/lab"
    assert seen({"host": "lab.example:1"}) == ""


def test_without_the_setting_no_host_is_said_back(monkeypatch):
    monkeypatch.delenv(HOSTS)
    assert seen({"host": "127.0.0.1:8501"}) == ""


def test_a_listed_host_is_said_back(monkeypatch):
    monkeypatch.setenv(HOSTS, "Lab.example, school.example:8501")
    assert seen({"host": "lab.example"}) == "http://lab.example"
    assert seen({"host": "school.example:8501"}, scheme="https") == "https://school.example:8501"


async def _own(scope, receive, send):
    await PlainTextResponse(str(is_from_own_page(HTTPConnection(scope))))(scope, receive, send)


def own(headers, trusted="127.0.0.1", **scope) -> bool:
    """`is_from_own_page` as the app sees a websocket inside Uvicorn."""
    return get(ProxyHeadersMiddleware(_own, trusted), "/", headers, **scope).text == "True"


@pytest.fixture
def settings(monkeypatch) -> dict:
    """Streamlit's settings, by name; those that are not there have their defaults."""
    given: dict = {}
    before = config.get_option
    monkeypatch.setattr(config, "get_option", lambda name: given.get(name, before(name)))
    monkeypatch.setattr(net_util, "_external_ip", "198.51.100.99")  # so that Streamlit asks nobody for it
    return given


PAGES = [
    None, "http://lab.example", "https://lab.example", "http://evil.example", "http://lab.example:1",
    "null", "",
    "http://localhost:3000", "http://127.0.0.1", "http://lab.example.evil.example",
    "http://evil.example/lab.example",
    "http://lab.example@evil.example", "https://school.example", "https://school.example:8443",
]  # fmt: skip


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"server.enableCORS": False},
        {"server.corsAllowedOrigins": ["https://school.example"]},
        {"browser.serverAddress": "school.example"},
        {"server.allowedHosts": ["lab.example"]},
        {"server.allowedHosts": ["*.school.example"]},
    ],
)
def test_a_page_may_connect_where_streamlit_lets_it(settings, monkeypatch, given):
    monkeypatch.setattr(config, "is_manually_set", lambda name: name in given)
    settings.update(given)
    for page in PAGES:
        if page == OPAQUE:
            continue  # a sandboxed frame: test_poster.py
        theirs = starlette_websocket._is_origin_allowed(page, "lab.example")
        assert own({} if page is None else {"origin": page}) == theirs, page


def test_nobody_on_the_internet_is_asked_whether_a_page_may_connect(settings, monkeypatch):
    asked = []
    monkeypatch.setattr(net_util, "_external_ip", None)
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda url, timeout: asked.append(url))
    assert not own({"origin": "http://evil.example"})
    assert asked == []
    assert not server_util.is_url_from_allowed_origins("http://evil.example")
    assert asked != []  # Streamlit does, so such a page must not come so far


def test_a_page_behind_a_proxy_that_changes_the_host_may_connect(monkeypatch):
    told = {"host": "app:8501", "origin": "https://lab.school.example", **SAID}
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "10.0.0.2")
    assert own(told, "10.0.0.2", client=PROXY)
    assert not own({**told, "origin": "https://evil.example"}, "10.0.0.2", client=PROXY)
    assert not own(told, "10.0.0.2", client=STRANGER)
