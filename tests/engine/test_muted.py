"""Test that muted nodes are identities: in live numbers, in the whole program, in runs and residuals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from autodiff_viz.engine.live_path.check import diagnose, disconnected
from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.graph.mute import with_muted
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.engine.references.scalar_graphs import NUMBERS, muted_graphs
from tests.engine.references.test_against_tape import assert_matches

PRODUCT = "x = 3.0\ny = 5.0\nm = x * y\nz = exp(m)"


@settings(max_examples=60)
@given(graph=muted_graphs(), seed=NUMBERS)
def test_numbers_are_those_of_a_tape_that_passes_over_muted_nodes(graph, seed):
    assert_matches(trace(graph, seed=seed, dtype="float64"), graph, seed)


@settings(max_examples=20)
@given(graph=muted_graphs(), seed=NUMBERS)
def test_one_vjp_of_the_whole_program_agrees(graph, seed):
    assert verify(trace(graph, seed=seed)).agrees


def test_a_muted_product_returns_its_first_factor_and_passes_the_whole_cotangent():
    found = trace(with_muted(parse(PRODUCT), ["m"], True), dtype="float64")
    assert float(found.value["m"]) == 3.0
    assert float(found.cotangent["x"]) == pytest.approx(np.exp(3.0), rel=1e-14)
    assert float(found.cotangent["y"]) == 0.0


def test_what_a_muted_node_does_not_read_is_disconnected():
    assert disconnected(with_muted(parse(PRODUCT), ["m"], True)) == {"y"}


def test_a_constant_before_the_wire_is_passed_over():
    found = trace(with_muted(parse("x = 3.0\nm = 2.0 - x\nz = m * m"), ["m"], True))
    assert float(found.value["z"]) == 9.0
    assert float(found.cotangent["x"]) == 6.0


def test_the_rule_of_a_muted_node_does_not_act():
    found = trace(with_muted(parse("x = 3.0\nm = stop_gradient(sin(x))\nz = m * m"), ["m"], True))
    assert float(found.cotangent["x"]) == 6.0


def test_a_muted_op_of_a_region_runs_nothing_again_and_keeps_nothing():
    text = "x = 0.5\nwith checkpoint('r'):\n    a = sin(x)\n    b = exp(a)\nz = b * 2.0"
    by_hand = parse(text.replace("sin(x)", "identity(x)"))
    found, other = trace(with_muted(parse(text), ["a"], True)), trace(by_hand)
    assert dict(found.runs) == dict(other.runs)
    assert found.residuals == other.residuals


def test_an_empty_slot_of_a_muted_node_is_no_problem():
    graph = with_muted(parse("x = 3.0\nm = x * ...\nz = exp(m)"), ["m"], True)
    assert diagnose(graph) == ()
    assert float(trace(graph).value["m"]) == 3.0


def test_a_muted_node_that_has_lost_its_wire_is_a_problem_and_nothing_worse():
    graph = with_muted(parse("x = 3.0\nm = sin(x)\nz = exp(m)"), ["m"], True)
    nodes = tuple(replace(node, slots=(None,)) if node.name == "m" else node for node in graph.nodes)
    cut = replace(graph, nodes=nodes)
    assert [problem.code for problem in diagnose(cut)] == ["empty-slot"]
    with pytest.raises(GraphError):
        trace(cut)


def test_inputs_and_nodes_without_a_wire_cannot_be_muted():
    graph = parse("x = 3.0\nu = uniform(shape=(2,), seed=0)\nz = x * u")
    for name in ("x", "u"):
        with pytest.raises(GraphError, match="returns its first wired input"):
            with_muted(graph, [name], True)
    assert with_muted(graph, ["x", "z"], True)["z"].muted
