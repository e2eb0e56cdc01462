"""The app in a process of its own, and the browser that visits it."""

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
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HOW_TO_GET_CHROMIUM = (
    "No Chromium for the browser tests. Install it with: sudo apt-get install chromium "
    "(any of " + ", ".join(NAMES) + " on the PATH will do)"
)


def chromium() -> str | None:
    """Path of a Chromium that is installed; None without one. $CHROMIUM comes first."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def serving(log: Path) -> Iterator[str]:
    """Run the app on a free port and give its address. Nothing that it does leaves this machine.

    Raises:
      RuntimeError: the server ended, or did not answer in time; the message has the end of its log.
    """
    port = _free_port()
    command = [
        sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}",
        "--server.address=127.0.0.1", "--server.headless=true", "--browser.gatherUsageStats=false",
    ]  # fmt: skip
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "JAX_PLATFORMS": "cpu", "AUTODIFF_VIZ_WARM_UP": "off"},
        )
        try:
            _await(process, f"http://127.0.0.1:{port}/_stcore/health", log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(10)


def _free_port() -> int:
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
