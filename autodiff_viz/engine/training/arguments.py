"""Check the arguments of `train` other than the graph."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from autodiff_viz.engine.arguments import input_arrays, numbers
from autodiff_viz.engine.live_path.arrays import FLOAT64
from autodiff_viz.engine.training.compiled_steps import OPTIMISERS
from autodiff_viz.engine.training.state import Settings
from autodiff_viz.graph import limits
from autodiff_viz.graph.checks.argument_types import whole_number
from autodiff_viz.graph.edits.node_edits import with_params
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.registries.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.text.names import quoted


def settings_from(optimizer: Any, rate: Any, seed: Any) -> Settings:
    """Return checked settings of a training.

    Raises:
      GraphError: there is no such optimizer, or the rate or the seed is not valid.
    """
    if not isinstance(optimizer, str) or optimizer not in OPTIMISERS:
        named = f"There is no optimizer {quoted(optimizer)}."
        message = named if isinstance(optimizer, str) else "The optimizer must be a name."
        raise GraphError(Problem("unknown-optimizer", message, f"The optimizers: {', '.join(OPTIMISERS)}."))
    return Settings(optimizer, learning_rate(rate), whole_number("seed", seed, 0, limits.SEED))


def with_values(graph: Graph, inputs: Any, dtype: str) -> Graph:
    """Return the graph with these values of inputs in place of its own.

    Raises:
      GraphError: as `input_arrays`, or a number is not finite.
    """
    for name, array in input_arrays(graph, inputs, dtype).items():
        given = {"value": _literal(array.tolist()), "shape": None, "seed": None, "init": None}
        graph = with_params(graph, name, given)
    return graph


def _literal(value: Any) -> Any:
    return tuple(_literal(row) for row in value) if isinstance(value, list) else value


def learning_rate(rate: Any) -> float:
    """Return the learning rate as a float.

    Raises:
      GraphError: it is not one finite number.
    """
    try:
        array = numbers(rate, FLOAT64)
    except ValueError:
        array = np.zeros(0)
    if array.ndim or np.asarray(rate).dtype == bool or not abs(array) <= limits.NUMBER:
        message = f"The rate must be one finite number; found {quoted(rate)}."
        hint = "Write rate=0.1. For another rate later on, go on with further(steps, rate=...)."
        raise GraphError(Problem("bad-number", message, hint))
    return float(array)


def with_scale(settings: Settings, loss_scale: Any, interval: Any, dtype: str) -> Settings:
    """Return the settings with a loss scale, or none.

    Raises:
      GraphError: the scale is not one positive number, the interval no number of steps, or the dtype has more
        than 16 bits.
    """
    interval = whole_number("growth interval", interval, 0, limits.STEPS)
    if loss_scale is None and interval:
        message = "A growth interval is for a loss scale, and there is none."
        raise GraphError(Problem("no-loss-scale", message, "Write loss_scale=1024.0 too."))
    scale = None if loss_scale is None else loss_scale_from(loss_scale, dtype)
    return replace(settings, loss_scale=scale, growth_interval=interval)


def loss_scale_from(loss_scale: Any, dtype: str) -> float:
    """Return the loss scale as a float.

    Raises:
      GraphError: it is not one positive number in the range of float32, or the dtype has more than 16 bits.
    """
    if not DTYPES[dtype].half:
        message = f"A loss scale is for a graph in 16 bits; this one is {dtype}."
        raise GraphError(Problem("no-loss-scale", message, "Leave it out, or write dtype='float16'."))
    try:
        array = numbers(loss_scale, FLOAT64)
    except ValueError:
        array = np.zeros(0)
    wide = DTYPES[FLOAT32]
    if array.ndim or np.asarray(loss_scale).dtype == bool or not wide.tiny <= array <= wide.max:
        message = f"The loss scale must be one positive number; found {quoted(loss_scale)}."
        hint = "A power of two loses no digit, such as loss_scale=1024.0."
        raise GraphError(Problem("bad-number", message, hint))
    return float(np.float32(array))


def number_of_steps(steps: Any, made: int = 0) -> int:
    """Return how many steps more are to be made, after `made` steps.

    Raises:
      GraphError: it is no whole number, or there would be more than `limits.STEPS`.
    """
    return whole_number("number of steps", steps, 0, limits.STEPS - made)
