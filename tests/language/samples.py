"""Generate specs of real ops for random graphs, and graphs whose names are automatic ones."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from autodiff_viz.graph.model import Graph, params
from autodiff_viz.ops.catalog import OPS
from tests.strategies import Spec, graphs

PARAMS = {
    "sum": [(), params(axis=0), params(axis=1, keepdims=True)],
    "softmax": [(), params(axis=-1)],
    "transpose": [(), params(axes=(1, 0))],
    "reshape": [params(shape=(2, 3)), params(shape=(-1,))],
    "concatenate": [(), params(axis=1)],
    "getitem": [(), params(index=(0,)), params(index=("...", (1, None, 2), None)), params(index=())],
    "at_set": [(), params(index=(0,)), params(index=("...", (1, None, 2), None)), params(index=())],
    "take": [(), params(axis=0), params(axis=-1)],
    "take_along_axis": [(), params(axis=0)],
    "at_add": [(), params(axis=1)],
    "argmax": [(), params(axis=0, keepdims=True)],
    "argsort": [(), params(axis=0), params(descending=True)],
    "cumsum": [(), params(axis=-1)],
    "one_hot": [(), params(num_classes=5)],
    "sort": [(), params(axis=0), params(descending=True)],
    "uniform": [params(shape=(3,), seed=1), params(low=0.9, high=1.1, shape=(2, 2))],
    "normal": [(), params(mean=-1.0, scale=2.0, shape=(), seed=7)],
}

SPECS = tuple(
    Spec(op.name, None if op.variadic else len(op.slots), st.sampled_from(PARAMS.get(op.name, [()])))
    for op in OPS.values()
)


@st.composite
def automatic(draw: DrawFn, **settings: object) -> Graph:
    """A graph most of whose names are those that a step inside an expression would get, in any order."""
    graph = draw(graphs(SPECS, **settings))
    stems = [draw(st.sampled_from([node.op, node.op, node.op, "stop_gradient"])) for node in graph.nodes]
    numbers = draw(st.permutations(range(1, len(stems) + 1))) if draw(st.booleans()) else None
    new: dict[str, str] = {}
    for i, (node, stem) in enumerate(zip(graph.nodes, stems, strict=True)):
        count = numbers[i] if numbers else 1 + sum(name.rpartition("_")[0] == stem for name in new.values())
        new[node.name] = f"{stem}_{count}"
    return renamed(graph, new)


def renamed(graph: Graph, new: dict[str, str]) -> Graph:
    """The graph with every node name replaced."""
    nodes = tuple(
        replace(
            node, name=new[node.name], slots=tuple(new[s] if isinstance(s, str) else s for s in node.slots)
        )
        for node in graph.nodes
    )
    regions = tuple(
        replace(
            region, nodes=frozenset(map(new.get, region.nodes)), saved=frozenset(map(new.get, region.saved))
        )
        for region in graph.regions
    )
    return Graph(nodes, regions, new.get(graph.output))
