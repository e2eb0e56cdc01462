"""Test pieces of random graphs, extracted and inserted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph import limits
from autodiff_viz.graph.check import UNFINISHED, problems
from autodiff_viz.graph.model import Graph, Node, Region, params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.subgraph import detached, extract, graft
from tests.strategies import graphs


@st.composite
def pieces(draw):
    """A graph and some of its nodes' names."""
    graph = draw(graphs(min_nodes=1))
    return graph, draw(st.sets(st.sampled_from(sorted(graph.by_name))))


def undone(node: Node, back: dict[str, str]) -> Node:
    """The node under the name that it had in its piece, and so its wires to other nodes of the piece."""
    slots = tuple(back.get(slot, slot) if isinstance(slot, str) else slot for slot in node.slots)
    return replace(node, name=back[node.name], slots=slots)


@given(graphs())
def test_a_whole_graph_put_into_an_empty_one_is_that_graph(graph):
    assert graft(Graph(), extract(graph, graph.by_name)).graph == graph


@given(pieces())
def test_a_graph_keeps_all_that_it_had_when_a_piece_is_put_in(made):
    graph, names = made
    after = graft(graph, extract(graph, names)).graph
    assert after.nodes[: len(graph.nodes)] == graph.nodes
    assert after.regions[: len(graph.regions)] == graph.regions
    assert after.output == graph.output


@given(pieces())
def test_a_copy_is_the_original_but_for_its_names(made):
    graph, names = made
    found = graft(graph, extract(graph, names))
    back = {new: old for old, new in found.name_of.items()}
    copies = found.graph.nodes[len(graph.nodes) :]
    assert {undone(node, back) for node in copies} == {graph[name] for name in names}
    assert set(back).isdisjoint(graph.by_name)
    assert len(back) == len(names)


@given(pieces())
def test_regions_wholly_inside_are_copied_and_no_others(made):
    graph, names = made
    found = graft(graph, extract(graph, names))
    copies = found.graph.regions[len(graph.regions) :]
    back = {new: old for old, new in found.name_of.items()}
    assert {frozenset(back[name] for name in region.nodes) for region in copies} == {
        region.nodes for region in graph.regions if region.nodes <= names
    }
    assert len({region.name for region in found.graph.regions}) == len(found.graph.regions)


@given(pieces())
def test_a_copy_brings_no_problem_that_a_graph_may_not_have(made):
    graph, names = made
    after = graft(graph, detached(extract(graph, names))).graph
    assert {problem.code for problem in problems(after)} <= UNFINISHED


def test_wires_from_outside_come_from_the_node_of_that_name_or_from_nowhere():
    source = Graph((Node("x", "input", (), params(value=1.0)), Node("y", "sin", ("x",))), (), "y")
    piece = extract(source, ["y"])
    assert graft(source, piece).graph["y_1"].slots == ("x",)
    assert graft(Graph(), piece).graph["y"].slots == (None,)


def test_a_taken_name_gets_the_next_free_number_in_place_of_its_own():
    names = ["sin_1", "sin_2", "x"]
    source = Graph(tuple(Node(name, "input", (), params(value=1.0)) for name in names), (), "x")
    assert graft(source, source).name_of == {"sin_1": "sin_3", "sin_2": "sin_4", "x": "x_1"}


def test_a_fresh_name_is_none_that_another_node_of_the_piece_keeps():
    there = Graph((Node("a", "input"),), (), "a")
    piece = Graph((Node("a", "input"), Node("a_1", "input")), (), "a")
    assert graft(there, piece).name_of == {"a": "a_2", "a_1": "a_1"}


def test_what_a_checkpoint_saves_is_renamed_with_it():
    node = Node("a", "input", (), params(value=1.0))
    region = Region("r", frozenset("a"), "save_only_these_names", frozenset("a"))
    graph = Graph((node,), (region,), "a")
    copy = graft(graph, graph).graph.regions[1]
    assert (copy.name, copy.nodes, copy.saved) == ("r_1", {"a_1"}, {"a_1"})


def test_an_unknown_node_is_refused():
    with pytest.raises(GraphError, match="no node 'q'"):
        extract(Graph(), ["q"])


@pytest.mark.parametrize("what", ["nodes", "regions"])
def test_a_piece_that_would_be_too_much_is_refused(what):
    nodes = tuple(Node(f"n{i}", "input", (), params(value=1.0)) for i in range(limits.NODES))
    regions = tuple(Region(f"r{i}", frozenset({"n0"})) for i in range(limits.REGIONS))
    full = Graph(nodes, (), "n0") if what == "nodes" else Graph(nodes[:1], regions, "n0")
    with pytest.raises(GraphError, match="limit"):
        graft(full, replace(full, nodes=full.nodes[:1], regions=full.regions[:1]))
