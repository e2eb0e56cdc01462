"""Delay browsers under load (backpressure): how soon they may request the later parts of the page.

There is no delay while the server has time; the delay grows with the load, so that all numbers come
before all panels.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from time import monotonic, process_time

from autodiff_viz.ui.fair_queue import longest_wait

WINDOW = 0.25  # seconds over which the server's work is measured
BUSY, IDLE = 0.6, 0.4  # shares of one processor: beyond the first, turns wait for one another
LATE = 0.03  # seconds of waiting for a turn beyond which the processors are busy, if with other processes
REST = 4.0  # while the server is busy, workers do nothing for so many times as long as their last job took
FIRST, MOST = 250, 4000  # milliseconds: the first delay when the server becomes busy, and the longest


@dataclass(frozen=True, slots=True)
class Pace:
    """The last measurement of the load.

    Attributes:
      at: time of the measurement, in seconds of `monotonic`.
      worked: processor time so far, in seconds.
      wait: milliseconds after which browsers may ask.
    """

    at: float
    worked: float
    wait: int = 0


def is_due(last: Pace, at: float) -> bool:
    """Return whether a window has passed since the last measurement."""
    return at - last.at >= WINDOW


def paced(last: Pace, at: float, worked: float, late: float = 0.0) -> Pace:
    """Return the pace after a measurement: exponential backoff with recovery.

    The wait is doubled while the server is busy and halved for every window in which it is not.

    Args:
      last: the last measurement, at least a window ago.
      at: time of this one.
      worked: processor time so far, in seconds.
      late: longest wait for a turn since the last measurement, in seconds.
    """
    passed = at - last.at
    share = (worked - last.worked) / passed
    if share > BUSY or late > LATE:
        return Pace(at, worked, min(MOST, max(FIRST, 2 * last.wait)))
    if share > IDLE:
        return Pace(at, worked, last.wait)
    return Pace(at, worked, last.wait >> min(16, int(passed / WINDOW)))


_lock = Lock()
_last = Pace(monotonic(), process_time())


def wait() -> int:
    """Return the milliseconds after which a browser may ask now."""
    global _last
    with _lock:
        if is_due(_last, now := monotonic()):
            _last = paced(_last, now, process_time(), longest_wait())
        return _last.wait


def rest() -> float:
    """Return how long workers pause after a job, as a multiple of its processor time."""
    return REST if wait() else 0.0
