"""Run pytest on a suite of a few lines in a process of its own, with plugins of this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

OURS = {"THOROUGH": "", "SLICE": "", "SEED": "", "SLICE_ENDS": "inf", "CI": ""}
"""What a slice sets for the tests that it runs, and must not reach a suite that they run."""


def pytest_on(folder: Path, *arguments: str, plugins: tuple[str, ...], **settings: str) -> tuple[int, str]:
    """Return the exit code and what was printed, in `folder`, with `settings` in the environment."""
    named = [word for plugin in (*plugins, "no:cacheprovider") for word in ("-p", plugin)]
    env = {**os.environ, **OURS, "PYTHONPATH": str(Path(__file__).parents[1]), **settings}
    command = [sys.executable, "-m", "pytest", *named, *arguments]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr
