"""Cancel the jobs that only one visitor has requested, when that visitor's page has ended.

Streamlit releases what it caches for a session when the session's connection closes. A reload closes it too,
and so does a bad connection. Jobs therefore go on for a while, in which a page can request them again.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Timer
from time import monotonic

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from autodiff_viz.ui.garbage import note_departure

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
