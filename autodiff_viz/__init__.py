"""A lab for automatic differentiation: compose a graph, bend its gradients, see what JAX computes.

import autodiff_viz as av

graph = av.parse("x = 10.0\\nc = cos(x)\\nwith checkpoint('square'):\\n    s = c * c")
trace = av.trace(graph)
trace.cotangent["x"], trace.runs["s"]
"""

from autodiff_viz.engine.check import diagnose as problems
from autodiff_viz.engine.counts import Residual, Runs
from autodiff_viz.engine.differences import check_inputs, check_node
from autodiff_viz.engine.sweep import sweep
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.verify import Verdict, verify
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph, Lambda, Node, Region, Rule
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show

__all__ = [
    "Graph",
    "GraphError",
    "Lambda",
    "Node",
    "Problem",
    "Region",
    "Residual",
    "Rule",
    "Runs",
    "Trace",
    "Verdict",
    "check_inputs",
    "check_node",
    "from_json",
    "from_link",
    "parse",
    "problems",
    "show",
    "sweep",
    "to_json",
    "to_link",
    "to_python",
    "trace",
    "verify",
]
