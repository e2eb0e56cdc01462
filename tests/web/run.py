"""Run the browser code's own tests in Node: `python tests/web/run.py`, or of one module `run.py growth`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from tests.web.node import node  # noqa: E402

HOW_TO_GET_NODE = """No node: the tests of the browser code are skipped.
Install it with: sudo apt-get install nodejs   (version 18 or newer)"""


def main(names: list[str]) -> int:
    """Exit status: Node's own, or without Node 0, but 1 under CI, where nothing may be skipped."""
    found = node()
    if found is None:
        print(HOW_TO_GET_NODE, file=sys.stderr)
        return 1 if os.environ.get("CI") else 0
    paths = sorted(HERE.rglob("*.test.mjs"))
    tests = [path.as_uri() for path in paths if not names or path.name.split(".")[0] in names]
    return subprocess.run([found, HERE / "all.mjs", *tests], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
