"""Run forward mode on the live path: the tangent of every node, one compiled op per node.

A rule has the meaning that its JAX function has in forward mode: `lax.stop_gradient` gives a zero,
`jax.custom_vjp` refuses, and the alternative of a `jax.custom_jvp` gives its own tangent. A grad node pushes
the tangents through the graph that it is written out as: forward over reverse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax

from autodiff_viz.engine.live_path.check import at_node
from autodiff_viz.engine.live_path.grad_graph import GradGraph, grad_graph
from autodiff_viz.engine.live_path.kernels import (
    ONCE,
    kernel,
    rounded,
    tangent_kernel,
    tangent_of,
    traced_kernel,
)
from autodiff_viz.engine.live_path.op_calls import known_op, split
from autodiff_viz.engine.live_path.passes import Prepared, Wire, forward
from autodiff_viz.engine.live_path.prepare import KEPT, Known, inner, known_of, too_many_grads, with_values
from autodiff_viz.engine.live_path.pullbacks import total
from autodiff_viz.engine.memo import Evaluation, shared, within
from autodiff_viz.graph.grad_nodes import BY, OF
from autodiff_viz.graph.model import GRAD, INPUT, Node
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW, PULLBACK, REWRITE, SCALE, STOP
from autodiff_viz.graph.text import shape_of

OF_THE_OP, NOTHING, BLOCKED, OF_THE_ALTERNATIVE = "op", "nothing", "blocked", "alternative"

LIVE_TANGENTS: Mapping[str, str] = {
    FOLLOW: OF_THE_OP,
    STOP: NOTHING,
    REWRITE: BLOCKED,
    SCALE: BLOCKED,
    PULLBACK: BLOCKED,
    BACKWARD_AS: OF_THE_ALTERNATIVE,
}
"""By kind of rule, the tangent of a node with that rule.

