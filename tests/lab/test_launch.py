"""Test how the lab is opened on the user's own machine: what it shows, by which command, at which address."""

from __future__ import annotations

import json
import re
import socket
import sys
import webbrowser
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax.scipy.special import erfinv

import autodiff_viz as av
from autodiff_viz import __main__ as command_line
from autodiff_viz.lab import launch
from tests.test_architecture import ROOT

GRAPH = av.parse("x = 2.0\ny = sin(x)")


class Server:
    """Stands for the server's process."""

    def __init__(self, port, token, ops=""):
        self.port, self.token, self.ops, self.waited = port, token, ops, False

    def poll(self):
        return None

    def wait(self):
        self.waited = True


@pytest.fixture
def servers(monkeypatch):
    """The servers by port that were started, and the addresses that the browser was opened at."""
    monkeypatch.setattr(launch, "_servers", {})
    monkeypatch.setattr(launch, "started", Server)
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    return launch._servers, opened


def test_the_browser_opens_on_the_graph(servers):
    started, opened = servers
    address = av.lab(GRAPH, port=8632)
    assert opened == [address]
    token = started[8632].process.token
    assert address.startswith(f"http://127.0.0.1:8632/?token={token}&g=")
    assert av.from_link(address) == GRAPH
    again = av.lab(lambda x: jnp.sin(x), 2.0, open_browser=False)
    assert [*started] == [8632]  # the server that runs is used again
    assert again.startswith(f"http://127.0.0.1:8632/?token={token}&g=")
    assert av.from_link(again).nodes[-1].op == "sin"
    assert len(opened) == 1


def test_each_server_has_a_token_of_its_own_that_nobody_guesses(servers):
    started, _ = servers
    for port in (8632, 8633):
        av.lab(port=port)
    first, second = (own.token for own in started.values())
    assert first != second
    assert re.fullmatch(r"[\w-]{40,}", first)  # 256 bits, 6 in each letter


@pytest.mark.parametrize(
    "shown",
    [
        GRAPH,
        av.to_link(GRAPH),
        f"https://host.example/?g={av.to_link(GRAPH)}",
        av.to_json(GRAPH),
        av.show(GRAPH),
    ],
)
def test_what_holds_a_graph_is_opened(servers, shown):
    assert av.from_link(av.lab(shown, port=8632)) == GRAPH


def test_a_tour_opens_at_its_first_step(servers):
    tour = av.Tour(title="T", steps=(av.Step("A", "x = 1.0\ny = sin(x)"), av.Step("B", "x = 2.0")))
    for shown in (tour, av.tour_to_json(tour), av.tour_to_link(tour, 1, base="https://host.example/")):
        page = launch.lab(shown)
        assert av.read_tour(page) == tour
        assert "/?token=" in page
        assert "tourstep" not in page


def test_nothing_opens_the_lab_as_a_newcomer_finds_it(servers):
    started, _ = servers
    assert av.lab(port=8632) == f"http://127.0.0.1:8632/?token={started[8632].token}"


def test_a_graph_that_no_link_holds_is_refused_before_a_server_starts(servers):
    started, opened = servers

    def outside(x):
        return x * jax.pure_callback(abs, jax.ShapeDtypeStruct((), "float32"), jax.lax.stop_gradient(x))

    with pytest.raises(av.GraphError, match="'pure_callback' of JAX, which cannot leave this process"):
        av.lab(outside, 0.5, port=8632)
    with pytest.raises(av.GraphError, match="needs a link of"):
        av.lab(lambda x: x, jnp.sin(jnp.arange(20_000.0)), port=8632)
    assert (started, opened) == ({}, [])


def test_functions_of_jax_have_a_server_that_knows_them(servers):
    started, _ = servers
    av.lab(GRAPH, port=8632)
    address = av.lab(erfinv, 0.5)
    (port,) = {*started} - {8632}
    assert f":{port}/" in address
    assert [record["name"] for record in json.loads(started[port].process.ops)] == ["jax_erf_inv"]
    assert f":{port}/" in av.lab(erfinv, 0.25)  # the same function
    assert len(started) == 2
    with pytest.raises(av.GraphError, match="without functions of JAX"):
        av.lab(erfinv, 0.5, port=8632)


def test_the_package_is_still_a_package():
    assert callable(av.lab)
    assert av.lab.launch is launch


def test_the_server_is_the_app_on_this_machine_alone():
    words = launch.command(8632)
    assert words[:4] == [sys.executable, "-m", "streamlit", "run"]
    assert Path(words[4]).is_file()
    assert words[5:] == [
        "--server.port",
        "8632",
        "--server.headless",
        "true",
        "--server.address",
        "127.0.0.1",
    ]


def test_a_port_that_is_taken_is_not_chosen():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert launch._free_port() != taken.getsockname()[1]


