"""Draw a training over its steps: gradients by node as a heat-map, the loss, and each parameter's updates.

An update's ratio is the size of the update over the size of the parameter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.display.table import CHARACTER
from autodiff_viz.display.theme import (
    CHECKPOINT,
    COTANGENT,
    EDGE,
    LINE,
    NEUTRAL,
    RULE,
    SMALL,
    STOP,
    VALUE,
    axis,
    coloured,
    draw,
    ink,
    note,
    power,
    short,
    width,
)
from autodiff_viz.explain.explanation import Chart
from autodiff_viz.graph.text import counted, listed, scalar
from autodiff_viz.training.course import Progress
from autodiff_viz.training.figure_axes import (
    BOTTOM,
    LEFT,
    RIGHT,
    columns,
    invitation,
    marks,
    own_marks,
    phase_rows,
    step_axis,
)
from autodiff_viz.training.updates import describe_skipped

# The heat-map: the norm of each node's arriving cotangent in each step, by powers of ten.


ROW = 22  # pixels
FLOW_LOW, FLOW_FOOT, FLOW_LEAST = (
    192,
    24,
    12,
)  # pixels of a low figure, of its foot, and of a row of it at least
TINY = 13  # pixels of names in low rows
FLOW_MOST = 60  # nodes
COLUMNS = 120
BAR = 78  # pixels at the right of the colours' key
NOTHING, BAD = "0", "not finite"


@dataclass(frozen=True, eq=False)
class Flow:
    """Cells of the heat-map.

    `sizes` has the largest norm over the steps of each cell, 0 where all are 0, NaN where one is not finite.
    `starts` are the first steps of the columns.
    """

    names: tuple[str, ...]
    starts: np.ndarray
    step: int
    sizes: np.ndarray
    left_out: int


def gradient_flow_figure(progress: Progress, low: bool = False) -> go.Figure:
    """Draw coloured cells on a logarithmic scale.

    A line with 0 on it marks a cotangent of zero; a red line with words marks one that is not finite.

    Args:
      low: of a place that is wide and low: rows are as high as their names, if all then have room.
    """
    flow = flow_of(progress)
    if not flow.names:
        return note("Nothing arrives anywhere: no gradient has been worked out.", "gradient flow")
    shapes, names = marks(progress)
    rows, head = len(flow.names), 12 + LINE * ((1 if low else 2) + phase_rows(progress))
    foot = FLOW_FOOT if low else BOTTOM
    row = max(FLOW_LEAST, min(ROW, (FLOW_LOW - head - foot) / rows)) if low else ROW
    labels = [short(name) for name in flow.names]
    left = int(EDGE + CHARACTER * max(4, *(width(label) for label in labels)) + 8)
    layout = {
        "height": int(head + row * rows + foot),
        "margin": {"l": left, "r": RIGHT + BAR, "t": head, "b": foot, "pad": 0},
        "hovermode": "closest",
        "meta": own_marks(progress),
        "xaxis": step_axis(progress, showgrid=False) | ({"title": None} if low else {}),
        "yaxis": axis(
            range=[rows - 0.5, -0.5],
            tickvals=list(range(rows)),
            ticktext=[ink(label) for label in labels],
            tickfont={"size": TINY if row < SMALL + 2 else SMALL},
            showgrid=False,
            zeroline=False,
        ),
        "shapes": shapes,
        "annotations": [
            *names,
            *_words(flow),
            _explanation(flow, left, head, low),
            *invitation(progress),
        ],
    }
    return draw([_cells(flow), *_lines(flow)], layout, f"gradient flow {rows}")


def gradient_flow_text(progress: Progress) -> str:
    """Describe the figure in one sentence, for screen readers."""
    flow = flow_of(progress)
    if not flow.names:
        return "A heat-map of gradients, without nodes."
    last = [f"{name} {scalar(size)}" for name, size in zip(flow.names, flow.sizes[:, -1], strict=True)]
    return (
        f"A heat-map of the norm of what arrives at {counted(len(flow.names), 'node')} over "
        f"{counted(progress.steps, 'step')}; in the last one {listed(last, 6)}."
    )


def flow_of(progress: Progress) -> Flow:
    """Return the cells of `progress.nodes`, in at most `COLUMNS` columns."""
    records = progress.records
    place = {name: i for i, name in enumerate(records.nodes)}
    names = tuple(name for name in progress.nodes if name in place)
    shown = names if len(names) <= FLOW_MOST else (*names[: FLOW_MOST // 2], *names[-FLOW_MOST // 2 :])
    starts = columns(len(records), COLUMNS)
    step = int(starts[1] - starts[0]) if len(starts) > 1 else 1
    norms = records.cotangent[:, [place[name] for name in shown]]
    norms = norms.astype(np.float64 if norms.dtype == np.float64 else np.float32)  # half as much in the page
    cells = [norms[start : start + step] for start in starts]
    # The largest of the steps that a cell stands for, so that a spike shows; NaN if one is not finite.
    cells = [np.where(np.isfinite(cell).all(axis=0), np.max(cell, axis=0), np.nan) for cell in cells]
    sizes = np.stack(cells, axis=1) if cells else np.zeros((len(shown), 0))
    return Flow(shown, starts, step, sizes, len(names) - len(shown))


def _cells(flow: Flow) -> dict[str, Any]:
    with np.errstate(divide="ignore"):
        powers = np.where(flow.sizes > 0, np.log10(flow.sizes), np.nan)
    known = powers[np.isfinite(powers)]
    low, high = (np.floor(known.min()), np.ceil(known.max())) if known.size else (-1.0, 0.0)
    low, high = float(low), float(max(high, low + 1))  # at least one power of ten, so that there is a scale
    ticks = np.arange(high, low - 1, -max(1, round((high - low) / 4))).tolist()
    return {
        "type": "heatmap",
        "x": flow.starts + flow.step / 2 - 0.5,
        "y": list(range(len(flow.names))),
        "z": powers,
        "customdata": flow.sizes,
        "zmin": low,
        "zmax": high,
        "colorscale": "Cividis",
        "ygap": 2,
        "hoverongaps": False,
        "hovertemplate": "step %{x:.0f}<br>%{customdata:.3g} arrives<extra></extra>",
        "colorbar": {
            "thickness": 12,
            "outlinewidth": 0,
            "x": 1,
            "xpad": 8,
            "tickvals": ticks,
            "ticktext": [ink(power(10, int(tick))) for tick in ticks],
            "tickfont": {"size": SMALL},
        },
    }


def _stretches(flow: Flow) -> Iterator[tuple[int, str, float, float]]:
    """Yield (row, kind, first step, last step) for neighbouring cells without a colour."""
    for row, sizes in enumerate(flow.sizes):
        kinds = [BAD if np.isnan(size) else NOTHING if size == 0 else "" for size in sizes]
        for kind, group in groupby(range(len(kinds)), key=kinds.__getitem__):
            at = list(group)
            if kind:
                yield row, kind, float(flow.starts[at[0]]) - 0.5, float(flow.starts[at[-1]]) + flow.step - 0.5


def _lines(flow: Flow) -> list[dict[str, Any]]:
    """Return a line along each stretch without a colour, one trace for each kind."""
    lines = []
    for kind, colour, dash in ((NOTHING, NEUTRAL, "dot"), (BAD, STOP, "solid")):
        x: list[float | None] = []
        y: list[float | None] = []
        for row, what, first, last in _stretches(flow):
            if what == kind:
                x, y = [*x, first, last, None], [*y, row, row, None]  # None ends one line
        line = {"color": colour, "width": 2, "dash": dash}
        look = {"type": "scatter", "mode": "lines", "name": kind, "line": line, "hoverinfo": "skip"}
        lines += [{**look, "x": x, "y": y}] if x else []
    return lines


def _words(flow: Flow) -> list[dict[str, Any]]:
    """Return the annotation "0" or "not finite" for each line."""
    return [
        {
            "text": coloured(f"<b>{kind}</b>", NEUTRAL if kind == NOTHING else STOP),
            "font": {"size": SMALL},
            "showarrow": False,
            "x": (first + last) / 2,
            "y": row,
            "yshift": 1,
        }
        for row, kind, first, last in list(_stretches(flow))[: 2 * FLOW_MOST]
    ]


def _explanation(flow: Flow, left: int, head: int, low: bool) -> dict[str, Any]:
    kinds = {kind for _, kind, _, _ in _stretches(flow)} if low else {NOTHING, BAD}
    text = "<b>Norm of what arrives</b>" + (", by step   " if low else "<br>")
    text += f"{coloured('┄ 0', NEUTRAL)} nothing   " if NOTHING in kinds else ""
    text += coloured("━ " + BAD, STOP) if BAD in kinds else ""
    if flow.left_out:
        text += f"   {counted(flow.left_out, 'node')} in the middle left out"
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xshift": EDGE - left, "yshift": head - 6}
    anchors = {"xanchor": "left", "yanchor": "top", "align": "left", "showarrow": False}
    return {"text": ink(text), "font": {"size": SMALL}, **place, **anchors}


# The loss in every step.


LOSS_HEIGHT = 104  # pixels of the panel: with what is above it, no more than a low dock has
LOSS_POINTS = 600  # of the line
SKIPPED = 200  # marks of steps that were skipped
HEADLINE = "headline"  # name of the text over the panel, for web/training/steps.js
WIDE = 300.0  # largest over smallest loss from which the axis is logarithmic


def loss_figure(progress: Progress) -> go.Figure:
    """Draw the loss as a line, with a dot at the step on view.

    A cross at the height of the largest finite loss marks a loss that is not finite, an open diamond a step
    that was skipped.
    """
    loss = progress.records.loss.astype(float)
    finite = loss[np.isfinite(loss)]
    log = bool(finite.size) and finite.min() > 0 and finite.max() > WIDE * finite.min()
    shapes, names = marks(progress)
    head = 12 + LINE * (1 + phase_rows(progress))
    shown = []  # the loss of the step on view, as an annotation at the right
    if progress.shown is not None and progress.shown < len(loss):
        number = f"step {progress.shown}: <b>{scalar(loss[progress.shown])}</b>"
        text = ink(f"{coloured('●', COTANGENT)} {number}")
        shown = [{**_over(head), "text": text, "x": 1, "xanchor": "right"}]
    over = _loss_headline(progress, loss, head, bool(shown))
    layout = {
        "height": head + LOSS_HEIGHT + BOTTOM,
        "margin": {"l": LEFT, "r": RIGHT, "t": head, "b": BOTTOM, "pad": 0},
        "hovermode": "closest",
        "meta": own_marks(progress, len(names) + len(over) if shown else None),
        "xaxis": step_axis(progress),
        "yaxis": axis(
            type="log" if log else "linear",
            rangemode="tozero" if progress.planned else "normal",
            nticks=5,
            tickangle=0,
            zeroline=False,
            exponentformat="power",
        ),
        "shapes": shapes,
        "annotations": [*names, *over, *shown, *invitation(progress)],
    }
    return draw(
        [_loss_line(loss), *_skipped(progress, loss), *_dot(progress, loss), *_crosses(loss)], layout, "loss"
    )


def loss_text(progress: Progress) -> str:
    """Describe the figure in one sentence, for screen readers."""
    loss = progress.records.loss
    if progress.planned:
        return (
            f"The loss before the first step, {scalar(loss[0])}; each step of the training is drawn after it."
        )
    phases = ", ".join(f"{name} from step {first}" for first, name in progress.phases)
    changes = f"; {phases}" if phases else ""
    skipped = describe_skipped(progress.records)  # a sentence, which goes on after a semicolon
    skips = f"; {skipped[0].lower()}{skipped[1:-1]}" if skipped else ""
    first, last, least = (scalar(x) for x in (loss[0], loss[-1], np.nanmin(np.append(loss, np.inf))))
    return (
        f"A line chart of the loss over {progress.steps} steps: from {first} to {last} at step "
        f"{len(loss) - 1}, before its update, at least {least}"
        f"{changes}{skips}."
    )


def _loss_headline(progress: Progress, loss: np.ndarray, head: int, beside: bool) -> list[dict[str, Any]]:
    """Return first and last loss as an annotation, unless the loss of a step stands `beside` it."""
    last = f"{scalar(loss[-1])}</b> at step {len(loss) - 1:,}"  # the newest: before the last step's update
    parts = [] if beside else [f"{coloured('━', VALUE)} <b>loss {scalar(loss[0])} → {last}"]
    if progress.planned:
        parts = [f"{coloured('●', VALUE)} <b>loss {scalar(loss[0])}</b> before the first step"]
    skipped = np.count_nonzero(progress.records.skipped)
    parts += [f"{coloured('◇', STOP)} {skipped:,} skipped"] if skipped else []
    place = {**_over(head), "x": 0, "xshift": EDGE - LEFT, "xanchor": "left", "name": HEADLINE}
    return [{**place, "text": ink("  ".join(parts))}] if parts else []


def _over(head: int) -> dict[str, Any]:
    """Return the place of a line of text above the panel."""
    place = {"xref": "paper", "yref": "paper", "y": 1, "yshift": head - LINE, "yanchor": "middle"}
    return {**place, "showarrow": False, "font": {"size": SMALL}}


def _loss_line(loss: np.ndarray) -> dict[str, Any]:
    at = np.unique(np.append(columns(len(loss), LOSS_POINTS), len(loss) - 1))  # the last step is always in it
    return {
        "type": "scatter",
        "mode": "lines" if len(loss) > 1 else "markers",
        "marker": {"size": 10, "color": VALUE},
        "name": "loss",
        "x": at,
        "y": np.where(np.isfinite(loss[at]), loss[at], np.nan),
        "line": {"color": VALUE, "width": 3},
        "hovertemplate": "step %{x}<br>loss %{y:.5g}<extra></extra>",
    }


def _dot(progress: Progress, loss: np.ndarray) -> list[dict[str, Any]]:
    step = progress.shown
    if step is None or step >= len(loss) or not np.isfinite(loss[step]):
        return []
    marker = {"symbol": "circle", "size": 12, "color": COTANGENT}
    dot = _marks([step], [float(loss[step])], marker, "step %{x}<br>loss %{y:.5g}<extra></extra>")
    return [{**dot, "name": "shown"}]


def _crosses(loss: np.ndarray) -> list[dict[str, Any]]:
    bad = np.flatnonzero(~np.isfinite(loss))[:50]  # enough to see from where on
    if not bad.size:
        return []
    marker = {"symbol": "x", "size": 11, "color": STOP}
    hover = "step %{x}<br>the loss is not finite<extra></extra>"
    return [_marks(bad.tolist(), _heights(loss, bad), marker, hover)]


def _skipped(progress: Progress, loss: np.ndarray) -> list[dict[str, Any]]:
    """Return a mark at each step that was skipped, or at every second, third, ... of many."""
    steps = np.flatnonzero(progress.records.skipped)
    if not steps.size:
        return []
    steps = steps[columns(steps.size, SKIPPED)]
    marker = {"symbol": "diamond-open", "size": 11, "color": STOP, "line": {"width": 2}}
    hover = "step %{x}<br>gradient not finite, skipped<extra></extra>"
    return [{**_marks(steps.tolist(), _heights(loss, steps), marker, hover), "name": "skipped"}]


def _heights(loss: np.ndarray, steps: np.ndarray) -> list[float]:
    """Return the loss of these steps, and the largest finite one where it is not finite."""
    top = float(np.max(loss, initial=-np.inf, where=np.isfinite(loss)))
    return np.where(np.isfinite(loss[steps]), loss[steps], top if np.isfinite(top) else 1.0).tolist()


def _marks(x: list[int], y: list[float], marker: dict[str, Any], hover: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x,
        "y": y,
        "marker": marker,
        "cliponaxis": False,
        "hovertemplate": hover,
    }


# The update ratio of each parameter.


RATIO_HEIGHT, RATIO_LEAST = 96, 64  # pixels of the panel, and at least
RATIO_LOW = 194  # pixels of the figure that a low dock has room for
RATIO_POINTS = 300  # of a line
RATIO_MOST = 12  # parameters with a line
COLOURS = (VALUE, COTANGENT, CHECKPOINT, RULE)
DASHES = (("solid", "━"), ("dash", "╍"), ("dot", "┅"))
FLOOR = 0.1  # decades of space at the ends of the axis


def update_ratio_figure(progress: Progress) -> go.Figure:
    """Draw a line per parameter, each with its own colour and dash, on a logarithmic axis.

    Below the axis is 0, where a frozen parameter stays.
    """
    names = progress.records.parameters[:RATIO_MOST]
    if not names:
        return note("There is no parameter.", "update ratio")
    ratios = progress.records.ratio[:, : len(names)].astype(float)
    known = ratios[np.isfinite(ratios) & (ratios > 0)]
    low = float(np.floor(np.log10(known.min()))) if known.size else -4.0
    high = float(max(np.ceil(np.log10(known.max())), low + 1)) if known.size else 0.0
    floor = 10.0 ** (low - 0.5)
    still = bool((ratios == 0).any())
    legend = _legend(names, ratios)
    head = 12 + LINE * (len(legend) + phase_rows(progress))
    shapes, marked = marks(progress)
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xshift": EDGE - LEFT, "yshift": head - 6}
    anchors = {"xanchor": "left", "yanchor": "top", "align": "left", "showarrow": False}
    headline = {"text": ink("<br>".join(legend)), "font": {"size": SMALL}, **place, **anchors}
    layout = {
        "height": head + max(RATIO_LEAST, min(RATIO_HEIGHT, RATIO_LOW - head - BOTTOM)) + BOTTOM,
        "margin": {"l": LEFT, "r": RIGHT, "t": head, "b": BOTTOM, "pad": 0},
        "hovermode": "closest",
        "meta": own_marks(progress),
        "xaxis": step_axis(progress),
        "yaxis": _ratio_axis(low, high, floor, still),
        "shapes": shapes,
        "annotations": [*marked, headline],
    }
    lines = [_ratio_line(i, name, ratios[:, i], floor) for i, name in enumerate(names)]
    return draw(lines, layout, f"update ratio {len(names)}")


def update_ratio_text(progress: Progress) -> str:
    """Describe the figure in one sentence, for screen readers."""
    names, last = progress.records.parameters, progress.records.ratio[-1]
    ratios = [f"{name} {scalar(ratio)}" for name, ratio in zip(names, last, strict=True)]
    return (
        f"A line chart of the size of each update over that of the parameter, over "
        f"{counted(progress.steps, 'step')}; in the last one {listed(ratios, 6)}."
    )


def _ratio_axis(low: float, high: float, floor: float, still: bool) -> dict[str, Any]:
    powers = np.arange(high, low - 1, -max(1, round((high - low) / 4)))
    values = [10.0**one for one in powers]
    texts = [power(10, int(one)) for one in powers]
    bottom = low - 0.75 if still else low - FLOOR  # with room for a 0 below the powers
    shown = ([floor, *values], ["<b>0</b>", *texts]) if still else (values, texts)
    return axis(
        type="log", range=[bottom, high + FLOOR], tickvals=shown[0], ticktext=shown[1], zeroline=False
    )


def _look(index: int) -> tuple[str, tuple[str, str]]:
    return COLOURS[index % len(COLOURS)], DASHES[index // len(COLOURS) % len(DASHES)]


def _ratio_line(index: int, name: str, ratio: np.ndarray, floor: float) -> dict[str, Any]:
    at = np.unique(np.append(columns(len(ratio), RATIO_POINTS), len(ratio) - 1))
    colour, (dash, _) = _look(index)
    shown = ratio[at]
    return {
        "type": "scatter",
        "mode": "lines" if len(ratio) > 1 else "markers",
        "name": short(name),
        "x": at,
        "y": np.where(np.isfinite(shown), np.where(shown > 0, shown, floor), np.nan),
        "customdata": np.where(np.isfinite(shown), shown, np.nan),
        "line": {"color": colour, "width": 2.5, "dash": dash},
        "marker": {"color": colour, "size": 9},
        "hovertemplate": f"{short(name)}<br>step %{{x}}<br>update / size %{{customdata:.3g}}<extra></extra>",
    }


def _legend(names: tuple[str, ...], ratios: np.ndarray) -> list[str]:
    """Return the parameters with their last ratio, three to a line."""
    parts = []
    for i, name in enumerate(names):
        colour, (_, sign) = _look(i)
        last = ratios[-1, i]
        word = coloured("still", NEUTRAL) if last == 0 else scalar(last, 3)
        word = word if np.isfinite(last) else coloured(scalar(last), STOP)
        parts.append(f"{coloured(sign, colour)} {short(name, 10)} {word}")
    lines = ["   ".join(parts[i : i + 3]) for i in range(0, len(parts), 3)]
    return ["<b>Size of the update / size of the parameter</b>", *lines]


TRAINING_FIGURES: Mapping[str, Chart] = {
    "loss": Chart("Loss", loss_figure, loss_text),
    "flow": Chart(
        "Gradient flow",
        gradient_flow_figure,
        gradient_flow_text,
        lambda progress: gradient_flow_figure(progress, low=True),
    ),
    "ratio": Chart("Updates", update_ratio_figure, update_ratio_text),
}
