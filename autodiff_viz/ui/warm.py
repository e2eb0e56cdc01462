"""What the server does once: have the catalog compiled beside it, rehearse what a newcomer does first, and
tame the garbage collector.

The catalog is compiled by a worker process into a directory from which the server and all workers load an op
when somebody uses it; the next start of the same version finds it there. The lessons' claims are checked by
another one once the server is warm.

Streamlit collects garbage after every rerun; with JAX and Plotly loaded, one full collection walks some
hundred thousand objects. `gc.freeze()` moves all that is loaded out of its way, and `postScriptGC = false`
in `.streamlit/config.toml` leaves collection to Python's own schedule, which is made a slower one: a run of a
page makes thousands of objects, most of which are gone at its end. `make bench` measures all three.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from autodiff_viz.engine.compiled import is_filled, load_from
from autodiff_viz.figures.catalog import FIGURES
from autodiff_viz.graph.identity import identity
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.ui.work import are_apart, check_job, kept, proved, this_version, workers
from autodiff_viz.views.rehearsal import fill, rehearse
from autodiff_viz.workers.jobs import Answer, Job

SWITCHED_OFF = "AUTODIFF_VIZ_WARM_UP"  # set to "off", nothing is compiled ahead: for tests on a busy machine
FIRST_VISITOR = 3.0  # seconds; a visitor who starts the warm-up gets a page before it takes the processor
WARM, WARMING, FAILED = "warm", "warming up", "failed"  # states of the server
FILLING = 120.0  # seconds of work that compiling the catalog may take
SOON = 5  # niceness of what the server's readiness waits for
LOOK = 0.5  # seconds between two looks whether the server is to end
COLLECTED = 20_000  # objects more than there were, after which Python looks for rings that nobody holds
SWITCH_INTERVAL = 0.001  # seconds; a long Python loop of one visitor then holds up the others less

_done = threading.Event()  # the warm-up has come to its end


@asynccontextmanager
async def awake(app: st.App) -> AsyncIterator[None]:
    """The server's life: it warms up as it starts, before anybody comes."""
    ready()
    yield


@cache
def ready() -> threading.Thread:
    """Start the warm-up, once per server; visitors need not wait for it."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.set_threshold(COLLECTED, *gc.get_threshold()[1:])
    load_from(kept())
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
    """The state that the server is in: WARM, WARMING or FAILED."""
    going_on = ready().is_alive()  # asked first: it may end in between
    return WARM if _done.is_set() else WARMING if going_on else FAILED


def _end(thread: threading.Thread, stop: threading.Event) -> None:
    """Let the op that is being compiled finish: Python must not go away under XLA."""
    stop.set()
    if thread.ident is not None:
        thread.join()


def _warm_and_freeze(stop: threading.Event, wait: float) -> None:
    gc.collect()
    gc.freeze()
    stop.wait(wait)
    have_compiled(stop)
    have_rehearsed(stop)
    gc.collect()
    gc.freeze()
    _done.set()
    check_lessons(stop)


def have_compiled(stop: threading.Event) -> None:
    """Have the catalog compiled by a worker, where that is not done yet."""
    if are_apart() and not is_filled(kept()):
        name = identity(("fill", this_version()))
        _answer(Job(name, fill, (str(kept()),), FILLING, long=True, niceness=SOON), stop)


def have_rehearsed(stop: threading.Event) -> None:
    """Work out what a newcomer sees, a first toggle, a first drag and their checks: slow only once."""
    for view in rehearse():
        _answer(check_job(view), stop)
        for figure in FIGURES.values():
            figure.build(view.trace, None)


def _answer(job: Job, stop: threading.Event) -> Answer | None:
    """What a worker makes of a job, unless the server ends before."""
    workers().ask("warm-up", job)
    answer = None
    while answer is None and not stop.is_set():
        answer = workers().answer(job.key, LOOK)
    return answer


def check_lessons(stop: threading.Event) -> None:
    """Ask for what the lessons claim, the first lesson first; visitors' own questions come before it."""
    for lesson in reversed(LESSONS):
        if not stop.is_set():
            proved(lesson)
