"""Make training steps with picklable arguments and results, for a worker process."""

from __future__ import annotations

import jax
import numpy as np

from autodiff_viz.engine.training.mixed import Scaling
from autodiff_viz.engine.training.state import Settings, State
from autodiff_viz.engine.training.updates import Records, advance
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem


def plain(state: State) -> State:
    """Return the state with NumPy arrays in place of JAX arrays."""
    parameters, optimiser = jax.tree.map(np.asarray, (dict(state.parameters), dict(state.optimiser)))
    scaling = state.scaling and Scaling(*map(np.asarray, state.scaling[:2]), state.scaling.first)
    return State(state.step, parameters, optimiser, scaling)


def advance_plain(
    graph: Graph, state: State, steps: int, settings: Settings, dtype: str
) -> tuple[State, Records] | tuple[Problem, ...]:
    """Call `advance`; return the problems if it raises `GraphError`."""
    try:
        after, records = advance(graph, state, steps, settings, dtype)
    except GraphError as error:
        return error.problems
    return plain(after), records
