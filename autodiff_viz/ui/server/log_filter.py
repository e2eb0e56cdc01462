"""Cut queries, which hold visitors' graphs, from the server's log, and what it would say again.

Uvicorn logs each request with its query, and under `uvicorn app:app` Streamlit writes that once more. A
visitor can make one fault of the program happen a thousand times.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock
from time import monotonic

LOGS = ("uvicorn.access", "uvicorn.error")  # of requests, and of websockets that were accepted or refused
FAULTS = ("autodiff_viz.lab.edits.apply", "autodiff_viz.ui.session", "autodiff_viz.reading.reading")
"""Logs of the faults that edits, callbacks and code of visitors meet."""

SECONDS = 60.0  # in which one fault is logged once


def without_query(record: logging.LogRecord) -> bool:
    """Cut the query from each argument of a record that is an address; a logging filter that passes all."""
    if isinstance(record.args, tuple):
        record.args = tuple(
            arg.partition("?")[0] if isinstance(arg, str) and arg.startswith("/") else arg
            for arg in record.args
        )
    return True


class Seldom:
    """Filter of a log that passes each fault once in `SECONDS`, and then says how many it has left out.

    Faults are the same if they have the same message and the same type of error.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._last: dict[tuple[str, type | None], tuple[float, int]] = {}

    def __call__(self, record: logging.LogRecord) -> bool:
        """Return whether the record is logged."""
        fault = (str(record.msg), record.exc_info[0] if record.exc_info else None)
        with self._lock:
            at, left_out = self._last.get(fault, (-SECONDS, 0))
            if self._clock() - at < SECONDS:
                self._last[fault] = at, left_out + 1
                return False
            self._last[fault] = self._clock(), 0
        if left_out:
            record.msg = f"{record.msg} ({left_out} more like it since the last one)"
        return True


_seldom = Seldom()


def filter_logs() -> None:
    """Filter the logs; to be called once those of requests are configured, before the first request."""
    for name in LOGS:
        log = logging.getLogger(name)
        log.addFilter(without_query)  # does nothing when it is there already
        own = getattr(log, "streamlit_console_handler", None)  # streamlit/logger.py
        if own is not None and len(log.handlers) > 1:
            log.removeHandler(own)
    for name in FAULTS:
        logging.getLogger(name).addFilter(_seldom)
