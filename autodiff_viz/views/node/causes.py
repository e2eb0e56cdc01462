"""Explain why a gradient differs from its finite-difference slope, for the table of the checks."""

from __future__ import annotations

from collections.abc import Iterable

from autodiff_viz.engine.diagnostics.causes import CORNER, NOT_FINITE, ROUNDING, RULE, UNKNOWN, Cause

EQUAL = "\u2713"
NAMED = 3  # nodes; of more the text gives the number

WORDS = {
    RULE: "rule of {}",
    CORNER: "corner at {}",
    NOT_FINITE: "not finite at {}",
    ROUNDING: "rounding",
    UNKNOWN: "differs",
}
SENTENCES = {
    RULE: "Rule: it passes back something else than the slope, which is what it is for.",
    CORNER: "Corner: the slope jumps there. JAX takes one number, differences look at both sides.",
    NOT_FINITE: "Not finite: where a number is infinite or NaN there is no slope to compare.",
    ROUNDING: "Rounding: in float64 the two are equal.",
    UNKNOWN: "Differs: no rule, corner or rounding is behind it. The function may turn within one step.",
}


def in_a_word(agrees: bool, causes: Iterable[Cause]) -> str:
    """Return a cause in a word or two, for the column beside the two derivatives."""
    said = [WORDS[cause.kind].format(_names(cause)) for cause in causes]
    if said:
        return "; ".join(said)
    return EQUAL if agrees else WORDS[UNKNOWN]


def _names(cause: Cause) -> str:
    """Return the nodes of a cause as text."""
    if len(cause.nodes) > NAMED:
        return f"{len(cause.nodes)} nodes"
    return ", ".join(cause.nodes) or "a point nearby"


def explained(causes: Iterable[Cause]) -> tuple[str, ...]:
    """Return one sentence for each kind of cause that occurs."""
    kinds = {cause.kind for cause in causes}
    return tuple(sentence for kind, sentence in SENTENCES.items() if kind in kinds)
