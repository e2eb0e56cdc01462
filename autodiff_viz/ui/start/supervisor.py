"""Start the server again whenever it ends, or when its probe fails.

`python supervisor.py 8501 uvicorn app:app --port 8501` runs `python -m uvicorn ...` and asks `/ready` on port
8501. In a container this is the first process, which Linux lets no other process of the container kill: the
server is the second one, so that its watchdog can. It is run by its path, and loads nothing of the package.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from time import monotonic, sleep

TICK = 0.5  # seconds between two looks whether the server has ended
PROBE, ANSWER = 10.0, 4.0  # seconds between two probes; seconds that an answer may take
MISSES = 6  # probes in a row that fail, after one has not: a minute
MISSES_AT_START = 180  # while it has not been ready yet, half an hour: the first start compiles
FIRST, LAST = 1.0, 30.0  # seconds before the next start, the first time and at most
LONG = 60.0  # seconds; a server that has run so long begins with `FIRST` again
ENDING = 10.0  # seconds that it may take to end in order

ENDS_WITH_STDIN = "AUTODIFF_VIZ_ENDS_WITH_STDIN"  # as in lab/launch.py: it ends with this process


class Supervisor:
    """Keeps one server running, until it is told to end.

    Attributes:
      ending: when it was told to; None before.
    """

    def __init__(self, port: int, words: list[str]):
        self.port, self.command = port, [sys.executable, "-m", *words]
        self.ending: float | None = None
        self.server: subprocess.Popen | None = None

    def run(self) -> int:
        """Run the server again and again; return the exit status of the last one."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self.end)
        wait = FIRST
        while True:
            began = monotonic()
            status = self.once()
            if self.ending is not None:
                return status if status >= 0 else 128 - status
            if monotonic() - began >= LONG:
                wait = FIRST
            _say(f"The server has ended ({_in_words(status)}). It starts again in {wait:g} s.")
            until = monotonic() + wait
            while self.ending is None and monotonic() < until:
                sleep(TICK)
            if self.ending is not None:
                return 0
            wait = min(2 * wait, LAST)

    def end(self, *_: object) -> None:
        """Tell the server to end, and start no other."""
        self.ending = self.ending or monotonic()
        if self.server is not None and self.server.returncode is None:
            self.server.terminate()

    def once(self) -> int:
        """Start the server; return its exit status once it has ended, or was killed as its probe failed."""
        self.server = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, env={**os.environ, ENDS_WITH_STDIN: "1"}
        )
        if self.ending is not None:  # told so before there was a server to tell
            self.server.terminate()
        misses, most, asked = 0, MISSES_AT_START, monotonic()
        while not self._has_ended():
            sleep(TICK)
            if self.ending is not None:
                if monotonic() - self.ending >= ENDING:
                    self.server.kill()
            elif monotonic() - asked >= PROBE:
                misses, most = (0, MISSES) if is_ready(self.port) else (misses + 1, most)
                asked = monotonic()
                if misses >= most:
                    _say(f"The server was not ready for {misses * PROBE:g} s, and is killed.")
                    self.server.kill()
        self.server.stdin.close()
        return self.server.returncode

    def _has_ended(self) -> bool:
        """Reap all processes that have ended: orphans, too, are children of a container's first process."""
        while self.server.returncode is None:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return False
            if process == self.server.pid:
                self.server.returncode = os.waitstatus_to_exitcode(status)
        return True


def is_ready(port: int) -> bool:
    """Return whether the server on a port answers `/ready` with 200."""
    try:
        with socket.create_connection(("127.0.0.1", port), ANSWER) as asking:
            asking.sendall(b"GET /ready HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
            return asking.recv(64).split()[1:2] == [b"200"]
    except OSError:
        return False


def _in_words(status: int) -> str:
    return f"status {status}" if status >= 0 else signal.Signals(-status).name


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(Supervisor(int(sys.argv[1]), sys.argv[2:]).run())
