"""Test that cuts divide a graph in segments; expectations are drawn by hand."""

from dataclasses import replace

import pytest
from hypothesis import given

from autodiff_viz.graph import limits
from autodiff_viz.graph.check import problems
from autodiff_viz.graph.cuts import graph_segments, idle_cuts, segment_of, with_cuts
from autodiff_viz.graph.model import INPUT, Graph, Node
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import ancestors
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.subgraph import extract, graft
from autodiff_viz.language.parse import parse
from tests.strategies import graphs

TWO = """w = parameter(2.0)
x = 1.0
a = sin(x * w)
h = cut(exp(a))
z = h * w
"""


def parts(text: str) -> list[set[str]]:
    return [set(segment.nodes) for segment in graph_segments(parse(text))]


def test_a_graph_without_cuts_has_no_segments():
    assert graph_segments(parse("x = 1.0\ny = sin(x)")) == ()


def test_a_segment_takes_what_earlier_ones_give_and_reads_its_own_inputs():
    first, second = graph_segments(parse(TWO))
    assert first.nodes == ("mul_1", "a", "h")
    assert (first.inputs, first.takes, first.gives) == (("x", "w"), (), ("h",))
    assert (second.nodes, second.inputs, second.takes, second.gives) == (("z",), ("w",), ("h",), ("z",))


def test_a_value_may_skip_a_segment():
    text = "x = 1.0\na = cut(sin(x))\nb = cut(exp(a))\nz = a * b"
    assert parts(text) == [{"a"}, {"b"}, {"z"}]
    assert graph_segments(parse(text))[2].takes == ("a", "b")


def test_side_by_side_models_are_segments_of_their_own():
    assert parts("x = 1.0\na = cut(sin(x))\nb = cut(exp(x))\nz = a + b") == [{"a"}, {"b"}, {"z"}]


def test_what_the_output_does_not_depend_on_joins_nothing():
    text = "x = 1.0\na = cut(sin(x))\nb = exp(a)\np = sin(x)\nq = p + a\nreturn b"
    assert parts(text) == [{"a"}, {"b"}]


@pytest.mark.parametrize(
    ("text", "node", "path"),
    [
        ("x = 1.0\np = sin(x)\na = cut(cos(p))\nb = a + p", "a", "a <- p -> b"),
        ("x = 1.0\np = sin(x)\na = cut(cos(p))\nb = cut(exp(a))\nz = p * b", "b", "b <- a <- p -> z"),
    ],
)
def test_a_cut_with_a_way_round_it_divides_nothing_and_says_the_way(text, node, path):
    assert len(parts(text)) == 1
    assert dict(idle_cuts(parse(text)))[node].endswith(f"another path leads round it, {path}.")


def test_a_cut_at_the_end_divides_nothing():
    ((node, why),) = idle_cuts(parse("x = 1.0\na = cut(sin(x))"))
    assert node == "a"
    assert "nothing comes after it" in why


def test_a_cut_that_divides_is_not_idle():
    assert idle_cuts(parse(TWO)) == ()


def test_of_several_nodes_inputs_are_not_cut_and_alone_they_are_refused():
    graph = with_cuts(parse("x = 1.0\na = sin(x)\nb = exp(a)"), ["x", "a"], True)
    assert [node.name for node in graph.nodes if node.cut] == ["a"]
    assert with_cuts(graph, ["a"], False) == parse("x = 1.0\na = sin(x)\nb = exp(a)")
    with pytest.raises(GraphError, match="belongs to every segment"):
        with_cuts(graph, ["x"], True)


def test_there_is_a_limit_on_cuts():
    chain = [Node("n0", INPUT, (), (("value", 1.0),))]
    chain += [Node(f"n{i + 1}", "sin", (f"n{i}",), cut=True) for i in range(limits.CUTS + 1)]
    found = problems(Graph(tuple(chain), (), chain[-1].name))
    assert [problem.code for problem in found] == ["too-many-cuts"]


def test_no_edit_cuts_a_graph_into_more_segments_than_it_may_have():
    chain = [Node("n0", INPUT, (), (("value", 1.0),))]
    chain += [Node(f"n{i + 1}", "sin", (f"n{i}",), cut=i < limits.CUTS) for i in range(limits.CUTS + 1)]
    graph = Graph(tuple(chain), (), chain[-1].name)
    with pytest.raises(GraphError, match="the limit is 64"):
        with_cuts(graph, [chain[-1].name], True)
    with pytest.raises(GraphError, match="the limit of 64"):
        graft(graph, extract(graph, ["n1"]))
    assert not any(node.cut for node in with_cuts(graph, graph.by_name, False).nodes)


@given(graphs())
def test_segments_hold_every_needed_node_once_and_read_only_earlier_ones(graph):
    found = graph_segments(graph)
    number = segment_of(graph)
    if not any(node.cut for node in graph.nodes):
        return
    runs = played(graph)
    needed = ancestors(runs, [runs.output])
    assert sorted(name for segment in found for name in segment.nodes) == sorted(
        name for name in needed if runs[name].op != INPUT
    )
    for i, segment in enumerate(found):
        assert all(graph[name].cut and number[name] < i for name in segment.takes)


@given(graphs())
def test_cuts_are_part_of_a_graph(graph):
    node = next((node for node in graph.nodes if node.op != INPUT), None)
    if node:
        assert with_cuts(graph, [node.name], not node.cut) != graph
        assert with_cuts(with_cuts(graph, [node.name], not node.cut), [node.name], node.cut) == replace(graph)
