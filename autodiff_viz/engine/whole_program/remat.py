"""Count runs of nodes and residuals of the forward pass, read off the whole program.

Nothing is executed: JAX traces the differentiated program, and the equations of its jaxprs are counted. A
jaxpr whose form is not known is refused. `verify` compares the runs with `executed_runs`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.whole_program.jaxprs import (
    MARKER,
    NAMES,
    SAVED,
    called,
    interpret,
    opened,
    primitive_of,
    uncounted,
)
from autodiff_viz.engine.whole_program.program import REGION, SCOPE, Program, dynamic_params, structure
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.problem import GraphError

# Number the values of a jaxpr: the same computation of the same node has the same number. JAX saves some
# values and recomputes others. To attribute a saved or recomputed variable to a node, every variable is
# numbered by its node, primitive, parameters and the numbers of its operands, through calls, and every
# computation is recorded with the node in whose named scope it stands. The node is part of the key
# because JAX saves `sin(x)` twice when two nodes compute it. JAX also keeps an array twice when one node
# computes it twice. To count arrays, a numbering with `apart` gives every computation and every copy a
# number of its own; only marks, such as names, still pass the number on.


_NODE = re.compile(SCOPE + r"(\w+)")
_REGION = re.compile(REGION + r"(\d+)")
_RECOMPUTED = re.compile(r"(?<![\w:])rematted_computation(?!\w)")  # JAX's own scope; no node of that name
ROUNDED = "reduce_precision"  # in JAX's residuals this primitive is a copy
_IDENTITIES = (*NAMES, SAVED, ROUNDED, "optimization_barrier", "stop_gradient")  # they return what they read


@dataclass(frozen=True, slots=True)
class Place:
    """Position of an equation.

    Attributes:
      node: in whose scope it stands; "" for none.
      scope: JAX's name stacks of the calls around it, and its own.
    """

    node: str = ""
    scope: str = ""

    @property
    def region(self) -> int | None:
        """The index of the region whose pullback recomputes the node that the equation is part of.

        Of regions that run again inside one another that is the outermost. None in a forward pass and in
        pullbacks; what the pullback of a grad node recomputes for itself is part of that pullback.

        Raises:
          GraphError: the program has a form that is not known.
        """
        again = _RECOMPUTED.search(self.scope)
        if again is None or _NODE.search(self.scope, 0, again.start()):
            return None
        return last_region(self.scope[: again.start()])


def last_region(scope: str) -> int:
    """Return the index of the innermost region of a scope.

    Raises:
      GraphError: there is none.
    """
    if not (regions := _REGION.findall(scope)):
        raise uncounted("its backward pass runs nodes again outside all checkpoint regions")
    return int(regions[-1])


@dataclass
class Numbering:
    """Value numbers shared by all jaxprs that are numbered with it.

    Attributes:
      named: by node name, the number of the value that the node's `checkpoint_name` marks.
      first: by number, the place where it is first computed.
      apart: whether every computation has a number of its own.
      copied: with `apart`, the number of what a copy is of.
      on_equation: called as `on_equation(equation, place, operands, results)` for each equation that
        computes something.
    """

    on_equation: Callable[[Any, Place, list[int], list[int]], None] | None = None
    named: dict[str, int] = field(default_factory=dict)
    first: dict[int, Place] = field(default_factory=dict)
    apart: bool = False
    copied: dict[int, int] = field(default_factory=dict)
    _table: dict[Any, int] = field(default_factory=dict)

    def fresh(self, key: Any) -> int:
        """Return the number of a key; a new number for a new key."""
        return self._table.setdefault(key, len(self._table))

    def number(self, jaxpr: Any, arguments: Iterable[int], place: Place = Place()) -> list[int]:
        """Number the equations of `jaxpr`, given its arguments' numbers; return its results' numbers."""
        constants = [self.fresh(("constant", id(constant))) for constant in jaxpr.constvars]

        def apply(equation: Any, operands: list[int]) -> list[int]:
            return self._equation(equation, operands, self._place(equation, place))

        return interpret(jaxpr, constants, arguments, self._literal, apply)

    def _literal(self, atom: Any) -> int:
        number = np.asarray(atom.val, atom.aval.dtype)  # JAX wraps the same literal in several types
        numbered = self.fresh(("literal", number.tobytes(), str(number.dtype), number.shape, *self._own()))
        self.first.setdefault(numbered, Place())  # no node computes it
        return numbered

    def _place(self, equation: Any, around: Place) -> Place:
        scope = f"{around.scope}/{equation.source_info.name_stack}"
        return Place(node_of(equation) or around.node, scope)

    def _equation(self, equation: Any, operands: list[int], place: Place) -> list[int]:
        (name, params), body = primitive_of(equation), called(equation)
        if name in NAMES:
            self.named.setdefault(params["name"], operands[0])
        identity = only_marks(equation)
        if identity and not (self.apart and name == ROUNDED):
            results = operands[: len(equation.outvars)]
        elif body is not None:
            results = self.number(opened(body), operands, place)
            identity = {*results} <= {*operands}  # the function of a rule that acts on cotangents alone
        else:
            # Function objects, which say nothing about the result, by identity.
            given = repr([(key, id(v) if callable(v) else repr(v)) for key, v in sorted(params.items())])
            key = (place.node, name, given, *operands, *self._own())
            results = [self.fresh((*key, i)) for i in range(len(equation.outvars))]
            if identity:
                self.copied.update(zip(results, operands, strict=True))
        for result in results:
            self.first.setdefault(result, place)
        if self.on_equation is not None and not identity:
            self.on_equation(equation, place, operands, results)
        return results

    def _own(self) -> tuple[int, ...]:
        """Return the part of a key that makes the next number a new one if numbers are kept apart."""
        return (len(self._table),) if self.apart else ()


def node_of(equation: Any) -> str:
    """Return the node in whose named scope an equation stands; "" for none."""
    names = _NODE.findall(str(equation.source_info.name_stack))
    return names[-1] if names else ""


def only_marks(equation: Any) -> bool:
    """Return whether the equation only marks its operand, or only drops a literal's weak type."""
    if equation.primitive.name == "convert_element_type":
        return equation.invars[0].aval.dtype == equation.outvars[0].aval.dtype
    return primitive_of(equation)[0] in _IDENTITIES


