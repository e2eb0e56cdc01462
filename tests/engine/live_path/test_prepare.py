"""Test that all refusals come before anything is computed, and that `diagnose` finds the same.

What is right is Python's own accounting here: a graph of one sine for each of n shapes needs n programs.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from autodiff_viz.engine.live_path import check
from autodiff_viz.engine.live_path.check import _examined, diagnose, runnable, shapes
from autodiff_viz.engine.trace import trace, trace_part
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT, Call, Graph, Lambda, Node, Rule, params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS
from tests.engine.references.scalar_graphs import ruled_regions, scalar_graphs
from tests.strategies import graphs
from tests.work import programs_compiled

X = Node("x", INPUT, (), params(value=0.5))


def runs(graph: Graph) -> bool:
    try:
        trace(graph)
    except GraphError:
        return False
    return True


# `diagnose` finds nothing exactly where `trace` runs


def lambdas(args: tuple[str, ...], body: object) -> Lambda:
    return Lambda(args, body if isinstance(body, tuple) else (body,))


FUNCTIONS = [
    None,
    lambdas(("v",), "v"),
    lambdas(("v",), "w"),
    lambdas(("v",), Call("sin", ("v", "v"))),
    lambdas(("v",), Call("clip", ("v",))),
    lambdas(("v",), Call("sum", ("v",), params(axis=3))),
    lambdas(("v",), Call("sum", ("v",), params(initial=2.0))),
    lambdas(("v",), Call("sine", ("v",))),
    lambdas(("v",), (2.0, 3.0)),
    lambdas(("v", "x", "y"), Call("mul", ("v", "y"))),
    lambdas(("v", "x", "x"), "v"),
    lambdas(("v", "x", "y", "z"), ("v", Call("matmul", ("v", "y")))),
]
RULES = st.builds(
    Rule,
    st.sampled_from([*(kind for kind in KINDS if kind != FOLLOW), "skip"]),
    st.sampled_from(FUNCTIONS),
    st.sampled_from([None, 0.5, -2, math.nan, True, (1.0, 2.0)]),
)
PARAMS = st.sampled_from(
    [params(axis=0), params(axis=7), params(initial=1.0), params(shape=(2,)), params(low="0")]
)
NAMED = st.sampled_from(
    ["sine", "clip", "sum", "matmul", "stack", "uniform", "greater", "softmax", "reshape"]
)


@st.composite
def spoilt(draw: DrawFn) -> Graph:
    """A graph in which one thing is changed at will: a slot, an op, parameters, a rule, output or name."""
    graph = draw(graphs(min_nodes=2, regions=False, groups=False, cuts=False))
    node = draw(st.sampled_from(graph.nodes))
    wire = st.sampled_from([*graph.by_name, "nowhere", None, 1.0, (1.0, 2.0)])
    slots = list(node.slots)
    what = draw(st.sampled_from(["slot", "more", "less", "op", "params", "rule", "output", "name"]))
    if what == "slot" and slots:
        slots[draw(st.integers(0, len(slots) - 1))] = draw(wire)
    elif what == "more":
        slots.append(draw(wire))
    elif what == "less":
        slots = slots[1:]
    elif what == "output":
        return replace(graph, output=draw(st.sampled_from([None, "nowhere", node.name])))
    elif what == "name":
        return replace(graph, nodes=(*graph.nodes, node))
    change = {
        "op": {"op": draw(NAMED)},
        "params": {"params": draw(PARAMS)} if node.op != INPUT else {},
        "rule": {"rule": draw(RULES)},
    }.get(what, {"slots": tuple(slots)})
    spoiled = replace(node, **change)
    return replace(graph, nodes=tuple(spoiled if each is node else each for each in graph.nodes))


@settings(max_examples=80)
@given(graph=st.one_of(spoilt(), spoilt(), graphs(min_nodes=1, regions=False, groups=False, cuts=False)))
def test_a_graph_runs_if_and_only_if_no_problem_is_found(graph):
    assert runs(graph) == (diagnose(graph) == ())


def test_an_op_runs_with_as_many_inputs_and_the_parameters_that_it_has():
    """JAX's own functions take more: `jnp.clip(x)`, `jnp.sum(x, initial=1.0)`."""
    for op in OPS.values():
        for count in range(4):
            graph = Graph((X, Node("y", op.name, ("x",) * count)), (), "y")
            fits = count == len(op.slots) or (op.variadic and count)
            fits = fits or (op.of_graph and count > len(op.slots))  # what it reads is wired anew
            assert ("arity" in {problem.code for problem in diagnose(graph)}) == (not fits), op.name
            assert fits or not runs(graph), op.name
        extra = Graph((X, Node("y", op.name, ("x",) * len(op.slots), params(initial=1.0))), (), "y")
        assert "unknown-param" in {problem.code for problem in diagnose(extra)}, op.name
        assert not runs(extra), op.name


