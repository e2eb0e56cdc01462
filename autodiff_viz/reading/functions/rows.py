"""Apply ops to arrays that have rows: what a text computes of one row under `vmap`, for all rows at once.

An array that is mapped over has leading axes which the text does not see, one for each `vmap` around, the
outermost first. An op is added with its parameters moved behind these axes. Rows never mix, so derivatives
of the sum over all rows are those of each row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.graph.text import shape_of as literal_shape
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Refused
from autodiff_viz.reading.nodes.costs import sized

FOLDED = {"sum", "mean", "max", "min", "prod", "norm", "logsumexp"}
ALONG = {"cumsum", "sort", "argmax", "softmax", "log_softmax"}
KEPT = {"one_hot"}


@dataclass
class Rows:
    """How many rows each `vmap` has, by its number, and which are being read; a later one is inside."""

    sizes: dict[int, int] = field(default_factory=dict)
    active: list[int] = field(default_factory=list)


@contextmanager
def mapping(reader: Reader, size: int) -> Iterator[int]:
    """Read what follows for each of so many rows, and yield the number of this `vmap`."""
    rows = reader.state(Rows)
    level = len(rows.sizes)
    rows.sizes[level] = size
    rows.active.append(level)
    try:
        yield level
    finally:
        rows.active.remove(level)


@contextmanager
def only(reader: Reader, rows: Sequence[int]) -> Iterator[None]:
    """Read what follows for each of these rows, whatever `vmap` is around: it is the same in all others."""
    state = reader.state(Rows)
    around, state.active = state.active, list(rows)
    try:
        yield
    finally:
        state.active = around


def logical_shape(reader: Reader, x: Array) -> tuple[int, ...] | None:
    """Return the shape that the text sees; None if something does not fit."""
    shape = reader.builder.shape(x.held)
    return None if shape is None else shape[len(x.rows) :]


def _shape(reader: Reader, x: Any) -> tuple[int, ...]:
    if not isinstance(x, Array):
        return tuple(literal_shape(reader.held(x)))
    shape = logical_shape(reader, x)
    if shape is None:
        raise Refused("The shape of this is not known, since something in it does not fit.")
    return shape


def _bare(x: Array) -> Array:
    return replace(x, rows=())


def _reshaped(reader: Reader, x: Array, shape: Sequence[int]) -> Array:
    if tuple(shape) == reader.builder.shape(x.held):
        return x
    if x.is_constant:
        return replace(x, held=_nested(np.reshape(np.array(x.held), shape)))
    return reader.make("reshape", [x], dtype=x.dtype, shape=tuple(shape))


def _nested(array: np.ndarray) -> Any:
    def tuples(value: Any) -> Any:
        return tuple(map(tuples, value)) if isinstance(value, list) else value

    return tuples(array.tolist())


def aligned(reader: Reader, x: Any, rows: Sequence[int], rank: int | None = None) -> Any:
    """Return an array with these rows as leading axes, of length 1 where it has no such rows.

    Args:
      rank: of what the text sees; axes of length 1 are put before what there is.
    """
    if not isinstance(x, Array):
        return x
    shape, sizes = _shape(reader, x), reader.state(Rows).sizes
    if not x.rows and (rank is None or len(shape) <= rank):
        return x  # broadcast from the right
    lengths = [sizes[level] if level in x.rows else 1 for level in rows]
    padded = [1] * max((rank if rank is not None else 0) - len(shape), 0)
    return _reshaped(reader, _bare(x), (*lengths, *padded, *shape))


def spread(reader: Reader, x: Any, rows: Sequence[int]) -> Array:
    """Return an array with all of these rows; one that has fewer is repeated."""
    if not isinstance(x, Array):
        x = Array(reader.held(x), "jax")
    if tuple(x.rows) == tuple(rows):
        return x
    shape, sizes = _shape(reader, x), reader.state(Rows).sizes
    lengths = [sizes[level] if level in x.rows else 1 for level in rows]
    whole = (*(sizes[level] for level in rows), *shape)
    bare = _reshaped(reader, _bare(x), (*lengths, *shape)) if x.rows else _bare(x)
    if bare.is_constant:
        bare = replace(bare, held=_nested(np.broadcast_to(np.array(bare.held), sized(whole))))
    else:
        bare = reader.make("broadcast_to", [bare], dtype=x.dtype, shape=whole)
    return replace(bare, rows=tuple(rows))


def make_rows(
    reader: Reader, op: str, args: list[Any], dtype: str | None, rule: Any, params: dict[str, Any]
) -> Array:
    """Add a node for an op of arrays of which some have rows."""
    rows = tuple(sorted({level for arg in args if isinstance(arg, Array) for level in arg.rows}))
    count = len(rows)

    def made(new: Sequence[Any], **moved: Any) -> Array:
        result = reader.make(op, list(new), dtype=dtype, rule=rule, **moved)
        return replace(result, rows=rows)

    if OPS[op].elementwise and not OPS[op].variadic:
        rank = max(len(_shape(reader, arg)) for arg in args)
        return made([aligned(reader, arg, rows, rank) for arg in args], **params)
    x = args[0]
    if op in FOLDED or op in ALONG:
        shape = _shape(reader, x)
        axis = params.get("axis", None if op in FOLDED or op in ("cumsum", "argmax") else -1)
        if axis is None:
            lengths = reader.builder.shape(x.held)[:count]
            flat = _reshaped(reader, _bare(x), (*lengths, prod(shape)))
            result = made([flat], **{k: v for k, v in params.items() if k != "keepdims"}, axis=count)
            if not params.get("keepdims"):
                return result
            return replace(_reshaped(reader, _bare(result), (*lengths, *[1] * len(shape))), rows=rows)
        _check_axis(axis, len(shape))
        return made([_bare(x)], **{**params, "axis": axis + count if axis >= 0 else axis})
    if op in KEPT:
        return made([_bare(x)], **params)
    if op == "expand_dims":
        axis = params["axis"]
        _check_axis(axis, len(_shape(reader, x)) + 1)
        return made([_bare(x)], axis=axis + count if axis >= 0 else axis)
    if op == "transpose":
        rank = len(_shape(reader, x))
        order = params.get("axes") or tuple(reversed(range(rank)))
        axes = (*range(count), *(count + axis % rank for axis in order))
        return made([_bare(x)], axes=axes)
    if op == "reshape":
        whole, wanted = _shape(reader, x), list(params["shape"])
        if -1 in wanted:
            known = prod(size for size in wanted if size != -1)
            wanted[wanted.index(-1)] = prod(whole) // known if known else 0
        lengths = reader.builder.shape(x.held)[:count]
        return made([_bare(x)], shape=(*lengths, *wanted))
    if op == "broadcast_to":
        lengths, wanted = reader.builder.shape(x.held)[:count], params["shape"]
        return made([aligned(reader, x, rows, len(wanted))], shape=(*lengths, *wanted))
    if op == "getitem":
        return made([_bare(x)], index=(*[(None, None, None)] * count, *params["index"]))
    if op == "at_set":
        place = np.empty(sized(_shape(reader, x)))[_python(params["index"])]
        update = aligned(reader, args[1], rows, place.ndim)
        whole = spread(reader, x, rows)
        return made([_bare(whole), update], index=(*[(None, None, None)] * count, *params["index"]))
    if op in ("stack", "concatenate"):
        axis = params.get("axis", 0)
        parts = [_bare(spread(reader, arg, rows)) for arg in args]
        return made(parts, **{**params, "axis": axis + count if axis >= 0 else axis})
    if op == "dot":
        return reader.make("sum", [reader.make("mul", args, dtype=dtype)], dtype=dtype, axis=0)
    if op == "matmul":
        return _matmul(reader, args[0], args[1], rows)
    raise Refused(f"{op}() is not read inside vmap.", "Write it for all rows at once.")


def _check_axis(axis: int, rank: int) -> None:
    if not -rank <= axis < rank:
        raise Refused(f"There is no axis {axis} in an array of {rank} axes.")


def _python(index: Sequence[Any]) -> tuple:
    return tuple(
        slice(*part) if isinstance(part, tuple) else Ellipsis if part == "..." else part for part in index
    )


def _matmul(reader: Reader, a: Any, b: Any, rows: tuple[int, ...]) -> Array:
    ranks = [len(_shape(reader, a)), len(_shape(reader, b))]
    if ranks[0] == 1:
        a = reader.make("reshape", [a], dtype=a.dtype, shape=(1, *_shape(reader, a)))
    if ranks[1] == 1:
        b = reader.make("reshape", [b], dtype=b.dtype, shape=(*_shape(reader, b), 1))
    rank = max(len(_shape(reader, a)), len(_shape(reader, b)))
    product = reader.make("matmul", [aligned(reader, a, rows, rank), aligned(reader, b, rows, rank)])
    product = replace(product, rows=rows)
    shape = _shape(reader, product)
    if ranks[0] == 1:
        shape = (*shape[:-2], shape[-1])
    if ranks[1] == 1:
        shape = shape[:-1]
    return product if 1 not in ranks else reader.make("reshape", [product], dtype=product.dtype, shape=shape)


def enter_rows(reader: Reader, x: Any, level: int, axis: int) -> Any:
    """Return an argument of a mapped function: its elements along an axis are the rows."""
    if not isinstance(x, Array):
        return x
    rank = len(_shape(reader, x))
    _check_axis(axis, rank)
    if axis % rank:
        order = (axis % rank, *(i for i in range(rank) if i != axis % rank))
        x = reader.make("transpose", [x], dtype=x.dtype, axes=order)
    return replace(x, rows=(*x.rows, level))


def leave_rows(reader: Reader, x: Any, level: int, axis: int) -> Array:
    """Return a result of a mapped function with its rows as an axis that the text sees."""
    if not isinstance(x, Array):
        x = Array(reader.held(x), "jax", "float32" if isinstance(x, float) else "int")
    if level not in x.rows:
        x = spread(reader, x, (*x.rows, level))
    x = replace(x, rows=tuple(one for one in x.rows if one != level))
    rank = len(_shape(reader, x))
    _check_axis(axis, rank)
    if axis % rank:
        order = list(range(1, rank))
        order.insert(axis % rank, 0)
        x = reader.make("transpose", [x], dtype=x.dtype, axes=tuple(order))
    return x