# Read the equations of the backward pass off the whole program's jaxprs, with their arrays and their
# places. Nothing is executed. The program is traced with a marker in every node, an effect that JAX does
# not prune, so that a region's runs are seen even where JAX drops what they compute.


@dataclass(frozen=True)
class Halves:
    """The differentiated program as two jaxprs.

    `forward` gives (output, residuals); `backward` takes the residuals.
    """

    forward: Any
    backward: Any
    names: tuple[str, ...]

    @classmethod
    def of(cls, graph: Graph, shapes: tuple, dtype: str) -> Halves:
        """Trace the graph's program and its pullback for inputs of these shapes.

        A marker in each node shows the runs of regions whose results JAX drops. It leaves the other equations
        as they are.
        """
        # The marker's effect is counted in the jaxpr and never used for what it does.
        program = Program(graph, dtype, marked=lambda name: None, name_all=True)
        dynamic = dynamic_params(graph)

        def run(inputs: dict) -> Any:
            return jax.vjp(lambda i: program(i, dynamic, {})[0], inputs)

        with jax.enable_x64(DTYPES[dtype].wide):
            inputs = {name: jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for name, shape in shapes}
            forward, (output, pull) = jax.make_jaxpr(run, return_shape=True)(inputs)
            backward = jax.make_jaxpr(lambda pull, v: pull(v))(pull, output)
        return cls(forward.jaxpr, backward.jaxpr, tuple(sorted(name for name, _ in shapes)))


Again = set[tuple[str, int]]
"""Values that the backward pass computes again: (node, index of the region whose pullback needs it)."""


class Event(NamedTuple):
    """An equation of the backward pass.

    Attributes:
      equation, place: the equation, and where it stands.
      operands, results: the numbers of its arrays; each computation has its own.
      values: of its results, the numbers that equal computations of a node share, also of the forward pass.
    """

    equation: Any
    place: Place
    operands: list[int]
    results: list[int]
    values: list[int]

    @property
    def marks(self) -> bool:
        """Whether the equation is a marker: its node runs."""
        return self.equation.primitive.name == MARKER

    @property
    def computes(self) -> bool:
        """Whether the equation computes its results itself. Those of a call come one by one before it."""
        return not self.marks and called(self.equation) is None


