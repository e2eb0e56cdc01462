"""When the server collects garbage: seldom while visitors act, completely when nobody does."""

from __future__ import annotations

import gc
import weakref
from threading import Event, Thread

import pytest

from autodiff_viz.ui import garbage


@pytest.fixture
def thresholds():
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize(
    ("share", "pending", "due"),
    [(0.0, 0, False), (0.0, 1, False), (0.0, 2, True), (0.04, 9, True), (0.06, 9, False), (0.9, 99, False)],
)
def test_a_full_collection_waits_for_a_quiet_moment_and_for_garbage(share, pending, due):
    assert garbage.is_due(share, pending) is due


class Ring:
    """An object that only the collector of cycles frees."""

    def __init__(self) -> None:
        self.own = self


def old_cycle() -> weakref.ref:
    """Return a cycle that has reached the oldest generation and has then become garbage."""
    ring = Ring()
    gc.collect(0)
    gc.collect(1)
    return weakref.ref(ring)


def test_in_a_quiet_server_an_old_cycle_is_freed(monkeypatch, thresholds):
    monkeypatch.setattr(garbage, "LOOK", 0.01)
    monkeypatch.setattr(garbage, "QUIET", 9.0)  # whatever the tests beside this one do
    garbage.tune()
    gc.collect()
    found = old_cycle()
    for _ in range(garbage.LEFT):
        gc.collect(1)
    assert found() is not None
    stop = Event()
    thread = Thread(target=garbage.collect_when_quiet, args=(stop,))
    thread.start()
    try:
        end = Event()
        for _ in range(500):
            if found() is None:
                break
            end.wait(0.02)
        assert found() is None
    finally:
        stop.set()
        thread.join()
