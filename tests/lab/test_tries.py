"""Test the exercises of lessons: a click does each, and it is done once all that it asks for has been."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from autodiff_viz.explain.catalog import FIGURES, lacking
from autodiff_viz.lab.actions import set_input
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.exercises import NONE, PLOTS, Reached, do_try, reached, tries
from autodiff_viz.lab.figures import pinned_graph
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.state import Lab, slider_range, start
from autodiff_viz.lab.training import plans, resets, scrubs
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.lessons.lesson import (
    PLAY,
    STEPS,
    THREE_WAYS,
    branches,
    cut,
    function,
    members,
    put,
    resampled,
    ruled,
    selected,
    written,
)
from autodiff_viz.training.course import records
from tests.lab.regression import finished, trained
from tests.own_lesson import KEY
from tests.web.node import node

ALL = [(found, i) for found in LESSONS for i in range(len(found.to_try))]
IN_THE_LAB = [(found, i) for found, i in ALL if not any(part.asks for part in found.to_try[i].parts)]
"""The others ask for events: below, tests/ui/test_segments_panel.py and tests/ui/test_lessons_page.py."""


def seen(before: Reached, lab: Lab, event: str = "") -> Reached:
    """What is reached with all plots on view."""
    return reached(before, lab, event, PLOTS)


def done(lab: Lab, before: Reached = NONE) -> list[bool]:
    return [item.is_done for item in tries(lab, seen(before, lab))[1]]


def ticked(*labs: Lab) -> set[int]:
    """Indices of the exercises that are done once the lab has been in these states, one after the other."""
    before = NONE
    for lab in labs:
        before = seen(before, lab)
    return {i for i, is_done in enumerate(done(labs[-1], before)) if is_done}


def opened(key: str, variant: int = 0, *edits: dict) -> Lab:
    lab = open_lesson(start(), key, variant)
    for edit in edits:
        lab = edited(lab, edit)
    assert lab.notice == ()
    return lab


@pytest.mark.parametrize(("found", "i"), IN_THE_LAB, ids=lambda case: getattr(case, "key", case))
def test_clicks_do_the_exercise_and_it_is_ticked_then_and_not_before(found, i):
    lab, before = open_lesson(start(), found.key), NONE
    for _ in found.to_try[i].parts:
        before = seen(before, lab)
        if done(lab, before)[i]:
            break
        lab = do_try(lab, found.key, i, before)
        assert lab.notice == ()
        if lab.training and lab.training.running:
            assert not done(lab, before)[i]  # until the steps are made
            lab = finished(lab, 500)
            before = seen(before, lab)
            if found.to_try[i].parts[0].at is not None:
                lab = do_try(lab, found.key, i, before)  # the step to look at
    assert done(lab, before)[i]
    closed = replace(before, looked=frozenset())  # the same with all plots closed
    assert tries(lab, closed)[1][i].is_done != any(name in PLOTS for name in found.to_try[i].shows)
    assert not done(open_lesson(start(), found.key))[i]


def test_every_exercise_has_a_part_that_the_lesson_as_it_opens_does_not_reach():
    for found, i in ALL:
        count = tries(open_lesson(start(), found.key))[1][i]
        assert count.done < count.of, (found.key, i)


def test_the_same_done_by_hand_is_ticked_too():
    lab = opened(KEY)
    assert done(set_input(lab, "x", -1.5))[0]  # any other value
    assert done(edited(lab, ruled("b", "stop"))) == [False, True, False, False]
    assert done(open_lesson(lab, KEY, 1)) == [False, False, True, False]
    assert done(edited(trained(opened("zero-start"), 20), put("w1", 0.1)))[1]  # w1's own number is on view


def ten(*edits: dict) -> Lab:
    return trained(opened("xor-tutorial", 1, *edits), 10)


CLIP = "lambda v: clip(v, -0.01, 0.01)"
TUNED = {"kind": "tune", "group": "transformer", "branch": "transformer_3"}
DELETED = {"kind": "delete", "nodes": ["a", "b", "c", "y"]}
UNDONE = {
    "moved, not to 0": ("neuron", 1, lambda: [opened("neuron", 0, put("x", 1.0))]),
    "opened, not played": ("neuron", 2, lambda: [opened("neuron", 1)]),
    "moved behind a stop, so that one contribution is 0": (
        KEY,
        0,
        lambda: [opened(KEY, 0, ruled("b", "stop"), put("x", 1.0))],
    ),
    "moved where the gradient is not 0": (
        "without-derivative",
        1,
        lambda: [opened("without-derivative", 1, put("y", 2.5))],
    ),
    "moved after the stop was taken away": (
        "without-derivative",
        1,
        lambda: [opened("without-derivative", 0, ruled("b", "follow"), put("y", 2.5))],
    ),
    "clipped where 1/x is small enough": (
        "surgery",
        1,
        lambda: [opened("surgery", 0, put("x", 200.0), function("half", CLIP))],
    ),
    "moved under a rule that follows": (
        "surgery",
        2,
        lambda: [opened("surgery", 0, function("half", "lambda v: -v"), put("x", 10.0))],
    ),
    "moved where the declared line leaves": (
        "declare-derivative",
        0,
        lambda: [opened("declare-derivative", 0, put("x", 2.0))],
    ),
    "another graph's function": (
        "declare-derivative",
        1,
        lambda: [opened("declare-derivative", 1, function("y", "lambda v, x, y: v"))],
    ),
    "resampled in another graph": (
        "forward-backward",
        2,
        lambda: [opened("forward-backward", 0, resampled())],
    ),
    "one of two nodes": ("two-stops", 2, lambda: [opened("two-stops", 0, selected("y_late"))]),
    "the checkpoint gone with its node": ("checkpointing", 0, lambda: [opened("checkpointing", 0, DELETED)]),
    "one of two selections": ("checkpointing", 2, lambda: [opened("checkpointing", 0, selected("c"))]),
    "the node of another graph": (
        "checkpointing",
        2,
        lambda: [opened("checkpointing", 0, selected("c")), opened("checkpointing", 1, selected("y"))],
    ),
    "trained, not looked at step 0": ("xor-tutorial", 0, lambda: [ten(), scrubs(ten(), 1)]),
    "looked at the steps of a training by other rules": (
        "xor-tutorial",
        0,
        lambda: [scrubs(ten(ruled("layer1", "stop")), k) for k in (0, 1)],
    ),
    "stopped after the training": ("xor-tutorial", 1, lambda: [edited(ten(), ruled("layer1", "stop"))]),
    "a bias set, not started over": ("xor-tutorial", 2, lambda: [edited(ten(), written("b2", "[0.1]"))]),
    "the other graph trained, this one opened": (
        "xor-broadcast",
        0,
        lambda: [open_lesson(trained(opened("xor-broadcast", 1), 100), "xor-broadcast", 0)],
    ),
    "one of two graphs trained": (
        "xor-broadcast",
        2,
        lambda: [trained(opened("xor-broadcast", 2), 2000), opened("xor-broadcast", 3)],
    ),
    "trained at another rate": (
        "xor-broadcast",
        0,
        lambda: [trained(plans(opened("xor-broadcast"), rate=0.01), 100)],
    ),
    "the usual seed": ("xor-broadcast", 3, lambda: [trained(opened("xor-broadcast", 4), 100)]),
    "trained without the region": (
        "checkpointed-cnn",
        1,
        lambda: [trained(opened("checkpointed-cnn", 1), 5)],
    ),
    "a region that has only the pool": (
        "checkpointed-cnn",
        0,
        lambda: [opened("checkpointed-cnn", 0, members("block", "pool"))],
    ),
    "one of four tuned": (
        "gated-transformer",
        2,
        lambda: [opened("gated-transformer", 1, branches("transformer", 4), TUNED)],
    ),
    "stopped where no cut is": (
        "split-model",
        2,
        lambda: [opened("split-model", 1, cut("out1", False), ruled("out1", "stop"))],
    ),
}
"""By what was done instead: a lesson, one of its exercises, and the states that a visitor passes through."""


@pytest.mark.parametrize("case", UNDONE)
def test_what_was_not_done_is_not_ticked(case):
    _, i, labs = UNDONE[case]
    assert i not in ticked(*labs())


def test_parts_may_be_done_one_after_the_other():
    c, y = (opened("checkpointing", 0, selected(name)) for name in "cy")
    assert ticked(y, c) == {2}
    assert ticked(
        opened("two-stops", 0, selected("sum_early")), opened("two-stops", 0, selected("y_late"))
    ) == {2}
    lab = ten()
    assert ticked(scrubs(lab, 1), scrubs(lab, 0)) == {0}
    assert ticked(edited(lab, ruled("layer1", "stop")), ten(ruled("layer1", "stop"))) == {1}
    assert ticked(resets(edited(lab, written("b2", "[0.1]")))) == {2}


def test_a_part_that_was_reached_is_counted():
    lab = opened("checkpointing", 0, selected("c"))
    before = seen(NONE, lab)
    (item,) = [tries(lab, before)[1][2]]
    assert (item.done, item.of, item.is_done) == (1, 2, False)
    assert do_try(lab, "checkpointing", 2, before).selected == "y"  # the next part


def test_events_are_parts_too_in_the_graph_that_they_are_about():
    far = opened("neuron", 1)
    assert done(far, reached(NONE, far, PLAY)) == [False, False, True]
    near = opened("neuron")
    assert done(near, reached(NONE, near, PLAY)) == [False, False, False]
    assert done(near, reached(NONE, near, STEPS)) == [True, False, False]


def test_another_lesson_begins_with_nothing_reached():
    before = reached(NONE, opened("checkpointing", 2))
    assert reached(before, opened(KEY)) == Reached(KEY, frozenset())
    assert reached(before, start()) == NONE


def test_the_exercise_with_a_seed_is_done_by_a_training_with_that_seed_alone():
    usual = trained(opened("xor-broadcast", 4), 100)
    assert not any(done(usual))
    lab = finished(do_try(usual, "xor-broadcast", 3), 50)
    assert done(lab)[3]
    assert records(lab.training.course).loss.tolist() == [0.5] * 100  # all predictions are 0 of 0, 1, 1, 0


def test_the_numbers_that_an_exercise_speaks_of_are_those_of_nodes_of_its_lesson_or_of_plots():
    for found, i in ALL:
        variant = found.steps[found.to_try[i].parts[-1].variant]
        names = {node.name for node in opened(found.key, found.steps.index(variant)).graph.nodes}
        assert {*found.to_try[i].shows} <= names | {*PLOTS}, (found.key, i)


def test_an_exercise_about_another_graph_opens_it():
    lab = do_try(open_lesson(start(), "forward-backward"), "forward-backward", 2)
    assert (lab.lesson, lab.variant) == ("forward-backward", 3)


def left(lab: Lab, i: int, before: Reached = NONE) -> tuple[bool, tuple[str, ...]]:
    """Whether an exercise is done, and the plots that are left to be opened for it."""
    item = tries(lab, before)[1][i]
    return item.is_done, item.opens


@pytest.mark.every
def test_each_exercise_about_plots_is_done_once_they_are_open_and_not_before():
    for found, i in IN_THE_LAB:
        plots = tuple(name for name in found.to_try[i].shows if name in PLOTS)
        if not plots or any(part.steps for part in found.to_try[i].parts):
            continue
        lab, looked, closed = open_lesson(start(), found.key), NONE, NONE
        for k in range(len(found.to_try[i].parts)):
            lab = do_try(lab, found.key, i, looked)
            others = {*PLOTS} - {*plots}
            closed, looked = reached(closed, lab, "", others), reached(looked, lab, "", others)
            assert left(lab, i, closed) == (False, plots), (found.key, k)
            assert left(lab, i, looked)[1], (found.key, k)
            assert set(plots) & set(FIGURES) <= set(FIGURES) - {*lacking(lab.graph, pinned_graph(lab))}
            looked = reached(looked, lab, "", plots)
            assert left(lab, i, looked)[1] == (), (found.key, k)
        assert left(lab, i, looked) == (True, ()), found.key
        assert not left(lab, i, closed)[0], found.key


def test_a_plot_counts_in_the_state_that_the_exercise_asks_for():
    before = reached(NONE, opened("accuracy"), plots=["sweep"])
    moved = opened("accuracy", 0, put("z", -0.001))
    assert left(moved, 0, reached(before, moved)) == (False, ("sweep",))
    away = opened("accuracy", 0, put("z", 2.0))
    kept = reached(reached(before, moved), away, plots=["sweep"])
    assert left(away, 0, kept) == (False, ())  # the state is gone: nothing to open
    done_so = reached(kept, moved, plots=["sweep"])
    assert left(moved, 0, done_so) == (True, ())
    assert left(away, 0, reached(done_so, away)) == (True, ())  # the tick stays


def test_of_two_plots_both_are_opened_and_of_two_parts_each_is_looked_at():
    lab = opened("last-stage", 0, members("last", "a", "b"))
    first = reached(NONE, lab, plots=["residuals"])
    assert left(lab, 0, first) == (False, ("runs",))
    assert left(lab, 0, reached(first, lab, plots=["runs"])) == (True, ())
    c, y = (opened("checkpointing", 0, selected(name)) for name in "cy")
    before = reached(reached(NONE, c, plots=["runs"]), y)
    assert left(y, 2, before) == (False, ("runs",))
    assert left(y, 2, reached(before, y, plots=["runs"])) == (True, ())
    none, three = (open_lesson(start(), "budget", i) for i in (2, 3))
    before = reached(reached(NONE, none, plots=["residuals"]), three, plots=["plans"])
    assert left(three, 1, before) == (True, ())


def test_an_event_waits_for_its_panel():
    lab = opened("split-model", 1)
    asked = reached(NONE, lab, THREE_WAYS)
    assert left(lab, 1, asked) == (False, ("segments",))
    assert left(lab, 1, reached(asked, lab, plots=["segments"])) == (True, ())
    assert left(lab, 1, reached(NONE, lab, plots=["segments"])) == (False, ())  # nothing has been trained


def test_without_a_lesson_there_is_nothing_to_try_and_a_late_click_changes_nothing():
    assert tries(start()) is None
    assert do_try(start(), "nowhere", 0) == start()
    assert do_try(start(), KEY, 99) == start()


SLIDERS = Path(__file__).parents[2] / "autodiff_viz/web/sliders/sliders.js"
AT_EACH_PIXEL = """
import { readFileSync } from "node:fs";
globalThis.document = { addEventListener() {} };
const { atPointer, onGrid } = await import(%s);
const all = JSON.parse(readFileSync(0, "utf8")).map(([low, high, width, aim]) =>
  [...Array(width + 1).keys()].map((px) =>
    atPointer(onGrid(low + ((px - 9) / (width - 18)) * (high - low), low, high), low, high, width, aim)));
console.log(JSON.stringify(all));
"""
"""What a slider is set to by a pointer at each of its pixels; half of its round part is 9 px wide."""


@pytest.mark.skipif(node() is None, reason="no node")
@pytest.mark.parametrize("width", [196, 280, 283])  # on a phone, and in a window of 1280 px
def test_what_an_exercise_asks_for_can_be_dragged_to(width):
    asked, moved = [], []
    for found, i in IN_THE_LAB:
        before, lab = NONE, open_lesson(start(), found.key)
        for part in found.to_try[i].parts:
            lab = open_lesson(lab, found.key, part.variant)
            for name, value in tries(lab, before)[1][i].moves:
                if value is not None:
                    asked.append((found.key, name, value))
                    moved.append((*slider_range(lab, name), width, value))
            before = seen(before, do_try(lab, found.key, i, before))
    assert len(asked) > 50
    script = AT_EACH_PIXEL % json.dumps(SLIDERS.as_uri())
    ran = [node(), "--input-type=module", "-e", script]
    answer = subprocess.run(ran, input=json.dumps(moved), capture_output=True, text=True, check=True)
    missed = [
        each for each, all_ in zip(asked, json.loads(answer.stdout), strict=True) if each[2] not in all_
    ]
    assert missed == []
