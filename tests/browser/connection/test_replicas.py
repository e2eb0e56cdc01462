"""Test deploy/nginx.conf with nginx before two replicas: visitors stay with theirs, and outlive its end."""

from __future__ import annotations

import gzip
import os
import signal
import socket
import time
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from autodiff_viz.graph import limits
from tests.browser.connection.test_never_lost import STOPPED, add_quickly, returned
from tests.browser.lab_page import FOLDED, LabPage, saying
from tests.browser.replicas import HOW_TO_GET_NGINX, STATIC, Proxy, nginx
from tests.browser.server import Server
from tests.own_lesson import KEY, TITLE

CLASS = 200  # students behind one address
SOCKETS = 500  # that nginx lets one address have
COOKIE = "0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    if nginx() is None and os.environ.get("CI"):
        pytest.fail(HOW_TO_GET_NGINX, pytrace=False)
    if nginx() is None:
        pytest.skip(HOW_TO_GET_NGINX)
    folder = tmp_path_factory.mktemp("replicas")
    servers = [
        Server(folder / f"log{n}.txt", "uvicorn", FORWARDED_ALLOW_IPS="*", AUTODIFF_VIZ_HOSTS="*")
        for n in range(2)
    ]
    proxy = Proxy(folder, servers)
    try:
        proxy.start()
        for server in servers:
            server.start()
        yield proxy
    finally:
        proxy.stop()
        for server in servers:
            server.stop()


def fetch(proxy: Proxy, path: str, method: str = "GET", **headers: str):
    """(status, headers, body)"""
    try:
        with urlopen(Request(proxy.address + path, headers=headers, method=method), timeout=30) as answer:
            return answer.status, answer.headers, answer.read()
    except HTTPError as error:
        return error.code, error.headers, error.read()


def cookie_of(headers) -> str:
    """The cookie that nginx has set, as a browser sends it back; "" without one."""
    return (headers["Set-Cookie"] or "").partition(";")[0]


@pytest.mark.nightly
def test_a_visitor_without_a_cookie_gets_one_and_stays_with_the_replica_of_the_first_answer(proxy):
    found = []
    for visitor in range(30):
        _, headers, _ = fetch(proxy, f"/first-{visitor}")
        first, cookie = proxy.replica_of(f"/first-{visitor}"), cookie_of(headers)
        assert cookie.startswith("affinity=")
        for visit in range(3):
            _, headers, _ = fetch(proxy, f"/again-{visitor}-{visit}", Cookie=f"other=1; {cookie}")
            assert proxy.replica_of(f"/again-{visitor}-{visit}") is first
            assert cookie_of(headers) == ""
        found.append(first)
    assert {*found} == {*proxy.servers}


@pytest.mark.parametrize("wrong", ["x", "", f"{COOKIE}0", COOKIE.upper()])
def test_a_cookie_that_nginx_has_not_made_is_replaced(proxy, wrong):
    assert cookie_of(fetch(proxy, "/robots.txt", Cookie=f"affinity={COOKIE}")[1]) == ""
    assert cookie_of(fetch(proxy, "/robots.txt", Cookie=f"affinity={wrong}")[1]) != ""


def test_the_cookie_works_in_a_frame_on_another_site_when_it_comes_over_https(proxy):
    plain = fetch(proxy, "/robots.txt")[1]["Set-Cookie"]
    secure = fetch(proxy, "/robots.txt", **{"X-Forwarded-Proto": "https"})[1]["Set-Cookie"]
    assert "SameSite=Lax" in plain
    assert "Secure" not in plain
    assert "SameSite=None; Secure; Partitioned" in secure
    assert "HttpOnly" in plain
    assert "HttpOnly" in secure


def test_addresses_are_those_that_the_visitor_sees(proxy):
    assert f"{proxy.address}/sitemap.xml".encode() in fetch(proxy, "/robots.txt")[2]
    secure = fetch(proxy, "/robots.txt", Host="lab.example", **{"X-Forwarded-Proto": "https"})[2]
    assert b"https://lab.example/sitemap.xml" in secure


def test_a_websocket_goes_through(proxy):
    with connect(f"ws://127.0.0.1:{proxy.port}/_stcore/stream", subprotocols=["streamlit"]) as opened:
        assert opened.subprotocol == "streamlit"


@pytest.mark.parametrize(
    "path",
    [
        "/_stcore/upload_file/a/b",
        "/_stcore/metrics",
        "/_stcore/agent/openapi.json",
        "/_stcore/agent/interact",
    ],
)
@pytest.mark.parametrize("method", ["GET", "PUT", "POST"])
def test_nobody_reaches_what_visitors_need_not(proxy, path, method):
    assert fetch(proxy, path, method)[0] == 404
    assert proxy.replica_of(path) is None


