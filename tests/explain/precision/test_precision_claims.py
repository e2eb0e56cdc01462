"""Test that what the precision view claims is true of two traces: that of the dtype, and that of float64."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.sentence import Claim
from autodiff_viz.engine.tolerance import ROOM
from autodiff_viz.engine.trace import exact_inputs
from autodiff_viz.engine.verify import rounding_errors, without_regions
from autodiff_viz.explain.precision.compute import (
    ERROR,
    LEFT,
    NOT_FINITE,
    OVERFLOW,
    ROUNDED,
    SUBNORMAL,
    UNDERFLOW,
)
from autodiff_viz.graph.dtypes import DTYPES
from tests.engine.references.random_grads import random_text
from tests.explain.claims import unclaimed
from tests.explain.test_cures import valid
from tests.seeds import seeded

ZERO = [0.0]  # "too small: 0 here"


def arrays(found: av.Trace, name: str, what: str) -> list[np.ndarray]:
    """The numbers of a node of one kind, in float64: those of all its wires, of what it passes."""
    some = (
        [found.passed[name, slot] for slot, _ in found.graph[name].wires]
        if what == "passed"
        else [getattr(found, what)[name]]
    )
    return [np.asarray(each).astype(np.float64) for each in some]


def is_so(kind: str, here: np.ndarray, exact: np.ndarray, tiny: float) -> bool:
    """Whether an element is of that kind."""
    if kind in (OVERFLOW, NOT_FINITE):
        return bool((~np.isfinite(here) & (np.isfinite(exact) == (kind == OVERFLOW))).any())
    if kind == SUBNORMAL:
        return bool(((here != 0) & (np.abs(here) < tiny)).any())
    assert kind in (UNDERFLOW, ROUNDED)
    return bool(((here == 0) & (exact != 0)).any())


def error(found: av.Trace, exact: av.Trace) -> float:
    """The largest difference of two traces, as a share of the largest number of its array."""
    return max(np.abs(a - b).max() / np.abs(b).max() for a, b in compared(found, exact) if b.any())


def compared(found: av.Trace, exact: av.Trace) -> list[tuple[np.ndarray, np.ndarray]]:
    """The arrays of two traces that have no number that is not finite."""
    return [pair for pair in pairs_of(found, exact) if np.isfinite(pair).all()]


def pairs_of(found: av.Trace, exact: av.Trace) -> list[tuple[np.ndarray, np.ndarray]]:
    """All arrays of two traces of a graph, side by side; 0 in float64 where terms cancel up to rounding."""
    values, _, by_wire = rounding_errors(without_regions(exact))
    pairs = []
    for name in found.value:
        wires = [(name, slot) for slot, _ in found.graph[name].wires]
        for what, errors in (
            ("value", [values.get(name)]),
            ("cotangent", [by_wire.get((name, ARRIVING))]),
            ("passed", [by_wire.get(wire) for wire in wires]),
        ):
            both = zip(arrays(found, name, what), arrays(exact, name, what), errors, strict=True)
            for a, b, room in both:
                pairs.append((a, b if room is None else np.where(np.abs(b) <= ROOM * room, 0.0, b)))
    return pairs


def check_claim(claim: Claim, found: av.Trace, exact: av.Trace) -> None:
    """Check one claim."""
    tiny = DTYPES[found.dtype].tiny
    if claim.kind == ERROR:
        np.testing.assert_allclose(claim.numbers[0], 100 * error(found, exact), rtol=1e-6, atol=1e-12)
        return
    if claim.kind == LEFT:
        assert claim.numbers[0] == max(np.abs(a).max() for a, b in compared(found, exact) if not b.any())
        return
    kind, _, what = claim.kind.rpartition(" ") if claim.kind != SUBNORMAL else (SUBNORMAL, "", "")
    for name in claim.names:
        pairs = [
            pair
            for each in ([what] if what else ["value", "cotangent", "passed"])
            for pair in zip(arrays(found, name, each), arrays(exact, name, each), strict=True)
        ]
        assert any(is_so(kind, here, true, tiny) for here, true in pairs)
        if claim.numbers:
            assert any(true.size == 1 and true.item() == claim.numbers[0] for _, true in pairs)


def test_what_rounding_leaves_of_a_zero_is_no_share_of_it():
    """The numbers of a softmax add up to 1, whatever x is: its gradient is 0, and rounding leaves 1e-8."""
    found = av.trace(av.parse("x = [0.1, 0.7, 0.3]\ny = sum(softmax(x))"))
    assert 0 < np.abs(found.gradient["x"]).max() < 1e-7
    says = av.precision(found).sentence
    assert "∞" not in says
    assert "Where float64 has 0, rounding leaves up to " in says


@pytest.mark.sampled(80)
@pytest.mark.parametrize("seed", range(0, 300, 3))
def test_the_sentences_on_random_programs_are_true(seed):
    for text in [*valid(range(seed, seed + 3)), random_text(seeded(seed))]:
        for dtype in DTYPES:
            found = av.trace(av.parse(text), dtype=dtype)
            exact = av.trace(found.graph, exact_inputs(found), found.seed.astype(float), dtype="float64")
            check = av.precision(found)
            assert check.claims
            assert not unclaimed(check.sentence, check.claims, ZERO), check.sentence
            for claim in check.claims:
                check_claim(claim, found, exact)
