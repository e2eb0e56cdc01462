"""Test that a server is started again when it ends or its probe fails, and ends when it is told to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from autodiff_viz.lab import launch
from autodiff_viz.ui.start import supervisor
from autodiff_viz.ui.start.supervisor import FIRST, LAST, LONG, Supervisor, is_ready
from tests.browser.server import free_port
from tests.workers.test_watchdog import modules_loaded_by

QUICKLY = """
import runpy, sys
read = runpy.run_path({file!r})
read["Supervisor"].once.__globals__.update(TICK=0.02, PROBE=0.2, MISSES=3, FIRST=0.05, LAST=0.05)
sys.exit(read["Supervisor"](int(sys.argv[1]), sys.argv[2:]).run())
"""
PATIENCE = 60


class Supervised:
    """Python's own web server in a folder, which is ready while the folder has a file of that name."""

    def __init__(self, folder: Path):
        self.ready, self.port = folder / "ready", free_port()
        self.ready.write_text("")
        code = QUICKLY.format(file=supervisor.__file__)
        words = ["http.server", str(self.port), "--bind", "127.0.0.1", "--directory", str(folder)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, str(self.port), *words], stderr=subprocess.PIPE, text=True
        )
        self.said: list[str] = []

    def until_it_says(self, text: str) -> None:
        while text not in "".join(self.said):
            line = self.process.stderr.readline()
            assert line, "".join(self.said)
            self.said.append(line)

    def server(self) -> int:
        (found,) = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(found)


@pytest.fixture
def supervised(tmp_path):
    found = Supervised(tmp_path)
    try:
        found.until_it_says("GET /ready HTTP/1.0")
        yield found
    finally:
        found.process.terminate()
        found.process.communicate(timeout=PATIENCE)


def test_a_server_that_is_killed_is_started_again(supervised):
    first = supervised.server()
    for _ in range(2):
        os.kill(supervised.server(), signal.SIGKILL)
        supervised.until_it_says("The server has ended (SIGKILL). It starts again in 0.05 s.")
        supervised.said.clear()
        supervised.until_it_says('"GET /ready HTTP/1.0" 200')
    assert supervised.server() != first


def test_a_server_whose_probe_fails_is_killed_and_started_again(supervised):
    first = supervised.server()
    supervised.ready.unlink()
    supervised.until_it_says("The server was not ready for 0.6 s, and is killed.")
    supervised.ready.write_text("")
    supervised.said.clear()
    supervised.until_it_says('"GET /ready HTTP/1.0" 200')
    assert supervised.server() != first


def test_it_ends_with_its_server_when_it_is_told_to(supervised):
    supervised.process.terminate()
    supervised.process.communicate(timeout=PATIENCE)
    assert supervised.process.returncode == 128 + signal.SIGTERM
    assert not is_ready(supervised.port)


class Clock:
    """Time that passes only by waiting."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.mark.parametrize("ran", [0.0, LONG])
def test_a_server_that_ends_again_and_again_is_started_ever_less_often(monkeypatch, capsys, ran):
    clock, starts = Clock(), []
    monkeypatch.setattr(supervisor, "monotonic", clock.monotonic)
    monkeypatch.setattr(supervisor, "sleep", clock.sleep)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    watching = Supervisor(1, [])

    def once():
        starts.append(clock.now)
        clock.now += ran
        if len(starts) == 8:
            watching.end()
        return 3

    monkeypatch.setattr(watching, "once", once)
    assert watching.run() == 3
    waits = [after - before - ran for before, after in pairwise(starts)]
    assert waits == ([1, 2, 4, 8, 16, 30, 30] if ran == 0 else [FIRST] * 7)
    assert max(waits) <= LAST
    assert "The server has ended (status 3). It starts again in 1 s." in capsys.readouterr().err


def test_it_loads_nothing_of_the_package():
    loaded = modules_loaded_by(supervisor.__file__)
    assert not loaded & {"autodiff_viz", "jax", "numpy", "streamlit", "asyncio"}
    assert "socket" in loaded


def test_its_server_ends_with_it_as_a_lab_does_with_its_caller():
    assert supervisor.ENDS_WITH_STDIN == launch.ENDS_WITH_STDIN
