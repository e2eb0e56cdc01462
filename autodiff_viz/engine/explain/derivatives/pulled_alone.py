"""Isolate the pullbacks of single nodes as linear maps of the arriving cotangent, one for each wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from autodiff_viz.engine.diagnostics.op_derivative import changed_cotangent, own_contributions
from autodiff_viz.engine.live_path.arrays import on_device
from autodiff_viz.engine.live_path.passes import Step, forward
from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.engine.norm import norm
from autodiff_viz.engine.trace import Trace, precision
from autodiff_viz.graph.model import Call, Node, Rule, Term
from autodiff_viz.graph.registries.rule_kinds import ARRIVING, KINDS

SUMS = frozenset({"add", "sub"})
PRODUCTS = frozenset({"mul", "matmul", "dot", "outer"})
LINEAR = frozenset(
    {"neg", "identity", "sum", "mean", "transpose", "reshape", "cumsum", "broadcast_to", "expand_dims"}
)
"""Ops of rules that are linear in the arriving cotangent if their first argument is."""

Pull = Callable[[np.ndarray], Mapping[int, np.ndarray | None]]
"""Return, by slot, what a node passes back of a part of the cotangent that arrives at it."""


@dataclass(frozen=True, slots=True)
class Alone:
    """The pullback of a node, as it acts on a part of the cotangent that arrives.

    Attributes:
      pull: linear, so what it returns for the parts of a sum adds up to what it returns for the sum.
      open: the slots by which it ever passes something back of what arrives: not those of a stop, nor of an
        op without a derivative.
      added: by slot, what the node's rule passes back beside that, whatever the parts are.
      by_share: whether the rule is not linear, so that `pull` gives each part its share of what is passed.
    """

    pull: Pull
    open: frozenset[int]
    added: Mapping[int, np.ndarray]
    by_share: bool = False


def pulled_alone(found: Trace, names: list[str]) -> dict[str, Alone]:
    """Return the pullbacks of these nodes at the numbers of the trace; none of them is an input.

    Each node passes back `pull` of what arrives, and `added`. A rule that is not linear in the cotangent
    passes, of each element that is not 0, the same multiple of all parts. Where 0 arrives and something is
    passed, and where a declared pullback that is not linear mixes elements, the rule adds it itself.
    """
    with precision(found.dtype):
        inputs = {name: on_device(np.asarray(value)) for name, value in found.inputs.items()}
        prepared = prepare(found.graph, inputs, found.dtype)
        values, called = forward(prepared)
    steps = {step.name: (step, called[i]) for i, step in enumerate(prepared.steps)}
    return {name: _alone(found, found.graph[name], *steps[name], values[name]) for name in names}


def _alone(found: Trace, node: Node, step: Step, arguments: list[Any], value: Any) -> Alone:
    def pull(part: np.ndarray) -> dict[int, np.ndarray | None]:
        with precision(found.dtype):
            _, passed = step.pull_back([on_device(part.astype(found.dtype))], arguments, value)
        return {
            slot: None if each is None else np.asarray(each, np.float64)
            for slot, each in zip(step.wired, passed, strict=False)
        }

    passing = frozenset(s for s, _ in node.wires if not found.passed.is_symbolic_zero((node.name, s)))
    if is_linear(node.rule):
        return Alone(pull, passing, {})
    if KINDS[node.rule.kind].function == ARRIVING:
        return _rewritten(found, node, passing)
    return _declared(found, node)


def _rewritten(found: Trace, node: Node, passing: frozenset[int]) -> Alone:
    """Return the op's own pullback of each part's share of the changed cotangent.

    A rule at which nothing ever arrives does not run, so it adds nothing.
    """
    arriving = found.cotangent[node.name].astype(np.float64)
    share, rest = _shares(changed_cotangent(found, node.name).astype(np.float64), arriving)

    def own(part: np.ndarray) -> dict[int, np.ndarray]:
        pulled = own_contributions(found, node.name, part.astype(found.dtype))
        return {slot: each.astype(np.float64) for slot, each in pulled.items()}

    adds = rest.any() and not found.cotangent.is_symbolic_zero(node.name)
    return Alone(lambda part: own(part * share), passing, own(rest) if adds else {}, by_share=True)


def _declared(found: Trace, node: Node) -> Alone:
    """Return each part's share of what a declared pullback passes, if each element passes to its own."""
    arriving = found.cotangent[node.name].astype(np.float64)
    shares, added = {}, {}
    for slot, _ in node.wires:
        passed = found.passed[node.name, slot].astype(np.float64)
        rest = passed
        if passed.shape == arriving.shape:
            shares[slot], rest = _shares(passed, arriving)
        if rest.any():
            added[slot] = rest
    return Alone(
        lambda part: {slot: part * share for slot, share in shares.items()},
        frozenset(shares),
        added,
        by_share=True,
    )


def _shares(passed: np.ndarray, arriving: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return passed / arriving, element by element, and what is passed where 0 arrives."""
    nothing = arriving == 0
    with np.errstate(invalid="ignore", over="ignore"):
        share = np.where(nothing, 0.0, passed / np.where(nothing, 1.0, arriving))
    return share, np.where(nothing, passed, 0.0)


def is_linear(rule: Rule) -> bool:
    """Return whether what a node passes back is linear in the arriving cotangent, judged by its form."""
    function = rule.function
    return function is None or all(_degree(term, function.args[0]) in (1, None) for term in function.body)


def _degree(term: Term, v: str) -> float | None:
    """Return the degree of a term in v: 0, 1, infinity for what is not linear; None for zero itself."""
    if not isinstance(term, Call):
        is_zero = not isinstance(term, str | tuple) and term == 0
        return 1 if term == v else None if is_zero else 0
    degrees = [_degree(arg, v) for arg in term.args]
    known = [degree for degree in degrees if degree is not None]
    if all(degree == 0 for degree in known) and (known or term.op not in (SUMS | PRODUCTS | LINEAR)):
        return 0
    if term.op in SUMS:
        return known[0] if len({*known}) == 1 else float("inf")
    if term.op in PRODUCTS:
        return None if None in degrees else sum(known) if sum(known) <= 1 else float("inf")
    if term.op in LINEAR:
        return degrees[0]
    if term.op == "div" and degrees[1] == 0:
        return degrees[0]
    if term.op == "where" and degrees[0] == 0:
        return _degree(Call("add", term.args[1:]), v)
    return float("inf")


def size(part: np.ndarray) -> float:
    """Return the Euclidean norm; infinite if a number is not finite."""
    length = norm(part)
    return length if isfinite(length) else float("inf")
