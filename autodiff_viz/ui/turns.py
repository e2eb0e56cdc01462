"""One visitor after the other: threads that take turns on Python's one processor are all late; of those that
wait for each other all but the last are early. Nobody waits for one who takes long: there are some lanes, and
the next opens while those before it are held up.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock, local
from time import monotonic

LANES = 4  # so many at once may take long; beyond, all share the processor
LONG = 0.25  # seconds after which a lane is held up
LOOK = 0.02  # seconds between two looks at that


@dataclass(slots=True)
class _Lane:
    lock: Lock = field(default_factory=Lock)
    since: float = 0.0

    @property
    def is_held_up(self) -> bool:
        return monotonic() - self.since > LONG


_lanes = [_Lane() for _ in range(LANES)]
_mine = local()  # whether this thread has its turn


@contextmanager
def in_turn() -> Iterator[None]:
    """Around what is worked out or drawn for a visitor."""
    if getattr(_mine, "turn", False):
        yield
        return
    lane = _entered()
    _mine.turn = True
    try:
        yield
    finally:
        _mine.turn = False
        if lane is not None:
            lane.lock.release()


def _entered() -> _Lane | None:
    """The first lane that is free, once those before it are held up; None where all are."""
    while (lane := next((lane for lane in _lanes if _is_open(lane)), None)) is not None:
        if lane.lock.acquire(timeout=LOOK):
            lane.since = monotonic()
            return lane
    return None


def _is_open(lane: _Lane) -> bool:
    """Whether it is worth waiting for."""
    return not lane.lock.locked() or not lane.is_held_up
