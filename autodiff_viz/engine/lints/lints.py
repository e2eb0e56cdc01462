"""`lints`: constructs of a graph that are legal and rarely meant, each with its reason and a mend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set

import numpy as np

from autodiff_viz.engine.diagnostics.differences import Difference
from autodiff_viz.engine.explain.cure import Cure, retraced
from autodiff_viz.engine.lints.checkpoints import MOST as MOST_REGIONS
from autodiff_viz.engine.lints.checkpoints import idle_checkpoints
from autodiff_viz.engine.lints.corners import wrong_corners
from autodiff_viz.engine.lints.lint import (
    BROADCAST,
    CHECKPOINT,
    CORNERS,
    DEAD,
    FORWARD_MODE,
    NEW_VALUES,
    SECOND,
    SHADOW,
    STOP,
    WHERE_TRAP,
    Finding,
    Lint,
)
from autodiff_viz.engine.lints.rules import reverse_only, shadowed_arguments
from autodiff_viz.engine.lints.second import wrong_second
from autodiff_viz.engine.lints.stops import idle_stops
from autodiff_viz.engine.lints.values import dead_units, mixed_broadcasts
from autodiff_viz.engine.lints.wheres import where_traps
from autodiff_viz.engine.trace import Trace, known_trace
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.structure.order import descendants

SAME = {"rtol": 1e-5, "atol": 1e-6, "equal_nan": True}

FINDERS: Mapping[str, Callable[[Trace], Iterable[Finding]]] = {
    WHERE_TRAP: where_traps,
    CORNERS: wrong_corners,
    BROADCAST: mixed_broadcasts,
    SHADOW: shadowed_arguments,
    STOP: idle_stops,
    CHECKPOINT: idle_checkpoints,
    DEAD: dead_units,
    FORWARD_MODE: reverse_only,
    SECOND: wrong_second,
}
"""By code, what finds it; in the order in which they are told."""


def lints(found: Trace, differences: Mapping[str, Difference] | None = None) -> tuple[Lint, ...]:
    """Return what is legal and rarely meant in a graph, judged by its numbers.

    A mend is offered only if the trace of the mended graph has lost the lint, and no value has changed but
    where the lint is about the value.

    Args:
      found: a trace; without an output nothing is found.
      differences: what `check_inputs` returns for it, if that is known.
    Returns:
      The lints, those that matter now first: of `where` branches that are not taken, corners, broadcasts,
      names of arguments, stops, checkpoints, dead units; then of derivatives that the graph does not take.
    Raises:
      GraphError: no trace is given.
    """
    if known_trace(found).output is None:
        return ()
    finders = {**FINDERS, CORNERS: lambda found: wrong_corners(found, differences)}
    return tuple(lint for finder in finders.values() for lint in _lints(found, finder))


def not_looked_at(found: Trace) -> tuple[str, ...]:
    """Return in sentences what `lints` leaves out of this trace."""
    regions = len(known_trace(found).graph.regions)
    if regions <= MOST_REGIONS:
        return ()
    return (f"Hints look at the first {MOST_REGIONS} of {regions} checkpoints.",)


def lint_cure(found: Trace, code: str, where: str) -> Cure | None:
    """Return the edit of a lint's mend; None if there is no such lint any more, or it has no mend.

    Raises:
      ValueError: there is no such code.
    """
    if code not in FINDERS:
        raise ValueError(code)
    for finding in FINDERS[code](found) if found.output else ():
        if finding.key == (code, where):
            return finding.cure if _holds(found, finding) else None
    return None


def _lints(found: Trace, finder: Callable[[Trace], Iterable[Finding]]) -> Iterator[Lint]:
    try:
        findings = tuple(finder(found))
    except GraphError:  # a region that cannot run; the check says so
        return
    for finding in findings:
        cure = finding.cure if _holds(found, finding) else None
        yield Lint(
            code=finding.code,
            where=finding.where,
            message=finding.message,
            hint=finding.hint,
            mend=cure and cure.edit(found.graph),
            button=cure.mend if cure else "",
            changes=cure.changes if cure else "",
            nodes=finding.nodes,
        )


def _holds(found: Trace, finding: Finding) -> bool:
    """Whether the cure takes the lint away and changes no value that it should not."""
    after = retraced(found, finding.cure) if finding.cure else None
    if after is None or finding.key in {left.key for left in FINDERS[finding.code](after)}:
        return False
    inside = finding.nodes if finding.code == WHERE_TRAP else ()  # what is not taken may change
    return finding.code in NEW_VALUES or _same_values(found, after, {*inside} - {finding.where})


def _same_values(found: Trace, after: Trace, inside: Set[str]) -> bool:
    """Whether all values are what they were but those of `inside` and on the ways from there."""
    free = descendants(found.graph, inside) - descendants(found.graph, [found.output])
    return all(
        value.shape == after.value[name].shape and np.allclose(value, after.value[name], **SAME)
        for name, value in found.value.items()
        if name in after.graph and name not in free
    )
