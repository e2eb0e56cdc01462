"""Release memory that the C library keeps after a compilation.

XLA's compiler allocates hundreds of megabytes for a large program and frees them at its end. They lie between
blocks that stay in use, so the process does not shrink by itself.

Source: https://man7.org/linux/man-pages/man3/malloc_trim.3.html
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache

from autodiff_viz.workers.watchdog import memory_of

GROWTH = 32.0  # megabytes


class FreeMemory:
    """Memory that this process has freed and still holds."""

    def __init__(self) -> None:
        self._held = memory_of(os.getpid())

    def release(self) -> bool:
        """Return it to the system, if the process has grown by `GROWTH` since; return whether it has."""
        now = memory_of(os.getpid())
        if now < self._held + GROWTH:
            return False
        _trim()(0)
        self._held = memory_of(os.getpid())
        return True


@cache
def _trim() -> Callable[[int], object]:
    """Return glibc's `malloc_trim`; elsewhere a function that does nothing."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return lambda _: None
