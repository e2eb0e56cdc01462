"""Test several documents in one history: undo restores each as it was left."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.link import to_link
from autodiff_viz.lab.actions import redone, reset, set_input, set_rule, set_seed, typed, undone
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.edits.document import imported, jumped
from autodiff_viz.lab.lessons import close_lesson, lesson_view, open_lesson, open_variant
from autodiff_viz.lab.persistence.address import documents, from_query, to_query
from autodiff_viz.lab.persistence.history import trail
from autodiff_viz.lab.state import FIRST, Lab, formula_text, start
from autodiff_viz.lab.training import brings_back, plans, resets, scrubs, trains
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.training.run import advanced
from autodiff_viz.training.state import Settings
from tests.lab.regression import lab_of
from tests.own_lesson import KEY, LESSON, TITLE
from tests.seeds import seeded

JSON = to_json(parse("p = 3.0\nq = p * p"))
MINE = typed(start(), FIRST.replace("1.5", "2.5"))


def of_mine(lab: Lab) -> Lab:
    """A graph with all that can be set beside it."""
    lab = set_input(set_seed(lab, 2.0), "x", 7.0)
    return replace(
        lab,
        dtype="float64",
        figure="sweep",
        choices=(("swept", "y"),),
        selected="b",
        collapsed=frozenset({"g"}),
    )


def beside(lab: Lab) -> tuple:
    """What belongs to a document beside its graph."""
    kept = lab.seed, lab.dtype, lab.figure, lab.choices, lab.selected, lab.collapsed, lab.ranges, lab.plan
    return lab.lesson, lab.variant, lab.document, kept


OPENINGS: dict[str, Callable[[Lab], Lab]] = {
    "lesson": lambda lab: open_lesson(lab, KEY),
    "variant": lambda lab: open_lesson(lab, "xor-broadcast", 1),
    "json": lambda lab: imported(lab, JSON),
    "link": lambda lab: imported(lab, f"https://here/?g={to_link(parse('p = 3.0'))}&seed=3.0&dtype=float64"),
    "formula": lambda lab: imported(lab, "p = 3.0\nq = sin(p)"),
    "reset": reset,
}


@pytest.mark.parametrize("opening", OPENINGS.values(), ids=OPENINGS)
@pytest.mark.parametrize(
    "before", [of_mine(MINE), open_lesson(start(), "surgery", 1)], ids=["mine", "lesson"]
)
def test_undo_after_opening_brings_back_the_former_document_whole_and_redo_the_other(opening, before):
    after = opening(before)
    assert after.document != before.document
    back = undone(after)
    assert (back.graph, formula_text(back)) == (before.graph, formula_text(before))
    assert beside(back) == beside(before)
    forth = redone(back)
    assert (forth.graph, beside(forth)) == (after.graph, beside(after))


def test_undo_after_another_document_was_opened_closes_the_lesson_and_brings_it_back():
    opened = imported(open_lesson(MINE, KEY), JSON)
    assert lesson_view(opened) is None
    assert lesson_view(undone(opened)).key == KEY
    assert lesson_view(undone(undone(opened))) is None


def test_each_variant_of_a_lesson_is_a_step_with_its_own_graph():
    lab = open_variant(open_lesson(start(), KEY), KEY, 1)
    assert (lab.variant, undone(lab).variant, redone(undone(lab)).variant) == (1, 0, 1)
    assert undone(lab).graph == graph_of(LESSON.steps[0])


def test_what_was_set_in_a_document_is_there_when_redo_leads_to_it_again():
    lab = set_seed(open_lesson(MINE, KEY), 5.0)
    lab = close_lesson(set_rule(lab, "a", "stop"))
    again = redone(redone(undone(undone(lab))))
    assert (again.seed, again.lesson, again.graph) == (5.0, None, lab.graph)


def test_a_jump_over_several_documents_brings_back_the_one_it_leads_to():
    lab = imported(open_lesson(open_lesson(of_mine(MINE), KEY), "surgery"), JSON)
    at = {entry.label: i for i, entry in enumerate(lab.history.entries)}
    here = at[f"Lesson: {TITLE}"]
    assert jumped(lab, here).lesson == KEY
    assert beside(jumped(lab, here - 1)) == beside(of_mine(MINE))
    assert jumped(undone(undone(lab)), len(at) - 1).lesson is None


def test_opening_the_graph_that_is_there_already_loses_no_text_and_can_be_undone():
    lab = open_lesson(start(), KEY)
    text = "# what I have understood so far\n" + formula_text(lab)
    lab = set_seed(typed(lab, text), 3.0)
    again = open_lesson(lab, KEY)
    assert (formula_text(again), again.seed) == (formula_text(open_lesson(start(), KEY)), None)
    assert (formula_text(undone(again)), undone(again).seed) == (text, 3.0)


def test_unfinished_text_can_be_brought_back_wherever_undo_leads():
    lab = undone(open_lesson(typed(MINE, "z = sin("), KEY))
    assert (lab.shelved, lab.draft) == ("z = sin(", None)
    lab = undone(typed(open_lesson(MINE, KEY), "half ="))
    assert (lab.shelved, lab.draft, lab.mistakes) == ("half =", None, ())


def test_the_steps_that_were_trained_are_there_again():
    lab = trains(lab_of(), 5)
    lab = scrubs(replace(lab, training=advanced(lab.training, 5)), 3)
    other = trains(open_lesson(lab, "xor-broadcast"), 2)
    other = replace(other, training=advanced(other.training, 2))
    back = undone(other)
    assert (len(back.training), back.step) == (5, 3)
    assert back.training.seconds >= other.training.seconds
    assert len(redone(back).training) == 2
    aside = resets(lab)
    assert len(brings_back(undone(open_lesson(aside, KEY))).training) == 5


def test_the_settings_of_a_lesson_s_training_stay_with_it():
    lab = plans(lab_of(), steps=7, rate=0.5)
    back = undone(open_lesson(lab, "xor-broadcast"))
    assert (back.plan.steps, back.plan.settings) == (7, replace(Settings(), rate=0.5))


def after_a_reload(lab: Lab) -> Lab:
    """Another session with the same address, to which the browser sends what it has stored."""
    kept = json.loads(json.dumps(kept_of(lab)))
    return edited(from_query(to_query(lab)), {"kind": "kept", "trail": kept, "seq": 1})


def kept_of(lab: Lab) -> dict:
    return {**trail(lab.history).data, "documents": documents(lab)}


def test_documents_outlive_a_reload():
    lab = set_seed(open_lesson(of_mine(MINE), KEY, 1), 4.0)
    lab = undone(imported(lab, JSON))
    again = after_a_reload(lab)
    assert beside(again)[:2] == (KEY, 1)
    mine = undone(again)
    assert (mine.lesson, mine.graph) == (None, lab.history.past[-1].graph)
    assert (mine.seed, mine.dtype, mine.figure, mine.ranges) == (
        2.0,
        "float64",
        "sweep",
        of_mine(MINE).ranges,
    )
    assert redone(again).lesson is None
    assert (undone(redone(again)).lesson, undone(redone(again)).seed) == (KEY, 4.0)
    once_more = after_a_reload(redone(again))
    assert (undone(once_more).lesson, undone(once_more).variant) == (KEY, 1)


@pytest.mark.parametrize("told", [None, [], {"0": 3}, {"x": "{}"}, {"1": "{"}, {"0": '{"seed":[]}'}, 7])
def test_what_is_said_of_the_documents_from_outside_is_checked(told):
    lab = open_lesson(MINE, KEY)
    kept = {**kept_of(lab), "documents": told}
    again = edited(from_query(to_query(lab)), {"kind": "kept", "trail": kept, "seq": 1})
    assert undone(again).graph in (MINE.graph, lab.graph)


@pytest.mark.parametrize("seed", range(20))
def test_every_step_of_the_history_has_the_lesson_that_it_was_made_in(seed):
    random, lab = Random(seeded(seed)), MINE
    known: dict[int, tuple] = {}
    for number in range(40):
        kind = random.randrange(5)
        if kind == 0:
            lab = open_lesson(lab, random.choice(LESSONS[:7]).key, random.randrange(2))
        elif kind == 1:
            lab = imported(lab, f"p = {number}.0\nq = p * p")
        elif kind == 2:
            lab = typed(lab, f"r = {number}.5\ns = r * r")
        elif kind == 3:
            lab = jumped(lab, random.randrange(len(lab.history.entries)))
        else:
            lab = random.choice([undone, redone])(lab)
        known = {i: seen for i, seen in known.items() if i < len(lab.history.entries)}
        at = len(lab.history.past)
        if kind < 3:
            known = {i: seen for i, seen in known.items() if i < at}
        now = lab.graph, lab.lesson, lab.variant, lab.document
        assert known.setdefault(at, now) == now
