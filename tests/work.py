"""Count work in lines of Python that ran, and in programs compiled: the same on every machine, however busy
it is.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable
from threading import get_ident
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


_compiled: Counter[int] = Counter()
"""By thread, how many programs it has compiled: what an earlier test began may go on in another one."""


def _count_compiled(event: str, seconds: float, **more: Any) -> None:
    _compiled[get_ident()] += event == "/jax/core/compile/backend_compile_duration"


jax.monitoring.register_event_duration_secs_listener(_count_compiled)


MOST = 3000
_freed = 0


def free_programs() -> None:
    """Free compiled programs before there are too many; a test that compiles thousands calls it meanwhile.

    Each has some six maps of memory, and a process may have 65,530.
    """
    global _freed
    if (compiled := _compiled.total()) > _freed + MOST:
        _freed = compiled
        jax.clear_caches()
        gc.collect()


def programs_compiled(function: Callable[[], object]) -> int:
    """How many programs XLA makes for `function()` in this thread, large and small ones; one that it takes
    from a cache on disk counts too."""
    before = _compiled[get_ident()]
    function()
    return _compiled[get_ident()] - before
