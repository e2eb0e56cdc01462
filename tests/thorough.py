"""Select what `make test` runs: every claim, and a sample of long lists of cases. `make nightly` runs all.

    @pytest.mark.sampled(3)   every third case or so of a parametrised test, and at least one
    @pytest.mark.every        every case also by day: numbers from outside, of which none may wait
    @pytest.mark.nightly      only at night: it takes long for what it adds to the tests beside it
    @pytest.mark.longer       by day and at night, when it goes through more

Of a test of more than four cases without a mark a quarter is run, and of all that drives a browser half. A
case or a test is in the sample by the checksum of its name, so it stays in or out when others are added. Of
hypothesis' examples a ninth is tried, and of a list that a test goes through, `by_day(cases, 3)` is a third.
A test that is named on the command line runs in full, but for such lists. With `SLICE` only what the day
leaves out is run, and of that one part (tests/slices.py).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar
from zlib import crc32

import pytest
from hypothesis import settings

from tests.slices import asked

T = TypeVar("T")

THOROUGH = os.environ.get("THOROUGH") == "1"
SHARE, FEWEST = 9, 5
LONG, OF_LONG = 4, 4  # of a list with more cases than that, one of so many
OF_BROWSER = 2  # of tests that drive a browser, one of so many
SETTINGS = "_hypothesis_internal_use_settings"
"""Where hypothesis keeps the settings of a test; it has no documented factor for all numbers of examples."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sampled(n): one of n cases is run, unless THOROUGH=1")
    config.addinivalue_line("markers", "every: all cases are run, also of a long list")
    config.addinivalue_line("markers", "nightly: run only if THOROUGH=1")
    config.addinivalue_line("markers", "longer: its own list of cases is longer if THOROUGH=1")


SLICE = asked(os.environ)
COLLECTED, WAITING = pytest.StashKey[list[str]](), pytest.StashKey[list[str]]()
"""Names of all tests of the run, and of those that wait for the night."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = _left_out(items)
    late = waiting(items, left_out)
    config.stash[COLLECTED] = [item.nodeid for item in items]
    config.stash[WAITING] = [item.nodeid for item in late]
    if any("::" in str(name) for name in config.args) or (THOROUGH and not SLICE):
        return
    if SLICE:
        runs = SLICE.of(late)
    else:
        runs = [item for item in items if item not in left_out]
        for function in {item.function for item in items if hasattr(item.function, SETTINGS)}:
            _try_fewer(function)
    kept = {*runs}
    if others := [item for item in items if item not in kept]:
        config.hook.pytest_deselected(items=others)
        items[:] = runs


def waiting(items: list[pytest.Item], left_out: set[pytest.Item]) -> list[pytest.Item]:
    """The tests that wait for the night, or for more examples."""
    return [item for item in items if item in left_out or _has_more(item)]


def _has_more(item: pytest.Item) -> bool:
    given = getattr(item.function, SETTINGS, None)
    tried_more = given is not None and fewer(given.max_examples) < given.max_examples
    return tried_more or item.get_closest_marker("longer") is not None


def fewer(number: int) -> int:
    """How many of so many examples are tried."""
    return max(min(number, FEWEST), number // SHARE)


def by_day(cases: Sequence[T], share: int, first: int = 0) -> Sequence[T]:
    """All cases at night; by day one of so many, from the first of these on."""
    return cases if THOROUGH else cases[first::share]


def _try_fewer(function) -> None:
    given = getattr(function, SETTINGS)
    setattr(function, SETTINGS, settings(given, max_examples=fewer(given.max_examples)))


def _left_out(items: list[pytest.Item]) -> set[pytest.Item]:
    cases: dict[str, list[pytest.Item]] = {}
    found = set()
    for item in items:
        name = item.nodeid.partition("[")[0]
        in_browser = "browser" in item.keywords and not item.get_closest_marker("every")
        if item.get_closest_marker("nightly") or (in_browser and crc32(name.encode()) % OF_BROWSER):
            found.add(item)
        elif item.get_closest_marker("sampled") or not item.get_closest_marker("every"):
            cases.setdefault(name, []).append(item)
    for drawn in cases.values():
        sampled = drawn[0].get_closest_marker("sampled")
        share = sampled.args[0] if sampled else OF_LONG if len(drawn) > LONG else 1
        numbers = [crc32(item.nodeid.partition("[")[2].encode()) % share for item in drawn]
        least = min(numbers)  # 0, or the nearest to it of a short list
        found |= {item for number, item in zip(numbers, drawn, strict=True) if number != least}
    return found
