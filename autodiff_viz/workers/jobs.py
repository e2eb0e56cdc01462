"""Describe jobs and answers: the records that the server and its worker processes exchange."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from autodiff_viz.graph.identity import identity

SECONDS = 10.0  # of CPU time that a job may take
NICE = 17  # niceness of workers: the server, which visitors wait for, comes first
TOO_LONG, BROKEN, DROPPED = "too long", "broken", "dropped"
"""Reasons why a job has no answer."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Lane:
    """A kind of jobs, which has workers of its own and so waits for no other kind.

    Attributes:
      name: of the kind.
      alone: whether each job has a process of its own, which ends with it and so frees its memory.
      newest_first: whether the job requested last is served first (LIFO), else the first (FIFO).
      fair: whether origins take turns, and none of them has all workers.
      rests: whether a worker pauses after a job while the server is busy.
    """

    name: str
    alone: bool = False
    newest_first: bool = False
    fair: bool = False
    rests: bool = False


SHORT = Lane("short", rests=True)
"""Jobs of moments."""

LONG = Lane("long", alone=True, newest_first=True)
"""Jobs that may take more than moments, or much memory: one at a time."""

STRANGE = Lane("strange", fair=True)
"""Jobs that read or compute what somebody sent who need not have a page open."""

LANES = (SHORT, LONG, STRANGE)


@dataclass(frozen=True, slots=True)
class Job:
    """A call of a pure function, to be run in a worker process.

    Attributes:
      key: identity of all that the answer depends on, including the function.
      function: a function at the top level of a module.
      arguments: plain data, which can be pickled.
      seconds: CPU time after which the worker is killed.
      lane: which workers it is for.
      niceness: of the process of a job that has one of its own, or of a strange one.
      origin: where the job comes from, such as an address; whose turn it is in a fair lane.
    """

    key: bytes
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    seconds: float = SECONDS
    lane: Lane = SHORT
    niceness: int = NICE
    origin: Hashable = None

    @property
    def message(self) -> tuple[str, str, tuple[Any, ...]]:
        """(module, function, arguments), in the form in which a worker receives it."""
        return self.function.__module__, self.function.__qualname__, self.arguments


def job_of(
    function: Callable[..., Any],
    *arguments: Any,
    reads: tuple[Any, ...] | None = None,
    seconds: float = SECONDS,
    lane: Lane = SHORT,
) -> Job:
    """Return the job of a call, with the function and all its arguments as the key.

    Args:
      reads: what the answer depends on, if that is less than the arguments.
      seconds, lane: of the job.
    """
    key = (function.__module__, function.__qualname__, arguments if reads is None else reads)
    return Job(identity(key), function, arguments, seconds, lane)


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a job: its `value`, or the reason `why` there is none."""

    value: Any = None
    why: str = ""


def done_here(job: Job) -> Answer:
    """Run a job in this process and return its answer."""
    try:
        return Answer(job.function(*job.arguments))
    except Exception as error:
        _log.exception("a job broke")
        return Answer(why=f"{BROKEN}: {type(error).__name__}")


# Report the progress of a running job: a job calls `report`; the pool keeps each job's newest report.


PERIOD = 0.1  # seconds between two reports that are sent; those between are dropped


@dataclass(frozen=True, slots=True)
class Report:
    """How far a job is: `done` of `whole`, counted in `unit`, a plural noun; "" for a mere share."""

    done: int
    whole: int
    unit: str = ""

    @property
    def words(self) -> str:
        """Such as "300 of 1,000 draws" or "30 %"."""
        if self.unit:
            return f"{self.done:,} of {self.whole:,} {self.unit}"
        return f"{100 * self.done // max(1, self.whole)} %"


class _Sender:
    """Where this process sends its reports: nowhere, except in a worker."""

    send: Callable[[Report], object] | None = None
    last = 0.0
    part, parts = 0, 1


def send_reports(send: Callable[[Report], object]) -> None:
    """Send the reports of all jobs of this process from now on."""
    _Sender.send = send


def report(done: int, whole: int, unit: str = "") -> None:
    """Report how far the job is that calls this; without effect where no worker runs it."""
    now = monotonic()
    if _Sender.send is not None and now - _Sender.last >= PERIOD:
        _Sender.last = now
        _Sender.send(Report(_Sender.part * whole + done, _Sender.parts * whole, unit))


@contextmanager
def as_part(part: int, parts: int) -> Iterator[None]:
    """Count what is reported inside as one of several equal parts of the job; `part` counts from 0."""
    before = _Sender.part, _Sender.parts
    _Sender.part, _Sender.parts = part, parts
    try:
        yield
    finally:
        _Sender.part, _Sender.parts = before
