"""Test when the server collects garbage: seldom while visitors act, completely when nobody does."""

from __future__ import annotations

import gc
import weakref

import pytest

from autodiff_viz.ui import gc_tuning


@pytest.fixture
def thresholds():
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize(("pending", "due"), [(0, False), (1, False), (2, True), (9, True)])
def test_a_full_collection_waits_for_garbage(pending, due):
    assert gc_tuning.is_due(pending) is due


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


@pytest.mark.nightly
def test_an_old_cycle_is_freed_when_a_collection_is_due(thresholds):
    gc_tuning.tune()
    gc.collect()
    found = old_cycle()
    gc_tuning.collect_if_due()
    assert found() is not None
    for _ in range(gc_tuning.LEFT):
        gc.collect(1)
    gc_tuning.collect_if_due()
    assert found() is None


@pytest.mark.nightly
def test_under_load_that_lasts_a_collection_follows_many_departures(thresholds):
    gc_tuning.tune()
    gc.collect()
    gc_tuning._departed.clear()
    found = old_cycle()
    for _ in range(gc_tuning.DEPARTURES - 1):
        gc_tuning.note_departure()
    assert found() is not None
    gc_tuning.note_departure()
    assert found() is None
