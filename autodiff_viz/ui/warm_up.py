"""Warm up the server: compile the catalog, rehearse a first visit, then exempt all that is loaded
from garbage collection.

A worker process compiles the catalog into the persistent compilation cache, from which the server and all
workers load an op on first use; the next start of the same version finds it there. Once the server is warm,
workers check the lessons' claims while nobody acts.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from autodiff_viz.engine.compilation_cache import is_filled, load_from
from autodiff_viz.graph import own_limits
from autodiff_viz.graph.identity import identity
from autodiff_viz.lab.rehearsal import fill, rehearse
from autodiff_viz.lessons.gallery import SERVED
from autodiff_viz.ui import code_reading, gc_tuning
from autodiff_viz.ui.bundle import script
from autodiff_viz.ui.idle import quiet_moments
from autodiff_viz.ui.server.caller import end_with_caller
from autodiff_viz.ui.server.compression import prepare
from autodiff_viz.ui.server.heartbeat import watched
from autodiff_viz.ui.server.log_filter import filter_logs
from autodiff_viz.ui.server.websocket import read_little_at_once
from autodiff_viz.ui.worker_jobs import are_apart, check_job, kept, poster, proved, this_version, workers
from autodiff_viz.workers.free_memory import FreeMemory
from autodiff_viz.workers.jobs import LONG, Answer, Job

SWITCHED_OFF = "AUTODIFF_VIZ_WARM_UP"  # set to "off", nothing is compiled ahead: for tests on a busy machine
FIRST_VISITOR = 3.0  # seconds; a visitor who starts the warm-up gets a page before it uses the processor
WARM, WARMING, FAILED = "warm", "warming up", "failed"  # states of the server
FILLING = 120.0  # processor seconds that compiling the catalog may take
SOON = 5  # niceness of the jobs that readiness waits for
POLL_SECONDS = 0.5  # seconds between two checks whether the server is to end

_done = threading.Event()  # set when the warm-up has ended


@asynccontextmanager
async def awake(app: st.App) -> AsyncIterator[None]:
    """Begin the warm-up when the server starts, before the first visitor; the server's lifespan handler."""
    own_limits.keep()
    end_with_caller()
    filter_logs()
    read_little_at_once()
    ready()
    async with watched():
        yield


@cache
def ready() -> threading.Thread:
    """Start the warm-up, once per server; visitors need not wait for it."""
    gc_tuning.tune()
    load_from(kept())
    code_reading.begin()
    stop = threading.Event()
    wait = FIRST_VISITOR if get_script_run_ctx(suppress_warning=True) else 0.0
    thread = threading.Thread(target=_warm_and_freeze, args=(stop, wait), name="warm-up", daemon=True)
    atexit.register(_end, thread, stop)
    if os.environ.get(SWITCHED_OFF) != "off":
        thread.start()
    else:
        _done.set()
    return thread


def warmth() -> str:
    """Return the state of the server: WARM, WARMING or FAILED."""
    going_on = ready().is_alive()  # asked first: it may end in between
    return WARM if _done.is_set() else WARMING if going_on else FAILED


def _end(thread: threading.Thread, stop: threading.Event) -> None:
    """Stop the warm-up after the op that is being compiled: Python must not exit during an XLA call."""
    stop.set()
    if thread.ident is not None:
        thread.join()


def _warm_and_freeze(stop: threading.Event, wait: float) -> None:
    gc_tuning.exempt()
    stop.wait(wait)
    have_compiled(stop)
    have_rehearsed(stop)
    gc_tuning.exempt()
    prepare(stop)
    _done.set()
    work_when_quiet(stop)


def have_compiled(stop: threading.Event) -> None:
    """Have a worker compile the catalog, unless that is done."""
    if are_apart() and not is_filled(kept()):
        name = identity(("fill", this_version()))
        _answer(Job(name, fill, (str(kept()),), FILLING, lane=LONG, niceness=SOON), stop)


def have_rehearsed(stop: threading.Event) -> None:
    """Compute a first view, a first toggle, their figures and checks, and the page's code, slow only once."""
    script()
    for view in rehearse():
        _answer(check_job(view), stop)


def _answer(job: Job, stop: threading.Event) -> Answer | None:
    """Return a worker's answer to a job; None if the server ends before."""
    workers().ask("warm-up", job)
    answer = None
    while answer is None and not stop.is_set():
        answer = workers().answer(job.key, POLL_SECONDS)
    return answer


def work_when_quiet(stop: threading.Event) -> None:
    """Have the claims of one more lesson checked whenever nobody acts, and collect garbage if that is due.

    The claims of a lesson that is opened are requested then, and precede these. The figures that a full
    server shows are made after them.
    """
    unchecked, unmade, memory = [*SERVED], [*SERVED], FreeMemory()
    for _ in quiet_moments(stop):
        while unchecked and proved(unchecked[0]) is not None and not stop.is_set():
            unchecked.pop(0)
        while not unchecked and unmade and poster(unmade[0]) is not None and not stop.is_set():
            unmade.pop(0)
        gc_tuning.collect_if_due()
        memory.release()
