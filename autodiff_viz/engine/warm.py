"""Compile the catalog for scalars, before the first visitor comes."""

from __future__ import annotations

from collections.abc import Iterator

from autodiff_viz.engine.diagnostics.differences import check_inputs
from autodiff_viz.engine.sweep import SLIDER, sweep
from autodiff_viz.engine.trace import trace
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.registries.dtypes import FLOAT64
from autodiff_viz.ops.catalog import OPS

SWEPT = ("add", "sub", "mul", "div", "sin", "cos", "exp", "log", "tanh", "square")  # compiled code is memory


def warm() -> int:
    """Trace every op on scalars, used once and used twice; return how many graphs ran.

    The programs of central differences are compiled too: an op whose inputs move alone, together and not at
    all. An op that takes no scalars is skipped; other shapes are compiled on first use. The most
    usual ops are also swept, as dragging a slider does.
    """
    ran = 0
    for graph in _graphs():
        try:
            found = trace(graph)
            if graph.output == "d":
                check_inputs(found)
            ran += 1
        except GraphError:
            continue
    for graph, swept in _lines():
        sweep(trace(graph), swept, [i / SLIDER for i in range(SLIDER)])
        trace(graph, dtype=FLOAT64)  # as hints do
    return ran


def _lines() -> Iterator[tuple[Graph, str]]:
    """Yield graphs of one usual op with an input to sweep: each slot moves alone, and all slots together."""
    x, y = (Node(name, INPUT, (), params(value=0.5)) for name in "xy")
    for name in SWEPT:
        if len(OPS[name].slots) == 1:
            yield Graph((x, Node("f", name, ("x",))), (), "f"), "x"
            continue
        yield Graph((x, y, Node("f", name, ("x", "y"))), (), "f"), "x"
        yield Graph((x, y, Node("f", name, ("x", "y"))), (), "f"), "y"
        yield Graph((x, Node("f", name, ("x", "x"))), (), "f"), "x"


def _graphs() -> Iterator[Graph]:
    for op in OPS.values():
        wired = tuple(f"x{i}" for i in range(2 if op.variadic else len(op.slots)))
        inputs = tuple(Node(name, INPUT, (), params(value=0.5 + 0.1 * i)) for i, name in enumerate(wired))
        fork = Node("y", "add", ("f", "f"))
        yield Graph((*inputs, Node("f", op.name, wired), fork), (), "y")
        if len(wired) == 2:
            yield Graph((*inputs, Node("f", op.name, (wired[0], 2.0)), fork), (), "y")
            yield Graph((*inputs, Node("f", op.name, (2.0, wired[1])), fork), (), "y")
        other = Node("x", INPUT, (), params(value=0.5))
        again = Node("g", op.name, ("x",) * len(wired))
        both = Node("d", "add", ("f", "g"))
        yield Graph((*inputs, other, Node("f", op.name, wired), again, both), (), "d")
