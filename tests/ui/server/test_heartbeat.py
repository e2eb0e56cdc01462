"""Test the watchdog on real servers: which are killed, and which are not; and what it is told of limits."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

from autodiff_viz.ui.server.heartbeat import (
    MEMORY,
    SHARE,
    SILENCE,
    container_memory,
    memory_limit,
    silence_limit,
)
from autodiff_viz.ui.start import supervisor
from tests.browser.server import ROOT, Server

STUCK = "tests.ui.server.stuck:app"
ENDING = 90  # seconds until a server is killed, on a busy machine


@contextmanager
def serving(tmp_path: Path, name: str = "log", **settings: str) -> Iterator[Server]:
    """The app with paths at which it gets stuck, whose watchdog waits for five seconds."""
    server = Server(tmp_path / f"{name}.txt", **{SILENCE: "5", **settings})
    try:
        server.start_by(["uvicorn", STUCK, "--port", str(server.port)])
        yield server
    finally:
        server.kill()


def ask(server: Server, path: str) -> str:
    return urlopen(server.address + path, timeout=ENDING).read().decode()


def children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def watchdogs(process: int) -> list[int]:
    commands = {child: Path(f"/proc/{child}/cmdline").read_bytes() for child in children(process)}
    return [child for child, command in commands.items() if b"watchdog.py" in command]


@contextmanager
def awaited(process: int) -> Iterator[Callable[[], bool]]:
    """A function that waits until a process has ended, which need not be a child."""
    descriptor = os.pidfd_open(process)
    try:
        yield lambda: bool(select.select([descriptor], [], [], ENDING)[0])
    finally:
        os.close(descriptor)


@pytest.mark.parametrize(
    ("path", "settings", "says"),
    [
        ("/compare", {}, "its event loop was silent for 5 s, so nobody was answered"),
        ("/grow", {MEMORY: "1000"}, "more than its limit of 1,000 MB"),
        pytest.param("/deadlock", {}, "its event loop was silent for 5 s", marks=pytest.mark.nightly),
    ],
)
def test_a_server_that_is_stuck_or_too_large_is_killed_and_its_log_says_why(tmp_path, path, settings, says):
    with serving(tmp_path, **settings) as server:
        with suppress(OSError):
            ask(server, path)
        assert server.process.wait(ENDING) == -signal.SIGKILL
        assert f"The watchdog kills the server, process {server.process.pid}: " in server.log.read_text()
        assert says in server.log.read_text()


@pytest.mark.nightly
def test_a_server_that_was_stopped_or_is_busy_goes_on(tmp_path):
    with serving(tmp_path) as stopped, serving(tmp_path, "busy") as busy:
        assert ask(busy, "/busy") == "busy"
        stopped.process.send_signal(signal.SIGSTOP)
        for n in range(2):  # as long as it takes to kill a server that is stuck, twice
            with serving(tmp_path, f"stuck_{n}") as stuck, suppress(OSError):
                ask(stuck, "/compare")
            assert stuck.process.returncode == -signal.SIGKILL
        stopped.process.send_signal(signal.SIGCONT)
        assert ask(stopped, "/process") == str(stopped.process.pid)
        assert ask(busy, "/process") == str(busy.process.pid)


def test_a_watchdog_ends_with_its_server_and_is_none_where_it_is_off(tmp_path):
    server = Server(tmp_path / "log.txt", "streamlit")
    with serving(tmp_path, "off", **{SILENCE: "off"}) as off:
        server.start()
        end = time.monotonic() + ENDING
        while not (dogs := watchdogs(server.process.pid)):  # it has no command at first
            assert time.monotonic() < end
            time.sleep(0.05)
        (dog,) = dogs
        assert watchdogs(off.process.pid) == []
        with awaited(dog) as ended:
            server.stop()
            assert ended()
        assert server.process.returncode != -signal.SIGKILL


def test_the_silence_is_set_by_the_environment(monkeypatch):
    monkeypatch.delenv(SILENCE, raising=False)
    assert silence_limit() == 20
    for text, number in [(" 30 ", 30.0), ("off", None)]:
        monkeypatch.setenv(SILENCE, text)
        assert silence_limit() == number
    for wrong in ("long", "0", "-3", "1.5"):
        monkeypatch.setenv(SILENCE, wrong)
        with pytest.raises(
            ValueError, match=r"AUTODIFF_VIZ_WATCHDOG is '.*'; it must be a whole number of s"
        ):
            silence_limit()


def test_the_memory_is_a_share_of_the_containers_unless_it_is_set(monkeypatch):
    monkeypatch.setattr("autodiff_viz.ui.server.heartbeat.container_memory", lambda: 1000.0)
    monkeypatch.delenv(MEMORY, raising=False)
    assert memory_limit() == SHARE * 1000
    monkeypatch.setenv(MEMORY, "640")
    assert memory_limit() == 640
    monkeypatch.setenv(MEMORY, "off")
    assert memory_limit() is None


@pytest.mark.every
@pytest.mark.parametrize(
    ("named", "files", "megabytes"),
    [
        ("0::/\n", {"memory.max": "2147483648\n"}, 2048),  # a container
        ("0::/\n", {"memory.max": "max\n"}, None),
        ("0::/\n", {}, None),
        (
            "0::/system.slice/lab.service\n",  # systemd's MemoryMax, and a lower one of the slice
            {
                "system.slice/memory.max": "1073741824\n",
                "system.slice/lab.service/memory.max": "2147483648\n",
            },
            1024,
        ),
        (
            "5:cpu:/x\n4:memory:/docker/1f\n0::/\n",  # the first version: the path is the host's
            {"memory/memory.limit_in_bytes": "1610612736\n"},
            1536,
        ),
        ("4:memory:/\n", {"memory/memory.limit_in_bytes": "9223372036854771712\n"}, None),
    ],
)
def test_the_containers_memory_is_read_as_linux_documents_it(tmp_path, named, files, megabytes):
    (tmp_path / "cgroup").write_text(named)
    for file, text in files.items():
        (tmp_path / "fs" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "fs" / file).write_text(text)
    assert container_memory(tmp_path / "cgroup", tmp_path / "fs") == megabytes
    assert container_memory(tmp_path / "none", tmp_path / "fs") is None


@pytest.mark.nightly
def test_a_server_that_is_killed_starts_again_and_ends_with_its_supervisor(tmp_path):
    server = Server(tmp_path / "log.txt", **{SILENCE: "5"})
    env = {**os.environ, "JAX_PLATFORMS": "cpu", "AUTODIFF_VIZ_WARM_UP": "off", **server.settings}
    words = [supervisor.__file__, str(server.port), "uvicorn", STUCK, "--port", str(server.port)]
    try:
        server.launch([sys.executable, *words], ROOT, env)
        first = ask(server, "/process")
        with suppress(OSError):
            ask(server, "/compare")
        server.until_it_answers()
        second = ask(server, "/process")
        assert first != second
        assert [str(child) for child in children(server.process.pid)] == [second]
        with awaited(int(second)) as ended:
            server.kill()
            assert ended()
    finally:
        server.kill()
    assert "The server has ended (SIGKILL). It starts again in 1 s." in server.log.read_text()