DEAD = "x = [1.0, 2.0]\ny = {}\nz = sum(x)\nreturn z"


@pytest.mark.parametrize(
    "line",
    ["rewrite(sum(x), lambda v: [1.0, 2.0])", "custom(sum(x), pullback=lambda v, x, y: matmul(x, y))"],
)
def test_a_rule_that_does_not_fit_is_refused_where_nothing_arrives_too(line):
    graph = parse(DEAD.format(line))
    with pytest.raises(GraphError) as caught:
        trace(graph)
    assert caught.value.problems == diagnose(graph)
    assert {problem.node for problem in caught.value.problems} == {"y"}


@pytest.mark.parametrize("slot", [None, "nowhere", (1.0, 2.0), "late"])
def test_an_alternative_that_cannot_be_differentiated_is_refused(slot):
    y = Node("y", "sin", ("x", slot), rule=Rule("backward_as"))
    graph = Graph((X, y, Node("late", "cos", ("y",))), (), "late")
    with pytest.raises(GraphError) as caught:
        trace(graph)
    assert caught.value.problems == diagnose(graph)


# Limits of a whole graph


def sines(count: int) -> tuple[Node, ...]:
    """One program for each node."""
    return tuple(Node(f"s{i}", "sin", ((0.5,) * (i + 2),)) for i in range(count))


@pytest.mark.nightly
@settings(max_examples=10)
@given(graph=st.one_of(scalar_graphs(regions=False), ruled_regions()))
def test_programs_of_rules_are_counted_with_those_of_ops(graph):
    """However many are left for the graph: with some number it is one too few."""
    for left in range(1, 16):
        full = replace(graph, nodes=(*sines(limits.KERNELS - left), *graph.nodes))
        assert runs(full) == (diagnose(full) == ()), left


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("line", "programs"),
    [
        ("sin(x)", 1),
        ("stop_gradient(sin(x))", 1),
        ("scale_gradient(sin(x), 0.5)", 2),  # a product
        ("rewrite(sin(x), lambda v: v)", 1),
        ("rewrite(sin(x), lambda v: tanh(v) + tanh(v))", 3),
        ("rewrite(sin([[1.0]] * x), lambda v: 2.0)", 3),  # 2.0 is broadcast to [1, 1]
        ("custom(sin(x), pullback=lambda v, x, y: cos(x))", 2),
        ("backward_as(sin(x), x)", 1),
        ("sin(x) + sin(sin(x))", 2),
        ("uniform(seed=1) + uniform(seed=2)", 2),  # a seed is no part of a program
    ],
)
def test_a_graph_of_exactly_as_many_programs_as_allowed_runs(line, programs):
    graph = parse(f"x = 0.5\ny = {line}")
    for left in (programs, programs - 1):
        full = replace(graph, nodes=(*sines(limits.KERNELS - left), *graph.nodes))
        assert runs(full) == (left == programs)
        assert [p.code for p in diagnose(full)] == ([] if left == programs else ["too-many-programs"])


