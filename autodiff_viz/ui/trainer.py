"""Train in the background: a few threads run small chunks of steps, in turn for all visitors who train.

The steps are made in other processes. Records are immutable, so the page and a worker share only a reference
to the newest one. If the page has replaced it while a chunk was made, the chunk is dropped: steps are pure
functions, so nothing is lost.
"""

from __future__ import annotations

import atexit
import logging
import os
import signal
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Condition, Event, Lock, Thread, local
from time import monotonic, perf_counter, thread_time

from autodiff_viz.engine.compilation_cache import variables
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.training.course import make_steps_by
from autodiff_viz.training.records import Records
from autodiff_viz.training.run import Training, advanced, paused, with_settings
from autodiff_viz.training.state import Settings, State
from autodiff_viz.training.updates import advance_plain, plain
from autodiff_viz.ui.scheduling import beside_turns
from autodiff_viz.ui.worker_jobs import WORKERS, kept
from autodiff_viz.workers.fork_client import Template
from autodiff_viz.workers.jobs import NICE
from autodiff_viz.workers.watchdog import work_of
from autodiff_viz.workers.worker import PATIENCE

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
                self._training = with_settings(self._training, *rules)

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
            try:
                after = paused(before, GONE) if away else advanced(before, size)
            except NotWanted:
                after = before
            except Exception:  # it pauses this training, and not those of other visitors
                _log.exception("a training broke")
                after = paused(before, BROKEN)
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
    steps = None  # a host that cannot fork: the server itself makes the steps
    if os.environ.get(WORKERS) != "off" and hasattr(os, "fork"):
        steps = Steps()
        make_steps_by(steps.advance)
    stop = Event()
    count = 1 if steps is None else PROCESSES
    given = {"target": _work, "args": (steps, stop), "name": "training", "daemon": True}
    threads = tuple(Thread(**given) for _ in range(count))
    atexit.register(_end, threads, stop, steps)
    for thread in threads:
        thread.start()
    return threads


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


# Steps in separate processes, so that the server spends no time or memory on compilation. A process can be
# killed. It keeps what it has compiled and is given the steps of the same program again. It has no state that
# the server does not have: if it is killed, only the call is lost.


PROCESSES = 2  # at a time; visitors share them, in turn
SECONDS = 60.0  # of work for one call
POLL_SECONDS = 0.05  # seconds between two checks whether the call is still wanted
GRACE = 0.1  # seconds that a call that is no longer wanted has to finish
IDLE = 60.0  # seconds without a call after which a process ends
LOADED = ("autodiff_viz.training.updates",)


class NotWanted(Exception):
    """The call was ended, since nobody waits for it any more."""


class _ThisCall(local):
    """State of the call that this thread makes: whether somebody waits for it."""

    wanted: Callable[[], bool] | None = None


_this_call = _ThisCall()


@contextmanager
def as_long_as(wanted: Callable[[], bool]) -> Iterator[None]:
    """End calls of this thread once `wanted` returns False."""
    _this_call.wanted = wanted
    try:
        yield
    finally:
        _this_call.wanted = None


@dataclass(slots=True, eq=False)
class _Process:
    """A process and the programs that have been requested of it."""

    number: int
    connection: Connection
    programs: set[bytes] = field(default_factory=set)
    busy: bool = True
    since: float = field(default_factory=monotonic)


class Steps:
    """A pool of at most `most` processes that make training steps."""

    def __init__(self, most: int = PROCESSES):
        self._most, self._free = most, Condition()
        self._processes: list[_Process] = []
        self._template = Template(LOADED, variables(kept()))
        self._ended = False

    def advance(
        self, graph: Graph, state: State, steps: int, settings: Settings, dtype: str
    ) -> tuple[State, Records]:
        """Advance a training as `engine.training.advance` does, in another process.

        Raises:
          GraphError: as `advance`; or the call takes too long, or the process broke down.
          NotWanted: see `as_long_as`.
        """
        program = identity((tuple((n.name, n.op, n.slots) for n in graph.nodes), settings.optimiser, dtype))
        process = self._taken(program)
        try:
            answer = self._called(process, (graph, plain(state), steps, settings, dtype))
        finally:
            self._give_back(process)
        if isinstance(answer[0], Problem):
            raise GraphError(answer)
        return answer

    def end(self) -> None:
        """Kill all processes, when the server ends."""
        with self._free:
            self._ended = True
            for process in [*self._processes]:
                self._kill(process)
            self._template.end()

    def _taken(self, program: bytes) -> _Process:
        """Return an idle process, preferably one that has compiled `program`, or fork one, up to `most`."""
        with self._free:
            while not self._ended:
                free = [process for process in self._processes if not process.busy]
                chosen = next((each for each in free if program in each.programs), None)
                if chosen is None and len(self._processes) < self._most:
                    chosen = self._forked()
                chosen = chosen or next(iter(free), None)
                if chosen is not None:
                    chosen.busy = True
                    chosen.programs.add(program)
                    return chosen
                self._free.wait(POLL_SECONDS)
                if not _is_wanted():
                    break
        raise NotWanted

    def _forked(self) -> _Process:
        try:
            process = _Process(*self._template.fork(NICE))
        except OSError as error:
            raise GraphError(_BROKEN) from error
        self._processes.append(process)
        return process

    def _called(self, process: _Process, arguments: tuple) -> tuple:
        since, deadline, unwanted = work_of(process.number), monotonic() + PATIENCE * SECONDS, None
        try:
            process.connection.send((advance_plain.__module__, advance_plain.__qualname__, arguments))
            while not process.connection.poll(POLL_SECONDS):
                if not _is_wanted():
                    # A call that is nearly done may end, which is cheaper than to fork and compile again.
                    unwanted = unwanted or monotonic()
                    if monotonic() - unwanted >= GRACE:
                        raise NotWanted
                if work_of(process.number) - since >= SECONDS or monotonic() >= deadline:
                    raise GraphError(_TOO_LONG)
            done, answer = process.connection.recv()
        except (EOFError, OSError, NotWanted, GraphError) as error:
            with self._free:
                self._kill(process)
            raise GraphError(_BROKEN) if isinstance(error, EOFError | OSError) else error from error
        if not done:
            _log.error("steps of a training broke: %s", answer)
            raise GraphError(_BROKEN)
        return answer

    def _give_back(self, process: _Process) -> None:
        with self._free:
            process.busy, process.since = False, monotonic()
            self._free.notify()

    def end_idle(self) -> None:
        """Kill the processes idle for a while, and after the last one the forkserver template."""
        with self._free:
            for process in [*self._processes]:
                if not process.busy and process.since + IDLE <= monotonic():
                    self._kill(process)
            if not self._processes:
                self._template.end()

    def _kill(self, process: _Process) -> None:
        if process in self._processes:
            self._processes.remove(process)
            process.connection.close()
            with suppress(ProcessLookupError):
                os.kill(process.number, signal.SIGKILL)


def _is_wanted() -> bool:
    return _this_call.wanted is None or _this_call.wanted()


_TOO_LONG = Problem(
    "too-long",
    f"The steps of this graph take more than {SECONDS:g} seconds to compile or to run, which is the limit.",
    "A smaller graph, or smaller tensors.",
)
_BROKEN = Problem("broken", "The process that trains broke down, perhaps for lack of memory.", "Try again.")
