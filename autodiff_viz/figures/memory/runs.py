"""Draw the runs of each node: forward, again in the backward pass, and how many of these JAX keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.whole_program.remat_counts import Runs
from autodiff_viz.figures.style.plotly_text import INDENT, coloured, counted, plain, short
from autodiff_viz.figures.style.table import ROW, Band, Row, Rows, ends, table
from autodiff_viz.figures.style.theme import CHECKPOINT, CLEAR, NEUTRAL, VALUE, hidden_axis, note
from autodiff_viz.graph.model import INPUT, POLICIES, Node, Region
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.structure.blocks import Block, blocks
from autodiff_viz.graph.text.text_format import listed, scalar

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
    return table(
        rows,
        [_bars(kind, segments, rows) for kind in KINDS],
        title=_title(runs),
        under=_explanation(left_out),
        xaxis=hidden_axis(range=[-0.1, widest + 0.1]),
        key=f"runs {len(rows.rows)}",
        bands=_bands(lines),
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
    said = f"again in the backward pass: {listed(again, 6)}" if again else "none runs again"
    return f"A chart of the runs of {counted(len(runs), 'node')}: {said}."


def _lines(block: Block, depth: int) -> Iterator[Line]:
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
    if line.node is None or line.node.op == INPUT:
        return []
    count = runs[line.node.name]
    amounts = (count.forward, count.kept, max(0, count.backward - count.kept))
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


def _bands(lines: Sequence[Line]) -> list[Band]:
    return [
        Band(i, min(i + line.span, len(lines) - 1), line.depth)
        for i, line in enumerate(lines)
        if line.region is not None
    ]


def _title(runs: Mapping[str, Runs]) -> str:
    again, kept = sum(r.backward for r in runs.values()), sum(r.kept for r in runs.values())
    return f"{TITLE}: {again} again, {kept} of them needed" if again else f"{TITLE}: none runs twice"


def _explanation(left_out: int) -> list[str]:
    lines = [
        f"{coloured('■', VALUE)} runs in the forward pass",
        f"{coloured('■', CHECKPOINT)} its block runs again backward: a derivative needs it",
        f"{coloured('□', CHECKPOINT)} its block runs again backward: none needs it, so JAX drops it",
    ]
    return [*lines, f"{counted(left_out, 'line')} in the middle left out"] if left_out else lines
