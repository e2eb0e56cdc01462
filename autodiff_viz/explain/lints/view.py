"""Describe what the lints found, with the cures that the page offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from autodiff_viz.engine.finite_differences import Difference
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.cure import Cure
from autodiff_viz.explain.explanation import Explanation, ExplanationKind
from autodiff_viz.explain.lints.compute import KINDS, lint_cure, lints


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


def _cure_of(code: str) -> Callable[[Trace, str | None, bool], Cure | None]:
    return lambda found, where, trained: lint_cure(found, code, where or "")


LINTS = ExplanationKind(
    key="lints",
    what_it_says="What is legal and rarely meant, with a mend.",
    public=("lints",),
    compute=lambda trace, _: lints(trace),
    cures={code: _cure_of(code) for code in KINDS},
    row="lints",
)
