"""End the server with the process that has started it.

That process holds one end of a pipe, whose other end is the server's standard input. However the process
ends, the system then closes its end, and a read returns.
"""

from __future__ import annotations

import os
import signal
import threading
import time

from autodiff_viz.lab.launch import ENDS_WITH_STDIN

IN_ORDER = 5.0  # seconds for websockets to close and answers to be sent


def end_with_caller() -> None:
    """Watch the pipe in a thread, where the environment says that there is one."""
    if os.environ.get(ENDS_WITH_STDIN) == "1":
        threading.Thread(target=_watch, args=(0,), name="caller", daemon=True).start()


def _watch(descriptor: int) -> None:
    """End the process once nobody holds the other end; nobody writes to it."""
    while os.read(descriptor, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(IN_ORDER)
    os._exit(1)