def test_streamlits_own_files_come_packed_and_not_from_python(proxy):
    path = next((STATIC / "js").glob("index.*.js"))
    name = f"/static/js/{path.name}"
    status, headers, body = fetch(proxy, name, **{"Accept-Encoding": "gzip, br"})
    assert (status, headers["Content-Encoding"], headers["Vary"]) == (200, "gzip", "Accept-Encoding")
    assert "javascript" in headers["Content-Type"]
    assert headers["Cache-Control"] == "public, immutable, max-age=31536000"
    assert gzip.decompress(body) == path.read_bytes()
    assert len(body) < path.stat().st_size / 2
    assert proxy.replica_of(name) is None
    assert fetch(proxy, name)[2] == path.read_bytes()


HEADERS = ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Permissions-Policy")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        f"/?lesson={KEY}",
        "/none",
        f"/cards/{KEY}.png",
        "/static/{script}",
        "/static/none.js",
        "/_stcore/metrics",
    ],
)
def test_security_headers_are_there_once_whoever_answers(proxy, path):
    script = next((STATIC / "js").glob("index.*.js"))
    _, headers, _ = fetch(proxy, path.format(script=f"js/{script.name}"))
    assert [len(headers.get_all(name, [])) for name in HEADERS] == [1, 1, 1, 1]


def test_the_apps_policy_goes_through(proxy):
    theirs = urlopen(f"{proxy.servers[0].address}/", timeout=30).headers
    ours = fetch(proxy, "/")[1]
    assert [ours[name] for name in HEADERS] == [theirs[name] for name in HEADERS]


def test_a_page_of_another_site_is_refused_through_nginx_too(proxy):
    stream = f"ws://127.0.0.1:{proxy.port}/_stcore/stream"
    with pytest.raises(InvalidStatus):
        connect(stream, subprotocols=["streamlit"], origin="http://evil.example")
    with connect(stream, subprotocols=["streamlit"], origin=proxy.address) as opened:
        assert opened.subprotocol == "streamlit"


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """nginx without any replica, with the figure of one lesson."""
    if nginx() is None:
        pytest.skip(HOW_TO_GET_NGINX)
    folder = tmp_path_factory.mktemp("alone")
    (folder / "figures").mkdir()
    for kind in ("html", "svg"):
        (folder / "figures" / f"{KEY}.{kind}").write_text(f"<p>the {kind}</p>")
    found = Proxy(folder, [Server(folder / "none.txt")])
    try:
        found.start()
        yield found
    finally:
        found.stop()


def test_no_log_of_nginx_has_a_graph_or_a_secret_also_when_no_replica_answers(proxy, alone):
    for one in (proxy, alone):
        for path in ("/", "/lessons", "/static/none.js", "/_stcore/metrics"):
            fetch(one, f"{path}?g=AGRAPH", Referer=f"{one.address}/?g=AGRAPH")
        fetch(one, "/?g=" + "AGRAPH" * 40_000)  # more than nginx reads
        with pytest.raises(InvalidStatus):
            connect(f"ws://127.0.0.1:{one.port}/lab-socket?g=AGRAPH", subprotocols=["lab", "0" * 32])
    for one in (proxy, alone):
        log = one.log.read_text() + (one.folder / "nginx.txt").read_text()
        assert '"GET /lab-socket"' in log
        assert "AGRAPH" not in log
        assert "0" * 32 not in log


def test_while_no_replica_answers_a_lesson_is_its_figure(alone):
    for path, kind in (
        (f"/?lesson={KEY}", "text/html"),
        (f"/?embed=1&v=1&lesson={KEY}&show=canvas", "text/html"),
        (f"/?lesson={KEY}&reveal=now", "text/html"),
        (f"/embed.svg?embed=1&v=1&lesson={KEY}", "image/svg+xml"),
    ):
        status, headers, body = fetch(alone, path)
        assert (status, headers["Content-Type"], headers["Retry-After"]) == (503, kind, "5"), path
        assert b"<p>the " in body
        assert [len(headers.get_all(name, [])) for name in HEADERS] == [1, 1, 1, 1]
        assert headers["Content-Security-Policy"] == "frame-ancestors * file:"  # a figure has its own besides
    for path in (
        "/",
        f"/lessons?lesson={KEY}",
        "/?lesson=none",
        f"/?lesson=../figures/{KEY}",
        f"/?lesson={KEY}&g=AGRAPH",
        f"/?lesson={KEY}&f=AGRAPH",
        f"/?embed=1&v=1&lesson={KEY}&reveal=ask",
    ):
        status, headers, body = fetch(alone, path)
        assert (status, b"Try again" in body) == (503, True), path
        assert "default-src 'self'" in headers["Content-Security-Policy"]


