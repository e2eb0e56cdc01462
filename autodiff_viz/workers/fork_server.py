"""Fork workers in milliseconds, from a template process that has loaded JAX once.

The forkserver of `multiprocessing` would first run the program's main module again, which under `streamlit
run` is sometimes Streamlit, sometimes the page. This one loads only the modules that are named: `python
-m autodiff_viz.workers.fork_server FD MODULE ...`. It has one thread and starts no JAX backend, so forking is
safe.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import warnings
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from typing import NoReturn

from autodiff_viz.workers.bounds import may_be_ended
from autodiff_viz.workers.free_memory import FreeMemory
from autodiff_viz.workers.jobs import send_reports

COLLECTED = 20_000, 10, 50
"""Thresholds of the garbage collector: JAX's caches grow with each job, and Python's own would walk them all
every two seconds."""


def main(control: socket.socket, modules: list[str]) -> None:
    """Load `modules`, then fork a worker for each (niceness, socket) received.

    Returns when the server has gone.
    """
    for module in modules:
        import_module(module)
    gc.set_threshold(*COLLECTED)
    gc.collect()
    gc.freeze()  # a collection in a worker would write to shared pages, and so copy them
    signal.signal(signal.SIGCHLD, _reap)
    try:
        control.send(b"\0")
    except ConnectionError:  # it has gone while this loaded
        return
    while True:
        niceness, passed, _, _ = socket.recv_fds(control, 1, 1)
        if not niceness:
            return
        control.sendall(_fork(passed[0], niceness[0], control).to_bytes(4, "big"))
        os.close(passed[0])


def _reap(*_: object) -> None:
    """Reap the workers that have ended; their processor time is then counted as the template's."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _fork(descriptor: int, niceness: int, control: socket.socket) -> int:
    """Fork a worker that answers on `descriptor`; return its process id."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # JAX warns of its threads, but none has been started
        worker = os.fork()
    if worker == 0:
        control.close()
        os.nice(niceness)
        _work(Connection(descriptor))
    return worker


def _work(connection: Connection) -> NoReturn:
    """Answer jobs (module, function, arguments) until the server has gone.

    Before an answer, any number of `Report`s is sent.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl + C in the terminal is for the server
    send_reports(connection.send)
    may_be_ended()
    memory = FreeMemory()
    try:
        while True:
            module, function, arguments = connection.recv()
            connection.send(_answer(module, function, arguments))
            memory.release()
    except (EOFError, OSError):
        os._exit(0)
    finally:
        os._exit(1)


def _answer(module: str, function: str, arguments: tuple) -> tuple[bool, object]:
    """Return (True, result) or (False, the exception in words)."""
    try:
        return True, getattr(import_module(module), function)(*arguments)
    except Exception as error:  # a failed job does not end the worker
        return False, f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
