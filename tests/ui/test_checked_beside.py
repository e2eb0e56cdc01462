"""Test checks of lessons' claims in another process.

The page says that a claim is being checked, then the result; the next start of the same version has the
result at once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from autodiff_viz.lab.asking import stop_asking
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.state import start
from autodiff_viz.lessons import evaluate
from autodiff_viz.ui import worker_jobs
from autodiff_viz.ui.panels.claims import CHECKING
from autodiff_viz.workers.jobs import BROKEN, LONG, TOO_LONG, Answer, Job, Report
from autodiff_viz.workers.pool import Pool
from tests.own_lesson import KEY, LESSON
from tests.ui.page import put

APP = str(Path(__file__).parents[2] / "app.py")
PATIENCE = 120.0  # seconds
OF_THE_FIRST_GRAPH = sum(claim.variant == 0 for claim in LESSON.claims)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    found = Pool(("autodiff_viz.lessons.evaluate",))
    yield found
    found.end()


@pytest.fixture
def server(monkeypatch, tmp_path, pool):
    """A server that has just started; claims cannot be worked out in it.

    It is of a version of its own, so an answer that the pool still gets for the test before is not taken.
    """

    def refuse(*_):
        raise AssertionError("claims are worked out in the server")

    monkeypatch.setattr(evaluate, "findings", refuse)
    monkeypatch.setattr(worker_jobs, "workers", lambda: pool)
    monkeypatch.setattr(worker_jobs, "kept", lambda: tmp_path)
    monkeypatch.setattr(worker_jobs, "this_version", lambda: str(tmp_path))
    monkeypatch.setattr(worker_jobs, "_proved", {})
    return monkeypatch


class Idle:
    """Workers that never answer, or always the same; `asked` are the long jobs, `short` the others."""

    def __init__(self, found: Answer | None = None):
        self.asked: list[Job] = []
        self.short: list[Job] = []
        self.found = found
        self.reports: dict[bytes, Report] = {}

    def ask(self, asker: object, job: Job) -> None:
        (self.asked if job.lane is LONG else self.short).append(job)

    def answer(self, key: bytes, patience: float = 0.0) -> Answer | None:
        return self.found

    def report(self, key: bytes) -> Report | None:
        return self.reports.get(key)


def started_again(server, found: Answer | None = None) -> Idle:
    """The same version in a new process, whose workers answer `found`."""
    idle = Idle(found)
    server.setattr(worker_jobs, "_proved", {})
    server.setattr(worker_jobs, "workers", lambda: idle)
    return idle


def lab() -> AppTest:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    put(app, stop_asking(open_lesson(start(), KEY)))
    app.run()
    assert not app.exception
    return app


def checking(app: AppTest) -> int:
    return sum(text.value.startswith((f"{CHECKING} ...", f"{CHECKING}:")) for text in app.text)


def checked(app: AppTest) -> AppTest:
    """The page as it is drawn when the answers have come; a browser's clock asks for that."""
    end = time.monotonic() + PATIENCE
    while checking(app):
        assert time.monotonic() < end, "no answer comes"
        time.sleep(0.05)
        app.run()
    return app


def held(app: AppTest) -> int:
    return sum(element.proto.body.count('aria-label="holds"') for element in app.get("html"))


def test_the_claims_beside_the_lab_say_checking_and_then_tick(server):
    app = lab()
    assert (checking(app), held(app)) == (1, 0)
    assert held(checked(app)) == OF_THE_FIRST_GRAPH


def test_a_check_under_way_says_how_many_claims_it_has_done(server):
    idle = started_again(server)
    lab()
    (job,) = idle.asked
    idle.reports[job.key] = Report(4, 6, "claims")
    assert "Checking: 4 of 6 claims" in [text.value for text in lab().text]


def test_the_next_start_of_the_same_version_ticks_at_once_and_asks_for_nothing(server):
    checked(lab())
    idle = started_again(server)
    assert held(lab()) == OF_THE_FIRST_GRAPH
    assert idle.asked == []


def test_another_version_asks_again(server):
    checked(lab())
    idle = started_again(server)
    server.setattr(worker_jobs, "this_version", lambda: "another one")
    app = lab()
    assert (checking(app), held(app)) == (1, 0)
    assert [job.arguments[0] for job in idle.asked] == [KEY]


def test_a_lesson_that_claims_something_else_asks_again(server):
    checked(lab())
    idle = started_again(server)
    assert worker_jobs.proved(replace(LESSON, claims=LESSON.claims[1:])) is None
    assert len(idle.asked) == 1


def test_a_file_that_somebody_has_changed_is_not_used(server, tmp_path):
    checked(lab())
    for file in tmp_path.glob("*.json"):
        kept = json.loads(file.read_text())
        kept["answer"][0][0][1]["numbers"][0] += 1.0
        file.write_text(json.dumps(kept))
    idle = started_again(server)
    app = lab()
    assert (checking(app), held(app)) == (1, 0)
    assert idle.asked


@pytest.mark.parametrize(("why", "says"), [(TOO_LONG, "took too long"), (BROKEN, "broke down")])
def test_claims_that_could_not_be_checked_say_so_and_tick_nothing(server, why, says):
    started_again(server, Answer(why=why))
    app = lab()
    assert (checking(app), held(app)) == (0, 0)
    assert any(says in text.value and "these claims are not checked" in text.value for text in app.text)


def test_the_claims_of_a_lesson_do_not_take_the_place_of_a_check(server):
    idle = started_again(server)
    lab()
    assert (len(idle.asked), idle.short) == (1, [])
