"""What the page has worked out beside it, in worker processes: the answers are shown when they have come."""

from __future__ import annotations

import atexit
import os
from functools import cache
from typing import Protocol

from autodiff_viz.graph.identity import identity
from autodiff_viz.views.compose import VERIFIED_AT_ONCE, LabView, verification
from autodiff_viz.workers.pool import Answer, Job, Pool, done_here

WORKERS = "AUTODIFF_VIZ_WORKERS"  # how many; "off": jobs are done in the server itself
LOADED = ("autodiff_viz.views.compose",)
CHECK = "check"


class Answers(Protocol):
    """What `Pool` does, in other processes or in this one."""

    def ask(self, asker: object, job: Job) -> None: ...

    def answer(self, key: bytes, patience: float = 0.0) -> Answer | None: ...


class _Here:
    """Jobs done at once, for a host that cannot fork."""

    def __init__(self) -> None:
        self._last: tuple[bytes, Answer] | None = None

    def ask(self, asker: object, job: Job) -> None:
        if self.answer(job.key) is None:
            self._last = job.key, done_here(job)

    def answer(self, key: bytes, patience: float = 0.0) -> Answer | None:
        return self._last[1] if self._last and self._last[0] == key else None


@cache
def workers() -> Answers:
    """The server's workers. The first who asks starts them."""
    wanted = os.environ.get(WORKERS, "1")
    if wanted == "off" or not hasattr(os, "fork"):
        return _Here()
    pool = Pool(LOADED, int(wanted))
    atexit.register(pool.end)
    return pool


def check_job(view: LabView) -> Job | None:
    """The independent check of the numbers on view; None where there are not all of them."""
    if not view.complete:
        return None
    return Job(identity((CHECK, view.trace.identity)), verification, (view.trace,))


def is_large(view: LabView) -> bool:
    """Whether the check waits until the user asks for it."""
    return view.trace is not None and len(view.trace.graph.nodes) > VERIFIED_AT_ONCE


def asked(name: str, kind: str, job: Job) -> Answer | None:
    """The answer to a job, which is asked for in the visitor's `name`; None while it waits or runs."""
    found = workers().answer(job.key)
    if found is None:
        workers().ask((name, kind), job)
        found = workers().answer(job.key)
    return found


def check_told(view: LabView) -> bool:
    """Whether there is an answer to the check of what is on view."""
    job = check_job(view)
    return job is not None and workers().answer(job.key) is not None
