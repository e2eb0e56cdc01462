"""Test that a number is the same however it reaches the page, against a plain-Python tape.

Random graphs with rules on inputs and on inner nodes, stops, regions, groups, cuts and muted nodes go through
the live walk, a training step, the segments' chain, a sweep, the whole program and the exported file.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from autodiff_viz.engine.trace import Trace, precision, trace
from autodiff_viz.engine.verify import whole_program
from autodiff_viz.explain.sweep.compute import sweep
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph.cuts import graph_segments
from autodiff_viz.graph.model import INPUT, Call, Graph, Lambda, Node, Rule, params
from autodiff_viz.graph.order import descendants
from autodiff_viz.graph.rule_kinds import PULLBACK, REWRITE
from autodiff_viz.segments.compute import curves, division
from autodiff_viz.training.state import Settings
from autodiff_viz.training.updates import advance, begin
from tests.engine.references import tape
from tests.engine.references.scalar_graphs import muted_graphs, ruled_regions, scalar_graphs
from tests.engine.references.test_against_tape import EPSILON, allowed, assert_matches
from tests.export.programs import run_here
from tests.strategies import with_groups

DTYPES = st.sampled_from(["float32", "float64"])


BENT = [
    Rule("rewrite", Lambda(("v",), (term,)))
    for term in (0.5, Call("add", ("v", 0.5)), Call("cos", ("v",)), Call("mul", (2.0, "v")))
]
"""Rules of inputs: most of them make something of a zero."""


@st.composite
def networks(draw: DrawFn) -> Graph:
    """A graph of parameters alone, with every rule, many stops, and rules on many inputs; perhaps with cuts,
    regions, groups or muted nodes."""
    graph = draw(st.one_of(scalar_graphs(), scalar_graphs(regions=False), muted_graphs(), ruled_regions()))
    graph = draw(with_groups(graph)) if draw(st.booleans()) else graph
    cutting, stopping = draw(st.booleans()), draw(st.booleans())
    nodes = (_parameter(draw, n) if n.op == INPUT else _cut(draw, n, cutting, stopping) for n in graph.nodes)
    return replace(graph, nodes=tuple(nodes))


def _parameter(draw: DrawFn, node: Node) -> Node:
    rule = draw(st.sampled_from([node.rule, *BENT]))
    return replace(node, params=params(**dict(node.params), trainable=True), rule=rule)


def _cut(draw: DrawFn, node: Node, cutting: bool, stopping: bool) -> Node:
    stopped = stopping and draw(st.integers(0, 3)) == 0
    rule = {"rule": Rule("stop"), "slots": node.op_slots} if stopped else {}
    return replace(node, cut=cutting and draw(st.booleans()), **rule)


@settings(max_examples=40)
@given(graph=networks(), dtype=DTYPES)
def test_the_live_path_the_whole_program_a_sweep_and_the_exported_file(graph, dtype):
    found = trace(graph, dtype=dtype)
    assert_matches(found, graph, 1.0)
    with precision(dtype):
        values, gradients, cotangents = whole_program(found)
    arriving = {name: array for (name, slot), array in cotangents.items() if slot < 0}
    passed = {wire: array for wire, array in cotangents.items() if wire[1] >= 0}
    parts = {"value": values, "gradient": gradients, "cotangent": arriving, "passed": passed}
    assert_matches(replace(found, **parts), graph, 1.0)
    assert_matches(swept(found), graph, 1.0)
    value, printed, _ = run_here(to_python(graph, dtype=dtype))
    inputs = [node.name for node in graph.nodes if node.op == INPUT]
    there = {"value": {**values, graph.output: value}, "gradient": dict(zip(inputs, printed, strict=True))}
    assert_matches(replace(found, **there), graph, 1.0)


def swept(found: Trace) -> Trace:
    """The numbers of the middle one of three positions of an input."""
    name = next(iter(found.inputs))
    here = float(found.inputs[name])
    table = sweep(found, name, [here - 0.5, here, here + 0.5])

    def middle(array: np.ndarray, key) -> np.ndarray:
        return table.along(array, key)[1]

    return replace(
        found,
        value={key: middle(array, key) for key, array in table.value.items()},
        cotangent={key: middle(array, (key, -1)) for key, array in table.cotangent.items()},
        passed={key: middle(array, key) for key, array in table.passed.items()},
        gradient={**dict(found.gradient.items()), name: table.gradient[1]},
    )


@settings(max_examples=30)
@given(graph=networks(), dtype=DTYPES)
def test_a_training_step(graph, dtype):
    exact, bounds = tape.record(graph), allowed(graph, 1.0, dtype)
    start = begin(graph, Settings(), dtype)
    after, records = advance(graph, start, 1, Settings("sgd", 1.0), dtype)
    for name, parameter in start.parameters.items():
        moved = float(parameter) - float(after.parameters[name])
        room = bounds.gradient[name] + EPSILON[dtype] * (abs(float(parameter)) + abs(moved))
        assert abs(moved - exact.gradient[name]) <= room, name
    at = {name: column for column, name in enumerate(records.nodes)}
    for name in descendants(graph, start.parameters):
        for field in ("value", "cotangent"):
            size, wanted = getattr(records, field)[0, at[name]], abs(getattr(exact, field)[name])
            assert abs(size - wanted) <= getattr(bounds, field)[name], (field, name)


@settings(max_examples=30)
@given(graph=networks().filter(graph_segments), dtype=DTYPES)
def test_the_chain_of_segments(graph, dtype):
    found = trace(graph, dtype=dtype)
    bounds = allowed(graph, 1.0, dtype)
    room = max([*bounds.gradient.values(), *bounds.cotangent.values()])
    assert division(graph, found).difference <= 2 * room


@pytest.mark.nightly
@settings(max_examples=20)
@given(graph=networks().filter(graph_segments))
def test_the_product_of_jacobians_where_the_rules_between_are_linear(graph):
    """Rules of inputs may be any: they act on the sum that arrives."""
    bent = {n.name for n in graph.nodes if n.op != INPUT and n.rule.kind in (REWRITE, PULLBACK)}
    nodes = (replace(node, rule=Rule()) if node.name in bent else node for node in graph.nodes)
    graph = replace(graph, nodes=tuple(nodes))
    bounds = allowed(graph, 1.0, "float64")
    room = max([*bounds.gradient.values(), *bounds.cotangent.values()])
    assert division(graph, trace(graph)).product <= 20 * room


@pytest.mark.nightly
@settings(max_examples=10)
@given(graph=networks().filter(graph_segments))
def test_steps_of_training_jointly_and_by_segments(graph):
    """The loss of the second step tells what the first one did."""
    plan = Settings("sgd", 2.0**-6)
    records = advance(graph, begin(graph, plan, "float64"), 2, plan, "float64")[1]
    found = curves(graph, plan, 2, "float64")
    room = 1e3 * max(allowed(graph, 1.0, "float64").value.values())
    np.testing.assert_allclose(found.joint, records.loss, rtol=1e-9, atol=room)
    np.testing.assert_allclose(found.chain, records.loss, rtol=1e-9, atol=room)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_toggles_while_training_are_those_of_the_live_path(dtype):
    """One program serves all stops and plain rewrites, wherever they stand, on inputs too."""
    kinds = [Rule(), Rule("stop"), BENT[0]]
    base = [Node("w", INPUT, (), params(value=1.25, trainable=True)), Node("a", "sin", ("w",)),
            Node("b", "mul", ("a", "w")), Node("z", "add", ("b", "a"))]  # fmt: skip
    for share in range(3 ** len(base)):
        rules = [kinds[share // 3**i % 3] for i in range(len(base))]
        nodes = tuple(replace(node, rule=rule) for node, rule in zip(base, rules, strict=True))
        graph = Graph(nodes, (), "z")
        after, _ = advance(graph, begin(graph, Settings(), dtype), 1, Settings("sgd", 1.0), dtype)
        exact = tape.record(graph).gradient["w"]
        assert abs(1.25 - float(after.parameters["w"]) - exact) <= 8 * EPSILON[dtype], rules
