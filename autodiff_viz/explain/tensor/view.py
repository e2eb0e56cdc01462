"""Show the selected tensor: the arrays to draw, their statistics, and their numbers as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import ceil, prod

import numpy as np

from autodiff_viz.display.heatmap import kernels_of
from autodiff_viz.display.numbers import has_picture
from autodiff_viz.engine.tolerance import norm
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.explanation import OF_NODE, ExplanationKind
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.text import scalar
from autodiff_viz.ops.catalog import slot_label

MOST = 4096  # limit of numbers in a text
DIGITS = 5  # of each


def is_tensor(trace: Trace | None, name: str | None) -> bool:
    """Return whether the node has a tensor that is drawn."""
    return trace is not None and name in trace.value and has_picture(trace.value[name].shape)


def parts(graph: Graph, trace: Trace, name: str) -> tuple[Part, ...]:
    """Return a node's value, its arriving cotangent and its contribution down each wire, if not empty."""
    node, kernels = played(graph)[name], kernels_of(graph)
    drawn = [Part("Value", "value", trace.value[name], name in kernels)]
    if name in trace.cotangent:
        drawn.append(Part("Arriving cotangent", "cotangent", trace.cotangent[name], name in kernels))
    for slot, producer in node.wires:
        if (name, slot) in trace.passed:
            label = f"Passed to {producer} ({slot_label(node, slot)})"
            drawn.append(Part(label, "cotangent", trace.passed[name, slot], producer in kernels))
    return tuple(part for part in drawn if part.array.size)


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics of a tensor as text; those from `mean` to `most` are over its finite elements.

    Attributes:
      shape, norm: of the whole tensor; the norm is Euclidean.
      mean, least, most: mean, minimum and maximum.
      zeros: share of zeros in percent.
      nan, infinite: number of elements.
    """

    shape: str
    norm: str
    mean: str
    least: str
    most: str
    zeros: str
    nan: str
    infinite: str


def summary(array: np.ndarray) -> Summary:
    """Return the statistics of a tensor."""
    finite = np.asarray(array, np.float64)[np.isfinite(array)]
    known = finite if finite.size else np.array([np.nan])
    return Summary(
        shape=str(list(array.shape)),
        norm=scalar(norm(array), DIGITS),
        mean=scalar(float(known.mean()), DIGITS),
        least=scalar(float(known.min()), DIGITS),
        most=scalar(float(known.max()), DIGITS),
        zeros=f"{100 * np.count_nonzero(array == 0) / array.size:.0f} %",
        nan=str(int(np.isnan(array).sum())),
        infinite=str(int(np.isinf(array).sum())),
    )


def written(array: np.ndarray, most: int = MOST) -> str:
    """Return the numbers as text in rows and columns with their indices, ready to be copied.

    Of more than `most` numbers it is a regular sample, and the first line says so.
    """
    if not array.ndim:
        return scalar(float(array), DIGITS)
    return "\n".join(_lines(array, _steps(array.shape, most)))


def _steps(shape: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Return the stride of each axis; the longest axis is thinned first."""
    steps = [1] * len(shape)
    while prod(ceil(length / step) for length, step in zip(shape, steps, strict=True)) > most:
        left = [ceil(length / step) for length, step in zip(shape, steps, strict=True)]
        steps[left.index(max(left))] += 1
    return tuple(steps)


def _lines(array: np.ndarray, steps: tuple[int, ...]) -> Iterator[str]:
    """Yield the lines of the text."""
    chosen = [range(0, length, step) for length, step in zip(array.shape, steps, strict=True)]
    if max(steps, default=1) > 1:
        every = ", ".join(f"1 in {step} along axis {i}" for i, step in enumerate(steps) if step > 1)
        yield f"A sample: {every}."
    if array.ndim < 2:
        rows = [[scalar(float(array[i]), DIGITS)] for i in chosen[0]]
        yield from _grid(rows, [f"[{i}]" for i in chosen[0]], [""])
        return
    for leading in product(*chosen[:-2]):
        if leading:
            yield f"[{', '.join(map(str, leading))}, :, :]"
        rows = [[scalar(float(array[(*leading, i, j)]), DIGITS) for j in chosen[-1]] for i in chosen[-2]]
        yield from _grid(rows, [f"[{i}]" for i in chosen[-2]], [f"[{j}]" for j in chosen[-1]])


def _grid(rows: list[list[str]], labels: list[str], heads: list[str]) -> Iterator[str]:
    """Yield rows as lines, with right-aligned columns as wide as their longest number."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    side = max(map(len, labels))
    if any(heads):
        yield " " * side + _flush(heads, widths)
    for label, row in zip(labels, rows, strict=True):
        yield f"{label:>{side}}" + _flush(row, widths)


def _flush(texts: list[str], widths: list[int]) -> str:
    """Return right-aligned texts of the given widths as one line."""
    return "".join(f"  {text:>{width}}" for text, width in zip(texts, widths, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One tensor to draw: its label, its kind ("value" or "cotangent") and its numbers."""

    label: str
    kind: str
    array: np.ndarray
    kernels: bool = False


TENSOR = ExplanationKind(
    key="tensor",
    what_it_says="The numbers of the selected tensor, of its cotangent and of what it passes back.",
    of=OF_NODE,
)
