"""Read which failures are known, from known_failures.toml, and let no other one pass.

An entry with a seed is expected to fail with `SEED` set to it, may fail with another one, and must pass
without. One without a seed is expected to fail always. A browser test that is listed may need its second try
(tests/second_try.py).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from tests.scheduling import BROWSER
from tests.seeds import SEED

FILE = Path(__file__).with_name("known_failures.toml")
MOST = 8  # entries: whoever adds one more mends one first


@dataclass(frozen=True)
class Known:
    """An entry of the file."""

    test: str
    reason: str
    date: date
    seed: int | None = None


def read(text: str) -> tuple[Known, ...]:
    """Return the entries of a file's text.

    Raises:
      TypeError: a field is missing, or has another name.
    """
    return tuple(Known(**entry) for entry in tomllib.loads(text).get("failure", ()))


KNOWN = read(FILE.read_text())


def expected(known: Known, seed: int | None) -> pytest.MarkDecorator | None:
    """Return the mark of a listed test in a run with this seed; None: it must pass.

    A test that must fail and passes makes the run fail.
    """
    if known.test.startswith(BROWSER) or (seed is None and known.seed is not None):
        return None
    return pytest.mark.xfail(
        reason=f"known since {known.date}: {known.reason}", strict=known.seed in (None, seed)
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    by_test = {known.test: known for known in KNOWN}
    for item in items:
        if item.nodeid in by_test and (mark := expected(by_test[item.nodeid], SEED)):
            item.add_marker(mark)


def still_fails(known: Known) -> bool:
    """Run a listed test with its seed, and return whether it still fails; pytest prints what it finds."""
    print(f"Known failure, with SEED={known.seed}: {known.test}", flush=True)
    env = {**os.environ, "THOROUGH": "1", "SEED": str(known.seed)}
    return subprocess.run([sys.executable, "-m", "pytest", "-rxX", known.test], env=env).returncode == 0
