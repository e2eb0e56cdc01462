"""Division of the tests by `pytest -n 3`: two processes have those that need a browser, each half the files.

So there are two browsers, which often wait, and not one per file. The third process has the rest, file by
file, and what the browsers leave of the processors. The process that is done first takes from the files that
are left.
"""

from __future__ import annotations

import os

import pytest
from xdist.scheduler import LoadScopeScheduling

BROWSER = "tests/browser/"
BROWSERS = 2
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
        self._files: dict[str, int] = {}  # those that need a browser, with the half that each is in
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        if not nodeid.startswith(BROWSER):
            return file
        return f"{BROWSER}{self._files.setdefault(file, len(self._files) % BROWSERS)}"
