"""Test what browsers are told about pages of the lab; `tests/browser` shows that the pages live with it."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from autodiff_viz.ui.panels.lesson import PROGRESS
from autodiff_viz.ui.server.admission import FRAMES, Gate, Visits
from autodiff_viz.ui.server.opening import BOOT as OPENING
from autodiff_viz.ui.server.poster import BOOT, THEME
from autodiff_viz.ui.server.security_headers import GUARDED, failed, headers, inline_scripts, policy
from tests.own_lesson import KEY
from tests.ui.server.asgi import answered, finished, get

POLICY = "content-security-policy"
ALWAYS = {POLICY, "x-content-type-options", "referrer-policy", "permissions-policy"}


def rules(text: str) -> dict[str, list[str]]:
    """A policy as a browser reads it: sources by directive."""
    return {name: sources for name, *sources in map(str.split, text.split(";"))}


async def _broken(request):
    raise RuntimeError("a bug")


def served(visits: int = 1) -> Starlette:
    """An app with the project's middleware, one page and a bug."""
    return Starlette(
        routes=[Route("/", lambda request: PlainTextResponse("ok")), Route("/bug", _broken)],
        middleware=[GUARDED, Middleware(Gate, visits=Visits(visits))],
        exception_handlers={Exception: failed},
    )


@pytest.mark.parametrize(("target", "status"), [("/", 200), ("/none", 404), ("/_stcore/metrics", 404)])
def test_every_answer_has_them(target, status):
    answer = get(served(), target)
    assert answer.status == status
    assert answer.headers.keys() >= ALWAYS


def test_the_answer_that_a_bug_leaves_has_them_and_says_nothing_of_it():
    async def story():
        sent = []
        with pytest.raises(RuntimeError):
            await served()(
                {"type": "http", "method": "GET", "path": "/bug", "headers": [], "query_string": b""},
                None,
                lambda message: _note(sent, message),
            )
        return sent

    start, body = finished(story())
    assert start["status"] == 500
    assert {name.decode() for name, _ in start["headers"]} >= ALWAYS
    assert body["body"] == b"Internal Server Error"


async def _note(sent, message):
    sent.append(message)


def test_no_header_is_there_twice():
    async def app(scope, receive, send):
        await PlainTextResponse("ok", headers={"X-Content-Type-Options": "other"})(scope, receive, send)

    answer = finished(answered(GUARDED.cls(app, **GUARDED.kwargs), "/"))
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_page_with_its_own_policy_keeps_it_and_the_setting_of_who_may_embed_it():
    async def app(scope, receive, send):
        own = {"Content-Security-Policy": "script-src 'sha256-a'"}
        await PlainTextResponse("ok", headers=own)(scope, receive, send)

    guarded = GUARDED.cls(app, headers={"Content-Security-Policy": policy("https://school.example", [])})
    said = finished(answered(guarded, "/")).headers["content-security-policy"]
    assert said == "script-src 'sha256-a'; frame-ancestors https://school.example"


def test_scripts_come_from_the_server_and_inline_ones_are_named_by_their_hashes():
    found = rules(policy("*", ["let a = 1;"]))
    digest = b64encode(sha256(b"let a = 1;").digest()).decode()
    assert found["script-src"] == ["'self'", "blob:", "'wasm-unsafe-eval'", f"'sha256-{digest}'"]
    for name in ("default-src", "object-src", "base-uri", "form-action"):
        assert {*found[name]} <= {"'self'", "'none'"}
    assert not any(
        "http" in source or source == "*"
        for name in found
        if name != "frame-ancestors"
        for source in found[name]
    )


def test_each_inline_script_of_a_page_is_named():
    assert [text.strip()[:8] for text in inline_scripts()] == [
        "window.p",
        "document",
        "(() => {",
        *(text.strip()[:8] for text in (PROGRESS.read_text("utf-8"), OPENING, BOOT, THEME)),
    ]
    assert all(text for text in inline_scripts())


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (None, ["*", "file:"]),
        ("none", ["'none'"]),
        ("'self'", ["'self'"]),
        (
            "https://school.example https://*.other.example",
            ["https://school.example", "https://*.other.example"],
        ),
    ],
)
def test_who_may_embed_the_lab_is_a_setting(monkeypatch, setting, said):
    monkeypatch.delenv(FRAMES, raising=False)
    if setting:
        monkeypatch.setenv(FRAMES, setting)
    assert rules(headers([])["Content-Security-Policy"])["frame-ancestors"] == said


@pytest.mark.parametrize("wrong", ["*; script-src *", "a, b", "https://sch\u00f6n.example"])
def test_a_setting_cannot_add_a_directive(monkeypatch, wrong):
    monkeypatch.setenv(FRAMES, wrong)
    with pytest.raises(ValueError, match="AUTODIFF_VIZ_FRAMES is "):
        headers([])


def test_a_link_to_another_site_does_not_carry_the_graph_in_the_address():
    assert headers([])["Referrer-Policy"] == "strict-origin"


@pytest.mark.parametrize(
    "path",
    ["/", "/lessons", f"/?lesson={KEY}", f"/cards/{KEY}.png", "/ready", "/static/none.js", "/_stcore/health"],
)
def test_a_server_sends_each_of_them_once(server, path):
    try:
        answer = urlopen(server.address + path, timeout=30)
    except HTTPError as error:
        answer = error
    assert {name: len(answer.headers.get_all(name, [])) for name in ALWAYS} == dict.fromkeys(ALWAYS, 1)


def test_streamlits_own_files_have_them_too(server):
    (path, *_) = re.findall(
        r'="\./(static/js/[^"]+)"', urlopen(f"{server.address}/", timeout=30).read().decode()
    )
    assert {*map(str.lower, urlopen(f"{server.address}/{path}", timeout=30).headers)} >= ALWAYS
