"""Test the paths through the lessons: those of an address, and that a lesson stays on its path."""

from __future__ import annotations

import re

import pytest

from autodiff_viz.lab.lessons import close_lesson, lesson_view, open_lesson
from autodiff_viz.lab.onward import END, LESSON, onward
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lessons.gallery import LESSONS, TRACKS, lesson
from autodiff_viz.lessons.paths import LONGEST, MOST, PATHS, UNNAMED, path_of
from tests.own_lesson import KEY

OWN = {"path": "custom", "of": f"fork,{KEY},td-target", "name": "Week 3"}


def test_an_address_lists_a_path_of_its_own():
    path = path_of(OWN)
    assert path.title == "Week 3"
    assert path.keys == ("fork", KEY, "td-target")
    assert path.fields == OWN
    assert path.page == f"./lessons?path=custom&of=fork,{KEY},td-target&name=Week+3"


def test_other_names_of_lessons_count_and_unknown_ones_are_named():
    path = path_of({"path": "custom", "of": "knobs, xor,,fork,xor-broadcast,zzz,fourk"})
    assert path.keys == ("two-knobs", "xor-broadcast", "fork")
    assert path.unknown == ("zzz", "fourk")
    assert path.title == UNNAMED


def test_a_path_has_a_greatest_length():
    many = ",".join(each.key for each in LESSONS)
    path = path_of({"path": "custom", "of": many, "name": "\ud800 a\nb " + "c" * 10_000})
    assert path.keys == tuple(each.key for each in LESSONS[:MOST])
    assert path.title.startswith("\ufffd a b ccc")
    assert len(path.title) == LONGEST
    assert path_of({"path": "custom", "of": "x" * 1_000_000}).unknown == ("x" * LONGEST,)
    assert path_of({"path": "custom"}).keys == ()


@pytest.mark.parametrize("key", [None, "", "zzz", "First-20"])
def test_another_key_is_no_path(key):
    assert path_of({} if key is None else {"path": key}) is None


@pytest.mark.parametrize("way", [*PATHS, path_of(OWN)], ids=lambda way: way.key)
def test_next_and_previous_follow_the_path_to_its_end(way):
    lab = from_query({"lesson": way.keys[0], **way.fields})
    for at, key in enumerate(way.keys):
        view = lesson_view(lab)
        assert (view.key, view.track, view.place) == (key, way.title, f"{at + 1} of {len(way.keys)}")
        assert view.before == (way.keys[at - 1] if at else None)
        assert view.after == (way.keys[at + 1] if at + 1 < len(way.keys) else None)
        assert from_query(to_query(lab)).path == way
        if view.after:
            lab = open_lesson(lab, view.after)


@pytest.mark.parametrize("row", [*TRACKS, *PATHS], ids=lambda row: row.key)
def test_no_lesson_stands_before_one_that_it_comes_after(row):
    keys = row.keys if row in PATHS else [each.key for each in row.lessons]
    too_early = [
        (key, needed)
        for at, key in enumerate(keys)
        for needed in lesson(key).after
        if needed in keys[at + 1 :]
    ]
    assert too_early == []


def test_a_lesson_beside_the_path_follows_its_track_and_the_path_is_left_with_the_lesson():
    lab = open_lesson(from_query({"lesson": "fork", **OWN}), "twins")
    assert (lesson_view(lab).track, lesson_view(lab).place) == ("Start here", "")
    assert lesson_view(open_lesson(lab, KEY)).place == "2 of 3"
    assert close_lesson(lab).path is None


def test_what_comes_after_the_last_lesson_is_the_end_of_the_path(monkeypatch):
    monkeypatch.setattr("autodiff_viz.lab.onward.tries", lambda lab, before: (KEY, ()))  # all are done

    def after(path):
        return onward(from_query({"lesson": KEY, "variant": "2", "path": "custom", "of": path}))

    assert (after(f"{KEY},fork").kind, after(f"{KEY},fork").key) == (LESSON, "fork")
    end = after(f"fork,{KEY}")
    assert (end.kind, end.says, end.path.keys) == (END, "Back to the path", ("fork", KEY))


@pytest.mark.parametrize("way", PATHS, ids=lambda way: way.key)
def test_a_class_takes_no_less_than_its_lessons_take_alone_and_says_one_length(way):
    """Other lengths in its words would contradict those in its title and on its cards."""
    assert way.alone == sum(lesson(key).minutes for key in way.keys)
    assert way.alone < way.minutes
    named = re.match(r"(\d+) minutes", way.title)
    assert named is None or (int(named[1]) == way.minutes and "hour" not in way.summary)
