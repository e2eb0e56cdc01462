"""Test training of one branch alone."""

from __future__ import annotations

import pytest

from autodiff_viz.branches.train_one import freed, trained_alone, tuned
from autodiff_viz.graph.edits import with_rule
from autodiff_viz.graph.model import Rule
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.branching import stacked

GRAPH = parse(stacked(3))


def stopped(graph):
    return {node.name for node in graph.nodes if node.rule.kind == "stop"}


def test_the_parameters_of_all_other_branches_are_stopped_and_nothing_else():
    alone = tuned(GRAPH, "gate", "gate_2")
    assert stopped(alone) == {"w_1", "b_1", "w_3", "b_3"}
    assert trained_alone(alone, "gate") == "gate_2"
    assert trained_alone(GRAPH, "gate") is None
    assert freed(alone, "gate") == GRAPH


def test_another_branch_is_chosen_in_one_go():
    assert tuned(tuned(GRAPH, "gate", "gate_2"), "gate", "gate_3") == tuned(GRAPH, "gate", "gate_3")


def test_a_stop_elsewhere_stays():
    image = with_rule(with_rule(GRAPH, "x", Rule("stop")), "o_2", Rule("stop"))
    assert freed(tuned(image, "gate", "gate_1"), "gate") == image


def test_parameters_outside_that_one_branch_alone_reads_belong_to_it():
    text = """x = 2.0
w_1 = parameter(0.5)
w_2 = parameter(0.5)
shared = parameter(1.0)
with branches("g"):
    with group("g_1"):
        a = shared * (w_1 * x)
    with group("g_2"):
        b = shared * (w_2 * x)
z = a + b
"""
    assert stopped(tuned(parse(text), "g", "g_2")) == {"w_1"}


def test_there_must_be_such_a_branch_with_something_to_train():
    for graph, branch in ((GRAPH, "gate_9"), (parse(stacked(2).replace("parameter", "input")), "gate_1")):
        with pytest.raises(GraphError):
            tuned(graph, "gate", branch)
