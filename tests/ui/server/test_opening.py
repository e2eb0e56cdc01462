"""Ask for the shell of the page: which addresses have one, and what is in it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from time import sleep

import anyio
import pytest

from autodiff_viz.asking.question import COTANGENT, NUMBER, VALUE
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.ui.first_view import first
from autodiff_viz.ui.server import opening as module
from autodiff_viz.ui.server.opening import of_the_project, opening, shell
from tests.thorough import by_day


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
    text = shell(first({"lesson": lesson.key}))
    assert Balanced(text).open == []
    words = re.sub(r"<[^>]*>", "", text)
    assert lesson.title.split("`")[0].split("'")[0] in words
    nodes = {node["id"]: node for node in data_of(text)["full"]["nodes"]}
    hidden = {(node, which) for node, record in nodes.items() for which in record.get("hidden", ())}
    about = {
        (question.about.node, question.about.of)
        for question in lesson.steps[0].questions
        if question.kind == NUMBER and question.about.of in (VALUE, COTANGENT)
    }
    assert about <= hidden
    assert not [at for at in hidden if nodes[at[0]].get(at[1])]


def test_what_takes_long_goes_without(monkeypatch):
    def slow(query):
        sleep(0.3)

    monkeypatch.setattr(module, "first", slow)
    monkeypatch.setattr(module, "WITHIN", 0.02)
    assert anyio.run(opening, {}) == ""


def test_what_fails_goes_without(monkeypatch):
    def failing(query):
        raise ValueError("no drawing")

    monkeypatch.setattr(module, "first", failing)
    assert anyio.run(opening, {}) == ""
