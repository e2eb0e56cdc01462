"""Test that a test which asserts nothing fails, and that one which asserts does not."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
SOURCE = """
import numpy as np
import pytest
from helper import claim

def test_returns():
    for _ in []:
        assert False

def test_only_calls():
    "a" + "b"

@pytest.mark.parametrize("n", [1, 2])
def test_returns_in_one_case(n):
    if n == 2:
        return
    assert n == 1

@pytest.fixture
def asserting_fixture():
    assert True
    yield
    assert True

def test_leaves_it_to_a_fixture(asserting_fixture):
    pass

def test_asserts():
    assert 1 + 1 == 2

def test_raises():
    with pytest.raises(ZeroDivisionError):
        1 / 0

def test_arrays():
    np.testing.assert_array_equal([1], [1])

def test_helper():
    claim(1)

def test_fails_by_itself():
    assert 1 == 2

def test_skips():
    pytest.skip("no")
"""
HELPER = """
def claim(n):
    assert n
"""


def test_a_test_that_asserts_nothing_fails(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("COLUMNS", "200")
    pytester.makeconftest("import pytest\npytest.register_assert_rewrite('helper')")
    pytester.makeini("[pytest]\nenable_assertion_pass_hook = true")
    pytester.makepyfile(test_some=SOURCE, helper=HELPER)
    ran = pytester.runpytest_subprocess("-p", "tests.asserting", "-p", "no:cacheprovider", "-rA")
    ran.assert_outcomes(failed=5, passed=5, skipped=1)
    silent = ("test_returns", "test_only_calls", "test_returns_in_one_case[2]", "test_leaves_it_to_a_fixture")
    for name in silent:
        ran.stdout.fnmatch_lines(
            [f"FAILED test_some.py::{name.replace('[', '[[]')} - *The test asserted nothing*"]
        )
    ran.stdout.fnmatch_lines(
        ["5 assertions were run", "FAILED test_some.py::test_fails_by_itself - assert 1 == 2"]
    )
    assert ran.ret == pytest.ExitCode.TESTS_FAILED
