"""Trace a graph: evaluate it and its derivatives once, as data that can be read without JAX."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, ClassVar

import jax
import numpy as np

from autodiff_viz.engine.arguments import input_arrays, known_dtype, numbers
from autodiff_viz.engine.live_path.arrays import Arrays, constant, on_device, own_value, rounded
from autodiff_viz.engine.live_path.check import PREPARED, diagnose
from autodiff_viz.engine.live_path.passes import Cotangents, Prepared, Wire, backward, forward
from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.engine.nonfinite import Origin, find_origins, origin_sentences
from autodiff_viz.engine.sentence import Claim, Statement
from autodiff_viz.engine.whole_program.jaxprs import UNKNOWN
from autodiff_viz.engine.whole_program.remat import Residual, Runs, residuals_of, runs_of
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32, FLOAT64
from autodiff_viz.graph.grad_nodes import on_ways
from autodiff_viz.graph.identity import Exact, identity
from autodiff_viz.graph.model import GRAD, Graph
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import ancestors
from autodiff_viz.graph.problem import GraphError, Problem, kind_of, known_graph
from autodiff_viz.graph.shown import Shown
from autodiff_viz.graph.text import listed, scalar
from autodiff_viz.language.show import shadows
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.misfits import describe_shape
from autodiff_viz.ops.places import AT_PLACES

VALUE, ARRIVES, PASSED, SHAPE = "value", "cotangent", "passed", "shape"

Place = tuple[str] | tuple[str, str] | tuple[str, str, int]
"""Where a number of a trace is: (`VALUE`, node), (`ARRIVES`, node), or (`PASSED`, node, slot). The shape of a
value is at (`SHAPE`, node). What is counted has no place: the name of a count stands alone."""


@dataclass(frozen=True, eq=False, repr=False)
class Trace(Exact, Shown):
    """One forward and one backward evaluation of `graph`. All arrays are read-only NumPy arrays.

    Two traces are equal if graph, output, dtype, inputs and seed are, since all numbers follow from these.

    Attributes:
      graph: the evaluated graph, in which muted nodes are identities.
      output: name of the output node; None in a `trace_part` without one.
      dtype: "float16", "bfloat16", "float32" or "float64".
      inputs: the value of each input node in this evaluation.
      seed: cotangent of the output, of the output's shape.
      value: by node name.
      cotangent: by node name, d<seed, output>/d(value): the cotangent that arrives at the node.
      passed: by (node, slot), the contribution of that wire to the cotangent of the node it comes from.
      gradient: by input name, the arriving cotangent after the input's own rule.
      chosen: sentences about choices made for the user, such as a seed of ones.
    """

    graph: Graph
    output: str | None
    dtype: str
    inputs: Mapping[str, np.ndarray]
    seed: np.ndarray
    value: Arrays[str]
    cotangent: Arrays[str]
    passed: Arrays[Wire]
    gradient: Arrays[str]
    chosen: tuple[str, ...] = ()

    hidden: ClassVar[frozenset[Place]] = frozenset()
    """What the trace does not tell, though it was computed: nothing, but for a `Concealed` one."""

    def hides(self, name: str) -> bool:
        """Return whether a number is hidden of what a node reads, computes, gets or passes back."""
        if not self.hidden:
            return False
        node = self.graph.by_name.get(name)
        if node is None:
            return True
        values = {VALUE: (name, *(producer for _, producer in node.wires)), ARRIVES: (name,)}
        places = {(of, each) for of, names in values.items() for each in names}
        return not self.hidden.isdisjoint(places | {(PASSED, name, slot) for slot, _ in node.wires})

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What the page notes: choices made for the user, where numbers are not finite, and warnings."""
        return (
            *self.chosen,
            *origin_sentences(self.nonfinite_origins).values(),
            *(statement.text for statement in sums(self)),
            *(f"at {doubt.node}: {doubt.text}" for doubt in self.doubts),
        )

    @cached_property
    def doubts(self) -> tuple[Doubt, ...]:
        """What is legal and rarely meant, of the kinds that are said without a mend."""
        return tuple(doubt for find in DOUBTS.values() for doubt in find(self))

    @cached_property
    def identity(self) -> bytes:
        """The identity of everything that the numbers of the trace follow from."""
        inputs = tuple((name, identity(value)) for name, value in self.inputs.items())
        return identity((self.graph, self.output, self.dtype, inputs, self.seed))

    @cached_property
    def nonfinite_origins(self) -> tuple[Origin, ...]:
        """Where NaN and infinities begin, forward pass first."""
        return find_origins(self.graph, self.value, self.cotangent, self.passed, self.gradient)

    @cached_property
    def runs(self) -> Mapping[str, Runs]:
        """By node name, how often the node runs. Read off the whole program at first use.

        Raises:
          GraphError: there is no output, or a checkpoint region is not valid.
        """
        return runs_of(with_output(self).graph, self._shapes, self.dtype)

    @cached_property
    def residuals(self) -> tuple[Residual, ...]:
        """The residuals: arrays that the forward pass keeps for the backward pass.

        Read off the whole program at first use.

        Raises:
          GraphError: there is no output, or a checkpoint region is not valid.
        """
        return residuals_of(with_output(self).graph, self._shapes, self.dtype)

    def __repr__(self) -> str:
        inputs = ", ".join(self.inputs)
        return f"<Trace of {self.output} by {inputs}: {len(self.value)} nodes in {self.dtype}>"

    @property
    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: value.shape for name, value in self.inputs.items()}


