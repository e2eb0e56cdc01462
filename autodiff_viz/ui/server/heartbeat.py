"""Run a watchdog beside the server, and tell it every second that the event loop still runs.

The watchdog (`workers/watchdog.py`) kills a server that answers nobody, or takes too much memory: whoever
runs the server then starts it again, as `ui/start/supervisor.py` does.
"""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from autodiff_viz.workers import watchdog
from autodiff_viz.workers.worker import COUNTS_CPU_TIME

SILENCE = "AUTODIFF_VIZ_WATCHDOG"
"""Variable with the seconds for which the event loop may be silent; "off" for no watchdog."""

MEMORY = "AUTODIFF_VIZ_MEMORY"
"""Variable with the megabytes of memory that the server may have; "off" for any number."""

OFF = "off"
SECONDS = 20.0  # of silence, unless set
SHARE = 0.8  # of its container's memory, unless set; workers have the rest
BEAT = 1.0  # seconds
AGAIN = 60.0  # seconds after which a watchdog that has ended is started again
NO_LIMIT = 2**60  # bytes; the first version of control groups writes "none" as a large number

_log = logging.getLogger(__name__)


@asynccontextmanager
async def watched() -> AsyncIterator[None]:
    """Have the server watched; only where the system says of a process what it does, as Linux."""
    seconds, megabytes = silence_limit(), memory_limit()
    beating = None
    if seconds is not None and COUNTS_CPU_TIME:
        beating = asyncio.create_task(_beat(seconds, megabytes or 0.0))
    try:
        yield
    finally:
        if beating is not None:
            beating.cancel()
            with suppress(asyncio.CancelledError):
                await beating


async def _beat(seconds: float, megabytes: float) -> None:
    words = [str(os.getpid()), str(seconds), str(megabytes)]
    # -I and -S: nothing but Python's own library is loaded. Its own session: Ctrl+C is for the server.
    command = [sys.executable, "-I", "-S", watchdog.__file__, *words]
    while True:
        dog = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
        )
        pipe = dog.stdin.fileno()
        os.set_blocking(pipe, False)
        try:
            while True:
                with suppress(BlockingIOError):  # it has been stopped, and reads nothing
                    os.write(pipe, b".")
                await asyncio.sleep(BEAT)
        except BrokenPipeError:
            _log.warning("The watchdog has ended (%s); another one is started.", dog.wait())
        finally:
            dog.stdin.close()
            dog.kill()  # also one that has been stopped
            dog.wait()
        await asyncio.sleep(AGAIN)


def silence_limit() -> float | None:
    """Return the seconds for which the event loop may be silent; None for any number.

    Raises:
      ValueError: the variable is no positive number.
    """
    return _number(SILENCE, "seconds", SECONDS)


def memory_limit() -> float | None:
    """Return the megabytes that the server may have; None for any number.

    Raises:
      ValueError: the variable is no positive number.
    """
    whole = container_memory()
    return _number(MEMORY, "megabytes", None if whole is None else SHARE * whole)


def _number(variable: str, unit: str, otherwise: float | None) -> float | None:
    text = os.environ.get(variable, "").strip()
    if not text:
        return otherwise
    if text == OFF:
        return None
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"{variable} is {text!r}; it must be a whole number of {unit}, 1 or more, or {OFF}.")
    return float(text)


def container_memory(
    named: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")
) -> float | None:
    """Return the megabytes that Linux lets this process and those beside it have; None without a limit.

    A container finds its own control group at the root. A service finds its path there, and each group above
    it may have a limit too.

    Source: https://docs.kernel.org/admin-guide/cgroup-v2.html, memory.max;
      https://docs.kernel.org/admin-guide/cgroup-v1/memory.html, memory.limit_in_bytes
    """
    limits = []
    with suppress(OSError):
        for line in named.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers and "memory" not in controllers.split(","):
                continue
            top = root / "memory" if controllers else root
            own = top / path.lstrip("/")
            for folder in (own, *own.parents):
                if folder.is_relative_to(top):
                    with suppress(OSError, ValueError):  # ValueError: "max"
                        file = "memory.limit_in_bytes" if controllers else "memory.max"
                        limits.append(int((folder / file).read_text()))
    least = min(limits, default=NO_LIMIT)
    return None if least >= NO_LIMIT else least / 2**20
