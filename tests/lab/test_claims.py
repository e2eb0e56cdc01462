"""Test a lesson's claims when the graph on the canvas is no longer the lesson's.

Numbers are worked out by hand from the lesson's graph z = 2x + x² at x = 3, whose wires add 2 and 2x.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from autodiff_viz.graph.history import begin
from autodiff_viz.lab import lessons as claims_view
from autodiff_viz.lab.actions import redone, resampled, set_input, set_rule, typed, undone
from autodiff_viz.lab.asking import stop_asking
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.lessons import (
    FAILS,
    HOLDS,
    ClaimView,
    claims_on_canvas,
    close_lesson,
    lesson_view,
    open_lesson,
)
from autodiff_viz.lab.state import LAST, Lab, start
from autodiff_viz.lab.training import trains
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.evaluate import findings
from autodiff_viz.lessons.gallery import LESSONS, lesson
from autodiff_viz.lessons.lesson import Claim, Lesson
from autodiff_viz.lessons.proof import Proof
from autodiff_viz.training.run import advanced
from tests.lab.regression import trained
from tests.own_lesson import ARRIVES, BRINGS, KEY, LESSON


def proof(found: Lesson) -> Proof:
    return tuple(findings(found, variant) for variant in range(len(found.steps)))


def own_claims(found: Lesson, variant: int) -> tuple[ClaimView, ...]:
    return claims_view.own_claims(findings(found, variant))


def claims(lab: Lab) -> dict[str, ClaimView]:
    shown = claims_on_canvas(lab, lab_view(lab), proof(lesson(lab.lesson)))
    return {claim.says: claim for claim in shown}


def states(lab: Lab) -> set[str]:
    return {claim.state for claim in claims(lab).values()}


def now(lab: Lab) -> list[str]:
    """What the canvas has in place of the lesson's numbers; "" where that is the same or nothing."""
    return [claim.now for claim in claims(lab).values()]


def two_uses(variant: int = 0) -> Lab:
    return stop_asking(open_lesson(start(), KEY, variant))


def test_in_the_lessons_own_graph_every_claim_holds_and_nothing_is_added():
    found = claims(two_uses())
    assert {claim.state for claim in found.values()} == {HOLDS}
    assert [claim.now for claim in found.values()] == ["", ""]
    assert found[ARRIVES].computed == "8"


def test_a_stop_leaves_the_ticks_and_what_is_there_now_stands_beside():
    found = claims(set_rule(two_uses(), "b", "stop"))
    assert (found[ARRIVES].state, found[ARRIVES].computed, found[ARRIVES].now) == (HOLDS, "8", "2")
    assert (found[BRINGS].state, found[BRINGS].now) == (HOLDS, "2 + 0")


def test_undo_takes_what_is_there_now_away_and_redo_brings_it_back():
    lab = undone(set_rule(two_uses(), "b", "stop"))
    assert now(lab) == ["", ""]
    assert now(redone(lab)) == ["2 + 0", "2"]


def test_a_slider_that_is_moved_away_and_back():
    away = set_input(two_uses(), "x", 1.0)
    assert (claims(away)[ARRIVES].now, claims(away)[BRINGS].now) == ("4", "2 + 2")
    assert now(set_input(away, "x", 3.0)) == ["", ""]


def test_another_seed_is_another_gradient():
    assert claims(replace(two_uses(), seed=2.0))[ARRIVES].now == "16"


def is_of_seed(claim) -> bool:
    """Return whether its number grows with the seed."""
    return claim.variant == claim.at == 0 and claim.quantity in ("gradient", "cotangent", "passed", "added")


WITH_SEED = [found for found in LESSONS if any(map(is_of_seed, found.claims))]


@pytest.mark.nightly
@pytest.mark.sampled(30)
@pytest.mark.parametrize("found", WITH_SEED, ids=lambda found: found.key)
def test_under_twice_the_seed_every_gradient_but_0_is_another_one(found):
    unmoved = {"What is passed to x instead", "w gets by value"}  # a rewrite to a constant, a clip
    lab = replace(stop_asking(open_lesson(start(), found.key)), seed=2.0)
    for own, shown in zip(own_claims(found, 0), claims(lab).values(), strict=True):
        claim = next(claim for claim in found.claims if claim.variant == 0 and claim.says == shown.says)
        if is_of_seed(claim):
            # 0, of which rounding may leave something, NaN, infinity
            still = any(not re.search("[1-9]", says) for says in (own.computed, own.expected))
            same_doubled = still or shown.says in unmoved
            assert (shown.now == "") is same_doubled, shown


def test_in_double_precision_the_claims_are_held_against_its_own_digits():
    found = claims(replace(stop_asking(open_lesson(start(), "surgery")), dtype="float64"))
    gradient = found["Gradient of x"]
    assert gradient.state == HOLDS
    assert float(gradient.computed) == pytest.approx(0.5 + math.cos(30), rel=1e-15)


