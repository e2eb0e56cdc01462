"""Train the parameters of a graph, and return the steps as data that can be read without JAX."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import jax
import numpy as np

from autodiff_viz.engine.arguments import input_arrays, known_dtype, numbers
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32, FLOAT64
from autodiff_viz.graph.edits import with_params
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError, Problem, known_graph, whole_number
from autodiff_viz.graph.shown import Shown
from autodiff_viz.graph.text import as_literal, quoted
from autodiff_viz.training.course import Course, further, phase_at, records, start, trace_at
from autodiff_viz.training.records import Records, record_dtype
from autodiff_viz.training.state import OPTIMISERS, Settings, carried, learned, parameter_dtype
from autodiff_viz.training.updates import advance, at_step, describe_skipped

# Check the arguments of `train` other than the graph.


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
        given = {"value": as_literal(array.tolist()), "shape": None, "seed": None, "init": None}
        graph = with_params(graph, name, given)
    return graph


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


# Stack the arrays of many traces by name, with a leading axis of steps.


Read = Callable[[Trace], Mapping[str, np.ndarray]]


class Stacked(Mapping[str, np.ndarray]):
    """A read-only mapping to arrays of shape (steps, ...), each stacked when first read.

    NaN where a step has no array of that name, or a shorter one than other steps.
    """

    def __init__(self, steps: int, traces: Sequence[Trace], read: Read):
        """Stack arrays of `traces`, one for each step; without steps, one trace whose shapes are used."""
        self._steps, self._rows = steps, [read(trace) for trace in traces]
        self._names = tuple(dict.fromkeys(name for row in self._rows for name in row))
        self._made: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            self._made[name] = self._stack(name)
        return self._made[name]

    def _stack(self, name: str) -> np.ndarray:
        shapes = {row[name].shape for row in self._rows if name in row}
        if len({len(shape) for shape in shapes}) > 1:
            message = f"{name!r} has another number of axes in some steps than in others."
            raise GraphError(Problem("other-shapes", message, "Read single steps with at(step).", node=name))
        sides = tuple(max(lengths) for lengths in zip(*shapes, strict=True))
        dtype = next(row[name].dtype for row in self._rows if name in row)
        made = np.full((self._steps, *sides), np.nan, dtype)
        for step, row in zip(range(self._steps), self._rows, strict=False):
            if name in row:
                made[(step, *map(slice, row[name].shape))] = row[name]
        return read_only(made)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<{self._steps} steps of {', '.join(self._names)}>"


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a read-only view of the array."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


STACKED = 10 * limits.TOTAL_ELEMENTS  # numbers of all steps together that may be kept at once


@dataclass(frozen=True, eq=False, repr=False)
class Training(Shown):
    """The steps that a graph was trained for. All arrays are read-only NumPy arrays.

    Step 0 begins with the parameters as the graph has them; the number of a step is also the number of
    updates before it.

    Attributes:
      course: the engine's history, from which any step is restored.
    """

    course: Course

    @property
    def steps(self) -> int:
        """The number of updates made."""
        return len(self.course)

    @property
    def graph(self) -> Graph:
        """The graph of the last steps, with the values that `inputs` gave.

        `at(step).graph` has the rules of any step.
        """
        return self.course.phases[-1].graph

    @property
    def optimizer(self) -> str:
        """The name of the optimizer, the same in all steps."""
        return self.course.phases[-1].settings.optimiser

    @property
    def rate(self) -> float:
        """The learning rate of the last steps."""
        return self.course.phases[-1].settings.rate

    @property
    def dtype(self) -> str:
        """The name of the dtype."""
        return self.course.dtype

    @cached_property
    def parameters(self) -> Mapping[str, np.ndarray]:
        """By name, the parameters after the last update; `trace(graph, parameters)` takes them.

        With a loss scale they are float32.
        """
        return MappingProxyType({n: read_only(v) for n, v in self.course.state.parameters.items()})

    @property
    def loss(self) -> np.ndarray:
        """The loss in each step, before its update; shape (steps,)."""
        return self.records.loss

    @cached_property
    def records(self) -> Records:
        """Euclidean norms of values and cotangents, dead units and update ratios: a row for each step."""
        return jax.tree.map(read_only, records(self.course) or _none(self.graph, self.dtype))

    @cached_property
    def value(self) -> Mapping[str, np.ndarray]:
        """By node name, as in a trace, with a leading axis of steps; of parameters, those before the update.

        NaN where a node was not there in a step. The traces of all steps are made when first read.

        Raises:
          GraphError: all steps together have too many numbers; `at` gives one step.
        """
        return Stacked(self.steps, self._traces, lambda trace: trace.value)

    @cached_property
    def cotangent(self) -> Mapping[str, np.ndarray]:
        """By node name, d loss/d value: the cotangent that arrives at the node. As `value`.

        With a loss scale it is what arrived in 16 bits, divided by the scale in float32.
        """
        return Stacked(self.steps, self._traces, lambda trace: self._divided(trace, trace.cotangent))

    @cached_property
    def gradient(self) -> Mapping[str, np.ndarray]:
        """By input name, the arriving cotangent after the input's own rule. As `cotangent`."""
        return Stacked(self.steps, self._traces, lambda trace: self._divided(trace, trace.gradient))

    @property
    def scale(self) -> np.ndarray:
        """The loss scale of each step, 1 without one; shape (steps,)."""
        return self.records.scale

    @property
    def skipped(self) -> tuple[int, ...]:
        """The steps that made no update, since their gradient was not finite; only with a loss scale."""
        return tuple(map(int, np.flatnonzero(self.records.skipped)))

    @property
    def notes(self) -> tuple[str, ...]:
        """Plain sentences about what a reader may miss, such as a loss that is not a number."""
        bad = np.flatnonzero(~np.isfinite(self.loss))
        notes = [f"The loss is not finite from step {bad[0]} on."] if bad.size else []
        return (*notes, *([skips] if (skips := describe_skipped(self.records)) else []))

    def at(self, step: int) -> Trace:
        """Return the trace of one step: every value and cotangent, under the rules of that step.

        Args:
          step: 0 to `steps`; the last one is after all updates. With a loss scale its seed is the scale.
        Raises:
          GraphError: there is no such step.
        """
        return trace_at(self.course, whole_number("step", step, 0, self.steps))

    def further(
        self, steps: int = 1, *, graph: Graph | None = None, rate: Any = None, loss_scale: Any = None
    ) -> Training:
        """Continue with the same optimizer and its state. This training stays as it is.

        Args:
          steps: how many updates more.
          graph: the graph from now on, such as one with another rule; that of the last steps by default.
          rate: the learning rate from now on; that of the last steps by default.
          loss_scale: from now on; that of the last steps by default.
        Raises:
          GraphError: as `train`; or none of the earlier parameters is left, or one has another shape.
        """
        graph = self.graph if graph is None else known_graph(graph)
        settings = self.course.phases[-1].settings
        if rate is not None:
            settings = replace(settings, rate=learning_rate(rate))
        if loss_scale is not None:
            settings = replace(settings, loss_scale=loss_scale_from(loss_scale, self.dtype))
        return Training(_made(self.course, graph, settings, number_of_steps(steps, self.steps)))

    @cached_property
    def _traces(self) -> tuple[Trace, ...]:
        last = self.at(self.steps)
        size = sum(value.size for value in last.value.values())
        if size * self.steps > STACKED:
            message = f"{self.steps:,} steps of {size:,} numbers are too many to keep at once."
            raise GraphError(Problem("too-large", message, "Read single steps with at(step)."))
        return tuple(_traces(self.course)) or (last,)

    def _divided(self, found: Trace, arrays: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        if self.course.state.scaling is None or not np.isfinite(found.seed):
            return arrays
        wide = found.seed.astype(FLOAT32)
        return {name: array.astype(FLOAT32) / wide for name, array in arrays.items()}

    def __repr__(self) -> str:
        loss = f", loss {self.loss[0]:.6g} to {self.loss[-1]:.6g}" if self.steps else ""
        names = ", ".join(self.parameters)
        return f"<Training: {self.steps} steps of {self.optimizer} at rate {self.rate:g}{loss}; {names}>"


def train(
    graph: Graph,
    optimizer: str = "sgd",
    rate: Any = 0.1,
    steps: int = 1,
    *,
    inputs: Mapping[str, Any] | None = None,
    seed: int = 0,
    dtype: str = FLOAT32,
    loss_scale: Any = None,
    growth_interval: int = 0,
) -> Training:
    """Train the parameters of `graph` to make its output, the loss, smaller.

    Args:
      graph: complete, with a parameter; its output is one number.
      optimizer: "sgd", "momentum" (sgd with a momentum of 0.9) or "adam", as Optax has them.
      rate: the learning rate: one finite number.
      steps: how many updates; 0 gives the initial parameters.
      inputs: values for input nodes, by name, in place of the graph's own: data, or initial parameters.
      seed: added to the seed of every random parameter, so that one number draws them all anew.
      dtype: "float16", "bfloat16", "float32" or "float64".
      loss_scale: a positive number makes a training in 16 bits one of mixed precision. Parameters and the
        optimizer's state are then float32, and each step computes with their rounded copies; the loss is
        scaled by this number and the gradient divided by it in float32. A step whose gradient is not finite
        makes no update: `skipped`. None: parameters have the dtype themselves.
      growth_interval: steps in a row with a finite gradient after which the scale doubles; a step that is
        skipped then halves it. 0: the scale stays.
    Returns:
      The training: `parameters`, `loss`, `value`, `cotangent` and `gradient` by step, and `at(step)` with
      the trace of one step. Where the loss is not finite the steps go on, as in JAX; `notes` says from where.
    Raises:
      GraphError: the graph cannot run or has no parameter, its output is no single number, or an argument is
        not what it should be; `problems` says which and why.
    Source: Optax, https://optax.readthedocs.io/en/latest/api/optimizers.html; for the loss scale
    P. Micikevicius et al., "Mixed Precision Training", 2018, arXiv:1710.03740.
    """
    dtype = known_dtype(dtype)
    settings, count = settings_from(optimizer, rate, seed), number_of_steps(steps)
    settings = with_scale(settings, loss_scale, growth_interval, dtype)
    graph = with_values(known_graph(graph), inputs, parameter_dtype(settings.loss_scale, dtype))
    return Training(_made(start(graph, settings, dtype), graph, settings, count))


def _made(course: Course, graph: Graph, settings: Settings, steps: int) -> Course:
    goal = len(course) + steps
    while len(course) < goal:
        course = further(course, graph, settings, goal - len(course))
    return course


def _traces(course: Course) -> Iterator[Trace]:
    state = course.snapshots[0]
    for step in range(len(course)):
        phase = phase_at(course, step)
        state = carried(phase.graph, state, phase.settings, course.dtype)
        yield at_step(phase.graph, state, course.dtype)
        state, _ = advance(phase.graph, state, 1, phase.settings, course.dtype)


def _none(graph: Graph, dtype: str) -> Records:
    """Return empty records, for no steps."""
    nodes = tuple(node.name for node in order(played(graph)))
    parameters = tuple(sorted(node.name for node in learned(graph)))
    dtype = record_dtype(dtype)
    by_node, ratio = np.zeros((0, len(nodes)), dtype), np.zeros((0, len(parameters)), dtype)
    none, no = np.zeros(0, dtype), np.zeros(0, bool)
    return Records(nodes, parameters, 0, none, by_node, by_node, by_node, ratio, none, no)
