"""Serve the lab on the user's own machine and open the browser on a graph."""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from autodiff_viz.functions.from_function import from_function
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph, html_of
from autodiff_viz.graph.problem import GraphError, Problem, kind_of, whole_number
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.lessons.codec import is_tour, read_tour, tour_to_link
from autodiff_viz.lessons.tour import Tour
from autodiff_viz.reading.reading import read

APP = Path(__file__).parents[1] / "ui" / "start" / "app.py"
USUAL = 8501
PATIENCE = 90.0  # seconds until the server answers; the first start compiles

_servers: dict[int, subprocess.Popen] = {}


class Page(str):
    """The address of a page of the lab, which a notebook shows as a figure of its graph."""

    __slots__ = ("graph",)

    graph: Graph | None

    def __new__(cls, address: str, graph: Graph | None) -> Page:
        page = super().__new__(cls, address)
        page.graph = graph
        return page

    def _repr_html_(self) -> str | None:
        """Return the figure of the graph with a link to the page, for notebooks."""
        return html_of(self)


def lab(
    shown: Graph | Tour | Callable[..., Any] | str | None = None,
    *args: Any,
    port: int | None = None,
    open_browser: bool = True,
    wait: bool = False,
) -> Page:
    """Open the lab in the browser, on this machine alone.

    The page's libraries are needed: `pip install "autodiff_viz[app]"`. The server is a process of its own,
    which ends with this one.

    Args:
      shown: a graph; a tour; a JAX function, with its arguments after it (see `from_function`); a link, a
        JSON document or a text of code (see `read`). None opens the lab as a newcomer finds it.
      *args: arguments of the function.
      port: of the server; by default 8501, or any other that is free.
      open_browser: whether to open the browser; otherwise the address is only returned.
      wait: whether to wait until the server ends, or Ctrl+C.
    Returns:
      The address of the page, a str; a notebook shows it as a figure of its graph.
    Raises:
      GraphError: there is no graph in `shown`, or one that does not fit a link: a node of it has a function
        of this process, or its tensors are too large; the page's libraries are missing, or the port is
        taken.
    """
    found = read_tour(shown) if isinstance(shown, str) and is_tour(shown) else shown
    found = found if isinstance(found, Tour) else graph_of(found, args)
    port = _free_port() if port is None else whole_number("port", port, 1, 65_535)
    address = f"http://localhost:{port}/"
    page = address
    if isinstance(found, Tour):
        page = tour_to_link(found, base=address)
    elif found is not None:
        page = to_link(found, base=address)
    if port not in _servers or _servers[port].poll() is not None:
        _servers[port] = started(port)
    if open_browser:
        webbrowser.open(page)
    if wait:
        try:
            _servers[port].wait()
        except KeyboardInterrupt:
            stop(port)
    return Page(page, None if isinstance(found, Tour) else found)


def graph_of(shown: Any, args: tuple) -> Graph | None:
    """Return the graph of what `lab` is given.

    Raises:
      GraphError: it has none.
    """
    if shown is None or isinstance(shown, Graph):
        return shown
    if callable(shown):
        return from_function(shown, *args)
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

    Raises:
      GraphError: a part of it cannot be read.
    """
    reading = read(text)
    if reading.refused:
        raise GraphError(reading.refused)
    return reading.graph


def command(port: int) -> list[str]:
    """Return the command that starts the server."""
    options = {"server.port": port, "server.headless": "true", "server.address": "localhost"}
    flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    return [sys.executable, "-m", "streamlit", "run", str(APP), *flags]


def started(port: int) -> subprocess.Popen:
    """Start the server, and wait until it answers.

    Raises:
      GraphError: it does not start.
    """
    if find_spec("streamlit") is None:
        message = "The page's libraries are not installed."
        raise GraphError(Problem("no-app", message, 'Install them: pip install "autodiff_viz[app]".'))
    with socket.socket() as asking:
        taken = asking.connect_ex(("localhost", port)) == 0
    if taken:  # its answers would be taken for those of ours
        message = f"Another program serves on port {port}."
        raise GraphError(Problem("no-server", message, "Give another port: port=8502."))
    root = str(Path(__file__).parents[2])
    paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    server = subprocess.Popen(
        command(port),
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl+C ends this process, which then ends the server
    )
    atexit.register(server.terminate)
    end = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < end:
        try:
            with urlopen(f"http://localhost:{port}/ready", timeout=5):
                return server
        except HTTPError:
            return server  # it answers that it is still warming up; the page can be opened
        except (URLError, OSError):
            time.sleep(0.2)
    server.terminate()
    message = f"The server on port {port} did not start."
    raise GraphError(Problem("no-server", message, "Is the port taken? Give another one: port=8502."))


def stop(port: int) -> None:
    """Stop the server on a port, if this process has started one."""
    server = _servers.pop(port, None)
    if server is not None:
        server.terminate()
        server.wait()


def _free_port() -> int:
    """Return the port of a server of ours, the usual one, or any that is free."""
    running = [port for port, server in _servers.items() if server.poll() is None]
    if running:
        return running[0]
    for port in (USUAL, 0):
        with socket.socket() as listening:
            try:
                listening.bind(("localhost", port))
                return listening.getsockname()[1]
            except OSError:
                continue
    return USUAL
