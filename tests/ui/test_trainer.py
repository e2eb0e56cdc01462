"""Test training in the background, without a page."""

from __future__ import annotations

import gc
import os
import signal
import time
import weakref
from collections.abc import Iterator
from dataclasses import replace
from queue import SimpleQueue

import numpy as np
import pytest

from autodiff_viz.graph.edits import with_rule
from autodiff_viz.graph.model import Rule
from autodiff_viz.lab.actions import set_rule, typed
from autodiff_viz.lab.training import pauses, trains
from autodiff_viz.training import course
from autodiff_viz.training.course import records
from autodiff_viz.training.run import still
from autodiff_viz.ui import trainer as module
from autodiff_viz.ui.session import Session, act
from autodiff_viz.ui.trainer import BROKEN, GONE, Steps, Trainer
from tests.lab.regression import lab_of, loss_of

PATIENCE = 60  # seconds; the first step compiles


def until(is_true) -> None:
    end = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.01)


def begun(steps: int):
    lab, trainer = trains(lab_of(), steps), Trainer()
    trainer.put(lab.training)
    return lab, trainer


def test_two_visitors_train_at_once_and_both_get_the_numbers_of_hand_work():
    trainers = [begun(steps)[1] for steps in (40, 25)]
    until(lambda: not any(trainer.training.running for trainer in trainers))
    for trainer, steps in zip(trainers, (40, 25), strict=True):
        found = records(trainer.training.course).loss
        np.testing.assert_allclose(found, [loss_of(k) for k in range(steps)], rtol=1e-4)


def test_a_pause_holds_though_a_chunk_was_under_way():
    lab, trainer = begun(20_000)
    until(lambda: len(trainer.training) > 0)
    paused = pauses(lab).training
    trainer.put(paused)
    time.sleep(0.1)
    assert trainer.training is paused


def test_no_step_is_made_any_more_once_the_graph_of_the_session_is_another_one():
    lab, trainer = begun(20_000)
    session = Session(lab, trainer=trainer)
    act(session, set_rule, "w", "stop")
    assert trainer.training.running
    act(session, typed, "q = 3.0\nr = q * q\n")
    assert not session.lab.training.running
    assert not trainer.training.running


def test_rules_that_change_meanwhile_hold_from_then_on():
    lab, trainer = begun(20_000)
    until(lambda: len(trainer.training) > 0)
    trainer.tell(with_rule(still(lab.graph), "w", Rule("stop")), lab.plan.settings)
    until(lambda: len(trainer.training.course.phases) == 2)
    assert trainer.training.course.phases[1].graph["w"].rule.kind == "stop"
    trainer.put(None)


@pytest.mark.nightly
def test_a_training_ends_with_its_session():
    _, trainer = begun(20_000)
    seen = weakref.ref(trainer)
    del trainer

    def is_gone() -> bool:
        gc.collect()
        return seen() is None

    until(is_gone)
    assert is_gone()


def test_a_training_that_nobody_looks_at_pauses(monkeypatch):
    monkeypatch.setattr(module, "AWAY", -1.0)
    _, trainer = begun(20_000)
    until(lambda: not trainer.training.running)
    assert trainer.training.why == GONE


@pytest.mark.parametrize(
    ("size", "seconds", "own", "wanted"),
    [(8, 1.0, 0.001, 4), (1, 9.0, 0.001, 1), (8, 0.001, 0.001, 16), (256, 0, 0.0, 256), (8, 0.1, 0.02, 16)],
)
def test_chunks_take_about_the_same_time_and_most_of_it_in_the_worker(size, seconds, own, wanted):
    assert module._fitting(size, seconds, own) == wanted


def test_a_training_with_a_limit_of_speed_makes_so_many_steps_and_then_waits(monkeypatch):
    monkeypatch.setattr(module, "_workers", lambda: None)  # its turns come from this test
    monkeypatch.setattr(module, "_turns", SimpleQueue)
    clock = iter(range(1000, 2000))
    monkeypatch.setattr(module, "monotonic", lambda: next(clock))
    lab, trainer = trains(lab_of(), 100), Trainer()
    trainer.limit(1)
    trainer.put(lab.training)
    for made in (1, 2, 3):
        assert trainer.advance()
        assert len(trainer.training) == made
        assert 1000 < trainer.due <= next(clock)
    trainer.limit(20)
    trainer._size = 8
    assert trainer.due == 0
    for made in (5, 7):
        assert trainer.advance()
        assert len(trainer.training) == made
    trainer.put(None)


def test_a_training_that_breaks_leaves_those_of_others_running(monkeypatch):
    def breaks(training, size):
        if training.goal == 5:
            raise MemoryError
        return real(training, size)

    real = module.advanced
    monkeypatch.setattr(module, "advanced", breaks)
    broken, sound = (begun(steps)[1] for steps in (5, 6))
    until(lambda: not (broken.training.running or sound.training.running))
    assert broken.training.why == BROKEN
    assert len(sound.training) == 6


@pytest.fixture
def apart(monkeypatch) -> Iterator[Steps]:
    """The processes that make the steps, of this test's own."""
    module._workers()  # which would replace them
    steps = Steps(1)
    monkeypatch.setattr(course, "_advance", steps.advance)
    yield steps
    steps.end()


@pytest.mark.parametrize("whole", [False, True], ids=["its process", "the template of all processes too"])
def test_a_training_whose_process_is_killed_keeps_its_steps_says_why_it_stopped_and_goes_on(apart, whole):
    lab, trainer = begun(20_000)
    until(lambda: len(trainer.training) > 0)
    if whole:
        template, _ = apart._template._running
        template.kill()
        template.wait()
    for process in [*apart._processes]:
        os.kill(process.number, signal.SIGKILL)
    until(lambda: not trainer.training.running)
    made = len(trainer.training)
    assert 0 < made < 20_000
    assert "broke down" in trainer.training.why
    found = records(trainer.training.course).loss
    np.testing.assert_allclose(found, [loss_of(k) for k in range(made)], rtol=1e-4, atol=1e-9)
    again = trains(replace(lab, training=trainer.training), 3)
    trainer.put(again.training)
    until(lambda: not trainer.training.running)
    assert len(trainer.training) == made + 3
    found = records(trainer.training.course).loss
    np.testing.assert_allclose(found, [loss_of(k) for k in range(made + 3)], rtol=1e-4, atol=1e-9)
