"""Test previews of links, as crawlers read them."""

from __future__ import annotations

import ast
import asyncio
import io
import re
import time
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
import streamlit as st
from PIL import Image
from starlette.applications import Starlette

from autodiff_viz.graph.link import to_link
from autodiff_viz.lab.persistence import address
from autodiff_viz.lab.persistence.link_preview import PAGES, PREVIEWS, Preview
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.gallery import LESSONS, SERVED
from autodiff_viz.ui import navigation
from autodiff_viz.ui.server import routes
from autodiff_viz.ui.server.admission import HOSTS, Visits
from autodiff_viz.ui.server.routes import document, tags, without_scripts
from tests.own_lesson import KEY, LESSON
from tests.ui.server.asgi import HOST, answered, finished, get

NAVIGATION = Path(navigation.__file__)
STREAMLITS = (Path(st.__file__).parent / "static" / "index.html").read_text("utf-8")
LINK = to_link(parse("p = 2.0\nq = p * p"))
LARGEST_CARD = 60_000  # bytes
SERVER = Starlette(routes=routes.ROUTES)


@pytest.fixture(autouse=True)
def _known(monkeypatch):
    monkeypatch.setenv(HOSTS, HOST)


class Head(HTMLParser):
    """What a crawler reads: `said` has the title and the content of each meta element."""

    def __init__(self, text: str):
        super().__init__()
        self.said: dict[str, str] = {}
        self.elements: list[tuple[str, tuple]] = []
        self.titles = 0
        self.in_title = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.elements.append((tag, tuple(attributes)))
        self.in_title = tag == "title"
        self.titles += tag == "title"
        if tag == "meta" and "content" in found:
            self.said[found.get("name") or found["property"]] = found["content"]
        if found.get("rel") == "canonical":
            self.said["canonical"] = found["href"]

    def handle_data(self, text):
        if self.in_title:
            self.said["title"] = self.said.get("title", "") + text
            self.in_title = False


def head(target: str) -> Head:
    answer = get(SERVER, target)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert int(answer.headers["content-length"]) == len(answer.body)
    return Head(answer.text)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.key)
def test_the_link_of_a_lesson_shows_its_title_its_summary_and_a_picture(lesson):
    found = head(f"/?lesson={lesson.key}")
    said, here = found.said, f"http://{HOST}"
    assert found.titles == 1
    for title in ("title", "og:title", "twitter:title"):
        assert said[title] == f"{lesson.title} · autodiff_viz"
    for text in ("description", "og:description", "twitter:description"):
        assert said[text] == lesson.summary
    assert said["canonical"] == said["og:url"] == f"{here}/?lesson={lesson.key}"
    assert said["og:image"] == said["twitter:image"] == f"{here}/cards/{lesson.key}.png"
    assert said["twitter:card"] == "summary_large_image"
    assert "robots" not in said


@pytest.mark.parametrize("query", [f"g={LINK}", "kept=0123abcd&node=x", f"g={LINK}&lesson=zzz"])
def test_the_link_of_a_graph_has_a_general_preview_and_is_not_listed(query):
    said = head(f"/?{query}").said
    assert said["title"] == "A computation graph · autodiff_viz"
    assert head("/?tour=eJw").said["robots"] == "noindex"
    assert said["og:image"].endswith("/cards/lab.png")
    assert said["robots"] == "noindex"
    assert not {"canonical", "og:url"} & said.keys()


def test_another_name_of_a_lesson_has_the_lessons_own_preview():
    assert head(f"/?lesson={KEY.title()}s").said == head(f"/?lesson={KEY}").said


def test_the_lessons_within_the_page_show_what_their_own_address_shows():
    assert head("/?view=lessons").said == head("/lessons").said


def test_a_lesson_with_a_changed_graph_shows_the_lesson_and_is_not_listed():
    said = head(f"/?lesson={KEY}&g={LINK}").said
    assert said["title"] == f"{LESSON.title} · autodiff_viz"
    assert said["robots"] == "noindex"


