"""Check by its form whether what a rule passes back is linear in what arrives."""

from __future__ import annotations

from autodiff_viz.graph.model import Call, Rule, Term

SUMS = frozenset({"add", "sub"})
PRODUCTS = frozenset({"mul", "matmul", "dot", "outer"})
LINEAR = frozenset(
    {"neg", "identity", "sum", "mean", "transpose", "reshape", "cumsum", "broadcast_to", "expand_dims"}
)
"""Ops of rules that are linear in the arriving cotangent if their first argument is."""


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
        # v + 1 is not linear, and v + 0 is: a term that is zero has no degree.
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
