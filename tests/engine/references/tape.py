"""Run reverse mode for scalar graphs in plain Python: floats, the math module and a table of derivatives.

The tape applies the rules of nodes, without JAX. Checkpoint regions change no number and are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from autodiff_viz.graph.model import INPUT, Call, Graph, Lambda, Node, Term
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, PULLBACK, REWRITE, STOP

Partials = tuple[float, ...]


def _sigmoid(x: float) -> float:
    small = math.exp(-abs(x))  # of the other sign it has no double beyond 709
    return 1 / (1 + small) if x >= 0 else small / (1 + small)


def _divided(a: float, b: float) -> float:
    """The quotient, by 0 too, as IEEE 754 has it."""
    if b:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _share(a: float, b: float) -> Partials:
    """The partials of max(a, b): the larger one takes all, equal ones half each."""
    return (0.5, 0.5) if a == b else (float(a > b), float(b > a))


def _clip_partials(x: float, low: float, high: float) -> Partials:
    """clip is min(max(x, low), high), so a tie with a bound is shared with it."""
    (from_x, from_low), (from_inner, from_high) = _share(x, low), _share(-max(x, low), -high)
    return from_inner * from_x, from_inner * from_low, from_high


VALUE: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _divided,
    "pow": lambda a, b: a**b,
    "neg": lambda x: -x,
    "square": lambda x: x * x,
    "identity": lambda x: x,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "log1p": math.log1p,
    "expm1": math.expm1,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "tanh": math.tanh,
    "arcsin": math.asin,
    "arccos": math.acos,
    "arctan": math.atan,
    "erf": math.erf,
    "sigmoid": _sigmoid,
    "softplus": lambda x: max(x, 0.0) + math.log1p(math.exp(-abs(x))),
    "relu": lambda x: max(x, 0.0),
    "abs": abs,
    "sign": lambda x: float((x > 0) - (x < 0)),
    "maximum": max,
    "minimum": min,
    "clip": lambda x, low, high: min(max(x, low), high),
    "round": lambda x: float(round(x)),
    "floor": lambda x: float(math.floor(x)),
    "greater": lambda a, b: float(a > b),
    "less": lambda a, b: float(a < b),
    "greater_equal": lambda a, b: float(a >= b),
    "less_equal": lambda a, b: float(a <= b),
    "equal": lambda a, b: float(a == b),
    "not_equal": lambda a, b: float(a != b),
    "where": lambda condition, a, b: a if condition != 0 else b,
}

PARTIALS: dict[str, Callable[..., Partials]] = {
    "add": lambda a, b: (1.0, 1.0),
    "sub": lambda a, b: (1.0, -1.0),
    "mul": lambda a, b: (b, a),
    "div": lambda a, b: (1 / b, -a / b**2),
    "pow": lambda a, b: (b * a ** (b - 1), a**b * math.log(a)),
    "neg": lambda x: (-1.0,),
    "square": lambda x: (2 * x,),
    "identity": lambda x: (1.0,),
    "sqrt": lambda x: (0.5 / math.sqrt(x),),
    "exp": lambda x: (math.exp(x),),
    "log": lambda x: (1 / x,),
    "log1p": lambda x: (1 / (1 + x),),
    "expm1": lambda x: (math.exp(x),),
    "sin": lambda x: (math.cos(x),),
    "cos": lambda x: (-math.sin(x),),
    "tan": lambda x: (1 / math.cos(x) ** 2,),
    "tanh": lambda x: (4 * _sigmoid(2 * x) * _sigmoid(-2 * x),),  # cosh(x)² has no double from 355 on
    "arcsin": lambda x: (1 / math.sqrt(1 - x * x),),
    "arccos": lambda x: (-1 / math.sqrt(1 - x * x),),
    "arctan": lambda x: (1 / (1 + x * x),),
    "erf": lambda x: (2 / math.sqrt(math.pi) * math.exp(-x * x),),
    "sigmoid": lambda x: (_sigmoid(x) * _sigmoid(-x),),
    "softplus": lambda x: (_sigmoid(x),),
    "relu": lambda x: (float(x > 0),),
    "abs": lambda x: (1.0 if x >= 0 else -1.0,),
    "sign": lambda x: (0.0,),
    "maximum": _share,
    "minimum": lambda a, b: _share(-a, -b),
    "clip": _clip_partials,
    "round": lambda x: (0.0,),
    "floor": lambda x: (0.0,),
    "greater": lambda a, b: (0.0, 0.0),
    "less": lambda a, b: (0.0, 0.0),
    **dict.fromkeys(("greater_equal", "less_equal", "equal", "not_equal"), lambda a, b: (0.0, 0.0)),
    "where": lambda condition, a, b: (0.0, float(condition != 0), float(condition == 0)),
}


COMPARISONS = ("greater", "less", "greater_equal", "less_equal", "equal", "not_equal")
FLAT = {"sign": (0,), "round": (0,), "floor": (0,), "where": (0,)} | dict.fromkeys(COMPARISONS, (0, 1))
"""Slots down which an op passes nothing, whatever the numbers are. Not the same as passing a 0.0: a rule
further up acts on what arrives, be it 0.0, and does not act where nothing does."""


@dataclass
class Tape:
    """What one forward and one backward pass found: as in a trace, with floats for arrays."""

    value: dict[str, float] = field(default_factory=dict)
    cotangent: dict[str, float] = field(default_factory=dict)
    passed: dict[tuple[str, int], float] = field(default_factory=dict)
    gradient: dict[str, float] = field(default_factory=dict)


def record(
    graph: Graph, inputs: Mapping[str, float] | None = None, seed: float = 1.0, jitter: float = 0.0
) -> Tape:
    """Run a scalar graph, whose nodes come in running order, forward and backward.

    With `jitter`, each value and each contribution is off by up to that share of itself: what comes out
    shows how far rounding errors of that size carry.
    """
    draws = Random(jitter)

    def rounded(number: float) -> float:
        return number * (1 + jitter * draws.uniform(-1, 1))

    tape = _forward(graph, inputs or {}, rounded)
    waiting: dict[str, list[float]] = {graph.output: [float(seed)]}
    for node in reversed(graph.nodes):
        parts = waiting.get(node.name)
        v = sum(parts) if parts else None
        tape.cotangent[node.name] = v or 0.0
        if node.op == INPUT:
            tape.gradient[node.name] = _leaves(node, v) or 0.0
        if node.muted:  # its first wire is its only one, and nothing is rounded on the way
            tape.passed[node.name, 0] = v or 0.0
            if v is not None:
                waiting.setdefault(_muted_reads(node), []).append(v)
            continue
        for slot, producer in node.wires:
            part = None if v is None else _part(node, slot, v, tape)
            noise = jitter * draws.uniform(-1, 1) * abs(v or 0.0)  # 1 - tanh^2 is as inexact as its 1
            tape.passed[node.name, slot] = rounded(part or 0.0) + noise
            if part is not None:
                waiting.setdefault(producer, []).append(tape.passed[node.name, slot])
    return tape


def _forward(graph: Graph, inputs: Mapping[str, float], rounded: Callable[[float], float]) -> Tape:
    tape = Tape()
    for node in graph.nodes:
        if node.muted:
            tape.value[node.name] = tape.value[_muted_reads(node)]
            continue
        own = inputs.get(node.name, node.param("value"))
        exact = own if node.op == INPUT else VALUE[node.op](*_operands(node, tape))
        tape.value[node.name] = rounded(float(exact))
    return tape


def _muted_reads(node: Node) -> str:
    return next(slot for slot in node.op_slots if isinstance(slot, str))


def _operands(node: Node, tape: Tape) -> list[float]:
    return [tape.value[slot] if isinstance(slot, str) else float(slot) for slot in node.op_slots]


def _leaves(node: Node, v: float | None) -> float | None:
    """An input's gradient for what arrives there."""
    if v is None or node.rule.kind == STOP:
        return None
    return _changed(node, v)


