"""List the explanations. To add one: a room with the record of it at the end of its view, and a line here."""

from __future__ import annotations

from collections.abc import Mapping

from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.compare.view import COMPARE
from autodiff_viz.explain.cotangents.view import COTANGENTS
from autodiff_viz.explain.cure import Cure
from autodiff_viz.explain.explanation import OF_NODE, Choice, ExplanationKind
from autodiff_viz.explain.field.view import FIELD
from autodiff_viz.explain.forward.view import FORWARD
from autodiff_viz.explain.jacobian.view import JACOBIAN
from autodiff_viz.explain.lints.view import LINTS
from autodiff_viz.explain.memory.view import MEMORY
from autodiff_viz.explain.noise.view import NOISE
from autodiff_viz.explain.nonfinite.view import NONFINITE
from autodiff_viz.explain.paths.view import PATHS
from autodiff_viz.explain.plans.view import PLANS
from autodiff_viz.explain.play.view import PLAY
from autodiff_viz.explain.precision.view import PRECISION
from autodiff_viz.explain.remat.view import RESIDUALS, RUNS
from autodiff_viz.explain.rule_check.view import RULE_CHECK
from autodiff_viz.explain.surface.view import SURFACE
from autodiff_viz.explain.sweep.view import SWEEP
from autodiff_viz.explain.tensor.view import TENSOR
from autodiff_viz.explain.verification.view import VERIFICATION
from autodiff_viz.explain.zero.view import WHY_ZERO
from autodiff_viz.graph.model import Graph

EXPLANATIONS: tuple[ExplanationKind, ...] = (
    COTANGENTS,
    SWEEP,
    PATHS,
    RULE_CHECK,
    JACOBIAN,
    FIELD,
    RUNS,
    RESIDUALS,
    MEMORY,
    PLANS,
    PRECISION,
    NOISE,
    COMPARE,
    FORWARD,
    LINTS,
    NONFINITE,
    PLAY,
    SURFACE,
    TENSOR,
    VERIFICATION,
    WHY_ZERO,
)
"""All explanations of a trace; those with a figure in the order of their tabs."""

FIGURES: Mapping[str, ExplanationKind] = {kind.key: kind for kind in EXPLANATIONS if kind.build}
"""By key, the explanations with a figure of a trace. The first is on view until another is chosen."""

CHOICES: tuple[Choice, ...] = tuple(dict.fromkeys(choice for kind in EXPLANATIONS for choice in kind.choices))
"""What can be chosen beside figures."""

_CURED = {of: kind for kind in EXPLANATIONS for of in kind.cures}
"""By what the edit "mend" names, the explanation whose cure it is."""


def lacking(graph: Graph, pinned: Graph | None = None) -> list[str]:
    """Return the figures whose subject neither the graph nor the pinned graph has."""
    return [key for key, kind in FIGURES.items() if not kind.fits(graph, pinned)]


def cure_of(found: Trace, of: str, node: str | None, trained: bool = False) -> Cure | None:
    """Return the cure of an explanation, or of a lint, of the trace; `trained` as of `explained_zero`.

    Raises:
      ValueError: there is no such explanation, or no such node.
    """
    if of not in _CURED or (_CURED[of].of == OF_NODE and node not in found.graph):
        raise ValueError(of)
    return _CURED[of].cures[of](found, node, trained)
