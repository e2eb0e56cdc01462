"""Test structure checks: each mistake is found, named and placed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph import limits
from autodiff_viz.graph.check import problems
from autodiff_viz.graph.frames import convex_hull
from autodiff_viz.graph.model import Call, Graph, Lambda, Node, Region, Rule, params
from tests.strategies import graphs
from tests.work import lines_run

X = Node("x", "input", (), params(value=1.0))
CHAIN = (X, Node("a", "sin", ("x",)), Node("b", "sin", ("a",)), Node("c", "sin", ("b",)))


def codes(*nodes: Node, regions: tuple[Region, ...] = (), output: str | None = None) -> list[str]:
    return [problem.code for problem in problems(Graph(nodes, regions, output or nodes[-1].name))]


def region(name: str, nodes: str, **more) -> Region:
    return Region(name, frozenset(nodes.split()), **more)


def rule_codes(rule: Rule, slots: tuple = ("x",)) -> list[str]:
    return codes(X, Node("y", "sin", slots, rule=rule))


def paths(graph: Graph, start: str) -> list[list[str]]:
    """Every path from `start`, by brute force."""
    after = [node.name for node in graph.nodes if start in node.slots]
    return [[start], *([start, *path] for name in after for path in paths(graph, name))]


@given(graphs(empty=False))
def test_a_sound_graph_has_no_problems(graph):
    assert problems(graph) == ()


def test_an_empty_graph_has_no_problems():
    assert problems(Graph()) == ()


def test_an_empty_slot_is_placed():
    (problem,) = problems(Graph((X, Node("z", "mul", ("x", None))), (), "z"))
    assert (problem.code, problem.node, problem.slot) == ("empty-slot", "z", 1)


def test_a_wire_from_nowhere_is_placed():
    (problem,) = problems(Graph((X, Node("z", "mul", ("x", "gone"))), (), "z"))
    assert (problem.code, problem.node, problem.slot) == ("unknown-node", "z", 1)


def test_a_cycle_comes_with_its_nodes_in_wire_order():
    a, b, c = Node("a", "add", ("x", "c")), Node("b", "sin", ("a",)), Node("c", "sin", ("b",))
    (problem,) = problems(Graph((X, a, b, c), (), "c"))
    assert problem.code == "cycle"
    assert problem.path[0] == problem.path[-1]
    steps = set(zip(problem.path, problem.path[1:], strict=False))
    assert steps == {("a", "b"), ("b", "c"), ("c", "a")}


@pytest.mark.parametrize(
    ("nodes", "code"),
    [
        ((X, X), "duplicate-name"),
        ((Node("2x", "input"),), "bad-name"),
        ((Node("lambda", "input"),), "bad-name"),
        ((Node("__debug__", "input"),), "bad-name"),
        ((Node("", "input"),), "bad-name"),
        ((Node("x y", "input"),), "bad-name"),
        ((Node("x", "a.b"),), "bad-op"),
        ((X, Node("y", "stack", ("x",) * (limits.SLOTS + 1))), "too-many-slots"),
        ((Node("x", "input", position=(2e6, 0.0)),), "bad-position"),
        ((Node("x", "input", position=(float("nan"), 0.0)),), "bad-position"),
        ((Node("x", "input", (), params(value=((1.0,), (1.0, 2.0)))),), "bad-literal"),
        ((Node("x", "input", (), params(value=True)),), "bad-literal"),
        ((Node("y", "sin", (float("inf"),)),), "bad-literal"),
        ((Node("y", "sin", ((),)),), "bad-literal"),
        (tuple(Node(f"x{i}", "input") for i in range(limits.NODES + 1)), "too-many-nodes"),
    ],
)
def test_a_bad_node_is_found(nodes, code):
    assert code in codes(*nodes)


def test_an_output_that_does_not_exist_is_found():
    assert codes(X, output="gone") == ["unknown-node"]
    assert [problem.code for problem in problems(Graph((X,)))] == ["no-output"]


def test_a_region_that_a_path_leaves_and_enters_again_is_found_with_the_path():
    (problem,) = problems(Graph(CHAIN, (region("r", "a c"),), "c"))
    assert (problem.code, problem.node, problem.path) == ("region-not-convex", "b", ("a", "b", "c"))


def test_regions_side_by_side_or_nested_are_fine():
    assert codes(*CHAIN, regions=(region("r", "a b"), region("s", "b"), region("t", "c"))) == []


def test_regions_that_overlap_are_found():
    assert codes(*CHAIN, regions=(region("r", "a b"), region("s", "b c"))) == ["regions-overlap"]


def test_regions_that_wait_for_each_other_are_found():
    one, two = (Node("a1", "sin", ("x",)), Node("b1", "sin", ("a1",))), (Node("b2", "sin", ("x",)),)
    nodes = (X, *one, *two, Node("a2", "sin", ("b2",)), Node("z", "add", ("a2", "b1")))
    assert codes(*nodes, regions=(region("A", "a1 a2"), region("B", "b1 b2"))) == ["regions-entangled"]
    assert codes(*nodes, regions=(region("A", "a1 a2"), region("B", "b1"))) == []


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (region("r", "a gone"), "unknown-node"),
        (region("r", "a", saved=frozenset(["gone"])), "unknown-node"),
        (region("r", ""), "empty-region"),
        (region("r'", "a"), "bad-name"),
        (region("r" * 65, "a"), "bad-name"),
        (region("r", "a", policy="all"), "unknown-policy"),
    ],
)
def test_a_bad_region_is_found(bad, code):
    assert codes(*CHAIN, regions=(bad,)) == [code]


def test_too_many_and_too_deep_regions_are_found():
    many = tuple(region(f"r{i}", "a") for i in range(limits.REGIONS + 1))
    assert codes(*CHAIN, regions=many) == ["too-many-regions"]
    assert codes(*CHAIN, regions=many[: limits.REGION_DEPTH]) == []
    assert codes(*CHAIN, regions=many[: limits.REGION_DEPTH + 1]) == ["too-deep"]


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        (Rule("stop"), []),
        (Rule("skip"), ["bad-rule"]),
        (Rule("stop", Lambda(("v",), ("v",))), ["bad-rule"]),
        (Rule("rewrite"), ["bad-rule"]),
        (Rule("rewrite", Lambda(("v",), ("v",))), []),
        (Rule("rewrite", Lambda(("v",), (Call("clip", ("v", -1.0, 1.0)),))), []),
        (Rule("rewrite", Lambda(("v", "w"), ("v",))), ["bad-rule"]),
        (Rule("rewrite", Lambda(("v",), ("v", "v"))), ["bad-rule"]),
        (Rule("rewrite", Lambda(("v",), ("x",))), ["bad-rule"]),
        (Rule("rewrite", Lambda(("lambda",), (0.5,))), ["bad-rule"]),
        (Rule("rewrite", Lambda(("v",), (float("nan"),))), ["bad-rule"]),
        (Rule("rewrite", Lambda(("v",), (Call("add", ("v",) * 300),))), ["lambda-too-long"]),
        (Rule("pullback", Lambda(("v", "x", "y"), (Call("mul", ("v", "y")),))), []),
        (Rule("pullback", Lambda(("v", "x"), ("v",))), ["bad-rule"]),
        (Rule("pullback", Lambda(("v", "v", "y"), ("v",))), ["bad-rule"]),
    ],
)
def test_a_rule_needs_the_function_that_suits_it(rule, found):
    assert rule_codes(rule) == found


def test_a_pullback_needs_a_wire():
    assert rule_codes(Rule("pullback", Lambda(("v", "y"), ())), slots=(2.0,)) == ["bad-rule"]


def test_a_pullback_of_an_unfinished_node_may_wait_for_its_wire():
    assert rule_codes(Rule("pullback", Lambda(("v", "x", "y"), ("v",))), slots=(None,)) == ["empty-slot"]


@given(graphs(min_nodes=1, rules=False, positions=False), st.data())
def test_the_hull_is_every_node_on_a_path_between_two_of_the_set(graph, data):
    names = [node.name for node in graph.nodes]
    some = data.draw(st.sets(st.sampled_from(names), min_size=1))
    between = {name for start in some for path in paths(graph, start) if path[-1] in some for name in path}
    assert convex_hull(graph, some) == between


def test_two_thousand_nodes_are_checked_in_linear_work():
    def work(count: int) -> int:
        nodes = [X, *(Node(f"n{i}", "add", (f"n{i - 1}" if i else "x", "x")) for i in range(count - 1))]
        width = count // limits.REGIONS - 1
        regions = tuple(
            Region(f"r{i}", frozenset(f"n{k}" for k in range(i * width, (i + 1) * width)))
            for i in range(limits.REGIONS)
        )
        graph = Graph(tuple(nodes), regions, nodes[-1].name)
        assert problems(graph) == ()
        return lines_run(lambda: problems(graph))

    assert work(2000) < 6 * work(500)  # 4 times were linear, 16 quadratic
