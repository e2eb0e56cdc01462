"""Test nodes inserted into wires, and wires whose ends move."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph.check import problems
from autodiff_viz.graph.edits import inserted, rewired, with_node, without_nodes
from autodiff_viz.graph.model import Graph, Node, Region
from autodiff_viz.graph.problem import GraphError
from tests import strategies

X, A, B = Node("x", "input"), Node("a", "sin", ("x",)), Node("b", "mul", ("a", "x"))
CHAIN = Graph((X, A, B, Node("n", "cos", (None,))), output="b")
OPS = (strategies.Spec("identity", 1), strategies.Spec("add", 2))


def test_a_node_put_into_a_wire_reads_its_start_and_feeds_its_end():
    after = inserted(CHAIN, "n", "a", "b", 0)
    assert (after["n"].slots, after["b"].slots, after.output) == (("a",), ("n", "x"), "b")


def test_it_reads_with_its_first_empty_slot():
    graph = with_node(CHAIN, Node("m", "where", (1.0, None, None)))
    assert inserted(graph, "m", "x", "a", 0)["m"].slots == (1.0, "x", None)


def test_it_belongs_to_the_regions_that_hold_both_ends():
    graph = Graph(CHAIN.nodes, (Region("r", frozenset("ab")), Region("s", frozenset("a"))), "b")
    after = inserted(graph, "n", "a", "b", 0)
    assert [region.nodes for region in after.regions] == [frozenset("abn"), frozenset("a")]
    assert {problem.code for problem in problems(after)} == set()


@pytest.mark.parametrize(
    ("source", "target", "slot"), [("x", "b", 0), ("a", "b", 5), ("x", "x", 0), ("q", "b", 0)]
)
def test_a_wire_that_is_not_there_takes_no_node(source, target, slot):
    with pytest.raises(GraphError, match="No wire leads"):
        inserted(CHAIN, "n", source, target, slot)


def test_a_node_is_not_put_into_a_wire_of_its_own_ancestors():
    with pytest.raises(GraphError, match="circle"):
        inserted(CHAIN, "b", "x", "a", 0)


def test_a_wire_plugged_in_elsewhere_leaves_an_empty_slot_and_replaces_what_it_meets():
    after = rewired(CHAIN, "a", ("b", 0), ("b", 1))
    assert after["b"].slots == (None, "a")


def test_a_wire_is_not_plugged_in_where_it_would_close_a_loop():
    graph = Graph((X, A, Node("b", "sin", ("a",))), output="b")
    with pytest.raises(GraphError, match="circle"):
        rewired(graph, "a", ("b", 0), ("a", 0))


@given(strategies.graphs(OPS, max_nodes=8), st.data())
def test_deleting_a_node_put_into_a_wire_gives_the_graph_back(graph, data):
    wires = [(source, node.name, slot) for node in graph.nodes for slot, source in node.wires]
    if not wires:
        return
    wider = with_node(graph, Node("fresh", "identity", (None,)))
    after = inserted(wider, "fresh", *data.draw(st.sampled_from(wires)))
    assert without_nodes(after, ["fresh"]) == graph
