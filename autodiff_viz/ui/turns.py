"""One visitor after the other, first come, first served: threads that take turns on Python's one processor
are all late; of those that wait for each other all but the last are early. Nobody waits for one who takes
long: the next is let in while those before it are held up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock, local
from time import monotonic

MOST = 4  # so many at once may take long; beyond, all share the processor
LONG = 0.25  # seconds after which one is held up


@dataclass(eq=False, slots=True)
class _Turn:
    """One visitor's turn: it has come since `let_in` is set, at `since` by the clock of `monotonic`."""

    let_in: Event = field(default_factory=Event)
    since: float = 0.0


class Turns:
    """Those whose turn it is, and those who wait for theirs, in the order in which they came."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._going: list[_Turn] = []
        self._waiting: deque[_Turn] = deque()

    def begin(self) -> _Turn:
        """Wait for one's turn."""
        turn = _Turn()
        with self._lock:
            self._waiting.append(turn)
            self._let_in()
        while not turn.let_in.wait(self._patience()):
            with self._lock:
                self._let_in()
        return turn

    def end(self, turn: _Turn) -> None:
        """Let the next one in."""
        with self._lock:
            self._going.remove(turn)
            self._let_in()

    def _let_in(self) -> None:
        now = monotonic()
        while self._waiting and self._is_open(now):
            turn = self._waiting.popleft()
            turn.since = now
            self._going.append(turn)
            turn.let_in.set()

    def _is_open(self, now: float) -> bool:
        """Whether nobody is at it but who is held up."""
        held_up = sum(now - turn.since >= LONG for turn in self._going)
        return held_up >= MOST or held_up == len(self._going)

    def _patience(self) -> float:
        """Seconds until the one who was let in last is held up, if he still is at it then."""
        with self._lock:
            newest = max((turn.since for turn in self._going), default=0.0)
        return max(0.0, newest + LONG - monotonic())


_turns = Turns()
_mine = local()  # whether this thread has its turn


@contextmanager
def in_turn() -> Iterator[None]:
    """Around what is worked out or drawn for a visitor."""
    if getattr(_mine, "turn", False):
        yield
        return
    turn = _turns.begin()
    _mine.turn = True
    try:
        yield
    finally:
        _mine.turn = False
        _turns.end(turn)
