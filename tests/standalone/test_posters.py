"""Test the figure of a lesson that a full server shows."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from xml.etree import ElementTree

import msgspec
import pytest

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.standalone.export import export
from autodiff_viz.standalone.page import unmarked
from autodiff_viz.standalone.posters import FIGURES, kept_poster, make_poster, states_of, with_notice
from autodiff_viz.workers.disk_cache import read
from tests.own_lesson import GRAPHS, KEY, LESSON, TITLE
from tests.standalone.test_figure_file import states


def test_each_graph_of_a_lesson_is_a_step_and_the_file_is_kept(tmp_path):
    text = make_poster(KEY, str(tmp_path), b"name")
    assert read(tmp_path, b"name") == text
    steps = states(text)
    assert len(steps) >= len(LESSON.steps)
    assert steps[0]["title"].startswith(f"{TITLE}: ")
    assert steps[0]["link"].startswith("./?")
    assert f"lesson={KEY}" in steps[0]["link"]
    assert "cotangent" not in repr(steps[0]["drawing"]["nodes"][0].keys())  # which is asked for
    product = next(step for step in steps if step["title"].endswith(GRAPHS[1]))
    values = {node["id"]: node["cotangent"] for node in product["drawing"]["nodes"]}
    assert values["x"] == 6.0  # 3 + 3, by hand


@pytest.mark.sampled(9)
@pytest.mark.parametrize("found", [one for one in LESSONS if one.steps[0].questions], ids=lambda one: one.key)
def test_what_is_said_of_a_graph_names_no_answer_before_it_is_given(found):
    for step, made in zip(found.steps, states_of(found.key), strict=True):
        if not step.questions:
            continue
        judges = json.loads(zlib.decompress(b64decode(made.data.pop("hidden"))))
        text, told = unmarked(step.text), [says for asked in step.questions for _, says in asked.told]
        assert judges["after"][-1]["text"].endswith(text)
        assert [says for says in (text, *told) if written(says) in written(made.data)] == []
        assert unmarked(found.text) in made.data["text"]  # what has to be known for an answer


def written(data: object) -> str:
    return msgspec.json.encode(data).decode().strip('"')


def test_nor_does_any_other_place_of_the_file():
    file = re.sub(r'"packed":"[^"]*"', "", make_poster(KEY, None, b""))
    assert unmarked(LESSON.text) in file
    assert "hears 8" in LESSON.steps[0].text
    assert "hears 8" not in file


def test_the_notice_stands_above_the_figure():
    shown = with_notice("<html><body><main>figure</main></body></html>", "All 2 places are taken.")
    assert re.search(r"<body><p class=\"full\"[^>]*>All 2 places are taken\..*<main>", shown)


def test_the_figures_of_lessons_are_files_for_a_web_server(tmp_path, monkeypatch):
    files = export(tmp_path / "figures", [KEY])
    assert [file.name for file in files] == [f"{KEY}.html", f"{KEY}.svg"]
    page, picture = (file.read_text("utf-8") for file in files)
    assert "does not answer just now" in page
    assert states(page)[0]["link"].startswith("./?")
    monkeypatch.setenv(FIGURES, str(tmp_path / "figures"))
    kept = kept_poster(KEY)
    assert "does not answer" not in kept
    assert states(kept) == states(page)
    assert kept_poster("none") is None
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    with pytest.raises(GraphError, match="There is no lesson 'none'"):
        export(tmp_path, ["none"])