def _changed(node: Node, v: float) -> float:
    if node.rule.kind == "scale":
        return node.rule.number * v
    return apply(node.rule.function, v)[0] if node.rule.kind == REWRITE else v


def _part(node: Node, slot: int, v: float, tape: Tape) -> float | None:
    """What the node passes down one wire when `v` arrives; None for nothing at all."""
    kind = node.rule.kind
    if kind == STOP:
        return None
    if kind == BACKWARD_AS:
        return v if slot == len(node.slots) - 1 else None
    if kind == PULLBACK:
        inputs = [tape.value[producer] for _, producer in node.wires]
        results = apply(node.rule.function, v, *inputs, tape.value[node.name])
        return results[[i for i, _ in node.wires].index(slot)]
    if slot in FLAT.get(node.op, ()):
        return None
    return _changed(node, v) * PARTIALS[node.op](*_operands(node, tape))[slot]


def apply(function: Lambda, *arguments: float) -> Partials:
    """The results of a rule's lambda."""
    names = dict(zip(function.args, arguments, strict=True))

    def number(term: Term) -> float:
        if isinstance(term, Call):
            return VALUE[term.op](*map(number, term.args))
        return names[term] if isinstance(term, str) else float(term)

    return tuple(number(term) for term in function.body)


def operands(node: Node, tape: Tape) -> list[float]:
    """What the node's op reads."""
    return _operands(node, tape)
