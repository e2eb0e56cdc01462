"""Check the types of the browser's code: `python tests/web/typecheck.py` has TypeScript check its JSDoc."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.web import npm_tools
from tests.web.npm_tools import ROOT

TYPESCRIPT = ("typescript", "7.0.2", "tsc")
TSC = npm_tools.binary(*TYPESCRIPT)

if __name__ == "__main__":
    sys.exit(npm_tools.run(*TYPESCRIPT, "--project", ROOT / "jsconfig.json"))
