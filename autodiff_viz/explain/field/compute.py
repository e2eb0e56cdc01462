"""Evaluate a graph over a plane of two of its numbers: the output, both gradients, the curl, and descent.

The whole program is vectorised over the points of the plane and compiled once. The declared gradient goes by
the rules of the graph, the true one is that of the same graph without them. A rule holds for one derivative:
the curl differentiates the declared gradient as the function of two numbers that it is, so a stop in the
graph hides nothing from it. (`jax.jvp` of `jax.grad` would stop at `lax.stop_gradient` a second time.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor, isfinite, log10
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.arguments import numbers
from autodiff_viz.engine.finite_differences import HALF, TOLERANCE
from autodiff_viz.engine.live_path.compiling import ONCE, rounded
from autodiff_viz.engine.tolerance import ROOM, equal_within, gaps
from autodiff_viz.engine.trace import Trace, precision, with_output
from autodiff_viz.engine.trace import trace as traced_at
from autodiff_viz.engine.whole_program.jaxprs import Traced, traced
from autodiff_viz.engine.whole_program.program import (
    JAX_RULES,
    WITH_OP,
    JaxRule,
    Program,
    dynamic_params,
    structure,
)
from autodiff_viz.engine.whole_program.rounding import errors
from autodiff_viz.explain.causing_rules import causing_rules
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import DTYPES, FLOAT64
from autodiff_viz.graph.grad_nodes import has_grads
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import GRAD, IDENTITY, INPUT, Call, Graph, Lambda, Node, Rule, Term, params
from autodiff_viz.graph.order import ancestors, descendants
from autodiff_viz.graph.problem import GraphError, Problem, kind_of, whole_number
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW, KINDS, PULLBACK, REWRITE, SCALE, STOP
from autodiff_viz.graph.shown import Shown
from autodiff_viz.graph.text import listed, numbered, quoted, scalar
from autodiff_viz.workers.jobs import report

POINTS = 41  # of each axis of the grid
MOST = 101
STEPS = 100  # of descent, unless another number is asked for
MOST_STEPS = 1_000
TOO_MANY = 10 * limits.TOTAL_ELEMENTS  # numbers of all nodes at all points
AT_ONCE = limits.TOTAL_ELEMENTS // 4  # the same in one call of the program: 100 MB with derivatives
BEYOND = 1.25  # so that zero is no edge of the grid
STRIDE = 0.2  # of half the grid: how far the first step goes at most
DRAWN = 100  # steps of a training that its path has at most

LEFT, NOT_FINITE, RESTS, ALL = "left", "not finite", "rests", "all"
"""Why a descent ends: it left the grid, a number is not finite, it no longer moves, all steps are made."""

TOO_LARGE = "too-large"

_ELEMENT = re.compile(r"(.+)\[\s*(\d+(?:\s*,\s*\d+)*)\s*\]", re.DOTALL)


class Number(NamedTuple):
    """A number that can be moved: a scalar input, or an element of one that is a tensor.

    Attributes:
      name: as it is written, such as "w" or "w[0, 1]".
      input: name of the input node.
      index: of the element; () of a scalar.
    """

    name: str
    input: str
    index: tuple[int, ...]


class TrainingPath(NamedTuple):
    """The values that a training gave two parameters.

    Attributes:
      steps: the numbers of the steps, ascending.
      points: the values of both before the update of each; NaN where a parameter was not there.
      others: the names of the other parameters that it moved.
    """

    steps: tuple[int, ...]
    points: tuple[tuple[float, float], ...]
    others: tuple[str, ...] = ()


class Trained(Protocol):
    """What is read of a training, as `train` returns it."""

    @property
    def steps(self) -> int:
        """The number of updates made."""

    def at(self, step: int) -> Trace:
        """Return the trace of one step."""


@dataclass(frozen=True, eq=False)
class Descent:
    """The path of gradient descent from the present point.

    Attributes:
      points: of shape [steps + 1, 2], in the dtype of the trace; the first is the present point. The last
        one may be outside the grid; if it is not finite it is left out.
      why: "left" the grid, "not finite", "rests" where a step moves it no more, or "all" steps are made.
    """

    points: np.ndarray
    why: str

    @property
    def steps(self) -> int:
        """The number of steps made."""
        return len(self.points) - 1


@dataclass(frozen=True, eq=False, repr=False)
class Field(Shown):
    """The output and its gradients over a grid. All arrays are read-only NumPy arrays.

    Attributes:
      x, y: the two numbers that are moved, such as "w" or "w[0, 1]"; all others are as in the trace.
      point: their present values, of shape [2].
      output: name of the output; `is_plain` if it is a number with a seed of 1. Otherwise all is of <seed,
        output>.
      dtype: of the trace, in which all but the curl is computed.
      axes: the positions of x and of y, each in ascending order.
      value: of <seed, output>, float64: `value[i, j]` at (`axes[0][j]`, `axes[1][i]`), as in all arrays here.
      declared: the gradient that the rules give, of shape [len(axes[1]), len(axes[0]), 2]: by x and by y.
      true: the same of the graph without its rules; None where it cannot be computed.
      curl: d(declared by y)/dx - d(declared by x)/dy, in float64; None where it cannot be computed.
      turns: whether the curl is not 0, all around some cell of the grid, by more than rounding explains.
      why_not: why there is no true gradient or no curl, a sentence; "" if there are both.
      rate, steps: step size of descent, and the number of steps at most.
      descent: by the declared gradient.
      true_descent: by the true one; None where there is none.
      gradient, true_gradient: both at the present point, of shape [2]; the second is None where `true` is.
      training: the path of a training; None without one. The plane has the other parameters as in the trace.
      rules: the nodes on the way to the output whose rule decides the declared gradient; where the true one
        is another, those that change it.
    """

    x: str
    y: str
    point: np.ndarray
    output: str
    is_plain: bool
    dtype: str
    axes: tuple[np.ndarray, np.ndarray]
    value: np.ndarray
    declared: np.ndarray
    true: np.ndarray | None
    curl: np.ndarray | None
    turns: bool
    why_not: str
    rate: float
    steps: int
    descent: Descent
    true_descent: Descent | None
    gradient: np.ndarray
    true_gradient: np.ndarray | None
    training: TrainingPath | None = None
    rules: tuple[Node, ...] = ()

    @property
    def bent(self) -> np.ndarray:
        """Whether the declared gradient differs from the true one, by point; nowhere if there is none.

        The difference is more than a thousandth, or in 16 bits eight units of the last place, of the largest
        number of either. False where the output is NaN.
        """
        if self.true is None:
            return np.zeros(self.value.shape, bool)
        return differs(self.declared, self.true, self.dtype).any(-1) & ~np.isnan(self.value)

    @property
    def sentence(self) -> str:
        """Whether there is a function with the declared gradient, and how both gradients differ."""
        return " ".join(sentences(self))

    def __repr__(self) -> str:
        sides = " by ".join(str(len(along)) for along in self.axes)
        return f"<Field of {self.output} over {self.x} and {self.y}: {sides} points in {self.dtype}>"


def field(
    trace: Trace,
    x: str | None = None,
    y: str | None = None,
    *,
    points: Any = POINTS,
    ends: Any = None,
    rate: Any = None,
    steps: Any = STEPS,
    training: Trained | TrainingPath | None = None,
) -> Field:
    """Evaluate output, declared and true gradient over a plane of two numbers, and descend by each.

    Args:
      trace: as `trace` made it; all that is not moved is as in it. A random draw stays the same draw.
      x, y: two different numbers: names of scalar inputs or parameters, or elements as "w[0]" and "w[0, 1]".
        By default parameters that reach the output, then inputs; scalars before elements.
      points: how many points the grid has along each axis; fewer where the dtype has fewer numbers there.
      ends: ((low, high), (low, high)) of x and of y, widened to hold the present point. By default those of
        the slider, if the formula has them, else as far to both sides of the present point as zero is, and a
        quarter more, rounded up to 1, 2 or 5 times a power of ten, at least 1; widened for the training.
      rate: the step size of descent. By default a round number with which a step goes no further than a tenth
        of the grid from the present point, and from half of its points.
      steps: of descent, at most; it ends where it leaves the grid, is not finite or rests.
      training: as `train` made it, whose parameters x and y are; its path has about a hundred of its steps.
    Returns:
      The field: `value`, `declared`, `true` and `curl` over the grid, `descent`, `true_descent`, and
      `sentence`, which says whether any function has the declared gradient.
    Raises:
      GraphError: it is no trace or has no output, x or y is no such number or both are the same, the graph
        has fewer than two, an argument is not valid, or the grid would take too many numbers.
    Source: `jax.vmap` of `jax.grad`; the curl is `jax.jvp` of the declared gradient. That no function has a
      gradient with a curl is the symmetry of second derivatives (H. A. Schwarz, 1873); a semi-gradient of
      temporal differences has one: R. Sutton and A. Barto, "Reinforcement Learning", 2018, section 11.
    """
    with_output(trace)
    count = whole_number("number of points", points, 3, MOST)
    most = whole_number("number of steps", steps, 0, MOST_STEPS)
    chosen = _chosen(trace, x, y)
    point = np.array([trace.inputs[one.input][one.index] for one in chosen], trace.dtype)
    if not np.isfinite(point.astype(FLOAT64)).all():
        message = f"{listed([one.name for one in chosen])} must be finite to have a grid around them."
        raise GraphError(Problem("not-finite", message, "Give them other values.", chosen[0].input))
    path = training
    if training is not None and not isinstance(training, TrainingPath):
        path = path_of(training, chosen)
    axes = tuple(_axes(trace, chosen, point, count, ends, path))
    part = _part(trace, chosen)
    moving = [node.name for node in part.graph.nodes if node.name in trace.graph]
    size = max(1, sum(trace.value[name].size for name in moving))
    if len(axes[0]) * len(axes[1]) * size > TOO_MANY:
        given = f"{len(axes[0])} by {len(axes[1])} points of {size:,} numbers"
        message = f"The field takes {given}; at most {TOO_MANY:,} numbers fit."
        raise GraphError(Problem(TOO_LARGE, message, "Give fewer points."))

    grid = np.stack([along.ravel() for along in np.meshgrid(*axes)], -1)
    sides = len(axes[1]), len(axes[0])
    with precision(trace.dtype):
        value, *slopes = _evaluated(part, trace.dtype, grid, size)
        _, *at_present = _evaluated(part, trace.dtype, np.stack([point, point]), size)
    present = [slope[0] for slope in at_present]
    declared, true = (slope.reshape(*sides, 2) for slope in slopes)
    wide, turns, curl = grid.astype(FLOAT64), False, None
    if not part.why_not:
        with precision(FLOAT64):
            program, given = _program(_key(part, FLOAT64), True), _arguments(part, FLOAT64)
            # (d(by y)/dx, d(by x)/dy) of the declared gradient at each point.
            mixed = np.concatenate([*_in_chunks(lambda chunk: program(chunk, *given), wide, size)])
            turns = _turns(part, wide, mixed, sides)
        with np.errstate(invalid="ignore"):
            curl = (mixed[:, 0] - mixed[:, 1]).reshape(sides)
    value = value.reshape(sides)
    true = None if part.why_not else np.where(np.isnan(value)[..., None], np.nan, true).astype(trace.dtype)
    both = [declared] if true is None else [declared, true]
    rate = _rate(axes, both, present[: len(both)]) if rate is None else _number("rate", rate)
    with precision(trace.dtype):
        descents = _descents(part, trace.dtype, point, rate, most, axes)
    for array in (point, *axes, value, *both, *present, *(() if curl is None else (curl,))):
        array.flags.writeable = False
    seed = trace.seed
    return Field(
        x=chosen[0].name,
        y=chosen[1].name,
        point=point,
        output=trace.output,
        is_plain=seed.shape == () and float(seed) == 1.0,
        dtype=trace.dtype,
        axes=axes,
        value=value,
        declared=declared,
        true=true,
        curl=curl,
        turns=turns,
        why_not=part.why_not,
        rate=rate,
        steps=most,
        descent=descents[0],
        true_descent=None if true is None else descents[1],
        gradient=present[0],
        true_gradient=None if true is None else present[1],
        training=path,
        rules=_causing(trace, chosen, part.rules, declared, true, grid, point),
    )


TRIED = 5  # points at which each rule is tried, of those where declared and true gradient differ


def _causing(
    trace: Trace,
    chosen: tuple[Number, Number],
    rules: tuple[Node, ...],
    declared: np.ndarray,
    true: np.ndarray | None,
    grid: np.ndarray,
    point: np.ndarray,
) -> tuple[Node, ...]:
    """Return the rules that change the gradient; all where the true one is unknown or the same."""
    if true is None:
        return rules
    bent = np.flatnonzero(differs(declared, true, trace.dtype).any(-1).ravel())
    if not bent.size or len(rules) < 2:
        return rules
    few = bent[np.linspace(0, len(bent) - 1, TRIED).astype(int)]
    points = [point, *grid[few]]

    def gradient(graph: Graph) -> np.ndarray:
        return np.array([_slopes(trace, graph, chosen, at) for at in points])

    return causing_rules(trace.graph, rules, gradient, lambda a, b: differs(a, b, trace.dtype))


def _slopes(found: Trace, graph: Graph, chosen: tuple[Number, Number], point: np.ndarray) -> list[float]:
    """Return the gradient by the two numbers at a point, of a graph with other rules."""
    inputs = {name: array.copy() for name, array in found.inputs.items()}
    for number, value in zip(chosen, point, strict=True):
        inputs[number.input][number.index] = value
    plain = replace(graph, regions=())  # which change no number
    gradient = traced_at(plain, inputs, found.seed, dtype=found.dtype).gradient
    return [float(gradient[number.input][number.index]) for number in chosen]


# Choose the two numbers, and how far the grid goes.


def numbers_of(graph: Graph, shapes: Mapping[str, tuple[int, ...]]) -> Iterator[Number]:
    """Yield the numbers that reach the output: parameters before inputs, scalars before elements.

    Args:
      shapes: of the inputs; one that is missing is left out.
    """
    reached = ancestors(graph, [graph.output]) if graph.output is not None else frozenset()
    inputs = [node for node in graph.nodes if node.name in shapes and node.name in reached]
    for node in sorted(inputs, key=lambda node: (not node.is_parameter, bool(shapes[node.name]))):
        for index in np.ndindex(shapes[node.name]):
            yield _named(node.name, index)


def candidates(trace: Trace) -> Iterator[Number]:
    """Yield the numbers of a trace that a plane can be of, in the order in which they are chosen."""
    return numbers_of(trace.graph, {name: array.shape for name, array in trace.inputs.items()})


def _named(name: str, index: tuple[int, ...]) -> Number:
    return Number(f"{name}[{', '.join(map(str, index))}]" if index else name, name, index)


def _chosen(trace: Trace, x: str | None, y: str | None) -> tuple[Number, Number]:
    """Return the two numbers: those asked for, and the first others in place of what is left out."""
    both = [None if given is None else _known(trace, given) for given in (x, y)]
    others = (one for one in candidates(trace) if one not in both)
    for i, one in enumerate(both):
        both[i] = next(others, None) if one is None else one
        if both[i] is None:
            message = "A field needs two numbers that reach the output, and this graph has fewer."
            hint = "Add an input or a parameter: x = 1.0, or w = parameter(0.5)."
            raise GraphError(Problem("no-two-numbers", message, hint))
    if both[0] == both[1]:
        message = f"A field is over two different numbers; found {quoted(both[0].name)} twice."
        raise GraphError(Problem("same-number", message, "Leave one out to take the next one."))
    return both[0], both[1]


def _known(trace: Trace, given: Any) -> Number:
    """Return the number of this name.

    Raises:
      GraphError: there is no such scalar input, and no such element.
    """
    if not isinstance(given, str):
        message = f"A field is over two numbers, by name; found {kind_of(given)}."
        raise GraphError(Problem("not-scalar", message, 'Write "x", or "w[0, 1]" for an element.'))
    name, index = given, ()
    if given not in trace.inputs and (parts := _ELEMENT.fullmatch(given)):
        name, index = parts[1], tuple(map(int, parts[2].split(",")))
    if name not in trace.inputs:
        known = listed([one.name for one, _ in zip(candidates(trace), range(4), strict=False)]) or "none"
        message = f"There is no input or parameter {quoted(name)}."
        raise GraphError(Problem("unknown-input", message, f"Numbers of this graph: {known}."))
    shape = trace.inputs[name].shape
    if len(index) != len(shape) or any(i >= side for i, side in zip(index, shape, strict=True)):
        some = _named(name, tuple(0 for _ in shape)).name
        message = f"{quoted(given)} is not one number: {name!r} has shape {list(shape)}."
        hint = f"Name it as {some!r}." if np.prod(shape) else "It has no elements: choose another input."
        raise GraphError(Problem("not-scalar", message, hint, name))
    return _named(name, index)


def _axes(
    trace: Trace,
    chosen: Sequence[Number],
    point: np.ndarray,
    count: int,
    ends: Any,
    path: TrainingPath | None,
) -> Iterator[np.ndarray]:
    """Yield the positions along each axis, different numbers of the dtype in ascending order."""
    given = _ends(ends)
    for i, number in enumerate(chosen):
        now, node = float(point[i]), trace.graph[number.input]
        reach = round_up(BEYOND * now)
        low, high = (now - reach, now + reach) if given is None else map(float, given[i])
        if given is None and not number.index:
            low, high = float(node.param("low", low)), float(node.param("high", high))
        along = [now, *(at[i] for at in (path.points if path else ()) if all(map(isfinite, at)))]
        low, high = min(low, *along), max(high, *along)
        top = float(DTYPES[trace.dtype].max)
        positions = np.linspace(max(low, -top), min(high, top), count).astype(trace.dtype)
        # In 16 bits neighbouring positions may be one number: a plot needs each once.
        yield np.unique(positions.astype(FLOAT64)).astype(trace.dtype)


def round_up(size: float) -> float:
    """Return the first of 1, 2, 5, 10, 20, ... that is not less than the size of a number."""
    size = min(abs(size), limits.NUMBER)
    reach, factors = 1.0, (2.0, 2.5, 2.0)
    for i in range(100):
        if reach >= size:
            break
        reach *= factors[i % 3]
    return reach


def _ends(ends: Any) -> np.ndarray | None:
    if ends is None:
        return None
    try:
        array = numbers(ends, FLOAT64)
    except ValueError:
        array = np.zeros(0)
    if array.shape != (2, 2) or not np.isfinite(array).all() or not (array[:, 0] < array[:, 1]).all():
        message = "The ends must be ((low, high), (low, high)), of x and of y, each low below its high."
        raise GraphError(Problem("bad-ends", message, "Write ends=((-1, 1), (0, 2)), or leave it out."))
    return array


def _number(name: str, given: Any) -> float:
    try:
        array = numbers(given, FLOAT64)
    except ValueError:
        array = np.zeros(0)
    if array.ndim or np.asarray(given).dtype == bool or not abs(array) <= limits.NUMBER:
        message = f"The {name} must be one finite number; found {quoted(given)}."
        raise GraphError(Problem("bad-number", message, f"Write {name}=0.1, or leave it out."))
    return float(array)


def path_of(training: Any, chosen: Sequence[Number]) -> TrainingPath:
    """Return the path that two parameters took in a training.

    Raises:
      GraphError: it is no training, or one of the two is no parameter of it.
    """
    if not hasattr(training, "at") or not hasattr(training, "steps"):
        message = f"The training must be one that train made; found {kind_of(training)}."
        raise GraphError(Problem("not-a-training", message, "Write training=train(graph, steps=100)."))
    steps = np.unique(np.linspace(0, training.steps, min(training.steps, DRAWN) + 1).astype(int))
    rows, names = [], {}
    for step in steps:
        at_step = training.at(int(step))
        names |= {node.name: None for node in at_step.graph.nodes if node.is_parameter}
        rows.append(at_step.inputs)
    for one in chosen:
        if one.input not in names:
            message = f"The training does not move {one.input!r}, which is no parameter of it."
            raise GraphError(Problem("not-trained", message, "Choose two parameters.", one.input))
    return path_through(steps.tolist(), rows, chosen, tuple(names))


def path_through(
    steps: Sequence[int],
    rows: Sequence[Mapping[str, Any]],
    chosen: Sequence[Number],
    parameters: Sequence[str],
) -> TrainingPath:
    """Return the path through the parameters of these steps; NaN where one is missing or has other axes."""
    points = np.full((len(rows), 2), np.nan)
    for at, row in zip(points, rows, strict=True):
        for i, one in enumerate(chosen):
            shape = np.shape(row[one.input]) if one.input in row else None
            sides = zip(one.index, shape or (), strict=False)
            if shape is not None and len(shape) == len(one.index) and all(k < side for k, side in sides):
                at[i] = np.asarray(row[one.input])[one.index]
    others = tuple(name for name in parameters if name not in {one.input for one in chosen})
    return TrainingPath(tuple(steps), tuple(map(tuple, points.tolist())), others)


# Make the program of the part that the two numbers move.


class _Part(NamedTuple):
    """What the two numbers move, as a graph of its own; whatever else it reads is an input of it.

    Attributes:
      graph: without regions, which change no number.
      inputs: the values of its inputs.
      seed: cotangent of the output.
      moved: the two numbers.
      why_not: why rules cannot be left out and held to one derivative; "" if they can.
      rules: the nodes with a rule.
    """

    graph: Graph
    inputs: Mapping[str, np.ndarray]
    seed: np.ndarray
    moved: tuple[Number, Number]
    why_not: str
    rules: tuple[Node, ...]


def _part(trace: Trace, chosen: tuple[Number, Number]) -> _Part:
    graph, output = trace.graph, trace.output
    reached = ancestors(graph, [output])
    moving = descendants(graph, [one.input for one in chosen]) & reached
    rules = tuple(node for node in graph.nodes if node.name in moving and node.rule.kind != FOLLOW)
    grads = [node.name for node in graph.nodes if node.name in moving and node.op == GRAD]
    if grads:
        # A grad node runs again what its z is computed from, so the graph stays whole.
        nodes = tuple(node for node in graph.nodes if node.name in reached)
        inputs = {name: array for name, array in trace.inputs.items() if name in reached}
        why_not = ""
        if any(node.rule.kind != FOLLOW for node in nodes):
            decide = f"Rules also decide the value of {listed(list(map(quoted, grads)), 3)}"
            why_not = f"{decide}, so the true gradient and the curl are left out."
        missing = [graph[one.input] for one in chosen if one.input not in reached]
        inputs |= {node.name: trace.inputs[node.name] for node in missing}
        return _Part(Graph((*missing, *nodes), (), output), inputs, trace.seed, chosen, why_not, rules)

    read = {name for node in graph.nodes if node.name in moving for _, name in node.wires}
    read |= {output, *(one.input for one in chosen)}
    nodes, ruled, inputs = [], {}, {}
    for node in graph.nodes:
        name = node.name
        if name in moving and node.op != INPUT:
            nodes.append(node)
        elif name in read:
            inputs[name] = trace.value[name] if node.op != INPUT else trace.inputs[name]
            nodes.append(Node(name, INPUT, (), params(value=0.0)))
            if name in moving and node.rule.kind != FOLLOW:
                # An input's rule is that of an identity behind it, so that all rules are in one table.
                ruled[name] = numbered(name, [*graph.by_name, *ruled.values()])
                nodes.append(Node(ruled[name], IDENTITY, (name,), rule=node.rule))
    behind = set(ruled.values())
    nodes = [
        node
        if node.name in behind
        else replace(node, slots=tuple(ruled.get(s, s) if type(s) is str else s for s in node.slots))
        for node in nodes
    ]
    return _Part(Graph(tuple(nodes), (), ruled.get(output, output)), inputs, trace.seed, chosen, "", rules)


V, IN, ALSO, OUT = "v", "its input", "its alternative", "its value"  # no argument of a formula has a space


def _declared(function: Lambda, op: Callable[..., jax.Array], wired: Sequence[jax.Array]) -> jax.Array:
    """Return the op's value with a declared pullback, whose forward pass is the op."""
    node = Node(OUT, IDENTITY, (), rule=Rule(PULLBACK, function))
    return WITH_OP[PULLBACK](node, op, lambda value: value, wired)


