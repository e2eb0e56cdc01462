"""Describe what the lints found, with the cures that the page offers."""

from __future__ import annotations

from collections.abc import Mapping

from autodiff_viz.engine.finite_differences import Difference
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.explanation import Explanation
from autodiff_viz.explain.lints.compute import lints


def explained_lints(
    found: Trace, differences: Mapping[str, Difference] | None = None
) -> tuple[Explanation, ...]:
    """Return the lints of a trace; `of` is the code, `node` the node or the checkpoint region."""
    return tuple(
        Explanation(
            of=lint.code,
            node=lint.where,
            says=f"{lint.message} {lint.hint}",
            mend=lint.button,
            changes=lint.changes,
            at=lint.nodes,
            later=lint.later,
        )
        for lint in lints(found, differences)
    )
