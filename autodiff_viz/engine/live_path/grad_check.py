"""Check grad nodes, and report the problems that they have."""

from __future__ import annotations

from autodiff_viz.engine.live_path.op_calls import check_call
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import FOLLOW, GRAD, Graph, Node
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.registries.rule_kinds import KINDS, ON_INPUTS
from autodiff_viz.graph.structure.grad_nodes import own_slots
from autodiff_viz.graph.text.text_format import listed


def check_grad(graph: Graph, node: Node) -> None:
    """Check the number of slots of a grad node, its parameters, its rule, and how many there are in the
    graph.

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


def no_node(node: Node, slot: int) -> Problem:
    """Return the problem of a slot of a grad node that holds no node."""
    what = ("output that is differentiated", "node by which it is differentiated")[slot]
    found = "is empty" if node.slots[slot] is None else "is a number"
    return Problem(
        "grad-of-number" if node.slots[slot] is not None else "empty-slot",
        f"{node.name!r} is the gradient of a node by a node; the {what} {found}.",
        "Wire a node to it, as in grad(loss, w).",
        node.name,
        slot,
    )


def order_problem(node: Node) -> Problem:
    """Return the problem of a grad node of too high an order."""
    return Problem(
        "grad-order",
        f"{node.name!r} is a gradient of a gradient of a gradient.",
        f"At most {limits.GRAD_ORDER} may lie one inside the other; the pass itself adds one more.",
        node=node.name,
    )


def too_long(node: Node) -> Problem:
    """Return the problem of a grad node that needs too many ops."""
    return Problem(
        "grad-too-long",
        f"{node.name!r} needs more than {limits.GRAD_STEPS} ops, forward and backward.",
        "Differentiate by a node that is nearer to the output.",
        node=node.name,
    )