@dataclass(frozen=True)
class BackwardPass:
    """The backward pass, and the numbers of what the forward pass keeps for it.

    Attributes:
      residuals: by order, the arrays' own numbers; an array that is kept twice has one.
      shared: the same, as `Event.values`.
      avals: the same, their shapes and dtypes.
      events: its equations, but no recomputation that nothing reads: JAX drops these before it runs them.
      named, first, copied: as of `Numbering`; the first two of shared numbers, `copied` of own ones.
      inputs: name by number, shared.
      forward: the jaxpr of the forward pass.
    """

    residuals: tuple[int, ...]
    shared: tuple[int, ...]
    avals: tuple[Any, ...]
    events: tuple[Event, ...]
    named: Mapping[str, int]
    first: Mapping[int, Place]
    copied: Mapping[int, int]
    inputs: Mapping[int, str]
    forward: Any

    @cached_property
    def value_of(self) -> Mapping[int, str]:
        """The node by the shared number of its value; the first node where an identity passes a value on."""
        return {number: name for name, number in reversed(self.named.items())}

    @cached_property
    def again(self) -> Again:
        """The values that the backward pass computes again: an equation has the value's number."""
        return {
            (event.place.node, region)
            for event in self.events
            if event.computes
            and (region := event.place.region) is not None
            and any(self.value_of.get(number) == event.place.node for number in event.values)
        }


def backward_pass(graph: Graph, shapes: tuple, dtype: str) -> BackwardPass:
    """Return the backward pass of a graph's program for inputs of these shapes.

    Raises:
      GraphError: the program has a form that is not known.
    """
    halves = Halves.of(graph, shapes, dtype)
    # Numbered twice: once so that equal computations share a number, which tells a value that is computed
    # again; once each for itself, which tells whose result a reader reads.
    same, apart = Numbering(), Numbering(apart=True)
    shared, shared_events, _ = _numbered(halves, same)
    own, own_events, results = _numbered(halves, apart)
    if len(own_events) != len(shared_events):
        raise uncounted("what it computes again depends on which equal values are one")
    pairs = zip(own_events, shared_events, strict=True)
    events = [Event(*event, values) for event, (*_, values) in pairs]
    backward = BackwardPass(
        residuals=tuple(own),
        shared=tuple(shared),
        avals=tuple(variable.aval for variable in halves.forward.outvars[1:]),
        events=tuple(_needed(events, results, apart.copied)),
        named=same.named,
        first=same.first,
        copied=apart.copied,
        inputs={same.fresh(("input", name)): name for name in halves.names},
        forward=halves.forward,
    )
    _check_form(graph, backward)
    return backward


def _numbered(halves: Halves, numbering: Numbering) -> tuple[list[int], list[tuple], list[int]]:
    """Return the numbers of the residuals, the equations of the backward pass, the numbers of its results."""
    events: list[tuple] = []
    _, *residuals = numbering.number(halves.forward, [numbering.fresh(("input", n)) for n in halves.names])
    numbering.on_equation = lambda *event: events.append(event)
    results = numbering.number(halves.backward, [*residuals, numbering.fresh(("seed",))])
    return residuals, events, results


def _needed(events: list[Event], results: Iterable[int], copied: Mapping[int, int]) -> Iterator[Event]:
    """Return the equations without recomputations that nothing reads."""
    needed: set[int] = set()

    def need(numbers: Iterable[int]) -> None:
        for number in numbers:
            needed.add(number)
            while number in copied:
                number = copied[number]
                needed.add(number)

    need(results)
    kept = []
    for event in reversed(events):
        if event.computes and event.place.region is not None and needed.isdisjoint(event.results):
            continue
        if event.computes:
            need(event.operands)
        kept.append(event)
    return reversed(kept)


def _check_form(graph: Graph, backward: BackwardPass) -> None:
    """Check what holds in every form in which JAX writes regions.

    Raises:
      GraphError: it does not hold, so that the reading of this form cannot be trusted.
    """
    if graph[graph.output].op != INPUT and graph.output not in backward.named:
        raise uncounted(f"its program does not name the value of {graph.output!r}")
    # A region that passes nothing back runs for the marks alone. Of all others JAX says that it recomputes.
    outside = [event for event in backward.events if event.place.region is None]
    marked = {event.place.node for event in outside if event.marks}
    if unknown := marked & {event.place.node for event in outside if event.computes}:
        raise uncounted(f"it runs {min(unknown)!r} again without saying that it does")
    if unknown := _read_again(backward) - backward.again:
        raise uncounted(f"it computes {min(unknown)[0]!r} again in a form that is not known")


def _read_again(backward: BackwardPass) -> Again:
    """Return the values that are computed again for another node, whatever their numbers are.

    What a node hands to others is its value; factors of its derivative it reads itself. These are a part of
    `BackwardPass.again`, unless that does not recognise a value.
    """
    made: dict[int, tuple[str, int]] = {}
    read: Again = set()
    for event in backward.events:
        if event.computes:
            node, region = event.place.node, event.place.region
            origins = [made[number] for number in event.operands if number in made]
            read.update(origin for origin in origins if node not in ("", origin[0]))
            if region is not None:
                made.update(dict.fromkeys(event.results, (node, region)))
    return read


