"""Test that the commands of the Makefile and the README serve this machine alone."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.browser.server import ROOT, Server
from tests.readme import TEXT as README

STREAM = "/_stcore/stream"
LISTENS = "0A"  # state of a socket, as Linux writes it
HERE = "0100007F"  # 127.0.0.1, its bytes in the processor's order
OF_README = re.findall(r"^(?:streamlit run|uvicorn) .*?(?=\s+#|$)", README, re.M)


def of_makefile() -> list[str]:
    # As from a shell, not as a part of `make test`, which would say more.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    said = subprocess.run(
        ["make", "-n", "run", "PORT=8501"], cwd=ROOT, env=plain, capture_output=True, text=True
    )
    return shlex.split(said.stdout.splitlines()[-1])


def started(tmp_path: Path, words: list[str]) -> Server:
    """A server by this command, on a port of its own and without a browser."""
    server = Server(tmp_path / "log.txt", STREAMLIT_SERVER_HEADLESS="true", STREAMLIT_SERVER_PORT="")
    words = [str(server.port) if word == "8501" else word for word in words]
    if str(server.port) not in words:
        words += ["--server.port", str(server.port)]
    server.start_by([Path(words[0]).name, *words[1:]])
    return server


def listening(port: int) -> set[str]:
    """The addresses on which somebody listens at this port."""
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            (_, local, _, state, *_) = line.split()
            address, _, number = local.partition(":")
            if state == LISTENS and int(number, 16) == port:
                found.add(address)
    return found


def test_an_address_that_listens_is_found():
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("0.0.0.0", 0)) as other:
        assert listening(one.getsockname()[1]) == {HERE}
        assert listening(other.getsockname()[1]) == {"00000000"}


def test_make_run_serves_this_machine_alone_and_no_other_name_of_it(tmp_path):
    server = started(tmp_path, of_makefile())
    try:
        assert listening(server.port) == {HERE}
        for host in ("127.0.0.1", "localhost"):
            own = f"http://{host}:{server.port}"
            with connect(f"ws://{own[7:]}{STREAM}", subprotocols=["streamlit"], origin=own) as socket:
                assert socket.subprotocol == "streamlit"
        evil = f"evil.example:{server.port}"
        with socket_to(server) as raw, pytest.raises(InvalidStatus):
            connect(f"ws://{evil}{STREAM}", subprotocols=["streamlit"], origin=f"http://{evil}", sock=raw)
    finally:
        server.stop()


def socket_to(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port))


def test_the_readme_has_both_commands():
    assert [text.split()[0] for text in OF_README] == ["uvicorn", "streamlit"]


@pytest.mark.nightly
@pytest.mark.parametrize("command", OF_README)
def test_a_command_of_the_readme_serves_this_machine_alone(tmp_path, command):
    server = started(tmp_path, shlex.split(command))
    try:
        assert listening(server.port) == {HERE}
    finally:
        server.stop()