def trace(
    graph: Graph, inputs: Mapping[str, Any] | None = None, seed: Any = None, *, dtype: str = FLOAT32
) -> Trace:
    """Evaluate `graph`, then pull `seed` back from its output to every node and wire.

    Args:
      graph: complete (no empty slot, no cycle).
      inputs: values for input nodes, by name, in place of the graph's own.
      seed: cotangent of the output, broadcast to its shape; ones by default.
      dtype: "float16", "bfloat16", "float32" or "float64".
    Returns:
      The trace; `runs` and `residuals`, which need the whole program, are computed when first read.
    Raises:
      GraphError: the graph, an input or the seed cannot be used; `problems` says where and why.
    Source: stitches `jax.vjp` of single ops; https://docs.jax.dev/en/latest/notebooks/autodiff_cookbook.html
    """
    graph, dtype = played(known_graph(graph)), known_dtype(dtype)
    given = input_arrays(graph, inputs, dtype)
    with precision(dtype):
        prepared = _prepared(graph, {name: on_device(array) for name, array in given.items()}, dtype)
        notes = []
        seed_array = _seed(prepared, seed, notes)
        values, called = forward(prepared)
        cotangents = backward(prepared, values, called, seed_array)
        return _finish(prepared, values, cotangents, seed_array, tuple(notes))


def counts_unknown(found: Trace) -> str:
    """Return why runs cannot be counted with this JAX; "" if they can, or if regions cannot run."""
    try:
        _ = found.runs
    except GraphError as error:
        return error.problems[0].message if error.problems[0].code == UNKNOWN else ""
    return ""


def known_trace(argument: Any) -> Trace:
    """Return `argument` if it is a trace.

    Raises:
      GraphError: `argument` is something else, such as the graph of a trace; code "hidden" for a `Concealed`
        one, of which nothing is computed that could tell what it hides.
    """
    if isinstance(argument, Trace):
        if argument.hidden:
            asked = "Some numbers of this trace are hidden while they are asked for."
            raise GraphError(Problem("hidden", asked, "Answer first."))
        return argument
    message = f"A trace is needed; found {kind_of(argument)}."
    raise GraphError(Problem("not-a-trace", message, "trace(graph) makes one."))


def with_output(argument: Any) -> Trace:
    """Return `argument` if it is a trace whose output was differentiated.

    Raises:
      GraphError: code "not-a-trace" for anything else; "no-output" for a trace of a graph without an output,
        such as a `trace_part`, and for one whose output has no cotangent.
    """
    trace = known_trace(argument)
    if trace.output in trace.cotangent:
        return trace
    if not trace.graph.nodes:
        empty = "The graph is empty, so it has no output to differentiate."
        raise GraphError(Problem("no-output", empty, "Add a node."))
    if trace.output is None:
        message = "The graph has no output, so nothing was differentiated."
        hint = "Wire the open slots, choose an output, and trace the graph again."
        raise GraphError(Problem("no-output", message, hint))
    message = f"No cotangent of the output {trace.output!r} is in the trace."
    raise GraphError(Problem("no-output", message, "trace(graph) makes a trace that has it."))


