"""Request jobs of the page from worker processes; their answers are shown when they have come."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import Protocol

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from autodiff_viz.engine.compilation_cache import LIBRARIES, variables
from autodiff_viz.explain.verification.view import verification
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lessons.lesson import Lesson
from autodiff_viz.lessons.proof import prove, read_proof
from autodiff_viz.standalone.posters import kept_poster, make_poster
from autodiff_viz.ui import scheduling
from autodiff_viz.ui.gc_tuning import note_departure
from autodiff_viz.workers.disk_cache import directory, read, version
from autodiff_viz.workers.jobs import LONG, Answer, Job, Report, done_here, job_of
from autodiff_viz.workers.pool import Pool

# Cancel the jobs that only one visitor has requested, when that visitor's page has ended. Streamlit
# releases what it caches for a session when the session's connection closes. A reload closes it too, and
# so does a bad connection. Jobs therefore go on for a while, in which a page can request them again.


AWAY = 10.0  # seconds after the connection has closed; a page that waits requests its jobs more often

Cancel = Callable[[tuple[str, str]], None]

_requested: dict[str, dict[str, float]] = {}
"""By visitor and kind of job, when an answer was last missing, in seconds of `monotonic`."""


def note_visit(name: str, cancel: Cancel) -> None:
    """Note in a run of Streamlit that the page of the visitor `name` is open.

    After the visitor has gone, the jobs that are noted from now on are ended with `cancel`, whichever
    connection has requested them.
    """
    if get_script_run_ctx(suppress_warning=True) is not None:
        _requested.setdefault(_visit(name, cancel)[0], {})


def note_request(name: str, kind: str, cancel: Cancel) -> None:
    """Note that the visitor `name` waits for a job."""
    note_visit(name, cancel)
    if name in _requested:
        _requested[name][kind] = monotonic()


def _left(visit: tuple[str, Cancel]) -> None:
    timer = Timer(AWAY, _end, (*visit, monotonic()))
    timer.daemon = True
    timer.start()


@st.cache_resource(scope="session", on_release=_left, show_spinner=False)
def _visit(name: str, _cancel: Cancel) -> tuple[str, Cancel]:
    """Return its arguments; Streamlit gives them to `_left` when the connection has closed."""
    return name, _cancel


def _end(name: str, cancel: Cancel, since: float) -> None:
    """Cancel what has not been requested again `since` the visitor left."""
    note_departure()
    kinds = _requested.get(name, {})
    for kind in [kind for kind, time in [*kinds.items()] if time <= since]:  # a page may add to them
        del kinds[kind]
        cancel((name, kind))
    if not kinds:
        _requested.pop(name, None)


WORKERS = "AUTODIFF_VIZ_WORKERS"  # number of worker processes; "off": jobs are done in the server itself
LOADED = ("autodiff_viz.lab.rehearsal", "autodiff_viz.lessons.evaluate")
CHECK, PROOF, POSTER, CURVES = "check", "proof", "poster", "split_curves"
HERE = 16  # answers that a host without workers keeps
LAST = 19  # niceness of jobs whose answer is needed later
PROVING = 120.0  # processor seconds that checking a lesson's claims may take: some train networks


class Answers(Protocol):
    """Interface of `Pool`, in other processes or in this one."""

    def ask(self, asker: object, job: Job) -> None: ...

    def answer(self, key: bytes, patience: float = 0.0) -> Answer | None: ...

    def report(self, key: bytes) -> Report | None: ...

    def cancel(self, asker: object) -> None: ...

    def take(self, key: bytes) -> Answer | None: ...

    def is_under_way(self, key: bytes) -> bool: ...

    def at_once(self, act: Callable[[], object]) -> None: ...

    def listen(self, listener: Callable[[], object]) -> None: ...


class _Here:
    """Jobs done synchronously, for a host that cannot fork."""

    def __init__(self) -> None:
        self._answers: dict[bytes, Answer] = {}

    def ask(self, asker: object, job: Job) -> None:
        if job.key not in self._answers:
            newest = dict([*self._answers.items()][1 - HERE :])
            self._answers = {**newest, job.key: done_here(job)}

    def answer(self, key: bytes, patience: float = 0.0) -> Answer | None:
        return self._answers.get(key)

    def report(self, key: bytes) -> Report | None:
        """Return None, since no job is ever under way."""

    def cancel(self, asker: object) -> None:
        """Do nothing, since no job is ever under way."""

    def take(self, key: bytes) -> Answer | None:
        """Return an answer, and forget it."""
        return self._answers.pop(key, None)

    def is_under_way(self, key: bytes) -> bool:
        """Return False, since no job is ever under way."""
        return False

    def at_once(self, act: Callable[[], object]) -> None:
        """Call a function."""
        act()

    def listen(self, listener: Callable[[], object]) -> None:
        """Do nothing, since no answer ever comes later."""


@cache
def this_version() -> str:
    """Return a name of the version that this server runs, different for all other versions."""
    return version(LIBRARIES)


@cache
def kept() -> Path | None:
    """Return the directory of the persistent cache of this version, if there is one."""
    return directory(this_version())


@cache
def workers() -> Answers:
    """Return the server's workers, which the first call starts."""
    wanted = os.environ.get(WORKERS, "1")
    if wanted == "off" or not hasattr(os, "fork"):
        return _Here()
    pool = Pool(LOADED, int(wanted), variables(kept()), scheduling.rest)
    atexit.register(pool.end)
    return pool


