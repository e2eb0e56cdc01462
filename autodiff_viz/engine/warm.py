"""Compile the catalog for scalars ahead of the first visitor."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from autodiff_viz.engine.differences import check_inputs
from autodiff_viz.engine.trace import trace
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.ops.catalog import OPS


def warm(stopped: Callable[[], bool] = lambda: False) -> int:
    """Trace every op on scalars, used once and used twice; returns how many graphs ran.

    What takes part in central differences is compiled too, for whole ops alone: compiled code is memory. An
    op that takes no scalars is passed over; shapes are compiled when somebody needs them. Ends early,
    between two graphs, once `stopped()` is true.
    """
    ran = 0
    for graph in _graphs():
        if stopped():
            break
        try:
            found = trace(graph)
            if graph.output == "f":
                check_inputs(found)
            ran += 1
        except GraphError:
            continue
    return ran


def _graphs() -> Iterator[Graph]:
    for op in OPS.values():
        wired = tuple(f"x{i}" for i in range(2 if op.variadic else len(op.slots)))
        inputs = tuple(Node(name, INPUT, (), params(value=0.5 + 0.1 * i)) for i, name in enumerate(wired))
        fork = Node("y", "add", ("f", "f"))
        yield Graph((*inputs, Node("f", op.name, wired), fork), (), "y")
        if len(wired) == 2:
            yield Graph((*inputs, Node("f", op.name, (wired[0], 2.0)), fork), (), "y")
            yield Graph((*inputs, Node("f", op.name, (2.0, wired[1])), fork), (), "y")
        yield Graph((*inputs, Node("f", op.name, wired)), (), "f")
