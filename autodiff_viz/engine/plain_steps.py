"""Steps of training as plain data, for a process that makes them for another one."""

from __future__ import annotations

import jax
import numpy as np

from autodiff_viz.engine.states import Settings, State
from autodiff_viz.engine.training import Records, advance
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem


def plain(state: State) -> State:
    """The state with NumPy's arrays."""
    parameters, optimiser = jax.tree.map(np.asarray, (dict(state.parameters), dict(state.optimiser)))
    return State(state.step, parameters, optimiser)


def advance_plain(
    graph: Graph, state: State, steps: int, settings: Settings, dtype: str
) -> tuple[State, Records] | tuple[Problem, ...]:
    """As `advance`; the problems where it raises them."""
    try:
        after, records = advance(graph, state, steps, settings, dtype)
    except GraphError as error:
        return error.problems
    return plain(after), records
