"""Test what notebooks and terminals show of answers: figure, picture with its numbers, table, text."""

from __future__ import annotations

import inspect
import io
import re
import sys
from base64 import b64decode
from dataclasses import replace
from types import SimpleNamespace
from typing import get_args, get_type_hints

import pytest
from PIL import Image

import autodiff_viz as av
from autodiff_viz.canvas.svg import overview
from autodiff_viz.display.colours import light, rgb
from autodiff_viz.graph.model import Group
from autodiff_viz.graph.shown import Several, Shown
from autodiff_viz.lab.launch import Page
from autodiff_viz.standalone import notebook
from autodiff_viz.standalone.painted import painted
from autodiff_viz.standalone.write import PIXELS

GRAPH = av.parse("x = 2.0\na = x * 3.0\ny = a * x")
TRACE = av.trace(GRAPH)  # y = 3 x^2: 12, and 6 x = 12 arrives at x
LARGE = av.trace(av.parse("x_0 = 1.0\n" + "\n".join(f"x_{i + 1} = sin(x_{i})" for i in range(60))))
HOSTILE = "</script><img src=x onerror=alert(1)>"


class Shell:
    """What is asked of IPython, with a cell that runs."""

    def __init__(self, types: tuple[str, ...] = ("text/plain", "text/html")):
        self.display_formatter = SimpleNamespace(active_types=types)
        self.execution_count = 0
        self.cell = ""

    def run(self, cell: str) -> Shell:
        self.execution_count += 1
        self.cell = cell
        return self

    def get_parent(self) -> dict:
        return {"metadata": {"cellId": self.cell}}


@pytest.fixture
def shell(monkeypatch) -> Shell:
    made = Shell()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: made))
    monkeypatch.setattr(notebook, "_brought", {})
    return made


def html(thing) -> str:
    return thing._repr_mimebundle_()["text/html"]


def test_every_record_that_a_public_function_returns_shows_itself():
    """But for the pairs of `check_inputs` and `check_node`, which stand in a dictionary."""
    returned = set()
    for name in av.__all__:
        function = getattr(av, name)
        function = function.__call__ if inspect.ismodule(function) else function
        if inspect.isfunction(function):
            found = get_type_hints(function)["return"]
            returned |= {kind for kind in (found, *get_args(found)) if inspect.isclass(kind)}
    ours = {kind for kind in returned if kind.__module__.startswith("autodiff_viz")}
    in_tables = {av.Lint, av.Plan, av.PlayStep, av.Problem, av.Difference, av.XlaMemory}
    assert {av.Trace, av.Graph, av.Reading, av.Field, av.Tour} <= ours
    assert [kind for kind in ours - in_tables if not issubclass(kind, Shown)] == []
    several = av.lints(TRACE), av.plans(TRACE), av.play(TRACE), av.problems(GRAPH)
    assert [type(each) for each in several] == [Several] * 4


def test_a_terminal_has_the_numbers_as_a_table():
    rows = [line.split() for line in str(TRACE).splitlines()]
    assert rows[1:] == [["node", "value", "cotangent"], ["x", "2", "12"], ["a", "6", "2"], ["y", "12", "1"]]


def test_no_figure_is_made_for_a_terminal(shell, monkeypatch):
    shell.display_formatter.active_types = ["text/plain"]
    monkeypatch.setattr(notebook, "cell_of", None)
    assert [*TRACE._repr_mimebundle_()] == ["text/plain"]


def test_a_notebook_may_ask_for_some_types_alone():
    assert [*TRACE._repr_mimebundle_(include={"image/png"})] == ["image/png"]
    assert "text/html" not in TRACE._repr_mimebundle_(exclude={"text/html"})


def test_the_first_cell_brings_the_script_and_brings_it_again_when_it_runs_again(shell):
    sizes = {}
    for at, cell in enumerate(["one", "two", "one", "two", "one"]):
        shell.run(cell)
        sizes[at] = len(html(TRACE))
    assert sizes[0] == sizes[2] == sizes[4] > 100_000
    assert sizes[1] == sizes[3] < 30_000
    again = html(TRACE)  # a second figure of the same cell
    assert len(again) < 30_000


def test_a_trace_of_three_nodes_costs_at_most_40_kilobytes_after_the_first(shell):
    html(av.trace(GRAPH))
    shell.run("two")
    bundle = TRACE._repr_mimebundle_()
    assert {*bundle} == {"text/plain", "text/html", "image/png"}
    assert sum(len(text.encode()) for text in bundle.values()) <= 40_000


