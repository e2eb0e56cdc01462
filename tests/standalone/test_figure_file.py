"""Test the file of a figure: its numbers, its size, and that it asks nothing of anyone."""

from __future__ import annotations

import json
import math
import re
import zlib
from base64 import b64decode, b64encode
from functools import cache
from hashlib import sha256

import msgspec
import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.standalone.data import lab_of, state_of
from autodiff_viz.standalone.page import html_of, parts, shared_files, steps_of

FIFTEEN = """x = 0.6
y = 1.5
w = parameter([0.5, -1.0, 2.0])
a = sin(x)
b = a * y
c = exp(a)
with checkpoint("square"):
    d = b * c
e = w * d
f = relu(e)
g = sum(f)
h = rewrite(log(g), lambda v: 0.5 * v)
i = h * h
j = stop_gradient(i)
k = j * a
z = k + b
"""
HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(2)">&amp;{title}'


@cache
def written(formula: str, **options) -> str:
    return av.to_html(av.parse(formula), check=False, **options)


def held(file: str) -> dict:
    return json.loads(re.search(r'id="held">(.*?)</script>', file, re.DOTALL)[1])


def states(file: str) -> list[dict]:
    return json.loads(zlib.decompress(b64decode(held(file)["packed"])))["states"]


def test_a_graph_of_fifteen_nodes_takes_at_most_370_kilobytes():
    file = written(FIFTEEN)
    (state,) = states(file)
    assert len(state["drawing"]["nodes"]) >= 15
    assert {table["input"] for table in state["tables"]} == {"x", "y"}
    assert len(file.encode()) <= 375_000


def test_figures_of_one_site_share_script_and_style_and_take_a_fourth():
    lab = lab_of(av.parse(FIFTEEN))
    file = html_of([state_of(lab, "", False)], "", False, shared="../figures/")
    alone = html_of([state_of(lab, "", False)], "", False)
    assert re.findall(r'(?:src|href)="([^"]*)"', file) == ["../figures/figure.css", "../figures/figure.js"]
    assert "script-src 'self'; style-src 'self' 'unsafe-inline'" in file
    assert shared_files().keys() == {"figure.css", "figure.js"}
    assert states(file) == states(alone)
    assert 4 * len(file) < len(alone)


def test_the_numbers_are_those_of_the_function():
    """In float64, by central differences of the function written by hand."""
    (state,) = states(written("x = 0.6\ny = 1.5\na = sin(x)\nz = a * y + exp(a)"))

    def z(x: float, y: float) -> float:
        return math.sin(x) * y + math.exp(math.sin(x))

    nodes = {node["id"]: node for node in state["drawing"]["nodes"]}
    by_x = (z(0.6 + 1e-6, 1.5) - z(0.6 - 1e-6, 1.5)) / 2e-6
    assert nodes["z"]["value"] == pytest.approx(z(0.6, 1.5), rel=1e-6)
    assert nodes["x"]["cotangent"] == pytest.approx(by_x, rel=1e-5)
    assert nodes["y"]["cotangent"] == pytest.approx(math.sin(0.6), rel=1e-6)
    assert state["nodes"]["a"]["arriving"] == pytest.approx(1.5 + math.exp(math.sin(0.6)), rel=1e-6)
    table = next(table for table in state["tables"] if table["input"] == "x")
    rows = np.frombuffer(b64decode(table["numbers"]), "<f4").reshape(table["count"], -1)
    places = np.linspace(table["low"], table["high"], table["count"])
    column = table["columns"].index(["value", "z", 0])
    np.testing.assert_allclose(rows[:, column], [z(x, 1.5) for x in places], atol=2e-6)


def test_a_trace_is_shown_with_its_own_inputs_seed_and_dtype():
    graph = av.parse("x = 2.0\ny = x * x")
    (state,) = states(av.to_html(av.trace(graph, {"x": 3.0}, 10.0, dtype="float64"), check=False))
    x, y = state["drawing"]["nodes"]
    assert (x["value"], y["value"], x["cotangent"], state["drawing"]["dtype"]) == (3.0, 9.0, 60.0, "float64")
    assert [row["value"] for row in state["drawing"]["sliders"]["rows"]] == [3.0]


def test_the_whole_program_is_compared_on_request():
    graph = av.parse("x = 2.0\ny = x * x")
    assert "Whole-program jax.vjp agrees on all" in av.to_html(graph)
    assert "agrees on all" not in written("x = 2.0\ny = x * x")


