"""What the server does once: compile the catalog in the background, and tame the garbage collector.

Streamlit collects garbage after every rerun; with JAX and Plotly loaded, one full collection walks some
hundred thousand objects. `gc.freeze()` moves all that is loaded out of its way, and `postScriptGC = false`
in `.streamlit/config.toml` leaves collection to Python's own schedule. `make bench` measures both.
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
from streamlit.dataframe_util import determine_data_format
from streamlit.runtime.scriptrunner import get_script_run_ctx

from autodiff_viz.engine.warm import warm
from autodiff_viz.figures.catalog import FIGURES
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.ui.work import check_job, workers
from autodiff_viz.views.actions import set_rule
from autodiff_viz.views.compose import lab_view
from autodiff_viz.views.lab import start
from autodiff_viz.views.lessons import card

SWITCHED_OFF = "AUTODIFF_VIZ_WARM_UP"  # set to "off", nothing is compiled ahead: for tests on a busy machine
FIRST_VISITOR = 3.0  # seconds; a visitor who starts the warm-up gets a page before it takes the processor
WARM, WARMING, FAILED = "warm", "warming up", "failed"  # states of the server
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
    determine_data_format(())  # loads pandas, which the thread's Plotly must not meet half loaded
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
    rehearse()
    warm(stop.is_set)
    check_lessons(stop)
    gc.collect()
    gc.freeze()
    _done.set()


def check_lessons(stop: threading.Event) -> None:
    """Evaluate what the lessons claim; some train a network for it."""
    for lesson in LESSONS:
        if not stop.is_set():
            card(lesson)


def rehearse() -> None:
    """Work out what a newcomer sees and what a first toggle shows, for all that is slow only once."""
    for lab in (start(), set_rule(start(), "b", "stop")):
        view = lab_view(lab)
        workers().ask(("warm-up", lab), check_job(view))
        for figure in FIGURES.values():
            figure.build(view.trace, None)
