"""Test the lessons of the folder that AUTODIFF_VIZ_LESSONS names: they are found, or refused in words."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lessons.codec import tour_to_json
from autodiff_viz.lessons.contributed import OWN_FOLDER, own_lessons
from autodiff_viz.lessons.evaluate import findings
from autodiff_viz.lessons.gallery import LESSONS, OWN, SERVED, track_of
from autodiff_viz.lessons.search import meant
from autodiff_viz.lessons.tour import Step, Tour
from tests.own_lesson import GRAPHS, KEY, LESSON, TITLE

ROOT = Path(__file__).parents[2]


def put(folder: Path, monkeypatch, **texts: str) -> None:
    """Put files into the folder, and name it in the environment."""
    for name, text in texts.items():
        (folder / f"{name}.json").write_text(text, "utf-8")
    monkeypatch.setenv(OWN_FOLDER, str(folder))


def test_they_are_served_beside_the_projects_and_are_none_of_them():
    assert (LESSON.key, LESSON.title, [step.title for step in LESSON.steps]) == (KEY, TITLE, [*GRAPHS])
    assert ((LESSON,), (*LESSONS, LESSON)) == (OWN, SERVED)
    assert KEY not in {each.key for each in LESSONS}
    assert track_of(LESSON).title == "Lessons of this server"
    assert meant("number with two jobs").lesson == LESSON


@pytest.mark.parametrize("variant", range(len(GRAPHS)))
def test_their_claims_are_checked_as_those_of_others(variant):
    found = findings(LESSON, variant)
    assert len(found) == 2
    assert all(finding.holds for finding in found)


def test_without_a_folder_there_are_none(monkeypatch):
    monkeypatch.setenv(OWN_FOLDER, " ")
    assert own_lessons(()) == ()


def test_a_tour_that_the_page_saved_is_one_under_the_name_of_its_file(tmp_path, monkeypatch):
    tour = Tour(title="Mine", steps=(Step("A", "x = 2.0\ny = sin(x)"),))
    put(tmp_path, monkeypatch, mine=tour_to_json(tour))
    assert [(each.key, each.title) for each in own_lessons(())] == [("mine", "Mine")]


STEP = '{"autodiff_viz_tour": 1, "title": "T", "steps": [{"title": "A", "formula": "%s"}]}'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "mine.json: Line 1, column 2 is not JSON"),
        (STEP % "y = sin(q)", r"mine.json: At \$.steps\[0\].formula: .*'q'"),
        ('{"autodiff_viz_tour": 1, "title": 3}', r"mine.json: At \$.title: "),
        ('{"autodiff_viz_tour": 1, "title": "T"}', r"mine.json: .*step"),
    ],
)
def test_a_bad_file_is_refused_with_its_name_and_the_place(tmp_path, monkeypatch, text, says):
    put(tmp_path, monkeypatch, mine=text)
    with pytest.raises(GraphError, match=says):
        own_lessons(())


def test_each_of_several_bad_files_is_told(tmp_path, monkeypatch):
    put(tmp_path, monkeypatch, mine="{", other=STEP % "y = sin(q)")
    (tmp_path / "third.md").write_text("Hello", "utf-8")
    with pytest.raises(GraphError) as caught:
        own_lessons(())
    assert [problem.file for problem in caught.value.problems] == ["mine.json", "other.json", "third.md"]
    assert "third.md, line 1: A lesson begins with +++" in str(caught.value)


def test_so_is_one_that_is_no_text(tmp_path, monkeypatch):
    put(tmp_path, monkeypatch)
    (tmp_path / "mine.json").write_bytes(b"\xff\xfe")
    with pytest.raises(GraphError, match=r"mine.json: .*utf-8(.|\n)*Save it as a text file in UTF-8"):
        own_lessons(())


def test_a_folder_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv(OWN_FOLDER, str(tmp_path / "none"))
    with pytest.raises(GraphError, match=f"{OWN_FOLDER} is '.*none', and there is no such folder"):
        own_lessons(())


def test_no_lesson_takes_the_key_of_another(tmp_path, monkeypatch):
    text = tour_to_json(replace(LESSON, key=LESSONS[0].key))
    put(tmp_path, monkeypatch, mine=text)
    with pytest.raises(GraphError, match=f"key '{LESSONS[0].key}', which another lesson has"):
        own_lessons({each.key for each in LESSONS})
    put(tmp_path, monkeypatch, again=text)
    with pytest.raises(GraphError, match="which another lesson has"):
        own_lessons(())


def test_a_server_with_a_bad_file_ends_in_words_and_without_a_traceback(tmp_path):
    (tmp_path / "mine.json").write_text(STEP % "y = sin(q)", "utf-8")
    env = {**os.environ, OWN_FOLDER: str(tmp_path)}
    command = [sys.executable, "-m", "uvicorn", "app:app", "--port", "0"]
    ended = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)
    assert ended.returncode != 0
    assert "The server's own lessons cannot be read.\nmine.json: At $.steps[0].formula: " in ended.stderr
    assert "Traceback" not in ended.stderr
