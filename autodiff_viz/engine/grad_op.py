"""Make an op of a grad node: `jax.vjp` of the function from its x to its z.

That function is the whole program of the nodes between x and z (`whole_program.program`), with their rules.
The op is a function of all that they read. Its own pullback is `jax.vjp` once more, reverse over reverse, and
the nodes keep their rules in it, as a function under `jax.custom_vjp` keeps its own when it is differentiated
twice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from autodiff_viz.engine.live_path.op_calls import check_call, known_op, runner, split
from autodiff_viz.engine.live_path.pullbacks import push_of
from autodiff_viz.engine.whole_program.jaxprs import CALLS, Traced, opened, primitive_of, traced
from autodiff_viz.engine.whole_program.program import Program, dynamic_params, structure
from autodiff_viz.graph import limits
from autodiff_viz.graph.grad_nodes import BY, OF, between, own_slots, runs_again, with_reads
from autodiff_viz.graph.identity import identity, remembered
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Node, Params, Rule, Slot
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS, ON_INPUTS, WIRES
from autodiff_viz.graph.text import listed
from autodiff_viz.ops.gradients import GradOf
from autodiff_viz.ops.misfits import Shape
from autodiff_viz.ops.op import Op, Param

KEPT = 64  # ops of grad nodes; their programs are kept with those of other ops
UNPUSHED = "custom_lin"  # primitive of a `jax.custom_vjp` function at which a tangent arrives
DYNAMIC = "dynamic"
"""Parameter of such an op: the run-time parameters of the nodes inside it."""


class OpCall(NamedTuple):
    """The call of a node's op.

    Attributes:
      op: its name, as of `kernels.kernel`.
      static: its static parameters.
      leading: its run-time parameters, as one dict, or nothing.
      slots: those of the node's op; of a grad node also the numbers in the slots of the nodes inside.
      inner_elements: of the values that a grad node computes inside.
    """

    op: str | GradOf
    static: Params
    leading: list[dict[str, Any]]
    slots: tuple[Slot, ...]
    inner_elements: int = 0


def op_call(graph: Graph, node: Node, shape_of: Callable[[str], Shape]) -> OpCall:
    """Return the call of a node's op.

    Args:
      graph: that runs (`mute.played`).
      shape_of: returns the shape of a node before this one.
    Raises:
      GraphError: as `split`; a slot of a grad node holds no node, or its derivative has too high an order or
        too many ops.
    """
    if node.op != GRAD:
        static, leading = split(known_op(node.op), node.params)
        return OpCall(node.op, static, leading, node.op_slots)
    for slot in (OF, BY):
        if not isinstance(node.slots[slot], str):
            empty = node.slots[slot] is None
            what = ("output that is differentiated", "node by which it is differentiated")[slot]
            holds = "is empty" if empty else "is a number"
            raise GraphError(
                Problem(
                    "empty-slot" if empty else "grad-of-number",
                    f"{node.name!r} is the gradient of a node by a node; the {what} {holds}.",
                    "Wire a node to it, as in grad(loss, w).",
                    node.name,
                    slot,
                )
            )
    names = runs_again(graph, [node])
    inside = _inside(node, tuple([each for each in order(graph) if each.name in names]))
    if inside.order > limits.GRAD_ORDER:
        message = f"{node.name!r} is a gradient of a gradient of a gradient."
        hint = f"At most {limits.GRAD_ORDER} may lie one inside the other; the pass itself adds one more."
        raise GraphError(Problem("grad-order", message, hint, node=node.name))
    steps, most = sum(inside.runs.values()), limits.GRAD_STEPS
    if steps > limits.GRAD_STEPS_IN_ALL // limits.GRADS:  # else however many there are have room
        grads = sum(each.op == GRAD for each in graph.nodes)
        most = min(most, limits.GRAD_STEPS_IN_ALL // grads)
    if steps > most:
        among = "" if most == limits.GRAD_STEPS else f", which is the most for each of {grads} grad nodes"
        message = f"{node.name!r} needs more than {most} ops, forward and backward{among}."
        hint = "Differentiate by a node that is nearer to the output."
        raise GraphError(Problem("grad-too-long", message, hint, node=node.name))
    elements = sum(count * prod(shape_of(name)) for name, count in inside.runs.items())
    return OpCall(inside.op, (), inside.leading, (*node.slots, *inside.numbers), elements)


class _Inside(NamedTuple):
    """What a grad node runs.

    Attributes:
      op: its name.
      leading: the run-time parameters of the nodes inside, as one dict, or nothing.
      numbers: in the slots of the nodes inside.
      order: of the derivative: 1, or 2 where there are grad nodes between x and z.
      runs: by name of a node inside, how many ops it needs, forward and backward.
    """

    op: GradOf
    leading: list[dict[str, Any]]
    numbers: tuple[Slot, ...]
    order: int
    runs: Mapping[str, int]


@remembered(KEPT, lambda node, inside: (node.content, *[each.content for each in inside]))
def _inside(node: Node, inside: tuple[Node, ...]) -> _Inside:
    """Make the op of a grad node; memoised.

    Args:
      inside: the nodes that it runs, in topological order, with those that grad nodes among them run.
    """
    # Numbers for names, so that grad nodes that differ in names alone share an op. The z of a grad node may
    # be outside; it is an input then, without a value, since nothing reads it. The node's own rule changes
    # what arrives at it, and is no part of its op.
    ran = (*map(own_slots, inside), replace(own_slots(node), rule=Rule()))
    named = [*node.slots[BY:], *[name for each in ran for _, name in each.wires], node.name]
    number = {name: str(i) for i, name in enumerate(dict.fromkeys(named))}
    # The numbers in slots become inputs too: they are arguments of the compiled program, so that a slider of
    # one of them compiles nothing.
    numbers: dict[str, Slot] = {}
    nodes = []
    for each in ran:
        slots = [number[slot] if isinstance(slot, str) else slot for slot in each.slots]
        # A declared pullback takes an argument for each wire, so no number may become a wire.
        by_wires = each.rule.function is not None and KINDS[each.rule.kind].function == WIRES
        for i, slot in enumerate(() if by_wires else each.op_slots):
            if not isinstance(slot, str):
                slots[i] = f"number {len(numbers)}"
                numbers[slots[i]] = slot
        nodes.append(replace(each, name=number[each.name], slots=tuple(slots)))
    names = {each.name for each in nodes}
    inputs = [Node(name, INPUT) for name in (*number.values(), *numbers) if name not in names]
    graph = with_reads(Graph((*inputs, *nodes), (), number[node.name]))
    dynamic, bare, grad = dynamic_params(graph), structure(graph), graph[number[node.name]]
    read = (*[number[slot] for slot in node.slots[BY:]], *numbers)

    def gradient(reads: tuple[jax.Array, ...], dynamic: dict[str, dict]) -> jax.Array:
        given = dict(zip(read, reads, strict=True))
        run = Program(bare, reads[0].dtype.name).gradient(grad, dynamic)
        return run(None, *[given[slot] for slot in grad.slots[BY:]])

    equations: dict[Hashable, Traced] = {}

    def apply(z: jax.Array, *reads: jax.Array, dynamic: dict[str, dict] | None = None) -> jax.Array:
        like = tuple([jax.ShapeDtypeStruct(each.shape, each.dtype) for each in reads])
        kinds = tuple([(each.shape, each.dtype) for each in like])
        # Traced once for each combination of shapes: value, pullback and tangent need the equations, each
        # more than once.
        if kinds not in equations:
            equations[kinds] = traced(gradient, like, dynamic or {})
        return equations[kinds](reads, dynamic or {})

    op = Op(
        name=GRAD,
        group="",
        symbol="",
        doc="",
        apply=apply,
        source="",
        slots=("z", *read),
        latex="",
        derivative=(),
        elementwise=False,
        params=(Param(DYNAMIC, "", dynamic, static=False),) if dynamic else (),
    )
    name_of = {each: name for name, each in number.items()}
    order, runs = _runs(graph, grad)
    return _Inside(
        GradOf(identity((bare, read)), op),
        [{DYNAMIC: dynamic}] if dynamic else [],
        tuple(numbers.values()),
        order,
        {name_of[name]: count for name, count in runs.items()},
    )


def _runs(graph: Graph, node: Node) -> tuple[int, dict[str, int]]:
    """Return the order of a grad node, and by name of a node inside how many ops it needs."""
    highest, runs = 0, {}
    for each in between(graph, node).nodes:
        inner, counts = _runs(graph, each) if each.op == GRAD else (0, {each.name: 1})
        highest = max(highest, inner)
        for name, count in counts.items():
            # Each op and its pullback; of a grad node inside, its whole program and the pullback of that.
            runs[name] = runs.get(name, 0) + 2 * count
    return 1 + highest, runs


# Shapes, slots and dtypes are made by the project, so they can be compared as they are.
@remembered(KEPT, lambda op, *ours: (op, ours))
def blocks(op: GradOf, shapes: tuple[Shape, ...], slots: tuple[int, ...], dtype: str) -> bool:
    """Return whether `jax.jvp` of a grad node's op raises where its slots have tangents, because a tangent
    arrives at a rule inside it that is a `jax.custom_vjp`.

    JAX raises as it runs the equation that stands for such a function; here it is only traced.
    """
    _, leading = split(op.op, ())
    run = runner(op.op, (), dtype, len(leading))
    samples = [*leading, *(jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for shape in shapes)]
    push = push_of(run, tuple(len(leading) + slot for slot in slots))
    dots = tuple(jax.ShapeDtypeStruct(shapes[slot], jnp.dtype(dtype)) for slot in slots)
    return _has(jax.make_jaxpr(push)(dots, *samples).jaxpr, UNPUSHED)


def _has(jaxpr: Any, primitive: str) -> bool:
    """Return whether a jaxpr has such an equation, also in a call."""
    for equation in jaxpr.eqns:
        name, given = primitive_of(equation)
        if name == primitive or (name in CALLS and _has(opened(given[CALLS[name]]), primitive)):
            return True
    return False


def check_grad(graph: Graph, node: Node) -> None:
    """Check a grad node's number of slots, its parameters and rule, and how many the graph has.

    Raises:
      GraphError: one of them does not fit.
    """
    kind = KINDS.get(node.rule.kind)
    if kind is not None and kind.replaces:
        those = listed([name for name in ON_INPUTS if name != FOLLOW])
        message = f"{node.name!r} is a gradient; its own derivative is not replaced."
        hint = f"It takes {those}, which change what arrives; put this rule on a node after it."
        raise GraphError(Problem("rule-on-grad", message, hint, node=node.name))
    check_call(node.name, node.op, node.params, len(own_slots(node).slots))
    grads = [each.name for each in graph.nodes if each.op == GRAD]
    if len(grads) > limits.GRADS:
        message = f"The graph has {len(grads)} grad nodes; the limit is {limits.GRADS}."
        raise GraphError(Problem("too-many-grads", message, "Remove some of them.", node=grads[limits.GRADS]))
