"""Rehearse the first actions of a new visitor ahead, so that their code is compiled already."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from autodiff_viz.engine.compilation_cache import filled
from autodiff_viz.engine.finite_differences import check_inputs
from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.forward.compute import jvp, tangent_sweep
from autodiff_viz.explain.sweep.compute import SLIDER, sweep
from autodiff_viz.explain.verification.view import verification
from autodiff_viz.graph.dtypes import FLOAT64
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.actions import set_rule
from autodiff_viz.lab.evaluate import LabView, lab_view, sweep_tables
from autodiff_viz.lab.state import opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS

# The catalog, for scalars

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
            traced = trace(graph)
            if graph.output == "d":  # the graph of central differences
                check_inputs(traced)
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
    """Yield small graphs of each op f: y reads it twice, d is the output of the central differences."""
    for op in OPS.values():
        wired = tuple(f"x{i}" for i in range(2 if op.variadic else len(op.slots)))
        inputs = tuple(Node(name, INPUT, (), params(value=0.5 + 0.1 * i)) for i, name in enumerate(wired))
        # f is read twice, so its cotangent is a sum.
        fork = Node("y", "add", ("f", "f"))
        yield Graph((*inputs, Node("f", op.name, wired), fork), (), "y")
        # A number in a slot is no wire: nothing is passed to it.
        if len(wired) == 2:
            yield Graph((*inputs, Node("f", op.name, (wired[0], 2.0)), fork), (), "y")
            yield Graph((*inputs, Node("f", op.name, (2.0, wired[1])), fork), (), "y")
        # One input for each slot of f, one for all slots of g: each moves while the others stand still.
        other = Node("x", INPUT, (), params(value=0.5))
        again = Node("g", op.name, ("x",) * len(wired))
        both = Node("d", "add", ("f", "g"))
        yield Graph((*inputs, other, Node("f", op.name, wired), again, both), (), "d")


# The first graphs that a visitor sees or types

COMMON = """x = 0.5
y = 1.2
w = 0.8
s = sin(x)
a = s + y * w * 2.0
b = tanh(a - y) * cos(x)
c = exp(b) / (1.0 + a**2) + sqrt(y) - s
d = square(c) + abs(b) - log(y) * 0.5
z = stop_gradient(a) * d + relu(c) * (3.0 - d)
"""
"""Formula of common ops: some are used twice, some read a number, some do not depend on a slider."""


def rehearse() -> tuple[LabView, LabView]:
    """Evaluate the first graph and the first change of a rule, with all their sliders and figures."""
    first, toggled = (lab_view(lab) for lab in (start(), set_rule(start(), "b", "stop")))
    for view in (first, toggled):
        sweep_tables(view, view.sweeps)
        for figure in FIGURES.values():
            if not figure.is_slow(view.trace) and figure.fits(view.graph):  # slow ones: in a worker, not here
                figure.build(view.trace, None)
    return first, toggled


def fill(directory: str) -> int:
    """Compile the code of common graphs and of their check into `directory`; for a worker process.

    Returns:
      The number of graphs of the catalog that ran.
    """
    with filled(Path(directory)):
        views = (*rehearse(), *_common())
        for view in views:
            verification(view.trace)
        # Forward mode on numbers has programs of its own, one of them for sliders. They are large: a server
        # loads them when the first visitor wants tangents.
        first = views[0].trace
        name = next(iter(first.inputs))
        tangents = jvp(first, {name: 1.0})
        dict(tangents.tangent)  # read, and so computed
        tangent_sweep(tangents, name, [i / SLIDER for i in range(SLIDER)])
        return warm()


def _common() -> Iterator[LabView]:
    """Evaluate `COMMON` with its sliders, and with a rule that declares another derivative."""
    lab = opened(start(), parse(COMMON), "Common")
    for changed in (lab, set_rule(lab, "c", "pullback")):
        view = lab_view(changed)
        sweep_tables(view, view.sweeps)
        yield view