def _changed(value: jax.Array, v: str, change: Term) -> jax.Array:
    """Return the value with `change`, a term of the arriving cotangent `v`, as the declared pullback."""
    return _declared(Lambda((v, IN, OUT), (change,)), lambda value: value, [value])


def _backward_as(value: jax.Array, node: Node, wired: Sequence[jax.Array]) -> jax.Array:
    if type(node.slots[-1]) is not str:  # backward as a constant: nothing is passed
        return _changed(value, V, 0.0)
    function = Lambda((V, IN, ALSO, OUT), (0.0, V))
    return _declared(function, lambda value, alternative: value, [value, wired[-1]])


FOR_ONE_DERIVATIVE: Mapping[str, JaxRule] = {
    FOLLOW: JAX_RULES[FOLLOW],
    STOP: lambda node, run, mark, wired: _changed(run(*wired), V, 0.0),
    REWRITE: lambda node, run, mark, wired: _changed(
        run(*wired), *node.rule.function.args, *node.rule.function.body
    ),
    SCALE: lambda node, run, mark, wired: _changed(run(*wired), V, Call("mul", (V, node.rule.number))),
    PULLBACK: WITH_OP[PULLBACK],
    BACKWARD_AS: lambda node, run, mark, wired: _backward_as(run(*wired), node, wired),
}
"""By kind of rule, the value of a node whose rule holds for the first derivative alone.

Each is a declared pullback whose forward pass is the op: a second derivative is then that of the function
that the first one is.
"""

