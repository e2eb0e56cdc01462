"""Explain where the first NaN or infinity comes from, and find an edit that mends it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from autodiff_viz.engine.sentence import Claim
from autodiff_viz.engine.trace import Trace, known_trace
from autodiff_viz.explain.nonfinite.cures import nonfinite_cure
from autodiff_viz.explain.nonfinite.operands import Operand, operands_back, operands_of
from autodiff_viz.explain.nonfinite.words import statement_of
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.shown import Shown

FORWARD, BACKWARD = "forward", "backward"


@dataclass(frozen=True, slots=True)
class NonFinite(Shown):
    """Where the numbers of a trace stop being finite.

    Attributes:
      forward: the first node of the forward sweep whose value is not finite; None if all values are.
      backward: the first wire of the backward sweep whose contribution is not finite, as (node, slot). `slot`
        is ARRIVING where finite contributions add up to a number that is not, None for the gradient of an
        input with a rule. None if all are finite, and where only the seed is not.
      operands: the numbers of the first element that is not finite: what an elementwise op reads, or the
        factors of what it passes back; the backward ones if there is a wire, since these are the gradient's.
      sentence: all of it in words.
      claims: what the sentence claims, so that it can be tested.
      cure: a graph whose output and gradients are finite; None where none is known, and where they are
        finite already.
      mend: what the cure does, as the text of a button.
      changes: what the cure changes, as a sentence.
      dtype: in which all is finite, of a cure that changes the dtype alone; "" of others.
    """

    forward: str | None
    backward: tuple[str, int | None] | None
    operands: tuple[Operand, ...]
    sentence: str
    cure: Graph | None = None
    mend: str = ""
    changes: str = ""
    dtype: str = ""
    claims: tuple[Claim, ...] = field(default=(), compare=False, repr=False)


def nonfinite_origin(found: Trace) -> NonFinite | None:
    """Return where NaN or infinity comes from: the first node, the first wire, their numbers, and a cure.

    Args:
      found: a trace; without an output it is about values alone, and there is no cure.
    Returns:
      None if all its numbers are finite.
    Raises:
      GraphError: no trace is given.
    """
    origins = known_trace(found).nonfinite_origins
    seeded = bool(found.cotangent) and not np.isfinite(found.seed).all()
    if not origins and not seeded:
        return None
    forward = next((origin for origin in origins if origin.direction == FORWARD), None)
    backward = next((origin for origin in origins if origin.direction == BACKWARD), None)
    wire = (backward.node, backward.slot) if backward else None
    # What becomes of a gradient is the question, so the backward factors come first; there are none where a
    # sum, a rule or an op's own pullback made the number.
    operands = operands_back(found, backward) if backward else ()
    operands = operands or (operands_of(found, forward.node) if forward else ())
    cure = nonfinite_cure(found) if found.output in found.cotangent and not seeded else None
    statement = statement_of(found, forward, backward, cure is not None)
    return NonFinite(
        forward and forward.node,
        wire,
        operands,
        statement.text,
        cure and cure.edit(found.graph),
        cure.mend if cure else "",
        cure.changes if cure else "",
        cure.dtype if cure else "",
        statement.claims,
    )