def trace_part(graph: Graph, *, dtype: str = FLOAT32) -> Trace:
    """Trace a graph whose output may be missing; its trace then has values and no cotangents."""
    graph = played(graph)
    if graph.output is not None:
        return trace(graph, dtype=dtype)
    with precision(dtype):
        prepared = prepare(graph, {}, dtype)
        return _finish(prepared, forward(prepared)[0], Cotangents({}, {}, {}), np.zeros((), dtype), ())


def precision(dtype: str) -> AbstractContextManager:
    """Return a context in which JAX computes in `dtype`. Thread-local, so other visitors are not affected."""
    if dtype not in DTYPES:
        raise ValueError(f"dtype is {dtype!r}; it must be one of {', '.join(DTYPES)}")
    return jax.enable_x64(True) if DTYPES[dtype].wide else nullcontext()


def _prepared(graph: Graph, inputs: dict[str, jax.Array], dtype: str) -> Prepared:
    try:
        prepared = prepare(graph, inputs, dtype)
    except GraphError as error:
        # Preparation stops at the first problem; `diagnose` names them all.
        # Without inputs of their own what it finds is kept, for who asks next about the same graph.
        shapes = {name: array.shape for name, array in inputs.items()} or None
        raise GraphError(diagnose(graph, shapes) or error.problems) from error
    if graph.output not in prepared.shapes or len(prepared.shapes) != len(graph.nodes):
        empty = Problem("no-output", "The graph is empty.", "Add a node.")
        raise GraphError(diagnose(graph) or empty)  # no output, or two nodes of one name
    if not inputs:
        PREPARED.append((graph, prepared.shapes))
    return prepared


def of_sum(output: str, shape: tuple[int, ...]) -> str:
    """Return the sentence that the gradient of a tensor is that of the sum of its elements."""
    return (
        f"The output {output!r} has shape {list(shape)}, so it has no single gradient. The seed is "
        "ones: what you see is the gradient of the sum of its elements."
    )


def _seed(prepared: Prepared, seed: Any, notes: list[str]) -> jax.Array:
    output, dtype = prepared.graph.output, prepared.dtype
    shape = prepared.shapes[output]
    if seed is None:
        if shape:
            notes.append(of_sum(output, shape))
        # `constant` is memoised: most seeds are the number 1.
        return on_device(np.ones(shape, dtype)) if shape else constant(1.0, dtype)
    fault = ""
    try:
        array = numbers(seed, dtype)
        fault = f"has shape {list(array.shape)}"
        return on_device(np.broadcast_to(array, shape))
    except ValueError as error:
        fits = f"The seed does not fit the output {output!r}, which has shape {list(shape)}"
        hint = "Give one number, or an array of that shape."
        raise GraphError(Problem("seed-shape", f"{fits}: it {fault or error}.", hint, output)) from error


def _finish(
    prepared: Prepared,
    values: dict[str, jax.Array],
    cotangents: Cotangents,
    seed: jax.Array,
    chosen: tuple[str, ...],
) -> Trace:
    graph, shapes, dtype = prepared.graph, prepared.shapes, prepared.dtype
    prepared.tape.run()
    inputs = {name: values[name] for name in prepared.inputs}
    return Trace(
        graph=graph,
        output=graph.output,
        dtype=dtype,
        inputs=Arrays(inputs, dtype, shapes.__getitem__),
        seed=np.asarray(seed),
        value=Arrays(values, dtype, shapes.__getitem__),
        cotangent=Arrays(cotangents.arriving, dtype, shapes.__getitem__),
        passed=Arrays(cotangents.passed, dtype, lambda wire: shapes[graph[wire[0]].slots[wire[1]]]),
        gradient=Arrays(cotangents.gradients, dtype, shapes.__getitem__),
        chosen=chosen,
    )