def test_colab_and_marimo_whose_cells_are_apart_have_the_script_in_each(shell, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    assert len(html(TRACE)) == len(html(TRACE)) > 100_000
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    monkeypatch.delitem(sys.modules, "google.colab")
    assert len(html(TRACE)) == len(html(TRACE)) > 100_000


def test_without_scripts_a_picture_and_the_numbers_are_left():
    left = re.sub(r"<script>.*?</script>", "", html(TRACE), flags=re.DOTALL)
    assert left.count("<img") == 1
    assert re.findall(r"<th scope=\"row\">(\w+)</th><td>(.*?)</td><td>(.*?)</td>", left) == [
        ("x", "2", "12"),
        ("a", "6", "2"),
        ("y", "12", "1"),
    ]


def chain(count, every=None):
    """A chain with short cuts, of which the nodes of a group are `every` many."""
    reads = (f"x_{i} * x_{max(0, i - 5)}" if i % 3 == 0 else f"sin(x_{i})" for i in range(count - 1))
    graph = av.parse("\n".join(("x_0 = 1.0", *(f"x_{i} = {read}" for i, read in enumerate(reads, 1)))))
    names = [node.name for node in graph.nodes]
    starts = range(0, count, every) if every else ()
    return replace(graph, groups=tuple(Group(f"layer {i}", frozenset(names[i : i + every])) for i in starts))


@pytest.mark.parametrize(
    ("every", "says", "drawn"),
    [
        (None, "Of 402 nodes, the 20 nearest to the output.", {"x_401", "x_395"}),
        (50, "402 nodes, with each outermost group as one card.", {"layer 0", "layer 400"}),
        (
            4,
            "Of 402 nodes, with each outermost group as one card, the 20 nearest to the output.",
            {"layer 396"},
        ),
    ],
)
def test_a_large_graph_has_an_overview_that_says_what_is_in_it_within_40_kilobytes(every, says, drawn):
    graph = chain(402, every)
    svg = overview(graph).svg
    assert all(f">{name}<" in svg for name in drawn)
    assert f">{says} The lab shows all of them: av.lab(graph).<" in svg
    assert svg.count("<rect") == (9 if every == 50 else 20)
    bundle = graph._repr_mimebundle_()
    assert {*bundle} == {"text/plain", "text/html", "image/png"}
    assert says in bundle["text/html"]
    assert sum(len(text.encode()) for text in bundle.values()) <= 40_000


def test_an_overview_has_what_the_fewest_wires_lead_from_to_the_output_and_without_one_the_last():
    lines = ["x = 1.0", *(f"a_{i} = x * {i}.0" for i in range(500)), "near = sin(x)", "y = near + a_7"]
    svg = overview(av.parse("\n".join(lines))).svg
    assert {*re.findall(r'16" fill="[^"]+">([^<]+)<', svg)} == {"x", "near", "a_7", "y"}
    last = overview(replace(chain(500), output=None))
    assert last.says.startswith("Of 500 nodes, the last 20.")
    assert ">x_499<" in last.svg


def test_what_has_no_figure_has_its_picture_and_its_table():
    assert html(GRAPH).count("<script") == 0
    assert html(GRAPH).count("<img") == html(LARGE).count("<img") == 1
    assert html(LARGE).count("<script") == 0
    huge = av.parse("x_0 = 1.0\n" + "\n".join(f"x_{i + 1} = sin(x_{i})" for i in range(401)))
    assert "and 342 more" in html(huge)


def test_a_page_shows_its_graph_and_leads_to_the_lab():
    page = Page("http://localhost:8501/?g=1", GRAPH)
    assert page == str(page) == "http://localhost:8501/?g=1"
    assert html(page).count("<img") == 1
    assert 'href="http://localhost:8501/?g=1"' in html(page)
    assert "<img" not in html(Page("http://localhost:8501/", None))


def test_a_reading_is_told_in_few_words():
    reading = av.read(
        "import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x * x.detach()\ny.backward()"
    )
    assert repr(reading) == "<Reading of torch: 3 nodes, 1 change>"
    assert "line 3: detach() became stop_gradient()" in str(reading)
    assert len(str(reading)) < 600
    assert html(reading).count("<img") == 1


def test_texts_end_no_element():
    shown = html(av.Tour(title=HOSTILE, summary=HOSTILE, steps=(av.Step(HOSTILE, "x = 1.0\ny = x * x"),)))
    scripts = re.findall(r"<script>(.*?)</script>", shown, re.DOTALL)
    assert len(scripts) == shown.count("<script") == shown.count("</script")
    assert "<img src=x" not in shown


def pixels(svg: str) -> Image.Image:
    return Image.open(io.BytesIO(painted(svg, PIXELS).png)).convert("RGB")


def test_shapes_are_painted_where_they_stand():
    """A square, a line up and down, a curve whose middle is worked out by hand, and a text."""
    ink, blue, ground = light("ink"), light("value"), light("raised")
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 0 100 50" style="background: {ground}">'
        f'<g transform="translate(10 5)"><rect x="0" y="0" width="10" height="10" fill="{ink}"/></g>'
        f'<path d="M30 10H50" fill="none" stroke="{blue}" stroke-width="4"/>'
        f'<path d="M30 20C30 40 70 40 70 20" fill="none" stroke="{ink}" stroke-width="4"/>'
        f'<path d="M0 45H80" fill="none" stroke="{ink}" stroke-width="4" stroke-dasharray="20 20"/></svg>'
    )
    image = pixels(svg)
    assert image.size == (200, 100)

    def at(x: float, y: float) -> tuple[int, ...]:
        return image.getpixel((round((x + 10) * 2), round(y * 2)))

    def near(found: tuple[int, ...], colour: str) -> bool:
        return max(abs(a - b) for a, b in zip(found, rgb(colour), strict=True)) < 40

    assert near(at(15, 10), ink)
    assert near(at(25, 10), ground)
    assert near(at(40, 10), blue)
    assert near(at(50, 35), ink)  # half way: (20 + 3 * 40 + 3 * 40 + 20) / 8
    assert near(at(50, 25), ground)
    assert [near(at(x, 45), ink) for x in (10, 30, 50, 70)] == [True, False, True, False]


def test_the_picture_of_a_trace_is_as_sharp_as_screens_are_and_that_of_a_large_one_has_a_bound():
    drawn = painted(notebook.picture(TRACE), PIXELS)
    image = Image.open(io.BytesIO(drawn.png))
    assert image.width == pytest.approx(2 * drawn.width, abs=1)
    wide = Image.open(io.BytesIO(b64decode(LARGE._repr_mimebundle_(include=["image/png"])["image/png"])))
    assert wide.width * wide.height <= 1_600_000
