"""Find corners whose chosen slopes add up to a wrong slope of a function that has no corner there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from autodiff_viz.engine.diagnostics.differences import Difference, check_input, same_beside
from autodiff_viz.engine.diagnostics.op_derivative import at_corner
from autodiff_viz.engine.explain.cure import Cure, rewritten
from autodiff_viz.engine.explain.nonfinite.stable_forms import form_at
from autodiff_viz.engine.lints.lint import Finding, LintKind
from autodiff_viz.engine.sentence import Claim
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import FOLLOW, INPUT, Node
from autodiff_viz.graph.structure.order import ancestors, descendants, order
from autodiff_viz.graph.text.names import listed_names
from autodiff_viz.graph.text.text_format import scalar

LEAST = 0.01  # relative difference of slopes; less may be rounding

SLOPES, MET = "slopes", "met"
"""Kinds of claims: of the output by an input, the slope on both sides and JAX's; the nodes at corners."""

FORMS = {
    "maximum(u, 0.0) + log1p(exp(-abs(u)))": "softplus({})",
    "relu(u) + log1p(exp(-abs(u)))": "softplus({})",
    "maximum(u, 0.0) + log(1.0 + exp(-abs(u)))": "softplus({})",
    "relu(u) + log(1.0 + exp(-abs(u)))": "softplus({})",
    "relu(u) - relu(-u)": "identity({})",
}
"""By expression with corners of `u`, an op that is the same function and has none."""


def wrong_corners(found: Trace, differences: Mapping[str, Difference] | None = None) -> Iterator[Finding]:
    """Yield inputs by which the slope is the same on both sides, and JAX has another one.

    Args:
      differences: what `check_inputs` returns for the trace, if it is known.
    """
    graph, way = found.graph, ancestors(found.graph, [found.output])
    corners = [n for n in order(graph) if n.name in way and n.op != INPUT and _is_at_corner(found, n)]
    told = set()
    for name in found.inputs if corners else ():
        between = descendants(graph, [name]) & way
        met = tuple(node.name for node in corners if node.name in between)
        if not met or met in told or any(graph[n].rule.kind != FOLLOW for n in between):
            continue
        slopes = _slopes(found, name, (differences or {}).get(name))
        if slopes is not None:
            told.add(met)
            yield _finding(found, name, met, *slopes)


CORNERS = LintKind("corners", wrong_corners)


def _is_at_corner(found: Trace, node: Node) -> bool:
    return any(at_corner(found, node.name, slot).any() for slot, _ in node.wires if slot < len(node.op_slots))


def _slopes(found: Trace, name: str, known: Difference | None) -> tuple[float, float] | None:
    """Return JAX's slope and the one on both sides, at the element where they are furthest apart."""
    difference = known or check_input(found, name)
    declared, true = difference.declared, difference.true
    with np.errstate(invalid="ignore"):
        apart = np.abs(declared - true)
        wrong = np.isfinite(apart) & (apart > LEAST * np.maximum(np.abs(true), np.abs(declared)))
    wrong &= apart > LEAST * np.max(np.abs(true), initial=1e-3, where=np.isfinite(true))
    if not wrong.any():
        return None
    wrong &= same_beside(found, name)
    if not wrong.any():
        return None
    at = int(np.argmax(np.where(wrong, apart, 0.0)))
    return float(declared[at]), float(true[at])


def _finding(found: Trace, name: str, met: tuple[str, ...], declared: float, true: float) -> Finding:
    form = next(_forms(found, met), None)
    where = form[0] if form else met[-1]
    at = "a corner" if len(met) == 1 else "corners"
    return Finding(
        where,
        f"The slope of {found.output} by {name} is {scalar(true)} on both sides, and JAX has "
        f"{scalar(declared)}: {listed_names(met)} {'is' if len(met) == 1 else 'are'} at {at}, and the slopes "
        "chosen there do not fit together.",
        "Each choice is allowed; write the function without corners.",
        form[1] if form else None,
        tuple(dict.fromkeys((where, *met))),
        (Claim(SLOPES, (found.output, name), (true, declared)), Claim(MET, met)),
    )


def _forms(found: Trace, met: tuple[str, ...]) -> Iterator[tuple[str, Cure]]:
    for node in found.graph.nodes:
        for text, smooth in FORMS.items():
            form = form_at(found.graph, node, text)
            if form is None or not {*met} & {*form.covered}:
                continue
            inner = [name for name in form.covered if name != node.name]
            instead = smooth.format(form.hole)
            shown = instead if smooth != "identity({})" else form.hole
            yield (
                node.name,
                Cure(
                    partial(rewritten, name=node.name, text=instead, unread=inner),
                    f"Write {node.name} as {shown}",
                    "It is the same function, so values change by rounding alone.",
                ),
            )
