"""Test opening, changing and leaving a lesson, and what the page shows of it."""

from dataclasses import replace

import pytest

import autodiff_viz as av
from autodiff_viz.asking.question import ASKED_ALONE, NUMBER, Quantity, Question
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.lab.actions import set_input, set_rule, undone
from autodiff_viz.lab.asking import ask, hidden_places, reveal
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.lessons import claims_on_canvas, close_lesson, lesson_view, open_lesson
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.state import start
from autodiff_viz.lessons.evaluate import findings
from autodiff_viz.lessons.gallery import ADDED, LESSONS, TRACKS, lesson
from tests.own_lesson import BRINGS, KEY, LAST


def _proof(found):
    return tuple(findings(found, variant) for variant in range(len(found.steps)))


def _claim(lab, says):
    shown = claims_on_canvas(lab, lab_view(lab), _proof(lesson(lab.lesson)))
    return next(claim for claim in shown if claim.says == says)


def test_an_open_lesson_brings_its_graph_figure_and_node():
    lab = open_lesson(start(), "declare-derivative")
    assert lab.graph == av.parse("x = 3.0\ny = custom(2.7182817 ** x, pullback=lambda v, x, y: v * x)")
    assert (lab.lesson, lab.variant, lab.figure, lab.selected) == ("declare-derivative", 0, "sweep", "y")


def test_undo_leads_from_a_lesson_back_to_the_graph_before():
    before = start()
    assert undone(open_lesson(before, KEY)).graph == before.graph


def test_an_unknown_lesson_changes_nothing():
    assert open_lesson(start(), "no such lesson") == start()


@pytest.mark.parametrize("variant", [-1, 99])
def test_a_variant_out_of_range_opens_the_nearest(variant):
    lab = open_lesson(start(), KEY, variant)
    assert lesson_view(lab).variant in (0, LAST)
    assert not lesson_view(lab).changed


def test_without_a_lesson_there_is_nothing_to_show():
    assert lesson_view(start()) is None
    assert lesson_view(replace(start(), lesson="from a stale address")) is None


def test_a_closed_lesson_leaves_its_graph():
    lab = open_lesson(start(), "surgery")
    assert close_lesson(lab).graph == lab.graph
    assert lesson_view(close_lesson(lab)) is None


@pytest.mark.parametrize("key", [each.key for each in LESSONS])
def test_a_closed_lesson_asks_and_hides_nothing_whether_it_was_answered_or_not(key):
    lab = open_lesson(start(), key)
    answered = reveal(lab, 0) if lab.asking else lab
    for closed in (close_lesson(lab), close_lesson(answered)):
        assert closed.asking is None
        assert not hidden_places(closed, closed.graph)


def test_a_teachers_questions_about_a_lessons_graph_stay_when_it_is_closed():
    own = Question(NUMBER, Quantity("value", "x"))
    lab = ask(open_lesson(start(), "fork"), [own], ASKED_ALONE)
    assert close_lesson(lab).asking == lab.asking


@pytest.mark.parametrize(
    "change",
    [
        lambda lab: set_input(lab, "x", 2.0),
        lambda lab: set_rule(lab, "b", "stop"),
        lambda lab: replace(lab, seed=2.0),
    ],
    ids=["slider", "rule", "seed"],
)
def test_a_change_of_the_graph_is_noted_and_starting_again_mends_it(change):
    lab = change(open_lesson(start(), KEY))
    assert lesson_view(lab).changed
    assert not lesson_view(open_lesson(lab, KEY, lab.variant)).changed


def test_moving_a_node_is_not_a_change():
    move = {"kind": "move", "positions": {"x": [10.0, 20.0]}}
    assert not lesson_view(edited(open_lesson(start(), KEY), move)).changed


def test_the_address_brings_the_lesson_back():
    lab = open_lesson(start(), "two-stops", 1)
    again = from_query(to_query(lab))
    assert lesson_view(again) == lesson_view(lab)
    assert not lesson_view(again).changed


def test_next_leads_through_each_track_and_ends():
    for track in (*TRACKS, *ADDED):
        views = [lesson_view(open_lesson(start(), found.key)) for found in track.lessons]
        keys = [found.key for found in track.lessons]
        assert [view.before for view in views] == [None, *keys[:-1]][: len(keys)]
        assert [view.after for view in views] == [*keys[1:], None][: len(keys)]
        assert [view.track for view in views] == [track.title] * len(views)


def test_the_number_found_stands_beside_the_printed_one():
    claim = _claim(open_lesson(start(), "surgery"), "Gradient of x")
    assert (claim.computed, claim.expected) == ("0.65425146", "0.65425146")
    assert claim.source == "Custom differentiation, the Swift for TensorFlow tutorial"


def test_a_fork_is_shown_as_a_sum():
    assert _claim(open_lesson(start(), KEY), BRINGS).computed == "2 + 6"
    assert _claim(open_lesson(start(), KEY, LAST), BRINGS).computed == ("0.98544973 + (−0.98544973)")


def test_runs_are_shown_in_words():
    claim = _claim(open_lesson(start(), "checkpointing", 2), "How often the square runs")
    assert claim.computed == "1 forward, 1 backward, 0 needed"


def test_a_law_is_shown_with_its_formula():
    claim = _claim(open_lesson(start(), "forward-backward", 3), "The same value")
    assert claim.expected.startswith("abs(x) * sqrt(u) = [2.0")


@pytest.mark.parametrize("found", LESSONS, ids=lambda found: found.key)
def test_a_lesson_opens_with_a_figure_that_exists(found):
    assert found.figure in FIGURES


@pytest.mark.nightly
def test_of_many_numbers_the_first_and_the_worst_are_shown():
    claim = _claim(open_lesson(start(), "xor-tutorial", 1), "What arrives at yhat in all ten steps")
    assert claim.computed.startswith("−0.25, … (40 numbers, at most ")
    assert claim.expected == "−0.25, …"
    same = _claim(open_lesson(start(), "checkpointed-cnn"), "Gradient of the filter, unchanged")
    assert same.computed.endswith("(450 numbers, the same to the last digit)")


@pytest.mark.nightly
def test_runs_in_many_steps_are_shown_once():
    claim = _claim(open_lesson(start(), "checkpointed-cnn"), "How often the convolution runs")
    assert claim.computed == "1 forward, 1 backward, 0 needed, in each of 5 steps"


def test_a_lesson_is_trained_as_its_document_does():
    lab = open_lesson(start(), "xor-tutorial", 1)
    assert (lab.plan.settings.optimiser, lab.plan.settings.rate, lab.plan.steps) == ("sgd", 0.02, 10)


def test_what_a_lesson_has_pinned_goes_with_its_graph_and_what_a_visitor_has_pinned_stays():
    twins = open_lesson(start(), "two-frameworks")
    assert twins.pinned is not None
    alone = next(i for i, step in enumerate(lesson("two-frameworks").steps) if not step.pinned)
    assert open_lesson(twins, "two-frameworks", alone).pinned is None
    assert open_lesson(twins, KEY).pinned is None
    flipped = edited(edited(twins, {"kind": "slide", "name": "x", "value": 2.0}), {"kind": "flip"})
    assert flipped.pinned is not None
    assert open_lesson(flipped, "two-frameworks", alone).pinned is None
    own = edited(open_lesson(start(), KEY), {"kind": "pin"})
    assert open_lesson(own, KEY, 1).pinned == own.pinned
