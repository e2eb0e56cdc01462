"""Find the training step on view: parameters, and the rules under which the step was made."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from autodiff_viz.engine.training.course import phase_at, state_at
from autodiff_viz.engine.training.state import State, carried
from autodiff_viz.graph.identity import identity, remembered
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.views.lab import LAST, Lab
from autodiff_viz.views.training.record import Training, cannot_go_on, last_graph, still

KEPT = 8  # memoised states


@dataclass(frozen=True, eq=False)
class Moment:
    """Training step on view.

    Attributes:
      step: number of updates before it.
      of: number of updates in all.
      graph: the graph that is drawn and evaluated: the present one, or with the rules of that step.
      as_then: whether these differ.
      state: of the training before the step.
      key: the identity of all that the parameters depend on.
    """

    step: int
    of: int
    graph: Graph
    as_then: bool
    state: State
    key: bytes

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Values by name."""
        return self.state.parameters


def moment(lab: Lab) -> Moment | None:
    """Return the step on view; None if the graph's own numbers are."""
    training = lab.training
    if lab.step is None or not training or training.course is None or cannot_go_on(training, lab.graph):
        return None
    course, last = training.course, len(training)
    step = last if lab.step == LAST else lab.step
    if step > last or last == 0:
        return None
    then = _as_then(lab.graph, phase_at(course, step).graph) if lab.as_then and step < last else None
    key = identity((step, course.dtype, tuple(phase for phase in course.phases if phase.first < step)))
    graph = lab.graph if then is None else then
    try:
        state = _state(training, step, still(graph))
    except GraphError:  # at this step a parameter had another shape
        return None
    return Moment(step, last, graph, graph != lab.graph, state, key)


def own(lab: Lab) -> Training | None:
    """Return the training of the graph on view.

    None also for the training of another document, which undo may restore, unless both documents compute the
    same: equal parameters alone do not make its losses those of this graph.
    """
    training = lab.training
    if training is None or (training.document != lab.document and last_graph(training) != still(lab.graph)):
        return None
    return training


def live(lab: Lab) -> bool:
    """Return whether the step on view advances by itself."""
    return lab.step == LAST and lab.training is not None and lab.training.running


def _state_key(training: Training, step: int, graph: Graph) -> Hashable:
    """Return the memoisation key; a record of a training never changes and equals only itself."""
    return training, step, graph.identity


@remembered(KEPT, _state_key)
def _state(training: Training, step: int, graph: Graph) -> State:
    """Return the state after a number of steps; parameters that only `graph` has get their initial values."""
    course = training.course
    return carried(graph, state_at(course, step), phase_at(course, step).settings, course.dtype)


def _as_then(now: Graph, then: Graph) -> Graph | None:
    """Return the present graph with the rules, regions and inputs of `then`; None if it has other nodes."""
    if {(n.name, n.op) for n in now.nodes} != {(n.name, n.op) for n in then.nodes}:
        return None
    old = then.by_name
    nodes = tuple(replace(old[node.name], position=node.position) for node in now.nodes)
    return replace(then, nodes=nodes, groups=now.groups)
