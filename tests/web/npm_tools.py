"""Run the tools that check the browser's code, fetched from npm once, in exact versions, into build/."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOW_TO_GET_NPM = """No npm: the browser's code is not checked by {name}.
Install it with: sudo apt-get install npm   (it fetches {name} once, into build/)"""
QUIETLY = ("--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error")


def folder(name: str, version: str) -> Path:
    """Return where a tool of a version is installed."""
    return ROOT / "build" / f"{name}-{version}"


def binary(name: str, version: str, command: str) -> Path:
    """Return the path of a tool's command, whether it is installed or not."""
    return folder(name, version) / "node_modules" / ".bin" / command


def run(name: str, version: str, command: str, *arguments: str | Path) -> int:
    """Run a tool, fetched if need be, and return its exit status.

    Without npm it is 0, but 1 under CI, where nothing may be skipped.
    """
    path = binary(name, version, command)
    if not path.exists() and shutil.which("npm") is None:
        print(HOW_TO_GET_NPM.format(name=name), file=sys.stderr)
        return 1 if os.environ.get("CI") else 0
    if not path.exists():
        fetch(name, version)
    return subprocess.run([path, *arguments], check=False, cwd=ROOT).returncode


def fetch(name: str, version: str) -> None:
    """Install a tool in a folder of another name, then rename it: half of one is never run.

    Raises:
      CalledProcessError: npm cannot fetch it.
    """
    unfinished = folder(name, version).with_name(f"{name}-unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    subprocess.run(["npm", "install", *QUIETLY, "--prefix", unfinished, f"{name}@{version}"], check=True)
    unfinished.rename(folder(name, version))
