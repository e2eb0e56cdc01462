"""Division of the tests by `pytest -n 2`: one process has all that need a browser, so there is one browser.

The other has the rest, file by file. The process that is done first takes from the files that are left.
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling

BROWSER = "tests/browser/"


class BrowserApart(LoadScopeScheduling):
    """Units of work in the order in which the tests were collected."""

    def __init__(self, config, log=None):
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return BROWSER if nodeid.startswith(BROWSER) else nodeid.split("::", 1)[0]
