"""Select what `make test` runs: tests in turn, of long lists of cases a sample. `make nightly` runs all.

    @pytest.mark.sampled(3)   every third case or so of a parametrised test, and at least one
    @pytest.mark.every        every case also by day: numbers from outside, of which none may wait
    @pytest.mark.nightly      only at night: it takes long for what it adds to the tests beside it
    @pytest.mark.longer       by day and at night, when it goes through more

Of a test of more than four cases without a mark a quarter is run. A case is in the sample by the checksum of
its name, so it stays in or out when others are added. Of hypothesis' examples a ninth is tried, and of a list
that a test goes through, `by_day(cases, 3)` is a third.

Of the tests in folders half have their turn, of those that drive a browser a third, by the number of
commits: within three commits all have run. `TURN=all` runs all, `TURN=1` those of one turn; so does whoever
names files or folders on the command line. A test that is named there runs in full, but for such lists. With
`SLICE` only what the samples leave out is run, and of that one part (tests/slices.py).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar
from zlib import crc32

import pytest
from hypothesis import settings

from tests.slices import ROOT, Slice, asked, number_of_commit

T = TypeVar("T")

THOROUGH = os.environ.get("THOROUGH") == "1"
SHARE, FEWEST = 9, 5
LONG, OF_LONG = 4, 4  # of a list with more cases than that, one of so many
OF_TESTS, OF_BROWSER = 2, 3  # of tests, and of those that drive a browser, one of so many has its turn
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
        turn = _turn(config)
        runs = [item for item in items if item not in left_out and (turn is None or has_turn(item, turn))]
        for function in {item.function for item in items if hasattr(item.function, SETTINGS)}:
            _try_fewer(function)
    kept = {*runs}
    if others := [item for item in items if item not in kept]:
        config.hook.pytest_deselected(items=others)
        items[:] = runs


def _turn(config: pytest.Config) -> int | None:
    """Return whose turn it is in a run of all tests; None: all have."""
    asked_for = os.environ.get("TURN", "")
    if asked_for == "all" or [Path(name).resolve() for name in config.args] != [ROOT / "tests"]:
        return None
    return int(asked_for) if asked_for else number_of_commit(ROOT)


def has_turn(item: pytest.Item, turn: int) -> bool:
    """Return whether a test is run in this turn. What stands in no folder is about all, and always is."""
    name = item.nodeid.partition("[")[0]
    if item.get_closest_marker("every") or name.count("/") < 2:
        return True
    if "browser" in item.keywords:
        return Slice(turn % OF_BROWSER + 1, OF_BROWSER).has(name)
    return Slice(turn % OF_TESTS + 1, OF_TESTS).has(name)


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
        if item.get_closest_marker("nightly"):
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
