"""Test that the benchmarks compare equals: a graph and its hand-written functions give the same gradients."""

import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from benchmarks.graphs import example
from benchmarks.peers import jax_eager, torch, torch_eager


@pytest.mark.parametrize("size", [10, 30, 100])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_graph_and_its_jax_function_have_the_same_gradients(size, seed):
    each = example(size, seed)
    found = [float(gradient) for gradient in trace(each.graph).gradient.values()]
    np.testing.assert_allclose(found, jax_eager(each)(), rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(torch is None, reason="PyTorch is not installed")
@pytest.mark.parametrize("size", [10, 100])
def test_a_graph_and_its_pytorch_function_have_the_same_gradients(size):
    each = example(size, 2)
    found = [float(gradient) for gradient in trace(each.graph).gradient.values()]
    np.testing.assert_allclose(found, torch_eager(each)(), rtol=1e-4, atol=1e-5)


def test_a_graph_has_as_many_nodes_as_asked_for_and_none_that_leads_nowhere():
    graph = example(60, 0).graph
    used = {producer for node in graph.nodes for _, producer in node.wires}
    assert len(graph.nodes) == 60
    assert {node.name for node in graph.nodes} - used == {graph.output}


def test_another_seed_gives_another_structure():
    ops = {tuple((node.op, node.slots) for node in example(30, seed).graph.nodes) for seed in range(20)}
    assert len(ops) == 20
