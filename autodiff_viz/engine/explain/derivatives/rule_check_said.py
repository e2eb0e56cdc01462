"""Write the result of a rule check in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_viz.engine.sentence import VALUE, Claim, Statement, joined
from autodiff_viz.graph.model import FOLLOW
from autodiff_viz.graph.registries.dtypes import FLOAT64
from autodiff_viz.graph.registries.rule_kinds import PULLBACK
from autodiff_viz.graph.text.text_format import listed, scalar

if TYPE_CHECKING:
    from autodiff_viz.engine.explain.derivatives.rule_check import Along, RuleCheck

BLOCKED = "Forward mode is blocked here: jax.jvp raises a TypeError at a custom_vjp."
DIGITS = 5
WRITTEN = 4  # elements of a cotangent that is written out
CLOSE = 1e-3  # share of the larger slope at a corner within which JAX's slope is one of them

ELEMENT, DECLARED, TRUE, DIFFERENCE, SIDES, ONE_SIDE = (
    "element", "declared", "true", "difference", "sides", "one side"
)  # fmt: skip
AGREE, ANOTHER, OVER, EQUAL, DIFFER, CORNERS, UNDEFINED, PULLED, ADJOINT = (
    "agree", "another", "over", "equal", "differ", "corners", "undefined", "pulled", "adjoint"
)  # fmt: skip
"""Kinds of claims.

At the present value of the node that is moved, which is a claim of VALUE: the index of its ELEMENT; the
DECLARED and the TRUE derivative and the central DIFFERENCE; at a corner the slopes on both SIDES, or that
the true one is ONE_SIDE.

Over the sweep, from and to the numbers of OVER: that true and central differences AGREE, or are ANOTHER, by
how much at most; that declared and true are EQUAL, or DIFFER, by how much at most and where; but at CORNERS,
and where a slope is UNDEFINED, with their positions.

PULLED: the cotangent. ADJOINT: the sides of the adjoint test.
"""


def place(found: Along) -> str:
    """Return what is moved: the node, with the index of an element."""
    return f"{found.by}{list(found.index)}" if found.index else found.by


def statement(found: RuleCheck) -> Statement:
    """Return the finding in a few sentences."""
    along = found.worst
    at, name, wire = along.at_here, place(along), (found.node, along.by)
    true, here = scalar(along.true[at], DIGITS), f"at {name} = {scalar(along.here, DIGITS)}"
    present = Claim(VALUE, (along.by,), (along.here,)), Claim(ELEMENT, (along.by,), along.index)
    claims = (*present, Claim(TRUE, wire, (along.true[at],)))
    if found.kind == FOLLOW:
        first = Statement(f"No rule: JAX's derivative is {true} {here}", claims)
        return joined("", [first, _difference(wire, along), Statement("."), _pulled(found), _format(found)])
    numbers = f"Declared {scalar(along.declared[at], DIGITS)}, true {true} {here}; "
    first = Statement(numbers, (*claims, Claim(DECLARED, wire, (along.declared[at],))))
    return joined("", [first, _gap(found, along, name), Statement("."), _pulled(found), _format(found)])


def function_of(found: RuleCheck, name: str) -> str:
    """Return, in terms of the node's name, the number whose derivatives are compared.

    It is the sum of the node's elements, each times that of the cotangent that is pulled back.
    """
    if np.all(found.v == 1):
        return name if found.v.size == 1 else f"sum({name})"
    return f"v {name}" if found.v.size == 1 else f"⟨v, {name}⟩"


def _pulled(found: RuleCheck) -> Statement:
    """Return which number the derivatives are of, if it is not the node itself."""
    what, claims = function_of(found, found.node), (Claim(PULLED, (found.node,), (found.v,)),)
    if what == found.node:
        return Statement()
    if np.all(found.v == 1):
        return Statement(f" All of this is of {what}.", claims)
    small = found.v.size <= WRITTEN and found.v.ndim == 1
    numbers = f"[{', '.join(scalar(each, DIGITS) for each in found.v.tolist())}]" if small else ""
    told = scalar(found.v.item(), DIGITS) if found.v.size == 1 else numbers
    return Statement(
        f" All of this is of {what}, where v{f' = {told}' if told else ''} is what arrives.", claims
    )


def _format(found: RuleCheck) -> Statement:
    """Return in which format the numbers are, if the graph's own is another one: they may differ there."""
    return Statement("" if found.dtype == FLOAT64 else f" All in {FLOAT64}; the graph is in {found.dtype}.")


