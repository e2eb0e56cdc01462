"""Test two graphs as one file: both programs run, and the difference turns A into B."""

from __future__ import annotations

import re
from io import BytesIO
from zipfile import ZipFile

import pytest

from autodiff_viz.explain.compare.source import twins_file, twins_texts
from autodiff_viz.graph import edits
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from tests.export.programs import assert_same, run_here

GAN = "theta = 1.0\nphi = 0.5\nfake = stop_gradient(theta * 2.0)\nd = sigmoid(phi * fake)\nloss = -log(d)"


def both():
    return parse(GAN), parse(GAN.replace("stop_gradient", ""))


def test_both_programs_have_the_numbers_of_their_graphs():
    a, b = both()
    texts = twins_texts(a, b, seed=2.0)
    for name, graph in (("a.py", a), ("b.py", b)):
        assert_same(graph, run_here(texts[name]), seed=2.0)


def patched(text: str, change: str) -> str:
    """The text with a unified difference applied, as `patch` would."""
    lines, found, at = text.splitlines(), [], 0
    for line in change.splitlines()[2:]:
        if hunk := re.match(r"@@ -(\d+)", line):
            found += lines[at : int(hunk[1]) - 1]
            at = int(hunk[1]) - 1
        elif line[0] == "+":
            found.append(line[1:])
        else:
            assert lines[at] == line[1:]
            found += [lines[at]] if line[0] == " " else []
            at += 1
    return "\n".join([*found, *lines[at:], ""])


@pytest.mark.parametrize(
    ("a", "b", "change"), [("a.py", "b.py", "programs.diff"), ("a.txt", "b.txt", "formulas.diff")]
)
def test_the_difference_turns_a_into_b(a, b, change):
    texts = twins_texts(*both())
    assert texts[a] != texts[b]
    assert patched(texts[a], texts[change]) == texts[b]


def test_an_unfinished_graph_has_its_formula_alone():
    a = parse(GAN)
    texts = twins_texts(a, edits.without_wire(a, "loss", 0))
    assert {*texts} == {"a.txt", "b.txt", "formulas.diff"}
    assert texts["a.txt"] == show(a)


def test_the_file_holds_the_texts_and_is_the_same_again():
    held = ZipFile(BytesIO(twins_file(*both())))
    assert {name: held.read(name).decode() for name in held.namelist()} == twins_texts(*both())
    assert twins_file(*both()) == twins_file(*both())
