"""Test that the graphs of the benchmarks are opened by a link and evaluated."""

import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph
from autodiff_viz.language.documents import from_link
from autodiff_viz.language.parse import parse
from benchmarks import hostile
from benchmarks.graphs import example, tensors

FORMULAS = {
    "chain": hostile.chain(12),
    "shapes": hostile.shapes(4),
    "trainable": hostile.trainable(12),
    "regions": hostile.regions(2, 3),
    "wide": hostile.wide(3, 12),
    "large": hostile.large(3),
}


@pytest.mark.parametrize("graph", [example(30, 0).graph, tensors(30)], ids=["example", "tensors"])
def test_a_graph_of_the_benchmarks_is_opened_by_its_link(graph: Graph):
    assert from_link(to_link(graph)) == graph
    assert trace(graph).value[graph.output].shape == ()


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_of_the_benchmarks_is_evaluated(name: str):
    graph = parse(FORMULAS[name])
    assert trace(graph).value[graph.output].shape == ()
