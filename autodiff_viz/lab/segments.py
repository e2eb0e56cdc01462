"""Show the segments of the graph on view, and request what is slow of them from a worker."""

from __future__ import annotations

from autodiff_viz.graph.cuts import graph_segments, has_cuts
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.state import Lab
from autodiff_viz.segments.compute import Division, most_steps, without_scale
from autodiff_viz.segments.view import (
    UNSCALED,
    SegmentsView,
    degrees,
    describe_broken,
    describe_chain,
    describe_product,
    divided,
    trained,
)
from autodiff_viz.training.state import is_mixed
from autodiff_viz.training.updates import check_optimiser, check_trainable
from autodiff_viz.workers.jobs import Job, job_of

TRAINING = 30.0  # seconds of CPU time for three trainings


def cut_names(view: LabView) -> tuple[str, ...]:
    """Return the names of the nodes with a cut after them in the graph on view."""
    return tuple(node.name for node in view.graph.nodes if node.cut) if has_cuts(view.graph) else ()


def is_divided(view: LabView) -> bool | None:
    """Return whether a cut divides the graph on view; None without cuts and for a graph that cannot run."""
    if not view.complete or view.mistaken or not has_cuts(view.graph):
        return None
    return len(graph_segments(view.graph)) > 1


def segments_view(lab: Lab, view: LabView) -> SegmentsView | None:
    """Return the view with everything computed; None without cuts and for a graph that does not run yet."""
    is_cut_apart = is_divided(view)
    if not is_cut_apart:  # None without cuts; False where the cuts leave one segment, which the page says
        return None if is_cut_apart is None else SegmentsView(None)
    return segments_told(lab, view, divided(view.trace))


def segments_told(lab: Lab, view: LabView, division: Division) -> SegmentsView:
    """Return the view of a graph that cuts divide."""
    return SegmentsView(
        division=division,
        agrees=division.agrees,
        chain=describe_chain(division),
        product=describe_product(division),
        broken=describe_broken(division),
        angles=tuple((name, degrees(angle)) for name, angle in division.angles.items()),
        steps=_steps(lab, view),
        unscaled=UNSCALED.format(lab.dtype) if is_mixed(lab.plan.settings.loss_scale, lab.dtype) else "",
    )


def divided_job(view: LabView) -> Job:
    """Return the job that runs `divided` on the trace on view."""
    return job_of(divided, view.trace)


def trained_job(lab: Lab, steps: int) -> Job:
    """Return the job that runs `trained` with the lab's settings; its key has no positions of nodes."""
    # `content` leaves out where a node stands and where a cut is: a card that is moved trains nothing anew.
    nodes = tuple((node.content, node.cut) for node in lab.graph.nodes)
    settings = without_scale(lab.plan.settings)  # between segments cotangents have no scale
    reads = (nodes, lab.graph.output, settings, steps, lab.dtype)
    return job_of(trained, lab.graph, settings, steps, lab.dtype, reads=reads, seconds=TRAINING)


def three_ways_job(lab: Lab, view: LabView) -> Job | None:
    """Return the job of the training that is offered for the graph on view; None if none is."""
    steps = _steps(lab, view) if is_divided(view) else 0
    return trained_job(lab, steps) if steps else None


def _steps(lab: Lab, view: LabView) -> int:
    """Return the number of training steps that are offered; 0 for a graph that cannot be trained."""
    try:
        check_trainable(view.graph, view.trace)
        check_optimiser(without_scale(lab.plan.settings), lab.dtype)
    except GraphError:
        return 0
    return min(lab.plan.steps, most_steps(view.trace))
