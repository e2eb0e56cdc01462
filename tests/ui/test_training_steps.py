"""Test steps made in another process, which can be ended."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from autodiff_viz.training.state import Settings
from autodiff_viz.training.updates import advance, begin
from autodiff_viz.ui import trainer as module
from autodiff_viz.ui.trainer import NotWanted, Steps, as_long_as

LINE = parse("x = [1.0, 2.0]\nw = parameter(0.5)\ny = x * w\nloss = mean_squared_error(y, [3.0, 6.0])")
ADAM = Settings("adam", 0.05)
PATIENCE = 60  # seconds


@pytest.fixture(scope="module")
def steps() -> Iterator[Steps]:
    found = Steps(1)
    yield found
    found.end()


def slow(nodes: int = 60):
    """A graph whose steps take many seconds to compile, the more the longer its chain."""
    lines = ["n0 = parameter(0.5)", *(f"n{i + 1} = tanh(n{i}) * n{i}" for i in range(nodes // 2 - 2))]
    return parse("\n".join([*lines, f"loss = square(n{nodes // 2 - 2})"]))


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def until(is_true) -> None:
    end = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_they_are_the_steps_that_are_made_here(steps):
    state = begin(LINE, ADAM)
    here, there = (make(LINE, state, 7, ADAM, "float32") for make in (advance, steps.advance))
    np.testing.assert_array_equal(there[0].parameters["w"], here[0].parameters["w"])
    np.testing.assert_array_equal(there[1].loss, here[1].loss)
    further = steps.advance(LINE, there[0], 3, ADAM, "float32")
    np.testing.assert_array_equal(further[1].loss, advance(LINE, here[0], 3, ADAM)[1].loss)


def test_a_problem_is_the_same_problem(steps):
    with pytest.raises(GraphError) as caught:
        steps.advance(parse("x = 1.0\ny = sin(x)"), begin(LINE, ADAM), 1, ADAM, "float32")
    assert caught.value.problems[0].code in ("no-parameters", "other-parameters")


def test_what_nobody_wants_any_more_is_ended_while_it_compiles(steps):
    graph, wanted, ended = slow(), [True], []
    state = begin(graph, ADAM)

    def call() -> None:
        with as_long_as(lambda: wanted[0]):
            try:
                steps.advance(graph, state, 1, ADAM, "float32")
            except NotWanted:
                ended.append(True)

    thread = threading.Thread(target=call)
    thread.start()
    until(lambda: any(each.busy for each in steps._processes))
    process = steps._processes[0].number
    wanted[0] = False
    thread.join(PATIENCE)
    assert ended
    until(lambda: not is_there(process))
    assert steps.advance(LINE, begin(LINE, ADAM), 2, ADAM, "float32")[0].step == 2


def test_a_call_that_takes_too_much_work_is_ended_and_says_so(steps, monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.2)
    graph = slow()
    with pytest.raises(GraphError) as caught:
        steps.advance(graph, begin(graph, ADAM), 1, ADAM, "float32")
    assert caught.value.problems[0].code == "too-long"


def test_a_process_that_dies_is_replaced(steps):
    steps.advance(LINE, begin(LINE, ADAM), 1, ADAM, "float32")
    os.kill(steps._processes[0].number, signal.SIGKILL)
    with pytest.raises(GraphError, match="broke down"):
        steps.advance(LINE, begin(LINE, ADAM), 1, ADAM, "float32")
    assert steps.advance(LINE, begin(LINE, ADAM), 1, ADAM, "float32")[0].step == 1


@pytest.mark.nightly
def test_a_graph_that_compiles_for_long_keeps_no_other_training_waiting():
    steps, graph = Steps(2), slow()
    state, wanted = begin(graph, ADAM), [True]

    def call() -> None:
        with as_long_as(lambda: wanted[0]), pytest.raises(NotWanted):
            steps.advance(graph, state, 1, ADAM, "float32")

    thread = threading.Thread(target=call)
    thread.start()
    try:
        until(lambda: any(each.busy for each in steps._processes))
        assert steps.advance(LINE, begin(LINE, ADAM), 2, ADAM, "float32")[0].step == 2
        assert thread.is_alive()
    finally:
        wanted[0] = False
        thread.join(PATIENCE)
        steps.end()


@pytest.mark.nightly
def test_idle_processes_end(monkeypatch):
    steps = Steps(1)
    steps.advance(LINE, begin(LINE, ADAM), 1, ADAM, "float32")
    process = steps._processes[0].number
    steps.end_idle()
    assert is_there(process)
    monkeypatch.setattr(module, "IDLE", 0.0)
    steps.end_idle()
    until(lambda: not is_there(process))
    assert steps._processes == []
