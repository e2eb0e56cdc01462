"""What the page says about the segments of a graph that has cuts."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff_viz.engine.arrays import FLOAT64
from autodiff_viz.engine.division import AGREES, Division, division
from autodiff_viz.engine.segment_training import Curves, curves, most_steps
from autodiff_viz.engine.training import check_trainable
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.segments import has_cuts, segments
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.numbers import scalar


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


def segments_view(lab: Lab, view: LabView) -> SegmentsView | None:
    """None where there is nothing to say: no cut, or a graph that does not run yet. Takes a while."""
    if not view.complete or view.mistaken or not has_cuts(view.graph):
        return None
    if len(segments(view.graph)) < 2:
        return SegmentsView(None)
    found = division(view.trace.graph, view.trace)
    agrees = found.difference <= AGREES[view.trace.dtype] * max(found.size, 1e-30)
    return SegmentsView(
        division=found,
        agrees=agrees,
        chain=_chain(found, agrees),
        product=_product(found),
        broken=_broken(found),
        angles=tuple((name, _degrees(angle)) for name, angle in found.angles.items()),
        steps=_steps(lab, view),
    )


def trained(lab: Lab, steps: int) -> Curves | tuple[Problem, ...]:
    """The graph trained in three ways with the settings of the lab, or why not."""
    try:
        return curves(lab.graph, lab.plan.settings, steps, lab.dtype)
    except GraphError as error:
        return error.problems


def training_key(lab: Lab) -> bytes:
    """The identity of all that the curves follow from."""
    nodes = tuple((node.content, node.cut) for node in lab.graph.nodes)
    return identity((nodes, lab.graph.output, lab.plan, lab.dtype))


def _steps(lab: Lab, view: LabView) -> int:
    try:
        check_trainable(view.graph, view.trace)
    except GraphError:
        return 0
    return min(lab.plan.steps, most_steps(view.trace))


def _chain(found: Division, agrees: bool) -> str:
    verb = "equal" if agrees else "differ from"
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
