"""Test known checkpoint schedules: their published numbers, and that JAX's own program has them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import autodiff_viz as av
from autodiff_viz.explain.memory.compute import memory
from autodiff_viz.explain.plans.compute import forward_steps, revolve, schedules, square_root
from autodiff_viz.graph.model import Region
from tests.engine.references.sin_chains import chain

PUBLISHED = {(8, 2): 14, (10, 3): 15, (16, 3): 33, (35, 4): 84, (64, 3): 258, (100, 5): 316, (100, 10): 222}
"""Least forward steps by length and snapshots: Griewank and Walther, ACM TOMS 26 (2000), algorithm 799."""


def test_the_published_numbers_of_forward_steps():
    assert {pair: forward_steps(*pair) for pair in PUBLISHED} == PUBLISHED


def advances(spans: tuple, start: int, stop: int) -> int:
    """Steps run forward to reverse a stretch: to the outermost snapshot, then each side in the same way."""
    if stop - start == 1:
        return 0
    end = max(b for a, b in spans if a == start and b < stop)
    return end - start + advances(spans, start, end) + advances(spans, end, stop)


@pytest.mark.parametrize("pair", [pair for pair in PUBLISHED if pair[0] <= 64])
def test_the_nested_regions_are_a_schedule_with_the_least_forward_steps(pair):
    assert advances(revolve(*pair), 0, pair[0]) == PUBLISHED[pair]


def costs(length: int, spans: tuple) -> tuple[int, int]:
    """What JAX keeps and recomputes of a chain of sines with these regions."""
    whole = av.trace(av.parse(chain(length)))
    inside = (frozenset(f"x{i + 1}" for i in range(a, b)) for a, b in spans)
    regions = tuple(Region(f"r{i}", names) for i, names in enumerate(inside))
    found = memory(replace(whole, graph=replace(whole.graph, regions=regions)))
    return found.kept, found.reruns


@pytest.mark.parametrize(("length", "snapshots"), [(10, 3), (16, 3)])
def test_jax_runs_revolves_forward_steps_and_the_last_one_for_its_result(length, snapshots):
    kept, again = costs(length, revolve(length, snapshots))
    assert again + length == PUBLISHED[length, snapshots] + 1
    assert kept == snapshots + 1  # the last step's own residual too


def test_square_root_segments_keep_one_value_each():
    """Sixteen sines in four segments: 4 kept and 28 runs (see tests/engine/references/test_published.py)."""
    assert costs(16, square_root(16).spans) == (4, 28 - 16)


def test_schedules_that_limits_forbid_are_left_out():
    """Revolve's with 2 snapshots would run a step 13 times for 100, in as many regions."""
    names = [schedule.name for schedule in schedules(100)]
    assert names == ["sqrt(n): 10 segments"]
    assert not list(schedules(2))
    assert [s.name for s in schedules(30)][:3] == [
        "sqrt(n): 6 segments",
        "Revolve, 3 snapshots",
        "Revolve, 4 snapshots",
    ]
