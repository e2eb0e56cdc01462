"""Encode a tensor as a heat-map: at most 12 x 12 cells of 61 shades, one character per cell.

The shades run from -top over 0 to top, where top is the largest absolute value of a cell;
web/canvas/draw/heat_card.js paints them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from autodiff_viz.display.colours import light
from autodiff_viz.display.numbers import MOST
from autodiff_viz.graph.model import Graph
from autodiff_viz.ops.misfits import Shape

SHADES = 30  # on each side of 0
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
NAN, INFINITE, MINUS_INFINITE = 61, 62, 63  # indices in the alphabet, after the shades
_LETTERS = np.frombuffer(ALPHABET.encode(), np.uint8)


@dataclass(frozen=True, slots=True)
class Heat:
    """Heat-map of a tensor.

    Attributes:
      cells: one character per cell, row by row.
      columns: number of cells in a row.
      top: the number of the strongest shade.
    """

    cells: str
    columns: int
    top: float


def heat(array: np.ndarray, kernels: bool = False) -> Heat:
    """Return the heat-map of a tensor with at least one axis.

    Args:
      kernels: the tensor is the kernels of a convolution, [height, width, in, out].
    """
    grid = blocks(plane(array, kernels))
    finite = np.abs(grid[np.isfinite(grid)])
    top = float(finite.max()) if finite.size else 0.0
    flat = grid.ravel()
    with np.errstate(all="ignore"):  # NaN and infinities get places of their own below
        shades = np.rint(flat / top * SHADES) if top else np.zeros(flat.shape)
    places = np.where(np.isfinite(shades), shades, 0).astype(np.int64) + SHADES
    if not np.isfinite(flat).all():
        places[np.isnan(flat)] = NAN
        places[flat == np.inf], places[flat == -np.inf] = INFINITE, MINUS_INFINITE
    return Heat(_LETTERS[places].tobytes().decode(), grid.shape[1], top)


def plane(array: np.ndarray, kernels: bool = False) -> np.ndarray:
    """Return the matrix of a tensor that is drawn; `plane_says` describes it."""
    array = np.asarray(array, np.float64)
    if array.ndim < 2:
        return np.atleast_2d(array)
    if kernels and array.ndim == 4:
        return array[..., 0].mean(axis=2)
    while array.ndim > 4 or array.ndim == 3:
        array = array[0]
    return array[0].mean(axis=-1) if array.ndim == 4 else array


def plane_says(shape: Shape, kernels: bool = False) -> str:
    """Return in words which part of a tensor of this shape is drawn; "" for the whole tensor."""
    if len(shape) < 3:
        return ""
    if kernels and len(shape) == 4:
        return _joined(_of(shape[3], "kernel", "first"), _of(shape[2], "input channel", "mean"))
    if len(shape) == 4:
        return _joined(_of(shape[0], "image", "first"), _of(shape[3], "channel", "mean"))
    leading = shape[:1] if len(shape) == 3 else shape[:-4]
    rest = "" if len(shape) == 3 else plane_says(shape[-4:])
    return _joined(_of(prod(leading), "slice", "first"), rest)


def _of(count: int, thing: str, which: str) -> str:
    return f"{which} of {count} {thing}s" if count > 1 else ""


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def blocks(matrix: np.ndarray, most: int = MOST) -> np.ndarray:
    """Downsample a matrix to at most `most` x `most` cells, each the mean of its block.

    The sizes of blocks differ by one row or column at most.
    """
    rows, columns = matrix.shape
    if rows <= most and columns <= most:
        return matrix
    down, across = _edges(rows, most), _edges(columns, most)
    with np.errstate(all="ignore"):  # inf - inf is NaN
        sums = np.add.reduceat(np.add.reduceat(matrix, down[:-1], axis=0), across[:-1], axis=1)
    return sums / np.outer(np.diff(down), np.diff(across))


def blocks_say(shape: Shape, kernels: bool = False, most: int = MOST) -> str:
    """Return in words how many elements a cell is the mean of; "" if it is one."""
    rows, columns = (shape[:2] if kernels else shape[-3:-1]) if len(shape) >= 4 else (1, *shape)[-2:]
    block = [-(-length // min(length, most)) for length in (rows, columns)]
    return "" if block == [1, 1] else f"a cell is the mean of up to {block[0]}\u00d7{block[1]}"


def _edges(length: int, most: int) -> np.ndarray:
    """Return the first index of each block and the end."""
    count = min(length, most)
    return np.arange(count + 1) * length // count


INKS = {
    "value": (light("heat-value"), light("heat-value-negative")),
    "cotangent": (light("heat-cotangent"), light("heat-negative")),
    "tangent": (light("heat-tangent"), light("heat-tangent-negative")),
}
"""Of each kind of number the strongest shades above zero and below."""
KERNELS = ("conv2d", 1)  # the op and its slot that reads kernels, [height, width, in, out]


def kernels_of(graph: Graph) -> frozenset[str]:
    """Return the names of the nodes whose value is the kernels of a convolution."""
    op, slot = KERNELS
    held = (node.slots[slot] for node in graph.nodes if node.op == op and len(node.slots) > slot)
    return frozenset(name for name in held if isinstance(name, str))
