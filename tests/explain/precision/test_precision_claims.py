"""Test that what the precision view claims is true of two traces: that of the dtype, and that of float64."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.engine.sentence import Claim
from autodiff_viz.engine.trace import exact_inputs
from autodiff_viz.explain.precision.compute import ERROR, NOT_FINITE, OVERFLOW, ROUNDED, SUBNORMAL, UNDERFLOW
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
    pairs = [
        pair
        for name in found.value
        for what in ("value", "cotangent", "passed")
        for pair in zip(arrays(found, name, what), arrays(exact, name, what), strict=True)
    ]
    return max(np.abs(a - b).max() / np.abs(b).max() for a, b in pairs if b.any())


def check_claim(claim: Claim, found: av.Trace, exact: av.Trace) -> None:
    """Check one claim."""
    tiny = DTYPES[found.dtype].tiny
    if claim.kind == ERROR:
        np.testing.assert_allclose(claim.numbers[0], 100 * error(found, exact), rtol=1e-6, atol=1e-12)
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
