"""Test that visitors are served one after the other, unless somebody would have to wait long."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from itertools import pairwise
from math import isclose
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep, thread_time

import pytest

from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.lab.state import committed, start
from autodiff_viz.language.parse import parse
from autodiff_viz.ui import scheduling
from autodiff_viz.ui.scheduling import (
    LATELY,
    SHARED,
    SLOW,
    SWITCH_ALONE,
    SWITCH_SHARED,
    USUAL,
    Queue,
    beside_turns,
    in_turn,
    switch_often_in_long_turns,
    take_long,
)
from autodiff_viz.ui.server import lab_socket
from autodiff_viz.ui.session import LONG_TEXT, Session

PATIENCE = 30  # seconds
UI = Path(scheduling.__file__).parent


def beside(what: Callable[[], None]) -> Thread:
    thread = Thread(target=what, daemon=True)
    thread.start()
    return thread


def test_what_is_drawn_for_one_is_not_cut_into_by_another(monkeypatch):
    monkeypatch.setattr(scheduling, "_quick", Queue(PATIENCE))  # nobody is admitted on a busy machine either
    seen: list[str] = []

    def draw(name: str) -> None:
        with in_turn():
            for _ in range(20_000):  # some switches of threads
                seen.append(name)

    threads = [beside(lambda name=name: draw(name)) for name in "abc"]
    for thread in threads:
        thread.join(PATIENCE)
    changes = sum(one != other for one, other in pairwise(seen))
    assert (len(seen), changes) == (60_000, 2)


def test_nobody_waits_for_one_who_takes_long():
    began, go_on, done = Event(), Event(), Event()

    def compile() -> None:
        with in_turn():
            began.set()
            go_on.wait(PATIENCE)

    def draw() -> None:
        with in_turn():
            done.set()

    slow = beside(compile)
    began.wait(PATIENCE)
    beside(draw)
    assert done.wait(PATIENCE)
    assert slow.is_alive()
    go_on.set()
    slow.join(PATIENCE)
    with in_turn():  # the turn was given back
        pass


def test_the_next_turn_is_that_of_who_came_first():
    queue, order, threads = Queue(PATIENCE), [], []

    def come(number: int) -> None:
        turn = queue.begin()
        order.append(number)
        queue.end(turn)

    first = queue.begin()
    for number in range(20):
        threads.append(beside(lambda number=number: come(number)))
        while len(queue._waiting) <= number:
            sleep(0.001)
    queue.end(first)
    for thread in threads:
        thread.join(PATIENCE)
    assert order == list(range(20))


def test_of_a_crowd_that_waits_one_looks_again_and_few_are_let_in(monkeypatch):
    """A class opens a lesson while one turn is held up: each that is let in shares the processor with it."""
    long, crowd = 0.02, 100
    queue, looks, go_on = Queue(long), [], Event()
    let_in = queue._let_in
    monkeypatch.setattr(queue, "_let_in", lambda: looks.append(1) or let_in())

    def come() -> None:
        turn = queue.begin()
        go_on.wait(PATIENCE)
        queue.end(turn)

    began = monotonic()
    threads = [beside(come) for _ in range(crowd)]
    while queue.under_way < 2 * SHARED:
        sleep(long)
    passed, under_way, looked = monotonic() - began, queue.under_way, len(looks)
    go_on.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert under_way <= SHARED + 1 + passed / (SHARED * long)
    assert looked <= crowd + 4 * under_way + passed / long


def test_who_was_slow_lately_keeps_nobody_waiting():
    """Nobody is let in because time has passed: the slow one is in a queue of the slow."""
    with in_turn("slow"):
        end = thread_time() + 1.2 * SLOW
        while thread_time() < end:
            pass
    done: list[int] = []

    def draw() -> None:
        with in_turn():
            done.append(1)

    with in_turn("slow"):
        other = beside(draw)
        other.join(PATIENCE)
        assert done == [1]
        assert scheduling._slow._going


def test_the_mark_of_a_slow_visitor_lasts_as_many_times_the_turn(monkeypatch):
    """Quick turns in between, those that draw what the slow one has changed, do not take it away."""
    now = [monotonic()]
    monkeypatch.setattr(scheduling, "monotonic", lambda: now[0])
    scheduling._note("very slow", 0.5)
    scheduling._note("very slow", 0.001)
    scheduling._note("quick", SLOW)

    def queue(of: str) -> str:
        with in_turn(of):
            return "slow" if scheduling._slow.under_way else "quick"

    assert [queue("very slow"), queue("quick"), queue("another")] == ["slow", "quick", "quick"]
    now[0] += 0.49 * LATELY
    assert queue("very slow") == "slow"
    now[0] += 0.02 * LATELY
    assert queue("very slow") == "quick"


def test_a_turn_within_a_turn_is_the_same():
    free = Event()

    def comes() -> None:
        with in_turn():
            free.set()

    with in_turn():
        with in_turn():
            other = beside(comes)
        assert not free.is_set()  # the inner one gives nothing back
    other.join(PATIENCE)
    assert free.is_set()


def test_a_mistake_gives_the_turn_back():
    try:
        with in_turn():
            raise ValueError
    except ValueError:
        pass
    free = Event()
    beside(lambda: in_turn().__enter__() or free.set())
    assert free.wait(PATIENCE)


def test_threads_switch_seldom_in_a_turn_alone_and_often_beside_another(monkeypatch):
    monkeypatch.setattr(scheduling, "USUAL", PATIENCE)
    intervals: list[float] = []

    def draw() -> None:
        with in_turn():
            intervals.append(sys.getswitchinterval())

    with in_turn():
        intervals.append(sys.getswitchinterval())
        beside(draw).join(PATIENCE)  # admitted since the first turn takes long
    with in_turn():
        intervals.append(sys.getswitchinterval())
    assert [round(each, 6) for each in intervals] == [SWITCH_ALONE, SWITCH_SHARED, SWITCH_ALONE]


def test_threads_switch_often_once_a_message_arrives_in_a_turn_that_takes_long(monkeypatch):
    now = [monotonic()]
    monkeypatch.setattr(scheduling, "monotonic", lambda: now[0])
    intervals: list[float] = []
    with in_turn():
        for passed in (0.0, 0.9 * USUAL, 0.2 * USUAL):
            now[0] += passed
            switch_often_in_long_turns()
            intervals.append(round(sys.getswitchinterval(), 6))
    switch_often_in_long_turns()
    intervals.append(round(sys.getswitchinterval(), 6))
    assert intervals == [SWITCH_ALONE, SWITCH_ALONE, SWITCH_SHARED, SWITCH_ALONE]


def test_a_slow_visitor_never_counts_as_alone():
    scheduling._note("slow one", 2 * SLOW)
    with in_turn("slow one"):
        assert round(sys.getswitchinterval(), 6) == SWITCH_SHARED


def test_the_longest_wait_is_told_once():
    queue = Queue(PATIENCE)
    first = queue.begin()
    other = beside(lambda: queue.end(queue.begin()))
    while not queue._waiting:
        sleep(0.001)
    waited = monotonic()
    sleep(0.02)
    waited = monotonic() - waited
    queue.end(first)
    other.join(PATIENCE)
    assert queue.longest_wait() >= waited
    assert queue.longest_wait() == 0.0


def out_of_turn(source: str) -> list[str]:
    """Return the functions that read the session as callbacks do and take no turn."""
    return [
        found.name
        for found in ast.walk(ast.parse(source))
        if isinstance(found, ast.FunctionDef)
        and any(isinstance(part, ast.Call) and ast.unparse(part) == "called()" for part in ast.walk(found))
        and "in_turn()" not in map(ast.unparse, found.decorator_list)
    ]


def test_each_callback_takes_a_turn():
    assert {str(file): out_of_turn(file.read_text()) for file in UI.rglob("*.py")} == {
        str(file): [] for file in UI.rglob("*.py")
    }
    assert out_of_turn("def _on(key):\n    here, _ = called()") == ["_on"]
    assert out_of_turn("@in_turn()\ndef _on(key):\n    here, _ = called()") == []


def test_a_decorated_function_has_its_turn_at_each_call():
    @in_turn()
    def turn() -> bool:
        return scheduling._mine.turn

    assert [turn(), turn()] == [True, True]
    assert not scheduling._mine.turn


def test_threads_switch_often_while_something_works_beside_a_turn(monkeypatch):
    monkeypatch.setattr(scheduling, "USUAL", PATIENCE)
    with in_turn():
        assert isclose(sys.getswitchinterval(), SWITCH_ALONE)
        with beside_turns():
            assert isclose(sys.getswitchinterval(), SWITCH_SHARED)
        assert isclose(sys.getswitchinterval(), SWITCH_ALONE)
    with beside_turns(), in_turn():
        assert isclose(sys.getswitchinterval(), SWITCH_SHARED)


def test_a_browser_that_waits_many_times_lets_others_pass():
    """Round robin by hand: each browser in turn, as long as it has a turn that waits."""
    queue, order, threads = Queue(PATIENCE), [], []

    def come(browser: str, number: int) -> None:
        turn = queue.begin(browser)
        order.append(f"{browser}{number}")
        queue.end(turn)

    first = queue.begin()
    for browser, number in [("a", 1), ("a", 2), ("a", 3), ("b", 1), ("c", 1), ("c", 2)]:
        waiting = len(queue._waiting)
        threads.append(beside(lambda browser=browser, number=number: come(browser, number)))
        while len(queue._waiting) == waiting:
            sleep(0.001)
    queue.end(first)
    for thread in threads:
        thread.join(PATIENCE)
    assert order == ["a1", "b1", "c1", "a2", "c2", "a3"]


def test_an_idle_queue_remembers_no_browser():
    queue = Queue(PATIENCE)
    for browser in range(100):
        queue.end(queue.begin(browser))
    assert queue._rounds == {}


def test_a_turn_that_will_take_long_moves_to_the_slow_queue(monkeypatch):
    """No quick turn waits for it, and of several such turns one is under way."""
    monkeypatch.setattr(scheduling, "_quick", Queue(PATIENCE))  # nobody is admitted because time has passed
    monkeypatch.setattr(scheduling, "_slow", Queue(PATIENCE))
    go_on, moved, threads, done = Event(), [], [], []

    def long(number: int) -> None:
        with in_turn(f"tab {number}"):
            take_long()
            take_long()  # which changes nothing more
            moved.append(number)
            go_on.wait(PATIENCE)

    for number in range(5):
        threads.append(beside(lambda number=number: long(number)))
    while len(scheduling._slow._waiting) < 4:
        sleep(0.001)
    beside(lambda: in_turn("quick").__enter__() or done.append(1)).join(PATIENCE)
    assert (done, len(moved)) == ([1], 1)
    go_on.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert sorted(moved) == [0, 1, 2, 3, 4]
    assert not scheduling._slow.under_way


def test_without_a_turn_there_is_none_to_move():
    take_long()
    assert not scheduling._slow.under_way


@pytest.mark.parametrize(("nodes", "slow"), [(VERIFIED_AT_ONCE, 0), (VERIFIED_AT_ONCE + 1, 1)])
def test_a_large_graph_is_evaluated_in_the_slow_queue(nodes, slow):
    chain = "\n".join(f"n{i} = sin(n{i - 1})" for i in range(1, nodes))
    here = Session(committed(start(), parse(f"n0 = 0.5\n{chain}"), "opened"))
    with in_turn("first edit"):
        assert len(here.present.view.graph.nodes) == nodes
        assert scheduling._slow.under_way == slow


@pytest.mark.parametrize(
    ("text", "slow"),
    [
        ("y = 1.0", 0),
        ("y = 1.0 # " + "long" * LONG_TEXT, 1),
        ("import torch\ny = 1.0", 0),  # a worker reads it
    ],
)
def test_a_long_text_is_read_in_the_slow_queue(monkeypatch, text, slow):
    """One would be admitted after the other otherwise while the first is still being read."""
    at: list[int] = []
    monkeypatch.setattr(lab_socket, "_read", lambda text: at.append(scheduling._slow.under_way) or {})
    lab_socket.exchange(Session(start()), text)
    assert at == [slow]


def test_what_code_became_is_drawn_in_the_slow_queue(monkeypatch):
    """Its ops are likely to be compiled."""
    at: list[int] = []
    monkeypatch.setattr(lab_socket, "go_on_reading", lambda session: at.append(scheduling._slow.under_way))
    here = Session(start())
    here.reading.key = b"a text"
    lab_socket.exchange(here)
    assert at == [1]


def test_a_turn_is_left_while_its_thread_waits_and_taken_again():
    with in_turn("anna"):
        assert scheduling._quick.under_way == 1
        with scheduling.without_turn():
            assert scheduling._quick.under_way == 0
            with in_turn("bert"):
                assert scheduling._quick.under_way == 1
        assert scheduling._quick.under_way == 1
    assert scheduling._quick.under_way == 0
