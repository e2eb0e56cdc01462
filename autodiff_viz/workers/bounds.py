"""Bound what a job may use, from inside its own process: the kernel ends it, whatever it is doing.

Python cannot interrupt itself while one call in C runs, such as a comparison of nested lists, and whoever
looks at a process from outside sees only now and then how much it has. So the processor time is a timer of
the kernel, whose signal ends the process, and the memory is a limit of the kernel, at which an allocation
fails.

Source: https://man7.org/linux/man-pages/man2/setitimer.2.html and .../getrlimit.2.html
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

try:
    import resource
except ImportError:  # Windows, where there are no workers either
    resource = None


@dataclass(frozen=True, slots=True)
class Bound:
    """What may be used: seconds of processor time, and megabytes beyond those that are in use."""

    seconds: float
    megabytes: float


@dataclass(slots=True)
class _State:
    """The bound of the job of this process: `apart` is what remains of the one for computing.

    `own` is whether the process may be ended, as a worker may.
    """

    own: bool = False
    apart: Bound | None = None


_now = _State()


def may_be_ended() -> None:
    """Note that this process is a worker: bounds hold in it from now on."""
    _now.own = True
    signal.signal(signal.SIGPROF, signal.SIG_DFL)


@contextmanager
def bounded(own: Bound, apart: Bound) -> Iterator[None]:
    """Bound what the work inside `with` may use; without effect where no worker does it.

    The process ends after `own.seconds`; what would need more than `own.megabytes` raises MemoryError, or
    ends the process where no Python code asks for it.

    Args:
      apart: the bound of all that is done inside `computing_apart`, which the other does not count.
    """
    if not _now.own:
        yield
        return
    _now.apart = apart
    before = _begin(own)
    try:
        yield
    finally:
        _end(before)
        _now.apart = None


@contextmanager
def computing_apart() -> Iterator[None]:
    """Count what is done inside `with` by the bound for computing; without effect where there is none."""
    if _now.apart is None:
        yield
        return
    left, apart = _left(), _now.apart
    room = _room()
    _now.apart = None  # what is inside this is counted once
    before = _begin(apart)
    try:
        yield
    finally:
        _now.apart = Bound(_left(), apart.megabytes)
        _end(before)
        signal.setitimer(signal.ITIMER_PROF, left)
        # What was computed has grown: the programs that are kept, and the threads of XLA.
        _limit_memory(room)


def _begin(bound: Bound) -> tuple[int, int] | None:
    """Set timer and limit; return the limit before."""
    before = resource.getrlimit(resource.RLIMIT_DATA) if resource else None
    _limit_memory(bound.megabytes * 2**20)
    signal.setitimer(signal.ITIMER_PROF, bound.seconds)
    return before


def _end(before: tuple[int, int] | None) -> None:
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    if before is not None:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _left() -> float:
    """Return the seconds until the timer ends the process; never 0, which would be no timer."""
    return max(signal.getitimer(signal.ITIMER_PROF)[0], 0.001)


def _room() -> float:
    """Return the bytes that may still be allocated."""
    limit = resource.getrlimit(resource.RLIMIT_DATA)[0] if resource else -1
    return float("inf") if resource is None or limit == resource.RLIM_INFINITY else limit - _data()


def _limit_memory(room: float) -> None:
    """Let the process allocate so many bytes more; without effect where nobody knows how many it has."""
    if resource is not None and room != float("inf") and (data := _data()):
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (int(data + max(0.0, room)), hard))


def _data() -> int:
    """Return the bytes of private memory of this process, as RLIMIT_DATA counts them; 0 where not known."""
    try:
        text = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("VmData")), 0)