def test_what_is_pinned_can_be_flipped_to_and_is_compared():
    b, a = av.parse("x = 2.0\ny = x * x"), av.parse("x = 2.0\ny = stop_gradient(x) * x")
    first, second = states(av.to_html(b, pinned=a, check=False))
    assert (first["twin"], second["twin"]) == (1, 0)
    assert [state["drawing"]["twins"]["letter"] for state in (first, second)] == ["B", "A"]
    assert [state["drawing"]["nodes"][0]["cotangent"] for state in (first, second)] == [4.0, 2.0]


def test_why_nothing_arrives_paths_and_the_pass_are_there():
    (state,) = states(written("x = 2.0\na = x * 3.0\ny = stop_gradient(a) * 2.0"))
    assert "stop" in state["nodes"]["x"]["why"]["says"]
    assert "edit" not in state["nodes"]["x"]["why"]
    assert state["paths"]["a"]["rows"] == []
    assert [step["node"] for step in state["play"]["steps"]][:2] == ["x", "a"]


def test_only_its_own_script_may_run_and_nothing_is_asked_of_anyone():
    file = written(FIFTEEN, base="https://lab.example/")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', file)[1]
    script = re.search(r"<script>(.*?)</script>", file, re.DOTALL)[1]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert policy.split("; ") == [
        "default-src 'none'",
        f"script-src 'sha256-{digest}'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    asks = r"\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon|EventSource|import\(|@import|url\((?![#\"']+)"
    assert re.findall(asks, file) == []
    markup = re.sub(r"<script.*?</script>", "", file, flags=re.DOTALL)
    assert re.findall(r"\b(?:src|srcset|action|poster)=", markup) == []
    known = {"http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"}
    assert set(re.findall(r"https?://[\w./]+", file)) <= {*known, "https://lab.example/"}


def test_texts_and_names_end_no_element():
    file = written("x = 2.0\ny = x * x", title=HOSTILE, text=HOSTILE)
    assert file.count("<script") == 2
    assert file.count("</script") == 2
    assert "<img" not in file
    assert held(file)["first"]["title"] == HOSTILE


def test_the_file_names_its_versions_and_leads_to_the_lab():
    file = written("x = 2.0\ny = x * x", base="https://lab.example/?view=lessons")
    versions = av.versions()
    assert f"Computed by autodiff_viz {versions['autodiff_viz']} with JAX {versions['jax']}." in file
    link = states(file)[0]["link"]
    assert link.startswith("https://lab.example/?g=")
    assert av.from_link(link) == av.parse("x = 2.0\ny = x * x")
    assert "https://" not in re.sub(r"http://www\.w3\.org/\S+", "", written("x = 2.0\ny = x * x"))


def test_without_a_script_and_on_paper_there_is_a_picture_with_a_table():
    still = re.search(r'<div class="still">(.*?)</div>\n<footer', written(FIFTEEN), re.DOTALL)[1]
    assert still.count("<svg") == 1
    names = re.findall(r'<th scope="row">(\w+)</th>', still)
    assert {*names} == {node.name for node in av.parse(FIFTEEN).nodes}


@pytest.mark.parametrize(
    ("given", "options", "code"),
    [
        ("x = 1.0", {}, "not-a-graph"),
        (av.Graph(), {}, "not-a-program"),
        (av.parse("x = 1.0"), {"pinned": "x = 1.0"}, "not-a-graph"),
        (av.parse("x = 1.0"), {"base": "lab"}, "link-base"),
        (av.parse("x = 1.0"), {"title": 2}, "not-a-text"),
        (av.parse("x = 1.0"), {"text": "a" * 2001}, "too-long"),
    ],
)
def test_a_mistake_of_the_caller_is_a_problem(given, options, code):
    with pytest.raises(av.GraphError) as caught:
        av.to_html(given, check=False, **options)
    assert [problem.code for problem in caught.value.problems] == [code]


def test_the_script_has_nothing_that_talks_to_a_server_or_stores_an_edit():
    script, _ = parts()
    assert [
        word for word in ("sessionStorage", "lab-socket", "pushState", "modulepreload") if word in script
    ] == []
    assert "DecompressionStream" in script


ASKED = av.Tour(
    title="Forks",
    steps=(
        av.Step(
            title="A fork",
            formula="x = 3.0\na = 2.0 * x\nb = square(x)\nz = 1000.0 * a + b",
            caption="Two wires leave `x`.",
            text="At **x** arrives 2006.",
            questions=(av.Question("number", av.Quantity("cotangent", "x")),),
            hides="cotangents",
        ),
        av.Step(title="Without", formula="x = 3.0\nz = x * x", text="[More](https://x.example) of _it_."),
    ),
)


def test_a_tour_asks_before_it_shows_and_judges_by_itself():
    file = av.to_html(ASKED, check=False)
    assert len(file.encode()) <= 383_000
    assert "2006" not in file
    first, second = states(file)
    plain = json.dumps({**first, "hidden": ""})
    assert "2006" not in plain
    assert "2000" not in plain  # what arrives over one of both wires
    hidden = json.loads(zlib.decompress(b64decode(first["hidden"])))
    (state,) = hidden["after"]
    assert next(node for node in state["drawing"]["nodes"] if node["id"] == "x")["cotangent"] == 2006.0
    assert hidden["tables"][0]["answer"]["text"] == "2006"
    assert (first["text"], state["text"]) == (
        "Two wires leave x.",
        "Two wires leave x.\n\nAt x arrives 2006.",
    )
    assert second["text"] == "More of it."


def test_a_tour_without_steps_is_no_figure():
    with pytest.raises(av.GraphError, match="The tour has no steps"):
        av.to_html(av.Tour(title="Empty"))


def test_sliders_of_an_asked_graph_come_after_the_answer():
    question = av.Question("number", av.Quantity("cotangent", "x"))
    step = av.Step(
        title="Fork", formula="x = 3.0\nz = 2.0 * x + square(x)", questions=(question,), hides="cotangents"
    )
    (state,) = states(av.to_html(av.Tour(title="Fork", steps=(step,)), check=False))
    sliders = state["drawing"]["sliders"]
    assert (sliders["rows"], sliders["says"]) == ([], "Sliders come after the answer.")


def test_a_count_and_an_answer_of_an_author_are_in_what_judges_alone():
    """617 + 617 numbers are kept: a region around one sine gives up a slope, and keeps what enters it."""
    formula = (
        'x = input(shape=(617,), seed=1)\na = sin(x)\nwith checkpoint("last"):\n    b = sin(a)\ny = sum(b)'
    )
    about = av.Quantity("kept", "y")
    questions = (
        av.Question("number", about),
        av.Question("number", about, words="And in the end?", right="73512.5"),
        av.Question("choice", about, words="Saved?", options=("heaps", "zilch"), right="zilch"),
    )
    step = av.Step(title="A sine", formula=formula, questions=questions, hides="asked")
    (state,) = states(av.to_html(av.Tour(title="Sines", steps=(step,)), check=False))
    judges = json.loads(zlib.decompress(b64decode(state.pop("hidden"))))
    told = json.dumps(state, ensure_ascii=False)
    assert not any(text in told for text in ("1234", "73512.5", "×2", "dropped", "runs again", "is kept"))
    assert told.count("heaps") == told.count("zilch") > 0
    assert state["play"]["steps"] == []
    assert [table["answer"]["text"] for table in judges["tables"]] == ["1234", "73512.5", "zilch"]
    assert '"dropped": 1' in json.dumps(judges["after"][-1])  # the slope of b needs a, which is kept
    assert judges["after"][-1]["play"]["steps"]


TENSOR = "x = [17.31, 2.77, 5.13]\nw = parameter([41.77, 1.37, 8.83])\na = x * w\nb = a * a\ny = sum(b)"


def numbers_of(data: object) -> set[float]:
    """All numbers of some data to five digits, those in its texts and in packed arrays too."""
    if isinstance(data, dict | list):
        parts = data.values() if isinstance(data, dict) else data
        return set().union(*map(numbers_of, parts))
    found = [data] if isinstance(data, int | float) else []
    if isinstance(data, str):
        written = re.findall(r"\d[\d,]*\.?\d*(?:e[+-]?\d+)?", data)
        found = [float(each.replace(",", "")) for each in written]
        if len(data) % 4 == 0 and re.fullmatch(r"[\w+/]{8,}={0,2}", data, re.ASCII):
            packed = b64decode(data)
            for kind, size in (("<f4", 4), ("<f8", 8)):
                found += np.frombuffer(packed[: len(packed) // size * size], kind).tolist()
    return {float(f"{abs(each):.4e}") for each in found}


@pytest.mark.every
@pytest.mark.parametrize("hides", ["cotangents", "asked"])
@pytest.mark.parametrize("kind", ["number", "zero", "shape"])
def test_no_array_of_hidden_numbers_is_in_the_file_before_the_answer(kind, hides):
    """What arrives at w is 2 w x^2, worked out by hand."""
    question = av.Question(kind, av.Quantity("cotangent", "w"))
    step = av.Step("S", TENSOR, questions=(question,), hides=hides)
    (made,) = steps_of(av.Tour(title="T", steps=(step,)), "", False)
    state = json.loads(msgspec.json.encode(made.data))
    judges = json.loads(zlib.decompress(b64decode(state.pop("hidden"))))
    secret = {float(f"{2 * w * x * x:.4e}") for x, w in ((17.31, 41.77), (2.77, 1.37), (5.13, 8.83))}
    assert numbers_of(state) & secret == set()
    assert numbers_of(judges["after"][-1]) >= secret
