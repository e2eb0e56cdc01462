"""Run deploy/nginx.conf before replicas of the app on this machine, as deploy/compose.yaml has them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from tests.browser.server import PATIENCE, ROOT, Server, free_port

CONF, DOCKERFILE = ROOT / "deploy" / "nginx.conf", ROOT / "deploy" / "Dockerfile"
STATIC = Path(st.__file__).parent / "static" / "static"
HOW_TO_GET_NGINX = "No nginx for the tests of deploy/nginx.conf. Install it with: sudo apt-get install nginx"


def nginx() -> str | None:
    """Path of an nginx that is installed; None without one."""
    return shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")


class Proxy:
    """nginx with the project's own settings; only addresses and folders are others.

    Args:
      folder: where it writes.
      servers: the replicas, running or not.
    """

    def __init__(self, folder: Path, servers: Sequence[Server]):
        self.folder, self.servers, self.port = folder, servers, free_port()
        self.log = folder / "access.log"
        self.process: subprocess.Popen | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """
        Raises:
          RuntimeError: nginx did not start; the message has what it said.
        """
        self._pack()
        conf = self.folder / "nginx.conf"
        conf.write_text(self._settings(CONF.read_text("utf-8")), "utf-8")
        globals_ = "daemon off;" + (" user root;" if os.geteuid() == 0 else "")
        errors = self.folder / "nginx.txt"
        with errors.open("w") as output:
            command = [nginx(), "-p", str(self.folder), "-e", "stderr", "-c", str(conf), "-g", globals_]
            self.process = subprocess.Popen(command, stderr=output)
        end = time.monotonic() + PATIENCE
        while not (self.folder / "nginx.pid").exists():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"nginx does not start:\n{errors.read_text()}")
            time.sleep(0.02)

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait(10)

    def replica_of(self, path: str) -> Server | None:
        """Which replica has answered the last request for a path; None when nginx has."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:  # it is written when the answer has been sent
            found = re.findall(rf'"\w+ {re.escape(path)}" .* (\S+)\n', self.log.read_text())
            if found:
                return next((s for s in self.servers if found[-1] == f"127.0.0.1:{s.port}"), None)
            time.sleep(0.01)
        raise RuntimeError(f"nginx has noted no request for {path}:\n{self.log.read_text()[-2000:]}")

    def _settings(self, text: str) -> str:
        """The settings for this machine. Everything that is replaced must be there."""
        replicas = "\n".join(f"server 127.0.0.1:{s.port} max_fails=1 fail_timeout=10s;" for s in self.servers)
        for there, here in {
            "/tmp/": f"{self.folder}/",
            "listen 8080;": f"listen 127.0.0.1:{self.port};",
            "server app:8501 max_fails=1 fail_timeout=10s;": replicas,
            "/dev/stdout": str(self.log),
            "/dev/stderr": "stderr",
            "/srv/streamlit": str(self.folder),
            "root /srv;": f"root {self.folder};",
        }.items():
            assert there in text, there
            text = text.replace(there, here)
        return text

    def _pack(self) -> None:
        """Streamlit's own files, packed by the command of the Dockerfile."""
        shutil.copytree(STATIC, self.folder / "static")
        (command,) = re.findall(r"^RUN (find /srv/streamlit/static .*)$", DOCKERFILE.read_text("utf-8"), re.M)
        packing = command.replace("/srv/streamlit", str(self.folder)).replace("--best", "--fast")
        subprocess.run(packing, shell=True, check=True)
