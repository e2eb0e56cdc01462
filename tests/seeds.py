"""Give random tests other examples: `SEED=7` in the environment of pytest, the same for the same number.

Without it a random draw has the seed that stands in its test, so that a day's run can be compared with the
last one. A slice of the night (tests/slices.py) draws a number, prints it and sets it.
"""

from __future__ import annotations

import os

import pytest

SEED = int(os.environ["SEED"]) if os.environ.get("SEED") else None
APART = 1_000_003  # more than a test has seeds of its own, so that no two numbers share one


def seeded(own: int) -> int:
    """Return the seed of a draw whose seed by day is `own`."""
    return own if SEED is None else own + APART * (SEED + 1)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Set Hypothesis' own option, before Hypothesis reads it."""
    if SEED is not None:
        config.option.hypothesis_seed = str(SEED)
