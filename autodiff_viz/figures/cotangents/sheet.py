"""Lay out a tensor of any rank on a two-dimensional sheet: the element of each cell.

A matrix is its own sheet. Images [batch, height, width, channels] form a grid, with a row for each item of
the batch and a column for each channel; convolution kernels have a row per input and a column per output
channel.
"""

from __future__ import annotations

from math import ceil, isqrt, prod
from typing import NamedTuple

import numpy as np

from autodiff_viz.engine.live_path.kernels import Shape
from autodiff_viz.graph.text.text_format import counted, listed

MOST = 9_216  # cells of a sheet
GAP = -1  # index of a cell between tiles


class Sheet(NamedTuple):
    """Layout of a tensor on a sheet.

    `cells` holds the index of each element in the flattened tensor, `GAP` between tiles; `says` describes
    rows, columns and omissions.
    """

    cells: np.ndarray
    says: str


def sheet(shape: Shape, kernels: bool = False, most: int = MOST) -> Sheet:
    """Return the sheet of a tensor of this shape, with at most about `most` cells."""
    places = np.arange(prod(shape)).reshape(shape)
    if len(shape) < 3:
        return _matrix(np.atleast_2d(places), most)
    tiles, says = _tiles(places, kernels)
    rows = tiles.shape[0]
    kept = min(rows, max(1, most // prod(tiles.shape[1:])))
    step = max(1, ceil((prod(tiles.shape[1:]) / most) ** 0.5))
    shown = tiles[_even(rows, kept)][:, :, ::step, ::step]
    left_out = [f"{kept} of {rows} rows of tiles"] if kept < rows else []
    left_out += [f"{_every(step)} row and column of each"] if step > 1 else []
    return Sheet(_joined(shown), "; ".join([says, *left_out]))


def _matrix(places: np.ndarray, most: int) -> Sheet:
    """Return the sheet of a matrix, thinned on the longer side first: a row of a hundred is no sample."""
    rows, columns = places.shape
    down = max(1, ceil(rows / max(1, most // min(columns, isqrt(most)))))
    across = max(1, ceil(columns / max(1, most // min(rows, isqrt(most)))))
    parts = [f"{_every(n)} {what}" for n, what in ((down, "row"), (across, "column")) if n > 1]
    return Sheet(places[::down, ::across], listed(parts))


def _every(step: int) -> str:
    return {1: "every", 2: "every second", 3: "every third"}.get(step, f"every {step}th")


def _even(count: int, kept: int) -> np.ndarray:
    return np.arange(kept) * count // kept


def _tiles(places: np.ndarray, kernels: bool) -> tuple[np.ndarray, str]:
    """Return [rows, columns, height, width] tiles of a tensor with at least three axes, and a description."""
    shape = places.shape
    if len(shape) == 3:
        columns = max(1, min(shape[0], round((shape[0] * shape[1] / shape[2]) ** 0.5)))
        rows = ceil(shape[0] / columns)
        tiles = np.full((rows * columns, *shape[1:]), GAP)
        tiles[: shape[0]] = places
        return tiles.reshape(rows, columns, *shape[1:]), f"{shape[0]} slices, row by row"
    if kernels and len(shape) == 4:
        says = f"rows: {shape[2]} channels in, columns: {shape[3]} out"
        return places.transpose(2, 3, 0, 1), says
    images = places.reshape(-1, *shape[-3:])
    says = f"rows: {counted(images.shape[0], 'image')}, columns: {counted(shape[-1], 'channel')}"
    return images.transpose(0, 3, 1, 2), says


def _joined(tiles: np.ndarray) -> np.ndarray:
    """Place tiles side by side, with a gap of one cell between them."""
    rows, columns, height, width = tiles.shape
    found = np.full((rows * (height + 1) - 1, columns * (width + 1) - 1), GAP)
    for i in range(rows):
        for j in range(columns):
            found[i * (height + 1) :, j * (width + 1) :][:height, :width] = tiles[i, j]
    return found
