"""Test adding and removing a branch, whatever joins the branches of the group."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.branches.resize import grown, shrunk, with_branches
from autodiff_viz.branches.train_one import branches_of
from autodiff_viz.graph import edits, limits
from autodiff_viz.graph.model import Group, Region, Rule
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.branching import WAYS, inside, running, stacked

ways = st.sampled_from(WAYS)


def code(change, *arguments) -> str:
    with pytest.raises(GraphError) as caught:
        change(*arguments)
    return caught.value.problems[0].code


@given(ways, st.integers(1, 5), st.booleans())
def test_a_branch_more_and_less_is_the_same_graph(way, k, placed):
    graph = parse(way(k))
    if placed:
        graph = edits.with_positions(graph, {n.name: (3.0 * i, 7.0 * i) for i, n in enumerate(graph.nodes)})
    more = grown(graph, "gate")
    assert more != graph
    assert shrunk(more, "gate") == graph


@given(ways, st.integers(1, 4))
def test_the_branches_that_were_there_stay_as_they_are(way, k):
    graph = parse(way(k))
    more = grown(graph, "gate")
    before, after = branches_of(graph, "gate"), branches_of(more, "gate")
    assert after[:-1] == before
    held = frozenset().union(*(branch.nodes for branch in before))
    assert {more[name] for name in held} == {graph[name] for name in held}


@given(ways, st.integers(1, 4))
def test_what_is_drawn_in_the_new_branch_is_drawn_from_seeds_of_its_own(way, k):
    more = grown(parse(way(k)), "gate")
    seeds = [node.param("seed") for node in more.nodes if node.param("shape") and node.op == "input"]
    assert len(set(seeds)) == len(seeds) == 1 + 2 * (k + 1)


@pytest.mark.parametrize("way", WAYS[:1] + WAYS[3:5] + (running, inside)[:1], ids=lambda way: way.__name__)
@pytest.mark.parametrize("k", range(2, 5))
def test_grown_from_one_it_is_as_if_written_with_as_many(way, k):
    """Apart from what is drawn, and the weights, of which the last is repeated."""
    found, wanted = with_branches(parse(way(1)), "gate", k), parse(way(k))
    assert with_branches(found, "gate", 1) == parse(way(1))
    shape = [sorted((n.op, len(n.slots), n.rule.kind) for n in graph.nodes) for graph in (found, wanted)]
    assert shape[0] == shape[1]
    assert [len(branch.nodes) for branch in branches_of(found, "gate")] == [3] * k
    assert found["logits"].param("value") == (0.1,) * k


def test_a_running_sum_picks_the_next_weight():
    more = grown(parse(running(3)), "gate")
    wanted = parse(running(4).replace("seed=4)", "seed=101)").replace("seed=24)", "seed=102)"))
    assert more["logits"].param("value") == (0.1, 0.2, 0.3, 0.3)
    assert more == edits.with_param(wanted, "logits", "value", (0.1, 0.2, 0.3, 0.3))


def test_a_stack_takes_one_more_and_the_weights_too():
    more = grown(parse(stacked(2)), "gate")
    wanted = parse(stacked(3).replace("seed=3)", "seed=101)").replace("seed=23)", "seed=102)"))
    assert more == edits.with_param(wanted, "logits", "value", (0.1, 0.2, 0.2))


ONLY = """x = 2.0
with branches("g"):
    with group("g_1"):
        w = parameter(0.5)
        a = w * x
"""
SECOND = """    with group("g_2"):
        w_2 = parameter(0.5)
        a_2 = w_2 * x
    add_1 = a + a_2
"""


def test_a_sum_begins_where_nothing_joins_the_only_branch():
    assert grown(parse(ONLY + "z = tanh(a)"), "g") == parse(ONLY + SECOND + "z = tanh(add_1)")
    assert grown(parse(ONLY), "g") == parse(ONLY + SECOND)


def test_weights_with_names_of_their_own_come_in_number_as_the_branches():
    text = """x = 2.0
p_1 = 0.25
p_2 = 0.75
with branches("g"):
    with group("g_1"):
        a_1 = sin(x)
    with group("g_2"):
        a_2 = sin(x)
y = p_1 * a_1 + p_2 * a_2
"""
    more = grown(parse(text), "g")
    assert more["p_3"].param("value") == 0.75
    assert set(more["p_3"].wires) == set()
    assert shrunk(more, "g") == parse(text)
    assert more[more.output].slots[0] == "y"


def test_branches_without_a_join_are_no_sum():
    second = SECOND.replace("    add_1 = a + a_2", "z = a * a_2")
    assert code(grown, parse(ONLY + second), "g") == "branches-apart"


WEIGHED = "reshape(p, (-1, 1, 1, 1, 1)) * s"


def test_a_length_that_counts_branches_counts_on():
    spread = stacked(2).replace(WEIGHED, "broadcast_to(reshape(p, (2, 1, 1, 1, 1)), (2, 1, 4, 4, 1)) * s")
    more = grown(parse(spread), "gate")
    assert sorted(n.param("shape") for n in more.nodes if n.op in ("reshape", "broadcast_to")) == [
        (3, 1, 1, 1, 1),
        (3, 1, 4, 4, 1),
    ]


def test_a_length_that_may_be_another_one_is_not_guessed():
    unclear = stacked(2).replace(WEIGHED, "reshape(expand_dims(s, 0), (1, 2, 1, 4, 4, 2))")
    assert code(grown, parse(unclear), "gate") == "ambiguous-count"


def test_what_reads_the_last_branch_keeps_it():
    graph = parse(stacked(2) + "side = mean(o_2)\nall = loss + side")
    assert code(shrunk, graph, "gate") == "branch-read"


def test_there_is_always_a_first_and_there_may_be_a_last():
    graph = parse(stacked(1))
    assert code(shrunk, graph, "gate") == "last-branch"
    most = with_branches(graph, "gate", limits.BRANCHES)
    assert code(grown, most, "gate") == "too-many-branches"
    assert code(with_branches, graph, "gate", 10**9) == "too-many-branches"


def test_regions_and_groups_in_a_branch_come_with_it():
    graph = parse(stacked(2))
    graph = replace(
        graph,
        regions=(Region("r", frozenset({"o_2"}), "save_only_these_names", frozenset({"o_2"})),),
        groups=(
            *graph.groups,
            Group("weights", frozenset({"w_2", "b_2"})),
            Group("all", frozenset(graph.by_name)),
        ),
    )
    more = grown(graph, "gate")
    frames = {frame.name: frame for frame in more.frames}
    assert frames["r_2"] == Region("r_2", frozenset({"o_3"}), "save_only_these_names", frozenset({"o_3"}))
    assert frames["weights_2"].nodes == {"w_3", "b_3"}
    assert frames["all"].nodes == set(more.by_name)
    assert shrunk(more, "gate") == graph


def test_a_copy_of_a_stopped_parameter_is_free():
    graph = edits.with_rule(parse(stacked(2)), "w_2", Rule("stop"))
    more = grown(graph, "gate")
    assert (more["w_2"].rule.kind, more["w_3"].rule.kind) == ("stop", "follow")


def test_branches_are_in_the_order_of_their_numbers():
    graph = with_branches(parse(stacked(1)), "gate", 11)
    assert [branch.name for branch in branches_of(graph, "gate")] == [f"gate_{i}" for i in range(1, 12)]
