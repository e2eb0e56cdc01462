"""What the page says about the segments of a graph that has cuts."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff_viz.engine.arrays import FLOAT64
from autodiff_viz.engine.division import Division, division
from autodiff_viz.engine.segment_training import Curves, curves, most_steps
from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.training import Settings, check_trainable
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.segments import has_cuts, segments
from autodiff_viz.graph.words import scalar
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.workers.jobs import Job

TRAINING = 30.0  # seconds of work for three trainings


@dataclass(frozen=True, slots=True)
class SegmentsView:
    """Attributes:
    division: the segments; None where no cut divides the graph.
    agrees: the chain is the whole graph's gradient.
    chain, product, broken: what each way comes to, in a sentence.
    angles: (parameter, degrees) of the broken way.
    steps: how many steps of training by segments are offered; 0 where it cannot be trained.
    """

    division: Division | None
    agrees: bool = False
    chain: str = ""
    product: str = ""
    broken: str = ""
    angles: tuple[tuple[str, str], ...] = ()
    steps: int = 0


def cut_names(view: LabView) -> tuple[str, ...]:
    """The nodes that the graph on view is cut after."""
    return tuple(node.name for node in view.graph.nodes if node.cut) if has_cuts(view.graph) else ()


def is_divided(view: LabView) -> bool | None:
    """Whether a cut divides the graph on view; None where there is nothing to say: no cut, or a graph that
    does not run yet."""
    if not view.complete or view.mistaken or not has_cuts(view.graph):
        return None
    return len(segments(view.graph)) > 1


def divided(found: Trace) -> Division:
    """What the segments of the traced graph come to. Takes a while."""
    return division(found.graph, found)


def segments_view(lab: Lab, view: LabView) -> SegmentsView | None:
    """As `segments_told`, with all of it worked out; None where there is nothing to say."""
    found = is_divided(view)
    if not found:
        return None if found is None else SegmentsView(None)
    return segments_told(lab, view, divided(view.trace))


def segments_told(lab: Lab, view: LabView, found: Division) -> SegmentsView:
    """What the page says of a graph that cuts divide."""
    return SegmentsView(
        division=found,
        agrees=found.agrees,
        chain=_chain(found),
        product=_product(found),
        broken=_broken(found),
        angles=tuple((name, _degrees(angle)) for name, angle in found.angles.items()),
        steps=_steps(lab, view),
    )


def trained(graph: Graph, settings: Settings, steps: int, dtype: str) -> Curves | tuple[Problem, ...]:
    """The graph trained in three ways, or why not."""
    try:
        return curves(graph, settings, steps, dtype)
    except GraphError as error:
        return error.problems


def divided_job(view: LabView) -> Job:
    """`divided` of what is on view, for a worker."""
    return Job(identity(("segments", view.trace.identity)), divided, (view.trace,))


def trained_job(lab: Lab, steps: int) -> Job:
    """`trained` with the settings of the lab, for a worker. Where nodes stand is nothing to it."""
    nodes = tuple((node.content, node.cut) for node in lab.graph.nodes)
    settings = lab.plan.settings
    key = identity(("segment training", nodes, lab.graph.output, settings, steps, lab.dtype))
    return Job(key, trained, (lab.graph, settings, steps, lab.dtype), TRAINING)


def _steps(lab: Lab, view: LabView) -> int:
    try:
        check_trainable(view.graph, view.trace)
    except GraphError:
        return 0
    return min(lab.plan.steps, most_steps(view.trace))


def _chain(found: Division) -> str:
    verb = "equal" if found.agrees else "differ from"
    apart = f"at most {_size(found.difference)} apart" if found.difference else "the same to the last digit"
    return f"{len(found.links)} pullbacks in a chain {verb} the whole gradient: {apart}."


def _product(found: Division) -> str:
    if found.product is None:
        return f"The product of all Jacobians is not worked out: {found.too_large}."
    return f"The product of all Jacobians, in {FLOAT64}: at most {_size(found.product)} from the gradient."


def _broken(found: Division) -> str:
    if found.angle is None:
        return "Each segment against its own output, with ones: one of the gradients is zero."
    return f"Each segment against its own output, with ones: {_degrees(found.angle)} off the gradient."


def _degrees(angle: float | None) -> str:
    return "\u2013" if angle is None else f"{angle:.1f}\u00b0"


def _size(number: float) -> str:
    return scalar(number, 2)