# Find what is legal and rarely meant. A trace's notes say it, and so does the canvas at the node.


BROADCAST = "broadcast"
"""Kind of claim: a node, the shapes that it reads, and the one to which they are broadcast."""

ZERO, NO_PATH, INDEPENDENT, OF_SUM = "zero", "no path", "independent", "of sum"
"""Kinds of claims. ZERO: a grad node whose value is 0. NO_PATH: a node, and one to which no path leads from
it. INDEPENDENT: a node, and one that does not depend on it. OF_SUM: a node, a grad node that differentiates
the sum of its elements, and its shape."""

LABELS, CLASSES = "labels", "classes"
"""Kinds of claims: a node with labels that it reads and that name no class; the first and the last class."""

OUTSIDE, SPAN = "outside", "span"
"""Kinds of claims: a node with places that it reads and that lie outside; the first and the last place, of
which the first is counted from the end."""

LOSS, ONE_HOT = "softmax_cross_entropy_with_integer_labels", "one_hot"
NAMED = 4  # labels that are written out


@dataclass(frozen=True, slots=True)
class Doubt:
    """A construct that is legal and rarely meant, as a sentence about a node.

    Attributes:
      kind: its key in `DOUBTS`; a lint of the same construct has it as its code.
      node: the node that it is about.
      text: the sentence, which does not name the node.
      claims: what it claims, so that it can be tested.
    """

    kind: str
    node: str
    text: str
    claims: tuple[Claim, ...] = field(default=(), repr=False, compare=False)


def mixes(trace: Trace) -> Iterator[Doubt]:
    """Yield the nodes whose inputs have different ranks and were all enlarged by broadcasting.

    NumPy's rules broadcast [4, 1] and [4] to [4, 4]: a loss over four examples then averages sixteen
    differences, without a warning. Inputs of the same rank, such as [3, 1] and [1, 4], are taken to be
    intended as all pairs.
    """
    if not any(np.ndim(value) for value in trace.value.values()):
        return
    for node in trace.graph.nodes:
        op = OPS.get(node.op)
        if op is None or not (op.elementwise or op.broadcasts) or len(op.slots) < 2:
            continue
        shapes = tuple(np.shape(trace.value[s] if isinstance(s, str) else s) for s in node.op_slots)
        tensors = [shape for shape in shapes if shape]
        result = np.broadcast_shapes(*tensors)
        if len({len(shape) for shape in tensors}) > 1 and all(prod(s) < prod(result) for s in tensors):
            inputs = [f"{slot} {describe_shape(s)}" for slot, s in zip(op.inputs, shapes, strict=True)]
            text = (
                f"All pairs: {listed(inputs)} were broadcast to {list(result)}. If you meant element by "
                "element, give them one shape."
            )
            yield Doubt("broadcast", node.name, text, (Claim(BROADCAST, (node.name,), (*shapes, result)),))


def strays(trace: Trace) -> Iterator[Doubt]:
    """Yield the nodes with labels that are not whole numbers from 0 to the number of classes minus 1.

    JAX returns NaN for such a loss and zeros for such a one_hot, without a warning.
    """
    for node in trace.graph.nodes:
        if node.op not in (LOSS, ONE_HOT):
            continue
        *logits, labels = (
            trace.value[s] if isinstance(s, str) else rounded(s, trace.dtype) for s in node.op_slots
        )
        classes = (logits[0] if logits else trace.value[node.name]).shape[-1]
        labels = labels.astype(np.float64)  # bfloat16 has no 257 to compare with
        read = labels if logits else np.round(labels)  # as one_hot does
        wrong = np.unique(labels[~((read >= 0) & (read < classes) & (read == np.floor(read)))]).tolist()
        if not wrong:
            continue
        # All digits of a whole number are written, and else those of float32.
        named = ", ".join(scalar(label, 17 if label.is_integer() else 7) for label in wrong[:NAMED])
        more = ", ..." if len(wrong) > NAMED else ""
        are = "label names" if len(wrong) == 1 else "labels name"
        where = "The last axis of the logits" if logits else "The new axis"
        known = f"0 to {classes - 1}" if classes > 1 else "0 alone"
        yield Doubt(
            "stray-label",
            node.name,
            f"The {are} no class: {named}{more}. {where} has classes {known}.",
            (
                Claim(LABELS, (node.name,), tuple(wrong[:NAMED])),
                Claim(CLASSES, (node.name,), (0, classes - 1)),
            ),
        )


