"""Check every lesson as `autodiff-viz check` does, and hold that it sees each kind of fault."""

from __future__ import annotations

import subprocess
import sys

import pytest

from autodiff_viz.lab import lesson_checks
from autodiff_viz.lab.lesson_checks import faults, line_in
from autodiff_viz.lessons import gallery
from autodiff_viz.lessons.gallery import LESSONS, SERVED, Track
from autodiff_viz.lessons.text import read_lesson
from tests.lessons.test_text import EXAMPLE

OTHERWISE = {
    "two-frameworks": "the slopes on both sides of the corner, of which one is the answer",
    "last-stage": "how many are kept without the region; that it saves none is the answer",
}
"""Lessons whose text has the number for something else, on purpose: to take it or not is what is asked."""

CHECKS = ("wrong_names", "wrong_claims", "wrong_answers", "wrong_exercises", "told_answers", "too_long")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("found", LESSONS, ids=lambda found: found.key)
def test_nothing_is_wrong_with_the_lesson(found, check):
    said = [fault.says for fault in getattr(lesson_checks, check)(found)]
    if check == "told_answers" and found.key in OTHERWISE:
        assert [one for one in said if "the text before it has its answer" not in one] == []
        assert said
    else:
        assert said == []


@pytest.mark.sampled(12)
@pytest.mark.parametrize("found", LESSONS, ids=lambda found: found.key)
def test_its_graphs_run_and_are_confirmed_as_a_whole(found):
    assert [*lesson_checks.wrong_graphs(found)] == []


def test_what_may_be_as_long_as_it_is_in_our_longest_lesson_is_in_view():
    """tests/browser/page/test_reading.py opens each lesson that asks, and looks at what is in view."""
    each = [lesson_checks.lengths(found) for found in LESSONS if found.steps[0].questions]
    assert {
        what: max(one[what][1] for one in each) for what in lesson_checks.IN_VIEW
    } == lesson_checks.IN_VIEW


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("", "", None),
        ("value | y | 9.0 exactly", "value | y | 8.0 exactly", "Claim 'The square': 9"),
        ("| 6 | right |", "| 5 | right |", "Answer '5': it should meet 'right'"),
        ("| 3 | told |", "| 6 | told |", "Answer '6': it should be told"),
        ("gradient | x | 0.0 exactly", "gradient | x | 1.0 exactly", "Exercise 1, 'x gets': 0"),
        ("y = x * x", "y = x @ x", "Graph 'A square': "),
        ("gradient | x | 6.0", "gradient | w | 6.0", "There is no node 'w'."),
        ("gradient | x | 0.0", "gradient | w | 0.0", "There is no node 'w'."),
        ('put("x", 0.0)', 'put("w", 0.0)', "There is no input 'w'."),
        ('"two-knobs"', '"two-nobs"', "There is no lesson 'two-nobs'. Did you mean 'two-knobs'?"),
        ("| 3 | told |", "| 3 | one-pth |", "There is no mistake 'one-pth'. Did you mean 'one-path'?"),
        ('shows = ["x"]', 'shows = ["swep"]', "There is no node or plot 'swep'. Did you mean 'sweep'?"),
        # Told elsewhere than at the change: at the question, whose first line is `kind`, or at the answer.
        ("| 6 | right |\n", "", "has no right one"),
        ("and `x` is 3.", "and `x` is 3; 6 arrives.", "the text before it has its answer, 6"),
        ("is it used twice?", f"is it {'used ' * 9}twice?", "letters of the title. With more than 66"),
        ('"3" = "3 is what', '"6" = "3 is what', "Answer '3': it should be told"),
    ],
)  # fmt: skip
def test_each_kind_of_fault_is_named_at_its_line(monkeypatch, tmp_path, old, new, says):
    assert EXAMPLE.count(old) == 1 or not old
    text = EXAMPLE.replace(old, new, 1)
    found = read_lesson(text, "twice", "start")
    monkeypatch.setattr(gallery, "SERVED", (*SERVED, found))
    monkeypatch.setattr(gallery, "ADDED", (Track("own", "Own", "", (found,)),))
    said = faults(found)
    if says is None:
        assert said == []
        return
    (fault,) = [one for one in said if says in one.says]
    (tmp_path / "twice.md").write_text(text, "utf-8")
    elsewhere = {"has no": 'kind = "number"', "the text": 'kind = "number"', "Answer '3'": "| 3 | told |"}
    elsewhere["Graph"] = "x = 3.0"  # the first line of its formula
    changed = next((place for begins, place in elsewhere.items() if says.startswith(begins)), new)
    place = next(i for i, line in enumerate(text.splitlines(), 1) if changed in line)
    assert line_in(tmp_path / "twice.md")(fault.path) == f"line {place}: "


def test_a_name_that_is_wrong_hides_no_other_fault(monkeypatch):
    text = EXAMPLE.replace("gradient | x | 6.0", "gradient | w | 6.0").replace(
        "| 6 | right |", "| 5 | right |"
    )
    found = read_lesson(text, "twice", "start")
    monkeypatch.setattr(gallery, "SERVED", (*SERVED, found))
    monkeypatch.setattr(gallery, "ADDED", (Track("own", "Own", "", (found,)),))
    said = " ".join(fault.says for fault in faults(found))
    assert "There is no node 'w'." in said
    assert "Answer '5': it should meet 'right'" in said


@pytest.mark.parametrize(
    ("text", "status", "says"),
    [
        (EXAMPLE, 0, "twice: all holds"),
        (EXAMPLE.replace("9.0 exactly", "8.0 exactly"), 1, "twice:\n  line 53: Claim 'The square': 9.0 was"),
        (EXAMPLE.replace("level = 1", "level = one"), 1, "twice.md, line 4: 'level = one' cannot be read: "),
    ],
)
def test_the_command_checks_a_folder(tmp_path, text, status, says):
    (tmp_path / "twice.md").write_text(text, "utf-8")
    command = [sys.executable, "-m", "autodiff_viz", "check", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == status, run.stderr
    assert says in run.stdout + run.stderr
    assert "Traceback" not in run.stderr