@pytest.mark.parametrize("query", ["", "lesson=", "lesson=zzz", "embed=true", "lesson=%3Cscript%3E"])
def test_any_other_address_shows_the_lab(query):
    assert head(f"/?{query}").said["title"] == "autodiff_viz: a lab for automatic differentiation"


def test_every_page_of_the_app_has_a_preview():
    found = {
        f"/{getattr(address, keyword.value.id)}"
        for node in ast.walk(ast.parse(NAVIGATION.read_text("utf-8")))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "url_path"
    }
    assert {"/", "/lessons", *found} == {*PAGES}  # the lessons are a page of the server alone
    titles = [head(path).said["title"] for path in PAGES]
    assert len(set(titles)) == len(PAGES)
    assert "Streamlit" not in titles


def test_all_of_streamlits_own_page_is_still_there():
    ours, theirs = Head(document(PREVIEWS[0], "http://x")).elements, Head(STREAMLITS).elements
    left = iter(ours)
    assert all(element in left for element in theirs if element[0] != "title")
    assert Head(STREAMLITS).said["title"] == "Streamlit"


def test_without_scripts_a_page_has_its_picture_and_leads_to_all_lessons():
    page = get(SERVER, f"/?lesson={KEY}").text
    body = page[page.index("<body") :]
    assert LESSON.title in body
    leads = [f"embed.svg?embed=1&amp;v=1&amp;lesson={KEY}", "lessons"]
    assert {*leads} <= {*re.findall(r'(?:href|src)="\./([^"]*)"', body)}
    assert [get(SERVER, f"/{unescape(path)}").status for path in leads] == [200, 200]
    assert 'embed.svg?embed=1&amp;v=1&amp;"' in document(PREVIEWS[0], "http://x")
    assert get(SERVER, "/embed.svg?embed=1&v=1&").status == 200
    assert "<b>" not in without_scripts(Preview("<b>", "<b>", "lab", '/?x="><b>'))


def test_text_of_a_preview_cannot_end_an_element_or_an_attribute():
    odd = "a \"b\" </title><b> & 'c'"
    found = Head(tags(Preview(odd, odd, "lab", '/?x="><b>'), 'http://"><b>'))
    assert {found.said[key] for key in ("title", "description", "og:title", "twitter:title")} == {odd}
    assert {tag for tag, _ in found.elements} == {"title", "meta", "link"}


def test_a_page_that_has_not_changed_is_not_sent_again():
    first = get(SERVER, f"/?lesson={KEY}")
    tag = {"if-none-match": first.headers["etag"]}
    again = get(SERVER, f"/?lesson={KEY}", tag)
    assert (again.status, again.body) == (304, b"")
    assert get(SERVER, "/?lesson=surgery", tag).status == 200
    assert get(SERVER, f"/?lesson={KEY}", {**tag, "host": "other.example"}).status == 200
    assert first.headers["cache-control"] == "no-cache"


def test_a_full_server_says_so_in_place_of_a_page(monkeypatch):
    visits = Visits(2)
    monkeypatch.setattr(routes, "VISITS", visits)
    assert get(SERVER, "/").status == 200
    visits.open = 2
    for path in (path for path in PAGES if path != "/lessons"):
        answer = get(SERVER, path)
        assert answer.status == 503
        assert int(answer.headers["retry-after"]) > 0
        assert "All 2 places on this server are taken." in answer.text
        assert '<meta http-equiv="refresh"' in answer.text
    assert get(SERVER, "/robots.txt").status == 200
    assert get(SERVER, "/lessons").status == 200  # it needs no place


def test_a_full_server_shows_the_figure_of_a_lesson_once_it_is_made(monkeypatch):
    """It has its own script and policy; who may embed it is what the host says of all pages."""
    visits = Visits(2)
    visits.open = 2
    file = """<meta http-equiv="Content-Security-Policy" content="script-src 'sha256-a'"><body>figure"""
    monkeypatch.setattr(routes, "VISITS", visits)
    monkeypatch.setattr(routes, "poster", lambda lesson: file if lesson.key == KEY else None)
    answer = get(SERVER, f"/?lesson={KEY}")
    assert answer.status == 503
    assert int(answer.headers["retry-after"]) > 0
    assert answer.text.endswith("figure")
    assert "All 2 places on this server are taken. This figure" in answer.text
    assert answer.headers["content-security-policy"] == "script-src 'sha256-a'"
    assert "The lab is full" in get(SERVER, "/?lesson=surgery").text
    assert "The lab is full" in get(SERVER, "/?lesson=zzz").text


