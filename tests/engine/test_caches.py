"""Test that nothing grows without bound: kernels are shared by all graphs, and every cache has a size."""

import numpy as np

from autodiff_viz.canvas import drawing
from autodiff_viz.engine.live_path import kernels, op_calls
from autodiff_viz.engine.live_path.check import check_rule
from autodiff_viz.engine.live_path.kernels import kernel
from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.whole_program import remat
from autodiff_viz.graph import check, limits
from autodiff_viz.graph.edits import renamed, with_region, with_rule
from autodiff_viz.graph.identity import EVERYTHING
from autodiff_viz.graph.model import INPUT, Graph, Node, Region, Rule, params
from autodiff_viz.lab.inspector import node
from autodiff_viz.language import show, syntax


def test_every_cache_has_a_size():
    small = (check._of_node, op_calls.result_shape, check_rule)  # a few words for each node of one graph
    words = (
        show._alone,
        drawing._stands,
        syntax._short,
        node.mathml,
    )  # a line of text each, of the visitors served last
    for cache in EVERYTHING:
        most = 5 * limits.NODES if cache in words else limits.NODES if cache in small else kernels.KEPT
        assert cache.most <= most, cache.__name__


def random_structure(seed: int) -> Graph:
    """Twelve scalar nodes over four ops."""
    draws = np.random.default_rng(seed)
    nodes = [Node("n0", INPUT, (), params(value=0.5))]
    for i in range(1, 12):
        a, b = (f"n{draws.integers(i)}" for _ in range(2))
        op = ("sin", "tanh", "add", "mul")[draws.integers(4)]
        nodes.append(Node(f"n{i}", op, (a, b) if op in ("add", "mul") else (a,)))
    return Graph(tuple(nodes), (), "n11")


def test_many_structures_share_a_few_kernels():
    graphs = {random_structure(seed) for seed in range(300)}
    assert len(graphs) > 290
    before = kernel.kept()
    for graph in graphs:
        trace(graph)
    assert kernel.kept() - before <= 5  # four ops on scalars, and the sum at a fork


def test_nothing_is_compiled_when_a_value_a_rule_a_name_or_a_region_changes():
    graph = random_structure(0)
    trace(graph)
    before = kernel.misses()
    trace(graph, {"n0": 0.7}, seed=-2.0)
    trace(with_rule(graph, "n5", Rule("stop")))
    trace(renamed(graph, "n5", "middle"))
    trace(with_region(graph, Region("r", frozenset({"n11"}))))
    assert kernel.misses() == before


def test_a_new_noise_seed_compiles_nothing():
    def noisy(seed: int) -> Graph:
        x, u = Node("x", INPUT, (), params(value=1.0)), Node("u", "uniform", (), params(seed=seed))
        return Graph((x, u, Node("y", "mul", ("x", "u"))), (), "y")

    values = {float(trace(noisy(0)).value["u"])}
    before = kernel.misses()
    values |= {float(trace(noisy(seed)).value["u"]) for seed in range(1, 10)}
    assert kernel.misses() == before
    assert len(values) == 10


def test_a_count_is_remembered_by_structure():
    remat._count.forget()
    before = remat._count.misses()
    for value in (0.1, 0.2, 0.3):
        graph = random_structure(1)
        _ = trace(graph, {"n0": value}).runs
    assert remat._count.misses() - before == 1
