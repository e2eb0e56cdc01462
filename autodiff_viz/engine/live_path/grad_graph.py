"""Write a grad node out: the nodes between x and z once more, then their backward sweep, node by node.

The written graph has an input for x and for each other node that is read, and its output is the cotangent of
x. Its ops are those of the catalog and their pullbacks (`ops/gradients.py`), each a small program that
all graphs share, so that a new grad node compiles a few ops and no graph. What flows back through the grad
node is the backward pass of the written graph: reverse over reverse. The nodes between keep their rules in
it, as a function under `jax.custom_vjp` keeps its own when it is differentiated twice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from autodiff_viz.engine.live_path.kernels import FITTED, SCALED
from autodiff_viz.engine.live_path.op_calls import carries_slot, check_call, known_op, result_shape, split
from autodiff_viz.graph import limits
from autodiff_viz.graph.grad_nodes import BY, OF, Between, between, own_slots
from autodiff_viz.graph.identity import identity, remembered
from autodiff_viz.graph.model import GRAD, INPUT, Call, Graph, Node, Params, Rule, Slot, Term, params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import (
    BACKWARD_AS,
    FOLLOW,
    KINDS,
    ON_INPUTS,
    PULLBACK,
    REWRITE,
    SCALE,
    STOP,
)
from autodiff_viz.graph.text import listed, shape_of
from autodiff_viz.ops.gradients import PullbackOf
from autodiff_viz.ops.misfits import Shape

# Check grad nodes, and report the problems that they have.


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


SHAPES = "float32"  # shapes and symbolic zeros are the same in both dtypes


class GradGraph(NamedTuple):
    """A grad node written out.

    Attributes:
      graph: nodes in topological order, with numbers for names. Its first nodes are inputs: one for x, then
        one for each other node that the grad node reads, in the order of its wires.
      shapes: of the inputs.
      order: of the derivative: 1, or 2 where there are grad nodes between x and z.
      structure: identity of all that is compiled in: the graph without its constants and run-time parameters.
    """

    graph: Graph
    shapes: tuple[Shape, ...]
    order: int
    structure: bytes


def grad_graph(graph: Graph, node: Node, shapes: Mapping[str, Shape]) -> GradGraph:
    """Write out a grad node.

    Args:
      graph: that runs (`bypass.played`).
      shapes: by name, those of all nodes before the grad node.
    Raises:
      GraphError: a slot holds a number, or the derivative has too high an order or too many ops; its problem
        has the node.
    """
    for slot in (OF, BY):
        if not isinstance(node.slots[slot], str):
            raise GraphError(no_node(node, slot))
    found = _parts(graph, node)
    if not found:
        raise GraphError(order_problem(node))
    given = tuple([shapes[name] for _, name in node.wires[1:]])
    return _written(tuple(found.values()), given)


_Part = tuple[Node, Between]


def _parts(graph: Graph, node: Node) -> dict[str, _Part]:
    """Return the grad nodes inside a grad node, and itself as the last; {} if the order is too high."""
    found: dict[str, _Part] = {}
    orders = {}
    waiting = [node]
    while waiting:
        each = waiting[-1]
        inside = between(graph, each)
        inner = [n for n in inside.nodes if n.op == GRAD]
        if more := [n for n in inner if n.name not in found]:
            if len(waiting) > limits.GRAD_ORDER:
                return {}
            waiting += more[:1]
            continue
        waiting.pop()
        orders[each.name] = 1 + max((orders[n.name] for n in inner), default=0)
        if orders[each.name] > limits.GRAD_ORDER:
            return {}
        found[each.name] = each, inside
    return found


def _key(parts: tuple[_Part, ...], given: tuple[Shape, ...]) -> Hashable:
    return tuple([(node.content, *[n.content for n in inside.nodes]) for node, inside in parts]), given


@remembered(64, _key)
def _written(parts: tuple[_Part, ...], given: tuple[Shape, ...]) -> GradGraph:
    """Write out the last of `parts`, whose grad nodes inside are the others; memoised."""
    node, inside = parts[-1]
    writer = _Writer(node, {each.name: (each, own) for each, own in parts})
    names = [name for _, name in node.wires[1:]]
    known = {name: writer.input(shape) for name, shape in zip(names, given, strict=True)}
    output = writer.derivative(node, inside, known)
    order = 1 + any(each.op == GRAD for each in inside.nodes)
    nodes = tuple(writer.nodes.values())
    structure = identity((tuple(map(_compiled_in, nodes)), output, given))
    return GradGraph(Graph(nodes, (), output), given, order, structure)


def _compiled_in(node: Node) -> Hashable:
    """Return what a program has compiled in of a node: all but its constants and run-time parameters."""
    static = () if node.op == INPUT else split(known_op(node.op), node.params)[0]
    slots = tuple([slot if isinstance(slot, str) else shape_of(slot) for slot in node.slots])
    return repr(node.op), static, slots, node.rule


_FOLLOW = Rule()


@dataclass
class _Writer:
    """Builder of a written graph; its names are numbers, as text."""

    owner: Node
    parts: Mapping[str, _Part]
    nodes: dict[str, Node] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)

    def input(self, shape: Shape) -> str:
        """Add an input of this shape and return its name."""
        return self._add(Node(self._name(), INPUT), shape)

    def apply(
        self, op: str | PullbackOf, slots: Iterable[Slot], given: Params = (), rule: Rule = _FOLLOW
    ) -> str:
        """Add a node that applies an op and return its name."""
        node = Node(self._name(), op, tuple(slots), given, rule)
        static, _ = split(known_op(op), given)
        return self._add(node, result_shape(op, static, tuple(map(self.shape, node.op_slots)), SHAPES))

    def shape(self, slot: Slot) -> Shape:
        """Return the shape of what a slot holds."""
        return self.shapes[slot] if isinstance(slot, str) else shape_of(slot)

    def derivative(self, node: Node, inside: Between, known: Mapping[str, str]) -> str:
        """Write the nodes between x and z, then their backward sweep, and return the name of the cotangent
        of x.

        Args:
          known: by name of a node that they read, its name here.
        """
        (of, by), copies, before = node.slots[:2], dict(known), len(self.nodes)
        for each in inside.nodes:
            copies[each.name] = self._copy(each, copies)
        if of not in copies:  # z does not depend on x
            return self.apply("zeros_like", [copies[by]])
        x, z = copies[by], copies[of]
        moved = self._moved(x, before)
        waiting: dict[str, list[Slot]] = {z: [self.apply("ones_like", [z])]}
        for name in reversed(moved):
            if name in waiting:
                for slot, contribution in self._pulled(
                    self.nodes[name], self._sum(waiting.pop(name)), moved, x
                ):
                    waiting.setdefault(self.nodes[name].slots[slot], []).append(contribution)
        return self._sum(waiting[x]) if x in waiting else self.apply("zeros_like", [x])

    def _copy(self, node: Node, copies: Mapping[str, str]) -> str:
        """Write a node between x and z once more; a grad node is written out."""
        if node.op == GRAD:
            inner, inside = self.parts[node.name]
            found = self.derivative(inner, inside, {name: copies[name] for _, name in node.wires[1:]})
            return self.apply("identity", [found], rule=node.rule)
        slots = [copies[slot] if isinstance(slot, str) else slot for slot in node.slots]
        return self.apply(node.op, slots, node.params, node.rule)

    def _moved(self, x: str, before: int) -> dict[str, None]:
        """Return the nodes written after the first `before` ones that depend on x, in order."""
        found: dict[str, None] = {}
        for name, node in list(self.nodes.items())[before:]:
            if any(wired == x or wired in found for _, wired in node.wires):
                found[name] = None
        return found

    def _pulled(self, node: Node, v: Slot, moved: Mapping[str, None], x: str) -> Iterator[tuple[int, Slot]]:
        """Write the pullback of a node under its rule; yield (slot, contribution) for what depends on x."""
        wanted = [slot for slot, name in node.wires if name == x or name in moved]
        return GRAD_PULLBACKS[node.rule.kind](self, node, v, wanted)

    def _sum(self, parts: list[Slot]) -> str:
        total = parts[0]
        for part in parts[1:]:
            total = self.apply("add", [total, part])
        return total if isinstance(total, str) else self.apply("identity", [total])

    def term(self, term: Term, names: Mapping[str, str], shape: Shape) -> Slot:
        """Write a term of a rule's function, broadcast to a shape."""
        found = self._term(term, names)
        return found if self.shape(found) == shape else self.apply(FITTED, [found], params(shape=shape))

    def _term(self, term: Term, names: Mapping[str, str]) -> Slot:
        if isinstance(term, Call):
            return self.apply(term.op, [self._term(arg, names) for arg in term.args], term.params)
        return names[term] if isinstance(term, str) else term

    def _name(self) -> str:
        if len(self.nodes) >= limits.GRAD_STEPS:
            raise GraphError(too_long(self.owner))
        return str(len(self.nodes))

    def _add(self, node: Node, shape: Shape) -> str:
        self.nodes[node.name], self.shapes[node.name] = node, shape
        return node.name


