"""Schedule visitors on Python's one processor: fair turns, and a delay of later requests under load.

Threads that share one processor all finish late; if they take turns, all but the last finish early. Under
load browsers request the rest of the page later (backpressure), so that all numbers come before all panels.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from threading import Event, Lock, local
from time import monotonic, process_time, thread_time

from streamlit.runtime.scriptrunner import get_script_run_ctx

from autodiff_viz.engine.memo import admitted_by, asked_by
from autodiff_viz.ui.allowance import ALLOWANCE
from autodiff_viz.ui.server.browsers import browser_of_page

# Fair turns, in two queues, quick and slow. Nobody waits long for a slow visitor: a visitor with a slow turn
# lately joins a queue of their own, a turn that is known to take long moves to that queue, and when a quick
# one takes long unexpectedly, the next is admitted. Browsers that wait are served round robin, and turns of
# one browser in the order in which they came: who opens twenty tabs waits for them, nobody else does. While
# one turn is under way, other threads interrupt it seldom: each switch takes time, and Streamlit's own
# threads can wait for the few milliseconds of a turn. Threads switch often while several turns share the
# processor, and when a message arrives during a turn that takes longer than most: an action needs several
# switches from its message to its answer.

SLOW = 0.05  # seconds of work in a turn that mark a visitor as slow
LATELY = 50  # how many times as long the mark stays: the turns that draw an edit are quicker than its first
LONG, VERY_LONG = 0.04, 2.0  # seconds after which a turn of the quick and of the slow queue is held up
SHARED = 4  # turns under way, at most, that make those seconds as many times longer: they share one processor
SWITCH_ALONE, SWITCH_SHARED = 0.01, 0.0002  # seconds between two switches of threads, one turn and several
USUAL = 0.015  # seconds that a turn may take without its switches being more frequent
KNOWN = 1_000  # visitors that are remembered as slow


@dataclass(eq=False, slots=True)
class _Turn:
    """One visitor's turn.

    It was requested at `asked` and began at `since`, in seconds of `monotonic`; 0 until it begins. Who waits
    for it looks again when `look` is set.
    """

    asked: float
    look: Event = field(default_factory=Event)
    since: float = 0.0


class Queue:
    """A fair queue (start-time fair queueing): turns under way and turns that wait.

    Each turn has a round, one later than its browser's turn before, and at least the round that is served.
    The earliest round is served first.
    """

    def __init__(self, long: float) -> None:
        self._long = long
        self._lock = Lock()
        self._going: list[_Turn] = []
        self._waiting: list[tuple[int, int, _Turn]] = []  # a heap of (round, number of arrival, turn)
        self._arrivals = count()
        self._round = 0
        self._rounds: dict[Hashable, int] = {}  # by browser, the round of its last turn, if that is to come
        self._longest = 0.0

    @property
    def under_way(self) -> int:
        """Number of turns under way."""
        return len(self._going)

    def newest(self) -> float:
        """Return when the newest turn under way began; 0 if there is none."""
        with self._lock:
            return max((turn.since for turn in self._going), default=0.0)

    def longest_wait(self) -> float:
        """Return the longest wait for a turn, in seconds, since the last call, and forget it."""
        with self._lock:
            longest, self._longest = self._longest, 0.0
        return longest

    def begin(self, browser: Hashable = None) -> _Turn:
        """Wait for a turn of this browser."""
        turn = _Turn(asked=monotonic())
        with self._lock:
            # One round later than the browser's last turn, so that nobody's second turn comes before
            # another's first; but none that has been served already.
            mine = max(self._round, self._rounds.get(browser, -1) + 1)
            self._rounds[browser] = mine
            heapq.heappush(self._waiting, (mine, next(self._arrivals), turn))
        while not self._has_begun(turn):
            # Who is first looks again when the turns under way count as held up: nobody else would let them
            # in. The others sleep: of two hundred, each would take the processor to see that it waits.
            turn.look.wait(self._patience() if self._is_first(turn) else None)
            turn.look.clear()
        return turn

    def _has_begun(self, turn: _Turn) -> bool:
        with self._lock:
            self._let_in()
            return turn.since > 0

    def _is_first(self, turn: _Turn) -> bool:
        with self._lock:
            return bool(self._waiting) and self._waiting[0][2] is turn

    def end(self, turn: _Turn) -> None:
        """End a turn and admit the next one."""
        with self._lock:
            self._going.remove(turn)
            self._let_in()
            if self._waiting:  # beside fewer turns its patience is shorter
                self._waiting[0][2].look.set()

    def _let_in(self) -> None:
        """Begin the next turns, as far as those under way are held up; the lock is held."""
        now = monotonic()
        first = self._waiting[0][2] if self._waiting else None
        while self._waiting and self._is_open(now):
            self._round, _, turn = heapq.heappop(self._waiting)
            turn.since = now
            self._longest = max(self._longest, now - turn.asked)
            self._going.append(turn)
            turn.look.set()
        if not self._waiting:
            self._rounds.clear()
        elif self._waiting[0][2] is not first:
            self._waiting[0][2].look.set()

    def _is_open(self, now: float) -> bool:
        """Return whether all turns under way are held up."""
        return all(now - turn.since >= self._held_up() for turn in self._going)

    def _held_up(self) -> float:
        """Return the seconds after which a turn counts as held up.

        Were they the same for several turns, each would be slower for the one let in, and so let in another:
        a class that opens a lesson would have all its turns under way at once, and take twice as long.
        """
        return self._long * max(1, min(self.under_way, SHARED))

    def _patience(self) -> float:
        """Return the seconds until the newest turn counts as held up, if it is still under way then."""
        return max(0.0, self.newest() + self._held_up() - monotonic())


_quick, _slow = Queue(LONG), Queue(VERY_LONG)
_known: dict[Hashable, float] = {}  # slow visitors, and until when, in seconds of `monotonic`
_beside: list[None] = []  # one entry for each work without a turn
_mine = local()  # whether this thread has its turn, and at which place: queue, turn and browser
_switching = Lock()


def longest_wait() -> float:
    """Return the longest wait, in seconds, of a quick visitor since the last call."""
    return _quick.longest_wait()


@contextmanager
def in_turn(of: Hashable = None, browser: Hashable = None) -> Iterator[None]:
    """Give work or drawing inside `with` its turn.

    By default it is a turn of the visitor whose page is run, and of their browser.
    """
    if getattr(_mine, "turn", False):
        yield
        return
    of, browser = of or visitor(), browser or browser_of_page()
    queue = _slow if monotonic() < _known.get(of, 0.0) else _quick
    switch_often_in_long_turns()
    _mine.place, worked = (queue, queue.begin(browser), browser), thread_time()
    _mine.turn = True
    _set_switch_interval()
    try:
        admit = partial(ALLOWANCE.take, browser[0]) if browser else None  # not of the server's own work
        with asked_by(of), admitted_by(admit):
            yield
    finally:
        _mine.turn = False
        queue, turn, _ = _mine.place  # `take_long` may have changed it
        queue.end(turn)
        _set_switch_interval()
        _note(of, thread_time() - worked)


def take_long() -> None:
    """Continue this thread's turn, if it has one, in the queue of the slow: what follows takes long.

    Otherwise many visitors who have not been slow yet would be admitted, one whenever the last is held up.
    """
    if not getattr(_mine, "turn", False) or _mine.place[0] is _slow:
        return
    _, turn, browser = _mine.place
    _quick.end(turn)
    _mine.place = _slow, _slow.begin(browser), browser
    _set_switch_interval()


@contextmanager
def without_turn() -> Iterator[None]:
    """Wait inside `with` without this thread's turn, if it has one: others need not wait too.

    The thread must hold no lock that others need, since it waits for its turn again at the end.
    """
    if not getattr(_mine, "turn", False):
        yield
        return
    queue, turn, browser = _mine.place
    queue.end(turn)
    _mine.turn = False
    try:
        yield
    finally:
        _mine.place, _mine.turn = (queue, queue.begin(browser), browser), True
        _set_switch_interval()


@contextmanager
def beside_turns() -> Iterator[None]:
    """Work inside `with` without a turn; threads then switch often, so that no turn waits for it."""
    _beside.append(None)
    _set_switch_interval()
    try:
        yield
    finally:
        _beside.pop()
        _set_switch_interval()


def switch_often_in_long_turns() -> None:
    """Switch threads often if the present turn takes longer than most; called when a message arrives."""
    if _quick.under_way and sys.getswitchinterval() > SWITCH_SHARED and _is_long(_quick):
        _set_switch_interval()


def _set_switch_interval() -> None:
    """Set how often Python switches threads; a turn beside a slow one or other work never counts as alone."""
    with _switching:
        several = _slow.under_way or _beside or _quick.under_way > 1
        sys.setswitchinterval(SWITCH_SHARED if several or _is_long(_quick) else SWITCH_ALONE)


def _is_long(queue: Queue) -> bool:
    return 0.0 < queue.newest() < monotonic() - USUAL


def visitor() -> Hashable:
    """Return Streamlit's name for the visitor whose page is run."""
    context = get_script_run_ctx(suppress_warning=True)
    return context and context.session_id


def _note(visitor: Hashable, seconds: float) -> None:
    """Mark a visitor as slow whose turn took so many seconds of work, if that is long."""
    if visitor is None or seconds <= SLOW:
        return
    # Taken out and put in again: the longest not slow comes first, and is forgotten first.
    until = max(_known.pop(visitor, 0.0), monotonic() + LATELY * seconds)
    _known[visitor] = until
    for old in [*_known][:-KNOWN]:
        _known.pop(old, None)


# Backpressure: how soon browsers may request the later parts of the page

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
