"""Draw what checkpoints change: the residuals that the forward pass keeps, and the runs of each node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from autodiff_viz.display.table import PART, ROW, Band, Row, Rows, ends, table
from autodiff_viz.display.theme import (
    CHECKPOINT,
    CLEAR,
    COTANGENT,
    INDENT,
    NEUTRAL,
    VALUE,
    Scale,
    axis,
    coloured,
    hidden_axis,
    note,
    plain,
    scale_for,
    short,
)
from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.whole_program.remat import Residual, Runs
from autodiff_viz.graph.frames import Block, blocks
from autodiff_viz.graph.model import INPUT, Node, Region
from autodiff_viz.graph.order import order
from autodiff_viz.graph.policies import POLICIES
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text import counted, listed, scalar

# Residuals, grouped by the node that computes them

CONSTANT = "a constant"
EARLY = "what its derivative needs, worked out early"
"""Kept of a node beside its value, in words."""

MARKS = {True: coloured("■ value", VALUE), False: coloured(f"▨ {EARLY}", COTANGENT)}


@dataclass(frozen=True, slots=True)
class Kept:
    """All residuals of one producer and one kind, apart those that nothing reads.

    `producer` is "" for a constant of the program.
    """

    producer: str
    is_value: bool
    elements: int
    shapes: tuple[tuple[int, ...], ...]
    consumers: tuple[str, ...]


def residuals_figure(trace: Trace) -> go.Figure:
    """Draw a bar per producer and kind with the number of kept elements, in graph order.

    Solid blue: the producer's value. Hatched orange: a factor of its derivative, computed early. The words at
    the right name the nodes whose pullback reads them.
    """
    try:
        residuals = trace.residuals if trace.graph.nodes else ()
    except GraphError as error:
        return note(plain(error.problems[0].message), "residuals")
    if not residuals:
        return note("The forward pass keeps nothing for the backward pass.", "residuals")
    shown, left_out = ends(kept_by_producer(trace))
    scale = scale_for(kept.elements for kept in shown)
    rows = Rows.of(list(_rows(shown)))
    return table(
        rows,
        [_drawn(shown, rows, scale)],
        title=_residuals_title(residuals),
        under=_residuals_explanation(residuals, left_out, bool(scale.unit)),
        xaxis=axis(range=scale.range, **scale.ticks(whole=True)),
        key=f"residuals {len(rows.rows)}",
    )


def residuals_text(trace: Trace) -> str:
    """Describe the figure in one sentence, for screen readers."""
    try:
        residuals = trace.residuals if trace.graph.nodes else ()
    except GraphError as error:
        return f"No chart of residuals: {error.problems[0].message}"
    if not residuals:
        return "A chart of residuals: the forward pass keeps nothing for the backward pass."
    items = [
        f"{kept.producer or CONSTANT} {kept.elements:,} ({_what(kept)})" for kept in kept_by_producer(trace)
    ]
    return f"A bar chart of residuals: {_residuals_title(residuals)}; {listed(items, 6)}."


def kept_by_producer(trace: Trace) -> tuple[Kept, ...]:
    """Sum the residuals of each producer by kind, in graph order; constants first.

    JAX keeps also what no pullback reads, such as the zeros that it selects where relu has slope 0.
    """
    groups: dict[tuple[str, bool, bool], list[Residual]] = {}
    for residual in trace.residuals:
        key = residual.producer, residual.is_value, bool(residual.consumers)
        groups.setdefault(key, []).append(residual)
    place = {node.name: i for i, node in enumerate(order(trace.graph))}
    ordered = sorted(groups, key=lambda key: (place.get(key[0], -1), not key[1], not key[2]))
    return tuple(
        Kept(
            producer=producer,
            is_value=is_value,
            elements=sum(residual.elements for residual in group),
            shapes=tuple(residual.shape for residual in group),
            consumers=tuple(dict.fromkeys(name for residual in group for name in residual.consumers)),
        )
        for (producer, is_value, _), group in ((key, groups[key]) for key in ordered)
    )


def _rows(shown: Sequence[Kept]) -> Iterable[Row]:
    # A producer's factor comes right after its value: they share a name and a group.
    group, before = -1, None
    for kept in shown:
        second = kept.producer == before
        group, before = group + (not second), kept.producer
        label = "" if second else f"<b>{short(kept.producer) if kept.producer else CONSTANT}</b>"
        readers = f" → {listed([short(name, 12) for name in kept.consumers], 1) or 'nothing'}"
        words = f"<b>{kept.elements:,}</b>{coloured(readers, NEUTRAL)}"
        yield Row(label, words, _hover(kept), PART if second else ROW, group)


def _hover(kept: Kept) -> str:
    shapes = ", ".join(str(list(shape)) if shape else "a number" for shape in kept.shapes)
    readers = ", ".join(plain(name) for name in kept.consumers)
    reader = f"the pullback of {readers}" if readers else "nothing"
    name = plain(kept.producer) if kept.producer else CONSTANT
    size = counted(kept.elements, "element")
    return f"<b>{name}</b>: {_what(kept)}<br>{size} ({shapes})<br>read by {reader}"


def _what(kept: Kept) -> str:
    return EARLY if _is_factor(kept) else "value"


def _is_factor(kept: Kept) -> bool:
    return bool(kept.producer) and not kept.is_value


def _drawn(shown: Sequence[Kept], rows: Rows, scale: Scale) -> dict[str, Any]:
    # A factor belongs to a derivative, so it has the colour of cotangents; a constant belongs to no node.
    colours = [COTANGENT if _is_factor(kept) else VALUE if kept.producer else NEUTRAL for kept in shown]
    hatch = {"fillmode": "replace", "fgcolor": colours, "size": 6, "solidity": 0.45}
    return {
        "type": "bar",
        "orientation": "h",
        "yaxis": "y2",
        "x": [scale.place(kept.elements) for kept in shown],
        "y": list(rows.centres),
        "width": 18,
        "marker": {
            "color": colours,
            "line": {"width": 1.5, "color": colours},
            "pattern": {"shape": ["/" if _is_factor(kept) else "" for kept in shown], **hatch},
        },
        "hoverinfo": "skip",
    }


def _residuals_title(residuals: Sequence[Residual]) -> str:
    elements, size = sum(r.elements for r in residuals), sum(r.bytes for r in residuals)
    return f"{counted(elements, 'number')} kept, {counted(size, 'byte')}"


def _residuals_explanation(residuals: Sequence[Residual], left_out: int, logarithmic: bool) -> list[str]:
    read, unread = (
        sum(r.elements for r in residuals if bool(r.consumers) is is_read) for is_read in (True, False)
    )
    lines = [
        "from forward to backward pass, by producer → reader",
        f"{MARKS[True]}  {MARKS[False]}",
    ]
    if unread:
        lines.append(f"JAX keeps {unread:,} of them that nothing reads: Memory and Plans count {read:,}")
    if logarithmic:
        lines.append("logarithmic axis")
    if left_out:
        lines.append(f"{counted(left_out, 'row')} in the middle left out")
    return lines


# Runs of each node: forward, again in the backward pass, and how many of these JAX keeps

TITLE = "Runs of each node"
GAP = 0.07  # share of a run left free at both ends
KINDS = ("forward", "kept", "dropped")
LOOKS = {"forward": (VALUE, VALUE), "kept": (CHECKPOINT, CHECKPOINT), "dropped": (CLEAR, CHECKPOINT)}
"""Fill and edge colours of each kind of run."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: a region's heading, which spans the next `span` lines, or a node."""

    depth: int
    region: Region | None = None
    span: int = 0
    node: Node | None = None


