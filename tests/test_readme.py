"""What the README says, tried."""

import re
from pathlib import Path

import pytest

import autodiff_viz as av

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
FORMULA, CODE = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_formula_of_the_readme_is_a_whole_graph_that_the_whole_program_confirms():
    graph = av.parse(FORMULA)
    assert av.problems(graph) == ()
    assert av.verify(av.trace(graph)).agrees


def test_the_python_of_the_readme_gives_the_numbers_beside_it():
    text = re.search(r'av\.parse\("(.*)"\)', CODE)[1].replace("\\n", "\n")
    trace = av.trace(av.parse(text))
    assert trace.value["s"] == pytest.approx(0.704041, rel=1e-5)
    assert trace.cotangent["x"] == pytest.approx(-0.9129453, rel=1e-5)
    assert trace.runs["s"] == av.Runs(forward=1, backward=1, kept=0)
    assert "trace.runs" in CODE
    assert "Runs(forward=1, backward=1, kept=0)" in CODE


@pytest.mark.parametrize("name", re.findall(r"\]\(([\w./]+)\)", README))
def test_what_the_readme_links_to_is_there(name):
    assert (Path(__file__).parents[1] / name).exists()
