"""Test that lessons are found by words and by other names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lessons.gallery import LESSONS, lesson
from autodiff_viz.lessons.paths import PATHS
from autodiff_viz.lessons.search import meant, words_in, words_of
from tests.own_lesson import KEY, LESSON

CASES = json.loads((Path(__file__).parent / "search_cases.json").read_text("utf-8"))
"""Read by tests/web/lessons/lessons_search.test.mjs too."""


@pytest.mark.parametrize(("text", "words"), CASES, ids=lambda case: str(case)[:20])
def test_words_have_small_letters_and_no_marks(text, words):
    assert words_in(text) == words


def test_a_lesson_is_found_by_its_ops_rules_and_what_people_say():
    stops, kept = words_of(lesson("without-derivative")), words_of(lesson("checkpointing"))
    assert {"sin", "cos", "stop", "detach", "gradient"} <= {*stops}
    assert {"checkpoint", "remat", "cos"} <= {*kept}
    assert "detach" not in kept
    for each in LESSONS:
        assert {word for text in each.found_by for word in words_in(text)} <= {*words_of(each)}


@pytest.mark.parametrize("name", [KEY, KEY.title(), f" {KEY} ", f"{KEY.upper()}!"])
def test_a_name_is_a_key_however_it_is_written(name):
    found = meant(name)
    assert (found.lesson, found.others, found.guessed) == (LESSON, (), False)


def test_the_beginning_of_a_key_a_word_in_it_and_a_slip_lead_to_a_lesson():
    assert meant("gated").lesson is lesson("gated-transformer")
    assert meant("knobs").lesson is lesson("two-knobs")
    slip = meant("serguery")
    assert (slip.lesson, slip.guessed) == (lesson("surgery"), True)
    xor = meant("xor")
    assert {xor.lesson.key, *(other.key for other in xor.others)} == {"xor-broadcast", "xor-tutorial"}
    assert meant("zzz").lesson is meant("").lesson is meant(None).lesson is meant("<b>" * 999).lesson is None


def test_another_name_in_an_address_opens_the_lesson_and_only_a_guess_is_said():
    for name in ("xor", "XOR", "stop"):  # one that several lessons begin with is no mistake of the reader's
        assert from_query({"lesson": name}).notice == ()
    assert from_query({"lesson": "xor"}).lesson == "xor-broadcast"
    guessed = from_query({"lesson": "fourk"})
    assert guessed.lesson == "fork"
    assert "'fourk'" in guessed.notice[0].message
    surely = from_query({"lesson": "knobs"})
    assert (surely.lesson, surely.notice) == ("two-knobs", ())
    assert "There is no lesson 'zzz'." in from_query({"lesson": "zzz"}).notice[0].message
    assert from_query({**to_query(surely), "lesson": "knobs"}).lesson == "two-knobs"


def test_every_class_names_lessons_that_there_are_or_will_be():
    known = {each.key for each in LESSONS}
    named = [key for way in PATHS for sitting in way.sittings for key in sitting]
    assert {*named} <= known
    for way in PATHS:
        keys = [key for sitting in way.sittings for key in sitting]
        assert len(set(keys)) == len(keys)
    assert len({way.key for way in PATHS}) == len(PATHS)
    assert len(PATHS[-1].sittings) == 12


def test_what_people_say_too_finds_a_lesson():
    assert {"oom", "activations", "remat"} <= set(words_of(lesson("checkpointing")))
    assert "resnet" in words_of(lesson("residual"))
    assert "oom" not in words_of(lesson("two-knobs"))
