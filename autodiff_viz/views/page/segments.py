"""Show the segments of a graph that has cuts."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff_viz.engine.live_path.arrays import FLOAT64
from autodiff_viz.engine.segments.comparison import Division, division
from autodiff_viz.engine.segments.training import Curves, curves, most_steps, without_scale
from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.training.mixed import is_mixed
from autodiff_viz.engine.training.updates import Settings, check_optimiser, check_trainable
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.segments import has_cuts, segments
from autodiff_viz.graph.text.text_format import scalar
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.workers.jobs import Job

UNSCALED = "These three have no loss scale: their parameters are {}, too."
TRAINING = 30.0  # seconds of CPU time for three trainings


@dataclass(frozen=True, slots=True)
class SegmentsView:
    """View of the panel of segments.

    Attributes:
      division: the segments; None if no cut divides the graph.
      agrees: whether the chain of pullbacks is the whole graph's gradient.
      chain, product, broken: result of each of three ways to the gradient, in a sentence.
      angles: (parameter, angle in degrees) between the gradient of separate segments and the true one.
      steps: number of training steps by segments that are offered; 0 if the graph cannot be trained.
      unscaled: that these trainings have no loss scale, where the lab's training has one; else "".
    """

    division: Division | None
    agrees: bool = False
    chain: str = ""
    product: str = ""
    broken: str = ""
    angles: tuple[tuple[str, str], ...] = ()
    steps: int = 0
    unscaled: str = ""


def cut_names(view: LabView) -> tuple[str, ...]:
    """Return the names of the nodes with a cut after them in the graph on view."""
    return tuple(node.name for node in view.graph.nodes if node.cut) if has_cuts(view.graph) else ()


def is_divided(view: LabView) -> bool | None:
    """Return whether a cut divides the graph on view; None without cuts and for a graph that cannot run."""
    if not view.complete or view.mistaken or not has_cuts(view.graph):
        return None
    return len(segments(view.graph)) > 1


def divided(found: Trace) -> Division:
    """Divide the traced graph and compute its gradient in three ways. Slow."""
    return division(found.graph, found)


def segments_view(lab: Lab, view: LabView) -> SegmentsView | None:
    """Return the view with everything computed; None without cuts and for a graph that does not run yet."""
    found = is_divided(view)
    if not found:
        return None if found is None else SegmentsView(None)
    return segments_told(lab, view, divided(view.trace))


def segments_told(lab: Lab, view: LabView, found: Division) -> SegmentsView:
    """Return the view of a graph that cuts divide."""
    return SegmentsView(
        division=found,
        agrees=found.agrees,
        chain=_chain(found),
        product=_product(found),
        broken=_broken(found),
        angles=tuple((name, _degrees(angle)) for name, angle in found.angles.items()),
        steps=_steps(lab, view),
        unscaled=UNSCALED.format(lab.dtype) if is_mixed(lab.plan.settings.loss_scale, lab.dtype) else "",
    )


def trained(graph: Graph, settings: Settings, steps: int, dtype: str) -> Curves | tuple[Problem, ...]:
    """Train the graph in three ways, or return the problems that prevent it."""
    try:
        return curves(graph, settings, steps, dtype)
    except GraphError as error:
        return error.problems


def divided_job(view: LabView) -> Job:
    """Return the job that runs `divided` on the trace on view."""
    return Job(identity(("segments", view.trace.identity)), divided, (view.trace,))


def trained_job(lab: Lab, steps: int) -> Job:
    """Return the job that runs `trained` with the lab's settings; its key has no positions of nodes."""
    nodes = tuple((node.content, node.cut) for node in lab.graph.nodes)
    settings = without_scale(lab.plan.settings)
    key = identity(("segment training", nodes, lab.graph.output, settings, steps, lab.dtype))
    return Job(key, trained, (lab.graph, settings, steps, lab.dtype), TRAINING)


def three_ways_job(lab: Lab, view: LabView) -> Job | None:
    """Return the job of the training that is offered for the graph on view; None if none is."""
    steps = _steps(lab, view) if is_divided(view) else 0
    return trained_job(lab, steps) if steps else None


def _steps(lab: Lab, view: LabView) -> int:
    """Return the number of training steps that are offered."""
    try:
        check_trainable(view.graph, view.trace)
        check_optimiser(without_scale(lab.plan.settings), lab.dtype)
    except GraphError:
        return 0
    return min(lab.plan.steps, most_steps(view.trace))


def _chain(found: Division) -> str:
    """Return the result of the chain of pullbacks."""
    verb = "equal" if found.agrees else "differ from"
    apart = f"at most {_size(found.difference)} apart" if found.difference else "the same to the last digit"
    return f"{len(found.links)} pullbacks in a chain {verb} the whole gradient: {apart}."


def _product(found: Division) -> str:
    """Return the result of the product of Jacobians."""
    if found.product is None:
        return f"The product of all Jacobians is not worked out: {found.too_large}."
    return f"The product of all Jacobians, in {FLOAT64}: at most {_size(found.product)} from the gradient."


def _broken(found: Division) -> str:
    """Return the result of separate segments, each with a seed of ones at its own output."""
    if found.angle is None:
        return "Each segment against its own output, with ones: one of the gradients is zero."
    return f"Each segment against its own output, with ones: {_degrees(found.angle)} off the gradient."


def _degrees(angle: float | None) -> str:
    """Return an angle as text."""
    return "\u2013" if angle is None else f"{angle:.1f}\u00b0"


def _size(number: float) -> str:
    """Return a difference as text."""
    return scalar(number, 2)