@pytest.mark.sampled(6)
@pytest.mark.parametrize("preview", PREVIEWS, ids=lambda preview: preview.picture)
def test_every_preview_has_a_picture_of_the_size_that_it_tells(preview):
    answer = get(SERVER, f"/cards/{preview.picture}.png")
    said = head(preview.address).said
    assert (answer.status, answer.headers["content-type"]) == (200, "image/png")
    assert len(answer.body) < LARGEST_CARD
    with Image.open(io.BytesIO(answer.body)) as picture:
        assert [f"{length}" for length in picture.size] == [said["og:image:width"], said["og:image:height"]]
        assert picture.size == (1200, 630)


def test_pictures_that_are_asked_for_at_once_are_painted_one_after_another(monkeypatch):
    at_work, seen_at_work = [], []

    def paint(seen: Preview) -> bytes:
        at_work.append(seen.picture)
        time.sleep(0.01)
        seen_at_work.append([*at_work])
        at_work.remove(seen.picture)
        return seen.picture.encode()

    async def at_once() -> list[bytes]:
        asked = [answered(SERVER, f"/cards/{preview.picture}.png") for preview in PREVIEWS[:6]]
        return [answer.body for answer in await asyncio.gather(*asked)]

    monkeypatch.setattr(routes, "card_picture", paint)
    monkeypatch.setattr(routes, "PAINTING", asyncio.Lock())
    names = [preview.picture for preview in PREVIEWS[:6]]
    assert finished(at_once()) == [name.encode() for name in names]
    assert sorted(seen_at_work) == sorted([name] for name in names)


@pytest.mark.parametrize("name", ["nothing", "..%2Froutes", f"{KEY}.png"])
def test_there_is_no_other_picture(name):
    assert get(SERVER, f"/cards/{name}.png").status == 404


def test_the_sitemap_lists_every_page_and_lesson_once_as_addresses_of_this_host():
    answer = get(SERVER, "/sitemap.xml")
    assert answer.headers["content-type"] == "application/xml"
    root = ElementTree.fromstring(answer.text)
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    assert root.tag == f"{space}urlset"
    found = [place.text for place in root.iter(f"{space}loc")]
    here = f"http://{HOST}"
    lessons = [f"{here}/?lesson={lesson.key}" for lesson in SERVED]
    assert sorted(found) == sorted([f"{here}/", f"{here}/lessons", *lessons])


def rules(text: str) -> Iterator[tuple[str, str]]:
    for line in filter(None, text.splitlines()):
        key, _, rest = line.partition(": ")
        yield key, rest


def test_robots_may_read_the_pages_but_open_no_session():
    found = list(rules(get(SERVER, "/robots.txt").text))
    assert found[0] == ("User-agent", "*")
    assert ("Sitemap", f"http://{HOST}/sitemap.xml") in found
    closed = [path for key, path in found if key == "Disallow"]
    assert "/_stcore/" in closed
    assert not [p for p in (*PAGES, f"/cards/{KEY}.png") for shut in closed if p.startswith(shut)]


def test_the_host_of_a_request_is_in_no_answer_unless_it_is_listed():
    for target in ("/", "/lessons", f"/?lesson={KEY}", "/robots.txt", "/sitemap.xml"):
        answer = get(SERVER, target, {"host": "evil.example"})
        assert answer.status == 200
        assert "evil.example" not in answer.text + str(answer.headers)
    said = Head(get(SERVER, f"/?lesson={KEY}", {"host": "evil.example"}).text).said
    assert (said["canonical"], said["og:image"]) == (f"/?lesson={KEY}", f"/cards/{KEY}.png")
