"""Test that a closed page leaves no job behind, and that a page which comes back in time keeps its job."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from streamlit.runtime.caching import clear_session_resource_cache
from streamlit.testing.v1 import AppTest

from autodiff_viz.ui import worker_jobs
from autodiff_viz.workers.jobs import Answer, Job
from autodiff_viz.workers.pool import Pool
from tests.workers import errands
from tests.workers.test_pool import PATIENCE, begins, ends, job

SESSION = "test session id"  # of AppTest


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    found = Pool(("json",))
    yield found
    found.end()


@pytest.fixture
def page(monkeypatch, pool) -> AppTest:
    """A page of the visitor anna, which waits for the job in its session state."""
    monkeypatch.setattr(worker_jobs, "workers", lambda: pool)

    def script():
        import streamlit as st

        from autodiff_viz.ui.worker_jobs import asked

        st.text(asked("anna", "figure", st.session_state["job"]))

    return AppTest.from_function(script)


def drawn(page: AppTest, wanted: Job) -> AppTest:
    page.session_state["job"] = wanted
    return page.run()


def close() -> None:
    """What Streamlit does when the connection of the page has closed."""
    clear_session_resource_cache(SESSION)


def test_a_closed_page_ends_its_job(monkeypatch, page, pool):
    monkeypatch.setattr(worker_jobs, "AWAY", 0.05)
    wanted = job(errands.without_end)
    drawn(page, wanted)
    assert begins(pool, wanted)
    (process,) = [worker.process for worker in pool._workers if worker.job is wanted]
    close()
    assert ends(process)
    assert pool.answer(wanted.key, 0.3) is None
    assert "anna" not in worker_jobs._requested


def test_a_page_that_comes_back_keeps_its_job(monkeypatch, page, pool):
    monkeypatch.setattr(worker_jobs, "AWAY", 0.5)
    wanted = job(errands.slow, 1.5, 7)
    drawn(page, wanted)
    assert begins(pool, wanted)
    (process,) = [worker.process for worker in pool._workers if worker.job is wanted]
    close()
    drawn(page, wanted)
    assert pool.answer(wanted.key, PATIENCE) == Answer(7)
    assert [worker.process for worker in pool._workers] == [process]


def test_a_job_that_the_reloaded_page_has_requested_goes_on(monkeypatch, page, pool):
    monkeypatch.setattr(worker_jobs, "AWAY", 0.1)
    wanted = job(errands.slow, 1.0, 8)
    drawn(page, wanted)
    assert begins(pool, wanted)
    pool.ask(("a new session", "figure"), wanted)
    close()
    assert pool.answer(wanted.key, PATIENCE) == Answer(8)


def test_a_job_requested_over_the_websocket_ends_with_the_page(monkeypatch, pool):
    monkeypatch.setattr(worker_jobs, "AWAY", 0.05)
    monkeypatch.setattr(worker_jobs, "workers", lambda: pool)

    def script():
        from autodiff_viz.ui import worker_jobs as departures
        from autodiff_viz.ui import worker_jobs as work

        departures.note_visit("bert", work.workers().cancel)

    AppTest.from_function(script).run()
    wanted = job(errands.without_end)
    worker_jobs.asked("bert", "check", wanted)  # in a thread without a run of Streamlit
    assert begins(pool, wanted)
    (process,) = [worker.process for worker in pool._workers if worker.job is wanted]
    close()
    assert ends(process)


def test_a_pool_that_has_ended_cancels_nothing():
    found = Pool(("json",))
    found.ask("anna", job(errands.slow, 0.1, 1))
    found.end()
    found.cancel("anna")
    assert found.answer(b"") is None
