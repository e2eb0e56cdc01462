"""Test that a job beside the messages is ended in the job alone: not before it, and not after it."""

from __future__ import annotations

from contextlib import suppress
from threading import Event, Thread, enumerate
from time import sleep

from autodiff_viz.notebook.beside import Beside, _Run
from autodiff_viz.workers.jobs import Job
from tests.work import lines_run

PATIENCE = 20  # seconds


class Watched:
    """A run in a thread that goes on after it, as that of a thread that has got its number would."""

    def __init__(self, function) -> None:
        self.over, self.go_on, self.survived = Event(), Event(), Event()
        self.run = _Run(Job(b"job", function, ()))
        work = self.run._work

        def thread():
            work()
            self.over.set()
            self.go_on.wait(PATIENCE)
            for _ in range(1_000):
                sleep(0)
            self.survived.set()

        self.run._thread = Thread(target=thread, daemon=True)

    def is_unhurt(self) -> bool:
        self.go_on.set()
        return self.survived.wait(PATIENCE)


def test_no_exception_comes_after_the_job():
    watched = Watched(lambda: 3)
    watched.run.begin()
    assert watched.over.wait(PATIENCE)
    watched.run.end()
    assert watched.is_unhurt()
    assert watched.run.answer.value == 3


def test_an_exception_that_the_job_has_kept_to_itself_is_the_last():
    begun = Event()

    def kept() -> str:
        try:
            begun.set()
            while True:
                sleep(0.001)
        except SystemExit:
            return "kept"

    watched = Watched(kept)
    watched.run.begin()
    assert begun.wait(PATIENCE)
    watched.run.end()
    watched.run.end()
    assert watched.is_unhurt()
    assert watched.run.answer.value == "kept"


def test_a_job_that_is_ended_before_it_begins_is_not_done():
    done = []
    watched = Watched(lambda: done.append(1))
    watched.run.end()
    watched.run.begin()
    assert watched.is_unhurt()
    assert (done, watched.run.answer) == ([], None)


def test_whenever_a_job_is_ended_its_thread_is_not():
    """Ends come at every moment of short jobs: while they begin, in them, as they end and after."""
    for i in range(400):
        watched = Watched(lambda n=i: sum(range(n % 40 * 100)))
        watched.run.begin()
        for _ in range(i % 7):
            sleep(0)
        watched.run.end()
        assert watched.is_unhurt()
        assert not watched.run._turn.locked()


def test_who_traces_afterwards_waits_for_nothing():
    """An exception that was taken back would stay announced, and CPython 3.11 hold whoever traces."""
    begun, traced = Event(), Event()

    def kept() -> None:
        with suppress(SystemExit):
            begun.set()
            while True:
                sleep(0.001)

    for function in (kept, lambda: begun.set()):
        begun.clear()
        watched = Watched(function)
        watched.run.begin()
        assert begun.wait(PATIENCE)
        watched.run.end()
        assert watched.is_unhurt()
    Thread(target=lambda: lines_run(lambda: sum(range(9))) and traced.set(), daemon=True).start()
    assert traced.wait(PATIENCE)


def test_a_thread_is_gone_once_its_job_has_ended():
    places = Beside()
    begun = Event()

    def endless() -> None:
        begun.set()
        while True:
            sleep(0.001)

    places.ask([Job(b"endless", endless, ())])
    assert begun.wait(PATIENCE)
    thread = places._run._thread
    places.keep([])
    thread.join(PATIENCE)
    assert thread not in enumerate()
