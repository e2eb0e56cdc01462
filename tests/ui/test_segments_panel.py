"""Test the panel of segments without a browser: what takes long is not computed in the run."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.state import start
from autodiff_viz.segments.view import SEGMENTS
from autodiff_viz.ui import exchange, worker_jobs
from autodiff_viz.ui.exchange import apply_message, want_check
from autodiff_viz.ui.panels import charts
from autodiff_viz.ui.session import SESSION
from autodiff_viz.workers.jobs import TOO_LONG, Answer, Report, done_here
from tests.ui.page import figures
from tests.ui.test_lab_page import lab_of, page, ran, said

CUT = "w = parameter(3.0)\nu = parameter(0.5)\nh = cut(w * w)\nz = square(h * u - 1.0)"
LONG = "\n".join(["n0 = 0.5", "n1 = cut(sin(n0))", *(f"n{i + 1} = sin(n{i})" for i in range(1, 160))])


def purposes(app: AppTest) -> list[str]:
    """What the lines above figures say."""
    pages = [element.proto.body for element in app.get("html")]
    return [re.sub("<[^>]*>", "", body) for body in pages if 'class="av-purpose"' in body]


class Later:
    """Workers whose answers come when the test says so."""

    def __init__(self) -> None:
        self.jobs, self.answers, self.reports, self.cancelled = {}, {}, {}, []

    def ask(self, asker, job) -> None:
        self.jobs[asker[1]] = job

    def answer(self, key, patience=0.0):
        return self.answers.get(key)

    def take(self, key):
        return self.answers.pop(key)

    def report(self, key):
        return self.reports.get(key)

    def cancel(self, asker) -> None:
        self.cancelled.append(asker[1])

    def finish(self, kind: str) -> None:
        self.answers[self.jobs[kind].key] = done_here(self.jobs[kind])


@pytest.fixture
def workers(monkeypatch) -> Later:
    found = Later()
    monkeypatch.setattr(worker_jobs, "workers", lambda: found)
    monkeypatch.setattr(charts, "workers", lambda: found)
    monkeypatch.setattr(exchange, "workers", lambda: found)
    return found


def press(app: AppTest, key: str) -> AppTest:
    next(button for button in app.button if button.key == key).click()
    return ran(app)


def test_the_segments_come_when_a_worker_has_them(workers):
    app = page(lab=lab_of(CUT))
    assert "Differentiating by segments" in said(app)
    assert SEGMENTS.what_it_says in purposes(app)
    assert "pullbacks in a chain" not in said(app)
    workers.finish("segments")
    assert SEGMENTS.what_it_says in purposes(ran(app))
    assert "2 pullbacks in a chain equal the whole gradient" in said(app)


def test_what_runs_says_how_far_it_is(workers):
    app = page(lab=lab_of(CUT))
    workers.finish("segments")
    app = press(ran(app), "split_curves_offer")
    assert "Training 100 steps three ways ..." in said(app)
    workers.reports[workers.jobs["split_curves"].key] = Report(40, 300, "steps")
    assert "Training 100 steps three ways: 40 of 300 steps" in said(ran(app))
    workers.reports[workers.jobs["split_curves"].key] = Report(1200, 30_000, "")
    assert "Training 100 steps three ways: 4 %" in said(ran(app))


def test_a_large_graph_is_divided_when_the_user_asks(workers):
    app = page(lab=lab_of(LONG))
    assert "segments" not in workers.jobs
    app = press(app, "segments_offer")
    assert "Differentiating by segments" in said(ran(app))
    workers.finish("segments")
    assert "2 pullbacks in a chain equal the whole gradient" in said(ran(app))


def test_a_division_that_took_too_long_says_so_and_is_tried_again(workers):
    app = page(lab=lab_of(CUT))
    workers.answers[workers.jobs.pop("segments").key] = Answer(why=TOO_LONG)
    app = ran(app)
    assert "took too long and was ended" in said(app)
    app = press(app, "segments_again")
    assert "Differentiating by segments" in said(app)
    workers.finish("segments")
    assert "2 pullbacks in a chain equal the whole gradient" in said(ran(app))


def test_a_check_that_took_too_long_is_forgotten_once_it_is_asked_for_again(workers):
    session = page(lab=lab_of(CUT)).session_state[SESSION]
    job = worker_jobs.check_job(session.present.view)
    workers.answers[job.key] = Answer(why=TOO_LONG)
    want_check(session, on=True)
    assert job.key not in workers.answers
    workers.answers[job.key] = done_here(job)
    want_check(session, on=True)
    assert job.key in workers.answers  # a result stays


def test_training_three_ways_is_a_workers_job(workers):
    app = page(lab=lab_of(CUT))
    workers.finish("segments")
    app = press(ran(app), "split_curves_offer")
    assert "Training 100 steps three ways" in said(app)
    workers.finish("split_curves")
    assert "Training 100 steps three ways" not in said(ran(app))


def look(app: AppTest) -> None:
    """Say as the browser does that the segments are in view."""
    here = app.session_state[SESSION]
    apply_message(here, {"key": here.inbox.key, "edits": [], "panel": "segments"})


def test_the_exercise_asks_for_the_three_trainings_and_is_ticked_then(workers):
    app = page(lab=open_lesson(start(), "split-model", 1))
    workers.finish("segments")
    app = ran(app)
    assert "split_curves" not in workers.jobs
    assert ticked(app, "split-model:1") is False
    app = press(app, "do_segments_split-model_1")
    assert "Training 60 steps three ways" in said(app)
    assert "split_curves" in workers.jobs
    assert ticked(app, "split-model:1") is False  # until the curves are there
    workers.finish("split_curves")
    assert ticked(ran(ran(app)), "split-model:1") is False  # and on view
    look(app)
    assert ticked(ran(ran(app)), "split-model:1") is True


def test_the_three_trainings_that_the_panel_was_asked_for_tick_the_exercise_too(workers):
    app = page(lab=open_lesson(start(), "split-model", 1))
    workers.finish("segments")
    press(ran(app), "split_curves_offer")
    workers.finish("split_curves")
    look(app)
    assert ticked(ran(ran(app)), "split-model:1") is True


def ticked(app: AppTest, item: str) -> bool:
    """Return whether an exercise is ticked."""
    (mark,) = [e.proto.body for e in app.get("html") if f'data-try="{item}"' in e.proto.body]
    return "av-done" in mark


def test_what_takes_long_can_be_cancelled_and_asked_for_again(workers):
    app = page(lab=lab_of(CUT))
    assert "Differentiating by segments" in said(app)
    app = press(app, "segments_cancel")
    assert workers.cancelled == ["segments"]
    assert "Differentiating by segments" not in said(ran(app))
    assert [button.key for button in app.button if "segments" in (button.key or "")] == ["segments_offer"]
    app = press(app, "segments_offer")
    workers.finish("segments")
    assert "2 pullbacks in a chain equal the whole gradient" in said(ran(app))


def test_a_figure_of_a_large_graph_is_drawn_by_a_worker(workers):
    app = page(lab=lab_of(LONG))
    app.session_state[SESSION].parts.seen = True
    assert "Cotangents of 160 nodes" not in said(app)
    app = ran(app)
    assert "Cotangents of 161 nodes" in said(app)
    assert not figures(app)
    app = press(app, "figure_cancel")
    assert workers.cancelled == ["figure"]
    app = press(ran(app), "figure_offer")
    workers.finish("figure")
    assert figures(app) or figures(ran(app))


def test_a_figure_of_a_small_graph_is_there_at_once(workers):
    app = page(lab=lab_of(CUT))
    app.session_state[SESSION].parts.seen = True
    assert figures(ran(app))
    assert "figure" not in workers.jobs
