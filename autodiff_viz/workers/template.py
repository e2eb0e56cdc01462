"""The process that workers are forked from: it loads JAX once, and a new worker is there in milliseconds.

`multiprocessing`'s own fork server would first run the program's main module again, which under `streamlit
run` is now Streamlit, now the page. This one runs nothing but what it is told to load, with `python -m
autodiff_viz.workers.template FD MODULE ...`. It has one thread and starts no JAX backend: forking is safe.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import warnings
from importlib import import_module
from multiprocessing.connection import Connection
from typing import NoReturn


def main(control: socket.socket, modules: list[str]) -> None:
    """Load `modules`, then fork a worker for each socket that comes with the worker's niceness; end when the
    other side has gone."""
    for module in modules:
        import_module(module)
    gc.collect()
    gc.freeze()  # a collection in a worker would write to, and so copy, pages that it shares
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nothing is left of a worker that has ended
    control.send(b"\0")
    while True:
        niceness, passed, _, _ = socket.recv_fds(control, 1, 1)
        if not niceness:
            return
        control.sendall(_fork(passed[0], niceness[0], control).to_bytes(4, "big"))
        os.close(passed[0])


def _fork(descriptor: int, niceness: int, control: socket.socket) -> int:
    """The id of a new worker that answers on `descriptor`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # JAX warns of its threads: there are none yet
        worker = os.fork()
    if worker == 0:
        control.close()
        os.nice(niceness)
        _work(Connection(descriptor))
    return worker


def _work(connection: Connection) -> NoReturn:
    """Answer jobs until the other side has gone. A job is (module, function, arguments)."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl + C in the terminal is the server's
    try:
        while True:
            module, function, arguments = connection.recv()
            connection.send(_answer(module, function, arguments))
    except (EOFError, OSError):
        os._exit(0)
    finally:
        os._exit(1)


def _answer(module: str, function: str, arguments: tuple) -> tuple[bool, object]:
    """(True, result) or (False, the mistake in words)."""
    try:
        return True, getattr(import_module(module), function)(*arguments)
    except Exception as error:  # a job's mistake is its own: the worker goes on
        return False, f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
