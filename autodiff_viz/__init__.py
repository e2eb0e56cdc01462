"""A lab for automatic differentiation: build a graph, change its gradients and see what JAX computes.

import autodiff_viz as av

graph = av.parse("x = 10.0\\nc = cos(x)\\nwith checkpoint('square'):\\n    s = c * c")
trace = av.trace(graph)
trace.cotangent["x"], trace.runs["s"]

`play` lists the steps of the pass in the order in which JAX runs them; `why_zero` says why nothing arrives at
a node, and `nonfinite_origin` where a NaN or an infinity comes from; `compare` says where two graphs part;
`memory` says what is live after each step, and `plans` which checkpoint regions would need less;
`train` trains the parameters of a graph; `segments` differentiates a graph one segment at a time. A notebook
shows graphs and traces as the canvas draws them. A mistake of the caller raises `GraphError`, whose
`problems` give the place of the mistake and how to correct it.
"""

from autodiff_viz.engine.check import diagnose as problems
from autodiff_viz.engine.diagnostics.differences import Difference, check_inputs, check_node
from autodiff_viz.engine.explain.backward_program import Factor
from autodiff_viz.engine.explain.compare import Comparison, compare
from autodiff_viz.engine.explain.memory import Memory, memory
from autodiff_viz.engine.explain.nonfinite_origin import NonFinite, nonfinite_origin
from autodiff_viz.engine.explain.plans import Plan, plans
from autodiff_viz.engine.explain.play import LiveArray, PlayStep, play
from autodiff_viz.engine.explain.why_zero import ZeroReason, why_zero
from autodiff_viz.engine.explain.xla_memory import XlaMemory, xla_memory
from autodiff_viz.engine.segments.cuts import Segments, segments, train_by_segments
from autodiff_viz.engine.segments.jacobians import Jacobian
from autodiff_viz.engine.segments.training import Curves
from autodiff_viz.engine.sweep import Sweep, sweep
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.training.train import Training, train
from autodiff_viz.engine.training.updates import Records
from autodiff_viz.engine.whole_program.remat_counts import Residual, Runs
from autodiff_viz.engine.whole_program.verify import Verdict, verify
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph, Lambda, Node, Region, Rule
from autodiff_viz.graph.notebook import register_pictures
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.segments import Segment
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from autodiff_viz.views.notebook import picture

__version__ = "0.1.0"

register_pictures(picture)

__all__ = [
    "Comparison",
    "Curves",
    "Difference",
    "Factor",
    "Graph",
    "GraphError",
    "Jacobian",
    "Lambda",
    "LiveArray",
    "Memory",
    "Node",
    "NonFinite",
    "Plan",
    "PlayStep",
    "Problem",
    "Records",
    "Region",
    "Residual",
    "Rule",
    "Runs",
    "Segment",
    "Segments",
    "Sweep",
    "Trace",
    "Training",
    "Verdict",
    "XlaMemory",
    "ZeroReason",
    "check_inputs",
    "check_node",
    "compare",
    "from_json",
    "from_link",
    "memory",
    "nonfinite_origin",
    "parse",
    "plans",
    "play",
    "problems",
    "segments",
    "show",
    "sweep",
    "to_json",
    "to_link",
    "to_python",
    "trace",
    "train",
    "train_by_segments",
    "verify",
    "why_zero",
    "xla_memory",
]
