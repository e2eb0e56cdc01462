from __future__ import annotations

import pytest

from autodiff_viz.graph import edits
from autodiff_viz.graph.model import Graph, Rule
from autodiff_viz.language.amend import amended
from autodiff_viz.language.parse import parse

TEXT = """# A fork.
x = 0.6   # radians

a = sin( x )
with checkpoint("r"):
    b = (a * 2.0) + exp(a)  # two uses of a
"""


def edit(action, *arguments) -> str | None:
    return amended(TEXT, action(parse(TEXT), *arguments))


def test_a_text_that_says_the_graph_stays_as_it_is():
    assert amended(TEXT, parse(TEXT)) == TEXT


def test_a_moved_node_changes_nothing_in_the_text():
    assert edit(edits.with_positions, {"a": (10.0, 20.0)}) == TEXT


def test_a_number_changes_where_it_stands():
    assert edit(edits.with_param, "x", "value", 0.75) == TEXT.replace("0.6", "0.75")


def test_a_rule_is_put_round_its_line():
    expected = TEXT.replace("a = sin( x )", "a = stop_gradient(sin(x))")
    assert edit(edits.with_rule, "a", Rule("stop")) == expected


def test_a_rule_is_put_round_a_step_inside_an_expression():
    expected = TEXT.replace("exp(a)", "stop_gradient(exp(a))")
    assert edit(edits.with_rule, "exp_1", Rule("stop")) == expected


def test_a_change_within_a_changed_line_is_written_once():
    graph = edits.with_rule(parse(TEXT), "mul_1", Rule("stop"))
    found = amended(TEXT, edits.with_rule(graph, "b", Rule("stop")))
    assert found is not None
    assert parse(found) == edits.with_rule(graph, "b", Rule("stop"))
    assert "# two uses of a" in found


@pytest.mark.parametrize(
    "graph",
    [
        edits.without_nodes(parse(TEXT), ["a"]),
        edits.renamed(parse(TEXT), "a", "c"),
        edits.without_region(parse(TEXT), "r"),
        edits.with_output(parse(TEXT), "a"),
        Graph(),
    ],
    ids=["deleted", "renamed", "no region", "output", "empty"],
)
def test_where_more_than_a_piece_changes_there_is_no_text(graph):
    assert amended(TEXT, graph) is None


def test_a_text_with_mistakes_is_no_text_of_any_graph():
    assert amended("y = sin(", parse(TEXT)) is None