def runs_figure(trace: Trace) -> go.Figure:
    """Draw a row per node and a segment per run; nodes of a checkpoint region are grouped under its name.

    Blue: a run of the forward pass. Green: a run in the backward pass, when the block is recomputed; filled
    if JAX keeps that run, hollow if JAX drops it because no derivative needs the result.
    """
    if not trace.graph.nodes:
        return note("There is no node yet.", "runs")
    try:
        runs = trace.runs
    except GraphError as error:
        return note(plain(error.problems[0].message), "runs")
    lines, left_out = ends(tuple(_lines(blocks(trace.graph), 0)))
    rows = Rows.of([_row(line, runs, i) for i, line in enumerate(lines)])
    segments = [_segments(line, runs) for line in lines]
    widest = max(4, *(len(row) for row in segments))
    again, kept = sum(r.backward for r in runs.values()), sum(r.kept for r in runs.values())
    under = [
        f"{coloured('■', VALUE)} runs in the forward pass",
        f"{coloured('■', CHECKPOINT)} its block runs again backward: a derivative needs it",
        f"{coloured('□', CHECKPOINT)} its block runs again backward: none needs it, so JAX drops it",
    ]
    under += [f"{counted(left_out, 'line')} in the middle left out"] if left_out else []
    return table(
        rows,
        [_bars(kind, segments, rows) for kind in KINDS],
        title=f"{TITLE}: {again} again, {kept} of them needed" if again else f"{TITLE}: none runs twice",
        under=under,
        xaxis=hidden_axis(range=[-0.1, widest + 0.1]),
        key=f"runs {len(rows.rows)}",
        bands=[  # behind the lines of each region; one may reach into those left out
            Band(i, min(i + line.span, len(lines) - 1), line.depth)
            for i, line in enumerate(lines)
            if line.region is not None
        ],
    )


