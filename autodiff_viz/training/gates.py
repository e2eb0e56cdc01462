"""Switch rules at run time: in one compiled program, a stop or a plain rewrite is only a number.

Each wire has a gate that is open or closed, and so has each input, whose gradient leaves the graph there.
Each node has a gate that changes the cotangent that arrives at it. Rules that gates can express are removed
from the graph before it is compiled (`without_gated`), and `gates` gives the settings of the gates for these
rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.live_path.passes import ARRIVING, Wire
from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.whole_program.program import JAX_RULES, JaxRule, Mark, Run
from autodiff_viz.graph.model import INPUT, Call, Graph, Lambda, Node, Rule
from autodiff_viz.graph.order import order
from autodiff_viz.graph.rule_kinds import FOLLOW, REWRITE, STOP
from autodiff_viz.graph.rule_kinds import SCALE as SCALE_RULE

PASS, SCALE, CLIP, REPLACE = range(4)


class Change(NamedTuple):
    """Change of an arriving cotangent v: none, v * a, clip(v, a, b), or a everywhere, by `mode`."""

    mode: int = PASS
    a: float = 0.0
    b: float = 0.0


class Gates(NamedTuple):
    """Settings of a graph's gates, as two arrays that a compiled program takes.

    Attributes:
      closed: per wire and per input, in the order of `passages`, whether nothing passes.
      changes: per node, in the order of `order`, its `Change` as a row of three numbers.
    """

    closed: np.ndarray
    changes: np.ndarray


def passages(graph: Graph) -> list[Wire]:
    """Return the places that have an open or closed gate.

    Wires as (node, slot) and inputs as (node, ARRIVING). Graphs of the same structure have the same order.
    """
    return [
        (node.name, slot)
        for node in order(graph)
        for slot in ([ARRIVING] if node.op == INPUT else [slot for slot, _ in node.wires])
    ]


@jax.custom_jvp
def close(x: jax.Array, closed: jax.Array) -> jax.Array:
    """Return x; if `closed`, no cotangent passes.

    Uses `where`, not a product, so that NaN becomes 0 as well.
    """
    return x


@close.defjvp
def _close_jvp(primals: tuple, tangents: tuple) -> tuple:
    x, closed = primals
    return x, jnp.where(closed, jnp.zeros_like(x), tangents[0])


@jax.custom_vjp
def change(x: jax.Array, mode: jax.Array, a: jax.Array, b: jax.Array) -> jax.Array:
    """Return x; the arriving cotangent is changed as `Change` says.

    Reverse mode only: clipping is not linear.
    """
    return x


def _change_backward(kept: tuple, v: jax.Array) -> tuple:
    # `where`, not `lax.switch`: the mode is data, so that a rule that is toggled compiles nothing.
    mode, a, b = kept
    changed = jnp.where(mode == SCALE, v * a, v)
    changed = jnp.where(mode == CLIP, jnp.clip(v, a, b), changed)
    return jnp.where(mode == REPLACE, a, changed), None, None, None


change.defvjp(lambda x, mode, a, b: (x, (mode, a, b)), _change_backward)


def change_of(rule: Rule) -> Change | None:
    """Return the rule as a change of the arriving cotangent; None if a gate cannot express it."""
    return GATE_RULES[rule.kind](rule) if rule.kind in GATE_RULES else None


def _plain(function: Lambda) -> Change | None:
    """Recognise `v`, `-v`, `v * c`, `c * v`, `v / c`, `clip(v, a, b)` or `c`, with numbers for c, a and b."""
    (v,), (term,) = function.args, function.body
    if term == v:
        return Change()
    if _is_number(term):
        return Change(REPLACE, float(term))
    if not isinstance(term, Call) or term.params:
        return None
    op, args = term.op, term.args
    if op == "neg" and args == (v,):
        return Change(SCALE, -1.0)
    if op == "mul" and v in args and (numbers := [arg for arg in args if _is_number(arg)]):
        return Change(SCALE, float(numbers[0]))
    if op == "div" and args[0] == v and _is_number(args[1]) and args[1] != 0:
        return Change(SCALE, 1.0 / float(args[1]))
    if op == "clip" and args[0] == v and all(map(_is_number, args[1:])):
        return Change(CLIP, float(args[1]), float(args[2]))
    return None


def _is_number(term: object) -> bool:
    return isinstance(term, int | float)


GATE_RULES: dict[str, Callable[[Rule], Change | None]] = {
    FOLLOW: lambda rule: Change(),
    STOP: lambda rule: Change(),  # its wires' gates are closed too
    REWRITE: lambda rule: _plain(rule.function) if rule.function else None,
    SCALE_RULE: lambda rule: Change(SCALE, rule.number),
}
"""By kind of rule, the change that a gate has to make; rules of other kinds are compiled in."""


def without_gated(graph: Graph) -> Graph:
    """Return the graph without the rules that gates express, and without regions, which change no number."""
    nodes = tuple(replace(n, rule=Rule()) if change_of(n.rule) is not None else n for n in graph.nodes)
    return replace(graph, nodes=nodes, regions=())


def gates(trace: Trace) -> Gates:
    """Return the settings of the gates for the rules of the traced graph.

    A gate is closed where the contribution is a symbolic zero (behind a stop, or behind the step of a
    `sign`). A symbolic zero differs from a computed one: zero times an infinite slope is NaN, and a rule that
    rewrites to 0.5 does so where a zero arrives.
    """
    closed, changes = [], []
    for name, slot in passages(trace.graph):
        zero = trace.gradient if slot == ARRIVING else trace.passed
        closed.append(zero.is_symbolic_zero(name if slot == ARRIVING else (name, slot)))
    for node in order(trace.graph):
        no_gradient = node.op == INPUT and trace.gradient.is_symbolic_zero(node.name)
        changes.append(Change(REPLACE, 0.0) if no_gradient else change_of(node.rule) or Change())
    return Gates(np.asarray(closed, bool), np.asarray(changes, trace.dtype))


def gated(graph: Graph, gates: Gates) -> Mapping[str, JaxRule]:
    """Return the rules of the whole program of a graph with these gates, by kind of rule.

    The graph keeps the rules that are compiled in; `gates` may be traced arrays.
    """
    closed = dict(zip(passages(graph), gates.closed, strict=True))
    changes = dict(zip((node.name for node in order(graph)), gates.changes, strict=True))

    def with_gates(rule: JaxRule) -> JaxRule:
        def value(node: Node, run: Run, mark: Mark, wired: Sequence[jax.Array]) -> jax.Array:
            def run_input() -> jax.Array:
                return close(run(), closed[node.name, ARRIVING])

            # A rule that is compiled in may turn a zero into something else: an input has a gate before it.
            run_node = run_input if node.op == INPUT and node.rule.kind != FOLLOW else run
            open_or_closed = [
                close(x, closed[node.name, slot]) for x, (slot, _) in zip(wired, node.wires, strict=True)
            ]
            return change(rule(node, run_node, mark, open_or_closed), *changes[node.name])

        return value

    return {kind: with_gates(rule) for kind, rule in JAX_RULES.items()}
