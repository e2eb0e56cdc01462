"""Run jobs in a pool of worker processes, with deadlines, low priority and memoised answers.

A job is a pure function of the project with its arguments. Its key is the identity of all that the answer
depends on, so an answer serves all who ask for the same. Of each asker only the newest job waits.

Each kind of jobs (`jobs.Lane`) has workers of its own, so that short jobs never wait for long ones. Origins,
such as the addresses that visitors come from, take turns where a lane is fair, and one of them never has all
of its workers: whoever asks for much waits, nobody else does.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.reduction import ForkingPickler
from threading import Condition, Thread
from time import monotonic
from types import MappingProxyType

from autodiff_viz.workers.fork_client import Template
from autodiff_viz.workers.jobs import (
    BROKEN,
    DROPPED,
    LANES,
    LONG,
    NICE,
    SHORT,
    STRANGE,
    TOO_LONG,
    Answer,
    Job,
    Lane,
    Report,
)
from autodiff_viz.workers.watchdog import work_of
from autodiff_viz.workers.worker import Worker

KEPT, KEPT_BYTES = 512, 64_000_000  # answers in the LRU cache, and bytes of all
WAITING = 256  # jobs of a lane that may wait; the oldest is dropped for a new one
STRANGERS = 2  # workers of the fair lane: the least of which one origin cannot have all
SERVED = 1_000  # origins whose last turn is remembered
POLL_SECONDS = 0.25  # seconds between two checks of a worker's CPU time
LONGEST_REST = 2.0  # seconds
IDLE = 120.0  # seconds without a job after which a worker ends, with the code it has compiled
GROWTH, SOON = 160.0, 10.0
"""A worker that has grown by more megabytes ends after fewer seconds without a job. Not at once: the next one
has to load its programs anew, which takes longer than most jobs."""

GROWTH_OF_STRANGE = 300.0
"""A worker of strange jobs that has grown by more megabytes ends at once."""

_log = logging.getLogger(__name__)


class Pool:
    """Worker processes for the jobs of each lane, served by one thread.

    Args:
      modules: modules that a worker has loaded before its first job.
      workers: greatest number of processes for short jobs; long jobs have one, strange ones `STRANGERS`.
      variables: added to the environment of the workers.
      rest: gives the pause after a short job, as a multiple of its CPU time: so jobs leave the processors to
        the server while it is busy.
    """

    def __init__(
        self,
        modules: tuple[str, ...],
        workers: int = 1,
        variables: Mapping[str, str] = MappingProxyType({}),
        rest: Callable[[], float] = float,
    ):
        self._template = Template(modules, variables)
        self._most = {SHORT: workers, LONG: 1, STRANGE: STRANGERS}
        self._rest, self._rested = rest, 0.0
        self._changed = Condition()
        self._listeners: tuple[Callable[[], object], ...] = ()
        self._answers: OrderedDict[bytes, tuple[Answer, int]] = OrderedDict()  # with its bytes
        self._bytes = 0  # of all answers
        self._waiting: dict[Lane, OrderedDict[Hashable, Job]] = {lane: OrderedDict() for lane in LANES}
        self._askers: dict[bytes, set[Hashable]] = {}  # of waiting and running jobs
        self._served: OrderedDict[Hashable, float] = OrderedDict()  # by origin, when its last job began
        self._workers: list[Worker] = []
        self._wake, self._woken = socket.socketpair()
        self._ended = False
        self._thread: Thread | None = None

    def ask(self, asker: Hashable, job: Job) -> None:
        """Queue a job, unless its answer is known or it is queued or running.

        It replaces the waiting job of the same asker, who could otherwise starve others by acting all the
        time; a long job that waits already moves to the front of the queue. A long or a strange job replaces
        the asker's running one too, which would keep a place for an answer that is no longer on view.
        """
        with self._changed:
            waiting = self._waiting[job.lane]
            if job.lane.newest_first and asker in waiting:
                waiting.move_to_end(asker)
            if self._ended or job.key in self._answers:
                return
            self._askers.setdefault(job.key, set()).add(asker)
            known = [queued for queue in self._waiting.values() for queued in queue.values()]
            known += [worker.job for worker in self._workers if worker.job is not None]
            if any(each.key == job.key for each in known):
                return  # it waits or runs already; the asker has been added to it
            self._take_back(asker, waiting)
            if job.lane is not SHORT:
                self._leave(asker, [worker for worker in self._workers if worker.lane is job.lane])
            waiting[asker] = job
            while len(waiting) > WAITING:
                self._note(waiting.pop(self._one_too_many(job.lane)), Answer(why=DROPPED))
            if self._thread is None:
                self._thread = Thread(target=self._run, name="workers", daemon=True)
                self._thread.start()
        self._wake.send(b"\0")

    def _one_too_many(self, lane: Lane) -> Hashable:
        """Return the asker whose job is dropped: the first, in a fair lane the last of who asks for most."""
        waiting = self._waiting[lane]
        if not lane.fair:
            return next(iter(waiting))
        asked = Counter(job.origin for job in waiting.values())
        most = max(asked, key=asked.__getitem__)
        return next(asker for asker in reversed(waiting) if waiting[asker].origin == most)

    def answer(self, key: bytes, patience: float = 0.0) -> Answer | None:
        """Return the answer of a job; None while it waits or runs, after at most `patience` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: key in self._answers, patience)
            if key not in self._answers:
                return None
            self._answers.move_to_end(key)
            return self._answers[key][0]

    def take(self, key: bytes) -> Answer | None:
        """Return the answer of a job as `answer` does, and forget it: whoever asks again has it done anew."""
        with self._changed:
            return self._forget(key) if key in self._answers else None

    def is_under_way(self, key: bytes) -> bool:
        """Return whether a job waits or runs."""
        with self._changed:
            return key in self._askers

    def at_once(self, act: Callable[[], object]) -> None:
        """Call a function while no answer comes: what it looks at and takes is one step."""
        with self._changed:
            act()

    def listen(self, listener: Callable[[], object]) -> None:
        """Call `listener` after every answer from now on, in another thread; it must be quick."""
        self._listeners += (listener,)

    def report(self, key: bytes) -> Report | None:
        """Return the newest report of a running job; None if it has sent none, waits, or has ended."""
        with self._changed:
            return next((w.report for w in self._workers if w.job is not None and w.job.key == key), None)

    def cancel(self, asker: Hashable) -> None:
        """Remove the asker's waiting jobs and kill the worker that runs its job: there is no answer then.

        A running job that others have asked for too goes on. After `end` nothing is left to cancel.
        """
        with self._changed:
            if self._ended:
                return
            for waiting in self._waiting.values():
                self._take_back(asker, waiting)
            self._leave(asker, self._workers)
        self._wake.send(b"\0")

    def _leave(self, asker: Hashable, workers: Iterable[Worker]) -> None:
        """Cancel what these workers do for `asker` alone."""
        for worker in workers:
            if worker.job and asker in (askers := self._askers.get(worker.job.key, set())):
                askers.discard(asker)
                worker.cancelled = not askers

    def _take_back(self, asker: Hashable, waiting: OrderedDict[Hashable, Job]) -> None:
        """Remove the job that waits for `asker`; other askers of it ask again."""
        if (job := waiting.pop(asker, None)) is not None:
            self._askers.pop(job.key, None)

    def end(self) -> None:
        """Kill all processes, when the server ends."""
        with self._changed:
            self._ended = True
        self._wake.send(b"\0")
        if self._thread is not None:
            self._thread.join()

    def _note(self, job: Job, answer: Answer, size: int = 0) -> None:
        self._askers.pop(job.key, None)
        self._answers[job.key] = answer, size
        self._bytes += size
        while len(self._answers) > KEPT or (self._bytes > KEPT_BYTES and len(self._answers) > 1):
            self._forget(next(iter(self._answers)))
        self._changed.notify_all()
        for listener in self._listeners:
            try:
                listener()
            except Exception:  # of the listener, and no reason to serve nobody any more
                _log.exception("a listener failed")

    def _forget(self, key: bytes) -> Answer:
        answer, size = self._answers.pop(key)
        self._bytes -= size
        return answer

    def _run(self) -> None:
        while not self._ended:
            wait([self._woken, *(worker.connection for worker in self._workers)], self._pause())
            self._woken.setblocking(False)
            with suppress(BlockingIOError):  # all that has woken it, however often
                while self._woken.recv(4096):
                    pass
            with self._changed:
                for worker in [*self._workers]:
                    self._look_after(worker)
            for lane in LANES:
                self._hand_out(lane)  # takes the lock itself, but not while it forks
        for worker in [*self._workers]:
            self._kill(worker)
        self._template.end()
        self._wake.close()
        self._woken.close()

    def _pause(self) -> float | None:
        """Return seconds until a worker must be looked at unasked; None without workers."""
        now = monotonic()
        times = [now + POLL_SECONDS if w.job else w.since + _patience(w) for w in self._workers]
        if self._waiting[SHORT] and now < self._rested:
            times.append(self._rested)
        return max(0.0, min(times) - now) if times else None

    def _look_after(self, worker: Worker) -> None:
        """Take what the worker has sent, or end it: broken, cancelled, past its deadline, or without work."""
        now = monotonic()
        try:
            if worker.connection.poll():
                self._take(worker, worker.connection.recv_bytes())
        except (EOFError, OSError):
            self._drop(worker, BROKEN)
        else:
            if worker.job and worker.cancelled:
                self._askers.pop(worker.job.key, None)
                self._kill(worker)
            elif worker.job and worker.is_over():
                self._drop(worker, TOO_LONG)
            elif not worker.job and (worker.lane.alone or worker.since + _patience(worker) <= now):
                self._kill(worker)

    def _take(self, worker: Worker, data: bytes) -> None:
        """Take a report of the worker's job, or its end: (True, result) or (False, why there is none)."""
        message = ForkingPickler.loads(data)  # of our own process, as `recv` does
        if isinstance(message, Report):
            worker.report = message
            return
        done, value = message
        self._note(worker.job, Answer(value) if done else Answer(why=f"{BROKEN}: {value}"), len(data))
        if worker.lane.rests:
            spent = work_of(worker.process) - (worker.seconds - worker.job.seconds)
            self._rested = monotonic() + min(LONGEST_REST, spent * self._rest())
        worker.job, worker.since = None, monotonic()

    def _drop(self, worker: Worker, why: str) -> None:
        if worker.job:
            _log.warning("a worker's job ended: %s (%s)", why, worker.job.function.__name__)
            self._note(worker.job, Answer(why=why))
        self._kill(worker)

    def _kill(self, worker: Worker) -> None:
        self._workers.remove(worker)
        worker.connection.close()
        with suppress(ProcessLookupError):
            os.kill(worker.process, signal.SIGKILL)

    def _hand_out(self, lane: Lane) -> None:
        waiting = self._waiting[lane]
        while not lane.rests or self._rested <= monotonic():
            with self._changed:
                ours = [worker for worker in self._workers if worker.lane is lane]
                free = next((worker for worker in ours if worker.job is None), None)
                asker = self._next(lane, ours)
                if asker is None or (free is None and len(ours) >= self._most[lane]):
                    return
                niceness = NICE if lane.rests else waiting[asker].niceness
            try:
                free = free or self._fork(lane, niceness)
            except OSError:
                self._give_up(waiting)
                return
            with self._changed:
                asker = self._next(lane, ours)
                if asker is None:  # the last job was cancelled meanwhile
                    return
                free.begin(asker, waiting.pop(asker))
                self._note_turn(free.job)
            try:
                free.connection.send(free.job.message)
            except OSError:
                with self._changed:
                    self._drop(free, BROKEN)

    def _next(self, lane: Lane, workers: Iterable[Worker]) -> Hashable | None:
        """Return the asker whose job is next; None if none waits, or in a fair lane none that may have more.

        In a fair lane that is the origin whose last turn was longest ago.
        """
        waiting = self._waiting[lane]
        if not lane.fair:
            return next(reversed(waiting) if lane.newest_first else iter(waiting), None)
        busy = Counter(worker.job.origin for worker in workers if worker.job is not None)
        may = [asker for asker, job in waiting.items() if busy[job.origin] < self._most[lane] - 1]
        return min(may, key=lambda asker: self._served.get(waiting[asker].origin, 0.0), default=None)

    def _note_turn(self, job: Job) -> None:
        """Note that the origin of a job has had its turn."""
        if job.lane.fair:
            self._served[job.origin] = monotonic()
            self._served.move_to_end(job.origin)
            while len(self._served) > SERVED:
                self._served.popitem(last=False)

    def _give_up(self, waiting: OrderedDict[Hashable, Job]) -> None:
        """Answer all waiting jobs with failure, since no worker can be started."""
        _log.exception("no worker can be started")
        with self._changed:
            while waiting:
                self._note(waiting.popitem()[1], Answer(why=BROKEN))

    def _fork(self, lane: Lane, niceness: int) -> Worker:
        """Fork a worker; starts the template process, or restarts one that has ended.

        Raises:
          OSError: no worker can be started.
        """
        try:
            worker = Worker(*self._template.fork(niceness), lane)
        except OSError:
            worker = Worker(*self._template.fork(niceness), lane)
        self._workers.append(worker)
        return worker


def _patience(worker: Worker) -> float:
    """Return the seconds without a job after which a worker ends."""
    grown = worker.grown
    if worker.lane is STRANGE and grown > GROWTH_OF_STRANGE:
        return 0.0
    return SOON if grown > GROWTH else IDLE
