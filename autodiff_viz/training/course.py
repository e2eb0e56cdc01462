"""Keep the history of a training: all steps with the rules of each, so that any step can be restored.

Of every step the norms are kept, not the tensors: memory grows with steps times nodes. Parameters are kept
for a few steps only (snapshots). Those of any other step are recomputed from the nearest snapshot before it,
which gives the same numbers, since steps are pure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import itemgetter

import jax
import numpy as np

from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.training.records import Records
from autodiff_viz.training.state import Settings, State, carried
from autodiff_viz.training.steps import AT_ONCE
from autodiff_viz.training.updates import advance, at_step, begin

Advance = Callable[[Graph, State, int, Settings, str], tuple[State, Records]]
"""Function that makes steps, with the signature of `advance`."""

_advance: Advance = advance

SNAPSHOTS = 24  # kept states; if there are more, every other one is dropped


@dataclass(frozen=True, slots=True)
class Phase:
    """A graph and settings of consecutive steps: from step `first` up to the next phase."""

    first: int
    graph: Graph
    settings: Settings


@dataclass(frozen=True)
class Course:
    """A training so far. Immutable: every function below returns a new one.

    Attributes:
      dtype: of all steps.
      state: after the last step.
      phases: oldest first; the first begins at step 0.
      snapshots: states by step, oldest first; step 0 is always there.
      chunks: records of the steps, in order.
    """

    dtype: str
    state: State
    phases: tuple[Phase, ...]
    snapshots: tuple[State, ...]
    chunks: tuple[Records, ...] = ()

    def __len__(self) -> int:
        """Return how many steps have been made."""
        return self.state.step


def make_steps_by(make: Advance) -> None:
    """Replace the function that makes the steps of all courses; a server has other processes make them."""
    global _advance
    _advance = make


def start(graph: Graph, settings: Settings, dtype: str = FLOAT32) -> Course:
    """Return a course before its first step.

    Raises:
      GraphError: the graph cannot be trained.
    """
    state = begin(graph, settings, dtype)
    return Course(dtype, state, (Phase(0, graph, settings),), (state,))


def further(course: Course, graph: Graph, settings: Settings, steps: int) -> Course:
    """Make up to `steps` more steps, at most `AT_ONCE`; another graph or other settings begin a new phase.

    Raises:
      GraphError: the graph cannot be trained, none of the earlier parameters is left, or the limit is
        reached.
    """
    room = limits.STEPS - len(course)
    if room <= 0:
        message = f"This training has made {len(course)} steps, which is the limit."
        raise GraphError(Problem("too-many-steps", message, "Start over to begin again."))
    phases = course.phases
    if (phases[-1].graph, phases[-1].settings) != (graph, settings):
        kept = phases[:-1] if phases[-1].first == len(course) else phases
        phases = (*kept, Phase(len(course), graph, settings))
    state, records = _advance(graph, course.state, min(steps, room), settings, course.dtype)
    snapshots = (*course.snapshots, state)
    if len(snapshots) > SNAPSHOTS:  # every other one goes, but for the first and the last
        snapshots = (*snapshots[:-1:2], snapshots[-1])
    chunks = (*course.chunks, records)
    return replace(course, state=state, phases=phases, snapshots=snapshots, chunks=_joined(chunks))


def upto(course: Course, step: int) -> Course:
    """Return the course cut off after its first `step` steps."""
    state = state_at(course, step)
    phases = tuple(phase for phase in course.phases if phase.first <= step)
    snapshots = tuple(kept for kept in course.snapshots if kept.step <= step)
    chunks = []
    for chunk in course.chunks:
        made = max(step - chunk.first, 0)
        chunks += [jax.tree.map(itemgetter(slice(made)), chunk)] if made else []
    return replace(course, state=state, phases=phases, snapshots=snapshots, chunks=tuple(chunks))


def state_at(course: Course, step: int) -> State:
    """Return the state after `step` updates, 0 to `len(course)`, with the parameters of the next step."""
    if not 0 <= step <= len(course):
        raise IndexError(step)
    if step == len(course):
        return course.state
    state = max((kept for kept in course.snapshots if kept.step <= step), key=lambda kept: kept.step)
    while state.step < step:
        phase = phase_at(course, state.step)
        later = [other.first for other in course.phases if other.first > state.step]
        ahead = min([step, *later]) - state.step
        state, _ = _advance(phase.graph, state, min(ahead, AT_ONCE), phase.settings, course.dtype)
    phase = phase_at(course, step)
    return carried(phase.graph, state, phase.settings, course.dtype)


def phase_at(course: Course, step: int) -> Phase:
    """Return the phase of the step that follows `step` updates."""
    return next(phase for phase in reversed(course.phases) if phase.first <= step)


def trace_at(course: Course, step: int) -> Trace:
    """Return the trace of that step, on the graph and with the parameters of the step."""
    return at_step(phase_at(course, step).graph, state_at(course, step), course.dtype)


def records(course: Course) -> Records | None:
    """Return the records of all steps; None before the first step."""
    return _concatenated(course.chunks) if course.chunks else None


def _joined(chunks: tuple[Records, ...]) -> tuple[Records, ...]:
    """Join neighbouring chunks of similar length, so that they stay few even if steps are made one by one."""
    while len(chunks) > 1:
        one, other = chunks[-2:]
        # Chunks of different columns stay apart: joined, each would hold the columns of both.
        same = (one.nodes, one.parameters) == (other.nodes, other.parameters)
        if len(one) > len(other) or not same:
            break
        chunks = (*chunks[:-2], _concatenated((one, other)))
    return chunks


def _concatenated(chunks: tuple[Records, ...]) -> Records:
    """Return one record of all steps, with NaN where a node did not exist in a step."""
    if len(chunks) == 1:
        return chunks[0]
    nodes = tuple(dict.fromkeys(name for chunk in chunks for name in chunk.nodes))
    parameters = tuple(sorted({name for chunk in chunks for name in chunk.parameters}))
    wide = [
        replace(
            chunk,
            nodes=nodes,
            parameters=parameters,
            first=chunks[0].first,
            value=_spread(chunk.value, chunk.nodes, nodes),
            cotangent=_spread(chunk.cotangent, chunk.nodes, nodes),
            dead=_spread(chunk.dead, chunk.nodes, nodes),
            ratio=_spread(chunk.ratio, chunk.parameters, parameters),
        )
        for chunk in chunks
    ]
    return jax.tree.map(lambda *rows: np.concatenate(rows), *wide)


def _spread(rows: np.ndarray, have: tuple[str, ...], wanted: tuple[str, ...]) -> np.ndarray:
    if have == wanted:
        return rows
    spread = np.full((len(rows), len(wanted)), np.nan, rows.dtype)
    spread[:, [wanted.index(name) for name in have]] = rows
    return spread


@dataclass(frozen=True, eq=False)
class Progress:
    """A training as the figures take it.

    Attributes:
      records: of all steps.
      phases: (first step, name) of each change of the rules or settings, without the first phase.
      shown: the step on view; None without one.
      nodes: names of the nodes that a cotangent can arrive at, in graph order.
      planned: before the first step, how many are to be made; the only record is then what they start from.
    """

    records: Records
    phases: tuple[tuple[int, str], ...] = ()
    shown: int | None = None
    nodes: tuple[str, ...] = ()
    planned: int = 0

    @property
    def steps(self) -> int:
        """The number of recorded steps."""
        return len(self.records)
