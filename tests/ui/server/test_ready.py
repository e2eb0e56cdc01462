"""Test that `/ready` is true when the server is warm, and not before."""

from __future__ import annotations

import json
import threading

import pytest
from starlette.applications import Starlette

from autodiff_viz.ui import warm_up
from autodiff_viz.ui.server.routes import ROUTES
from tests.ui.server.asgi import get


@pytest.fixture
def cold(monkeypatch):
    """A server that has not begun to warm up; ends what was begun."""
    monkeypatch.setattr(warm_up, "_done", threading.Event())
    monkeypatch.setattr(warm_up, "have_rehearsed", lambda stop: None)
    monkeypatch.setattr(warm_up, "work_when_quiet", lambda stop: None)
    monkeypatch.setattr(warm_up.gc_tuning, "exempt", lambda: None)
    return monkeypatch


def begun(patch, work) -> threading.Thread:
    """The warm-up with `work` in place of compiling the ops."""
    patch.setattr(warm_up, "have_compiled", work)
    thread = threading.Thread(target=warm_up._warm_and_freeze, args=(threading.Event(), 0.0))
    patch.setattr(warm_up, "ready", lambda: thread)
    thread.start()
    return thread


def asked() -> tuple[int, bool, str]:
    answer = get(Starlette(routes=ROUTES), "/ready")
    assert answer.headers["cache-control"] == "no-store"
    said = json.loads(answer.body)
    return answer.status, said["ready"], said["state"]


def test_it_is_false_while_ops_are_compiled_and_true_after(cold):
    compiled = threading.Event()
    thread = begun(cold, lambda stop: compiled.wait())
    assert asked() == (503, False, "warming up")
    compiled.set()
    thread.join()
    assert asked() == (200, True, "warm")


def test_it_is_false_while_the_first_check_is_not_answered(cold):
    answered = threading.Event()
    cold.setattr(warm_up, "have_rehearsed", lambda stop: answered.wait())
    thread = begun(cold, lambda stop: None)
    assert asked() == (503, False, "warming up")
    answered.set()
    thread.join()
    assert asked() == (200, True, "warm")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_it_stays_false_when_the_warm_up_fails(cold):
    def broken(stop):
        raise RuntimeError("no XLA")

    begun(cold, broken).join()
    assert asked() == (503, False, "failed")
