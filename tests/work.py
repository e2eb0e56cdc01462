"""Count work in lines of Python that ran, and in programs compiled: the same on every machine, however busy
it is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import jax


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


_compiled = 0


def _count_compiled(event: str, seconds: float, **more: Any) -> None:
    global _compiled
    _compiled += event == "/jax/core/compile/backend_compile_duration"


jax.monitoring.register_event_duration_secs_listener(_count_compiled)


def programs_compiled(function: Callable[[], object]) -> int:
    """How many programs XLA makes for `function()`, large ones and small ones; one that it takes from a cache
    on disk counts too."""
    before = _compiled
    function()
    return _compiled - before