def test_another_graph_of_the_lesson_has_its_own_claims():
    assert claims(two_uses(1))[ARRIVES].computed == "6"
    assert claims(set_input(two_uses(1), "x", 4.0))[ARRIVES].now == "8"


def test_of_what_still_holds_in_a_changed_graph_nothing_is_added():
    """z = 2x + x² + 0·w: w is new, and nothing else."""
    lab = typed(two_uses(), "x = 3.0\na = 2.0 * x\nb = square(x)\nw = 1.0\nz = a + b + 0.0 * w")
    assert lesson_view(lab).changed
    assert now(lab) == ["", ""]


def test_a_node_that_has_gone_leaves_the_lessons_own_number():
    found = claims(typed(two_uses(), "t = 3.0\nz = 2.0 * t + square(t)"))
    assert {(claim.state, claim.now) for claim in found.values()} == {(HOLDS, "")}
    assert found[ARRIVES].computed == "8"


def test_a_graph_that_is_not_finished_adds_nothing():
    lab = edited(two_uses(), {"kind": "disconnect", "to": "z", "slot": 1})
    assert lab_view(lab).unfinished == ("z",)
    assert now(lab) == ["", ""]


def test_a_draft_with_a_mistake_leaves_the_graph():
    assert now(typed(two_uses(), "x = (")) == ["", ""]


def test_minus_zero_is_another_number():
    lab = open_lesson(start(), "xor-tutorial", 1)
    graph = parse(lab_view(lab).text.replace("[[0.0, 0.0]", "[[-0.0, 0.0]"))
    assert graph != parse(lab_view(lab).text)
    assert lesson_view(replace(lab, history=begin(graph, "Start"))).changed


def test_resampling_keeps_what_holds_for_every_draw():
    """Stopped last, the gradient is the sign whatever the noise is; the value follows its law."""
    before = claims(open_lesson(start(), "forward-backward", 3))
    after = claims(resampled(open_lesson(start(), "forward-backward", 3)))
    assert {claim.state for claim in after.values()} == {HOLDS}
    assert after["Gradient of x"].computed == "[−1, −1, 1]"
    assert after["The same value"].computed != before["The same value"].computed


def test_a_claim_about_runs_follows_the_region():
    lab = open_lesson(start(), "checkpointing", 2)
    found = claims(edited(lab, {"kind": "uncheckpoint", "region": "square"}))
    assert found["Gradient of x"].state == HOLDS  # a region changes no number
    assert found["How often the square runs"].now == "1 forward, 0 backward, 0 needed"


@pytest.mark.nightly
def test_a_claim_about_segments_says_nothing_of_a_graph_without_them():
    lab = edited(
        open_lesson(start(), "split-model", 1), {"kind": "cut_after", "nodes": ["out1"], "on": False}
    )
    assert states(lab) == {HOLDS}
    assert set(now(lab)) == {""}


LOSSES, STEP_1 = "All ten losses", "What passes it in step 1: all that arrives"


def test_a_training_as_the_lesson_has_it_keeps_the_ticks_about_its_steps():
    lab = trained(open_lesson(start(), "xor-tutorial", 1), 10)
    shown = claims(replace(lab, step=1))
    assert (shown[LOSSES].state, shown[STEP_1].state) == (HOLDS, HOLDS)
    in_step_0 = shown["What passes the last relu in step 0: nothing for the first sample"]
    assert in_step_0.now == shown[STEP_1].computed  # the canvas is at step 1


def test_while_steps_are_made_nothing_is_said_of_what_has_gone_by():
    lab = replace(trains(open_lesson(start(), "xor-tutorial", 1), 10), step=LAST)
    lab = replace(lab, training=advanced(lab.training, 3))
    assert lab.training.running
    assert set(now(lab)) == {""}


def test_without_a_lesson_nothing_is_claimed():
    assert claims_on_canvas(close_lesson(two_uses()), lab_view(two_uses()), ()) == ()


@pytest.mark.nightly
def test_every_claim_says_how_close_it_must_be():
    said = {claim.says: claim.closely for claim in own_claims(lesson("split-cnn"), 1)}
    assert said["Cotangent handed to model_0"] == "exactly"
    assert said["Loss of joint training in the last step: it learns the four images"] == "within 0.005"
    assert {claim.closely for claim in own_claims(lesson("surgery"), 0)} == {"exactly", "to 6 digits"}


@pytest.mark.nightly
def test_a_tick_is_as_close_as_it_says():
    """Of every claim of all lessons, in decimals: what it says is what was asked of it."""
    for found in LESSONS:
        for variant in range(len(found.steps)):
            for shown in own_claims(found, variant):
                assert shown.state == HOLDS
                if shown.closely == "exactly" and "…" not in shown.computed:
                    assert shown.computed == shown.expected.rpartition(" = ")[2]


def test_a_claim_that_is_wrong_in_the_lessons_own_graph_is_crossed_out():
    wrong = replace(LESSON, claims=(Claim(ARRIVES, "cotangent", "x", 7.0, "a mistake"),))
    (shown,) = own_claims(wrong, 0)
    assert (shown.state, shown.holds) == (FAILS, False)
