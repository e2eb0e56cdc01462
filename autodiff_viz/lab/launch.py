"""Serve the lab on the user's own machine and open the browser on a graph.

The server listens on this machine alone, and answers only to whoever has its token, which is in the address
that is returned: other users of the machine, and pages of other sites in the browser, do not have it. It ends
with the process that has started it, whatever ends that one.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import webbrowser
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

from autodiff_viz.engine.trace import Trace
from autodiff_viz.functions.from_function import from_function
from autodiff_viz.functions.own_ops import with_own_ops
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem, kind_of, whole_number
from autodiff_viz.graph.shown import Shown
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.lessons.codec import is_tour, read_tour, tour_to_link
from autodiff_viz.lessons.tour import Tour
from autodiff_viz.ops.own import OWN_OPS
from autodiff_viz.reading.from_torch import from_torch
from autodiff_viz.reading.reading import Reading, read

APP = Path(__file__).parents[1] / "ui" / "start" / "app.py"
HERE = "127.0.0.1"  # not `localhost`: another user could listen on [::1], where browsers may look first
USUAL = 8501
PATIENCE = 90.0  # seconds until the server answers; the first start compiles
ENDING = 8.0  # seconds that the server may take to end in order
STARTED = (200, 503)  # answers of `/ready`: warm, and still warming up; the page can be opened

TOKEN = "AUTODIFF_VIZ_TOKEN"
"""Variable with the token of a lab of one's own; a server that has none is for everybody."""

PARAMETER = "token"
"""Name of the token in the address. Python's `secrets` makes it of letters, digits, - and _."""

ENDS_WITH_STDIN = "AUTODIFF_VIZ_ENDS_WITH_STDIN"
"""Variable that has the server end when nobody holds the other end of its standard input: a pipe, which the
system closes however the process ends that holds it."""


class Own(NamedTuple):
    """A server that this process has started, with its token and the document of JAX's own functions."""

    process: subprocess.Popen
    token: str
    ops: str = ""


CELLS = "autodiff_viz.notebook.opened"
"""The module that shows the lab in a notebook's cell, which imports this one."""

_servers: dict[int, Own] = {}
_direct = build_opener(ProxyHandler({}))  # a proxy of the environment is not to see the token


class Page(str, Shown):
    """The address of a page of the lab, which a notebook shows as a figure of its graph."""

    __slots__ = ("graph",)

    graph: Graph | None

    def __new__(cls, address: str, graph: Graph | None) -> Page:
        page = super().__new__(cls, address)
        page.graph = graph
        return page


def lab(
    shown: Graph | Trace | Tour | Callable[..., Any] | str | None = None,
    *args: Any,
    port: int | None = None,
    open_browser: bool = True,
    wait: bool = False,
) -> Any:
    """Open the lab: in a notebook in its cell (see `widget`), else in the browser, on this machine.

    The page's libraries are needed: `pip install "autodiff_viz[app]"`. The server is a process of its own,
    which ends with this one. It answers to browsers that have opened the address, which has its token.

    Args:
      shown: a graph, or a trace or a reading with one; a tour; a JAX function or a PyTorch model, with its
        arguments after it (see `from_function`, `from_torch`); a link, a JSON document or a text of code (see
        `read`). None opens the lab as a newcomer finds it.
      *args: arguments of the function.
      port: of the server; by default 8501, or any other that is free. In a notebook, the page is opened if it
        is given.
      open_browser: whether to open the browser; otherwise the address is only returned.
      wait: whether to wait until the server ends, or Ctrl+C.
    Returns:
      The address of the page, a str, which a notebook shows as a figure of its graph; in a notebook the
        widget.
    Raises:
      GraphError: there is no graph in `shown`, or one that does not fit a link: its tensors are too large, or
        a node has a function that cannot leave this process; the page's libraries are missing, or the port
        is taken.
    """
    cells = import_module(CELLS)
    if port is None and not wait and not isinstance(shown, Tour) and cells.is_notebook():
        return cells.widget(shown, *args)
    found = read_tour(shown) if isinstance(shown, str) and is_tour(shown) else shown
    found = found if isinstance(found, Tour) else graph_of(found, args)
    linked, ops = with_own_ops(found) if isinstance(found, Graph) else (found, "")
    port = _free_port(ops) if port is None else whole_number("port", port, 1, 65_535)
    runs = port in _servers and _servers[port].process.poll() is None
    if runs and not _has(_servers[port], ops):
        message = f"The lab on port {port} was opened before, without functions of JAX that this graph has."
        raise GraphError(Problem("no-server", message, "Leave the port out, or give another one."))
    token = _servers[port].token if runs else secrets.token_urlsafe()
    page = f"http://{HERE}:{port}/"
    if isinstance(found, Tour):
        page = tour_to_link(found, base=page)
    elif found is not None:
        page = to_link(linked, base=page)
    before, _, query = page.partition("?")
    page = f"{before}?{PARAMETER}={token}" + (f"&{query}" if query else "")
    if not runs:
        _servers[port] = Own(started(port, token, ops), token, ops)
    if open_browser:
        webbrowser.open(page)
    if wait:
        try:
            _servers[port].process.wait()
        except KeyboardInterrupt:
            stop(port)
    return Page(page, None if isinstance(found, Tour) else found)


