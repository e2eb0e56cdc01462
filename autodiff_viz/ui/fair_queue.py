"""Fair scheduling of visitors on Python's one processor: two first-in first-out queues, quick and slow.

Threads that share one processor all finish late; if they take turns, all but the last finish early. Nobody
waits long for a slow visitor: a visitor with a slow turn lately joins a queue of their own, and when a quick
one takes long unexpectedly, the next is admitted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock, local
from time import monotonic, thread_time

from streamlit.runtime.scriptrunner import get_script_run_ctx

from autodiff_viz.engine.live_path.bounded_memo import asked_by

MOST = 4  # held-up turns of a queue at once; with more, all share the processor
SLOW = 0.05  # seconds of work in a turn that mark a visitor as slow for the next turn
VERY_SLOW, MARKED = 0.1, 12  # seconds that mark them for so many: only the first turn of a slow edit is slow
LONG, VERY_LONG = 0.1, 2.0  # seconds after which a turn counts as held up, in the quick and in the slow queue
KNOWN = 1_000  # visitors that are remembered as slow


@dataclass(eq=False, slots=True)
class _Turn:
    """One visitor's turn, which has begun when `let_in` is set, at `since` in seconds of `monotonic`."""

    let_in: Event = field(default_factory=Event)
    since: float = 0.0


class Queue:
    """A first-in first-out queue: turns under way and turns that wait."""

    def __init__(self, long: float) -> None:
        self._long = long
        self._lock = Lock()
        self._going: list[_Turn] = []
        self._waiting: deque[_Turn] = deque()

    def begin(self) -> _Turn:
        """Wait for a turn."""
        turn = _Turn()
        with self._lock:
            self._waiting.append(turn)
            self._let_in()
        while not turn.let_in.wait(self._patience()):
            with self._lock:
                self._let_in()
        return turn

    def end(self, turn: _Turn) -> None:
        """End a turn and admit the next one."""
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
        """Whether all turns under way are held up."""
        held_up = sum(now - turn.since >= self._long for turn in self._going)
        return held_up >= MOST or held_up == len(self._going)

    def _patience(self) -> float:
        """Return the seconds until the newest turn counts as held up, if it is still under way then."""
        with self._lock:
            newest = max((turn.since for turn in self._going), default=0.0)
        return max(0.0, newest + self._long - monotonic())


_quick, _slow = Queue(LONG), Queue(VERY_LONG)
_known: dict[Hashable, int] = {}  # slow visitors, with the turns until the mark goes
_mine = local()  # whether this thread has its turn


@contextmanager
def in_turn(visitor: Hashable = None) -> Iterator[None]:
    """Context for work or drawing for a visitor; without a name, the one whose page is run."""
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
    """Return Streamlit's name for the visitor."""
    context = get_script_run_ctx(suppress_warning=True)
    return context and context.session_id


def _note(visitor: Hashable, seconds: float) -> None:
    left = max(_known.get(visitor, 0) - 1, MARKED if seconds > VERY_SLOW else seconds > SLOW)
    _known.pop(visitor, None)
    if visitor is not None and left > 0:
        _known[visitor] = left
        for old in [*_known][:-KNOWN]:
            _known.pop(old, None)
