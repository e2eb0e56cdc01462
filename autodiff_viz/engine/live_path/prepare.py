"""Prepare a pass: check the graph, compile its ops, and choose a pullback for each node.

Every refusal is raised here, before an array is computed; a graph compiles only the ops and shapes that no
graph has used before, and what its grad nodes are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from autodiff_viz.engine.live_path.arrays import constant, own_value
from autodiff_viz.engine.live_path.check import at_node, check_no_slots, check_rule
from autodiff_viz.engine.live_path.grad_graph import GradGraph, check_grad, grad_graph
from autodiff_viz.engine.live_path.kernels import ONCE, Kernel, rounded
from autodiff_viz.engine.live_path.node_steps import (
    PendingPullback,
    PendingPullbacks,
    add,
    bind_all,
    bind_swept,
    claim,
    compile_node,
    gradient,
    unusable,
)
from autodiff_viz.engine.live_path.op_calls import known_op, split
from autodiff_viz.engine.live_path.passes import Prepared, backward, forward
from autodiff_viz.engine.live_path.pullbacks import pass_nothing, pass_unchanged, pull_alone
from autodiff_viz.engine.memo import Evaluation, shared, within
from autodiff_viz.graph import limits
from autodiff_viz.graph.grad_nodes import BY
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Node
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import FOLLOW
from autodiff_viz.ops.misfits import Shape

# Run a grad node as a single op: compile both passes of the graph that the node is written out as. Each
# pass is one compiled program, memoised by structure: numbers are its arguments. Its small ops are
# traced and not compiled, since a net's gradient has dozens that no other graph needs.


KEPT = 4 * limits.GRADS  # programs of grad nodes, half of them on trial

Known = tuple[Any, ...]
"""The constants and run-time parameters of a written graph, in the order of its nodes."""


class GradProgram(NamedTuple):
    """The passes of a written graph as compiled functions of `Known` and of what the grad node reads.

    Attributes:
      run: `run(known, reads)` gives the value.
      pull: `pull(known, cotangent, reads)` gives a contribution to each of the reads, None for no dependence.
      carries: by read, whether `pull` gives a contribution.
      elements: of all values inside.
    """

    run: Callable[..., jax.Array]
    pull: Callable[..., tuple[jax.Array | None, ...]]
    shape: Shape
    carries: tuple[bool, ...]
    elements: int


def grad_kernel(
    graph: Graph,
    node: Node,
    shapes: Mapping[str, Shape],
    dtype: str,
    batched: tuple[bool, ...] | None = None,
    cotangent_batched: bool = False,
) -> tuple[Kernel, int]:
    """Return a grad node of the graph that runs as if it were one op of its wires.

    Args:
      shapes: of all nodes before it, by name.
      batched, cotangent_batched: as for `kernel`; the slots are z, x and the others. Nothing is passed to z.
    Returns:
      (the op, the number of elements of the values inside it).
    Raises:
      GraphError: as `grad_graph`, or an op inside refuses its shapes or parameters.
    """
    written = grad_graph(graph, node, shapes)
    program = _program(written, dtype, batched, cotangent_batched and batched is not None)
    known = known_of(written.graph, dtype)

    def run(*arguments: Any) -> jax.Array:
        return program.run(known, arguments[BY:])

    def pull(cotangent: jax.Array, *arguments: Any) -> tuple[jax.Array | None, ...]:
        return (None, *program.pull(known, cotangent, arguments[BY:]))

    carried = (False, *program.carries)
    pull_back = pull_alone(pull) if any(carried) else pass_nothing(len(carried))
    return Kernel(run, pull, pull_back, program.shape, carried, passes_unchanged=False), program.elements


def known_of(graph: Graph, dtype: str) -> Known:
    """Return the constants and run-time parameters of a written graph, in the order that `inner` has."""
    found: list[Any] = []
    for node in graph.nodes:
        if node.params:
            found += split(known_op(node.op), node.params)[1]
        found += [constant(slot, dtype) for slot in node.op_slots if not isinstance(slot, str)]
    return tuple(found)


def inner(
    written: GradGraph, dtype: str, swept: Sequence[bool] = ()
) -> tuple[Prepared, tuple[str, ...], PendingPullbacks]:
    """Prepare a written graph, whose inputs have no values yet; return it with the names of its inputs."""
    names = tuple([each.name for each in written.graph.nodes[: len(written.shapes)]])
    flagged = {name for name, flag in zip(names, swept, strict=False) if flag}
    found = Prepared(written.graph, dtype, flagged, inner=True)
    found.shapes.update(zip(names, written.shapes, strict=True))
    later: PendingPullbacks = {}
    with within(Evaluation()):  # what is only traced does not count
        for each in written.graph.nodes[len(names) :]:
            compile_node(found, each, later)
    return found, names, later


def with_values(found: Prepared, names: Sequence[str], known: Known, reads: Sequence[Any]) -> Prepared:
    """Return a written graph with its constants, its parameters and the values of its inputs."""
    keys = [key for key in found.known if key not in names]
    return replace(
        found, known={**dict(zip(keys, known, strict=True)), **dict(zip(names, reads, strict=True))}
    )


def _key(written: GradGraph, *ours: Any) -> Hashable:
    return written.structure, ours


def too_many_grads(written: GradGraph, *ours: Any) -> GraphError:
    """Return the problem of a graph whose gradients need more programs than are kept for one."""
    message = "The gradients of this graph need more programs than the server keeps for one graph."
    return GraphError(Problem("too-many-programs", message, "Remove some grad nodes."))


@shared(KEPT, KEPT // 2, _key, too_many_grads)
def _program(
    written: GradGraph, dtype: str, batched: tuple[bool, ...] | None, cotangent_batched: bool
) -> GradProgram:
    """Trace the passes of a written graph, memoised; they are compiled when first called."""
    swept = (batched or (False,) * (1 + len(written.shapes)))[BY:]
    found, names, later = inner(written, dtype, swept)
    arriving = bind_swept(found, later, cotangent_batched)
    found.inputs = dict.fromkeys(names, pass_unchanged(1))
    output = found.graph.output

    def run(known: Known, reads: tuple[Any, ...]) -> jax.Array:
        value = forward(with_values(found, names, known, reads))[0][output]
        return value if not any(swept) or output in found.swept else _along(value, reads, swept)

    def pull(known: Known, cotangent: jax.Array, reads: tuple[Any, ...]) -> tuple[jax.Array | None, ...]:
        here = with_values(found, names, known, reads)
        values, called = forward(here)
        back = backward(here, values, called, cotangent).gradients
        flags = (*swept, cotangent_batched)
        return tuple(
            array
            if array is None or arriving[name] or not any(flags)
            else _along(array, (*reads, cotangent), flags)
            for name, array in back.items()
        )

    chosen = rounded(ONCE, dtype)
    return GradProgram(
        jax.jit(run, compiler_options=chosen),
        jax.jit(pull, compiler_options=chosen),
        found.shapes[output],
        tuple(name in arriving for name in names),
        found.elements,
    )


def _along(array: jax.Array, arrays: Sequence[Any], flags: Sequence[bool]) -> jax.Array:
    """Return an array with the axis of samples that the flagged ones have."""
    samples = next(len(each) for each, flag in zip(arrays, flags, strict=True) if flag)
    return jnp.broadcast_to(array, (samples, *jnp.shape(array)))


def prepare(
    graph: Graph,
    inputs: Mapping[str, Any],
    dtype: str,
    swept: frozenset[str] = frozenset(),
    *,
    forward_only: bool = False,
) -> Prepared:
    """Check and compile `graph` for a forward and a backward pass.

    Args:
      inputs: arrays of the dtype for the input nodes that do not use their own value; those named in `swept`
        have a leading axis of samples.
      forward_only: choose no pullbacks.
    Raises:
      GraphError: a slot is empty, names no node or is part of a cycle; an op is unknown or refuses its
        shapes; a rule does not fit; the graph needs too many programs or elements. It is the first problem;
        `diagnose` finds all.
    """
    found, leaves, later = Prepared(graph, dtype, set(swept)), [], {}
    with within(Evaluation()):
        for node in order(graph):
            try:
                if node.op == INPUT:
                    leaves.append(_take(found, node, inputs))
                elif node.op == GRAD:
                    _take_grad(found, node, later)
                else:
                    compile_node(found, node, later)
            except GraphError as error:
                raise at_node(error, node.name) from error
        if not forward_only:
            (bind_swept if swept else bind_all)(found, later)
            found.inputs = {node.name: gradient(found, node) for node in leaves}
    return found


def _take(found: Prepared, node: Node, inputs: Mapping[str, Any]) -> Node:
    """Check an input and take its value."""
    check_no_slots(node)
    name = node.name
    value = found.known[name] = inputs[name] if name in inputs else own_value(node, found.dtype)
    shape = found.shapes[name] = value.shape[1:] if name in found.swept else value.shape
    if node.rule.kind != FOLLOW:
        check_rule(node, shape, ())
    return node


def _take_grad(found: Prepared, node: Node, later: PendingPullbacks) -> None:
    """Check a grad node and make its step: the passes of the graph that it is written out as."""
    check_grad(found.graph, node)
    for i, slot in enumerate(node.slots):
        if slot is None or (type(slot) is str and slot not in found.shapes):
            raise GraphError(unusable(node, i))

    def make(batched: tuple[bool, ...] | None, cotangent_batched: bool) -> Kernel:
        return grad_kernel(found.graph, node, found.shapes, found.dtype, batched, cotangent_batched)[0]

    batched = _swept_reads(found, node) if found.swept else None
    compiled, elements = grad_kernel(found.graph, node, found.shapes, found.dtype, batched)
    found.shapes[node.name] = compiled.shape
    found.elements += elements
    claim(found, node, compiled.shape)
    function = check_rule(node, compiled.shape, ())
    wired, reads = tuple(range(len(node.slots))), list(node.slots)
    add(
        found,
        later,
        PendingPullback(node, reads, wired, found.dtype, function, compiled, make, batched=batched),
    )


def _swept_reads(found: Prepared, node: Node) -> tuple[bool, ...] | None:
    """Return which slots of a grad node are swept; None if none is. It does not read the value of its z."""
    flags = [False] * BY + [type(slot) is str and slot in found.swept for slot in node.slots[BY:]]
    return tuple(flags) if True in flags else None
