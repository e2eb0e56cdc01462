"""Find the constructs of a graph that are legal and rarely meant, each with its reason and a mend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from autodiff_viz.engine.finite_differences import Difference
from autodiff_viz.engine.trace import Trace, counts_unknown, known_trace
from autodiff_viz.explain.cure import Cure, retraced
from autodiff_viz.explain.lints.declared import FORWARD_MODE, SHADOWED_ARGUMENT
from autodiff_viz.explain.lints.draws import SHARED_DRAW
from autodiff_viz.explain.lints.idle import IDLE_CHECKPOINT, IDLE_STOP
from autodiff_viz.explain.lints.idle import MOST as MOST_REGIONS
from autodiff_viz.explain.lints.lengths import GRADIENT_LENGTH
from autodiff_viz.explain.lints.lint import Finding, Lint, LintKind
from autodiff_viz.explain.lints.slopes import CORNERS, SECOND_DERIVATIVE, wrong_corners
from autodiff_viz.explain.lints.values import BROADCAST, DEAD_UNIT, WHERE_TRAP
from autodiff_viz.graph.order import descendants
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.shown import Several

SAME = {"rtol": 1e-5, "atol": 1e-6, "equal_nan": True}

IN_ORDER = (
    WHERE_TRAP,
    CORNERS,
    BROADCAST,
    GRADIENT_LENGTH,
    SHARED_DRAW,
    SHADOWED_ARGUMENT,
    IDLE_STOP,
    IDLE_CHECKPOINT,
    DEAD_UNIT,
    FORWARD_MODE,
    SECOND_DERIVATIVE,
)
KINDS: Mapping[str, LintKind] = {kind.code: kind for kind in IN_ORDER}
"""The kinds of lints by code, in the order in which a trace's lints are listed."""


def lints(found: Trace, differences: Mapping[str, Difference] | None = None) -> tuple[Lint, ...]:
    """Return what is legal and rarely meant in a graph, judged by its numbers.

    A mend is offered only if the trace of the mended graph has lost the lint, and no value has changed but
    where the lint is about the value.

    Args:
      found: a trace; without an output nothing is found.
      differences: what `check_inputs` returns for it, if that is known.
    Returns:
      The lints, those that matter now first: of `where` branches that are not taken, corners, broadcasts,
      lengths of gradients, draws with one seed, names of arguments, stops, checkpoints, dead units; then of
      derivatives that the graph does not take.
    Raises:
      GraphError: no trace is given.
    """
    if known_trace(found).output not in found.cotangent:
        return ()
    corners = replace(CORNERS, find=partial(wrong_corners, differences=differences))
    return Several(lint for kind in IN_ORDER for lint in _lints(found, corners if kind is CORNERS else kind))


def not_looked_at(found: Trace) -> tuple[str, ...]:
    """Return in sentences what `lints` leaves out of this trace."""
    regions = len(known_trace(found).graph.regions)
    many = f"Hints look at the first {MOST_REGIONS} of {regions} checkpoints."
    unknown = counts_unknown(found) if regions else ""
    return (*([many] if regions > MOST_REGIONS else ()), *([unknown] if unknown else ()))


def lint_cure(found: Trace, code: str, where: str) -> Cure | None:
    """Return the edit of a lint's mend; None if there is no such lint any more, or it has no mend.

    Raises:
      ValueError: there is no such code.
    """
    if code not in KINDS:
        raise ValueError(code)
    for finding in KINDS[code].find(found) if found.output else ():
        if finding.where == where:
            return _tried_cure(found, KINDS[code], finding)
    return None


def _lints(found: Trace, kind: LintKind) -> Iterator[Lint]:
    try:
        findings = tuple(kind.find(found))
    except GraphError:  # a region that cannot run; the check says so
        return
    for finding in findings:
        cure = _tried_cure(found, kind, finding)
        yield Lint(
            code=kind.code,
            where=finding.where,
            message=finding.message,
            hint=finding.hint,
            mend=cure and cure.edit(found.graph),
            button=cure.mend if cure else "",
            changes=cure.changes if cure else "",
            nodes=finding.nodes,
            later=kind.later,
            claims=finding.claims,
        )


def _tried_cure(found: Trace, kind: LintKind, finding: Finding) -> Cure | None:
    """Return the cure if it takes the lint away and changes no value that it should not."""
    after = retraced(found, finding.cure) if finding.cure else None
    if after is None or finding.where in {left.where for left in KINDS[kind.code].find(after)}:
        return None
    if kind.new_values:
        return finding.cure
    # All values have to stay but those inside the lint and on the ways from there, short of the output.
    inside = {*finding.nodes} - {finding.where} if kind.new_inside else set()
    free = descendants(found.graph, inside) - descendants(found.graph, [found.output])
    same = all(
        value.shape == after.value[name].shape and np.allclose(value, after.value[name], **SAME)
        for name, value in found.value.items()
        if name in after.graph and name not in free
    )
    return finding.cure if same else None
