"""Fail a test that asserts nothing, and report in the summary how many assertions were run.

An `assert` in any module of the tests counts when it is executed, a call of numpy.testing.assert_*, and
pytest.raises. What asserts in another way is counted by `counted`.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from _pytest.assertion import rewrite

RAN = pytest.StashKey[int]()
NOTHING = "The test asserted nothing: it cannot fail. Assert something in every case, or leave the case out."

_ran = 0


def counted(asserting: Callable, waits_in: str | None = None) -> Callable:
    """`asserting`, with each of its calls counted as an assertion.

    Args:
      asserting: raises where something does not hold.
      waits_in: a module whose calls are no claims, only waits until the next step can be made.
    """

    @functools.wraps(asserting)
    def call(*args, **kwargs):
        if waits_in is None or sys._getframe(1).f_globals["__name__"] != waits_in:
            _count()
        return asserting(*args, **kwargs)

    return call


def _count() -> bool:
    """Count one. False: pytest, which asks whether to explain an assertion that holds, need not."""
    global _ran
    _ran += 1
    return False


def pytest_configure() -> None:
    rewrite._check_if_assertion_pass_impl = _count  # called after each assertion that holds
    pytest.raises = counted(pytest.raises)
    for name in dir(np.testing):
        if name.startswith("assert_"):
            setattr(np.testing, name, counted(getattr(np.testing, name)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    before = _ran
    yield
    item.stash[RAN] = _ran - before
    if _ran == before:
        pytest.fail(NOTHING, pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    report = yield
    if call.when == "call":
        report.assertions = item.stash.get(RAN, 0)
    return report


def pytest_terminal_summary(terminalreporter) -> None:
    reports = [report for found in terminalreporter.stats.values() for report in found]
    total = sum(getattr(report, "assertions", 0) for report in reports)
    terminalreporter.write_line(f"{total} assertions were run")