def test_a_port_of_another_program_is_refused_in_words():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(av.GraphError, match="Another program serves on port"):
            launch.started(taken.getsockname()[1], "token")


@pytest.mark.parametrize("name", ["app.py", ".streamlit/config.toml"])
def test_the_package_has_the_app_and_its_settings_as_they_are_beside_it(name):
    """A host runs those beside it, and an installed package has only its own."""
    assert (launch.APP.parent / name).read_bytes() == (ROOT / name).read_bytes()


# The command line.


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "constants.py").write_text("SCALE = 3.0\n")
    (tmp_path / "mine.py").write_text(
        "import jax.numpy as jnp\nfrom constants import SCALE\n"
        "def loss(w, x=2.0):\n    return jnp.sum(SCALE * w * x)\n"
        "def ready(w=1.5):\n    return SCALE * w\n"
        "def made():\n    return loss, 1.0, 4.0\n"
    )
    (tmp_path / "code.py").write_text("import jax.numpy as jnp\nx = jnp.array(2.0)\ny = jnp.sin(x)\n")
    (tmp_path / "broken.py").write_text("raise SystemExit('it was run')\n")
    (tmp_path / "graph.json").write_text(av.to_json(GRAPH))
    return tmp_path


@pytest.mark.parametrize(
    ("words", "gradients"),
    [
        (["mine.py:loss", "5.0"], {"w": 6.0}),
        (["mine.py:loss", "[1.0, 2.0]", "4"], {"w": [12.0, 12.0]}),
        (["mine.py:ready"], {"w": 3.0}),
        (["mine.py:made"], {"w": 12.0, "x": 3.0}),
        (["code.py"], {"x": -0.41614684}),
        (["graph.json"], {"x": -0.41614684}),
        ([av.to_link(GRAPH)], {"x": -0.41614684}),
    ],
)
def test_the_command_line_names_a_graph(folder, words, gradients):
    shown = str(folder / words[0]) if (folder / words[0].partition(":")[0]).exists() else words[0]
    sys.modules.pop("mine", None)
    given = command_line.parser().parse_args([shown, *words[1:]])
    trace = av.trace(command_line.graph_named(given.shown, given.numbers))
    assert {name: pytest.approx(trace.gradient[name]) for name in gradients} == gradients


def test_the_command_line_opens_what_is_read_of_code_and_says_what_is_not(tmp_path, capsys):
    text = "import jax.numpy as jnp\nx = jnp.array(2.0)\nz = jnp.foo(x)\ny = jnp.sin(x)\n"
    cells = {"cells": [{"cell_type": "code", "source": ["!pip install jax\n", text]}]}
    for name, content in (("code.py", text), ("code.ipynb", json.dumps(cells))):
        (tmp_path / name).write_text(content)
        graph = command_line.graph_named(str(tmp_path / name))
        assert set(graph.by_name) == {"x", "y"}
        said = capsys.readouterr().err
        assert "3 of 4 statements were read; this name is unknown: `z`." in said
        assert "line 3, column 5: `jax.numpy.foo` is not read yet." in said
    (tmp_path / "code.py").write_text("import jax.numpy as jnp\nz = jnp.foo(2.0)\n")
    with pytest.raises(av.GraphError, match="is not read yet"):
        command_line.graph_named(str(tmp_path / "code.py"))


def test_the_command_line_names_a_tour(tmp_path):
    tour = av.Tour(title="T", steps=(av.Step("A", "x = 1.0"),))
    (tmp_path / "tour.json").write_text(av.tour_to_json(tour))
    assert command_line.graph_named(str(tmp_path / "tour.json")) == tour
    assert command_line.graph_named(av.tour_to_link(tour, base="https://host.example/")) == tour


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["mine.py:loss"], "needs w"),
        (["mine.py:lost"], "has no function 'lost'"),
        (["mine.py:loss", "five"], "'five' is no number"),
        (["absent.py:loss"], "cannot be read"),
        (["absent.json"], "cannot be read"),
        (["graph.json", "1.0"], "takes no arguments"),
        (["broken.py"], ""),
    ],
)
def test_a_mistake_on_the_command_line_is_said_and_nothing_starts(folder, servers, capsys, words, says):
    assert command_line.main([str(folder / words[0]), *words[1:]]) == 1
    assert says in capsys.readouterr().err
    assert servers == ({}, [])


def test_the_command_serves_until_it_is_ended(servers, capsys):
    assert command_line.main([av.to_link(GRAPH), "--port", "8632", "--no-browser"]) == 0
    started, opened = servers
    process, token = started[8632]
    assert (process.waited, opened) == (True, [])
    assert f"http://127.0.0.1:8632/?token={token}&g={av.to_link(GRAPH)}" in capsys.readouterr().out
