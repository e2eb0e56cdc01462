"""Run pytest on a suite of a few lines in a process of its own, with plugins of this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

OURS = {"THOROUGH": "", "SLICE": "", "SEED": "", "SLICE_ENDS": "inf", "CI": ""}
"""What a slice sets for the tests that it runs, and must not reach a suite that they run."""

THOROUGH = "tests.thorough"
"""The plugin whose suites have hypothesis' tests."""


def pytest_on(folder: Path, *arguments: str, plugins: tuple[str, ...], **settings: str) -> tuple[int, str]:
    """Return the exit code and what was printed, in `folder`, with `settings` in the environment."""
    needed = ["xdist.plugin"] * ("-n" in arguments) + ["_hypothesis_pytestplugin"] * (THOROUGH in plugins)
    named = [word for plugin in (*needed, *plugins, "no:cacheprovider") for word in ("-p", plugin)]
    # The plugins that pytest would find by itself load numpy and more, which takes two thirds of a run.
    own = {"PYTHONPATH": str(Path(__file__).parents[1]), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    env = {**os.environ, **OURS, **own, **settings}
    command = [sys.executable, "-m", "pytest", *named, *arguments]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr
