"""Run a slice of the night: one part of what `make test` leaves out, chosen by the commit.

`make slice` prints which part it is and the seed of its random draws. The seed changes with each Python file
of the project, so whoever runs a slice before CI does finds what CI will find; `SEED=7 SLICE=3/8 make slice`
repeats one. After `LAST_START` no test is started; how many are left is printed. Every second time a part
has its turn it begins at its end, with those that were left.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from tests.known_failures import KNOWN, still_fails

ROOT = Path(__file__).parents[1]
PARTS = 8
LAST_START = (
    12 * 60
)  # seconds after the beginning; the longest test takes less than 3 minutes, and 15 are there
ENDS = "SLICE_ENDS"
LEFT = "left"
"""Outcome of a test that was not started, as time was over."""


@dataclass(frozen=True)
class Slice:
    """Part `number` (from 1) of `count`, run from its first test or from its last."""

    number: int
    count: int
    backwards: bool = False

    def __str__(self) -> str:
        return f"{self.number}/{self.count}" + (" backwards" if self.backwards else "")

    def has(self, nodeid: str) -> bool:
        """Whether a test is in this part: by a hash of its name, so it stays there when others are added."""
        digest = blake2b(nodeid.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.count == self.number - 1

    def of(self, items: Iterable[pytest.Item]) -> list[pytest.Item]:
        """The tests of this part, in the order in which they are run."""
        found = [item for item in items if self.has(item.nodeid)]
        return found[::-1] if self.backwards else found


def asked(environ: Mapping[str, str]) -> Slice | None:
    """Return the slice that SLICE names, such as "3/8" or "3/8 backwards"; None: it names none."""
    text = environ.get("SLICE", "")
    if not text:
        return None
    found = re.fullmatch(r"([1-9]\d{0,3})/([1-9]\d{0,3})( backwards)?", text)
    if found is None or int(found[1]) > int(found[2]):
        raise pytest.UsageError(f"SLICE is {text!r}. Write it like 3/8, or '3/8 backwards': part 3 of 8.")
    return Slice(int(found[1]), int(found[2]), bool(found[3]))


def chosen(number: int, count: int = PARTS) -> Slice:
    """Return the slice of the commit with this number: of `count` in a row each has its turn."""
    turn, part = divmod(number, count)
    return Slice(part + 1, count, turn % 2 == 1)


def number_of_commit(root: Path) -> int:
    """Count the commits on the branch, merged ones as one; without its history take a hash of the files."""
    git = ["git", "-C", str(root)]
    says = subprocess.run(
        [*git, "rev-parse", "--is-shallow-repository", "--show-toplevel"], capture_output=True, text=True
    )
    if says.stdout.splitlines() == ["false", str(root.resolve())]:
        counted = subprocess.run(
            [*git, "rev-list", "--count", "--first-parent", "HEAD"], capture_output=True, check=True
        )
        return int(counted.stdout)
    return digest_of(root)


def digest_of(root: Path) -> int:
    """Return a number below 2**32 made of all Python files of the project and its tests."""
    digest = blake2b(digest_size=4)
    for folder in ("autodiff_viz", "tests"):
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return int.from_bytes(digest.digest(), "big")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Start no test when time is over; its teardown of earlier tests is done at the end of the session."""
    if time.time() < float(os.environ.get(ENDS, "inf")):
        return None
    report = pytest.TestReport(item.nodeid, item.location, {}, LEFT, None, "call")  # type: ignore[arg-type]
    item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    return (LEFT, "", "") if report.outcome == LEFT else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if left := terminalreporter.getreports(LEFT):
        terminalreporter.write_line(f"{len(left)} were not started, as time was over: first among them")
        terminalreporter.write_line("  " + left[0].nodeid)


def main() -> int:
    """Run the slice; return the process's exit code."""
    began = time.time()
    part = asked(os.environ) or chosen(number_of_commit(ROOT))
    seed = os.environ.get("SEED") or str(digest_of(ROOT))
    print(f"Slice {part} of the night. To repeat it: SEED={seed} SLICE='{part}' make slice", flush=True)
    print(f"To repeat one test of it: THOROUGH=1 SEED={seed} .venv/bin/python -m pytest 'TEST'", flush=True)
    known = [still_fails(each) for each in KNOWN if each.seed is not None]
    tonight = {
        **os.environ,
        "THOROUGH": "1",
        "SLICE": str(part),
        "SEED": seed,
        ENDS: str(began + LAST_START),
    }
    command = [sys.executable, "-m", "pytest", "-n", "3", "--durations", "12"]
    code = subprocess.run(command, cwd=ROOT, env=tonight).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    minutes = (time.time() - began) / 60, (used.ru_utime + used.ru_stime) / 60
    print(
        f"Slice {part} took {minutes[0]:.1f} minutes, and {minutes[1]:.1f} of processors. SEED={seed}",
        flush=True,
    )
    return code or int(not all(known))


if __name__ == "__main__":
    sys.exit(main())
