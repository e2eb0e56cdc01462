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

import streamlit as st

from autodiff_viz.engine.warm import warm

SWITCHED_OFF = "AUTODIFF_VIZ_WARM_UP"  # set to "off", nothing is compiled ahead: for tests on a busy machine
FIRST_VISITOR = 3.0  # seconds; the visitor who starts the warm-up gets a page before it takes the processor
SWITCH_INTERVAL = 0.001  # seconds; a long Python loop of one visitor then holds up the others less


@st.cache_resource(show_spinner=False)
def ready() -> threading.Thread:
    """Start the warm-up, once per server; visitors need not wait for it."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    stop = threading.Event()
    thread = threading.Thread(target=_warm_and_freeze, args=(stop,), name="warm-up", daemon=True)
    atexit.register(_end, thread, stop)
    if os.environ.get(SWITCHED_OFF) != "off":
        thread.start()
    return thread


def _end(thread: threading.Thread, stop: threading.Event) -> None:
    """Let the op that is being compiled finish: Python must not go away under XLA."""
    stop.set()
    if thread.ident is not None:
        thread.join()


def _warm_and_freeze(stop: threading.Event) -> None:
    gc.collect()
    gc.freeze()
    stop.wait(FIRST_VISITOR)
    warm(stop.is_set)
    gc.collect()
    gc.freeze()
