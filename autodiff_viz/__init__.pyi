"""Name where each public name is, for type checkers; `__init__.py` reads the same lines as it is imported."""

from autodiff_viz import lab as lab
from autodiff_viz.asking.judge import Judgement, judge
from autodiff_viz.asking.question import Quantity, Question
from autodiff_viz.canvas.report import report
from autodiff_viz.engine.finite_differences import Difference, check_inputs, check_node
from autodiff_viz.engine.live_path.check import diagnose as problems
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.verify import Verdict, verify
from autodiff_viz.engine.versions import versions
from autodiff_viz.engine.whole_program.remat import Residual, Runs
from autodiff_viz.explain.compare.compute import Comparison, compare
from autodiff_viz.explain.field.compute import Field, field
from autodiff_viz.explain.forward.compute import Tangents, jvp, verify_tangents
from autodiff_viz.explain.jacobian.compute import FullJacobian, Jacobian, jacobian
from autodiff_viz.explain.lints.compute import lints
from autodiff_viz.explain.lints.lint import Lint
from autodiff_viz.explain.memory.compute import Memory, XlaMemory, memory, xla_memory
from autodiff_viz.explain.noise.compute import Statistics, statistics
from autodiff_viz.explain.nonfinite.compute import NonFinite, nonfinite_origin
from autodiff_viz.explain.paths.compute import Path, Paths, paths
from autodiff_viz.explain.plans.compute import Plan, plans
from autodiff_viz.explain.play.backward_program import Factor
from autodiff_viz.explain.play.compute import LiveArray, PlayStep, play
from autodiff_viz.explain.precision.compute import Precision, Ranged, precision
from autodiff_viz.explain.rule_check.compute import Adjoint, Along, RuleCheck, rule_check
from autodiff_viz.explain.surface.compute import Surface, prediction_surface
from autodiff_viz.explain.sweep.compute import Sweep, sweep
from autodiff_viz.explain.zero.compute import ZeroReason, why_zero
from autodiff_viz.export.notebooks import to_marimo, to_notebook
from autodiff_viz.export.python_source import to_python
from autodiff_viz.export.torch_source import to_torch
from autodiff_viz.functions.from_function import from_function
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.cuts import Segment
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph, Lambda, Node, Region, Rule
from autodiff_viz.graph.own_limits import Limits, limits
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from autodiff_viz.lessons.codec import read_tour, tour_to_json, tour_to_link
from autodiff_viz.lessons.tour import Step, Tour
from autodiff_viz.notebook.opened import widget
from autodiff_viz.reading.from_torch import ModelReading, from_torch
from autodiff_viz.reading.live.comparison import Compared, ModelCheck
from autodiff_viz.reading.reading import Change, Reading, read
from autodiff_viz.reading.watch import WatchedStep, watch
from autodiff_viz.segments.compute import Curves, Segments, segments, train_by_segments
from autodiff_viz.standalone.write import to_html
from autodiff_viz.training.compute import Training, train
from autodiff_viz.training.records import Records
from autodiff_viz.training.source import training_to_python

__version__: str

__all__ = [
    "Adjoint",
    "Along",
    "Change",
    "Compared",
    "Comparison",
    "Curves",
    "Difference",
    "Factor",
    "Field",
    "FullJacobian",
    "Graph",
    "GraphError",
    "Jacobian",
    "Judgement",
    "Lambda",
    "Limits",
    "Lint",
    "LiveArray",
    "Memory",
    "ModelCheck",
    "ModelReading",
    "Node",
    "NonFinite",
    "Path",
    "Paths",
    "Plan",
    "PlayStep",
    "Precision",
    "Problem",
    "Quantity",
    "Question",
    "Ranged",
    "Reading",
    "Records",
    "Region",
    "Residual",
    "Rule",
    "RuleCheck",
    "Runs",
    "Segment",
    "Segments",
    "Statistics",
    "Step",
    "Surface",
    "Sweep",
    "Tangents",
    "Tour",
    "Trace",
    "Training",
    "Verdict",
    "WatchedStep",
    "XlaMemory",
    "ZeroReason",
    "check_inputs",
    "check_node",
    "compare",
    "field",
    "from_function",
    "from_json",
    "from_link",
    "from_torch",
    "jacobian",
    "judge",
    "jvp",
    "lab",
    "limits",
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
    "read",
    "read_tour",
    "report",
    "rule_check",
    "segments",
    "show",
    "statistics",
    "sweep",
    "to_html",
    "to_json",
    "to_link",
    "to_marimo",
    "to_notebook",
    "to_python",
    "to_torch",
    "tour_to_json",
    "tour_to_link",
    "trace",
    "train",
    "train_by_segments",
    "training_to_python",
    "verify",
    "verify_tangents",
    "versions",
    "watch",
    "why_zero",
    "widget",
    "xla_memory",
]
