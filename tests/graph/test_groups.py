"""Test groups: what they may hold, what a refused one would need, and what edits leave of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph import edits
from autodiff_viz.graph.edits import (
    inserted,
    mended_group,
    renamed_frame,
    with_group,
    with_members,
    without_group,
)
from autodiff_viz.graph.frames import free_title, group_problems, outermost_first, smallest_group
from autodiff_viz.graph.model import Graph, Group, Node, Region
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.subgraph import extract, graft
from autodiff_viz.language.parse import parse
from tests.strategies import graphs

CHAIN = parse("x = 1.0\na = sin(x)\nb = exp(a)\nc = cos(b)\nz = tanh(c)")


def holding(**groups: str) -> Graph:
    return replace(CHAIN, groups=tuple(Group(name, frozenset(nodes)) for name, nodes in groups.items()))


def held(graph: Graph) -> dict[str, str]:
    return {group.name: "".join(sorted(group.nodes)) for group in graph.groups}


def code(change, *arguments) -> str:
    with pytest.raises(GraphError) as caught:
        change(*arguments)
    return caught.value.problems[0].code


def test_a_group_needs_no_path_to_stay_inside_it():
    assert held(with_group(CHAIN, Group("g", frozenset("xz")))) == {"g": "xz"}


@given(graphs(min_nodes=1, max_nodes=7), st.data())
def test_the_smallest_group_cuts_through_nothing_and_no_smaller_one_does(graph, data):
    names = data.draw(st.frozensets(st.sampled_from(sorted(graph.by_name)), min_size=1, max_size=3))
    whole = smallest_group(graph, names)

    def whole_or_apart(some: frozenset[str]) -> bool:
        return all(some.isdisjoint(f.nodes) or some <= f.nodes or f.nodes <= some for f in graph.frames)

    assert names <= whole
    assert whole_or_apart(whole)
    others = sorted(graph.by_name.keys() - names)
    fewer = (names | set(more) for k in range(len(whole - names)) for more in combinations(others, k))
    assert not any(whole_or_apart(some) for some in fewer)


@pytest.mark.parametrize("cut", ["group", "region"])
def test_a_group_that_cuts_through_another_frame_is_refused_with_both_names(cut):
    inside = frozenset("ab")
    frame = Group("there", inside) if cut == "group" else Region("there", inside)
    graph = with_group(CHAIN, frame) if cut == "group" else edits.with_region(CHAIN, frame)
    with pytest.raises(GraphError, match=r"'there' and Group 'new' share 'b', but neither holds"):
        with_group(graph, Group("new", frozenset("bc")))
    assert mended_group(graph, "new", frozenset("bc")) == frozenset("abc")


def test_a_region_that_cuts_through_a_group_is_refused():
    assert code(edits.with_region, holding(g="ab"), Region("r", frozenset("bc"))) == "groups-overlap"


@pytest.mark.parametrize("name", ["", "a/b", "<b>", "r", "h", "n" * 65])
def test_a_group_takes_no_bad_name_and_none_that_a_group_or_a_region_has(name):
    graph = replace(holding(g="a", h="b"), regions=(Region("r", frozenset("c")),))
    with pytest.raises(GraphError):
        renamed_frame(graph, "g", name)


def test_groups_are_numbered_from_the_second_one_on():
    graph = replace(holding(group="a", group_3="b"), regions=(Region("group_2", frozenset("c")),))
    assert free_title(CHAIN, "group") == "group"
    assert free_title(graph, "group") == "group_4"


def test_of_a_group_and_a_region_with_the_same_nodes_the_group_is_the_outer_one():
    region, group = Region("a", frozenset("x")), Group("b", frozenset("x"))
    assert outermost_first([region, group]) == [group, region]


def test_nodes_come_into_groups_and_go_and_an_empty_group_is_none():
    assert held(with_members(holding(g="a"), {"g": frozenset("ab")})) == {"g": "ab"}
    assert held(with_members(holding(g="a", h="b"), {"g": frozenset()})) == {"h": "b"}
    assert held(without_group(holding(g="a", h="b"), "g")) == {"h": "b"}


def test_deleted_and_renamed_nodes_are_followed():
    assert held(edits.without_nodes(holding(g="ab", h="b"), ["b"])) == {"g": "a"}
    assert held(edits.renamed(holding(g="ab"), "a", "q")) == {"g": "bq"}


def test_other_edits_keep_the_groups():
    graph = holding(g="ab")
    assert held(edits.with_node(graph, Node("n", "sin", ("z",)))) == {"g": "ab"}
    assert held(edits.with_wire(graph, "x", "c", 0)) == {"g": "ab"}


@pytest.mark.parametrize(("groups", "after"), [({"g": "ab"}, {"g": "abn"}), ({"g": "nz"}, {"g": "z"})])
def test_a_node_put_into_a_wire_belongs_to_the_groups_of_the_wire(groups, after):
    graph = edits.with_node(holding(**groups) if "n" not in str(groups) else CHAIN, Node("n", "cos", (None,)))
    graph = replace(graph, groups=holding(**groups).groups)
    assert held(inserted(graph, "n", "a", "b", 0)) == after


def test_a_copy_of_a_group_comes_with_a_name_of_its_own():
    graph = holding(g="ab", inner="b", apart="z")
    found = graft(graph, extract(graph, ["a", "b"]))
    assert held(found.graph) == {**held(graph), "g_1": "a_1b_1", "inner_1": "b_1"}
    assert found.title_of == {"g": "g_1", "inner": "inner_1"}


@given(graphs(min_nodes=2, max_nodes=7), st.data())
def test_pieces_of_a_graph_and_what_is_left_have_sound_groups(graph, data):
    names = data.draw(st.sets(st.sampled_from(sorted(graph.by_name)), min_size=1))
    piece = extract(graph, names)
    assert list(group_problems(piece)) == []
    assert list(group_problems(graft(graph, piece).graph)) == []
    assert list(group_problems(edits.without_nodes(graph, names))) == []
