"""Test the built site: no page asks another host, each is small and complete, and lessons tell last.

The generator is in an environment of its own, which `make site` and `make nightly` make.
"""

from __future__ import annotations

import json
import os
import re
import threading
import zlib
from base64 import b64decode
from collections.abc import Iterator
from functools import partial
from gzip import compress
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.etree import ElementTree

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from autodiff_viz.lessons.gallery import LESSONS
from tests.browser.page.test_figure_file import READY
from website.__main__ import GENERATOR, build

SITE = "https://gradients.example/"
MOST = 400_000  # bytes of a page with its figures; as sent by a host, with all that it needs

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not GENERATOR.exists(), reason=f"no {GENERATOR}: make build/site-tools/.made"),
]


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that logs nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site: all pages at night, one of each kind by day."""
    some = {"index", "lessons/index", "lessons/fork", "wild/autograd-chapter", "api/engine", "docs/hosting"}
    before = os.environ.copy()
    os.environ["AUTODIFF_VIZ_SITE"] = SITE
    try:
        return build(tmp_path_factory.mktemp("site"), set() if os.environ.get("THOROUGH") == "1" else some)
    finally:
        os.environ.clear()
        os.environ.update(before)


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def pages(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("index.html"))


def figures(page: Path) -> list[Path]:
    return [page.parent / src for src in re.findall(r'<iframe [^>]*src="([^"]+)"', page.read_text("utf-8"))]


def test_a_page_with_its_figures_is_small_also_with_what_all_pages_share(folder):
    files = ("assets/**/*.js", "assets/**/*.css", "figures/figure.*")
    shared = [file for each in files for file in folder.glob(each) if "classic" not in file.parts]
    once = sum(map(packed_size, shared))
    for page in pages(folder):
        own = [page, *figures(page)]
        assert sum(each.stat().st_size for each in own) <= MOST, page
        assert once + sum(map(packed_size, own)) <= MOST, page
        for figure in figures(page):
            assert re.findall(r'<script src="([^"]+)"', figure.read_text("utf-8")) == ["figure.js"]


def packed_size(file: Path) -> int:
    """Bytes of a file as hosts send it."""
    return len(compress(file.read_bytes(), 6))


def test_each_page_has_a_title_a_description_a_picture_and_a_place_in_the_sitemap(folder):
    listed = {
        found.text for found in ElementTree.parse(folder / "sitemap.xml").iter() if found.tag.endswith("}loc")
    }
    titles = set()
    for page in pages(folder):
        text = page.read_text("utf-8")
        here = SITE + page.parent.relative_to(folder).as_posix().removeprefix(".")
        here = here.rstrip("/") + "/"
        assert f'<link rel="canonical" href="{here}">' in text, page
        assert here in listed
        titles.add(re.search(r"<title>([^<]+)</title>", text)[1])
        assert len(re.search(r'<meta name="description" content="([^"]+)"', text)[1]) > 20
        picture = re.search(r'<meta property="og:image" content="([^"]+)"', text)[1]
        assert (folder / picture.removeprefix(SITE)).read_bytes().startswith(b"\x89PNG")
    assert len(titles) == len(pages(folder))


@pytest.mark.nightly
def test_without_an_address_the_pages_are_files_that_lead_to_each_other_and_are_searched(tmp_path, browser):
    made = build(tmp_path, {"index", "lessons/index", "lessons/fork"})
    page = browser.new_page()
    wrong = faults_of(page, "file:")
    page.goto((made / "index.html").as_uri())
    page.get_by_role("link", name=re.compile(r"\d+ questions")).click()
    page.get_by_role("link", name=re.compile("Two uses of x")).last.click()
    page.get_by_role("button", name="Show it now").click()
    expect(page.get_by_role("heading", name="As people write it")).to_be_visible()
    page.get_by_role("button", name="Search").first.click()
    page.keyboard.type("two uses")
    expect(page.locator("a[href*='fork.html?']")).to_have_count(1)
    assert wrong == []
    page.close()


def test_nothing_that_a_lesson_tells_last_can_be_read_or_searched_for(folder):
    items = json.loads((folder / "search.json").read_text("utf-8"))["items"]
    # A guide can have a line of code that a lesson has too.
    searched = "\n".join(one["text"] for one in items if one["location"].startswith("lessons/"))
    for shown in LESSONS:
        page = folder / "lessons" / shown.key / "index.html"
        if page.exists():
            text = re.sub(r'data-after="[^"]*"', "", page.read_text("utf-8")) + searched
            lines = [line for line in shown.code.splitlines() if "#" in line]
            told = [step.text for step in shown.steps] + [one.says for one in shown.to_try] + lines
            assert [part for part in filter(None, told) if part in text] == [], shown.key
            (figure,) = figures(page)
            packed = re.search(r'"packed":"([^"]*)"', figure.read_text("utf-8"))[1]
            assert "hidden" in json.loads(zlib.decompress(b64decode(packed)))["states"][0], shown.key


@pytest.mark.parametrize(("window", "scheme"), [((1280, 720), "light"), ((390, 844), "dark")])
def test_every_page_opens_without_another_host_and_can_be_read_by_all(
    folder, address, browser: Browser, window, scheme
):
    size = dict(zip(("width", "height"), window, strict=True))
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    wrong = faults_of(page, address)
    found = []
    for file in pages(folder):
        page.goto(address + file.parent.relative_to(folder).as_posix() + "/")
        for frame in page.frames[1:]:
            frame.wait_for_function(READY)
        faults = Axe().run(page).response["violations"]
        found += [(str(file), fault["id"], fault["nodes"][0]["html"][:120]) for fault in faults]
        if page.evaluate("() => document.documentElement.scrollWidth > innerWidth"):
            found.append((str(file), "scrolls sideways"))
    assert (wrong, found) == ([], [])
    context.close()


def faults_of(page: Page, address: str) -> list[str]:
    """What goes wrong on a page, which is told as it happens: errors, and requests to other hosts."""
    wrong: list[str] = []
    page.on(
        "request",
        lambda request: request.url.startswith((address, "data:", "blob:")) or wrong.append(request.url),
    )
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
    return wrong


def test_an_answer_in_the_figure_opens_what_follows_it_and_the_theme_goes_into_it(address, browser: Browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="dark")
    page = context.new_page()
    wrong = faults_of(page, address)
    page.goto(f"{address}lessons/fork/")
    figure = page.frame_locator("iframe.av-figure")
    told = page.get_by_role("heading", name="As people write it")
    expect(told).to_have_count(0)
    figure.get_by_role("textbox").first.fill("8")
    figure.get_by_role("textbox").first.press("Enter")
    expect(told).to_be_visible()
    expect(page.locator(".av-after code").first).to_contain_text("x.grad  # 8.0")
    scheme = "() => getComputedStyle(document.documentElement).colorScheme"
    assert page.frames[1].evaluate(scheme) == "dark"
    page.locator("label[title*='switch to light']").first.click()
    page.frames[1].wait_for_function("() => document.documentElement.style.colorScheme === 'light'")
    page.keyboard.press("/")
    page.keyboard.type("fork")
    expect(page.get_by_role("link", name=re.compile("Two uses of x")).first).to_be_visible()
    assert wrong == []
    context.close()