def runs_text(trace: Trace) -> str:
    """Describe the figure in one sentence, for screen readers."""
    try:
        runs = trace.runs if trace.graph.nodes else {}
    except GraphError as error:
        return f"No chart of runs: {error.problems[0].message}"
    again = [
        f"{name} {scalar(r.backward)} of which a derivative needs {scalar(r.kept)}"
        for name, r in runs.items()
        if r.backward
    ]
    which = f"again in the backward pass: {listed(again, 6)}" if again else "none runs again"
    return f"A chart of the runs of {counted(len(runs), 'node')}: {which}."


def _lines(block: Block, depth: int) -> Iterator[Line]:
    """Yield the lines of a block: of a region in it the heading, then its lines."""
    for item in block.items:
        if isinstance(item, Block):
            inside = list(_lines(item, depth + 1))
            yield Line(depth, region=item.region, span=len(inside))
            yield from inside
        else:
            yield Line(depth, node=item)


def _row(line: Line, runs: Mapping[str, Runs], index: int) -> Row:
    indent = INDENT * line.depth
    if line.region is not None:
        policy = "" if line.region.policy == POLICIES[0] else line.region.policy.replace("_", " ")
        hover = f"checkpoint region <b>{plain(line.region.name)}</b><br>policy {plain(line.region.policy)}"
        label = f"{indent}{coloured(f'▣ {short(line.region.name)}', CHECKPOINT)}"
        return Row(label, coloured(policy, CHECKPOINT), hover, ROW)
    name, count = line.node.name, runs[line.node.name]
    if line.node.op == INPUT:
        return Row(f"{indent}{short(name)}", coloured("given", NEUTRAL), f"{plain(name)} is an input.")
    words = f"<b>{count.forward}</b>"
    if count.backward or count.kept:
        words += f" + <b>{count.backward}</b> again, <b>{count.kept}</b> needed"
    hover = (
        f"<b>{plain(name)}</b><br>forward pass: {counted(count.forward, 'run')}"
        f"<br>its block runs again: {count.backward}×<br>of these a derivative needs: {count.kept}"
    )
    return Row(f"{indent}<b>{short(name)}</b>", words, hover)


def _segments(line: Line, runs: Mapping[str, Runs]) -> list[tuple[str, int]]:
    """Return (kind, place) of each run of a line's node, from left to right."""
    # A region has its name alone, and an input does not run.
    if line.node is None or line.node.op == INPUT:
        return []
    count = runs[line.node.name]
    amounts = (count.forward, count.kept, count.dropped)
    kinds = [kind for kind, amount in zip(KINDS, amounts, strict=True) for _ in range(amount)]
    return [(kind, place) for place, kind in enumerate(kinds)]


def _bars(kind: str, segments: Sequence[list[tuple[str, int]]], rows: Rows) -> dict[str, Any]:
    """Return the segments of one kind as bars; each is one run long, less a gap."""
    fill, edge = LOOKS[kind]
    placed = [
        (place, y) for row, y in zip(segments, rows.centres, strict=True) for k, place in row if k == kind
    ]
    return {
        "type": "bar",
        "orientation": "h",
        "yaxis": "y2",
        "name": kind,
        "base": [place + GAP for place, _ in placed],
        "x": [1 - 2 * GAP] * len(placed),
        "y": [y for _, y in placed],
        "width": 16,
        "marker": {"color": fill, "line": {"width": 2, "color": edge}},
        "hoverinfo": "skip",
    }
