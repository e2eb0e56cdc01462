"""Precompute every number along one slider, so that the browser repaints without the server.

The browser snaps to the tabulated positions; numbers between them are never interpolated.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.display.numbers import SHOWN, sign
from autodiff_viz.engine.live_path.passes import ARRIVING, Wire
from autodiff_viz.engine.tolerance import norm
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.forward.compute import Tangents, TangentSweep, tangent_sweep
from autodiff_viz.explain.sweep.compute import SLIDER, LocalSweep, Sweep, local_sweep, sweep
from autodiff_viz.graph.dtypes import BFLOAT16, DTYPES, FLOAT64
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError

POSITIONS = SLIDER  # the same for all sliders, so that they share one compiled program
COARSER = (1, 2, 5, 10)  # strides: all positions are sent, else as many as fit
BYTES = 260_000  # of all tables in one answer
INPUTS = 24  # limit of inputs whose sliders have tables
NODES = 500  # limit of a graph; beyond it not even the coarsest table fits
SCALAR, NORM = 0, -1  # kinds of columns; a short vector's kind is its length


class Stretch(NamedTuple):
    """Range of a scalar input's slider.

    Attributes:
      name: the input.
      low, high: ends of the range.
    """

    name: str
    low: float
    high: float


class Column(NamedTuple):
    """Numbers of one place of the drawing, or of the selected node's panel, at every position.

    Attributes:
      place: ["value", node], ["cotangent", node] or ["passed", node, slot]; for the panel also
        ["local", node, slot] and ["changed", node], as of `LocalSweep`; in forward mode also
        ["tangent", node] and ["pushed", node, slot].
      kind: `SCALAR`, `NORM`, or the length of a short vector.
      numbers: a row per position: the number, the numbers of a short vector, or (norm, sign) of any other
        tensor.
    """

    place: tuple[Any, ...]
    kind: int
    numbers: np.ndarray


def keys(
    trace: Trace | None, stretches: Iterable[Stretch], tangents: Tangents | None = None
) -> dict[str, str]:
    """Return the key of each input's table: a digest of all that it depends on, without the input's value.

    The browser's table with this key fits the present drawing.

    Args:
      tangents: those of forward mode, while it is on.
    """
    if trace is None or len(trace.graph.nodes) > NODES:
        return {}
    wanted = tuple(stretches)[:INPUTS]
    moving = {stretch.name for stretch in wanted}
    nodes = trace.graph.nodes
    # Of a node with a slider its value stands apart (`values`), since a table does not depend on its own.
    still = tuple([node.content if node.name not in moving else identity(node.rule) for node in nodes])
    # Training may have set the other parameters, so the graph alone does not say their values.
    learned = tuple(trace.inputs[n.name] for n in nodes if n.is_parameter and n.name not in moving)
    direction = tangents and tuple(sorted(tangents.direction.items()))
    rest = identity((still, trace.output, trace.dtype, trace.seed, learned, direction))
    values = [(node.name, identity(trace.inputs[node.name])) for node in nodes if node.name in moving]
    digests = {}
    for stretch in wanted:
        others = tuple(pair for pair in values if pair[0] != stretch.name)
        whole = identity((rest, stretch, others))
        digests[stretch.name] = blake2b(whole, digest_size=8).hexdigest()
    return digests


def tables(
    trace: Trace,
    stretches: Iterable[Stretch],
    known: Mapping[str, str],
    tangents: Tangents | None = None,
) -> list[dict[str, Any]]:
    """Return a table for each of these inputs, within `BYTES` in all.

    A table that does not fit has no positions: the numbers follow when the slider is released.

    Args:
      known: the inputs' keys, as `keys` returns them.
      tangents: those of forward mode, while it is on.
    """
    left, made = BYTES, []
    for stretch in stretches:
        table = {"key": known[stretch.name], "input": stretch.name, **_table(trace, stretch, left, tangents)}
        left -= len(table.get("numbers", ""))
        made.append(table)
    return made


def _table(trace: Trace, stretch: Stretch, room: int, tangents: Tangents | None) -> dict[str, Any]:
    """Return a table in the format of web/canvas/scrub.js, with at most `room` characters of numbers."""
    # No sweep if the table cannot fit: each node that depends on the input has at least one number.
    wide = trace.dtype == FLOAT64
    if _step(wide, _moving(trace, stretch.name), room) is None:
        return {"count": 0}
    try:
        swept = sweep(trace, stretch.name, positions(stretch))
        moving = tangents and tangent_sweep(tangents, stretch.name, positions(stretch))
        factors = local_sweep(trace, swept)
    except GraphError:  # too many numbers in all
        return {"count": 0}
    columns = [*_columns(swept), *_columns_of_factors(factors)]
    columns += _columns_of_tangents(moving) if moving else []
    numbers = np.concatenate([column.numbers for column in columns], axis=1)
    # In float32 the norm of large numbers may be beyond what float32 can represent.
    finite = numbers[np.isfinite(numbers)]
    wide = wide or bool((np.abs(finite) > np.finfo(np.float32).max).any())
    step = _step(wide, numbers.shape[1], room)
    if step is None:
        return {"count": 0}
    return {
        "low": stretch.low,
        "high": stretch.high,
        "count": _count(step),
        "wide": wide,
        "flows": "passed" if moving is None else "pushed",
        "columns": [[*column.place, column.kind] for column in columns],
        "floor": _floor(trace.passed, swept.swept)
        if moving is None
        else _floor(tangents.passed, moving.swept),
        "numbers": b64encode(numbers[::step].astype("<f8" if wide else "<f4").tobytes()).decode(),
    }


def _moving(trace: Trace, name: str) -> int:
    """Count the values that depend on the input."""
    moving = {name}
    for node in order(trace.graph):
        if any(slot in moving for slot in node.op_slots if isinstance(slot, str)):
            moving.add(node.name)
    return len(moving)


def _step(wide: bool, columns: int, room: int) -> int | None:
    """Return the smallest stride of positions at which so many columns fit; None if none does."""
    width = (8 if wide else 4) * columns * 4 / 3  # characters of a row in base64
    return next((step for step in COARSER if width * _count(step) + 4 <= room), None)


def positions(stretch: Stretch) -> list[float]:
    """Return the positions: equal steps from end to end, as table.js computes them."""
    span, last = stretch.high - stretch.low, POSITIONS - 1
    return [stretch.low + span * i / last for i in range(POSITIONS)]


def _count(step: int) -> int:
    """Return the number of positions at a stride."""
    return (POSITIONS - 1) // step + 1


def _columns(swept: Sweep) -> Iterator[Column]:
    """Yield the columns that depend on the input."""
    for name, array in swept.value.items():
        if name in swept.swept:
            yield _column(("value", name), array)
    for name in swept.cotangent:
        if (name, ARRIVING) in swept.swept:
            yield _column(("cotangent", name), swept.cotangent[name])
    for wire in swept.passed:
        if wire in swept.swept:
            yield _column(("passed", *wire), swept.passed[wire])


def _columns_of_factors(factors: LocalSweep) -> Iterator[Column]:
    """Yield the columns that only the selected node's panel shows."""
    for wire, array in factors.local.items():
        yield _column(("local", *wire), array)
    for name, array in factors.changed.items():
        yield _column(("changed", name), array)


