"""Show the segments of a graph that has cuts."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.explanation import ExplanationKind
from autodiff_viz.graph.cuts import has_cuts
from autodiff_viz.graph.dtypes import FLOAT64
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import scalar
from autodiff_viz.segments.compute import Curves, Division, curves, division
from autodiff_viz.training.state import Settings

UNSCALED = "These three have no loss scale: their parameters are {}, too."


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


def divided(found: Trace) -> Division:
    """Divide the traced graph and compute its gradient in three ways. Slow."""
    return division(found.graph, found)


def trained(graph: Graph, settings: Settings, steps: int, dtype: str) -> Curves | tuple[Problem, ...]:
    """Train the graph in three ways, or return the problems that prevent it."""
    try:
        return curves(graph, settings, steps, dtype)
    except GraphError as error:
        return error.problems


def describe_chain(found: Division) -> str:
    """Return the result of the chain of pullbacks."""
    verb = "equal" if found.agrees else "differ from"
    apart = f"at most {_size(found.difference)} apart" if found.difference else "the same to the last digit"
    return f"{len(found.links)} pullbacks in a chain {verb} the whole gradient: {apart}."


def describe_product(found: Division) -> str:
    """Return the result of the product of Jacobians."""
    if found.product is None:
        return f"The product of all Jacobians is not worked out: {found.too_large}."
    apart = f"at most {_size(found.product)} from the gradient" if found.product else "the gradient itself"
    return f"The product of all Jacobians, in {FLOAT64}: {apart}."


def describe_broken(found: Division) -> str:
    """Return the result of separate segments, each with a seed of ones at its own output."""
    if found.angle is None:
        return "Each segment against its own output, with ones: one of the gradients is zero."
    return f"Each segment against its own output, with ones: {degrees(found.angle)} off the gradient."


def degrees(angle: float | None) -> str:
    """Return an angle as text."""
    return "\u2013" if angle is None else f"{angle:.1f}\u00b0"


def _size(number: float) -> str:
    """Return a difference as text."""
    return scalar(number, 2)


SEGMENTS = ExplanationKind(
    key="segments",
    title="Segments",
    what_it_says="What each segment hands back to the one before it, and how far off the gradient is if none "
    "does.",
    word="segment",
    public=("segments", "train_by_segments"),
    compute=lambda trace, _: divided(trace),
    needs=has_cuts,
)
