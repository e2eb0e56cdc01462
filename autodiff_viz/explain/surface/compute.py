"""Evaluate the prediction of a graph over a grid of its data's columns, in one batched forward pass.

The graph is evaluated on many batches of n points at once, for the n rows of its data, so no shape in it
changes: the sweep of one input whose samples are batches of the grid. Each point is evaluated twice, in two
batches that have no other point in common but by chance. Where both values differ, the prediction for a point
depends on the rest of its batch, and there is no surface.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_viz.engine.live_path.arrays import Arrays, on_device
from autodiff_viz.engine.live_path.passes import forward
from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.engine.trace import Trace, precision, with_output
from autodiff_viz.explain.surface.prediction import Prediction, prediction
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.order import ancestors
from autodiff_viz.graph.problem import GraphError, Problem, whole_number
from autodiff_viz.graph.shown import Shown
from autodiff_viz.graph.text import quoted

POINTS = 41  # of each axis of the grid; with `MARGIN` the ends of the data are on it
MOST = 201
MARGIN = 1 / 6  # of the data's extent, on each side
TOO_MANY = 10 * limits.TOTAL_ELEMENTS  # numbers of all nodes at all points


@dataclass(frozen=True, eq=False)
class Surface(Shown):
    """The value of a node over a grid of points. All arrays are read-only NumPy arrays.

    Attributes:
      node: name of the node, the prediction.
      data: name of the input whose n rows are the data points.
      loss: name of the loss op that reads the prediction; None if it is read by other ops.
      axes: for each column of the data the positions of the grid, in ascending order.
      value: of the node: `value[i, j]` is its row at (`axes[0][j]`, `axes[1][i]`), so that the shape is
        [len(axes[1]), len(axes[0]), ...]; for data of one column `value[j]` at `axes[0][j]`.
      points: the data points, of shape [n, 2] or [n, 1].
      predicted: the node's row at each data point, of shape [n, ...].
      targets: the target of each data point, of shape [n]; None if the loss has none.
    """

    node: str
    data: str
    loss: str | None
    axes: tuple[np.ndarray, ...]
    value: np.ndarray
    points: np.ndarray
    predicted: np.ndarray
    targets: np.ndarray | None


def prediction_surface(trace: Trace, node: str | None = None, *, points: Any = POINTS) -> Surface:
    """Evaluate the prediction of a graph between and around its data points.

    Args:
      trace: of a graph whose output is a loss, such as `train(graph, steps=100).at(100)`. The loss reads
        data: an input, not a parameter, of shape [n, 2], or of shape [n, 1] or [n] for a curve.
      node: the node to evaluate, with a row for each of the n rows of the data. By default the prediction:
        what a loss op reads in its slot of predictions, else the last node that all paths from the data to
        the output share.
      points: how many points the grid has along each column; it reaches a sixth beyond the data.
    Returns:
      The surface: `axes`, `value` over them, and the data points with what is predicted there.
    Raises:
      GraphError: there is no output, no such data or no such node; the prediction for a row depends on other
        rows or on the number of the row, as with a mean over the batch, with noise or with another input of n
        rows; or the grid would take too many numbers.
    """
    count = whole_number("number of points", points, 2, MOST)
    chosen = known_prediction(with_output(trace), node)
    data = trace.inputs[chosen.data]
    rows = data.reshape(len(data), -1)
    axes = []
    for column in rows.T:
        low, high = float(column.min()), float(column.max())
        room = MARGIN * (high - low) or 1.0  # a column of one number has no extent
        axes.append(np.linspace(low - room, high + room, count).astype(data.dtype))
    grid = np.stack([along.ravel() for along in np.meshgrid(*axes)], axis=-1)
    if (size := numbers_of(trace, chosen, count)) > TOO_MANY:
        message = f"The evaluation over the grid takes {size:,} numbers; at most {TOO_MANY:,} fit."
        raise GraphError(Problem("too-large", message, "Give fewer points.", node=chosen.node))
    value = _evaluated(trace, chosen, grid.reshape(len(grid), *data.shape[1:]))
    sides = tuple(len(along) for along in reversed(axes))
    predicted = trace.value[chosen.node]
    arrays = (*axes, value.reshape(*sides, *predicted.shape[1:]), rows.view())
    for array in arrays:
        array.flags.writeable = False
    return Surface(
        chosen.node, chosen.data, chosen.loss, tuple(axes), *arrays[len(axes) :], predicted, chosen.targets
    )


def known_prediction(trace: Trace, node: str | None) -> Prediction:
    """Return the prediction of the trace.

    Raises:
      GraphError: there is none, or `node` has no row for each row of the data.
    """
    chosen = prediction(trace, node)
    if chosen is None:
        message = "No prediction depends on data of one or two columns."
        hint = "The loss must read an input of shape [n, 2], [n, 1] or [n] that is no parameter."
        raise GraphError(Problem("no-data", message, hint))
    if node is not None and chosen.node != node:
        message = f"{quoted(node)} has no row for each row of {chosen.data!r} that a parameter decides."
        raise GraphError(
            Problem("no-rows", message, f"Leave it out to take {chosen.node!r}.", node=chosen.node)
        )
    return chosen


def numbers_of(trace: Trace, chosen: Prediction, points: int) -> int:
    """Return how many numbers the evaluation over a grid of `points` along each column takes."""
    # Every point twice, and of each batch all that the prediction needs.
    data = trace.inputs[chosen.data]
    each = sum(trace.value[name].size for name in ancestors(trace.graph, [chosen.node]))
    return 2 * _batches(points ** (data.size // len(data)), len(data)) * each


def _batches(points: int, n: int) -> int:
    """Return the number of batches: two at least, so that no batch has all points."""
    return max(2, -(-points // n))


def _evaluated(trace: Trace, chosen: Prediction, grid: np.ndarray) -> np.ndarray:
    """Return the node's row at each point of the grid.

    Raises:
      GraphError: it depends on the rest of the batch.
    """
    data = trace.inputs[chosen.data]
    count, n = len(grid), len(data)
    batches = _batches(count, n)
    each = -(-count // batches)  # points in a batch; the data's own rows fill it up
    # The grid twice: in its order, and mixed, so that a point is in two batches that differ in all others.
    mixed = np.random.default_rng(0).permutation(count)
    filled = np.broadcast_to(data, (2, batches, *data.shape)).copy()
    places = np.arange(count) // each, np.arange(count) % each
    filled[0][places], filled[1][places] = grid, grid[mixed]
    values = _forward(trace, chosen, filled.reshape(2 * batches, *data.shape))
    by_batch = values.reshape(2, batches, n, *values.shape[2:])
    value, again = by_batch[0][places], np.empty_like(by_batch[0][places])
    again[mixed] = by_batch[1][places]
    if not _agrees(value, again, trace.dtype):
        message = (
            f"{chosen.node!r} at one row of {chosen.data!r} depends on the other rows, or on the row's "
            "number: it has no value at a single point."
        )
        hint = "A mean or a norm over the batch does this, noise and dropout, and other data by row."
        raise GraphError(Problem("not-by-row", message, hint, node=chosen.node))
    return value


def _forward(trace: Trace, chosen: Prediction, batches: np.ndarray) -> np.ndarray:
    """Return the node's value for each batch, with a leading axis of batches."""
    needed = ancestors(trace.graph, [chosen.node])
    part = Graph(tuple(node for node in trace.graph.nodes if node.name in needed), output=chosen.node)
    with precision(trace.dtype):
        inputs = {name: on_device(array) for name, array in trace.inputs.items() if name in needed}
        inputs[chosen.data] = on_device(batches)
        prepared = prepare(part, inputs, trace.dtype, frozenset({chosen.data}), forward_only=True)
        values, _ = forward(prepared)
    return Arrays(values, trace.dtype, prepared.shapes.__getitem__)[chosen.node]


def _agrees(one: np.ndarray, other: np.ndarray, dtype: str) -> bool:
    """Return whether two evaluations of the same points differ by rounding alone."""
    wide = one.astype(np.float64), other.astype(np.float64)
    finite = wide[0][np.isfinite(wide[0])]
    if not finite.size:
        return True
    eps = DTYPES[dtype].eps
    apart = np.sqrt(eps) * np.ptp(finite) + 64 * eps * np.abs(finite).max()
    return bool(np.allclose(*wide, rtol=0.0, atol=apart, equal_nan=True))
