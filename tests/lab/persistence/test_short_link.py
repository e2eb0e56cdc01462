"""Test that a short link opens exactly the state that it is of, and is short."""

from __future__ import annotations

import zlib
from dataclasses import replace
from statistics import median
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_viz import from_link, parse
from autodiff_viz.graph import limits
from autodiff_viz.graph.link import Unreadable
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.short_text import TOUR_WORDS, WORDS, read_short_text, short_text
from autodiff_viz.lab.actions import redone, typed, undone
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.persistence.link_preview import OWN_GRAPH, preview
from autodiff_viz.lab.persistence.short_link import short_query, written
from autodiff_viz.lab.state import formula_text, start, with_choice, without_history
from autodiff_viz.lab.training import trains
from autodiff_viz.lessons.codec import read_tour, short_tour, tour_to_link
from autodiff_viz.lessons.gallery import SERVED
from autodiff_viz.lessons.tour import Step, Tour, plain
from autodiff_viz.training.run import advanced
from tests.lab.persistence.test_address import labs, same_but_for_history
from tests.own_lesson import KEY

STEPS = [(lesson.key, at) for lesson in SERVED for at in range(len(lesson.steps))]
WRITTEN = "1qwCLmYHlUD0FCpUKTU2wiQBVhw", "x = 0.6\ny = stop_gradient(sin(x)) * x\n"
"""A link of the first version, with the formula that it holds."""
WRITTEN_TOUR = "1IxRBIVijwhEj_A30zGLykHwdnphZogdKAQAi2A"


def test_the_words_that_links_are_shortened_with_never_change():
    """Links that have been sent and printed hold what they shortened."""
    assert (len(WORDS), zlib.crc32(WORDS.encode())) == (1630, 3625838790)
    assert read_short_text(WRITTEN[0], limits.TEXT) == WRITTEN[1]
    assert (len(TOUR_WORDS), zlib.crc32(TOUR_WORDS.encode())) == (2941, 96640655)
    assert read_tour(WRITTEN_TOUR) == Tour(title="T", steps=(Step("A", "x = 0.6\n", notes="Wait."),))


def test_every_step_of_a_lesson_is_named_and_opens_as_it_is():
    names = set()
    for key, at in STEPS:
        lab = without_history(open_lesson(start(), key, at))
        query = short_query(lab)
        if "f" not in query:  # else it has settings of a training that the lesson does not open with
            assert set(query) <= {"lesson", "variant"}
            names.add(written(query))
        assert to_query(from_query(query)) == to_query(lab)
    assert len(names) >= len(STEPS) - 3
    assert f"lesson={KEY}&variant=1" in names


@settings(max_examples=20)
@given(labs())
def test_a_short_link_opens_the_whole_lab_and_is_never_longer(lab):
    query = short_query(lab)
    assert len(written(query)) <= len(urlencode(to_query(lab)))
    assert same_but_for_history(from_query(query), from_query(to_query(lab)))


def test_a_formula_is_shorter_than_its_graph():
    """Of the lessons' graphs as a visitor's own, which no name stands for: mostly by half."""
    shares = []
    for key, at in STEPS:
        lab = typed(start(), formula_text(open_lesson(start(), key, at)))
        shares.append(len(written(short_query(lab))) / len(urlencode(to_query(lab))))
    assert median(shares) < 0.55
    assert max(shares) <= 1.0


def test_tours_come_back_from_four_fifths_of_a_link_that_older_versions_read():
    """Lessons as tours, whose texts are longer than what a class is given."""
    whole = short = 0
    for lesson in SERVED:
        tour = plain(lesson)
        assert read_tour(short_tour(tour)) == tour
        whole += len(tour_to_link(tour))
        short += len(short_tour(tour))
    assert short < 0.8 * whole


def test_a_damaged_tour_is_refused():
    good = short_tour(Tour(title="T", steps=(Step("A", "x = 1.0"),)))
    for letters in (good[:-3], good[:9] + "A" + good[10:], "1", f"{good}AAAA"):
        lab = from_query({"tour": letters})
        assert (lab.tour, len(lab.notice)) == (None, 1)


def test_a_text_that_is_the_authors_own_comes_back_as_it_was_written():
    lab = typed(start(), "# \u00e9\u4e2d\nx=1.0\ny = sin( x )")
    query = short_query(lab)
    assert set(query) == {"f"}
    assert formula_text(from_query(query)) == formula_text(lab)


def test_code_of_another_library_is_in_its_link_once():
    code = "import torch\nx = torch.tensor(2.0, requires_grad=True)\nloss = x.detach() * x\nloss.backward()\n"
    lab = edited(start(), {"kind": "import", "text": code})
    query = short_query(lab)
    assert set(query) <= {"f", "dtype", "node"}
    assert to_query(from_query(query)) == to_query(lab)


def test_a_short_link_is_read_from_python_and_where_a_link_is_pasted():
    address = f"https://host.example/?{urlencode({'f': short_text('q = 2.0')})}&node=q#large=1"
    assert from_link(address) == parse("q = 2.0")
    assert edited(start(), {"kind": "import", "text": address}).graph == parse("q = 2.0")
    lesson = edited(start(), {"kind": "import", "text": f"https://host.example/?lesson={KEY}&variant=1"})
    assert (lesson.lesson, lesson.variant) == (KEY, 1)
    assert preview("/", {"f": short_text("q = 2.0")}) == OWN_GRAPH


@given(st.text(st.characters(codec="utf-8"), max_size=400))
def test_any_text_comes_back(text):
    assert read_short_text(short_text(text), limits.TEXT) == text


def test_a_damaged_link_is_refused_wherever_the_damage_is():
    good = short_text("x = 1.0\ny = stop_gradient(sin(x)) * x\n")
    wrong = [good[:i] + ("A" if good[i] != "A" else "B") + good[i + 1 :] for i in range(len(good) - 1)]
    cut = [good[:i] for i in range(len(good))]
    for letters in [*wrong, *cut, good + "AAAA", "2" + good[1:], "1\u0661"]:
        with pytest.raises(Unreadable):
            read_short_text(letters, limits.TEXT)
        lab = from_query({"f": letters})
        assert lab.graph == start().graph
        assert bool(lab.notice) == bool(letters)
    with pytest.raises(GraphError) as refusal:
        from_link(f"https://host.example/?f={good[:-4]}")
    assert refusal.value.problems[0].code.startswith("link-")


def test_a_few_letters_never_unpack_to_more_than_the_limit():
    with pytest.raises(Unreadable):
        read_short_text(short_text("x" * 50_000), 40_000)


@given(st.text(max_size=60))
def test_no_short_link_whatever_raises(letters):
    assert from_query({"f": letters}).graph is not None


def test_a_graph_that_training_left_by_undo_has_the_link_of_a_graph_that_was_never_trained():
    never = typed(start(), "x = 1.0\nw = 0.5\nloss = square(x * w - 2)")
    lab = trains(typed(never, "x = 1.0\na = parameter([0.5, 0.25])\nloss = sum(square(a * x - 2))"), 3)
    lab = replace(lab, training=advanced(lab.training, 3))
    lab = with_choice(lab, "swept", "x")
    lab = with_choice(
        typed(lab, "x = 1.0\na = parameter([0.5, 0.25])\nc = 1.0\nloss = sum(square(a * x - c))"),
        "swept",
        "c",
    )
    assert {"step", "trained", "sweep"} <= short_query(lab).keys()
    before = undone(undone(lab))
    assert short_query(before) == short_query(never)
    again = redone(redone(before))
    assert short_query(again) == short_query(lab)
    assert len(again.training) == 3
