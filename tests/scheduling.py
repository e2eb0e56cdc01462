"""Division of the tests by `pytest -n 3`: one process has all that need a browser, so there is one browser.

The others have the rest, file by file, and what the browser leaves of the processors, which it often waits
for. The process that is done first takes from the files that are left.
"""

from __future__ import annotations

import os

import pytest
from xdist.scheduler import LoadScopeScheduling

BROWSER = "tests/browser/"
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
        return BROWSER if nodeid.startswith(BROWSER) else nodeid.split("::", 1)[0]
