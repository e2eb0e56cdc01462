"""Draw the residuals, grouped by the node that computes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.whole_program.remat_counts import Residual
from autodiff_viz.figures.style.plotly_text import coloured, counted, plain, short
from autodiff_viz.figures.style.scale import Scale, scale_for
from autodiff_viz.figures.style.table import PART, ROW, Row, Rows, ends, table
from autodiff_viz.figures.style.theme import COTANGENT, NEUTRAL, VALUE, axis, note
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.structure.order import order
from autodiff_viz.graph.text.text_format import listed

CONSTANT = "a constant"
MARKS = {True: coloured("■ value", VALUE), False: coloured("▨ factor", COTANGENT)}


@dataclass(frozen=True, slots=True)
class Kept:
    """All residuals of one producer and one kind. `producer` is "" for a constant of the program."""

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
        title=_title(residuals),
        under=_explanation(left_out, bool(scale.unit)),
        xaxis=axis(range=scale.range, **_ticks(scale)),
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
        f"{kept.producer or CONSTANT} {kept.elements:,} ({'factor' if _is_factor(kept) else 'value'})"
        for kept in kept_by_producer(trace)
    ]
    return f"A bar chart of residuals: {_title(residuals)}; {listed(items, 6)}."


def kept_by_producer(trace: Trace) -> tuple[Kept, ...]:
    """Sum the residuals of each producer by kind, in graph order; constants first."""
    groups: dict[tuple[str, bool], list[Residual]] = {}
    for residual in trace.residuals:
        groups.setdefault((residual.producer, residual.is_value), []).append(residual)
    place = {node.name: i for i, node in enumerate(order(trace.graph))}
    ordered = sorted(groups, key=lambda key: (place.get(key[0], -1), not key[1]))
    return tuple(_kept(*key, groups[key]) for key in ordered)


def _kept(producer: str, is_value: bool, residuals: Iterable[Residual]) -> Kept:
    residuals = tuple(residuals)
    return Kept(
        producer=producer,
        is_value=is_value,
        elements=sum(residual.elements for residual in residuals),
        shapes=tuple(residual.shape for residual in residuals),
        consumers=tuple(dict.fromkeys(name for residual in residuals for name in residual.consumers)),
    )


def _rows(shown: Sequence[Kept]) -> Iterable[Row]:
    group, before = -1, None
    for kept in shown:
        second = kept.producer == before
        group, before = group + (not second), kept.producer
        label = "" if second else f"<b>{short(kept.producer) if kept.producer else CONSTANT}</b>"
        readers = f" → {listed([short(name, 12) for name in kept.consumers], 1)}" if kept.consumers else ""
        words = f"<b>{kept.elements:,}</b>{coloured(readers, NEUTRAL)}"
        yield Row(label, words, _hover(kept), PART if second else ROW, group)


def _hover(kept: Kept) -> str:
    what = "a factor of its derivative" if _is_factor(kept) else "value"
    shapes = ", ".join(str(list(shape)) if shape else "a number" for shape in kept.shapes)
    readers = ", ".join(plain(name) for name in kept.consumers) or "the backward pass"
    name = plain(kept.producer) if kept.producer else CONSTANT
    size = counted(kept.elements, "element")
    return f"<b>{name}</b>: {what}<br>{size} ({shapes})<br>read by the pullback of {readers}"


def _is_factor(kept: Kept) -> bool:
    return bool(kept.producer) and not kept.is_value


def _colour(kept: Kept) -> str:
    return COTANGENT if _is_factor(kept) else VALUE if kept.producer else NEUTRAL


def _drawn(shown: Sequence[Kept], rows: Rows, scale: Scale) -> dict[str, Any]:
    colours = [_colour(kept) for kept in shown]
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


def _ticks(scale: Scale) -> dict[str, Any]:
    return {"dtick": 1} if not scale.unit and scale.high < 5 else scale.ticks()


def _title(residuals: Sequence[Residual]) -> str:
    elements, size = sum(r.elements for r in residuals), sum(r.bytes for r in residuals)
    return f"{counted(elements, 'number')} kept, {counted(size, 'byte')}"


def _explanation(left_out: int, logarithmic: bool) -> list[str]:
    lines = [
        "from forward to backward pass, by producer → reader",
        f"{MARKS[True]}  {MARKS[False]} of a derivative, worked out early",
    ]
    if logarithmic:
        lines.append("logarithmic axis")
    if left_out:
        lines.append(f"{counted(left_out, 'row')} in the middle left out")
    return lines
