"""Ask for the shell of the page: which addresses have one, and what is in it."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser
from time import sleep
from urllib.parse import urlencode

import anyio
import pytest
from starlette.requests import Request

from autodiff_viz.asking.question import COTANGENT, NUMBER, VALUE
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.short_text import short_text
from autodiff_viz.lab.first_view import first, opening_of
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.ui.server import opening as module
from autodiff_viz.ui.server.opening import of_a_visitor, of_the_project, opening, shell
from autodiff_viz.workers.jobs import STRANGE
from tests.thorough import by_day
from tests.ui.server.asgi import finished


@pytest.mark.parametrize(
    ("query", "is_ours"),
    [
        ({}, True),
        ({"lesson": "fork"}, True),
        ({"lesson": "fork", "variant": "1"}, True),
        ({"lesson": "fork", "variant": "99"}, False),
        ({"lesson": "fork", "variant": "01"}, False),
        ({"lesson": "fork", "path": "first-20"}, True),
        ({"lesson": "fork", "path": "custom", "of": "fork"}, False),
        ({"lesson": "no lesson has this name at all"}, False),
        ({"lesson": "fork", "node": "x"}, False),
        ({"g": "x%3D1"}, False),
        ({"c": "import%20torch"}, False),
        ({"present": "1"}, False),
        ({"view": "class"}, False),
    ],
    ids=str,
)
def test_a_request_evaluates_what_the_project_has_written_alone(query, is_ours):
    assert (of_the_project(query) is not None) == is_ours


def data_of(text: str) -> dict:
    return json.loads(re.search(r'id="av-opening"[^>]*>(.*?)</script>', text, re.DOTALL)[1])


class Balanced(HTMLParser):
    """Notes which elements are open."""

    VOID = ("img", "meta", "link", "br", "input")

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("lesson", by_day(LESSONS, 6), ids=lambda lesson: lesson.key)
def test_the_shell_of_a_lesson_has_its_words_and_nothing_that_is_asked(lesson):
    text = shell(opening_of(first({"lesson": lesson.key})))
    assert Balanced(text).open == []
    words = unescape(re.sub(r"<[^>]*>", "", text))
    assert lesson.title.split("`")[0].split("'")[0] in words
    nodes = {node["id"]: node for node in data_of(text)["full"]["nodes"]}
    hidden = {(node, which) for node, record in nodes.items() for which in record.get("hidden", ())}
    step = lesson.steps[0]
    about = {
        (question.about.node, question.about.of)
        for question in step.questions
        if step.reveal != "training"  # those ask of numbers after some steps
        if question.kind == NUMBER and question.about.of in (VALUE, COTANGENT)
    }
    assert about <= hidden
    assert not [at for at in hidden if nodes[at[0]].get(at[1])]


def asked(query: dict[str, str]) -> Request:
    """A request for the page at this address."""
    client = ("192.0.2.1", 1)
    return Request(
        {"type": "http", "query_string": urlencode(query).encode(), "headers": [], "client": client}
    )


def test_a_reader_without_scripts_has_the_formula_and_the_question():
    text = shell(opening_of(first({"lesson": "fork"})))
    still = "".join(re.findall("<noscript>(.*?)</noscript>", text, re.DOTALL))
    assert "b = square(x)" in still
    assert "What arrives at <code>x</code>?" in still


def test_a_graph_of_a_visitors_own_is_drawn_by_a_worker():
    query = {"g": to_link(parse("x = 3.0\ny = square(x)"))}
    assert of_a_visitor(query)
    nodes = data_of(finished(opening(asked(query))))["full"]["nodes"]
    assert {node["id"]: node["cotangent"] for node in nodes}["x"] == 6  # 2 * 3


@pytest.mark.parametrize(
    "more", [{"view": "class"}, {"present": "1"}, {"kept": "1"}, {"trained": "1"}], ids=str
)
def test_what_one_browser_keeps_has_none(more):
    assert not of_a_visitor({"g": "1", **more})


def test_what_takes_long_goes_without(monkeypatch):
    def slow(query):
        sleep(0.3)

    monkeypatch.setattr(module, "first", slow)
    monkeypatch.setattr(module, "WITHIN", 0.02)
    assert finished(opening(asked({}))) == ""


def test_requests_of_many_lessons_take_a_few_threads_and_those_of_one_take_one(monkeypatch):
    running, most = [], []

    def slow(query):
        running.append(query)
        most.append(len(running))
        sleep(0.1)
        running.remove(query)

    async def all_at_once():
        keys = [lesson.key for lesson in LESSONS[:12]]
        async with anyio.create_task_group() as group:
            for key in (*keys, *keys):
                group.start_soon(opening, asked({"lesson": key}))

    monkeypatch.setattr(module, "first", slow)
    finished(all_at_once())
    assert len(most) == max(most) == module.AT_ONCE


def test_what_fails_goes_without(monkeypatch):
    def failing(query):
        raise ValueError("no drawing")

    monkeypatch.setattr(module, "first", failing)
    assert finished(opening(asked({}))) == ""


def test_code_has_none():
    assert of_a_visitor({"f": short_text("x = 3.0\ny = square(x)")})
    assert not of_a_visitor({"f": short_text("import torch\nx = torch.tensor(3.0)\n")})
    assert not of_a_visitor({"f": "1" * 100})


def test_nothing_that_a_visitor_has_sent_is_evaluated_in_the_server(monkeypatch):
    asked_for = []

    async def made(request, kind, job, within):
        asked_for.append(job.lane)

    monkeypatch.setattr(module, "made", made)
    monkeypatch.setattr(module, "first", None)  # to call it fails
    assert finished(opening(asked({"g": "anything"}))) == ""
    assert asked_for == [STRANGE]
