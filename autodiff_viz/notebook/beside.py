"""Run what takes longer than an edit in a thread beside the messages of a notebook, one job at a time.

No edit waits for a job, and a job that is no longer asked for is ended, at the next step of Python. The
thread ends with its job: nothing runs while nothing is asked for.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock, Thread, get_ident
from time import monotonic, sleep

from autodiff_viz.workers.jobs import TOO_LONG, Answer, Job, done_here

SECONDS = 120.0  # until a job is given up
REMEMBERED = 24  # answers


class Beside:
    """A place for one job at a time."""

    def __init__(self) -> None:
        self._answers: dict[bytes, Answer] = {}
        self._run: _Run | None = None
        self._last: _Run | None = None  # which was ended, and may still be in a step that is not Python's

    @property
    def is_busy(self) -> bool:
        """Whether a job runs, or waits for one that is ending."""
        return self._run is not None

    def answer(self, job: Job | None) -> Answer | None:
        """Return the answer to a job; None without one."""
        self._look()
        return self._answers.get(job.key) if job else None

    def ask(self, jobs: Sequence[Job]) -> None:
        """Run the first of the jobs that has no answer, and end one that is not among them."""
        self.keep(jobs)
        unanswered = [job for job in jobs if job.key not in self._answers]
        if self._run is None and unanswered:
            self._run = _Run(unanswered[0])
        if self._run is not None and not (self._last and self._last.is_alive):
            self._run.begin()
        self._look()

    def keep(self, jobs: Sequence[Job]) -> None:
        """End the job that runs, unless it is one of these."""
        self._look()
        if self._run is not None and self._run.job.key not in [job.key for job in jobs]:
            self._end()

    def _end(self) -> None:
        run, self._run = self._run, None
        if run is not None and run.is_alive:
            run.end()
            self._last = run

    def _look(self) -> None:
        """Take the answer of the job that runs, if it has come or takes too long."""
        run = self._run
        if run is None or (run.answer is None and not run.is_late):
            return
        newest = [*self._answers.items()][1 - REMEMBERED :]
        self._answers = {**dict(newest), run.job.key: run.answer or Answer(why=TOO_LONG)}
        self._end()


class _Run:
    """A job and its thread.

    Attributes:
      answer: None until it has come.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.answer: Answer | None = None
        self._since: float | None = None
        self._turn = Lock()  # held where the next two change, so that no other code is ended
        self._works = self._is_ended = False
        self._thread = Thread(target=self._work, name="autodiff_viz", daemon=True)

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    @property
    def is_late(self) -> bool:
        return self._since is not None and monotonic() - self._since > SECONDS

    def begin(self) -> None:
        """Start the thread, unless it was started; where there are none, as in a browser, do the job now."""
        if self._since is not None:
            return
        self._since = monotonic()
        try:
            self._thread.start()
        except RuntimeError:
            self._work()

    def end(self) -> None:
        """Raise an exception in the job: it is a pure function, and so may end anywhere.

        Before the job and after it none is raised: a thread that begins or ends holds locks of Python's own,
        and once it has ended its number may be that of another.
        """
        with self._turn:
            if self._works and not self._is_ended:
                _raise_in(self._thread.ident)
            self._is_ended = True

    def _work(self) -> None:
        with suppress(SystemExit):
            with self._turn:
                self._works = not self._is_ended
            if self._works:
                self.answer = done_here(self.job)
            self._leave()
        self._leave()

    def _leave(self) -> None:
        """Let no exception come any more: one that is on its way, or a last one in its place, ends here.

        It is not taken back. Python would go on looking for it at every step of every thread, and one with a
        debugger or `sys.settrace` would stand still (seen with CPython 3.11).
        """
        with self._turn:
            self._works = False
        if self._is_ended:
            with suppress(SystemExit):
                _raise_in(get_ident())
                while True:
                    sleep(0)


def _raise_in(ident: int | None) -> None:
    """Raise SystemExit in a thread at its next step of Python, in place of one that is on its way."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident or 0), ctypes.py_object(SystemExit))
