"""Send code to worker processes to be read: they are ended if it takes too much of processor or memory.

A visitor's texts take one worker at a time, and all visitors of one address together never take all of them.
A text is read once for all who need it; what was read comes into `lab.code.READINGS`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cache
from threading import Condition
from typing import TypeVar

from autodiff_viz.graph.problem import Problem
from autodiff_viz.lab.code import (
    COMPUTES,
    INTERRUPTED,
    NO_ROOM,
    READINGS,
    READS,
    TOO_MUCH,
    BeingRead,
    read_bounded,
    unread,
)
from autodiff_viz.reading.reading import Reading
from autodiff_viz.ui.scheduling import without_turn
from autodiff_viz.ui.worker_jobs import are_apart, kept, note_request, workers
from autodiff_viz.workers.disk_cache import note_begun, note_done, was_interrupted
from autodiff_viz.workers.jobs import BROKEN, DROPPED, STRANGE, TOO_LONG, Answer, job_of

R = TypeVar("R")

READING = "reading"
NICE = 5  # niceness: after the server, which all wait for, and before what nobody looks at yet
SECONDS = READS.seconds + COMPUTES.seconds + 1.0  # the worker ends itself before
OPENING = 30.0  # seconds that a page which is opened waits for its code
TEXTS = 3  # codes of an address: its graph's, that of what it is compared with, and a draft

_log = logging.getLogger(__name__)
_under_way: dict[bytes, str] = {}
_came = Condition()


@cache
def begin() -> None:
    """Have code read apart from now on, where jobs are done in other processes."""
    if are_apart():
        READINGS.apart = True
        workers().listen(_collect)


def ask(text: str, asker: str, origin: Hashable) -> bytes:
    """Request the reading of a text in a visitor's name; return the key of its job."""
    job = job_of(read_bounded, text, seconds=SECONDS, lane=STRANGE)
    job = replace(job, origin=origin, niceness=NICE)
    if job.key not in _under_way:
        if was_interrupted(kept(), job.key):
            # Once: whoever asks again wants it.
            note_done(kept(), job.key)
            READINGS.keep(text, unread(INTERRUPTED))
            return job.key
        note_begun(kept(), job.key)
    workers().ask((asker, READING), job)
    note_request(asker, READING, workers().cancel)
    _under_way[job.key] = text
    workers().at_once(_collect)  # what has come before it was noted
    return job.key


def is_under_way(key: bytes) -> bool:
    """Return whether a text is still to be read."""
    return key in _under_way


def stop(asker: str) -> None:
    """Stop what is read for this visitor alone."""
    workers().cancel((asker, READING))
    workers().at_once(_collect)


def with_code(make: Callable[[], R], asker: str, origin: Hashable) -> R:
    """Call `make` until all code that it needs has been read; the thread waits without its turn.

    It must hold no lock. Code that does not come in time is refused.
    """
    for _ in range(TEXTS):
        try:
            return make()
        except BeingRead as waits:
            key = ask(waits.text, asker, origin)
            with without_turn(), _came:
                _came.wait_for(lambda key=key: key not in _under_way, OPENING)
            if READINGS.known(waits.text) is None:
                READINGS.keep(waits.text, unread(NO_ROOM))
    return make()


def _collect() -> None:
    """Keep the readings that have come; a text that nobody waits for any more is forgotten.

    While no answer comes: else another thread could forget a text whose answer this one has just taken.
    """
    for key, text in [*_under_way.items()]:
        answer = workers().take(key)
        if answer is None and workers().is_under_way(key):
            continue
        if answer is not None:
            READINGS.keep(text, _reading(answer))
        _under_way.pop(key, None)
        note_done(kept(), key)
        with _came:
            _came.notify_all()


def _reading(answer: Answer) -> Reading:
    if not answer.why:
        return answer.value
    if answer.why == DROPPED:
        return unread(NO_ROOM)
    # It has ended itself, in the middle of anything; what a reader raises comes with its name.
    if answer.why in (BROKEN, TOO_LONG) or "MemoryError" in answer.why:
        return unread(TOO_MUCH)
    _log.error("a text could not be read: %s", answer.why)
    return unread(FAULT)


FAULT = Problem("reader-fault", "This code makes the reader fail: the fault is ours.", "Leave lines out.")