def _columns_of_tangents(moving: TangentSweep) -> Iterator[Column]:
    """Yield the columns of forward mode, in which wires show what they add to tangents."""
    for name, array in moving.tangent.items():
        if name in moving.swept:
            yield _column(("tangent", name), array)
    for wire, array in moving.passed.items():
        if wire in moving.swept:
            yield _column(("pushed", *wire), array)


def _column(place: tuple[Any, ...], array: np.ndarray) -> Column:
    """Return the column of a place."""
    if array.ndim == 1:
        return Column(place, SCALAR, _as_shown(array)[:, None])
    if array.ndim == 2 and 0 < array.shape[1] <= SHOWN:
        return Column(place, array.shape[1], array.astype(float))
    pairs = [(norm(one), sign(one)) for one in array]
    return Column(place, NORM, np.array(pairs, float))


def _as_shown(array: np.ndarray) -> np.ndarray:
    """Return numbers with the digits that the canvas shows: the browser writes four, bfloat16 has three."""
    numbers = array.astype(float)
    if array.dtype.name != BFLOAT16:
        return numbers
    with np.errstate(all="ignore"):  # of zero, NaN and infinity, which have no last digit
        unit = 10.0 ** (np.floor(np.log10(np.abs(numbers))) - (DTYPES[BFLOAT16].digits - 1))
        return np.where(np.isfinite(unit) & (unit > 0), np.round(numbers / unit) * unit, numbers)


def _floor(passed: Mapping[Wire, np.ndarray], swept: frozenset[Any]) -> float:
    """Return the largest contribution that is independent of the input: a lower bound of the wires' scale."""
    sizes = [norm(array) for wire, array in passed.items() if wire not in swept]
    return max((size for size in sizes if np.isfinite(size)), default=0.0)
