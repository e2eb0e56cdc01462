"""One visitor after the other, first come, first served: threads that take turns on Python's one processor
are all late; of those that wait for each other all but the last are early. Nobody waits for one who takes
long: who did so the last time stands in a queue of its own, and where it comes unforeseen the next is let in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock, local
from time import monotonic, thread_time

from streamlit.runtime.scriptrunner import get_script_run_ctx

from autodiff_viz.engine.shared import asked_by

MOST = 4  # so many of a queue at once may be held up; beyond, all share the processor
SLOW = 0.05  # seconds of work in a turn that make a visitor slow, until a turn takes less
LONG, VERY_LONG = 0.1, 2.0  # seconds after which one is held up, and of the slow
KNOWN = 1_000  # visitors who are known to be slow


@dataclass(eq=False, slots=True)
class _Turn:
    """One visitor's turn: it has come since `let_in` is set, at `since` by the clock of `monotonic`."""

    let_in: Event = field(default_factory=Event)
    since: float = 0.0


class Queue:
    """Those whose turn it is, and those who wait for theirs, in the order in which they came."""

    def __init__(self, long: float) -> None:
        self._long = long
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
        held_up = sum(now - turn.since >= self._long for turn in self._going)
        return held_up >= MOST or held_up == len(self._going)

    def _patience(self) -> float:
        """Seconds until the one who was let in last is held up, if he still is at it then."""
        with self._lock:
            newest = max((turn.since for turn in self._going), default=0.0)
        return max(0.0, newest + self._long - monotonic())


_quick, _slow = Queue(LONG), Queue(VERY_LONG)
_known: dict[Hashable, None] = {}  # who was slow the last time
_mine = local()  # whether this thread has its turn


@contextmanager
def in_turn(visitor: Hashable = None) -> Iterator[None]:
    """Around what is worked out or drawn for a visitor; without a name, for the one whose page is run."""
    if getattr(_mine, "turn", False):
        yield
        return
    visitor = visitor or _here()
    queue = _slow if visitor in _known else _quick
    turn, worked = queue.begin(), thread_time()
    _mine.turn = True
    try:
        with asked_by(visitor):
            yield
    finally:
        _mine.turn = False
        queue.end(turn)
        _note(visitor, thread_time() - worked)


def _here() -> Hashable:
    """Streamlit's name for the visitor."""
    context = get_script_run_ctx(suppress_warning=True)
    return context and context.session_id


def _note(visitor: Hashable, seconds: float) -> None:
    _known.pop(visitor, None)
    if visitor is not None and seconds > SLOW:
        _known[visitor] = None
        for old in [*_known][:-KNOWN]:
            _known.pop(old, None)
