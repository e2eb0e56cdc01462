"""Verify the numbers of a trace by independent computations, and describe where they differ, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from autodiff_viz.display.numbers import declared_and_true, short
from autodiff_viz.engine.finite_differences import check_inputs, check_node
from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.verify import Verdict, verify
from autodiff_viz.explain.explanation import Explanation, ExplanationKind
from autodiff_viz.explain.forward.compute import Tangents
from autodiff_viz.explain.forward.view import ForwardCheck, check_tangents
from autodiff_viz.explain.lints.compute import not_looked_at
from autodiff_viz.explain.lints.view import explained_lints
from autodiff_viz.explain.nonfinite.view import explained_non_finite
from autodiff_viz.explain.verification.compute import (
    CORNER,
    NOT_FINITE,
    ROUNDING,
    RULE,
    UNKNOWN,
    Cause,
    input_causes,
    node_cause,
)
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import FOLLOW, STOP
from autodiff_viz.graph.text import counted, listed
from autodiff_viz.ops.catalog import slot_label

# Explain why a gradient differs from its finite-difference slope, for the table of the checks.


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
    CORNER: "Corner: slope or value jump there. JAX takes one number, differences look at both sides.",
    NOT_FINITE: "Not finite: where a number is infinite or NaN there is no slope to compare.",
    ROUNDING: "Rounding: in float64 the two are equal.",
    UNKNOWN: "Differs: no rule, corner or rounding is behind it. The function may turn within one step.",
}


def in_a_word(agrees: bool, causes: Iterable[Cause]) -> str:
    """Return a cause in a word or two, for the column beside the two derivatives."""
    texts = []
    for cause in causes:
        many = len(cause.nodes) > NAMED
        names = f"{len(cause.nodes)} nodes" if many else ", ".join(cause.nodes) or "a point nearby"
        texts.append(WORDS[cause.kind].format(names))
    if texts:
        return "; ".join(texts)
    return EQUAL if agrees else WORDS[UNKNOWN]


def explained(causes: Iterable[Cause]) -> tuple[str, ...]:
    """Return one sentence for each kind of cause that occurs."""
    kinds = {cause.kind for cause in causes}
    return tuple(sentence for kind, sentence in SENTENCES.items() if kind in kinds)


def differs_say(trace: Trace, name: str) -> tuple[str, ...]:
    """Return a sentence for each slot whose contribution is not the true derivative, with both numbers."""
    node = trace.graph[name]
    return tuple(
        f"Down its {slot_label(node, slot)} it passes {_flat(difference.declared)}; central differences say "
        f"{_flat(difference.true)}.{DIFFERS_SINCE.get(node_cause(trace, name, slot), '')}"
        for slot, difference in check_node(trace, name).items()
        if not difference.agrees
    )


DIFFERS_SINCE = {
    CORNER: " Slope or value jump there: JAX takes one slope, differences look at both sides.",
    NOT_FINITE: " There is no finite slope there.",
    ROUNDING: " That is rounding: in float64 both are equal.",
}
"""Explanation by cause. A rule has none: it is meant to change the number."""


def _flat(numbers: np.ndarray) -> str:
    """Return numbers as text; a single element as a scalar."""
    return short(numbers.reshape(()) if numbers.size == 1 else numbers, 6)


OTHERWISE = "a callback in each node, while the whole program runs, counts otherwise"
NO_HINTS = f"There are hints for graphs of up to {VERIFIED_AT_ONCE} nodes, and none for this one."


@dataclass(frozen=True, slots=True)
class Check:
    """Comparison of an input's declared gradient with the true slope of the output, as text.

    Attributes:
      name: the input.
      declared: the gradient of the trace.
      true: the central difference.
      agrees: whether both agree.
      causes: why they differ or are not finite.
    """

    name: str
    declared: str
    true: str
    agrees: bool
    causes: tuple[Cause, ...] = ()


def _differ(apart: tuple[Check, ...], stops: frozenset[str]) -> str:
    """Return how many gradients differ from the slopes, and by what, such as "1 differs by your stop"."""
    causes = [cause for check in apart for cause in check.causes]
    verb = "1 differs" if len(apart) == 1 else f"{len(apart)} differ"
    kinds = {cause.kind for cause in causes}
    if len(kinds) > 1:
        return f"{verb}, for several reasons"
    if kinds == {NOT_FINITE}:
        return "1 is not finite" if len(apart) == 1 else f"{len(apart)} are not finite"
    if kinds != {RULE}:
        return f"{verb} {BY[kinds.pop() if kinds else UNKNOWN]}"
    nodes = {name for cause in causes for name in cause.nodes}
    word = "stop" if nodes <= stops else "rule"
    return f"{verb} by your {word if len(nodes) == 1 else f'{word}s'}"


BY = {CORNER: "at a corner", ROUNDING: "by rounding", UNKNOWN: "without a known cause"}
"""By cause other than a rule, how gradients differ from the slopes."""


@dataclass(frozen=True, slots=True)
class Verification:
    """Result of independent computations about a trace.

    Attributes:
      verdict: comparison with the whole program; None if it could not be computed.
      problems: why there is no verdict.
      inputs: comparison of each input's gradient with central differences.
      origin: where numbers stop being finite; None if all are.
      lints: what is legal and rarely meant; none of a large graph.
      unseen: what the lints have not looked at, in sentences.
      forward: comparison of the tangents with the whole program; None while forward mode is off.
      stops: the nodes whose rule is a stop.
    """

    verdict: Verdict | None
    problems: tuple[Problem, ...]
    inputs: tuple[Check, ...]
    origin: Explanation | None = None
    lints: tuple[Explanation, ...] = ()
    unseen: tuple[str, ...] = ()
    forward: ForwardCheck | None = None
    stops: frozenset[str] = frozenset()

    @property
    def short(self) -> str:
        """What was compared with what, in a few words: all numbers with JAX, gradients with the slopes."""
        if self.verdict is None or not self.verdict.agrees:
            return "Not confirmed"
        if not self.inputs:
            return "Values agree; no input to differ"
        apart = self.apart
        return f"Gradients agree; {_differ(apart, self.stops)}" if apart else "Gradients agree"

    @property
    def apart(self) -> tuple[Check, ...]:
        """The inputs whose gradient is not the slope that central differences find."""
        return tuple(check for check in self.inputs if not check.agrees or check.causes)

    @property
    def of_slopes(self) -> str:
        """What central differences say of the gradients, in one sentence; "" without inputs."""
        if not self.inputs:
            return ""
        count, apart = counted(len(self.inputs), "gradient"), self.apart
        if not apart:
            return f"Central differences in float64 say the same of {count}."
        said = _differ(apart, self.stops)
        return f"Of {count}, compared with central differences in float64, {said}."

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        if self.verdict is None:
            return "The whole program cannot run: " + " ".join(p.message for p in self.problems)
        if self.verdict.agrees:
            worst, many = self.verdict.worst, self.verdict.rounded
            close = f": no number is further off than {worst:.1g} of its array's size."
            close = close if worst else ", to the last digit."
            fewer = "rounding leaves fewer digits: large numbers cancel there, or on the way."
            rounded = f" In {many} of them {fewer}" if many else ""
            return f"Whole-program jax.vjp agrees on all {self.verdict.compared} arrays{close}{rounded}"
        if self.verdict.miscounted:
            return f"The runs of {listed(self.verdict.miscounted, 4)} are counted wrongly: {OTHERWISE}."
        share = f"{self.verdict.worst:.2g} of its size"
        return f"Whole-program jax.vjp differs in {self.verdict.where}, by {share}."


def verification(found: Trace, tangents: Tangents | None = None) -> Verification:
    """Verify the trace against the whole program and against central differences.

    Also find where its numbers stop being finite, and what is legal and rarely meant.

    Args:
      tangents: those of forward mode, to be verified too; None while it is off.
    """
    try:
        verdict, problems = verify(found), ()
    except GraphError as error:
        verdict, problems = None, error.problems
    differences = check_inputs(found)
    causes = input_causes(found, differences)
    inputs = (
        Check(name, *declared_and_true(d.declared, d.true, found.dtype), d.agrees, causes[name])
        for name, d in differences.items()
    )
    large = len(found.value) > VERIFIED_AT_ONCE
    hints = () if large else explained_lints(found, differences)
    unseen = (NO_HINTS,) if large else not_looked_at(found)
    origin = explained_non_finite(found)
    forward = None if tangents is None else check_tangents(tangents)
    stops = frozenset(node.name for node in found.graph.nodes if node.rule.kind == STOP)
    return Verification(verdict, problems, tuple(inputs), origin, hints, unseen, forward, stops)


def _node_says(trace: Trace, name: str) -> tuple[str, ...]:
    """Return where a node differs from its true derivative; a rule is meant to, and an input has none."""
    node = trace.graph[name]
    return () if node.rule.kind != FOLLOW or node.op == INPUT else differs_say(trace, name)


VERIFICATION = ExplanationKind(
    key="check",
    what_it_says="Whether the whole program and central differences have the same numbers, and why not.",
    public=("verify", "check_inputs", "check_node"),
    compute=lambda trace, _: verification(trace),
    node_says=_node_says,
    row="the check",
    most=15.0,
)
