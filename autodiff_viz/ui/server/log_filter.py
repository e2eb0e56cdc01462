"""Cut queries, which hold visitors' graphs, from the server's log.

Uvicorn logs each request with its query.
"""

from __future__ import annotations

import logging

LOGS = ("uvicorn.access", "uvicorn.error")  # of requests, and of websockets that were accepted or refused


def without_query(record: logging.LogRecord) -> bool:
    """Cut the query from each argument of a record that is an address; a logging filter that passes all."""
    if isinstance(record.args, tuple):
        record.args = tuple(_cut(argument) for argument in record.args)
    return True


def _cut(argument: object) -> object:
    is_address = isinstance(argument, str) and argument.startswith("/")
    return argument.partition("?")[0] if is_address else argument


def hide_queries() -> None:
    """Filter the logs of requests; to be called once they are configured, before the first request."""
    for name in LOGS:
        logging.getLogger(name).addFilter(without_query)  # does nothing when it is there already
