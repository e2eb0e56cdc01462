"""Client of the fork server: starts the template process and requests workers from it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path

STARTING = 60.0  # seconds that the template may take to load JAX, on a busy machine
ROOT = Path(__file__).parents[2]
FEW_ARENAS = {"MALLOC_ARENA_MAX": "2"}
"""For glibc: one heap per thread keeps more free memory than a process with one busy thread needs."""


class Template:
    """Handle of the template process, from which workers are forked."""

    def __init__(self, modules: tuple[str, ...], variables: Mapping[str, str]):
        """Start the process and wait until it has loaded `modules`.

        `variables` are added to its environment.

        Raises:
          OSError: it does not start.
        """
        self._control, its = socket.socketpair()
        command = [sys.executable, "-m", "autodiff_viz.workers.fork_server", str(its.fileno()), *modules]
        self._process = subprocess.Popen(
            command,
            pass_fds=[its.fileno()],
            cwd=ROOT,
            env={**FEW_ARENAS, **os.environ, **variables},
            stdin=subprocess.DEVNULL,
        )
        its.close()
        self._control.settimeout(STARTING)
        try:
            self._exactly(1)
        except OSError:
            self.end()
            raise

    def fork(self, niceness: int) -> tuple[int, Connection]:
        """Fork a worker of that niceness.

        Returns:
          The process id of the worker, and a connection to it.
        Raises:
          OSError: the template process has ended.
        """
        mine, its = socket.socketpair()
        try:
            socket.send_fds(self._control, [bytes([niceness])], [its.fileno()])
            process = int.from_bytes(self._exactly(4), "big")
        except OSError:
            mine.close()
            raise
        finally:
            its.close()
        return process, Connection(mine.detach())

    def end(self) -> None:
        """Kill the template process; its workers live on."""
        self._process.kill()
        self._process.wait()
        self._control.close()

    def _exactly(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            part = self._control.recv(count - len(found))
            if not part:
                raise ConnectionResetError("the template process has ended")
            found += part
        return found
