"""Explore automatic differentiation: build a graph, change its gradients and see what JAX computes.

import autodiff_viz as av

graph = av.parse("x = 10.0\\nc = cos(x)\\nwith checkpoint('square'):\\n    s = c * c")
trace = av.trace(graph)
trace.cotangent["x"], trace.runs["s"]

A trace is explained by

- `play`: the steps of the pass in the order in which JAX runs them; `memory`: what is live after
  each of them (`xla_memory`: what XLA plans), and `plans`: checkpoint regions with their peak and re-runs;
- `why_zero`: why nothing arrives at a node; `nonfinite_origin`: where a NaN or an infinity comes from;
  `precision`: which numbers leave the range of their dtype;
- `paths`: the paths whose products add up to a cotangent; `compare`: where two graphs part; `lints`: what is
  legal and rarely meant, with a mend;
- `jvp`: the tangents of forward mode; `jacobian`: rows and columns; `rule_check`: what a rule declares beside
  the true derivative; `statistics`: mean and variance of each cotangent over draws of noise.

`train` trains the parameters of a graph, and `prediction_surface` evaluates what it predicts between its
data points; `segments` differentiates a graph one segment at a time. A notebook shows graphs and traces as
the canvas draws them. A mistake of the caller raises `GraphError`, whose `problems` give the place of the
mistake and how to correct it.
"""

from autodiff_viz.engine.check import diagnose as problems
from autodiff_viz.engine.diagnostics.differences import Difference, check_inputs, check_node
from autodiff_viz.engine.explain.comparison.compare import Comparison, compare
from autodiff_viz.engine.explain.derivatives.forward_mode import Tangents, jvp
from autodiff_viz.engine.explain.derivatives.jacobian import FullJacobian, jacobian
from autodiff_viz.engine.explain.derivatives.paths import Path, Paths, paths
from autodiff_viz.engine.explain.derivatives.rule_check import Adjoint, Along, RuleCheck, rule_check
from autodiff_viz.engine.explain.derivatives.statistics import Statistics, statistics
from autodiff_viz.engine.explain.derivatives.verify_tangents import verify_tangents
from autodiff_viz.engine.explain.memory.backward_program import Factor
from autodiff_viz.engine.explain.memory.memory import Memory, memory
from autodiff_viz.engine.explain.memory.play import LiveArray, PlayStep, play
from autodiff_viz.engine.explain.memory.xla_memory import XlaMemory, xla_memory
from autodiff_viz.engine.explain.nonfinite.nonfinite_origin import NonFinite, nonfinite_origin
from autodiff_viz.engine.explain.plans.plans import Plan, plans
from autodiff_viz.engine.explain.precision.precision import Precision, precision
from autodiff_viz.engine.explain.precision.ranges import Ranged
from autodiff_viz.engine.explain.surface.surface import Surface, prediction_surface
from autodiff_viz.engine.explain.zero.why_zero import ZeroReason, why_zero
from autodiff_viz.engine.lints.lint import Lint
from autodiff_viz.engine.lints.lints import lints
from autodiff_viz.engine.segments.cuts import Segments, segments, train_by_segments
from autodiff_viz.engine.segments.jacobians import Jacobian
from autodiff_viz.engine.segments.training import Curves
from autodiff_viz.engine.sweep import Sweep, sweep
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.training.train import Training, train
from autodiff_viz.engine.training.updates import Records
from autodiff_viz.engine.versions import versions
from autodiff_viz.engine.whole_program.remat_counts import Residual, Runs
from autodiff_viz.engine.whole_program.verify import Verdict, verify
from autodiff_viz.export.python_source import to_python
from autodiff_viz.export.training_source import training_to_python
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph, Lambda, Node, Region, Rule
from autodiff_viz.graph.notebook import register_pictures
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.serialization.codec import to_json
from autodiff_viz.graph.structure.segments import Segment
from autodiff_viz.graph.version import VERSION
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from autodiff_viz.views.notebook import picture

__version__ = VERSION

register_pictures(picture)

__all__ = [
    "Adjoint",
    "Along",
    "Comparison",
    "Curves",
    "Difference",
    "Factor",
    "FullJacobian",
    "Graph",
    "GraphError",
    "Jacobian",
    "Lambda",
    "Lint",
    "LiveArray",
    "Memory",
    "Node",
    "NonFinite",
    "Path",
    "Paths",
    "Plan",
    "PlayStep",
    "Precision",
    "Problem",
    "Ranged",
    "Records",
    "Region",
    "Residual",
    "Rule",
    "RuleCheck",
    "Runs",
    "Segment",
    "Segments",
    "Statistics",
    "Surface",
    "Sweep",
    "Tangents",
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
    "jacobian",
    "jvp",
    "lints",
    "memory",
    "nonfinite_origin",
    "parse",
    "paths",
    "plans",
    "play",
    "precision",
    "prediction_surface",
    "problems",
    "rule_check",
    "segments",
    "show",
    "statistics",
    "sweep",
    "to_json",
    "to_link",
    "to_python",
    "trace",
    "train",
    "train_by_segments",
    "training_to_python",
    "verify",
    "verify_tangents",
    "versions",
    "why_zero",
    "xla_memory",
]
