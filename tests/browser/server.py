"""Run the app in a process of its own, and the browser that visits it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
PATIENCE = 60  # seconds until the server answers
NAMES = (
    "chromium-headless-shell", "chromium", "chromium-browser",
    "google-chrome", "google-chrome-stable", "chrome",
)  # fmt: skip
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=ScriptStreaming",
)
"""Without script streaming: a second thread would parse each script, also one that Chromium has compiled."""
COMMANDS = {
    "streamlit": (
        "streamlit", "run", "app.py", "--server.address=127.0.0.1", "--server.headless=true",
        "--browser.gatherUsageStats=false", "--server.port",
    ),
    "uvicorn": ("uvicorn", "app:app", "--host=127.0.0.1", "--port"),
}  # fmt: skip
"""How the app is started; the port comes last."""

HOW_TO_GET_CHROMIUM = (
    "No Chromium for the browser tests. Install it with: sudo apt-get install chromium-headless-shell "
    "(any of " + ", ".join(NAMES) + " on the PATH will do)"
)


def chromium() -> str | None:
    """Path of a Chromium that is installed; None without one. $CHROMIUM comes first."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Server:
    """The app on a port of its own, kept over a restart. Nothing that it does leaves this machine.

    Args:
      log: where its output goes.
      command: a key of `COMMANDS`.
      settings: variables of its environment.
    """

    def __init__(self, log: Path, command: str = "streamlit", **settings: str):
        self.port = free_port()
        self.log, self.command, self.settings = log, command, settings
        self.process: subprocess.Popen | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """
        Raises:
          RuntimeError: the server ended, or did not answer in time; the message has the end of its log.
        """
        self.start_by([*COMMANDS[self.command], str(self.port)])

    def start_by(self, words: list[str]) -> None:
        """Start the app by a command of the project's environment."""
        command = [sys.executable, "-m", *words]
        settings = {"JAX_PLATFORMS": "cpu", "AUTODIFF_VIZ_WARM_UP": "off", "AUTODIFF_VIZ_WORKERS": "1"}
        env = {**os.environ, **settings, **self.settings}
        self.launch(command, ROOT, env)

    def launch(self, command: list[str], folder: Path, env: dict[str, str]) -> None:
        """Run `command` in `folder`, and wait until it answers."""
        with self.log.open("a") as output:
            self.process = subprocess.Popen(
                command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=env
            )
        self.until_it_answers()

    def until_it_answers(self) -> None:
        _await(self.process, f"{self.address}/_stcore/health", self.log)

    def kill(self) -> None:
        """As a crash would: without a word to anybody."""
        if self.process:
            self.process.kill()
            self.process.wait(10)

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait(10)


@contextmanager
def serving(log: Path) -> Iterator[str]:
    """Run the app and give its address."""
    server = Server(log)
    try:
        server.start()
        yield server.address
    finally:
        server.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _await(process: subprocess.Popen, address: str, log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            with urlopen(address, timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"The app does not answer at {address}:\n{log.read_text()[-2000:]}")