def test_a_page_comes_packed(proxy):
    _, headers, body = fetch(proxy, f"/?lesson={KEY}", **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert TITLE in gzip.decompress(body).decode()
    for _ in range(10):  # a replica that has not drawn the lesson yet sends the page without its drawing
        known = {"Accept-Encoding": "gzip", "If-None-Match": headers["ETag"]}
        status, headers, _ = fetch(proxy, f"/?lesson={KEY}", **known)
        if status == 304:
            break
    assert status == 304


def test_the_longest_link_goes_through(proxy):
    assert fetch(proxy, "/?g=" + "A" * limits.LINK)[0] == 200


@pytest.mark.nightly
def test_a_replica_that_answers_nobody_is_left_and_its_visitor_goes_on_with_another(proxy):
    fetch(proxy, "/before", Cookie=f"affinity={COOKIE}")
    mine = proxy.replica_of("/before")
    (other,) = [server for server in proxy.servers if server is not mine]
    mine.process.send_signal(signal.SIGSTOP)
    try:
        status, headers, body = fetch(proxy, "/robots.txt", Cookie=f"affinity={COOKIE}")
        assert (status, headers["Retry-After"], b"Try again" in body) == (503, "5", True)
        assert proxy.replica_of("/robots.txt") is mine  # what has stopped it is not passed on
        assert fetch(proxy, "/sitemap.xml", Cookie=f"affinity={COOKIE}")[0] == 200
        assert proxy.replica_of("/sitemap.xml") is other
    finally:
        mine.process.send_signal(signal.SIGCONT)
    found = None
    while found is not mine:  # it is asked again when `fail_timeout` is over
        time.sleep(0.2)
        fetch(proxy, "/after", Cookie=f"affinity={COOKIE}")
        found = proxy.replica_of("/after")


@pytest.mark.nightly
def test_a_class_behind_one_address_is_let_in_and_a_flood_is_not(proxy):
    open_sockets = []
    try:
        for n in range(SOCKETS):
            open_sockets.append(shake_hands(proxy, n))
            assert status_of(open_sockets[-1]) == 101, f"after {n}"
            if n == CLASS:
                assert [fetch(proxy, "/robots.txt")[0] for _ in range(5 * CLASS)] == [200] * 5 * CLASS
        open_sockets.append(shake_hands(proxy, SOCKETS))
        assert status_of(open_sockets[-1]) == 429
    finally:
        for one in open_sockets:
            one.close()


def shake_hands(proxy: Proxy, visitor: int) -> socket.socket:
    """Ask for a websocket, without a thread for each."""
    lines = (
        "GET /_stcore/stream HTTP/1.1",
        f"Host: 127.0.0.1:{proxy.port}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        f"Cookie: affinity={visitor:032x}",
    )
    found = socket.create_connection(("127.0.0.1", proxy.port), timeout=30)
    found.sendall("\r\n".join((*lines, "", "")).encode())
    return found


def status_of(answering: socket.socket) -> int:
    return int(answering.recv(65_536).split()[1])


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A visitor whose connection breaks: Chromium says on the console what it cannot reach."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000}, reduced_motion="reduce")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []


@pytest.mark.nightly
def test_a_file_to_download_is_found_whichever_replica_has_it(tab: Page, proxy: Proxy):
    lab = LabPage(tab, proxy.address).open()
    expect(tab.get_by_role("group", name="Check")).to_contain_text("agree")
    tab.wait_for_timeout(1000)  # with the run after it, Streamlit forgets a file that was made when asked for
    with tab.expect_download() as download:
        lab.tools.get_by_role("button", name="Files, pictures and links").click()
        lab.canvas.get_by_role("menuitem", name="Graph as JSON").click()
    lab.settle()
    path = urlsplit(download.value.url).path
    assert path.startswith("/media/")
    found = {visitor: fetch(proxy, path, Cookie=f"affinity={visitor:032x}")[0] for visitor in range(8)}
    assert {*found.values()} == {200}
    for visitor in found:
        fetch(proxy, f"/with-{visitor}", Cookie=f"affinity={visitor:032x}")
    assert {proxy.replica_of(f"/with-{visitor}") for visitor in found} == {*proxy.servers}


WATCH = """(canvas) => {
  window.told = [];
  const note = () => {
    const line = document.querySelector(".offline") ?? canvas.getRootNode().querySelector(".offline");
    if (line) window.told.push(line.textContent);
  };
  const all = { childList: true, subtree: true, characterData: true };
  new MutationObserver(note).observe(canvas.getRootNode(), all);
}"""


@pytest.mark.nightly
def test_who_is_editing_as_a_replica_is_killed_is_told_goes_on_with_another_and_loses_nothing(
    tab: Page, proxy: Proxy
):
    lab = LabPage(tab, proxy.address).open(FOLDED)
    mine = next(s for s in proxy.servers if s is proxy.replica_of("/_stcore/host-config"))
    (other,) = [s for s in proxy.servers if s is not mine]
    lab.select("a")  # a second click on b would soon be a double click
    lab.canvas.evaluate(WATCH)
    add_quickly(lab, "tanh")  # may or may not have arrived
    mine.kill()
    lab.select_quickly("b")
    tab.keyboard.press("s")
    add_quickly(lab, "tanh")
    expect(lab.formula).to_have_value(saying(STOPPED))
    returned(lab)
    assert {name for name in lab.names() if name.startswith("tanh")} == {"tanh_1", "tanh_2"}
    assert any("kept and sent later" in text for text in tab.evaluate("window.told"))
    with pytest.raises(OSError, match="refused"):
        urlopen(f"{mine.address}/ready", timeout=5)
    fetch(proxy, "/after-the-end")
    assert proxy.replica_of("/after-the-end") is other
    mine.start()
    assert urlopen(f"{mine.address}/ready", timeout=5).status == 200
