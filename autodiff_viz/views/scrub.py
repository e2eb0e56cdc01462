"""Every number of the graph along one slider, ahead of time: the browser repaints the canvas from it while
the slider is dragged, without a word to the server.

Numbers between the positions are never guessed: the browser snaps to them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.engine.arrays import FLOAT64
from autodiff_viz.engine.live import ARRIVING
from autodiff_viz.engine.sweep import SLIDER, Sweep, sweep
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.views.numbers import SHOWN, norm, sign

POSITIONS = SLIDER  # one number of positions, so that one compiled program serves all
COARSER = (1, 2, 5, 10)  # every how many of them are sent: all, else as many as the bytes allow
BYTES = 200_000  # of all tables in one answer
INPUTS = 24  # whose sliders can be scrubbed
NODES = 500  # of a graph; beyond, not even the coarsest table fits
SCALAR, NORM = 0, -1  # kinds of columns; a short vector's kind is its length


class Stretch(NamedTuple):
    """One scalar input and the ends of its slider."""

    name: str
    low: float
    high: float


class Column(NamedTuple):
    """What stands in one place of the drawing, at every position.

    `place` is ["value", node], ["cotangent", node] or ["passed", node, slot]. `numbers` has a row per
    position: the number, the numbers of a short vector, or (norm, sign) of any other tensor.
    """

    place: tuple[Any, ...]
    kind: int
    numbers: np.ndarray


def is_wanted(pairs: Any) -> bool:
    """Whether what the browser asks for is a list of (input, key of its table), and not too long."""
    return isinstance(pairs, list) and 0 < len(pairs) <= INPUTS and all(map(_is_pair, pairs))


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(isinstance(word, str) for word in pair)


def keys(found: Trace | None, stretches: Iterable[Stretch]) -> dict[str, str]:
    """What the table of each input depends on, as a short word: all but the input's own value.

    The browser has a table for this very drawing when it has one with this key.
    """
    if found is None or len(found.graph.nodes) > NODES:
        return {}
    wanted = tuple(stretches)[:INPUTS]
    moving = {stretch.name for stretch in wanted}
    nodes = found.graph.nodes
    still = tuple([node.content if node.name not in moving else identity(node.rule) for node in nodes])
    rest = identity((still, found.output, found.dtype, found.seed, _learned(found, moving)))
    values = [(node.name, identity(found.inputs[node.name])) for node in nodes if node.name in moving]
    return {at.name: _word((rest, at, tuple(pair for pair in values if pair[0] != at.name))) for at in wanted}


def _word(value: Any) -> str:
    return blake2b(identity(value), digest_size=8).hexdigest()


def _learned(found: Trace, moving: set[str]) -> tuple[np.ndarray, ...]:
    """The values of the other parameters, which training may have set."""
    nodes = found.graph.nodes
    return tuple(found.inputs[n.name] for n in nodes if n.is_parameter and n.name not in moving)


def tables(found: Trace, stretches: Iterable[Stretch], known: Mapping[str, str]) -> list[dict[str, Any]]:
    """A table for each of these inputs, as long as there are bytes left. One that finds none has no
    positions: the numbers follow when the slider is released.

    Args:
      known: the inputs' keys, as `keys` gives them.
    """
    left, made = BYTES, []
    for stretch in stretches:
        table = {"key": known[stretch.name], "input": stretch.name, **_table(found, stretch, left)}
        left -= len(table.get("numbers", ""))
        made.append(table)
    return made


def _table(found: Trace, stretch: Stretch, room: int) -> dict[str, Any]:
    """The table as ui/editor/web/live/table.js reads it, in at most `room` characters of numbers. Nothing is
    swept for one that has no room whatever its numbers are: there is one at least for each node that moves.
    """
    wide = found.dtype == FLOAT64
    if _step(wide, _moving(found, stretch.name), room) is None:
        return {"count": 0}
    try:
        swept = sweep(found, stretch.name, positions(stretch))
    except GraphError:  # too many numbers in all
        return {"count": 0}
    columns = list(_columns(swept))
    numbers = np.concatenate([column.numbers for column in columns], axis=1)
    wide = wide or not _fits(numbers)
    step = _step(wide, numbers.shape[1], room)
    if step is None:
        return {"count": 0}
    return {
        "low": stretch.low,
        "high": stretch.high,
        "count": _count(step),
        "wide": wide,
        "columns": [[*column.place, column.kind] for column in columns],
        "floor": _floor(found, swept),
        "numbers": b64encode(numbers[::step].astype("<f8" if wide else "<f4").tobytes()).decode(),
    }


def _moving(found: Trace, name: str) -> int:
    """How many values depend on the input."""
    moving = {name}
    for node in order(found.graph):
        if any(slot in moving for slot in node.op_slots if isinstance(slot, str)):
            moving.add(node.name)
    return len(moving)


def _step(wide: bool, columns: int, room: int) -> int | None:
    """Every how many positions are sent with so many columns; None where not even the fewest fit."""
    width = (8 if wide else 4) * columns * 4 / 3  # characters of a row
    return next((step for step in COARSER if width * _count(step) + 4 <= room), None)


def positions(stretch: Stretch) -> list[float]:
    """Even steps from end to end; table.js works out the same ones."""
    span, last = stretch.high - stretch.low, POSITIONS - 1
    return [stretch.low + span * i / last for i in range(POSITIONS)]


def _count(step: int) -> int:
    return (POSITIONS - 1) // step + 1


def _columns(swept: Sweep) -> Iterator[Column]:
    """Only what depends on the input: the rest of the drawing stays."""
    for name, array in swept.value.items():
        if name in swept.swept:
            yield _column(("value", name), array)
    for name in swept.cotangent:
        if (name, ARRIVING) in swept.swept:
            yield _column(("cotangent", name), swept.cotangent[name])
    for wire in swept.passed:
        if wire in swept.swept:
            yield _column(("passed", *wire), swept.passed[wire])


def _column(place: tuple[Any, ...], array: np.ndarray) -> Column:
    if array.ndim == 1:
        return Column(place, SCALAR, array[:, None].astype(float))
    if array.ndim == 2 and 0 < array.shape[1] <= SHOWN:
        return Column(place, array.shape[1], array.astype(float))
    pairs = [(norm(one), sign(one)) for one in array]
    return Column(place, NORM, np.array(pairs, float))


def _fits(numbers: np.ndarray) -> bool:
    """Whether float32 holds them: the norm of large numbers may be larger."""
    finite = numbers[np.isfinite(numbers)]
    return bool((np.abs(finite) <= np.finfo(np.float32).max).all())


def _floor(found: Trace, swept: Sweep) -> float:
    """The largest contribution among those that stay: the scale of the wires never falls below it."""
    sizes = [norm(array) for wire, array in found.passed.items() if wire not in swept.swept]
    return max((size for size in sizes if np.isfinite(size)), default=0.0)
