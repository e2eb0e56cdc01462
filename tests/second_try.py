"""Run a browser test that fails in CI a second time; the summary says what failed.

Browser, server and workers share two processors: what a page answers late for once must not hold up all
other work. A test that is named is a defect all the same, of the test or of the page: find what it did not
wait for.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.scheduling import BROWSER

AGAIN = "again"
"""Outcome of a phase that has failed on the first try."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    if not (os.environ.get("CI") and item.nodeid.startswith(BROWSER)):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    if any(report.failed for report in reports):
        _log(item, [_noted(report) for report in reports if report.failed])
        _forget(item)
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    _log(item, reports)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _noted(report: pytest.TestReport) -> pytest.TestReport:
    report.outcome = AGAIN
    return report


def _log(item: pytest.Item, reports: list[pytest.TestReport]) -> None:
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)


def _forget(item: Any) -> None:
    """Let the fixtures be set up anew, those whose set-up has failed too."""
    item._initrequest()
    for fixtures in item._fixtureinfo.name2fixturedefs.values():
        for fixture in fixtures:
            if fixture.cached_result is not None and fixture.cached_result[2] is not None:
                fixture.finish(item._request)


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    return (AGAIN, "A", "AGAIN") if report.outcome == AGAIN else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for report in terminalreporter.getreports(AGAIN):
        terminalreporter.section(f"tried again: {report.nodeid}")
        terminalreporter.write_line(report.longreprtext)
