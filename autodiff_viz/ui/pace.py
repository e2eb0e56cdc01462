"""How soon browsers may ask for the rest of the page: at once while the server has time, and later the busier
visitors keep it, so that the numbers of all come before anybody's panels."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from time import monotonic, process_time

WINDOW = 0.25  # seconds over which the server's work is measured
BUSY, IDLE = 0.85, 0.6  # shares of one processor: Python's threads together have no more
FIRST, MOST = 250, 4000  # milliseconds that are waited when the server becomes busy, and at most


@dataclass(frozen=True, slots=True)
class Pace:
    """What was measured last.

    Attributes:
      at, worked: seconds by the clock, and of processor time.
      wait: milliseconds after which browsers may ask.
    """

    at: float
    worked: float
    wait: int = 0


def paced(last: Pace, at: float, worked: float) -> Pace:
    """The pace after a measurement: twice the wait while the server is busy, half of it for every window in
    which it is not."""
    passed = at - last.at
    if passed < WINDOW:
        return last
    share = (worked - last.worked) / passed
    if share > BUSY:
        return Pace(at, worked, min(MOST, max(FIRST, 2 * last.wait)))
    if share > IDLE:
        return Pace(at, worked, last.wait)
    return Pace(at, worked, last.wait >> min(16, int(passed / WINDOW)))


_lock = Lock()
_last = Pace(monotonic(), process_time())


def wait() -> int:
    """Milliseconds after which a browser may ask now."""
    global _last
    with _lock:
        _last = paced(_last, monotonic(), process_time())
        return _last.wait
