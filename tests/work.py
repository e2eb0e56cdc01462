"""Work counted in lines of Python that ran: the same on every machine, however busy it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_run(function: Callable[[], object]) -> int:
    """How many lines of Python `function()` runs, in what it calls too; work inside C counts as nothing."""
    ran = 0

    def count(frame: FrameType, event: str, found: Any) -> Any:
        nonlocal ran
        ran += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        function()
    finally:
        sys.settrace(before)
    return ran