def are_apart() -> bool:
    """Return whether jobs are done in other processes."""
    return isinstance(workers(), Pool)


def check_job(view: LabView) -> Job | None:
    """Return the job that checks the numbers on view independently; None if some of them are missing.

    While forward mode is on, it checks the tangents too.
    """
    if not view.complete:
        return None
    trace, moving = view.trace, view.tangents
    direction = () if moving is None else (tuple(sorted(moving.direction.items())),)
    return job_of(verification, trace, moving, reads=(trace, *direction))


def is_large(view: LabView) -> bool:
    """Return whether the check waits until the user requests it."""
    return view.trace is not None and len(view.trace.graph.nodes) > VERIFIED_AT_ONCE


def asked(name: str, kind: str, job: Job) -> Answer | None:
    """Return the answer to a job, requested in the visitor's `name`; None while it waits or runs."""
    answer = workers().answer(job.key)
    if answer is None:
        workers().ask((name, kind), job)
        note_request(name, kind, workers().cancel)
        # A host without workers has done it meanwhile.
        answer = workers().answer(job.key)
    return answer


def known(job: Job) -> Answer | None:
    """Return the answer to a job if there is one, without a request."""
    return workers().answer(job.key)


def check_told(view: LabView) -> bool:
    """Return whether the check of the state on view has an answer."""
    job = check_job(view)
    return job is not None and workers().answer(job.key) is not None


_proved: dict[str, Answer] = {}


def proved(lesson: Lesson) -> Answer | None:
    """Return the checked claims of a lesson as a `Proof`; None while they are checked.

    A result is shared by all visitors and kept over a restart. Of several requests, the newest is served
    first.
    """
    if lesson.key in _proved:
        return _proved[lesson.key]
    name, place = _proof_name(lesson), kept()
    try:
        answer = Answer(read_proof(read(place, name), lesson))
    except ValueError:  # it does not exist, or its file has been changed
        arguments = (lesson.key, place and str(place), name)
        job = Job(name, prove, arguments, PROVING, lane=LONG, niceness=LAST)
        workers().ask((PROOF, lesson.key), job)
        answer = workers().answer(name)
        if answer is not None and not answer.why:
            answer = Answer(read_proof(answer.value, lesson))
    if answer and not answer.why:
        _proved[lesson.key] = answer
    return answer


_posters: dict[str, str] = {}


def poster(lesson: Lesson) -> str | None:
    """Return the figure of a lesson that a full server shows; None while it is made.

    It is shared by all visitors and kept over a restart. A host without workers has none.
    """
    if lesson.key in _posters:
        return _posters[lesson.key]
    name, place = identity((POSTER, this_version(), lesson)), kept()
    text = kept_poster(lesson.key) or read(place, name)
    if text is None and are_apart():
        arguments = (lesson.key, place and str(place), name)
        workers().ask(
            (POSTER, lesson.key), Job(name, make_poster, arguments, PROVING, lane=LONG, niceness=LAST)
        )
        answer = workers().answer(name)
        text = answer.value if answer is not None else None
    if text is not None:
        _posters[lesson.key] = text
    return text


def proving(lesson: Lesson) -> Report | None:
    """Return how far the check of a lesson's claims is; None while it waits."""
    return workers().report(_proof_name(lesson))


def _proof_name(lesson: Lesson) -> bytes:
    return identity((PROOF, this_version(), lesson))
