"""Find moments in which nobody acts, for work that can wait until then."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from time import process_time

WINDOW_SECONDS = 5.0  # seconds over which the processor time of the server is measured
QUIET = 0.05  # share of one processor, below which nobody acts


def quiet_moments(stop: Event) -> Iterator[None]:
    """Yield after each `WINDOW_SECONDS` seconds in which nobody has acted, until `stop` is set."""
    worked = process_time()
    while not stop.wait(WINDOW_SECONDS):
        before, worked = worked, process_time()
        if is_quiet((worked - before) / WINDOW_SECONDS):
            yield


def is_quiet(share: float) -> bool:
    """Return whether nobody acts, by the share of one processor that the server has used lately."""
    return share < QUIET
