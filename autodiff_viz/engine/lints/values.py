"""Find broadcasts that combine all pairs, and units of a relu that never fire."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from autodiff_viz.engine.diagnostics.broadcasts import Mix, mixes
from autodiff_viz.engine.explain.cure import Cure, fed
from autodiff_viz.engine.explain.zero.cures import flat_cure, ramp
from autodiff_viz.engine.lints.lint import Finding, LintKind
from autodiff_viz.engine.sentence import Claim
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.structure.order import ancestors
from autodiff_viz.graph.text.names import quoted
from autodiff_viz.graph.text.text_format import listed
from autodiff_viz.ops.misfit import said

UNITS = 6  # that a message names
PAIRS, DEAD = "pairs", "dead"
"""Kinds of claims: the shapes that a node broadcasts, and its own; the units of a node that are 0 in all
rows, how many there are, of how many, in how many rows."""


def mixed_broadcasts(found: Trace) -> Iterator[Finding]:
    """Yield the nodes that combine a column and a row of different ranks to all pairs."""
    for mix in mixes(found):
        shapes = " and ".join(said(shape) for shape in mix.shapes)
        yield Finding(
            mix.node,
            f"{quoted(mix.node)} combines all pairs: {shapes} were broadcast to {list(mix.result)}.",
            "If you meant element by element, give them one shape.",
            _one_shape(found.graph, mix),
            (mix.node,),
            (Claim(PAIRS, (mix.node,), (*mix.shapes, mix.result)),),
        )


BROADCAST = LintKind("broadcast", mixed_broadcasts, new_values=True)


def _one_shape(graph: Graph, mix: Mix) -> Cure | None:
    """Return the reshape of an [n, 1] column beside an [n]; None for other shapes."""
    slots = graph[mix.node].op_slots
    if sorted(map(len, mix.shapes)) != [1, 2]:
        return None
    column = 0 if len(mix.shapes[0]) == 2 else 1
    row = mix.shapes[1 - column]
    if mix.shapes[column] != (*row, 1) or not isinstance(slots[column], str):
        return None
    text = f"reshape({slots[column]}, shape={list(row)})"
    return Cure(
        partial(fed, target=mix.node, slot=column, text=text),
        f"Reshape {slots[column]} to {list(row)} before {mix.node}",
        f"{mix.node} has {row[0]} elements in place of {row[0] ** 2}, so what reads it changes.",
    )


def dead_units(found: Trace) -> Iterator[Finding]:
    """Yield relus of a batch in which a unit is 0 in all rows, so that a parameter before it cannot learn.

    The rows are the first axis of a matrix, with two rows at least.
    """
    graph = found.graph
    way = ancestors(graph, [found.output])
    for node in graph.nodes:
        value = found.value[node.name]
        if ramp(node) is None or node.name not in way or value.ndim != 2 or len(value) < 2:
            continue
        dead = np.flatnonzero((value <= 0).all(axis=0))
        before = ancestors(graph, [node.name])
        if not dead.size or not any(graph[n].is_parameter for n in before):
            continue
        yield Finding(
            node.name,
            f"{_units(dead)} of {value.shape[1]} of {quoted(node.name)} {_are(dead)} 0 in all {len(value)} "
            "rows: nothing passes there, so what is before cannot learn.",
            "Another draw of the weights, a smaller step of training, or a leaky relu.",
            flat_cure(node),
            (node.name,),
            (Claim(DEAD, (node.name,), (dead, dead.size, value.shape[1], len(value))),),
        )


DEAD_UNIT = LintKind("dead-unit", dead_units, new_values=True)


def _units(dead: np.ndarray) -> str:
    named = listed([str(unit) for unit in dead[:UNITS]])
    if dead.size > UNITS:
        return f"{dead.size} units"
    return f"Unit {named}" if dead.size == 1 else f"Units {named}"


def _are(dead: np.ndarray) -> str:
    return "is" if dead.size == 1 else "are"
