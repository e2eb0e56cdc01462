"""Divide a graph by its cuts, and train it by segments, as data that can be read without JAX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_viz.engine.arguments import known_dtype
from autodiff_viz.engine.live_path.arrays import FLOAT32
from autodiff_viz.engine.segments.comparison import division
from autodiff_viz.engine.segments.jacobians import Jacobian
from autodiff_viz.engine.segments.training import Curves, curves
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.training.arguments import settings_from, with_values
from autodiff_viz.engine.training.stacked import read_only
from autodiff_viz.graph import limits
from autodiff_viz.graph.checks.argument_types import known_graph, whole_number
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure import segments as divided


@dataclass(frozen=True, eq=False, repr=False)
class Segments:
    """A graph divided by its cuts, and three ways to its gradient. All arrays are read-only NumPy arrays.

    The chain runs one `jax.vjp` per segment and passes cotangents across the cuts, which gives the gradient
    of the whole graph. The product multiplies the Jacobians of the segments. The third way, `apart`, passes
    nothing across the cuts: each segment is differentiated against its own output, with a seed of ones.

    Attributes:
      trace: values and cotangents of the whole graph, without cuts.
      segments: in the order in which they run; each has `nodes`, `inputs`, `takes` and `gives`.
      handed: by name of a node that a segment gives to later ones, the cotangent that comes back to it.
      jacobian: by (of, by), the size of d of/d by, where `of` is a node that a segment gives and `by` a node
        that it takes or a parameter that it reads; any input where the graph has no parameter. `elements`
        counts the elements that are not known to be 0.
      gradient, apart: by input, the gradient of the chain and that of the third way.
      difference: the largest difference between the chain and the whole graph's gradient, over inputs and
        cuts.
      agrees: whether the difference is no more than rounding.
      product_difference: the largest difference between the product of Jacobians and the gradient, both in
        float64 with a seed of ones; None where the product is not computed, and `too_large` says why.
      angles: by parameter, degrees between `apart` and the gradient; None where either is zero.
      angle: the same for all parameters together as one vector.
    """

    trace: Trace
    segments: tuple[divided.Segment, ...]
    handed: Mapping[str, np.ndarray]
    jacobian: Mapping[tuple[str, str], Jacobian]
    gradient: Mapping[str, np.ndarray]
    apart: Mapping[str, np.ndarray]
    difference: float
    agrees: bool
    product_difference: float | None
    too_large: str
    angles: Mapping[str, float | None]
    angle: float | None

    @property
    def handed_elements(self) -> int:
        """Number of elements of all cotangents that are passed back across cuts."""
        return sum(array.size for array in self.handed.values())

    @property
    def jacobian_elements(self) -> int:
        """Number of elements of all Jacobians."""
        return sum(found.elements for found in self.jacobian.values())

    def __repr__(self) -> str:
        sizes = f"{self.handed_elements:,} elements handed back, {self.jacobian_elements:,} in Jacobians"
        return f"<Segments: {len(self.segments)}, {sizes}; difference {self.difference:.2g}>"


def segments(
    graph: Graph, inputs: Mapping[str, Any] | None = None, seed: Any = None, *, dtype: str = FLOAT32
) -> Segments:
    """Divide `graph` by its cuts and differentiate it segment by segment.

    Args:
      graph: complete, with a cut that divides it: `h = cut(...)` in a formula.
      inputs: values for input nodes, by name, in place of the graph's own.
      seed: cotangent of the output, broadcast to its shape; ones by default.
      dtype: "float16", "bfloat16", "float32" or "float64".
    Returns:
      The cotangents that segments pass on, the sizes of the Jacobians that nobody needs, and the differences
      between the ways.
    Raises:
      GraphError: no cut divides the graph, or it, an input or the seed cannot be used as in `trace`.
    Source: the chain rule; `jax.vjp` of each segment.
    """
    found = trace(known_graph(graph), inputs, seed, dtype=dtype)
    check_divided(graph)
    made = division(found.graph, found)
    return Segments(
        trace=found,
        segments=tuple(link.segment for link in made.links),
        handed=_read_only(made.handed),
        jacobian={(one.of, one.by): one for link in made.links for one in link.jacobians},
        gradient=_read_only(made.gradient),
        apart=_read_only(made.apart),
        difference=made.difference,
        agrees=made.agrees,
        product_difference=made.product,
        too_large=made.too_large,
        angles=made.angles,
        angle=made.angle,
    )


def train_by_segments(
    graph: Graph,
    optimizer: str = "sgd",
    rate: Any = 0.1,
    steps: int = 1,
    *,
    inputs: Mapping[str, Any] | None = None,
    seed: int = 0,
    dtype: str = FLOAT32,
) -> Curves:
    """Train `graph` three times from the same start: jointly, across its cuts, and segment by segment.

    Args:
      graph: complete, with a parameter and a cut that divides it; its output is one number.
      optimizer, rate, inputs, seed, dtype: as `train`. There is no loss scale: in 16 bits, parameters have 16
        bits too.
      steps: how many updates, at least 1; fewer are possible for large tensors.
    Returns:
      The loss before each update: `joint`, `chain` and `apart`, of shape (steps,).
    Raises:
      GraphError: as `train`; or no cut divides the graph, or it would be too much work.
    Source: Optax, https://optax.readthedocs.io/en/latest/api/optimizers.html
    """
    dtype = known_dtype(dtype)
    graph = with_values(known_graph(graph), inputs, dtype)
    settings = settings_from(optimizer, rate, seed)
    count = whole_number("number of steps", steps, 1, limits.SEGMENT_STEPS)
    check_divided(graph)
    return curves(graph, settings, count, dtype)


def check_divided(graph: Graph) -> None:
    """Check that the graph has at least two segments.

    Raises:
      GraphError: it has fewer; the message says why its cuts divide nothing.
    """
    if len(divided.segments(graph)) < 2:
        why = " ".join(said for _, said in divided.idle_cuts(graph))
        hint = "Cut the graph where a segment ends: h = cut(...) in a formula, key k on the canvas."
        raise GraphError(Problem("no-segments", f"No cut divides the graph. {why}".strip(), hint))


def _read_only(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: read_only(array) for name, array in arrays.items()}
