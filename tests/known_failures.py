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
    others: bool = False  # other cases of the test may fail, too, but by day


def read(text: str) -> tuple[Known, ...]:
    """Return the entries of a file's text.

    Raises:
      TypeError: a field is missing, or has another name.
    """
    return tuple(Known(**entry) for entry in tomllib.loads(text).get("failure", ()))


KNOWN = read(FILE.read_text())


def expected(
    known: Known, nodeid: str, seed: int | None, by_day: bool = False
) -> pytest.MarkDecorator | None:
    """Return the mark of a test in a run with this seed, where an entry names it; None: it must pass.

    A test that must fail and passes makes the run fail.
    """
    named = nodeid == known.test
    other = known.others and nodeid.partition("[")[0] == known.test.partition("[")[0]
    if known.test.startswith(BROWSER) or not (named or other):
        return None
    if seed is None and known.seed is not None and (by_day or not known.others):
        return None
    reason = f"known since {known.date}: {known.reason}"
    return pytest.mark.xfail(reason=reason, strict=named and known.seed in (None, seed))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    by_day = os.environ.get("THOROUGH") != "1"
    for item in items:
        for known in KNOWN:
            if mark := expected(known, item.nodeid, SEED, by_day):
                item.add_marker(mark)


def still_fails(known: Known) -> bool:
    """Run a listed test with its seed, print what pytest says, and return whether it still fails."""
    env = {**os.environ, "THOROUGH": "1", "SEED": str(known.seed)}
    command = [sys.executable, "-m", "pytest", "-rxX", known.test]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    fails = done.returncode == 0 and "XFAIL" in done.stdout
    print(f"Known failure, with SEED={known.seed}: {known.test}", flush=True)
    print(done.stdout if not fails else "It still fails.", flush=True)
    return fails
