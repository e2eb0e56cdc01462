"""Start the template process of the fork server, and request workers from it."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path

STARTING = 60.0  # seconds that the template may take to load JAX, on a busy machine
BLOCKED = 10  # seconds for which the server waits for a process that is stopped in the middle of a message
ROOT = Path(__file__).parents[2]
FEW_ARENAS = {"MALLOC_ARENA_MAX": "2"}
"""For glibc: one heap per thread keeps more free memory than a process with one busy thread needs."""


class Template:
    """Handle of the template process, from which workers are forked. The first fork starts it."""

    def __init__(self, modules: tuple[str, ...], variables: Mapping[str, str]):
        """Take what the process loads, and variables that are added to its environment."""
        self._modules, self._variables = modules, variables
        self._running: tuple[subprocess.Popen, socket.socket] | None = None

    def fork(self, niceness: int) -> tuple[int, Connection]:
        """Fork a worker of that niceness. Starts the template process if it is not running.

        Returns:
          The process id of the worker, and a connection to it.
        Raises:
          OSError: the template process does not start, or ends meanwhile; the next call starts another one.
        """
        if self._running is not None and self._running[0].poll() is not None:
            self.end()  # somebody has killed it since the last call
        if self._running is None:
            self._start()
        _, control = self._running
        mine, its = socket.socketpair()
        for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):  # of this end alone
            mine.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", BLOCKED, 0))
        try:
            socket.send_fds(control, [bytes([niceness])], [its.fileno()])
            process = int.from_bytes(_exactly(control, 4), "big")
        except OSError:
            mine.close()
            self.end()
            raise
        finally:
            its.close()
        return process, Connection(mine.detach())

    def end(self) -> None:
        """Kill the template process if it is running; its workers keep running."""
        if self._running is not None:
            process, control = self._running
            self._running = None
            process.kill()
            process.wait()
            control.close()

    def _start(self) -> None:
        """Start the process and wait until it has loaded the modules."""
        control, its = socket.socketpair()
        process = subprocess.Popen(
            [sys.executable, "-m", "autodiff_viz.workers.fork_server", str(its.fileno()), *self._modules],
            pass_fds=[its.fileno()],
            cwd=ROOT,
            env={**FEW_ARENAS, **os.environ, **self._variables},
            stdin=subprocess.DEVNULL,
        )
        its.close()
        self._running = process, control
        control.settimeout(STARTING)
        try:
            _exactly(control, 1)  # sent once the modules are loaded
            control.settimeout(BLOCKED)
        except OSError:
            self.end()
            raise


def _exactly(control: socket.socket, count: int) -> bytes:
    received = b""
    while len(received) < count:
        part = control.recv(count - len(received))
        if not part:
            raise ConnectionResetError("the template process has ended")
        received += part
    return received
