"""Cut a connection: a small proxy before the server, which can fail as a network does."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

PIECE = 65_536


class Cuttable:
    """Passes bytes on between the browser and the server at `port`, until it is cut."""

    def __init__(self, port: int):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.open = True
        self.to_browser = 0  # bytes so far
        self.pairs: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """End every connection, and let no other through."""
        self.open = False
        while self.pairs:
            for end in self.pairs.pop():
                _close(end)

    def mend(self) -> None:
        self.open = True

    def close(self) -> None:
        self.cut()
        _close(self.listener)

    def _accept(self) -> None:
        with suppress(OSError):  # the listener has been closed
            while True:
                near, _ = self.listener.accept()
                if not self.open:
                    _close(near)
                    continue
                far = socket.create_connection(("127.0.0.1", self.target))
                self.pairs.append((near, far))
                for ends in ((near, far, _uncounted), (far, near, self._count)):
                    threading.Thread(target=_pass_on, args=ends, daemon=True).start()

    def _count(self, passed: int) -> None:
        self.to_browser += passed


def _pass_on(source: socket.socket, target: socket.socket, count: Callable[[int], None]) -> None:
    with suppress(OSError):
        while piece := source.recv(PIECE):
            target.sendall(piece)
            count(len(piece))
    _close(target)


def _uncounted(passed: int) -> None:
    """What goes to the server."""


def _close(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
