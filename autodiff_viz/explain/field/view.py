"""Describe a field for the page: the choice of its two numbers, and what it says of a selected one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.explanation import Choice, ExplanationKind
from autodiff_viz.explain.field.compute import candidates, curl_sentence, field, numbers_of
from autodiff_viz.explain.field.figure import field_figure, field_text
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.rule_kinds import FOLLOW

NEXT = "the next one"  # no name of a node has a space
OFFERED = 64  # numbers to choose from
COARSE = 5  # points of each axis, enough to see whether there is a curl


def offered(graph: Graph) -> tuple[str, ...]:
    """Return the names of the numbers that can be chosen, in their order."""
    shapes = {}
    for node in graph.nodes:
        if node.op == INPUT:
            value, shape = node.param("value"), []
            while isinstance(value, tuple):
                shape.append(len(value))
                value = value[0] if value else None
            shapes[node.name] = tuple(shape) if node.param("value") is not None else node.param("shape", ())
    return tuple(one.name for one, _ in zip(numbers_of(graph, shapes), range(OFFERED), strict=False))


ACROSS = Choice("field_x", "Across", offered, follows=True, names=True)
UP = Choice("field_y", "Up", lambda graph: (NEXT, *offered(graph)) if offered(graph) else (), names=True)


def _has_two(trace: Trace) -> bool:
    return len([*zip(candidates(trace), range(2), strict=False)]) == 2


def _says(trace: Trace, name: str) -> Iterator[str]:
    """Yield the curl over the plane of a selected number and the next one, where rules make one."""
    if trace.graph[name].op != INPUT or len(trace.graph.nodes) > VERIFIED_AT_ONCE:
        return
    if all(node.rule.kind == FOLLOW for node in trace.graph.nodes) or not _has_two(trace):
        return
    first = next((one.name for one in candidates(trace) if one.input == name), None)
    if first is not None and (found := field(trace, first, points=COARSE, steps=0)).turns:
        yield f"Over {found.x} and {found.y}: {curl_sentence(found)}"


def _compute(trace: Trace, about: Any) -> Any:
    return field(trace, *(about or ())[:2])


FIELD = ExplanationKind(
    key="field",
    title="Field",
    what_it_says="Where a step of descent goes from each point, with rules and without them.",
    public=("field",),
    compute=_compute,
    choices=(ACROSS, UP),
    build=field_figure,
    text=field_text,
    low=lambda trace, about: field_figure(trace, about, low=True),
    slow_for=_has_two,
    node_says=_says,
    row="a plane of two numbers",
)