WITHOUT_RULES: Mapping[str, JaxRule] = {
    kind: lambda node, run, mark, wired: run(*wired) for kind in FOR_ONE_DERIVATIVE
}


class _Key(NamedTuple):
    """What the programs of a part follow from."""

    graph: Graph
    dtype: str
    moved: tuple[Number, Number]
    shapes: tuple[tuple[str, tuple[int, ...]], ...]
    seed_shape: tuple[int, ...]


def _key(part: _Part, dtype: str) -> _Key:
    shapes = tuple((name, array.shape) for name, array in sorted(part.inputs.items()))
    return _Key(structure(part.graph), dtype, part.moved, shapes, part.seed.shape)


def _arguments(part: _Part, dtype: str) -> tuple[dict, dict, np.ndarray]:
    inputs = {name: array.astype(dtype) for name, array in sorted(part.inputs.items())}
    return inputs, dynamic_params(part.graph), part.seed.astype(dtype)


def _functions(key: _Key) -> tuple[Callable, Callable]:
    """Return (output and both gradients, the two mixed second derivatives) as functions of a point."""
    grads = has_grads(key.graph)
    # Without rules the tables do not matter; grad nodes take JAX's own.
    declared = Program(key.graph, key.dtype, rules=JAX_RULES if grads else FOR_ONE_DERIVATIVE)
    plain = Program(key.graph, key.dtype, rules=JAX_RULES if grads else WITHOUT_RULES)

    def run(program: Program, point: jax.Array, inputs: dict, dynamic: dict) -> jax.Array:
        moved = dict(inputs)
        for i, number in enumerate(key.moved):
            moved[number.input] = moved[number.input].at[number.index].set(point[i])
        return program(moved, dynamic, {})[0]

    def slope(program: Program, point: jax.Array, inputs: dict, dynamic: dict, seed: jax.Array) -> tuple:
        value, pull = jax.vjp(lambda point: run(program, point, inputs, dynamic), point)
        return value, pull(seed)[0]

    def both(point: jax.Array, *given: Any) -> tuple[jax.Array, jax.Array, jax.Array]:
        value, by_rules = slope(declared, point, *given)
        return value, by_rules, slope(plain, point, *given)[1]

    def mixed(point: jax.Array, *given: Any) -> jax.Array:
        """Return (d(by y)/dx, d(by x)/dy) of the declared gradient."""
        along = jnp.eye(2, dtype=point.dtype)
        gradient = lambda point: slope(declared, point, *given)[1]  # noqa: E731
        along_x, along_y = (jax.jvp(gradient, (point,), (direction,))[1] for direction in along)
        return jnp.stack([along_x[1], along_y[0]])

    return both, mixed


