"""Describe the explanation of Jacobians for the page."""

from __future__ import annotations

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.explanation import OF_NODE, ExplanationKind
from autodiff_viz.explain.jacobian.compute import jacobian
from autodiff_viz.explain.jacobian.figure import jacobian_figure, jacobian_text

JACOBIAN = ExplanationKind(
    key="jacobian",
    title="Jacobian",
    what_it_says="How each number of the output moves with each input, and what that costs: a backward sweep "
    "a row, a forward sweep a column.",
    word="Jacobian",
    public=("jacobian",),
    compute=jacobian,
    of=OF_NODE,
    build=jacobian_figure,
    text=jacobian_text,
    low=lambda trace, name: jacobian_figure(trace, name, low=True),
    slow=True,
    row="rows and columns",
    example=lambda graph: (trace(graph), graph.nodes[0].name),
)
