"""Test when the page asks workers: when the user is idle."""

from __future__ import annotations

import pytest

from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.state import start
from autodiff_viz.ui import worker_jobs
from autodiff_viz.ui.exchange import answers
from autodiff_viz.ui.session import Session
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
    monkeypatch.setattr(worker_jobs, "workers", lambda: found)
    return found


def drawn(here: Session):
    return answers(here, here.lab, here.present.view)


def test_a_check_is_requested_when_the_user_is_idle_not_by_the_run_of_an_edit(slow):
    here = Session(start())
    assert drawn(here).awaited  # the page says so, and the browser asks again
    assert slow.asked == []
    here.parts.settled = here.lab
    assert drawn(here).awaited
    assert worker_jobs.check_job(here.present.view).key in [job.key for job in slow.asked]


def test_of_edits_that_follow_one_another_only_the_last_is_checked(slow):
    here = Session(start())
    drawn(here)
    here.lab = edited(here.lab, {"kind": "rules", "nodes": ["a"], "rule": "stop"})
    drawn(here)
    here.parts.settled = here.lab
    drawn(here)
    assert [job.arguments[0].graph for job in slow.asked if job.function is worker_jobs.verification] == [
        here.lab.graph
    ]


def test_an_answer_that_exists_is_shown_in_the_run_of_an_edit_too(slow):
    here = Session(start())
    job = worker_jobs.check_job(here.present.view)
    slow.done[job.key] = Answer(())
    assert (drawn(here).check, slow.asked) == (Answer(()), [])
