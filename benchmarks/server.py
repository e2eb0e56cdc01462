"""Run a Streamlit server for this machine alone, in a process of its own; measure its time and memory."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
PATIENCE = 60  # seconds until the server answers
REST = 90.0  # seconds at most until a server is at rest
WARM_UP = 300  # seconds until it is warm
TICKS = os.sysconf("SC_CLK_TCK")
SHARE = re.compile(r"^Pss: +(\d+) kB", re.MULTILINE)  # each page divided by how many processes have it


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: its address, and the id of its process."""

    address: str
    process: int

    @property
    def seconds(self) -> float:
        """Processor time so far, of all its processes, those that have ended included."""
        stats = (text.rpartition(")")[2].split() for text in self._told("stat"))
        return sum(sum(map(int, stat[11:15])) for stat in stats) / TICKS

    @property
    def own_seconds(self) -> float:
        """Processor time so far of the server alone, without its workers."""
        stat = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, stat[11:13])) / TICKS

    @property
    def megabytes(self) -> float:
        """Memory of all its processes; pages that several of them share count once."""
        shares = (SHARE.search(text) for text in self._told("smaps_rollup"))
        return sum(int(share[1]) for share in shares if share) / 1024

    @property
    def own_megabytes(self) -> float:
        """Memory of the server alone, without its workers."""
        return int(SHARE.search(Path(f"/proc/{self.process}/smaps_rollup").read_text())[1]) / 1024

    def _told(self, file: str) -> Iterator[str]:
        """Yield the content of a file in `/proc` for each process."""
        waiting = [self.process]
        for process in waiting:
            place = Path(f"/proc/{process}")
            try:
                for task in (place / "task").iterdir():
                    waiting += map(int, (task / "children").read_text().split())
                yield (place / file).read_text()
            except (FileNotFoundError, ProcessLookupError):  # it has ended
                continue


@contextmanager
def serving(script: str, *settings: str, **env: str) -> Iterator[str]:
    """Run `script`, a path in the project, with the project's own settings and these; give the address."""
    with server(script, *settings, **env) as found:
        yield found.address


@contextmanager
def server(script: str, *settings: str, **env: str) -> Iterator[Server]:
    """Run `script` as `serving` does; give the server."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = (f"--server.port={port}", "--server.address=127.0.0.1", "--server.headless=true")
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", script, *options, *settings],
        cwd=ROOT,
        env={**os.environ, **env},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(f"http://127.0.0.1:{port}/_stcore/health")
        yield Server(f"http://127.0.0.1:{port}", process.pid)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:  # an attack may have left it work for longer
            process.kill()
            process.wait()


def _wait(address: str) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urlopen(address, timeout=2):
                return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def until_warm(app: Server) -> None:
    """Wait until the app reports that it has warmed up."""
    end = time.monotonic() + WARM_UP
    while True:
        try:
            with urlopen(f"{app.address}/ready", timeout=10):
                return
        except HTTPError:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)


def until_at_rest(app: Server) -> None:
    """Wait until its memory changes no more: a worker that has grown ends some seconds after its last job."""
    end, before = time.monotonic() + REST, 0.0
    while time.monotonic() < end and abs(app.megabytes - before) > 1.0:
        before = app.megabytes
        time.sleep(REST / 6)
