"""Replace expressions that overflow or round to 0 on the way by ops that are the same function and do not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial

from autodiff_viz.engine.explain.cure import Cure, rewritten
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import FOLLOW, INPUT, Graph, Node, Params, Slot
from autodiff_viz.language.parse import parse

COMMUTE = frozenset({"add", "mul", "maximum", "minimum"})
HOLE = "u"
ROOT = "square(sqrt(u))"

FORMS = {
    "log(1.0 + exp(u))": "softplus(u)",
    "log1p(exp(u))": "softplus(u)",
    "log(sigmoid(u))": "-softplus(-u)",
    "log(1.0 - sigmoid(u))": "-softplus(u)",
    "log1p(-sigmoid(u))": "-softplus(u)",
    "log(softmax(u))": "log_softmax(u)",
    "log(sum(exp(u)))": "logsumexp(u)",
    "1.0 / (1.0 + exp(-u))": "sigmoid(u)",
    "exp(u) / (1.0 + exp(u))": "sigmoid(u)",
    "exp(u) / sum(exp(u))": "softmax(u)",
    "(exp(u) - exp(-u)) / (exp(u) + exp(-u))": "tanh(u)",
    "(exp(2.0 * u) - 1.0) / (exp(2.0 * u) + 1.0)": "tanh(u)",
    ROOT: "identity(u)",
    "square(norm(u))": "sum(square(u))",
}
"""By expression of `u`, an op that has the same value and the same derivative wherever both are finite."""


@dataclass
class Match:
    """A form found in a graph: what stands for its `u`, the nodes that it covers, and their axes."""

    hole: str | None = None
    covered: tuple[str, ...] = ()
    axes: Params = ()


def stable_forms(found: Trace, culprit: str) -> Iterator[Cure]:
    """Yield a cure for every form that covers the node `culprit`."""
    for node in found.graph.nodes:
        for unstable, stable in FORMS.items():
            match = form_at(found.graph, node, unstable)
            if match is None or culprit not in match.covered:
                continue
            axes = _axes(found, unstable, match)
            if axes is None or any(found.graph[name].cut for name in match.covered):
                continue
            inner = [name for name in match.covered if name != node.name]
            what, instead = unstable.replace(".0", ""), stable.removeprefix("identity")
            yield Cure(
                partial(rewritten, name=node.name, text=_text(stable, match, axes), unread=inner),
                f"Write {what} as {instead.strip('()') if instead != stable else stable}",
                "It is the same function, so finite numbers change by rounding alone.",
            )


def _text(stable: str, match: Match, axes: Params) -> str:
    """Return the stable expression with what stands for its `u`, along these axes."""
    name, _, rest = stable.partition("(")
    arguments = "".join(f", {key}={value}" for key, value in axes)
    inside = re.sub(rf"\b{HOLE}\b", match.hole or "", rest[:-1])
    return f"{name}({inside}{arguments})"


def _axes(found: Trace, unstable: str, match: Match) -> Params | None:
    """Return the axes of the stable op; None if it has no such axes, or is another function here."""
    if unstable == ROOT and not (found.value[match.hole] >= 0).all():
        return None
    if "/ sum" not in unstable:
        return match.axes
    axes, dims = dict(match.axes), found.value[match.hole].ndim
    if dims == 1:
        return () if axes.get("axis") in (None, 0, -1) else None
    return () if axes.get("keepdims") and axes.get("axis") in (-1, dims - 1) else None


@cache
def _pattern(text: str) -> Graph:
    return parse(f"{HOLE} = 1.0\nz = {text}")


def form_at(graph: Graph, node: Node, text: str) -> Match | None:
    """Return how the expression `text` of `u` stands at a node; None if it does not."""
    pattern, match = _pattern(text), Match()
    return match if _is(graph, node.name, pattern, "z", match) else None


def _is(graph: Graph, held: Slot, pattern: Graph, wanted: Slot, match: Match) -> bool:
    """Return whether what a slot holds has the form of a slot of the pattern; note the match in `match`."""
    if wanted == HOLE:
        if not isinstance(held, str) or match.hole not in (None, held):
            return False
        match.hole = held
        return True
    if not isinstance(wanted, str):
        return isinstance(held, int | float) and not isinstance(wanted, tuple) and held == wanted
    if not isinstance(held, str):
        return False
    node, form = graph[held], pattern[wanted]
    plain = node.op != INPUT and node.rule.kind == FOLLOW and not node.muted
    if node.op != form.op or not plain or len(node.slots) != len(form.slots):
        return False
    orders = [node.slots, node.slots[::-1]] if node.op in COMMUTE else [node.slots]
    for slots in orders:
        tried = Match(match.hole, (*match.covered, node.name), match.axes)
        if node.params:
            tried.axes = tuple(node.params)
        if all(_is(graph, slot, pattern, want, tried) for slot, want in zip(slots, form.slots, strict=True)):
            match.hole, match.covered, match.axes = tried.hole, tried.covered, tried.axes
            return True
    return False
