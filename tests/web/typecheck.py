"""Check the types of the browser's code: `python tests/web/typecheck.py` has TypeScript check its JSDoc."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
VERSION = "7.0.2"
FOLDER = ROOT / "build" / f"typescript-{VERSION}"
TSC = FOLDER / "node_modules" / ".bin" / "tsc"
HOW_TO_GET_NPM = """No npm: the types of the browser code are not checked.
Install it with: sudo apt-get install npm   (it fetches typescript once, into build/)"""
QUIETLY = ("--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error")


def main() -> int:
    """Exit status: the checker's own, or without npm 0, but 1 under CI, where nothing may be skipped."""
    if not TSC.exists() and shutil.which("npm") is None:
        print(HOW_TO_GET_NPM, file=sys.stderr)
        return 1 if os.environ.get("CI") else 0
    if not TSC.exists():
        fetch()
    return subprocess.run([TSC, "--project", ROOT / "jsconfig.json"], check=False).returncode


def fetch() -> None:
    """Install the checker in a folder of another name, then rename it: half of one is never run.

    Raises:
      CalledProcessError: npm cannot fetch it.
    """
    unfinished = FOLDER.with_name("typescript-unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    subprocess.run(["npm", "install", *QUIETLY, "--prefix", unfinished, f"typescript@{VERSION}"], check=True)
    unfinished.rename(FOLDER)


if __name__ == "__main__":
    sys.exit(main())
