"""Test how many programs the server compiles for one address, and for all."""

from __future__ import annotations

import jax.numpy as jnp
import pytest

from autodiff_viz.engine.live_path.compiling import compiled
from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.ui import allowance, scheduling
from autodiff_viz.ui.allowance import ADDRESSES, Allowance
from autodiff_viz.ui.scheduling import in_turn


def taken(counts: Allowance, address: str, at: float, most: int = 10_000) -> int:
    """How many programs an address gets at a time."""
    for number in range(most):
        try:
            counts.take(address, at)
        except GraphError:
            return number
    return most


def test_an_address_has_so_many_at_once_and_then_so_many_a_minute():
    counts = Allowance()
    begin = counts._all.at
    assert taken(counts, "here", begin) == limits.PROGRAMS
    assert taken(counts, "here", begin + 60.0) == limits.PROGRAMS_A_MINUTE
    assert taken(counts, "here", begin + 60.0) == 0
    assert taken(counts, "here", begin + 3_600.0) == limits.PROGRAMS  # rest gives no more than that


def test_all_addresses_together_have_a_bound_too():
    counts = Allowance()
    begin = counts._all.at
    got = [taken(counts, f"address {i}", begin) for i in range(4)]
    assert sum(got) == limits.PROGRAMS_OF_ALL
    assert got[0] == limits.PROGRAMS


def test_who_has_asked_for_too_many_takes_none_from_the_others():
    counts = Allowance()
    begin = counts._all.at
    taken(counts, "here", begin)
    for _ in range(1_000):
        with pytest.raises(GraphError):
            counts.take("here", begin)
    assert taken(counts, "elsewhere", begin) == limits.PROGRAMS_OF_ALL - limits.PROGRAMS


def test_a_bound_number_of_addresses_is_remembered():
    counts = Allowance()
    for i in range(ADDRESSES + 50):
        counts.take(i, counts._all.at + i)
    assert len(counts._own) == ADDRESSES


def test_a_program_that_is_one_too_many_is_not_compiled_and_known_ones_run(monkeypatch):
    counts = Allowance()
    monkeypatch.setattr(scheduling, "ALLOWANCE", counts)
    known, new = (compiled(lambda x, i=i: x * i, None) for i in (2.0, 3.0))
    with in_turn("anna", ("here", "a token")):
        assert known(jnp.float32(4.0)) == 8.0
    counts._own["here"].left = 0.0
    counts._own["here"].at = 1e12  # no time passes
    with in_turn("anna", ("here", "another token")):  # another cookie is no other address
        assert known(jnp.float32(5.0)) == 10.0
        with pytest.raises(GraphError, match="for your address"):
            new(jnp.float32(4.0))
    with in_turn("bert", ("elsewhere", None)):
        assert new(jnp.float32(4.0)) == 12.0
    assert allowance.TOO_MANY.hint
