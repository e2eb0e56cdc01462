"""A Streamlit script served to this machine alone, in a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
PATIENCE = 60  # seconds until the server answers


@contextmanager
def serving(script: str, *settings: str, **env: str) -> Iterator[str]:
    """Run `script`, a path in the project, with the project's own settings and these; gives the address."""
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
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


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
