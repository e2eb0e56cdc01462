"""Stack the arrays of many traces by name, with a leading axis of steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.problem import GraphError, Problem

Read = Callable[[Trace], Mapping[str, np.ndarray]]


class Stacked(Mapping[str, np.ndarray]):
    """A read-only mapping to arrays of shape (steps, ...), each stacked when first read.

    NaN where a step has no array of that name, or a shorter one than other steps.
    """

    def __init__(self, steps: int, traces: Sequence[Trace], read: Read):
        """Stack arrays of `traces`, one for each step; without steps, one trace whose shapes are used."""
        self._steps, self._rows = steps, [read(found) for found in traces]
        self._names = tuple(dict.fromkeys(name for row in self._rows for name in row))
        self._made: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            self._made[name] = self._stack(name)
        return self._made[name]

    def _stack(self, name: str) -> np.ndarray:
        shapes = {row[name].shape for row in self._rows if name in row}
        if len({len(shape) for shape in shapes}) > 1:
            message = f"{name!r} has another number of axes in some steps than in others."
            raise GraphError(Problem("other-shapes", message, "Read single steps with at(step).", node=name))
        sides = tuple(max(lengths) for lengths in zip(*shapes, strict=True))
        dtype = next(row[name].dtype for row in self._rows if name in row)
        found = np.full((self._steps, *sides), np.nan, dtype)
        for step, row in zip(range(self._steps), self._rows, strict=False):
            if name in row:
                found[(step, *map(slice, row[name].shape))] = row[name]
        return read_only(found)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<{self._steps} steps of {', '.join(self._names)}>"


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a read-only view of the array."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view