def large(count: int) -> Graph:
    start = Node("a", INPUT, (), params(shape=(256, 256), seed=0))
    chain = [Node(f"s{i}", "sin", (f"s{i - 1}" if i else "a",)) for i in range(count)]
    return Graph((start, *chain), (), chain[-1].name)


def test_tensors_that_are_too_large_together_are_found():
    most = limits.TOTAL_ELEMENTS // 256**2
    assert runs(large(most))
    assert diagnose(large(most)) == ()
    found = diagnose(large(most + 2))
    assert [(one.code, one.node) for one in found] == [("too-large", f"s{most}")]
    with pytest.raises(GraphError) as caught:
        trace(large(most + 2))
    assert caught.value.problems == found


def test_what_is_left_of_it_runs():
    most = limits.TOTAL_ELEMENTS // 256**2
    graph = large(most + 2)
    part = trace_part(runnable(graph, diagnose(graph)))
    assert len(part.value) == 1 + most


# Before anything is computed


def test_a_graph_that_is_refused_has_run_nothing():
    lines = [f"a{n} = expm1({[0.5] * n})" for n in range(211, 216)]
    graph = parse("\n".join([*lines, "b = [1.0, 2.0, 3.0] + [1.0, 2.0]"]))
    assert programs_compiled(lambda: runs(graph)) == 0
    assert not runs(graph)


def test_a_rule_that_is_refused_stops_the_graph_before_it_runs():
    graph = parse(f"x = {[0.5] * 221}\na = log1p(x)\nb = rewrite(sum(a), lambda v: [1.0, 2.0])")
    assert programs_compiled(lambda: runs(graph)) == 0
    assert not runs(graph)


def test_the_gradient_of_an_input_is_what_its_rule_makes_of_all_that_arrives():
    """2 from one path and 3 from the other: 4 times 5."""
    found = trace(parse("x = rewrite(1.0, lambda v: 4.0 * v)\ny = 2.0 * x + 3.0 * x"))
    np.testing.assert_array_equal(found.gradient["x"], 20.0)


@pytest.mark.parametrize("text", ["x = 0.5\ny = sin(x) * 3.0", "x = 0.5\ny = sin(x)\nz = grad(y, x) * y"])
def test_a_graph_that_was_traced_is_not_examined_again(text, monkeypatch):
    """Its shapes and problems are those that a graph has of which nothing is known."""
    graph = parse(text)
    alone = diagnose(graph), dict(shapes(graph))
    _examined.forget()
    trace(parse(text))
    monkeypatch.setattr(check, "_examine", None)
    assert (diagnose(parse(text)), dict(shapes(parse(text)))) == alone


def test_a_trace_with_inputs_of_other_shapes_says_nothing_of_the_graph():
    graph = parse("x = 0.5\ny = sin(x)")
    _examined.forget()
    trace(graph, {"x": [1.0, 2.0]}, seed=1.0)
    assert shapes(graph)["y"] == ()


def test_the_structure_of_a_traced_graph_is_examined_all_the_same():
    graph = parse("x = 0.5\ny = sin(x)")
    far = replace(graph, nodes=(replace(graph["x"], position=(1e9, 0.0)), graph["y"]))
    _examined.forget()
    trace(far)
    assert [problem.code for problem in diagnose(far)] == ["bad-position"]


def test_a_graph_with_a_hole_is_examined_once_by_who_traces_it_and_by_who_asks_why_not(monkeypatch):
    graph = Graph((Node("x", "input", (), params(value=1.5)), Node("y", "sin", (None,))), (), "y")
    examined = []
    whole = check._examine
    monkeypatch.setattr(check, "_examine", lambda *given: examined.append(given) or whole(*given))
    check._examined.forget()
    with pytest.raises(GraphError):
        trace(graph)
    assert [problem.code for problem in diagnose(graph)] == ["empty-slot"]
    assert len(examined) == 1
