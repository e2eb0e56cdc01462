"""Check that Python, which lays a graph out afresh, and the browser, which shows the whole, agree on when."""

from __future__ import annotations

import json
import subprocess
from itertools import product
from pathlib import Path

import pytest

from autodiff_viz.canvas.drawing import Picture, drawing
from autodiff_viz.language.parse import parse, replaces
from tests.web.node import node

SCRIPT = Path(__file__).parents[1] / "web" / "replaced.mjs"

TEXTS = {
    "three": "x = 1.0\na = sin(x)\ny = exp(a)",
    "another op": "x = 1.0\na = cos(x)\ny = exp(a)",
    "two others": "x = 1.0\na = cos(x)\ny = log(a)",
    "longer": "x = 1.0\na = sin(x)\ny = exp(a)\nb = y * y\nc = b + a\nd = c * 2.0",
    "much longer": "x = 1.0\na = sin(x)\ny = exp(a)\nb = y * y\nc = b + a\nd = c * 2.0\ne = d\nf = tanh(e)",
    "other names": "u = 1.0\nv = sin(u)\nw = exp(v)",
    "steps": "x = 1.0\ny = exp(sin(x * x) + x)",
    "other steps": "x = 1.0\ny = exp(sin(x + x) * x)",
    "steps of another": "x = 1.0\nw = 2.0\ny = sin(exp(w) * w + x * w)",
    "one": "x = 1.0",
}

REPLACED = {
    ("three", "another op"): False,
    ("three", "two others"): True,  # x stays, of three
    ("three", "longer"): False,  # half of six
    ("three", "much longer"): True,
    ("three", "other names"): True,
    ("steps", "other steps"): True,  # x stays, and y by its name; none of the three steps reads what it read
}
"""Of some pairs what is right by the rule's words, counted by hand."""


@pytest.fixture(scope="module")
def said():
    """What the browser says of each pair of the texts."""
    found = node()
    if found is None:
        pytest.skip("no node")
    drawn = {name: drawing(Picture(parse(text), None, {}, (), None, 0)).data for name, text in TEXTS.items()}
    pairs = list(product(TEXTS, TEXTS))
    lines = "\n".join(json.dumps([drawn[before], drawn[after]]) for before, after in pairs)
    done = subprocess.run([found, SCRIPT], input=lines, capture_output=True, text=True, check=True)
    return {pair: line == "true" for pair, line in zip(pairs, done.stdout.split(), strict=True)}


def test_python_and_the_browser_say_the_same_of_all_pairs(said):
    assert {pair: replaces(parse(TEXTS[pair[1]]), parse(TEXTS[pair[0]])) for pair in said} == said


def test_both_say_what_the_rule_says(said):
    assert {pair: said[pair] for pair in REPLACED} == REPLACED
