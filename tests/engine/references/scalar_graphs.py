"""Generate random scalar graphs that can be differenced: moderate values, clear of kinks and poles."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from autodiff_viz.graph.model import INPUT, Call, Graph, Lambda, Node, Region, Rule, Term, params
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS, WIRES
from tests.engine.references import tape
from tests.strategies import with_regions

CLEAR = 0.02  # distance from kinks
LARGEST = 8.0  # of values; exp of more leaves nothing of float32's digits

NUMBERS = st.integers(-192, 192).map(lambda n: n / 64)  # exact in float32, so both dtypes see the same graph


def _apart(a: float, b: float) -> bool:
    return abs(a - b) > CLEAR


def _off_zero(x: float) -> bool:
    return abs(x) > CLEAR


ALWAYS = (
    "add", "sub", "mul", "neg", "square", "identity", "sin", "cos", "tanh", "sigmoid", "softplus", "arctan",
    "erf",
)  # fmt: skip

SAFE: dict[str, Callable[..., bool]] = {
    **dict.fromkeys(ALWAYS, lambda *_: True),
    **dict.fromkeys(("exp", "expm1"), lambda x: x < 2),
    **dict.fromkeys(("log", "sqrt"), lambda x: x > 0.1),
    **dict.fromkeys(("abs", "sign", "relu"), _off_zero),
    **dict.fromkeys(("maximum", "minimum", "greater", "less"), _apart),
    **dict.fromkeys(("arcsin", "arccos"), lambda x: abs(x) < 0.9),
    "log1p": lambda x: x > -0.9,
    "tan": lambda x: abs(math.cos(x)) > 0.3,
    "div": lambda a, b: abs(b) > 0.2,
    "pow": lambda a, b: a > 0.1 and abs(b) < 4,
    "round": lambda x: _apart(x - math.floor(x), 0.5),
    "floor": lambda x: _apart(x, round(x)),
    "clip": lambda x, low, high: low + CLEAR < high and _apart(x, low) and _apart(x, high),
    "where": lambda condition, a, b: _off_zero(condition),
}

ARITY = {"pow": 2, "where": 3, "clip": 3} | dict.fromkeys(
    ("add", "sub", "mul", "div", "maximum", "minimum", "greater", "less"), 2
)


@st.composite
def cotangents(draw: DrawFn, others: tuple[str, ...]) -> Term:
    """The body of a rule over v and `others`; never steeper than linear in v, so nothing runs away."""
    shape = draw(st.integers(0, 6))
    number, other = draw(NUMBERS), draw(st.sampled_from(others)) if others else 0.5
    return (
        number,
        "v",
        Call("mul", (number, "v")),
        Call("clip", ("v", -0.75, 0.75)),
        Call("mul", ("v", Call("sin", (other,)))),
        Call("add", (Call("neg", ("v",)), other)),
        Call("where", (Call("greater", (other, number)), "v", Call("tanh", ("v",)))),
    )[shape]


@st.composite
def ruled(draw: DrawFn, node: Node, producers: list[str]) -> Node:
    """The node with any rule that it can have."""
    kinds = [kind for kind in KINDS.values() if kind.name != FOLLOW and (node.wires or not kind.replaces)]
    kind = draw(st.sampled_from(kinds))
    if kind.alternative:
        return replace(node, slots=(*node.slots, draw(st.sampled_from(producers))), rule=Rule(kind.name))
    if kind.number is not None:
        return replace(node, rule=Rule(kind.name, number=draw(NUMBERS)))
    if not kind.function:
        return replace(node, rule=Rule(kind.name))
    given = (*(f"x{i}" for i in range(len(node.wires))), "y") if kind.function == WIRES else ()
    body = tuple(draw(cotangents(given)) for _ in (node.wires if kind.function == WIRES else (0,)))
    return replace(node, rule=Rule(kind.name, Lambda(("v", *given), body)))


FLAT = ("greater", "less", "round", "floor")  # near a safe input they stay what they are, 0 too


def _fits(node: Node, so_far: tape.Tape, flat: set[str]) -> bool:
    operands = tape.operands(node, so_far)
    if node.op == "where" and node.slots[0] in flat:
        return True
    return SAFE[node.op](*operands) and abs(tape.VALUE[node.op](*operands)) < LARGEST


@st.composite
def scalar_graphs(
    draw: DrawFn,
    *,
    max_nodes: int = 10,
    rules: bool = True,
    regions: bool = True,
    ops: tuple[str, ...] = tuple(SAFE),
) -> Graph:
    """A graph of scalar inputs and ops, its nodes in running order; the flags leave a feature out."""
    built, so_far, flat = [], tape.Tape(), set()
    for i in range(draw(st.integers(2, max_nodes))):
        producers = [node.name for node in built]
        if i == 0 or draw(st.integers(0, 5)) == 5:
            node = Node(f"n{i}", INPUT, (), params(value=draw(NUMBERS)))
            so_far.value[node.name] = node.param("value")
        else:
            op = draw(st.sampled_from(ops))
            wire = st.sampled_from(producers)
            first = draw(wire)  # at least one wire, so that something can be pulled back
            others = (draw(st.one_of(wire, wire, NUMBERS)) for _ in range(ARITY.get(op, 1) - 1))
            node = Node(f"n{i}", op, (first, *others))
            node = node if _fits(node, so_far, flat) else Node(f"n{i}", "sin", (first,))
            so_far.value[node.name] = tape.VALUE[node.op](*tape.operands(node, so_far))
            if node.op in FLAT:
                flat.add(node.name)
        built.append(draw(ruled(node, producers)) if rules and draw(st.integers(0, 2)) == 0 else node)
    output = draw(st.sampled_from([built[-1].name, built[-1].name, draw(st.sampled_from(built)).name]))
    graph = Graph(tuple(built), (), output)
    return draw(with_regions(graph)) if regions else graph


@st.composite
def ruled_regions(draw: DrawFn) -> Graph:
    """A chain of nodes, most of them with a rule, in one region with a step, which passes nothing; perhaps a
    second region within it."""
    built = [Node("n0", INPUT, (), params(value=draw(NUMBERS))), Node("n1", "floor", ("n0",))]
    for i in range(2, draw(st.integers(4, 7))):
        names = [node.name for node in built]
        wire = st.sampled_from([names[-1], names[-1], "n0"])
        op = draw(st.sampled_from(("sin", "tanh", "mul")))
        node = Node(f"n{i}", op, tuple(draw(wire) for _ in range(ARITY.get(op, 1))))
        built.append(draw(ruled(node, ["n1", *names])) if draw(st.integers(0, 3)) else node)
    whole = Region("whole", frozenset(node.name for node in built[1:]))
    graph = Graph(tuple(built), (whole,), built[-1].name)
    return draw(with_regions(graph)) if draw(st.booleans()) else graph


@st.composite
def muted_graphs(draw: DrawFn) -> Graph:
    """A scalar graph with every rule and region in which some nodes are muted.

    Nothing is out of range for the nodes after them: their ops take any number.
    """
    graph = draw(scalar_graphs(ops=ALWAYS))
    able = sorted(node.name for node in graph.nodes if any(isinstance(slot, str) for slot in node.op_slots))
    muted = draw(st.sets(st.sampled_from(able))) if able else set()
    return replace(graph, nodes=tuple(replace(node, muted=node.name in muted) for node in graph.nodes))


def without_rules(graph: Graph) -> Graph:
    """The same graph with every rule taken off."""
    plain = (replace(node, slots=node.op_slots, rule=Rule(FOLLOW)) for node in graph.nodes)
    return replace(graph, nodes=tuple(plain))
