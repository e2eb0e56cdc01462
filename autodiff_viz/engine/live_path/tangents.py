"""Run forward mode on the live path: the tangent of every node, one compiled op per node.

A rule has the meaning that its JAX function has in forward mode: `lax.stop_gradient` gives a zero,
`jax.custom_vjp` refuses, and the alternative of a `jax.custom_jvp` gives its own tangent. Through a grad node
it is forward over reverse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax

from autodiff_viz.engine.grad_op import blocks, op_call
from autodiff_viz.engine.live_path.check import at_node
from autodiff_viz.engine.live_path.kernels import kernel, tangent_kernel, total
from autodiff_viz.engine.live_path.passes import Prepared, Wire
from autodiff_viz.engine.memo import Evaluation, within
from autodiff_viz.graph.grad_nodes import OF
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
    """

    tangent: dict[str, jax.Array | None]
    passed: dict[Wire, jax.Array | None]
    blocked: tuple[str, ...]


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
    mode = _ForwardMode(prepared, directions)
    with within(Evaluation()):
        for name in prepared.shapes:
            if prepared.graph[name].op == INPUT:
                mode.take(prepared.graph[name])
        for step, arguments in zip(prepared.steps, called, strict=True):
            try:
                mode.step(prepared.graph[step.name], arguments)
            except GraphError as error:
                raise at_node(error, step.name) from error
    return Pushed(mode.tangent, mode.passed, tuple(mode.blocked))


class _ForwardMode:
    """The tangents of a graph as far as they are computed."""

    def __init__(self, prepared: Prepared, directions: Mapping[str, jax.Array]):
        self.prepared, self.directions = prepared, directions
        self.tangent: dict[str, jax.Array | None] = {}
        self.passed: dict[Wire, jax.Array | None] = {}
        self.blocked: list[str] = []

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
        contributions: dict[int, jax.Array] = {}
        if meaning == OF_THE_ALTERNATIVE:
            contributions = {slot: dot for slot, dot in moving.items() if slot in used}
        elif meaning != NOTHING and not blocked:
            added = self._contributions(node, moving, arguments)
            blocked, contributions = added is None, added or {}
        if not blocked:
            unknown = used - known.keys()
            self.passed |= {
                (name, slot): contributions.get(slot) for slot, _ in node.wires if slot not in unknown
            }
        if name in self.directions:
            self.tangent[name] = self.directions[name]
        elif blocked or (meaning == BLOCKED and contributions):
            self.blocked.append(name)
        elif used <= known.keys():
            self.tangent[name] = total([*contributions.values()]) if contributions else None

    @staticmethod
    def _used(node: Node, meaning: str) -> set[int]:
        """Return the wired slots that the node's tangent depends on."""
        if meaning == NOTHING:
            return set()
        wires = {slot for slot, _ in node.wires if node.op != GRAD or slot != OF}
        return wires & {len(node.slots) - 1} if meaning == OF_THE_ALTERNATIVE else wires

    def _contributions(
        self, node: Node, moving: Mapping[int, jax.Array], arguments: Sequence[Any]
    ) -> dict[int, jax.Array] | None:
        """Return, by slot, what the tangents add by the op's own derivative.

        None if a rule inside a grad node blocks, which it does as outside, since it calls itself forward.
        """
        if not moving:
            return {}
        prepared, swept = self.prepared, bool(self.prepared.swept)
        name, static, _, operands, _ = op_call(prepared.graph, node, prepared.shapes.__getitem__)
        below = tuple(prepared.shapes[s] if type(s) is str else shape_of(s) for s in operands)
        wired = tuple(i for i, slot in enumerate(operands) if type(slot) is str)
        carries = kernel(name, static, below, wired, prepared.dtype, swept).carries
        if node.op == GRAD and blocks(name, below, tuple(moving), prepared.dtype):
            return None
        slots = tuple(slot for slot, has in zip(wired, carries, strict=True) if has and slot in moving)
        if not slots:
            return {}
        push = tangent_kernel(name, static, below, slots, prepared.dtype, swept)
        return dict(zip(slots, push(tuple(moving[slot] for slot in slots), *arguments), strict=True))
