"""Test claims of the README and the documents: formulas, programs, and the ten files to read."""

import re

import pytest

import autodiff_viz as av
from tests.readme import FORMULAS, PROGRAMS, ROOT, claimed, program


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_of_the_documents_is_a_whole_graph_that_the_whole_program_confirms(formula):
    graph = av.parse(formula)
    assert av.problems(graph) == ()
    assert av.verify(av.trace(graph)).agrees


@pytest.mark.parametrize("block", PROGRAMS)
def test_the_python_of_the_documents_gives_the_numbers_beside_it(block):
    assert claimed(block)
    exec(compile(program(block), "README.md", "exec"), {"__name__": "readme"})


def test_no_number_of_the_documents_passes_for_prose():
    comments = [text for block in PROGRAMS for text in re.findall(r"# (.*)", block)]
    numbers = [text for text in comments if re.match(r"[-\d\[({'\"]|True|False|[A-Z]\w*\(", text)]
    assert len(numbers) == sum(len(claimed(block)) for block in PROGRAMS) >= 10


def test_a_number_that_does_not_hold_is_found():
    with pytest.raises(AssertionError, match=r"1 \+ 1"):
        exec(program("import autodiff_viz as av\n1 + 1  # 3: not so"), {})


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
HOUR = ARCHITECTURE.partition("## Read it in an hour")[2].partition("\n## ")[0]
TRAVELS = ARCHITECTURE.partition("## How an edit travels")[2].partition("\n## ")[0]
READ, ON_THE_WAY = (re.findall(r"^\d+\. `([\w/]+\.\w+)`: (.*)", part, re.M) for part in (HOUR, TRAVELS))


def test_the_readme_is_a_screen_and_a_half():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 75
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()) <= 60


def test_the_files_to_read_in_an_hour_are_ten():
    assert len(READ) == len({file for file, _ in READ}) == 10


@pytest.mark.parametrize(("file", "text"), [*READ, *ON_THE_WAY])
def test_a_file_to_read_in_an_hour_has_the_names_that_are_told_of_it(file, text):
    source = (ROOT / "autodiff_viz" / file).read_text("utf-8")
    names = [name for name in re.findall(r"`(\w+)`", text) if name != "sin"]
    assert names or (file, text) in ON_THE_WAY
    for name in names:
        assert re.search(rf"^(export )?(def|class|function|const) {name}\b|^{name}\b.* = ", source, re.M), (
            name
        )
