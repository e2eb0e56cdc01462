"""Test the list of known failures, which stays short, and that a second try of a browser test fails."""

import re
from datetime import date
from pathlib import Path

import pytest

from tests.known_failures import KNOWN, MOST, Known, expected, read
from tests.scheduling import BROWSER
from tests.small_suite import pytest_on

ROOT = Path(__file__).parents[1]
PLUGINS = ("tests.seeds", "tests.known_failures", "tests.second_try")


def test_the_list_is_short_and_each_entry_says_what_is_wrong():
    assert len(KNOWN) <= MOST
    assert len({known.test for known in KNOWN}) == len(KNOWN)
    assert [known for known in KNOWN if len(known.reason.split()) < 4 or type(known.date) is not date] == []
    assert [known for known in KNOWN if known.seed is not None and known.test.startswith(BROWSER)] == []


def test_each_entry_names_a_test_that_there_is():
    for known in KNOWN:
        path, _, name = known.test.partition("[")[0].partition("::")
        assert re.search(rf"^def {re.escape(name)}\(", (ROOT / path).read_text(), re.M), known
    assert len(read(ENTRY)) == 1


ENTRY = """
[[failure]]
test = "tests/test_a.py::test_b"
seed = 7
reason = "The sum is wrong at 0."
date = 2026-01-31
"""


def test_an_entry_is_read():
    assert read(ENTRY) == (Known("tests/test_a.py::test_b", "The sum is wrong at 0.", date(2026, 1, 31), 7),)


@pytest.mark.parametrize("line", ['reason = "The sum is wrong at 0."\n', "date = 2026-01-31\n"])
def test_an_entry_without_reason_or_date_is_refused(line):
    with pytest.raises(TypeError, match="missing"):
        read(ENTRY.replace(line, ""))


@pytest.mark.parametrize(
    ("own", "run", "strict"),
    [(7, None, None), (7, 8, False), (7, 7, True), (None, None, True), (None, 8, True)],
)
def test_a_failure_is_expected_of_its_seed_allowed_of_others_and_by_day_a_failure(own, run, strict):
    known = Known("tests/test_a.py::test_b[1]", "why", date(2026, 1, 31), own)
    mark = expected(known, known.test, run)
    assert (mark and mark.kwargs["strict"]) == strict
    assert expected(known, "tests/test_a.py::test_b[2]", run) is None


@pytest.mark.parametrize("run", [None, 7, 8])
def test_of_an_entry_with_others_any_case_may_fail_but_by_day(run):
    known = Known("tests/test_a.py::test_b[1]", "why", date(2026, 1, 31), 7, others=True)
    assert expected(known, "tests/test_a.py::test_b[2]", run).kwargs["strict"] is False
    assert expected(known, known.test, run).kwargs["strict"] == (run == 7)
    assert expected(known, "tests/test_a.py::test_bc[1]", run) is None
    assert (expected(known, "tests/test_a.py::test_b[2]", run, by_day=True) is None) == (run is None)


LISTED = """
from datetime import date
import tests.known_failures as known

known.KNOWN = (
    known.Known("test_some.py::test_listed", "why", date(2026, 1, 31)),
    known.Known("tests/browser/test_page.py::test_listed", "why", date(2026, 1, 31)),
)
"""


@pytest.mark.parametrize(("number", "code"), [(1, 0), (2, 1)])
def test_a_listed_test_that_no_longer_fails_fails_the_run(tmp_path, number, code):
    (tmp_path / "conftest.py").write_text(LISTED)
    (tmp_path / "test_some.py").write_text(f"def test_listed():\n    assert {number} == 2\n")
    assert pytest_on(tmp_path, plugins=PLUGINS)[0] == code


TWICE = """
tried = []

def test_{name}():
    tried.append(1)
    assert len(tried) > {least}
"""


@pytest.mark.parametrize(
    ("name", "least", "ci", "code"),
    [
        ("steady", 0, "1", 0),
        ("sometimes", 1, "1", 1),
        ("listed", 1, "1", 0),
        ("listed", 2, "1", 1),
        ("sometimes", 1, "", 1),
    ],
)
@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_browser_test_that_needs_a_second_try_fails_the_run_unless_it_is_listed(
    tmp_path, name, least, ci, code, workers
):
    (tmp_path / "conftest.py").write_text(LISTED)
    folder = tmp_path / "tests" / "browser"
    folder.mkdir(parents=True)
    (folder / "test_page.py").write_text(TWICE.format(name=name, least=least))
    # By another way than `tests.browser`, which is this suite's own.
    ran, said = pytest_on(
        tmp_path, "-n", workers, "--import-mode=importlib", "--rootdir=.", plugins=PLUGINS, CI=ci
    )
    assert ran == code, said
    assert ("tried again" in said) == (ci == "1" and least > 0)


def test_a_listed_browser_test_that_passes_at_once_is_reported(tmp_path):
    (tmp_path / "conftest.py").write_text(LISTED)
    folder = tmp_path / "tests" / "browser"
    folder.mkdir(parents=True)
    (folder / "test_page.py").write_text(TWICE.format(name="listed", least=0))
    said = pytest_on(tmp_path, "--import-mode=importlib", "--rootdir=.", plugins=PLUGINS, CI="1")[1]
    assert "In known_failures.toml, and passed at once: tests/browser/test_page.py::test_listed" in said