def adjoint_said(along: Along) -> Statement:
    """Return the two sides of the adjoint test in a sentence."""
    sides = along.adjoint.left, along.adjoint.right
    left, right = (scalar(side, DIGITS) for side in sides)
    pair = "a random u and the v that arrives" if along.adjoint.arriving else "a random pair"
    claims = (Claim(ADJOINT, (), sides),)
    if along.adjoint.holds:
        text = f"⟨v, Ju⟩ = {left} = ⟨J'v, u⟩ for {pair}: here it is the transpose of the derivative."
    elif not np.isfinite(sides).all():
        text = f"⟨v, Ju⟩ = {left} and ⟨J'v, u⟩ = {right}: there is no finite derivative here."
    else:
        text = f"⟨v, Ju⟩ = {left}, ⟨J'v, u⟩ = {right} for {pair}: not the transpose of the derivative."
    return Statement(text, claims)


def _gap(found: RuleCheck, along: Along, name: str) -> Statement:
    """Return how the declared derivative compares with the true one."""
    ends = along.positions[0], along.positions[-1]
    over = f"over {name} from {scalar(ends[0], DIGITS)} to {scalar(ends[1], DIGITS)}"
    more = along.apart > along.gap
    but = _but(along, more & along.corner, more & np.isnan(along.true), "the true one is")
    claims, wire = (Claim(OVER, (along.by,), ends),), (found.node, along.by)
    if not along.differs:
        return joined(",", [Statement(f"the two are equal {over}", (*claims, Claim(EQUAL, wire))), but])
    purpose = "" if found.kind == PULLBACK else " on purpose"
    largest = f"by up to {scalar(along.gap, DIGITS)}, at {scalar(along.where, DIGITS)}"
    text = f"{over} declared differs from true{purpose} {largest}"
    return joined(",", [Statement(text, (*claims, Claim(DIFFER, wire, (along.gap, along.where)))), but])


def _but(along: Along, corners: np.ndarray, undefined: np.ndarray, what: str) -> Statement:
    """Return which positions are left out: corners, and those at which `what` NaN."""
    parts = [("at corners", CORNERS, corners, ()), (f"where {what} NaN", UNDEFINED, undefined, (np.nan,))]
    parts = [part for part in parts if part[2].any()]
    claims = (Claim(kind, (along.by,), (along.positions[at], *number)) for _, kind, at, number in parts)
    return Statement(f" but {listed([part[0] for part in parts])}", tuple(claims)) if parts else Statement()


def _difference(wire: tuple[str, str], along: Along) -> Statement:
    """Return how the true derivative compares with central differences."""
    at = along.at_here
    true, slope = float(along.true[at]), float(along.difference[at])
    if along.corner[at]:
        return _at_corner(wire, true, along.sides)
    if not np.isfinite(true):
        if not np.isfinite(slope):
            return Statement(", so there is no slope to compare")
        text = f", where central differences say {scalar(slope, DIGITS)}"
        return Statement(text, (Claim(DIFFERENCE, wire, (slope,)),))
    if not np.isfinite(slope):
        return Statement(", where central differences find no slope")
    if gap := along.true_gap:
        text = f", and central differences are another number, by up to {scalar(gap, 2)}"
        return Statement(text, (Claim(ANOTHER, wire, (gap,)),))
    undefined = np.isnan(along.true) & np.isfinite(along.difference) & ~along.corner
    everywhere = Statement(", and central differences agree everywhere", (Claim(AGREE, wire),))
    return joined("", [everywhere, _but(along, along.corner, undefined, "JAX has")])


def _at_corner(wire: tuple[str, str], true: float, sides: tuple[float, float]) -> Statement:
    """Return how JAX's slope compares with those on both sides of a corner or step."""
    if np.isclose(true, sides, rtol=0.0, atol=CLOSE * max(map(abs, sides))).any():
        text = ", one of the slopes that meet at this corner or step"
        return Statement(text, (Claim(ONE_SIDE, wire, (true,)),))
    low, high = (scalar(side, DIGITS) for side in sides)
    text = f", at a corner or step where the slopes {low} and {high} meet"
    return Statement(text, (Claim(SIDES, wire, sides),))
