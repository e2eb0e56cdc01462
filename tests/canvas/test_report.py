"""Test the report: what it holds, and that no text of the graph breaks its Markdown."""

import re

import pytest

import autodiff_viz as av
from autodiff_viz.export.notebooks import fenced, in_cell

TRACE = av.trace(av.parse("x = 3.0\ny = x * x"))


def test_a_report_has_formula_code_numbers_versions_and_picture():
    text = av.report(TRACE)
    assert "```\nx = 3.0\ny = x * x\n```" in text
    assert "| `x` | `3` | `3` | `6` | `6` |" in text  # by hand: the derivative of x * x at 3 is 6
    assert "import jax" in text
    assert "<svg" in text
    for name, version in av.versions().items():
        assert f"{name} `{version}`" in text
    assert "Python `3." in text


def test_the_link_opens_the_graph_again():
    link = re.search(r"\(<(.*)>\)", av.report(TRACE, base="https://lab.example/"))[1]
    assert link.startswith("https://lab.example/")
    assert av.from_link(link) == TRACE.graph
    payload = re.search(r"```\n(\S+)\n```", av.report(TRACE))[1]
    assert av.from_link(payload) == TRACE.graph


def test_a_picture_is_folded_behind_empty_lines():
    """Markdown reads what is in an HTML element only behind an empty line."""
    text = av.report(TRACE)
    assert text.count("<details>") == text.count("</details>") == 2
    assert len(re.findall(r"</summary>\n\n```", text)) == 2


@pytest.mark.parametrize("evil", ["a```b", "````", "`"])
def test_a_fence_is_longer_than_any_in_the_text(evil):
    first, *_, last = fenced(evil).split("\n")
    assert first == last
    assert first not in evil


@pytest.mark.parametrize("evil", ["a|b", "a\n| b |", "`|`", "<b>", "[x](y)"])
def test_a_cell_stays_one_cell(evil):
    text = in_cell(evil)
    assert "\n" not in text
    assert not re.search(r"(?<!\\)\|", text)
    assert text.startswith("`")


def test_a_group_named_like_markup_stays_in_its_block():
    graph = av.parse('x = 0.5\nwith checkpoint("r-1 x.y"):\n    y = sin(x)')
    assert av.report(graph).count("```") % 2 == 0
