"""Divide the tests of `pytest -n 3`: two processes have all that need a browser, and each its own browser.

One alone often waits for its browser, and is the last by minutes. The third process has the rest, file by
file, and what the browsers leave of the processors. The process that is done first takes from what is left.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

BROWSER = "tests/browser/"
TESTS = Path(__file__).parent
ONE_HALF = ("canvas", "panels")  # folders of the tests that one browser has; the other has the other half
BEHIND = 19  # niceness of the process without a browser: it is done last, whatever goes first

_begun = False


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let the process that has begun with other tests go behind those with a browser."""
    global _begun
    if not _begun and "PYTEST_XDIST_WORKER" in os.environ and not item.nodeid.startswith(BROWSER):
        os.nice(BEHIND)
    _begun = True


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Let each process first import its share of the tests, when all are collected.

    Every process collects all tests. Pytest rewrites the assertions of each file, which takes half of that
    time, and keeps the result as bytecode: each process finds what the others have rewritten.
    """
    whole = [Path(name).resolve() for name in session.config.args] == [TESTS]
    if not whole or sys.dont_write_bytecode or "PYTEST_XDIST_WORKER" not in os.environ:
        return
    number, count = int(os.environ["PYTEST_XDIST_WORKER"][2:]), int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for path in sorted(TESTS.rglob("test_*.py"))[number::count]:
        with suppress(Exception, pytest.skip.Exception):  # the collection says what is wrong with a file
            import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))


class BrowserApart(LoadScopeScheduling):
    """Units of work in the order in which the tests were collected."""

    def __init__(self, config, log=None):
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        if not nodeid.startswith(BROWSER):
            return nodeid.split("::", 1)[0]
        folder = nodeid.removeprefix(BROWSER).partition("/")[0]
        return f"{BROWSER}{' '.join(ONE_HALF)}" if folder in ONE_HALF else BROWSER
