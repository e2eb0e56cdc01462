"""The canvas's and the formula editor's own tests: `python tests/web/run.py` runs them in Node."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
HOW_TO_GET_NODE = """No node: the tests of the browser code are skipped.
Install it with: sudo apt-get install nodejs   (version 18 or newer)"""


def main() -> int:
    """Exit status: Node's own, or without Node 0, but 1 under CI, where nothing may be skipped."""
    node = shutil.which("node") or shutil.which("nodejs")
    if node is None:
        print(HOW_TO_GET_NODE, file=sys.stderr)
        return 1 if os.environ.get("CI") else 0
    tests = sorted(path.as_uri() for path in HERE.rglob("*.test.mjs"))
    return subprocess.run([node, HERE / "all.mjs", *tests], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
