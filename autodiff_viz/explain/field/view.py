"""Describe a field for the page: the choice of its two numbers, and what it says of a selected one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.explanation import About, Choice, ExplanationKind
from autodiff_viz.explain.field.compute import (
    Field,
    Number,
    TrainingPath,
    candidates,
    curl_sentence,
    field,
    numbers_of,
    path_through,
)
from autodiff_viz.explain.field.figure import field_figure, field_text
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.model import INPUT, Graph, Node, Rule, params
from autodiff_viz.graph.rule_kinds import FOLLOW, STOP

NEXT = "(next)"  # a name in a formula has no brackets
OFFERED = 64  # numbers to choose from
COARSE = 5  # points of each axis, enough to see whether there is a curl


def offered(graph: Graph) -> tuple[str, ...]:
    """Return the names of the numbers that can be chosen, in their order; none without a second one."""
    names = tuple(one.name for one in _numbers(graph))
    return names if len(names) > 1 else ()


def _numbers(graph: Graph) -> list[Number]:
    shapes = {}
    for node in graph.nodes:
        if node.op == INPUT:
            value, shape = node.param("value"), []
            while isinstance(value, tuple):
                shape.append(len(value))
                value = value[0] if value else None
            shapes[node.name] = tuple(shape) if node.param("value") is not None else node.param("shape", ())
    return [one for one, _ in zip(numbers_of(graph, shapes), range(OFFERED), strict=False)]


ACROSS = Choice("field_x", "Across", offered, follows=True, names=True)
UP = Choice("field_y", "Up", lambda graph: (NEXT, *offered(graph)) if offered(graph) else (), names=True)


def _has_two(trace: Trace) -> bool:
    return len([*zip(candidates(trace), range(2), strict=False)]) == 2


def _path(
    graph: Graph, chosen: Sequence[str | None], kept: Mapping[int, Mapping[str, Any]]
) -> TrainingPath | None:
    """Return the path of a training over the two numbers; None if it did not move both."""
    numbers = _numbers(graph)
    x = next((one for one in numbers if one.name == chosen[0]), None)
    others = [one for one in numbers if one != x]
    y = (
        next((one for one in others if one.name == chosen[1]), None)
        if chosen[1] != NEXT
        else next(iter(others), None)
    )
    moved = dict.fromkeys(name for row in kept.values() for name in row)
    if x is None or y is None or x.input not in moved or y.input not in moved:
        return None
    return path_through([*kept], [*kept.values()], (x, y), [*moved])


def _says(trace: Trace, name: str) -> Iterator[str]:
    """Yield the curl over the plane of a selected number and the next one, where rules make one."""
    if trace.graph[name].op != INPUT or len(trace.graph.nodes) > VERIFIED_AT_ONCE:
        return
    if all(node.rule.kind == FOLLOW for node in trace.graph.nodes) or not _has_two(trace):
        return
    first = next((one.name for one in candidates(trace) if one.input == name), None)
    if first is not None and (plane := field(trace, first, points=COARSE, steps=0)).turns:
        yield f"Over {plane.x} and {plane.y}: {curl_sentence(plane)}"


def _compute(trace: Trace, about: About) -> Field:
    x, y, path = about or (None, None, None)
    return field(trace, x, None if y == NEXT else y, training=path)


def _stopped(graph: Graph) -> tuple[Trace, None]:
    """Multiply the output by a second number, behind a stop."""
    number = Node("number", INPUT, (), params(value=0.5))
    still = Node("still", "sin", ("number",), rule=Rule(STOP))
    end = Node("end", "mul", (graph.output, "still"))
    return trace(replace(graph, nodes=(*graph.nodes, number, still, end), output="end")), None


FIELD = ExplanationKind(
    key="field",
    title="Field",
    what_it_says="Where gradient descent goes from each point, with your rules and without them.",
    public=("field",),
    compute=_compute,
    choices=(ACROSS, UP),
    build=field_figure,
    text=field_text,
    low=lambda trace, about: field_figure(trace, about, low=True),
    slow_for=_has_two,
    trained=_path,
    node_says=_says,
    example=_stopped,
    row="a plane of two numbers",
    most=50.0,  # four programs are compiled for a structure that nobody has seen
)
