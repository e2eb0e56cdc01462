"""Run Node, for the tests of the browser code."""

from __future__ import annotations

import shutil


def node() -> str | None:
    """The path of Node, if there is one."""
    return shutil.which("node") or shutil.which("nodejs")