def graph_of(shown: Any, args: tuple) -> Graph | None:
    """Return the graph of what `lab` is given.

    Raises:
      GraphError: it has none.
    """
    if isinstance(shown, Reading | Trace):
        return shown.graph
    if shown is None or isinstance(shown, Graph):
        return shown
    if callable(shown):
        torch = sys.modules.get("torch")  # a model of it is there only if it is
        reads = torch is not None and isinstance(shown, torch.nn.Module)
        return from_torch(shown, *args).graph if reads else from_function(shown, *args)
    if not isinstance(shown, str):
        message = f"A graph, a function or a link is needed; found {kind_of(shown)}."
        raise GraphError(Problem("not-a-graph", message, "Write lab(graph), or lab(f, x)."))
    if shown.lstrip().startswith("{"):
        return from_json(shown)
    if "\n" in shown.strip() or " = " in shown:
        return graph_of_text(shown)
    return from_link(shown)


def graph_of_text(text: str) -> Graph:
    """Return the graph of a text of code, which is read and not run.

    Where a part of it cannot be read, the graph is that of the rest, and standard error says what is missing.

    Raises:
      GraphError: nothing of it can be read.
    """
    reading = read(text)
    if reading.refused and not reading.graph.nodes:
        raise GraphError(reading.refused)
    says = (reading.about_output, reading.extent, *map(str, GraphError(reading.refused).problems))
    for said in filter(None, says if reading.refused else ()):
        print(said, file=sys.stderr)
    return reading.graph


def command(port: int) -> list[str]:
    """Return the command that starts the server."""
    options = {"server.port": port, "server.headless": "true", "server.address": HERE}
    flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    return [sys.executable, "-m", "streamlit", "run", str(APP), *flags]


def cookie_of(port: int) -> str:
    """Return the name of the cookie with the token: a browser sends its cookies to all ports of a host."""
    return f"autodiff_viz_{port}"


def started(port: int, token: str, ops: str = "") -> subprocess.Popen:
    """Start the server, and wait until it answers.

    Args:
      ops: the document of the functions that it has beside its own ops.
    Raises:
      GraphError: it does not start.
    """
    if find_spec("streamlit") is None:
        message = "The page's libraries are not installed."
        raise GraphError(Problem("no-app", message, 'Install them: pip install "autodiff_viz[app]".'))
    with socket.socket() as asking:
        taken = asking.connect_ex((HERE, port)) == 0
    if taken:  # its answers would be taken for those of ours
        message = f"Another program serves on port {port}."
        raise GraphError(Problem("no-server", message, "Give another port: port=8502."))
    root = str(Path(__file__).parents[2])
    paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    server = subprocess.Popen(
        command(port),
        env={**os.environ, "PYTHONPATH": paths, TOKEN: token, ENDS_WITH_STDIN: "1", OWN_OPS: _kept(ops)},
        stdout=subprocess.DEVNULL,
        stdin=subprocess.PIPE,  # nothing is written to it: it is closed as this process ends
        start_new_session=True,  # Ctrl+C ends this process, which then ends the server
    )
    if hasattr(
        os, "register_at_fork"
    ):  # a process forked from this one would hold the pipe, and may outlive it
        os.register_at_fork(after_in_child=server.stdin.close)
    asked = Request(f"http://{HERE}:{port}/ready", headers={"Cookie": f"{cookie_of(port)}={token}"})
    end = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < end:
        try:
            with _direct.open(asked, timeout=5):
                return server
        except HTTPError as error:
            if error.code in STARTED:
                return server
        except (URLError, OSError):
            pass
        time.sleep(0.2)
    _end(server)
    message = f"The server on port {port} did not start."
    raise GraphError(Problem("no-server", message, "Is the port taken? Give another one: port=8502."))


def stop(port: int) -> None:
    """Stop the server on a port, if this process has started one."""
    own = _servers.pop(port, None)
    if own is not None:
        _end(own.process)


def _end(server: subprocess.Popen) -> None:
    """End a server in order, or kill one that does not end: it may be at work that nothing interrupts."""
    server.stdin.close()
    server.terminate()
    try:
        server.wait(ENDING)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


_files: dict[str, Any] = {}


def _kept(ops: str) -> str:
    """Return the path of a file with this text, which is there until this process ends; "" for no text."""
    if ops and ops not in _files:
        _files[ops] = tempfile.NamedTemporaryFile("w", suffix=".json")  # noqa: SIM115
        _files[ops].write(ops)
        _files[ops].flush()
    return _files[ops].name if ops else ""


def _has(own: Own, ops: str) -> bool:
    return ops in ("", own.ops)


def _free_port(ops: str = "") -> int:
    """Return the port of a server of ours that has these functions, the usual one, or any that is free."""
    running = [port for port, own in _servers.items() if own.process.poll() is None and _has(own, ops)]
    if running:
        return running[0]
    for port in (USUAL, 0):
        with socket.socket() as listening:
            try:
                listening.bind((HERE, port))
                return listening.getsockname()[1]
            except OSError:
                continue
    return USUAL
