"""Compute the Jacobian of the output, its rows by reverse mode and its columns by forward mode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import jax
import numpy as np

from autodiff_viz.engine.live_path.arrays import on_device
from autodiff_viz.engine.live_path.passes import Arguments, Prepared, backward, forward
from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.engine.live_path.tangents import push_forward
from autodiff_viz.engine.tolerance import paired, share
from autodiff_viz.engine.trace import Trace, precision, with_output
from autodiff_viz.explain.forward.compute import leading
from autodiff_viz.graph.problem import GraphError, Problem, kind_of
from autodiff_viz.graph.shown import Shown
from autodiff_viz.graph.text import counted, listed, quoted, scalar

SWEEPS = 512  # rows and columns together; each is one pass through the graph
ALIKE = 1e-4  # of the largest element; float32 rounds far below


@dataclass(frozen=True, eq=False)
class FullJacobian(Shown):
    """The Jacobian d `of` / d `by`, computed in two ways.

    Attributes:
      of: the output.
      by: the nodes that it is differentiated by; their elements are the columns, one node after the other.
      shapes: of the values of `of` and of each node in `by`.
      rows: by reverse mode, one `vjp` for each row; of shape [elements of `of`, elements of `by`].
      columns: by forward mode, one `jvp` for each column, of the same shape; None where it is blocked.
      blocked: names of the nodes at which forward mode is blocked.
    """

    of: str
    by: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    rows: np.ndarray
    columns: np.ndarray | None
    blocked: tuple[str, ...]

    @property
    def sizes(self) -> tuple[Jacobian, ...]:
        """The sizes, a block for each node of `by`."""
        count = len(self.rows)
        blocks = zip(self.by, self.shapes[1:], strict=True)
        return tuple(Jacobian(self.of, name, count, prod(shape)) for name, shape in blocks)

    @property
    def backward_sweeps(self) -> int:
        """Number of backward sweeps that reverse mode needs: one for each row."""
        return self.rows.shape[0]

    @property
    def forward_sweeps(self) -> int:
        """Number of forward sweeps that forward mode needs: one for each column."""
        return self.rows.shape[1]

    @property
    def cheaper(self) -> str:
        """The mode that needs fewer sweeps: "forward", "reverse", or "" if both need as many."""
        gap = self.backward_sweeps - self.forward_sweeps
        return "" if gap == 0 else "forward" if gap > 0 else "reverse"

    @property
    def gap(self) -> float | None:
        """The largest difference of the two, as a share of the largest element; None if one is blocked."""
        if self.columns is None:
            return None
        return share(paired("jacobian", self.rows, self.columns))

    @property
    def agrees(self) -> bool | None:
        """Whether rows and columns are equal up to rounding; None if forward mode is blocked."""
        return None if self.gap is None else self.gap <= ALIKE

    @property
    def sentence(self) -> str:
        """Which mode is cheaper, and whether both have the same numbers."""
        needs = (
            f"Reverse mode needs {counted(self.backward_sweeps, 'backward sweep')}, one for each row; "
            f"forward mode needs {counted(self.forward_sweeps, 'forward sweep')}, one for each column"
        )
        if self.columns is None:
            return f"{needs}, but is blocked at {listed(self.blocked, 3)}."
        cheaper = f"{self.cheaper} mode is cheaper" if self.cheaper else "both cost as much"
        if not self.agrees:
            return f"{needs}: {cheaper}. {self._apart}"
        return f"{needs}: {cheaper}, and their numbers are equal."

    @property
    def _apart(self) -> str:
        """How rows and columns differ, in words."""
        finite = np.isfinite(self.rows), np.isfinite(self.columns)
        if (finite[0] == finite[1]).all():
            return f"Their numbers differ by {scalar(self.gap or 0.0, 2)} of the largest."
        i, j = np.argwhere(finite[0] != finite[1])[0]
        at = f" in row {i + 1}, column {j + 1}" if self.rows.size > 1 else ""
        return (
            f"They differ{at}: reverse mode has {scalar(self.rows[i, j])}, "
            f"forward mode {scalar(self.columns[i, j])}."
        )

    @property
    def determinant(self) -> float | None:
        """The determinant of a square Jacobian of finite numbers, None for any other."""
        square = self.rows.shape[0] == self.rows.shape[1] > 0
        if not square or not np.all(np.isfinite(self.rows)):
            return None
        return float(np.linalg.det(self.rows.astype(np.float64)))


def jacobian(trace: Trace, by: str | Sequence[str] | None = None) -> FullJacobian:
    """Compute the Jacobian of the output, once by rows and once by columns.

    Reverse mode pulls a unit cotangent back for each element of the output. Forward mode pushes a unit
    tangent forward for each element of `by`. Both follow the rules of the graph.

    Args:
      trace: as `trace` made it; has an output; its seed is not used.
      by: a node, or several; by default all inputs. An input is taken before its own rule, another node as
        if its value could be chosen.
    Returns:
      Both matrices; no columns where a rule blocks forward mode.
    Raises:
      GraphError: it is no trace, it has no output, there is no such node, a node is named twice, or the
        Jacobian is too large.
    Source: one `jax.vjp` for each row, as `jax.jacrev`; one `jax.jvp` for each column, as `jax.jacfwd`.
    """
    names = _known_names(with_output(trace), by)
    of = trace.value[trace.output]
    height, width = of.size, sum(trace.value[name].size for name in names)
    # Each sweep goes through all values: many elements and many sweeps are too much together.
    work = (height + width) * sum(value.size for value in trace.value.values())
    if height + width > SWEEPS or work > WORK:
        message = (
            f"The Jacobian has {height:,} rows and {width:,} columns, which would take {height + width:,} "
            f"sweeps through {len(trace.graph.nodes)} nodes."
        )
        hint = f"At most {SWEEPS} sweeps, and {WORK:,} numbers in all. Choose a smaller node."
        raise GraphError(Problem("jacobian-size", message, hint, trace.output))
    with precision(trace.dtype):
        inputs = {name: on_device(value) for name, value in trace.inputs.items()}
        prepared = prepare(trace.graph, inputs, trace.dtype)
        values, called = forward(prepared)
        rows = _rows(prepared, values, called, trace, names)
        columns, blocked = _columns(prepared, called, trace, names)
    shapes = (of.shape, *(trace.value[name].shape for name in names))
    return FullJacobian(trace.output, names, shapes, rows, columns, blocked)


def _rows(
    prepared: Prepared,
    values: dict[str, jax.Array],
    called: list[Arguments],
    trace: Trace,
    names: tuple[str, ...],
) -> np.ndarray:
    """Return the matrix, by a backward sweep for each row."""
    sizes = [trace.value[name].size for name in names]
    rows = []
    for unit in _units(trace.value[trace.output]):
        with prepared.tape.scratch():
            arriving, _, gradients = backward(prepared, values, called, on_device(unit))
            # An input is taken before its own rule, which changes the gradient; None is a symbolic zero.
            parts = [gradients[name] if name in gradients else arriving[name] for name in names]
            row = [
                np.zeros(size) if part is None else np.ravel(part)
                for part, size in zip(parts, sizes, strict=True)
            ]
            rows.append(np.concatenate(row))
    # With the shape given, a matrix without rows keeps its width.
    return np.array(rows, trace.dtype).reshape(trace.value[trace.output].size, sum(sizes))


def _columns(
    prepared: Prepared, called: list[Arguments], trace: Trace, names: tuple[str, ...]
) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """Return the matrix, or None and the nodes that block forward mode on the way to the output."""
    columns, size = [], trace.value[trace.output].size
    for name in names:
        for unit in _units(trace.value[name]):
            with prepared.tape.scratch():
                pushed = push_forward(prepared, called, {name: on_device(unit)})
                if trace.output not in pushed.tangent:
                    return None, leading(trace.graph, pushed.blocked)
                tangent = pushed.tangent[trace.output]
                columns.append(np.zeros(size, trace.dtype) if tangent is None else np.ravel(tangent))
    return np.array(columns, trace.dtype).reshape(-1, size).T, ()


def _units(array: np.ndarray) -> Iterator[np.ndarray]:
    """Yield for each element an array of zeros with a 1 there."""
    for i in range(array.size):
        unit = np.zeros(array.size, array.dtype)
        unit[i] = 1
        yield unit.reshape(array.shape)


def _known_names(trace: Trace, by: Any) -> tuple[str, ...]:
    """Return the nodes to differentiate by.

    Raises:
      GraphError: there is no such node, or a node is named twice.
    """
    try:
        given = (by,) if isinstance(by, str) else tuple(trace.inputs if by is None else by)
    except TypeError as error:
        message = f"A Jacobian is by the name of a node, or several; found {kind_of(by)}."
        raise GraphError(Problem("bad-columns", message, 'Write "x" or ["x", "w"].')) from error
    for name in given:
        if not isinstance(name, str) or name not in trace.graph:
            message = f"There is no node {quoted(name)}."
            raise GraphError(Problem("unknown-node", message, "Choose one of the trace's graph."))
    if not given or len(set(given)) < len(given):
        fault = "no node" if not given else "a node twice"
        message = f"A Jacobian is by one or more different nodes; found {fault}."
        raise GraphError(Problem("bad-columns", message, "Name each node once."))
    return given


WORK = 40_000_000  # elements of values in all pullbacks of a segment


@dataclass(frozen=True, slots=True)
class Jacobian:
    """Size of the Jacobian d `of` / d `by`, where a segment gives `of` and reads `by`.

    Attributes:
      rows, columns: elements of `of` and of `by`.
      batch: the number of blocks, one per example; 1 where it is one full matrix.
    """

    of: str
    by: str
    rows: int
    columns: int
    batch: int = 1

    @property
    def full(self) -> int:
        """Number of elements of the full matrix."""
        return self.rows * self.columns

    @property
    def elements(self) -> int:
        """Number of elements of the blocks."""
        return self.full // self.batch

    @property
    def sides(self) -> tuple[int, ...]:
        """(rows, columns), or for blocks (number of blocks, rows, columns)."""
        blocks = (self.batch, self.rows // self.batch, self.columns // self.batch)
        return blocks if self.batch > 1 else (self.rows, self.columns)
