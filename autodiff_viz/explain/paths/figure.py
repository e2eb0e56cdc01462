"""Draw the paths whose products add up to a node's cotangent: a Sankey from the node to the output."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from autodiff_viz.display.colours import faded
from autodiff_viz.display.heatmap import INKS
from autodiff_viz.display.theme import (
    COTANGENT,
    EDGE,
    NEGATIVE,
    NEUTRAL,
    SMALL,
    coloured,
    draw,
    heading,
    ink,
    note,
    of_sign,
    plain,
    short,
    top,
)
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.paths.compute import NONE, Paths, amount, paths_of, subject
from autodiff_viz.graph.text import counted, listed, scalar

COLUMNS, FEW = 6, 3  # nodes of a path whose names fit beside each other, and in a place that is low
HEIGHT, LOW = 300, 178  # pixels of the drawing
INK = {
    is_positive: faded(colour, 0.5)
    for is_positive, colour in zip((True, False), INKS["cotangent"], strict=True)
}
REST = faded(NEUTRAL, 0.35)

Link = tuple[str, str, bool]
"""A band: from the node that is read to the node that reads, and whether what it brings is positive."""


def paths_figure(trace: Trace, name: str | None, height: int = HEIGHT, columns: int = COLUMNS) -> go.Figure:
    """Draw the paths from the node `name` to the output as bands, each as wide as what it brings.

    Orange bands bring something positive, teal ones something negative; a tensor's are as wide as the norm.
    All paths that are not among the largest are one grey band. A single path is a sentence.

    Args:
      columns: nodes of a path, at most, that all have their names beside them.
    """
    name = subject(trace, name)
    if name is None:
        return note(NONE, "paths")
    paths = paths_of(trace, name)
    bands = _bands(trace, paths)
    under = _under(paths)
    if not bands:
        return note(f"{_title(trace, paths)}{'' if paths.count else '.'}", "paths")
    if paths.count == 1:  # a single band as high as the drawing would say nothing
        return note(f"One path: its product<br>is all that arrives at {short(name)}.", "paths")
    names = list(dict.fromkeys(end for source, target, *_ in bands for end in (source, target)))
    # Names beside the bands; of long paths those of both ends alone, since others would overlap.
    longest = max(len(path.nodes) for path in paths.paths)
    ends = {paths.name, *(path.nodes[-1] for path in paths.paths)}
    labels = [ink(short(each)) if longest <= columns or each in ends else "" for each in names]
    sankey = {
        "type": "sankey",
        "arrangement": "snap",
        "textfont": {"size": SMALL},
        "node": {
            "label": labels,
            "color": [_of_node(trace.cotangent[each]) for each in names],
            "pad": 14,
            "thickness": 10 if longest <= COLUMNS else 5,
            "line": {"width": 0},
            "customdata": [plain(each) for each in names],
            "hovertemplate": "%{customdata}<extra></extra>",
        },
        "link": {
            "source": [names.index(source) for source, *_ in bands],
            "target": [names.index(target) for _, target, *_ in bands],
            "value": [size for *_, size, _, _ in bands],
            "color": [colour for *_, colour, _ in bands],
            "customdata": [words for *_, words in bands],
            "hovertemplate": "%{customdata}<extra></extra>",
        },
    }
    full = height + top(under)
    margin = {"l": EDGE, "r": EDGE, "t": top(under), "b": 2 * EDGE}
    layout = {"height": full, "margin": margin, "title": heading(_title(trace, paths), under, full)}
    return draw([sankey], layout, f"paths {name}")


def _of_node(cotangent: np.ndarray) -> str:
    """Return the colour of the bar at which bands meet: by its sign, if what arrives there has one."""
    return of_sign(cotangent.item()) if cotangent.size == 1 else COTANGENT


low_paths = partial(paths_figure, height=LOW, columns=FEW)


def paths_text(trace: Trace, name: str | None) -> str:
    """Describe the figure in one sentence, for screen readers."""
    name = subject(trace, name)
    if name is None:
        return f"No chart of paths: {NONE[0].lower()}{NONE[1:]}"
    paths = paths_of(trace, name)
    if not paths.count:
        return f"No chart of paths: no path from {name} to {trace.output} passes anything."
    ways = [f"{listed(path.nodes, 6, 'then')}, {amount(path.product, path.size)}" for path in paths.paths[:5]]
    if paths.count == 1:
        return f"One path from {name} to {trace.output}: {ways[0]}."
    return f"A chart of the {counted(paths.count, 'path')} from {name} to {trace.output}: {'; '.join(ways)}."


def _title(trace: Trace, paths: Paths) -> str:
    if not paths.count:
        return f"No path from {short(paths.name)} to {short(trace.output)} passes anything"
    cotangent = trace.cotangent[paths.name]
    total = f"{scalar(cotangent.item())} at" if cotangent.size == 1 else "What arrives at"
    return f"{total} {short(paths.name)}: {counted(paths.count, 'path')}"


def _under(paths: Paths) -> list[str]:
    marks = [coloured("■ adds", COTANGENT), coloured("■ takes away", NEGATIVE)]
    if paths.rest.size != 1:
        marks = [coloured("■ as wide as the norm", COTANGENT)]
    rest = paths.count - len(paths.paths)
    if rest > 0:
        marks.append(coloured(f"■ {counted(rest, 'other')}", NEUTRAL))
    return ["  ".join(marks)]


def _bands(trace: Trace, paths: Paths) -> list[tuple[str, str, float, str, str]]:
    """Return (source, target, size, colour, words) of each band that brings anything finite."""
    sizes: dict[Link, float] = {}
    for path in paths.paths:
        positive = path.product.size != 1 or path.product.item() >= 0  # of a tensor only the norm is shown
        for source, target in pairwise(path.nodes):
            link = (source, target, positive)
            sizes[link] = sizes.get(link, 0.0) + path.size
    largest = max(sizes.values(), default=0.0)
    bands = []
    for (source, target, positive), size in sizes.items():
        if not (0 < size < float("inf") and size > 1e-9 * largest):
            continue
        tensor = paths.rest.size != 1
        brings = f"norms {scalar(size)} together" if tensor else scalar(size if positive else -size)
        words = f"{plain(source)} → {plain(target)}: {brings}"
        bands.append((source, target, size, INK[positive], words))
    rest = float((paths.rest**2).sum() ** 0.5)
    if paths.count > len(paths.paths) and 0 < rest < float("inf"):
        others = counted(paths.count - len(paths.paths), "other path")
        bands.append((paths.name, trace.output, rest, REST, f"{others}: {amount(paths.rest, rest)}"))
    return bands
