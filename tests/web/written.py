"""Write the numbers of a drawing as the browser does, by its own code in Node."""

from __future__ import annotations

import atexit
import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from autodiff_viz.canvas.delta import without_nulls
from tests.web.node import node


@cache
def _writer() -> subprocess.Popen:
    found = node()
    if found is None:
        pytest.skip("no node")
    script = Path(__file__).with_name("complete.mjs")
    writer = subprocess.Popen([found, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(writer.kill)
    return writer


def in_browser(drawing: dict[str, Any]) -> dict[str, Any]:
    """Return a drawing as the browser has it, with its numbers as text."""
    writer = _writer()
    writer.stdin.write(json.dumps(without_nulls(drawing)) + "\n")
    writer.stdin.flush()
    return json.loads(writer.stdout.readline())
