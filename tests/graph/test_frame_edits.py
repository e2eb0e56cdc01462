"""Test what regions hold, and the smallest set that would do, against a search through all sets."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph.edits import mended, renamed_frame, with_members, with_region
from autodiff_viz.graph.model import Graph, Node, Region
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.strategies import graphs

CHAIN = parse("x = 1.0\na = sin(x)\nb = exp(a)\nc = cos(b)\nz = tanh(c)")


def possible(graph: Graph, names: frozenset[str]) -> bool:
    try:
        with_region(graph, Region("new", names))
    except GraphError:
        return False
    return True


def supersets(graph: Graph, names: frozenset[str], most: int):
    others = sorted(graph.by_name.keys() - names)
    for more in range(most - len(names)):
        yield from (names | set(added) for added in combinations(others, more))


@given(graphs(min_nodes=1, max_nodes=7, empty=False), st.data())
def test_the_smallest_region_is_possible_and_no_smaller_one_is(graph, data):
    names = data.draw(st.frozensets(st.sampled_from(sorted(graph.by_name)), min_size=1, max_size=3))
    whole = mended(graph, "new", names)
    if whole is None:  # regions may be too deep already
        assert not any(possible(graph, some) for some in supersets(graph, names, len(graph.nodes) + 1))
        return
    assert names <= whole
    assert possible(graph, whole)
    assert not any(possible(graph, some) for some in supersets(graph, names, len(whole)))


def test_a_gap_in_a_chain_is_what_the_smallest_region_fills():
    assert mended(CHAIN, "new", frozenset({"a", "c"})) == {"a", "b", "c"}


def test_a_region_that_is_cut_comes_in_whole():
    graph = with_region(CHAIN, Region("r", frozenset({"b", "c"})))
    assert mended(graph, "new", frozenset({"a", "b"})) == {"a", "b", "c"}


def test_two_regions_that_would_wait_for_each_other_become_one():
    p, q = Node("p", "sin", ("x",)), Node("q", "sin", ("x",))
    nodes = (
        Node("x", "input", (), (("value", 1.0),)),
        p,
        q,
        Node("s", "sin", ("q",)),
        Node("t", "sin", ("p",)),
    )
    graph = Graph(nodes, (Region("r", frozenset({"p", "s"})),), "s")
    assert mended(graph, "new", frozenset({"q", "t"})) == {"p", "q", "s", "t"}


def test_nodes_come_into_a_region_and_go():
    graph = with_region(CHAIN, Region("r", frozenset({"a"})))
    wider = with_members(graph, {"r": frozenset({"a", "b"})})
    assert wider.regions == (Region("r", frozenset({"a", "b"})),)
    assert with_members(wider, {"r": frozenset({"a"})}) == graph


def test_a_region_without_nodes_is_none():
    graph = with_region(CHAIN, Region("r", frozenset({"a"})))
    assert with_members(graph, {"r": frozenset()}) == CHAIN


def test_a_node_that_goes_is_no_longer_kept_by_name():
    region = Region("r", frozenset({"a", "b"}), "save_only_these_names", frozenset({"a", "b"}))
    (after,) = with_members(with_region(CHAIN, region), {"r": frozenset({"a"})}).regions
    assert after.saved == {"a"}


def test_two_regions_change_at_once_where_one_by_one_would_be_refused():
    graph = with_region(CHAIN, Region("outer", frozenset({"a", "b"})))
    graph = with_region(graph, Region("inner", frozenset({"b"})))
    after = with_members(graph, {"inner": frozenset({"b", "c"}), "outer": frozenset({"a", "b", "c"})})
    assert {region.name: set(region.nodes) for region in after.regions} == {
        "outer": {"a", "b", "c"},
        "inner": {"b", "c"},
    }


@pytest.mark.parametrize("name", ["", "a/b", "<b>", "s", "n" * 65])
def test_a_region_takes_no_bad_name_and_no_taken_one(name):
    graph = with_region(with_region(CHAIN, Region("r", frozenset({"a"}))), Region("s", frozenset({"z"})))
    with pytest.raises(GraphError):
        renamed_frame(graph, "r", name)


def test_a_renamed_region_keeps_what_it_holds():
    graph = with_region(CHAIN, Region("r", frozenset({"a"}), "dots_saveable"))
    assert renamed_frame(graph, "r", "my block").regions == (
        Region("my block", frozenset({"a"}), "dots_saveable"),
    )
