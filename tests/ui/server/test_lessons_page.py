"""Test the page of lessons as a browser without scripts gets it, and the table of numbers."""

from __future__ import annotations

import gzip
import re
from html import unescape
from html.parser import HTMLParser

import pytest
from starlette.applications import Starlette

from autodiff_viz.lessons.gallery import ADDED, LESSONS, SERVED, TRACKS, lesson
from autodiff_viz.lessons.paths import PATHS
from autodiff_viz.ui.server import routes
from autodiff_viz.ui.server.lessons_page import SITE, _body, sketch_of
from tests.own_lesson import KEY
from tests.ui.server.asgi import get

SERVER = Starlette(routes=routes.ROUTES)
FIRST_VIEW = 200_000  # bytes on the wire, with fifty cards
FIFTY = 50
VOID = {"meta", "link", "input", "img", "rect", "path"}


def test_the_page_leads_to_the_static_site_that_a_setting_names(monkeypatch):
    assert "as pages" not in _body(None)
    monkeypatch.setenv(SITE, "https://gradients.example/a&b")
    assert '<a href="https://gradients.example/a&amp;b/">All of them as pages</a>' in _body(None)
    monkeypatch.setenv(SITE, "javascript:alert(1)")
    assert "as pages" not in _body(None)


class Read(HTMLParser):
    """What a browser reads: the elements in order, with those that are open at the end."""

    def __init__(self, text: str):
        super().__init__()
        self.all: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.all.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.all.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def of(self, kind: str) -> list[dict[str, str | None]]:
        return [found for _, found in self.all if kind in (found.get("class") or "").split()]


def page(target: str = "/lessons") -> Read:
    answer = get(SERVER, target)
    assert answer.status == 200
    return Read(answer.text)


def test_the_page_has_a_link_and_a_picture_for_every_lesson_in_the_order_of_the_tracks():
    found = page()
    assert found.open == []
    assert [card["data-key"] for card in found.of("card")] == [each.key for each in SERVED]
    assert [link["href"] for link in found.of("open")] == [f"./?lesson={each.key}" for each in SERVED]
    assert len(found.of("sketch")) == len(SERVED)
    text = unescape(get(SERVER, "/lessons").text)
    places = [text.index(f">{track.title}<") for track in (*TRACKS, *ADDED) if track.lessons]
    assert places == sorted(places)
    assert all(f">{each.title}<" in text for each in SERVED)


def test_a_card_says_level_and_minutes_and_leads_to_what_comes_before():
    cards = re.findall(r'<li class="card".*?</li>', get(SERVER, "/lessons").text, re.DOTALL)
    for shown, card in zip(SERVED, cards, strict=True):
        assert f"Level {shown.level}<" in card
        assert (f"{shown.minutes} min" in card) == bool(shown.minutes)
        links = re.findall(r'href="\./\?lesson=([^"]+)"', card)
        assert links == [shown.key, *(key for key in shown.after if lesson(key))]


@pytest.mark.parametrize("way", PATHS, ids=lambda way: way.key)
def test_a_class_has_its_lessons_by_sitting(way):
    keys = [each.key for sitting in way.lessons for each in sitting]
    found = page(f"/lessons?path={way.key}")
    assert [card["data-key"] for card in found.of("card")] == keys
    assert len(found.of("track")) == len([sitting for sitting in way.lessons if sitting])
    (here,) = (each for tag, each in found.all if tag == "a" and each.get("aria-current") == "true")
    assert here["href"] == f"./lessons?path={way.key}"
    assert [link["href"] for link in found.of("open")] == [f"./?lesson={key}&path={way.key}" for key in keys]
    alone = sum(lesson(key).minutes for key in keys)
    assert f"Alone it takes about {alone} minutes." in get(SERVER, f"/lessons?path={way.key}").text
    (start,) = found.of("start")
    assert start["href"] == f"./?lesson={keys[0]}&path={way.key}"
    cards = re.findall(r'<li class="card".*?</li>', get(SERVER, f"/lessons?path={way.key}").text, re.DOTALL)
    for key, card in zip(keys, cards, strict=True):  # what comes before is on the path too, or is not named
        links = re.findall(r'href="\./\?lesson=([\w-]+)&amp;path=', card)
        assert links == [key, *(each for each in lesson(key).after if each in keys)]
        assert card.count("?lesson=") == len(links)
        assert ("After:" in card) == (len(links) > 1)


def test_a_path_of_an_address_has_its_title_as_text_and_says_what_is_no_lesson():
    target = f"/lessons?path=custom&of=fork,{KEY},zzz&name=%3Cb%3EWeek%203"
    found, text = page(target), get(SERVER, target).text
    assert [card["data-key"] for card in found.of("card")] == ["fork", KEY]
    assert found.of("open")[1]["href"] == f"./?lesson={KEY}&path=custom&of=fork,{KEY}&name=%3Cb%3EWeek+3"
    assert "<h1>&lt;b&gt;Week 3</h1>" in text
    assert "<title>&lt;b&gt;Week 3 " in text
    assert "No lesson here is called zzz." in text


def test_a_path_of_no_lesson_has_nothing_to_start():
    found = page("/lessons?path=custom&of=zzz")
    assert found.of("card") == found.of("start") == []


def test_an_unknown_class_is_all_lessons():
    assert page("/lessons?path=%3Cb%3E").of("card") == page("/?view=lessons").of("card")


def test_the_first_view_is_small_with_fifty_cards():
    """What a browser loads is the page and its script; all else is in them."""
    answer = get(SERVER, "/lessons", {"accept-encoding": "gzip"})
    loaded = re.findall(r'(?:src|href)="((?!\./|\?|data:)[^"]+\.\w+)"', gzip.decompress(answer.body).decode())
    (script,) = (address for address in loaded if address.startswith("code/"))
    sent = get(SERVER, f"/{script}", {"accept-encoding": "gzip"})
    assert (sent.status, sent.headers["content-type"]) == (200, "text/javascript; charset=utf-8")
    assert len(answer.body) / len(SERVED) * max(FIFTY, len(SERVED)) + len(sent.body) < FIRST_VIEW


def test_the_page_is_sent_once_as_long_as_it_stays():
    first = get(SERVER, "/lessons")
    again = get(SERVER, "/lessons", {"if-none-match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    zipped = get(SERVER, "/lessons", {"accept-encoding": "gzip"})
    assert gzip.decompress(zipped.body) == first.body


def test_every_number_of_the_lessons_is_in_the_table_with_its_source():
    text = get(SERVER, "/claims").text
    claims = [
        claim
        for each in LESSONS
        for claim in (*each.claims, *(held for one in each.to_try for held in one.then))
    ]
    assert text.count("<tr><td>") == len(claims)
    assert all(claim.source in unescape(text) for claim in claims)
    assert f"All {len(claims):,} numbers" in get(SERVER, "/lessons").text


@pytest.mark.parametrize("shown", LESSONS, ids=lambda shown: shown.key)
def test_a_picture_is_large_enough_to_be_read(shown):
    """A symbol has at least 11 px at the picture's own size, and is at least partly in it."""
    drawn = sketch_of(shown)
    _, _, wide, high = drawn.view
    assert 29 * min(372 / wide, 148 / high) >= 11
    assert drawn.shapes
