"""When the page asks workers: at once, or on a crowded server when the user is idle."""

from __future__ import annotations

import pytest

from autodiff_viz.ui import answers as module
from autodiff_viz.ui import work
from autodiff_viz.ui.answers import CROWDED, answers
from autodiff_viz.ui.session import Session
from autodiff_viz.views.edits.apply import edited
from autodiff_viz.views.lab import start
from autodiff_viz.workers.jobs import Answer, Job


class Slow:
    """Workers that have not answered yet, but for the jobs in `done`."""

    def __init__(self) -> None:
        self.asked: list[Job] = []
        self.done: dict[bytes, Answer] = {}

    def ask(self, asker: object, job: Job) -> None:
        self.asked.append(job)

    def answer(self, key: bytes, patience: float = 0.0) -> Answer | None:
        return self.done.get(key)

    def cancel(self, asker: object) -> None:
        """Nothing is under way."""


@pytest.fixture
def slow(monkeypatch) -> Slow:
    found = Slow()
    monkeypatch.setattr(work, "workers", lambda: found)
    return found


def drawn(here: Session):
    return answers(here, here.lab, here.present.view)


@pytest.mark.parametrize(("delay", "at_once"), [(0, True), (CROWDED - 1, True), (CROWDED, False)])
def test_a_crowded_server_asks_for_a_check_only_when_the_user_is_idle(monkeypatch, slow, delay, at_once):
    monkeypatch.setattr(module, "wait", lambda: delay)
    here = Session(start())
    assert drawn(here).awaited  # in both cases: the page says so, and the browser asks again
    assert bool(slow.asked) is at_once
    here.parts.settled = here.lab
    assert drawn(here).awaited
    assert slow.asked


def test_on_a_crowded_server_the_next_edit_takes_the_place_of_one_that_was_not_checked(monkeypatch, slow):
    monkeypatch.setattr(module, "wait", lambda: CROWDED)
    here = Session(start())
    drawn(here)
    here.lab = edited(here.lab, {"kind": "rules", "nodes": ["a"], "rule": "stop"})
    here.parts.settled = here.lab
    drawn(here)
    assert [job.arguments[0].graph for job in slow.asked if job.function is work.verification] == [
        here.lab.graph
    ]


def test_an_answer_that_exists_is_shown_on_a_crowded_server_too(monkeypatch, slow):
    monkeypatch.setattr(module, "wait", lambda: CROWDED)
    here = Session(start())
    job = work.check_job(here.present.view)
    slow.done[job.key] = Answer(())
    assert (drawn(here).check, slow.asked) == (Answer(()), [])