KEPT = 256  # graphs whose counts are memoised; plain numbers, no programs


@dataclass(frozen=True, slots=True)
class Runs:
    """Counts of the runs of a node's forward computation.

    Attributes:
      forward: runs in the forward pass.
      backward: further runs in the backward pass, by rematerialisation of a checkpointed block that holds the
        node; a print in the block would show as many.
      kept: how many of the backward runs JAX keeps after it drops what the derivatives do not need. 0 kept of
        1 means that the recomputation costs nothing.
    """

    forward: int
    backward: int
    kept: int

    @property
    def dropped(self) -> int:
        """How many of the backward runs JAX drops, since no derivative needs what they compute."""
        return max(0, self.backward - self.kept)

    @property
    def made(self) -> int:
        """How many runs JAX makes in both passes: all but those that it drops."""
        return self.forward + self.backward - self.dropped


@dataclass(frozen=True, slots=True)
class Residual:
    """An array that the forward pass keeps for the backward pass.

    Attributes:
      producer: node that computes it; "" for a constant of the program.
      is_value: whether it is the producer's value; otherwise it is a factor of its derivative, computed
        early.
      consumers: nodes whose pullback reads it.
      shape, elements, bytes: its size.
    """

    producer: str
    is_value: bool
    consumers: tuple[str, ...]
    shape: tuple[int, ...]
    elements: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Counts:
    """Run counts by node name, and the residuals."""

    runs: Mapping[str, Runs]
    residuals: tuple[Residual, ...]


def runs_of(graph: Graph, shapes: Mapping[str, tuple[int, ...]], dtype: str) -> Mapping[str, Runs]:
    """Return run counts by node name, for inputs of these shapes."""
    return _counts(graph, shapes, dtype).runs


def residuals_of(graph: Graph, shapes: Mapping[str, tuple[int, ...]], dtype: str) -> tuple[Residual, ...]:
    """Return the residuals of one forward pass, for inputs of these shapes."""
    return _counts(graph, shapes, dtype).residuals


def _counts(graph: Graph, shapes: Mapping[str, tuple[int, ...]], dtype: str) -> Counts:
    if problems := diagnose(graph, shapes):
        raise GraphError(problems)
    return _count(structure(graph), tuple(sorted(shapes.items())), dtype)


@remembered(KEPT)
def _count(graph: Graph, shapes: tuple, dtype: str) -> Counts:
    backward = backward_pass(graph, shapes, dtype)
    forward, kept = markers(backward.forward), Counter(name for name, _ in backward.again)
    again = Counter(event.place.node for event in backward.events if event.marks)
    runs = {
        node.name: Runs(1, 0, 0)
        if node.op == INPUT
        else Runs(forward.get(node.name, 0), again.get(node.name, 0), kept.get(node.name, 0))
        for node in graph.nodes
    }
    return Counts(runs, _residuals(backward))


def markers(jaxpr: Any) -> Counter[str]:
    """Return, by node, how many of its markers `jaxpr` holds, regions included."""
    counted: Counter[str] = Counter()

    def look(equation: Any, place: Place, operands: list[int], results: list[int]) -> None:
        if equation.primitive.name == MARKER:
            counted[place.node] += 1

    numbering = Numbering(look)
    numbering.number(jaxpr, [numbering.fresh(variable) for variable in jaxpr.invars])
    return counted


def _residuals(backward: BackwardPass) -> tuple[Residual, ...]:
    """Return the residuals: one per computation, as `jax.vjp` keeps them, although two may be equal."""
    readers: dict[int, set[str]] = {}
    for event in backward.events:
        # What stands in no node's scope reads for no node.
        for number in event.operands if event.place.node else ():
            readers.setdefault(number, set()).add(event.place.node)
    values = {**backward.value_of, **backward.inputs}
    residuals: dict[int, Residual] = {}
    for array, number, aval in zip(backward.residuals, backward.shared, backward.avals, strict=True):
        place, size = backward.first.get(number, Place()), prod(aval.shape)
        residuals[array] = Residual(
            producer=values.get(number, place.node),
            is_value=number in values,
            consumers=tuple(sorted(readers.get(array, ()))),
            shape=tuple(aval.shape),
            elements=size,
            bytes=size * aval.dtype.itemsize,
        )
    return tuple(residuals.values())
