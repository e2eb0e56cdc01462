"""Test edits: new graphs, and refusals with a reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph import edits, limits
from autodiff_viz.graph.check import problems
from autodiff_viz.graph.frames import convex_hull
from autodiff_viz.graph.model import Graph, Lambda, Node, Region, Rule, params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.strategies import graphs

X = Node("x", "input", (), params(value=1.0))
SIN = Node("sin_1", "sin", ("x",))
Z = Node("z", "mul", ("sin_1", "x"))
GRAPH = Graph((X, SIN, Z), (Region("r", frozenset({"sin_1"})),), "z")


def refused(edit, *args) -> str:
    with pytest.raises(GraphError) as caught:
        edit(*args)
    return caught.value.problems[0].code


def sound(graph: Graph) -> bool:
    return {problem.code for problem in problems(graph)} <= {"empty-slot", "bad-rule", "regions-entangled"}


def some_name(data, graph: Graph) -> str:
    return data.draw(st.sampled_from([node.name for node in graph.nodes]))


def test_the_first_node_becomes_the_output():
    assert edits.with_node(Graph(), X) == Graph((X,), (), "x")


def test_a_node_added_beside_the_output_leaves_it():
    assert edits.with_node(GRAPH, Node("y", "input")).output == "z"


def test_a_node_added_behind_the_output_becomes_the_output():
    assert edits.with_node(GRAPH, Node("y", "exp", ("z",))).output == "y"


def test_a_wire_from_the_output_moves_it_to_the_only_end_downstream():
    graph = Graph((*GRAPH.nodes, Node("a", "exp", (None,)), Node("b", "exp", ("a",))), (), "z")
    assert edits.with_wire(graph, "z", "a", 0).output == "b"


def test_a_wire_from_the_output_leaves_it_where_two_ends_are_downstream():
    nodes = (Node("a", "exp", (None,)), Node("b", "exp", ("a",)), Node("c", "exp", ("a",)))
    assert edits.with_wire(Graph((*GRAPH.nodes, *nodes), (), "z"), "z", "a", 0).output == "z"


def test_a_wire_replaces_what_the_slot_holds():
    assert edits.with_wire(GRAPH, "x", "z", 0)["z"].slots == ("x", "x")


def test_a_wire_that_closes_a_circle_is_refused_with_the_circle():
    with pytest.raises(GraphError, match="circle: ") as caught:
        edits.with_wire(GRAPH, "z", "sin_1", 0)
    (problem,) = caught.value.problems
    assert problem.code == "cycle"
    assert set(problem.path) == {"sin_1", "z"}


def test_a_node_may_not_be_wired_to_itself():
    assert refused(edits.with_wire, GRAPH, "z", "z", 1) == "cycle"


def test_a_circle_read_from_a_file_can_be_opened():
    loop = Graph((Node("a", "add", ("b", "a")), Node("b", "sin", ("a",))), (), "b")
    opened = edits.without_wire(edits.without_wire(loop, "a", 1), "a", 0)
    assert [problem.code for problem in problems(opened)] == ["empty-slot", "empty-slot"]


@pytest.mark.parametrize(
    ("edit", "args", "code"),
    [
        (edits.with_node, (X,), "duplicate-name"),
        (edits.with_node, (Node("1", "input"),), "bad-name"),
        (edits.with_node, (Node("y", "sin", ("gone",)),), "unknown-node"),
        (edits.with_node, (Node("y", "sin", ("y",)),), "cycle"),
        (edits.with_wire, ("gone", "z", 0), "unknown-node"),
        (edits.with_wire, ("x", "gone", 0), "unknown-node"),
        (edits.with_wire, ("x", "z", 2), "unknown-slot"),
        (edits.with_wire, ("x", "z", -1), "unknown-slot"),
        (edits.with_constant, ("z", 0, float("nan")), "bad-literal"),
        (edits.with_constant, ("z", 0, "x"), "bad-literal"),
        (edits.with_param, ("x", "value", 1e31), "bad-literal"),
        (edits.with_rule, ("z", Rule("rewrite")), "bad-rule"),
        (edits.with_rule, ("z", Rule("backward_as"), "gone"), "unknown-node"),
        (edits.with_rule, ("sin_1", Rule("backward_as"), "z"), "cycle"),
        (edits.renamed, ("x", "z"), "duplicate-name"),
        (edits.renamed, ("x", "for"), "bad-name"),
        (edits.renamed, ("gone", "y"), "unknown-node"),
        (edits.with_positions, ({"x": (0.0, 1e7)},), "bad-position"),
        (edits.with_positions, ({"gone": (0.0, 0.0)},), "unknown-node"),
        (edits.with_output, ("gone",), "unknown-node"),
        (edits.with_region, (Region("s", frozenset({"x", "z"})),), "region-not-convex"),
        (edits.with_region, (Region("s", frozenset({"sin_1", "gone"})),), "unknown-node"),
        (edits.without_region, ("gone",), "unknown-region"),
        (edits.without_nodes, (["gone"],), "unknown-node"),
        (edits.without_slot, ("z", 2), "unknown-slot"),
    ],
)
def test_an_edit_that_cannot_be_is_refused(edit, args, code):
    assert refused(edit, GRAPH, *args) == code


def test_no_node_is_added_beyond_the_limit():
    full = Graph(tuple(Node(f"x{i}", "input") for i in range(limits.NODES)), (), "x0")
    assert refused(edits.with_node, full, X) == "too-many-nodes"


def test_a_deleted_node_with_one_source_heals_the_wire():
    after = edits.without_nodes(GRAPH, ["sin_1"])
    assert after == Graph((X, Node("z", "mul", ("x", "x"))), (), "z")


def test_a_deleted_stretch_heals_as_a_whole():
    chain = Graph((X, *(Node(f"s{i}", "sin", (f"s{i - 1}" if i else "x",)) for i in range(5))), (), "s4")
    assert edits.without_nodes(chain, ["s3", "s1", "s2"])["s4"].slots == ("s0",)


def test_a_deleted_node_with_two_sources_leaves_empty_slots():
    graph = Graph((*GRAPH.nodes, Node("out", "exp", ("z",))), (), "out")
    assert edits.without_nodes(graph, ["z"])["out"].slots == (None,)


def test_a_deleted_output_is_followed_by_what_it_read():
    graph = Graph((*GRAPH.nodes, Node("out", "exp", ("z",)), Node("other", "exp", ("x",))), (), "out")
    assert edits.without_nodes(graph, ["out"]).output == "z"
    assert edits.without_nodes(graph, ["out", "z"]).output == "sin_1"


def test_deleting_all_nodes_leaves_an_empty_graph():
    assert edits.without_nodes(GRAPH, ["x", "sin_1", "z"]) == Graph()


def test_backward_as_brings_a_slot_and_takes_it_away():
    entered = edits.with_rule(GRAPH, "z", Rule("backward_as"))
    assert entered["z"].slots == ("sin_1", "x", None)
    wired = edits.with_wire(entered, "x", "z", 2)
    assert edits.with_rule(wired, "z", Rule("backward_as")) == wired
    assert edits.with_rule(wired, "z", Rule("stop"))["z"].slots == ("sin_1", "x")


def test_a_rule_with_its_alternative_is_one_edit():
    assert edits.with_rule(GRAPH, "z", Rule("backward_as"), "sin_1")["z"].slots == ("sin_1", "x", "sin_1")


def test_a_new_slot_goes_before_the_alternative():
    entered = edits.with_rule(GRAPH, "z", Rule("backward_as"), "x")
    assert edits.with_more_slots(entered, "z")["z"].slots == ("sin_1", "x", None, "x")
    assert edits.without_slot(entered, "z", 0)["z"].slots == ("x", "x")


def test_a_constant_takes_the_place_of_a_wire():
    assert edits.with_constant(GRAPH, "z", 1, 2.0)["z"].slots == ("sin_1", 2.0)


def test_a_parameter_is_set_and_removed():
    low = edits.with_param(GRAPH, "x", "low", -5.0)
    assert low["x"].params == (("low", -5.0), ("value", 1.0))
    assert edits.with_param(low, "x", "low", None) == GRAPH


def test_a_new_name_is_followed_by_wires_regions_saved_names_and_output():
    region = Region("r", frozenset({"sin_1", "z"}), "save_only_these_names", frozenset({"z"}))
    after = edits.renamed(Graph((X, SIN, Z), (region,), "z"), "z", "loss")
    renamed_region = Region("r", frozenset({"sin_1", "loss"}), "save_only_these_names", frozenset({"loss"}))
    assert after == Graph((X, SIN, Node("loss", "mul", ("sin_1", "x"))), (renamed_region,), "loss")
    assert edits.renamed(GRAPH, "x", "u")["z"].slots == ("sin_1", "u")


def test_arguments_of_a_function_keep_their_names():
    rule = Rule("rewrite", Lambda(("x",), ("x",)))
    graph = edits.with_rule(GRAPH, "z", rule)
    assert edits.renamed(graph, "x", "u")["z"].rule == rule


def test_free_names_fill_gaps_and_stay_within_the_limit():
    assert edits.free_name(GRAPH, "sin") == "sin_2"
    assert edits.free_name(GRAPH, "cos") == "cos_1"
    assert len(edits.free_name(GRAPH, "n" * 90)) <= limits.NAME


def test_a_region_is_changed_by_its_name():
    after = edits.with_region(GRAPH, Region("r", frozenset({"sin_1", "z"})))
    assert [region.nodes for region in after.regions] == [{"sin_1", "z"}]
    assert edits.without_region(after, "r").regions == ()


@given(graphs(min_nodes=1), st.data())
def test_deleting_nodes_leaves_a_sound_graph(graph, data):
    names = [node.name for node in graph.nodes]
    after = edits.without_nodes(graph, data.draw(st.sets(st.sampled_from(names))))
    assert sound(after)


@given(graphs(min_nodes=1), st.data())
def test_renaming_there_and_back_is_nothing(graph, data):
    name = some_name(data, graph)
    assert edits.renamed(edits.renamed(graph, name, "fresh"), "fresh", name) == graph


@given(graphs(min_nodes=1), st.data())
def test_a_wire_is_either_drawn_or_would_close_a_circle(graph, data):
    source, target = some_name(data, graph), some_name(data, graph)
    slots = range(len(graph[target].slots))
    for slot in slots:
        try:
            drawn = edits.with_wire(graph, source, target, slot)
        except GraphError:
            assert target in convex_hull(graph, [source, target])
        else:
            assert drawn[target].slots[slot] == source


@given(graphs(min_nodes=1), st.data())
def test_a_hull_can_always_be_made_a_region(graph, data):
    bare = Graph(graph.nodes, (), graph.output)
    hull = convex_hull(bare, [some_name(data, bare), some_name(data, bare)])
    assert edits.with_region(bare, Region("r", hull)).regions == (Region("r", hull),)


@given(graphs(min_nodes=1), st.data())
def test_any_node_can_stop_and_follow_again(graph, data):
    name = some_name(data, graph)
    stopped = edits.with_rule(graph, name, Rule("stop"))
    assert stopped[name].slots == graph[name].op_slots
    assert sound(edits.with_rule(stopped, name, Rule()))


def test_a_graph_with_other_names_alone_tells_them():
    graph = parse("x = 2.0\na = x * 3.0\nb = a + x")
    after = edits.renamed(edits.renamed(graph, "x", "k"), "b", "x")
    assert edits.new_names(graph, after) == {"x": "k", "b": "x"}
    assert edits.new_names(after, graph) == {"k": "x", "x": "b"}
    moved = edits.with_positions(after, {"a": (5.0, 5.0)})
    assert edits.new_names(graph, moved) == {"x": "k", "b": "x"}
    for other in (graph, parse("k = 2.0\na = k * 4.0\nx = a + k"), parse("k = 2.0\na = k * 3.0")):
        assert edits.new_names(graph, other) == {}
