"""Run a browser test that fails in CI a second time; the summary says what failed, and if it does always.

A test that passes then is a defect all the same, of the test or of the page: find what it did not wait for.
The run fails, unless the test is listed in known_failures.toml or CI is `tolerant`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests import known_failures
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


def unlisted(tried_again: Iterable[str]) -> list[str]:
    """Those of these tests that nothing in the list of known failures allows a second try."""
    return sorted({*tried_again} - {known.test for known in known_failures.KNOWN})


def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.getplugin("terminalreporter")  # a process of xdist has none
    again = reporter.getreports(AGAIN) if reporter else ()
    strict = os.environ.get("CI") != "tolerant"
    if strict and unlisted(report.nodeid for report in again) and not session.exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = terminalreporter.getreports(AGAIN)
    for report in reports:
        terminalreporter.section(f"tried again: {report.nodeid}")
        terminalreporter.write_line(report.longreprtext)
    if names := unlisted(report.nodeid for report in reports):
        terminalreporter.section(
            "mend these, or list them in known_failures.toml: a second try fails the run"
        )
        terminalreporter.write_line("\n".join(names))
    steady = {known.test for known in known_failures.KNOWN} - {report.nodeid for report in reports}
    for report in terminalreporter.getreports("passed"):
        if report.nodeid in steady and report.nodeid.startswith(BROWSER):
            terminalreporter.write_line(f"In known_failures.toml, and passed at once: {report.nodeid}")
