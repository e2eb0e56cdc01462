"""Check that Prettier has formatted the scripts: `python tests/web/formatting.py`; `--write` formats them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.web import npm_tools

PRETTIER = ("prettier", "3.10.1", "prettier")
SCRIPTS = ("autodiff_viz/web/**/*.js", "tests/web/**/*.mjs", "website/*.js")

if __name__ == "__main__":
    action = "--write" if "--write" in sys.argv[1:] else "--check"
    sys.exit(npm_tools.run(*PRETTIER, action, "--log-level=warn", *SCRIPTS))
