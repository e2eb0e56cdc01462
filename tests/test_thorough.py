"""Test the sample that `make test` runs of long lists of cases."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from autodiff_viz.engine.live_path.compiling import ONCE
from tests.small_suite import pytest_on
from tests.thorough import fewer, has_turn
from tests.xla_flags import flags

SUITE = """
import pytest
from hypothesis import given, settings, strategies as st

TRIED = []

@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", range(90))
def test_of_many(case):
    assert case < 90

@pytest.mark.sampled(1000)
@pytest.mark.parametrize("case", range(3))
def test_of_few(case):
    assert case < 3

@pytest.mark.nightly
def test_at_night():
    assert True

@settings(max_examples=90, database=None)
@given(st.integers())
def test_property(number):
    TRIED.append(number)

def test_how_often():
    print("tried", len(TRIED))
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """By whether everything is asked for, how many passed and how many examples were tried."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "test_some.py").write_text(SUITE)

    def run(thorough: str) -> str:
        return pytest_on(folder, "-s", plugins=("tests.thorough",), THOROUGH=thorough)[1]

    return run("0"), run("1")


def test_a_sample_has_about_its_share_and_never_none(ran):
    some, everything = ran
    assert "96 passed" in everything
    passed = int(re.search(r"(\d+) passed", some)[1])
    of_many = passed - 2 - 1  # the property and its count; of three cases, one
    assert 20 <= of_many <= 40
    assert "deselected" in some


class Item:
    """A test as the selection sees it."""

    def __init__(self, nodeid: str, *marks: str):
        self.nodeid, self.keywords = nodeid, {*marks}

    def get_closest_marker(self, name: str) -> bool:
        return name in self.keywords


def test_every_test_has_its_turn_within_two_commits_and_one_with_a_browser_within_three():
    files = [Item(f"tests/ops/test_{i}.py::test_it") for i in range(100)]
    pages = [Item(f"tests/browser/page/test_it.py::test_{i}[{i}]", "browser") for i in range(90)]
    for first in (7, 8):
        turns = [[item for item in files if has_turn(item, turn)] for turn in (first, first + 1)]
        assert {*turns[0]} ^ {*turns[1]} == {*files}
        assert all(35 < len(turn) < 65 for turn in turns)
        turns = [[item for item in pages if has_turn(item, first + i)] for i in range(3)]
        assert sorted(id(item) for turn in turns for item in turn) == sorted(map(id, pages))
        assert all(20 < len(turn) < 40 for turn in turns)
    always = [Item("tests/test_readme.py::test_it"), Item(pages[0].nodeid, "browser", "every")]
    assert all(has_turn(item, turn) for item in always for turn in range(6))


def test_of_examples_a_ninth_is_tried(ran):
    some, everything = ran
    assert ("tried 10\n" in some, "tried 90\n" in everything) == (True, True)
    assert [fewer(number) for number in (3, 8, 15, 150)] == [3, 5, 5, 16]


def test_by_day_all_is_compiled_with_the_options_of_programs_that_run_once():
    makefile = (Path(__file__).parents[1] / "Makefile").read_text()
    command = re.search(r"^QUICK = \$\(shell \$\(BIN\)/python (.*) 2>/dev/null\)$", makefile, re.M)[1].split()
    printed = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True).stdout
    assert sorted(printed.split()) == sorted(f"--{name}={str(value).lower()}" for name, value in ONCE.items())


def test_flags_that_a_jaxlib_does_not_have_are_left_out():
    """XLA says "Unknown flags in XLA_FLAGS" and ends the process; 0.11.1 was the first without this one."""
    fusion = "--xla_cpu_use_fusion_emitters=false"
    assert [fusion in flags(v) for v in ("0.10.2", "0.11.0", "0.11.1", "0.12.0.1")] == [
        True,
        True,
        False,
        False,
    ]
