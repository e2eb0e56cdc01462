"""Test the Dockerfile, as far as that is possible without a Docker engine."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from html import escape
from pathlib import Path
from urllib.request import urlopen

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.ui.start import supervisor
from tests.browser.server import ROOT, Server
from tests.deploy.image import stages
from tests.ui.server.test_heartbeat import awaited, children

STAGES = stages()
APP, PROXY, LAST = STAGES.values()
WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
"""Before a command: root, too, may then write only where the files say so."""

KNOWN = {
    "FROM", "ENV", "WORKDIR", "COPY", "RUN", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "CMD",
}  # fmt: skip


def test_only_instructions_of_docker():
    assert {word for stage in STAGES.values() for word, _ in stage.steps} <= KNOWN


def test_what_is_built_when_nothing_is_named_is_the_app():
    assert (LAST.base, LAST.name, LAST.steps) == ("app", "", ())
    assert [APP.name, PROXY.name] == ["app", "proxy"]


@pytest.mark.parametrize("stage", [APP, PROXY], ids=["app", "proxy"])
def test_every_path_that_goes_into_the_image_is_there_and_is_sent_to_docker(stage):
    allowed = [
        line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")
    ]
    assert stage.copied
    for path in stage.copied:
        assert (ROOT / path).exists(), path
        assert any(fnmatch(path, pattern) for pattern in allowed), path


def test_only_the_pinned_requirements_are_installed():
    installs = [rest for rest in APP.rests("RUN") if "install " in rest and "pip" in rest]
    assert [rest.partition("install ")[2].split()[-2:] for rest in installs] == [["-r", "requirements.txt"]]


@pytest.mark.parametrize("stage", [APP, PROXY], ids=["app", "proxy"])
def test_nothing_runs_as_root_and_bases_are_pinned(stage):
    assert stage.rests("USER")[-1] not in {"root", "0"}
    image, _, version = stage.base.partition(":")
    assert image
    assert version[:1].isdigit()


def test_one_process_serves_and_the_first_one_starts_it_again():
    python, script, port, *server = APP.command
    assert (python, ROOT / script) == ("python", Path(supervisor.__file__))
    assert server[:2] == ["uvicorn", "app:app"]
    assert [port] == APP.rests("EXPOSE") == [server[server.index("--port") + 1]]
    assert "--workers" not in server


def test_what_the_supervisor_asks_is_what_the_health_check_asks():
    asked = re.findall(r"127\.0\.0\.1:(\d+)(/\w+)", APP.health[-1])
    path = re.findall(r"GET (\S+) HTTP", inspect.getsource(supervisor.is_ready))
    assert asked == [(APP.command[2], *path)]


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """The files of the image, in a folder that may not be written to; /cache is beside it."""
    folder, cache = tmp_path / "app", tmp_path / "cache"
    for path in APP.copied:
        if (ROOT / path).is_dir():
            shutil.copytree(ROOT / path, folder / path, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(exist_ok=True)
            shutil.copy(ROOT / path, folder / path)
    cache.mkdir()
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return folder


class Container(Server):
    """The image's own command on a port of its own, with rights to write to /cache alone."""

    def __init__(self, folder: Path, log: Path, **settings: str):
        super().__init__(log, **settings)
        self.folder = folder

    def start(self) -> None:
        words = {"0.0.0.0": "127.0.0.1", "8501": str(self.port)}
        command = [*rights(), sys.executable, *(words.get(word, word) for word in APP.command[1:])]
        places = {"AUTODIFF_VIZ_CACHE": str(self.folder.parent / "cache"), "HOME": "/nowhere"}
        self.launch(
            command, self.folder, {"PATH": os.environ["PATH"], **APP.variables, **places, **self.settings}
        )


def rights() -> list[str]:
    """What comes before a command that must not write to the image's files."""
    return WITHOUT_RIGHTS if os.geteuid() == 0 else []


@pytest.fixture
def container(image: Path, tmp_path: Path) -> Iterator[Container]:
    running = Container(image, tmp_path / "log.txt", AUTODIFF_VIZ_WARM_UP="off")
    try:
        running.start()
        yield running
    finally:
        running.stop()


def health(port: int) -> int:
    """Exit status of the image's health check."""
    command = [word.replace("8501", str(port)) for word in APP.health]
    return subprocess.run([sys.executable, *command[1:]], stderr=subprocess.DEVNULL, timeout=60).returncode


@pytest.mark.nightly
def test_the_files_of_the_image_are_enough_where_they_may_not_be_written_to(container):
    touch = [*rights(), "touch", container.folder / "new"]
    assert subprocess.run(touch, stderr=subprocess.DEVNULL).returncode != 0
    assert health(container.port) == 0
    assert [path.stat().st_mode & 0o777 for path in (container.folder.parent / "cache").iterdir()] == [0o700]
    shown = LESSONS[0]
    page = urlopen(f"{container.address}/?lesson={shown.key}", timeout=30).read().decode()
    assert escape(shown.title) in page
    assert urlopen(f"{container.address}/cards/{shown.key}.png", timeout=30).status == 200
    with connect(f"ws://127.0.0.1:{container.port}/_stcore/stream", subprotocols=["streamlit"]) as socket:
        socket.send(BackMsg(rerun_script=ClientState()).SerializeToString())
        drawn, ended = [], ForwardMsg()
        while ended.WhichOneof("type") != "script_finished":
            ended.ParseFromString(socket.recv(timeout=60))
            drawn.append(ended.delta.new_element.WhichOneof("type"))
    assert ended.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
    assert "bidi_component" in drawn
    assert "exception" not in drawn


@pytest.mark.nightly
def test_a_server_of_the_image_that_is_killed_is_there_again(container):
    (server,) = children(container.process.pid)
    os.kill(server, signal.SIGKILL)
    with awaited(server) as ended:
        assert ended()
    container.until_it_answers()
    assert children(container.process.pid) != [server]
    assert health(container.port) == 0


@pytest.mark.nightly
def test_the_health_check_fails_while_the_server_warms_up_and_when_there_is_none(image, tmp_path):
    running = Container(image, tmp_path / "log.txt", AUTODIFF_VIZ_WARM_UP="on")
    try:
        running.start()
        assert urlopen(f"{running.address}/_stcore/health", timeout=30).status == 200
        assert health(running.port) == 1
    finally:
        running.kill()
    assert health(running.port) == 1
