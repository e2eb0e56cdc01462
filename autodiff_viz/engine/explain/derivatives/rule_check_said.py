"""Write the result of a rule check in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_viz.graph.model import FOLLOW
from autodiff_viz.graph.registries.dtypes import FLOAT64
from autodiff_viz.graph.registries.rule_kinds import PULLBACK
from autodiff_viz.graph.text.text_format import scalar

if TYPE_CHECKING:
    from autodiff_viz.engine.explain.derivatives.rule_check import Along, RuleCheck

BLOCKED = "Forward mode is blocked here: jax.jvp raises a TypeError at a custom_vjp."
DIGITS = 5
WRITTEN = 4  # elements of a cotangent that is written out


def place(found: Along) -> str:
    """Return what is moved: the node, with the index of an element."""
    return f"{found.by}{list(found.index)}" if found.index else found.by


def said(found: RuleCheck) -> str:
    """Return the finding in a few sentences."""
    along = found.worst
    at, name = along.at_here, place(along)
    true, here = scalar(along.true[at], DIGITS), f"at {name} = {scalar(along.here, DIGITS)}"
    what = f"{_pulled(found)}{_format(found)}"
    if found.kind == FOLLOW:
        return f"No rule: JAX's derivative is {true} {here}{_difference(along)}.{what}"
    numbers = f"Declared {scalar(along.declared[at], DIGITS)}, true {true} {here}"
    return f"{numbers}; {_gap(found, along, name)}.{what}"


def function_of(found: RuleCheck, name: str) -> str:
    """Return, in terms of the node's name, the number whose derivatives are compared.

    It is the sum of the node's elements, each times that of the cotangent that is pulled back.
    """
    if np.all(found.v == 1):
        return name if found.v.size == 1 else f"sum({name})"
    return f"v {name}" if found.v.size == 1 else f"⟨v, {name}⟩"


def _pulled(found: RuleCheck) -> str:
    """Return which number the derivatives are of, if it is not the node itself; "" if it is."""
    if np.all(found.v == 1):
        return ""
    small = found.v.size <= WRITTEN and found.v.ndim == 1
    numbers = f"[{', '.join(scalar(each, DIGITS) for each in found.v.tolist())}]" if small else ""
    told = scalar(found.v.item(), DIGITS) if found.v.size == 1 else numbers
    what = function_of(found, found.node)
    return f" All of this is of {what}, where v{f' = {told}' if told else ''} is what arrives."


def _format(found: RuleCheck) -> str:
    """Return in which format the numbers are, if the graph's own is another one: they may differ there."""
    return "" if found.dtype == FLOAT64 else f" All in {FLOAT64}; the graph is in {found.dtype}."


def adjoint_said(along: Along) -> str:
    """Return the two sides of the adjoint test in a sentence."""
    left, right = (scalar(side, DIGITS) for side in (along.adjoint.left, along.adjoint.right))
    pair = "a random u and the v that arrives" if along.adjoint.arriving else "a random pair"
    if along.adjoint.holds:
        return f"⟨v, Ju⟩ = {left} = ⟨J'v, u⟩ for {pair}: here it is the transpose of the derivative."
    if not np.isfinite([along.adjoint.left, along.adjoint.right]).all():
        return f"⟨v, Ju⟩ = {left} and ⟨J'v, u⟩ = {right}: there is no finite derivative here."
    return f"⟨v, Ju⟩ = {left}, ⟨J'v, u⟩ = {right} for {pair}: not the transpose of the derivative."


def _gap(found: RuleCheck, along: Along, name: str) -> str:
    low, high = (scalar(along.positions[i], DIGITS) for i in (0, -1))
    over = f"over {name} from {low} to {high}"
    if not along.differs:
        return f"the two are equal {over}"
    purpose = "" if found.kind == PULLBACK else " on purpose"
    largest = f"by up to {scalar(along.gap, DIGITS)}, at {scalar(along.where, DIGITS)}"
    return f"{over} declared differs from true{purpose} {largest}"


def _difference(along: Along) -> str:
    """Return how the true derivative compares with central differences."""
    at = along.at_here
    if not np.isfinite(along.true[at]):
        known = np.isfinite(along.difference[at])
        said = f"where central differences say {scalar(along.difference[at], DIGITS)}"
        return f", {said if known else 'so there is no slope to compare'}"
    if along.corner[at]:
        return ", one of the slopes that meet at this corner or step"
    gap = along.true_gap
    if gap <= 1e-6 * max(1.0, float(np.abs(along.true[np.isfinite(along.true)]).max(initial=0.0))):
        return f", and central differences agree everywhere{' but at corners' if along.corner.any() else ''}"
    return f", and central differences are another number, by up to {scalar(gap, 2)}"
