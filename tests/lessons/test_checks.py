"""Check every lesson as `autodiff-viz check` does, and hold that it sees each kind of fault."""

from __future__ import annotations

import subprocess
import sys

import pytest

from autodiff_viz.lab import lesson_checks
from autodiff_viz.lab.lesson_checks import faults
from autodiff_viz.lessons import gallery
from autodiff_viz.lessons.gallery import LESSONS, SERVED, Track
from autodiff_viz.lessons.text import read_lesson
from tests.lessons.test_text import EXAMPLE

OTHERWISE = {
    "two-frameworks": "the slopes on both sides of the corner, of which one is the answer",
    "last-stage": "how many are kept without the region; that it saves none is the answer",
}
"""Lessons whose text has the number for something else, on purpose: to take it or not is what is asked."""

CHECKS = ("wrong_claims", "wrong_answers", "wrong_exercises", "told_answers")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("found", LESSONS, ids=lambda found: found.key)
def test_nothing_is_wrong_with_the_lesson(found, check):
    said = [*getattr(lesson_checks, check)(found)]
    if check == "told_answers" and found.key in OTHERWISE:
        assert [one for one in said if "the text before it has its answer" not in one] == []
        assert said
    else:
        assert said == []


@pytest.mark.sampled(12)
@pytest.mark.parametrize("found", LESSONS, ids=lambda found: found.key)
def test_its_graphs_run_and_are_confirmed_as_a_whole(found):
    assert [*lesson_checks.wrong_graphs(found)] == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("", "", None),
        ("value | y | 9.0 exactly", "value | y | 8.0 exactly", "Claim 'The square': 9"),
        ("| 6 | right |", "| 5 | right |", "Answer '5': it should meet 'right'"),
        ("| 6 | right |\n", "", "has no right one"),
        ("| 3 | told |", "| 6 | told |", "Answer '6': it should be told"),
        ("gradient | x | 0.0 exactly", "gradient | x | 1.0 exactly", "Exercise 1, 'x gets': 0"),
        ("and `x` is 3.", "and `x` is 3; 6 arrives.", "the text before it has its answer, 6"),
        ("y = x * x", "y = x @ x", "y"),
        ('"3" = "3 is what', '"6" = "3 is what', "Answer '3': it should be told"),
    ],
)  # fmt: skip
def test_each_kind_of_fault_is_named(monkeypatch, old, new, says):
    found = read_lesson(EXAMPLE.replace(old, new, 1), "twice", "start")
    monkeypatch.setattr(gallery, "SERVED", (*SERVED, found))
    monkeypatch.setattr(gallery, "ADDED", (Track("own", "Own", "", (found,)),))
    said = "\n".join(faults(found))
    assert said == "" if says is None else says in said, said


@pytest.mark.parametrize(
    ("text", "status", "says"),
    [
        (EXAMPLE, 0, "twice: all holds"),
        (EXAMPLE.replace("9.0 exactly", "8.0 exactly"), 1, "1 lesson, 1 with something wrong."),
        (EXAMPLE.replace("level = 1", "level = one"), 1, "twice.md: "),
    ],
)
def test_the_command_checks_a_folder(tmp_path, text, status, says):
    (tmp_path / "twice.md").write_text(text, "utf-8")
    command = [sys.executable, "-m", "autodiff_viz", "check", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == status, run.stderr
    assert says in run.stdout + run.stderr
    assert "Traceback" not in run.stderr