`BLOCKED` rules are `jax.custom_vjp` functions, to which `jax.jvp` raises a TypeError where a tangent arrives.
"""


class Pushed(NamedTuple):
    """Result of forward mode; None is a symbolic zero.

    Attributes:
      tangent: by node; nodes whose tangent depends on that of a blocked node are left out.
      passed: by wire, what it adds to the tangent of the node that reads it.
      blocked: the nodes whose rule blocks forward mode and at which a tangent arrives.
      swept: the nodes whose tangent carries a leading axis of samples, and the wires that add such a one.
    """

    tangent: dict[str, jax.Array | None]
    passed: dict[Wire, jax.Array | None]
    blocked: tuple[str, ...]
    swept: frozenset[str | Wire] = frozenset()


def push_forward(
    prepared: Prepared, called: Sequence[list[Any]], directions: Mapping[str, jax.Array]
) -> Pushed:
    """Push tangents forward through a prepared graph.

    Args:
      called: the arguments of every step, as `passes.forward` returned them.
      directions: tangents by node name: of inputs, before their rule, or of other nodes, whose value then
        has this tangent whatever its own wires carry.
    Raises:
      GraphError: the graph needs too many programs.
    """
    found = _ForwardMode(prepared, directions)
    with within(Evaluation()):
        for name in prepared.shapes:
            if prepared.graph[name].op == INPUT:
                found.take(prepared.graph[name])
        for step, arguments in zip(prepared.steps, called, strict=True):
            try:
                found.step(prepared.graph[step.name], arguments)
            except GraphError as error:
                raise at_node(error, step.name) from error
    return Pushed(found.tangent, found.passed, tuple(found.blocked), frozenset(found.swept))


class _ForwardMode:
    """The tangents of a graph as far as they are computed."""

    def __init__(self, prepared: Prepared, directions: Mapping[str, jax.Array]):
        self.prepared, self.directions = prepared, directions
        self.tangent: dict[str, jax.Array | None] = {}
        self.passed: dict[Wire, jax.Array | None] = {}
        self.blocked: list[str] = []
        self.swept: set[str | Wire] = set()

    def take(self, node: Node) -> None:
        """Take an input's direction under the input's rule."""
        given, meaning = self.directions.get(node.name), LIVE_TANGENTS[node.rule.kind]
        if meaning == BLOCKED and given is not None:
            self.blocked.append(node.name)
        else:
            self.tangent[node.name] = None if meaning == NOTHING else given

    def step(self, node: Node, arguments: Sequence[Any]) -> None:
        """Compute a node's tangent from those of the nodes that it reads."""
        name, meaning = node.name, LIVE_TANGENTS[node.rule.kind]
        known = {slot: self.tangent[read] for slot, read in node.wires if read in self.tangent}
        moving = {slot: dot for slot, dot in known.items() if dot is not None}
        used = self._used(node, meaning)
        if node.op == GRAD:
            moving.pop(OF, None)
        blocked = node.rule.kind == PULLBACK and bool(moving)
        found: dict[int, jax.Array] = {}
        if meaning == OF_THE_ALTERNATIVE:
            found = {slot: dot for slot, dot in moving.items() if slot in used}
            self.swept |= {(name, slot) for slot in found if node.slots[slot] in self.swept}
        elif meaning != NOTHING and not blocked and node.op == GRAD:
            through = self._through_grad(node, moving, arguments)
            blocked, found = through is None, through or {}
        elif meaning != NOTHING and not blocked:
            found = self._contributions(node, moving, arguments)
        if not blocked:
            unknown = used - known.keys()
            self.passed |= {(name, slot): found.get(slot) for slot, _ in node.wires if slot not in unknown}
        if name in self.directions:
            self.tangent[name] = self.directions[name]
        elif blocked or (meaning == BLOCKED and found):
            self.blocked.append(name)
        elif used <= known.keys():
            self.tangent[name] = total([*found.values()]) if found else None
            if any((name, slot) in self.swept for slot in found):
                self.swept.add(name)

    @staticmethod
    def _used(node: Node, meaning: str) -> set[int]:
        """Return the wired slots that the node's tangent depends on."""
        if meaning == NOTHING:
            return set()
        wires = {slot for slot, _ in node.wires if node.op != GRAD or slot != OF}
        return wires & {len(node.slots) - 1} if meaning == OF_THE_ALTERNATIVE else wires

    def _contributions(
        self, node: Node, moving: Mapping[int, jax.Array], arguments: Sequence[Any]
    ) -> dict[int, jax.Array]:
        """Return, by slot, what the tangents add by the op's own derivative."""
        if not moving:
            return {}
        static, _ = split(known_op(node.op), node.params)
        below = tuple(self.prepared.shapes[s] if type(s) is str else shape_of(s) for s in node.op_slots)
        wired = tuple(i for i, slot in enumerate(node.op_slots) if type(slot) is str)
        dtype, inner, swept = self.prepared.dtype, self.prepared.inner, self.prepared.swept
        flags = tuple(type(slot) is str and slot in swept for slot in node.op_slots)
        batched = flags if any(flags) else None
        making = traced_kernel if inner else kernel
        carries = making(node.op, static, below, wired, dtype, batched).carries
        slots = tuple(slot for slot, has in zip(wired, carries, strict=True) if has and slot in moving)
        if not slots:
            return {}
        if inner:  # a part of one program, which is vectorised as a whole
            push = tangent_of(node.op, static, below, slots, dtype)
        else:
            axes = self._axes(node, slots, flags)
            push = tangent_kernel(node.op, static, below, slots, dtype, axes)
        return dict(zip(slots, push(tuple(moving[slot] for slot in slots), *arguments), strict=True))

    def _axes(
        self, node: Node, slots: tuple[int, ...], flags: tuple[bool, ...]
    ) -> tuple[tuple[bool, ...], tuple[bool, ...]] | None:
        """Return (`flags`, which tangents of `slots` are swept) and note these wires; None if none is."""
        dots = tuple(node.slots[slot] in self.swept for slot in slots)
        if not any(flags) and not any(dots):
            return None
        self.swept |= {(node.name, slot) for slot in slots}
        return flags, dots

    def _through_grad(
        self, node: Node, moving: Mapping[int, jax.Array], arguments: Sequence[Any]
    ) -> dict[int, jax.Array] | None:
        """Return, by slot, what the tangents add to that of a grad node; None if a rule inside it blocks.

        A rule inside blocks as it does outside, since it calls itself in its forward pass.
        """
        prepared, slots = self.prepared, tuple(moving)
        flags = tuple(type(slot) is str and slot in prepared.swept for slot in node.slots[BY:])
        written = grad_graph(prepared.graph, node, prepared.shapes)
        push = _grad_push(written, prepared.dtype, slots, self._axes(node, slots, flags))
        known = known_of(written.graph, prepared.dtype)
        try:
            added = push(known, tuple(arguments[BY:]), tuple(moving.values()))
        except _BlockedInside:
            return None
        return {slot: dot for slot, dot in zip(slots, added, strict=True) if dot is not None}


class _BlockedInside(Exception):
    """A rule inside a grad node blocks forward mode."""


@shared(KEPT, KEPT // 2, lambda written, *ours: (written.structure, ours), too_many_grads)
def _grad_push(
    written: GradGraph,
    dtype: str,
    slots: tuple[int, ...],
    swept: tuple[tuple[bool, ...], tuple[bool, ...]] | None,
) -> Callable[..., tuple]:
    """Compile the forward mode of a written graph, memoised.

    Args:
      swept: which reads, and which tangents, carry a leading axis of samples; None if none does.
    Returns:
      `push(known, reads, tangents)`: for each of `slots`, what its tangent adds. It raises `_BlockedInside`.
    """
    found, names, _ = inner(written, dtype)
    output = written.graph.output

    def push(known: Known, reads: tuple[Any, ...], tangents: tuple[jax.Array, ...]) -> tuple:
        here, added = with_values(found, names, known, reads), []
        _, called = forward(here)
        for slot, dot in zip(slots, tangents, strict=True):
            pushed = push_forward(here, called, {names[slot - BY]: dot})
            if pushed.blocked:
                raise _BlockedInside
            added.append(pushed.tangent[output])
        return tuple(added)

    if swept is not None:
        reads, dots = (tuple(0 if flag else None for flag in flags) for flags in swept)
        push = jax.vmap(push, in_axes=(None, reads, dots))
    return jax.jit(push, compiler_options=rounded(ONCE, dtype))
