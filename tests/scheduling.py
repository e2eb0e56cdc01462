"""Division of the tests by `pytest -n 3`: two processes begin with those that need a browser.

Each has a browser and half of these tests. The third has the rest, file by file, and what the browsers leave
of the processors, for which they often wait. A process that is done takes from the files that are left.
"""

from __future__ import annotations

import os

import pytest
from xdist.scheduler import LoadScopeScheduling

BROWSER = "tests/browser/"
HALVES = "test_p"  # files from this name on are in the second half
BEHIND = 5  # niceness of the processes without a browser

_begun = False


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let the process that has begun with other tests go behind the one with the browser."""
    global _begun
    if not _begun and "PYTEST_XDIST_WORKER" in os.environ and not item.nodeid.startswith(BROWSER):
        os.nice(BEHIND)
    _begun = True


class BrowserApart(LoadScopeScheduling):
    """Units of work in the order in which the tests were collected."""

    def __init__(self, config, log=None):
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.split("::", 1)[0]
        return f"{BROWSER}{path >= BROWSER + HALVES}" if path.startswith(BROWSER) else path