@remembered(8)
def _program(key: _Key, second: bool) -> Callable:
    """Return the compiled function of many points: of output and gradients, or of the second derivatives."""
    vectorised = jax.vmap(_functions(key)[second], in_axes=(0, None, None, None))
    return jax.jit(vectorised, compiler_options=rounded(ONCE, key.dtype))


def _in_chunks(run: Callable, points: np.ndarray, size: int) -> Iterator[Any]:
    """Yield what the program returns for so many points at once as memory has room for."""
    length = max(1, min(len(points), AT_ONCE // size))
    for first in range(0, len(points), length):
        chunk = points[first : first + length]
        # A last, shorter chunk is filled up, so that only one length is compiled.
        filled = np.concatenate([chunk, np.repeat(chunk[-1:], length - len(chunk), axis=0)])
        yield jax.tree.map(lambda array: np.asarray(array)[: len(chunk)], run(filled))  # noqa: B023
        report(first + len(chunk), len(points), "points")


def _evaluated(part: _Part, dtype: str, points: np.ndarray, size: int) -> list[np.ndarray]:
    """Return <seed, output> in float64, and the declared and the true gradient, at each point."""
    program, given = _program(_key(part, dtype), False), _arguments(part, dtype)
    columns = zip(*_in_chunks(lambda chunk: program(chunk, *given), points, size), strict=True)
    value, declared, true = (np.concatenate(column) for column in columns)
    with np.errstate(invalid="ignore", over="ignore"):
        products = value.astype(FLOAT64) * part.seed.astype(FLOAT64)
        return [products.sum(tuple(range(1, products.ndim))), declared, true]


# Decide whether the curl is 0.


def _turns(part: _Part, points: np.ndarray, mixed: np.ndarray, sides: tuple[int, int]) -> bool:
    """Return whether the two second derivatives differ at all corners of some cell of the grid.

    Of a gradient they are one number computed in two ways, so they may differ by their own last digits, and
    by what rounding has done to the numbers that they are computed from (`engine/tolerance.py`). The second
    is bounded by a running error analysis in up to three cells, at the point where they differ least. One
    point alone says nothing: at a corner, such as that of relu or max, JAX chooses one of several
    derivatives. Corners lie on lines, which do not pass through all four points of a cell.
    """
    if min(sides) < 2:
        return False
    with np.errstate(invalid="ignore"):
        finite = np.isfinite(mixed).all(-1)
        size = np.where(finite, np.abs(mixed).max(-1), 0.0)
        apart = np.where(finite, np.abs(mixed[:, 0] - mixed[:, 1]), 0.0)
    clear = np.where(apart > equal_within(FLOAT64) * size, apart, 0.0)
    number = np.arange(len(points)).reshape(sides)
    cells = np.stack([number[:-1, :-1], number[:-1, 1:], number[1:, :-1], number[1:, 1:]], -1).reshape(-1, 4)
    least = clear[cells].min(-1)
    if not least.any():
        return False
    # Where the largest difference is one of large numbers, rounding may explain it, and not that elsewhere.
    share = (clear / np.where(size > 0, size, 1.0))[cells].min(-1)
    middle = np.where(least > 0, np.arange(len(least)), np.inf)
    middle = int(np.argsort(middle)[np.count_nonzero(least) // 2])
    program, given = _second(_key(part, FLOAT64)), _arguments(part, FLOAT64)

    for i in dict.fromkeys((int(least.argmax()), int(share.argmax()), middle)):
        at = cells[i][clear[cells[i]].argmin()]
        (error,) = errors(program.equations, program.leaves((points[at], *given)))
        if apart[at] > equal_within(FLOAT64) * size[at] + ROOM * float(np.sum(error)):
            return True
    return False


@remembered(8)
def _second(key: _Key) -> Traced:
    """Trace the second derivatives at one point."""
    inputs = {name: jax.ShapeDtypeStruct(shape, key.dtype) for name, shape in key.shapes}
    seed = jax.ShapeDtypeStruct(key.seed_shape, key.dtype)
    point = jax.ShapeDtypeStruct((2,), key.dtype)
    return traced(_functions(key)[1], point, inputs, dynamic_params(key.graph), seed)


def differs(declared: np.ndarray, true: np.ndarray, dtype: str) -> np.ndarray:
    """Return where two gradients differ by more than the dtype's rounding; NaN equals NaN."""
    one, other = declared.astype(FLOAT64), true.astype(FLOAT64)
    both = np.abs(np.stack([one, other]))
    return gaps(one, other) > _room(dtype) * both[np.isfinite(both)].max(initial=0.0)


def _room(dtype: str) -> float:
    """Return the share of the largest number by which two gradients may differ."""
    return HALF * DTYPES[dtype].eps if DTYPES[dtype].half else TOLERANCE


# Descend.


def _rate(axes: Sequence[np.ndarray], slopes: Sequence[np.ndarray], present: Sequence[np.ndarray]) -> float:
    """Return a round step size with which the first step, and most others, go at most a tenth of the grid."""
    rates = []
    for i, along in enumerate(axes):
        size = np.abs(np.concatenate([slope[..., i].ravel() for slope in slopes]).astype(FLOAT64))
        first = np.abs(np.array([slope[i] for slope in present], FLOAT64))
        large = float(np.median(size[np.isfinite(size)])) if np.isfinite(size).any() else 0.0
        large = max(large, float(first[np.isfinite(first)].max(initial=0.0)))
        half = (float(along[-1]) - float(along[0])) / 2
        if large > 0 and half > 0 and isfinite(half / large):
            rates.append(STRIDE * half / large)
    if not rates:
        return 0.1
    least = min(max(min(rates), 1e-30), 1e30)
    power = 10.0 ** floor(log10(least))
    return float(f"{max(share for share in (1, 2, 5) if share * power <= least * (1 + 1e-9)) * power:.0e}")


def _descents(
    part: _Part,
    dtype: str,
    start: np.ndarray,
    rate: float,
    steps: int,
    axes: Sequence[np.ndarray],
) -> tuple[Descent, Descent]:
    """Return the paths of gradient descent by the declared and by the true gradient.

    A step is that of plain gradient descent in the dtype: p + (-rate * g), each operation rounded.
    """
    program, given = _program(_key(part, dtype), False), _arguments(part, dtype)
    low, high = (np.array([float(along[end]) for along in axes]) for end in (0, -1))
    back = np.asarray(-rate, FLOAT64).astype(dtype)
    paths, why = ([start], [start]), [ALL, ALL]
    going = [True, True]
    for _ in range(steps):
        if not any(going):
            break
        # Both paths are one batch: row 0 goes by the declared gradient, row 1 by the true one.
        _, *slopes = program(np.stack([path[-1] for path in paths]), *given)
        for i, slope in enumerate(np.asarray(slope)[i] for i, slope in enumerate(slopes)):
            if not going[i]:
                continue
            with np.errstate(all="ignore"):
                point = (paths[i][-1] + (back * slope).astype(dtype)).astype(dtype)
            wide = point.astype(FLOAT64)
            if not np.isfinite(wide).all():
                why[i], going[i] = NOT_FINITE, False
            elif (point == paths[i][-1]).all():
                why[i], going[i] = RESTS, False
            else:
                paths[i].append(point)
                if (wide < low).any() or (wide > high).any():
                    why[i], going[i] = LEFT, False
    arrays = [np.stack(path) for path in paths]
    for array in arrays:
        array.flags.writeable = False
    return Descent(arrays[0], why[0]), Descent(arrays[1], why[1])


# Say what the plane shows.


def sentences(plane: Field) -> Iterator[str]:
    """Yield what is said of a field: of the curl, of both gradients, of the descents and of the training."""
    yield curl_sentence(plane)
    yield _of_gradients(plane)
    yield _of_descent(plane.descent, plane, "declared gradient")
    if plane.true_descent is not None and plane.bent.any():
        yield _of_descent(plane.true_descent, plane, "true one")
    if plane.training is not None:
        steps, others = plane.training.steps, plane.training.others
        every = f"{len(steps)} of its steps" if len(steps) <= steps[-1] else "each of its steps"
        moved = ""
        if others:
            were = "was" if len(others) == 1 else "were"
            moved = f"; {listed(others, 3)} {were} moved too, which the plane has as at present"
        yield f"The path of the training has {every} up to step {steps[-1]:,}{moved}."


def curl_sentence(plane: Field) -> str:
    """Say whether any function has the declared gradient, or why that is not known."""
    if plane.curl is None:
        return plane.why_not
    curl = plane.curl[np.isfinite(plane.curl)]
    if not curl.size:
        return "The curl of the declared gradient is not finite anywhere on the grid."
    where = "all over the grid" if curl.size == plane.curl.size else "wherever it is finite on the grid"
    if not plane.turns:
        return (
            "Some function has these arrows as its gradient, and descent lowers it: their curl is 0 "
            f"{where} (but for rounding and corners)."
        )
    low, high = scalar(curl.min()), scalar(curl.max())
    goes = f"is {low} {where}" if low == high else f"goes from {low} to {high} over the grid"
    return (
        "No function has these arrows as its gradient, so there is nothing that descent must lower: their "
        f"curl {goes}."
    )


def _of_gradients(plane: Field) -> str:
    def pair(numbers: np.ndarray) -> str:
        return f"({scalar(numbers[0])}, {scalar(numbers[1])})"

    at = f"At {plane.x} = {scalar(plane.point[0])} and {plane.y} = {scalar(plane.point[1])}"
    declared = f"{at} the declared gradient is {pair(plane.gradient)}"
    if plane.true is None:
        return f"{declared}."
    if not plane.rules:
        return f"{declared}, which is the true one: no rule changes it."
    if not plane.bent.any():
        share = f"{100 * _room(plane.dtype):.2g} % of the largest number"
        return f"{declared}; it is the true one all over the grid, to {share}."
    named = listed([f"{KINDS[node.rule.kind].label} at {node.name}" for node in plane.rules], 2)
    return f"{declared}, the true one {pair(plane.true_gradient)}, because of {named}."


def _of_descent(descent: Descent, plane: Field, by: str) -> str:
    steps = "1 step" if descent.steps == 1 else f"{descent.steps:,} steps"
    end = ", ".join(scalar(number) for number in descent.points[-1])
    ends = {
        LEFT: f"leaves the grid in {steps}",
        NOT_FINITE: f"is not finite after {steps}",
        RESTS: f"rests at ({end}) after {steps}",
        ALL: f"is at ({end}) after {steps}",
    }
    return f"Descent by the {by}, step size {plane.rate:g}, {ends[descent.why]}."
