"""Run the tests that depend on JAX in a venv of the newest Python of this machine, which gets the newest JAX.

Python 3.11 has an older one (requirements.txt). The tests of checkpoint regions run once more with
JAX_REMAT3=1, which JAX announces as its default. Each time a third of the files has its turn, chosen by the
number of commits; `TURN=all make compat` runs all. Without such a Python it says so and ends well.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from tests.slices import ROOT, number_of_commit

BUILD = ROOT / "build"
TURNS = 3
PYTHONS = ("3.14", "3.13", "3.12")
NEEDS = ("requirements.txt", "requirements-dev.txt")

EVERYTHING = (
    "tests/functions",
    "tests/engine",
    "tests/explain",
    "tests/training",
    "tests/segments",
    "tests/ops",
    "tests/language",
    "tests/export",
    "tests/lessons",
)
PAGE = (
    "tests/browser/page/test_page.py::test_reset_leads_back_to_the_first_graph",
    "tests/browser/page/test_reading.py::test_exercises_are_done_in_turn_and_lead_to_the_next_lesson",
)
REGIONS = (
    "tests/functions",
    "tests/engine/whole_program",
    "tests/explain/memory",
    "tests/explain/play",
    "tests/explain/plans",
    "tests/explain/lints",
    "tests/lessons",
)


def candidates() -> Iterator[str]:
    """Yield commands that may be a Python, the newest first: on the PATH, then those of pyenv."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for python in PYTHONS:
        yield from filter(None, [shutil.which(f"python{python}")])
        yield from (str(path) for path in sorted(versions.glob(f"{python}.*/bin/python"), reverse=True))


def newest(commands: Iterator[str]) -> tuple[str, str] | None:
    """Return the first command that is a Python which can make venvs, and its version."""
    code = "import ensurepip, venv, sys; print('%d.%d.%d' % sys.version_info[:3])"
    for command in commands:
        done = subprocess.run([command, "-c", code], capture_output=True, text=True)
        if done.returncode == 0:  # a shim of pyenv ends with an error where its version is not chosen
            return command, done.stdout.strip()
    return None


def installed(command: str, version: str) -> Path:
    """Return the Python of a venv that has what the tests need; it is made once for these requirements."""
    folder = BUILD / f"compat-{version}"
    python, stamp = folder / "bin" / "python", folder / "requirements.digest"
    digest = hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in NEEDS)).hexdigest()
    if not stamp.exists() or stamp.read_text() != digest:
        subprocess.run([command, "-m", "venv", "--clear", folder], check=True)
        pip = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
            ROOT / NEEDS[1],
        ]
        subprocess.run(pip, check=True)
        stamp.write_text(digest)
    return python


def in_turn(folders: tuple[str, ...], turn: int | None) -> list[str]:
    """Return the test files of the folders that have this turn, by a checksum of their names; None: all."""
    files = (str(path.relative_to(ROOT)) for each in folders for path in (ROOT / each).rglob("test_*.py"))
    return sorted(name for name in files if turn is None or crc32(name.encode()) % TURNS == turn)


def tested(python: Path, version: str, *tests: str, **settings: str) -> bool:
    """Return whether tests pass; what they compile is kept for this Python, as `make test` does."""
    flags = subprocess.run(
        [python, "-m", "tests.xla_flags"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    cache = {
        "JAX_COMPILATION_CACHE_DIR": str(BUILD / f"compiled-{version}"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "XLA_FLAGS": flags.stdout.strip(),
    }
    command = [python, "-m", "pytest", "-n", "3", *tests]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **cache, **settings}).returncode == 0


def main() -> int:
    """Run the tests; return the process's exit code."""
    found = newest(candidates())
    if found is None:
        print(f"No Python {PYTHONS[-1]} or newer on this machine: the newest JAX is not tested.")
        return 0
    python = installed(*found)
    code = "import jax; print('JAX', jax.__version__)"
    jax = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    turn = None if os.environ.get("TURN") == "all" else number_of_commit(ROOT) % TURNS
    part = "all files" if turn is None else f"part {turn + 1} of {TURNS} of the files"
    print(f"With Python {found[1]} and {jax}, {part}:", flush=True)
    passed = [tested(python, found[1], *in_turn(EVERYTHING, turn)), tested(python, found[1], *PAGE)]
    print(f"With Python {found[1]}, {jax} and JAX_REMAT3=1:", flush=True)
    passed.append(tested(python, found[1], *in_turn(REGIONS, turn), JAX_REMAT3="1"))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
