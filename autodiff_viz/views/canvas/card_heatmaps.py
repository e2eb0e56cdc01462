"""Make the heat-maps on a node's card: value, arriving cotangent and, in forward mode, tangent.

ui/editor/web/types.js describes the fields.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_viz.engine.live_path.kernels import Shape
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.text.text_format import scalar
from autodiff_viz.views.canvas.cards import cells
from autodiff_viz.views.canvas.heatmap import MOST, blocks_say, has_picture, heat, plane_says
from autodiff_viz.views.canvas.pushes import OFF, Pushed

DIGITS, ALL = 3, 17  # significant digits of a number in a cell, and of any float64
KERNELS = ("conv2d", 1)  # the op and its slot that reads kernels, [height, width, in, out]


def kernels_of(graph: Graph) -> frozenset[str]:
    """Return the names of the nodes whose value is the kernels of a convolution."""
    op, slot = KERNELS
    held = (node.slots[slot] for node in graph.nodes if node.op == op and len(node.slots) > slot)
    return frozenset(name for name in held if isinstance(name, str))


def heat_data(
    value: np.ndarray | None, arriving: np.ndarray | None, kernels: bool, tangent: Pushed = OFF
) -> dict[str, Any]:
    """Return both heat-maps as data, where the numbers are known.

    Args:
      kernels: the value is the kernels of a convolution.
      tangent: in forward mode its heat-map stands in the place of the value's.
    """
    found: dict[str, Any] = {"says": "" if value is None else _says(value.shape, kernels)}
    for which, array in (_forth(value, tangent), ("cotangent", arriving)):
        if array is not None:
            picture = heat(array, kernels)
            found |= {which: picture.cells, "columns": picture.columns, f"{which}Top": scalar(picture.top, 3)}
            if cells(array.shape):
                for name, digits in (("Numbers", DIGITS), ("Full", ALL)):
                    found[f"{which}{name}"] = [scalar(float(number), digits) for number in array.ravel()]
    return found


def _forth(value: np.ndarray | None, tangent: Pushed) -> tuple[str, np.ndarray | None]:
    """Return what the first of both heat-maps shows."""
    return ("tangent", tangent.array) if tangent.on else ("value", value)


def elements(
    value: np.ndarray | None, arriving: np.ndarray | None, tangent: Pushed = OFF
) -> dict[str, list[str]]:
    """Return the numbers of both heat-maps, row by row.

    Only where each cell is one element, and has no room for its number.
    """
    shape = () if value is None else value.shape
    if not has_picture(shape) or len(shape) > 2 or max(shape) > MOST or cells(shape):
        return {}
    known = (_forth(value, tangent), ("cotangent", arriving))
    return {
        which: [scalar(float(number), DIGITS) for number in array.ravel()]
        for which, array in known
        if array is not None
    }


def _says(shape: Shape, kernels: bool) -> str:
    """Return in words which part of the tensor is drawn and what a cell is."""
    parts = (plane_says(shape, kernels), blocks_say(shape, kernels))
    return "; ".join(part for part in parts if part)