Pulled = Iterator[tuple[int, Slot]]


def _follow(writer: _Writer, node: Node, v: Slot, wanted: list[int]) -> Pulled:
    static, _ = split(known_op(node.op), node.params)
    shapes = tuple(map(writer.shape, node.op_slots))
    for slot in wanted:
        if slot < len(node.op_slots) and carries_slot(node.op, static, shapes, slot):
            yield slot, writer.apply(PullbackOf(node.op, slot), [v, *node.op_slots], node.params)


def _rewritten(writer: _Writer, node: Node, v: Slot, wanted: list[int]) -> Pulled:
    function = node.rule.function
    changed = writer.term(function.body[0], {function.args[0]: v}, writer.shape(node.name))
    return _follow(writer, node, changed, wanted)


def _scaled(writer: _Writer, node: Node, v: Slot, wanted: list[int]) -> Pulled:
    return _follow(writer, node, writer.apply(SCALED, [v, node.rule.number]), wanted)


def _declared(writer: _Writer, node: Node, v: Slot, wanted: list[int]) -> Pulled:
    function, wires = node.rule.function, node.wires
    names = dict(zip(function.args, (v, *[name for _, name in wires], node.name), strict=True))
    for (slot, name), term in zip(wires, function.body, strict=True):
        if slot in wanted:
            yield slot, writer.term(term, names, writer.shape(name))


def _to_alternative(writer: _Writer, node: Node, v: Slot, wanted: list[int]) -> Pulled:
    alternative = len(node.slots) - 1
    return iter([(alternative, v)] if alternative in wanted else [])


GRAD_PULLBACKS: dict[str, Callable[[_Writer, Node, Slot, list[int]], Pulled]] = {
    FOLLOW: _follow,
    STOP: lambda writer, node, v, wanted: iter(()),
    REWRITE: _rewritten,
    SCALE: _scaled,
    PULLBACK: _declared,
    BACKWARD_AS: _to_alternative,
}
"""By kind of rule, the backward step of a node with that rule, as nodes."""
