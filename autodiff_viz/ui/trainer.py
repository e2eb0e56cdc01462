"""Train in the background: a few threads run small chunks of steps, in turn for all visitors who train.

The steps are made in other processes. Records are immutable, so the page and a worker share only a reference
to the newest one. If the page has replaced it while a chunk was made, the chunk is dropped: steps are pure
functions, so nothing is lost.
"""

from __future__ import annotations

import atexit
import logging
import os
import weakref
from functools import cache
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic, perf_counter, thread_time

from autodiff_viz.engine.training.course import make_steps_by
from autodiff_viz.ui.fair_queue import beside_turns
from autodiff_viz.ui.training_steps import PROCESSES, NotWanted, Steps, as_long_as
from autodiff_viz.ui.work import WORKERS
from autodiff_viz.views.training.record import Training, advanced, paused, told

CHUNK = 0.03  # target duration of a chunk, in seconds
SHARE = 20.0  # duration of a chunk, at least, in multiples of the server's own processor time for it
MOST = 256  # steps of a chunk, at most
REST = 0.5  # pause after a chunk made in this process, as a share of its duration, for other visitors
SMOOTH = 0.1  # seconds between two chunks of a training whose speed is limited, if that is more than a step
TICK = 0.005  # seconds that a thread waits if the training whose turn it is may not go on yet
AWAY = 90.0  # seconds without a request from the page, after which the page is taken to be closed
GONE = "Paused: the page was away."
BROKEN = "Stopped by a mistake of this program, which is in the server's log."

_log = logging.getLogger(__name__)


class Trainer:
    """The training of one visitor; it is garbage-collected with the visitor's session.

    Attributes:
      pace: largest number of steps a second; 0 for no limit.
      due: when the next chunk may be made, in seconds of `monotonic`.
    """

    def __init__(self) -> None:
        self.pace, self.due = 0, 0.0
        self._lock = Lock()
        self._training: Training | None = None
        self._size, self._seen, self._queued = 1, monotonic(), False

    @property
    def training(self) -> Training | None:
        """The newest record; reading it shows that the page is open."""
        self._seen = monotonic()
        return self._training

    def put(self, training: Training | None) -> None:
        """Replace the record by the page's."""
        with self._lock:
            self._training, self._seen, self.due = training, monotonic(), 0.0
            wanted = training is not None and training.running and not self._queued
            self._queued = self._queued or wanted
        if wanted:
            _turns().put(weakref.ref(self))
            _workers()

    def limit(self, pace: int) -> None:
        """Set the largest number of steps a second; 0 for no limit."""
        self.pace, self.due = pace, 0.0

    def tell(self, *rules: object) -> None:
        """Set the rules and settings of the next steps."""
        with self._lock:
            if self._training is not None:
                self._training = told(self._training, *rules)

    def advance(self) -> bool:
        """Make one chunk of steps and return whether there is more to do."""
        before = self._training
        if before is None or not before.running:
            return self._ended()
        away = monotonic() - self._seen > AWAY
        began, own, pace = perf_counter(), thread_time(), self.pace
        if pace:
            self.due = monotonic() + max(1 / pace, SMOOTH)
        size = min(self._size, max(1, round(SMOOTH * pace))) if pace else self._size
        with beside_turns(), as_long_as(lambda: self._goes_on(before)):
            after = paused(before, GONE) if away else _advanced(before, size)
        self._size = _fitting(self._size, perf_counter() - began, thread_time() - own)
        with self._lock:
            if self._training is before:
                self._training = after
        return True

    def _goes_on(self, before: Training) -> bool:
        """Return whether the steps of `before` are still wanted.

        The rules may have changed meanwhile; other rules use the same program.
        """
        now = self._training
        return now is not None and now.running and now.token is before.token

    def _ended(self) -> bool:
        with self._lock:
            self._queued = self._training is not None and self._training.running
            return self._queued


def _advanced(training: Training, size: int) -> Training:
    """Make a chunk of steps; an exception pauses this training and not those of other visitors."""
    try:
        return advanced(training, size)
    except NotWanted:
        return training
    except Exception:
        _log.exception("a training broke")
        return paused(training, BROKEN)


def _fitting(size: int, seconds: float, own: float) -> int:
    """Return the next chunk size: doubled or halved until a chunk takes about as long as it should.

    That is `CHUNK` seconds, or `SHARE` times the server's own part, which is the same for all sizes.

    Args:
      seconds: the last chunk's duration.
      own: processor time that it took from the server, in seconds.
    """
    wanted = max(CHUNK, SHARE * own)
    if seconds > 2 * wanted:
        return max(1, size // 2)
    return min(MOST, 2 * size) if seconds < wanted else size


@cache
def _turns() -> SimpleQueue[weakref.ref[Trainer]]:
    return SimpleQueue()


@cache
def _workers() -> tuple[Thread, ...]:
    """Start one thread per process, since each thread waits for one process."""
    stop, steps = Event(), _processes()
    count = 1 if steps is None else PROCESSES
    given = {"target": _work, "args": (steps, stop), "name": "training", "daemon": True}
    threads = tuple(Thread(**given) for _ in range(count))
    atexit.register(_end, threads, stop, steps)
    for thread in threads:
        thread.start()
    return threads


def _processes() -> Steps | None:
    """Return the processes that make the steps of all courses.

    None on a host that cannot fork: the server itself makes the steps.
    """
    if os.environ.get(WORKERS) == "off" or not hasattr(os, "fork"):
        return None
    steps = Steps()
    make_steps_by(steps.advance)
    return steps


def _end(threads: tuple[Thread, ...], stop: Event, steps: Steps | None) -> None:
    """Stop the threads after the chunk under way.

    A chunk made in this process finishes first, since Python must not exit during an XLA call.
    """
    stop.set()
    if steps is not None:
        steps.end()
    for thread in threads:
        thread.join()


def _work(steps: Steps | None, stop: Event) -> None:
    turns = _turns()
    while not stop.is_set():
        try:
            turn = turns.get(timeout=0.5)
        except Empty:
            if steps is not None:
                steps.end_idle()
            continue
        trainer, began = turn(), perf_counter()
        if trainer is not None and trainer.due > monotonic():
            stop.wait(TICK)
            turns.put(turn)
        elif trainer is not None and trainer.advance():
            turns.put(turn)
        del trainer  # a closed visitor's trainer would otherwise be kept until the next turn
        if steps is None:
            stop.wait(REST * (perf_counter() - began))