def outside(trace: Trace) -> Iterator[Doubt]:
    """Yield the nodes with places that what they pick from, or add to, does not have.

    JAX returns NaN for such an element and drops such an update, without a warning.
    """
    for node in trace.graph.nodes:
        if node.op not in AT_PLACES:
            continue
        x, places = (
            trace.value[s] if isinstance(s, str) else rounded(s, trace.dtype) for s in node.op_slots[:2]
        )
        axis = dict(node.params).get("axis", OPS[node.op].param("axis").default)
        size = x.size if axis is None else x.shape[axis]
        places = places.astype(np.float64)  # bfloat16 has no 257 to compare with
        wrong = np.unique(places[~((np.round(places) >= -size) & (np.round(places) < size))]).tolist()
        if not wrong:
            continue
        named = ", ".join(scalar(place, 17 if place.is_integer() else 7) for place in wrong[:NAMED])
        named += ", ..." if len(wrong) > NAMED else ""
        lie = "The place lies" if len(wrong) == 1 else "The places lie"
        yield Doubt(
            "stray-place",
            node.name,
            f"{lie} outside: {named}. The axis has places from {scalar(-size)} to {scalar(size - 1)}.",
            (
                Claim(OUTSIDE, (node.name,), tuple(wrong[:NAMED])),
                Claim(SPAN, (node.name,), (-size, size - 1)),
            ),
        )


def shadowed(trace: Trace) -> Iterator[Doubt]:
    """Yield the nodes whose rule has an argument that is named like a node it does not stand for."""
    for shadow in shadows(trace.graph):
        yield Doubt("shadowed-argument", shadow.node, str(shadow))


def unrelated(trace: Trace) -> Iterator[Doubt]:
    """Yield the grad nodes that are zero whatever the numbers are: their z does not depend on their x."""
    for node in trace.graph.nodes:
        if node.op != GRAD:
            continue
        of, by = node.slots[:2]
        if on_ways(trace.graph, node):
            continue
        # A path may lead from x to z all the same, as what another grad node differentiates.
        if by in ancestors(trace.graph, [of]):
            kind, why = INDEPENDENT, f"{of!r} does not depend on {by!r}"
        else:
            kind, why = NO_PATH, f"no path leads from {by!r} to {of!r}"
        claims = Claim(ZERO, (node.name,)), Claim(kind, (by, of))
        yield Doubt("unrelated", node.name, f"the gradient is zero: {why}.", claims)


DOUBTS: Mapping[str, Callable[[Trace], Iterator[Doubt]]] = {
    "broadcast": mixes,
    "stray-label": strays,
    "stray-place": outside,
    "shadowed-argument": shadowed,
    "unrelated": unrelated,
}
"""The kinds of doubts, in the order in which a trace's doubts are listed."""


def sums(trace: Trace) -> Iterator[Statement]:
    """Yield a sentence for each grad node whose output is a tensor, but where that is asked for."""
    for node in trace.graph.nodes:
        of = node.slots[0] if node.op == GRAD else None
        if of in trace.value and (shape := trace.value[of].shape):
            text = f"{of!r} has shape {list(shape)}; this is the gradient of the sum of its elements."
            yield Statement(f"at {node.name}: {text}", (Claim(OF_SUM, (of, node.name), shape),))


def exact_inputs(found: Trace) -> dict[str, np.ndarray]:
    """Return the inputs in float64: the graph's own number where the trace has it rounded."""
    given = {}
    for name, array in found.inputs.items():
        with precision(FLOAT64):
            own = np.asarray(own_value(found.graph[name], FLOAT64))
        same = own.shape == array.shape and rounded(own, found.dtype).tobytes() == array.tobytes()
        given[name] = own if same else array.astype(np.float64)
    return given
