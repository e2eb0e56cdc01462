"""Read what JAX does by shapes alone: `eval_shape`, and `jnp.vectorize`, which maps over all other axes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_viz.reading.functions.arrays import (
    FUNCTIONS,
    attribute,
    constant,
    getitem,
    known,
    named_dtype,
    r_array,
    shape_argument,
    shape_of,
    single,
)
from autodiff_viz.reading.functions.inner_derivatives import outside
from autodiff_viz.reading.jax.transforms import as_array, staged, vmap
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Native, Refused, tree_mapped
from autodiff_viz.reading.nodes.costs import LibraryError, sized


@dataclass(eq=False)
class Struct:
    """What `jax.ShapeDtypeStruct` is: an array of zeros that shows its shape and dtype, and no numbers."""

    zeros: Array


@known("jax.ShapeDtypeStruct")
def shape_dtype_struct(reader: Reader, shape: Any, dtype: Any) -> Struct:
    """Read a shape with a dtype."""
    kind = single(reader, named_dtype(reader, dtype), "jax") or reader.usual_float()
    return Struct(constant(reader, np.zeros(sized(shape_argument(shape))), "jax", kind))


def struct_attribute(reader: Reader, struct: Struct, name: str, node: ast.AST) -> Any:
    """Return the shape of a `ShapeDtypeStruct`, its dtype, or how many axes or elements it has."""
    if name not in ("shape", "dtype", "ndim", "size"):
        raise LibraryError(f"'ShapeDtypeStruct' object has no attribute '{name}'", at=node)
    return attribute(reader, struct.zeros, name, node)


def as_zeros(reader: Reader, value: Any) -> Any:
    """Return a tree with an array of zeros for each shape."""
    return tree_mapped(lambda leaf: leaf.zeros if isinstance(leaf, Struct) else as_array(reader, leaf), value)


@known("jax.eval_shape")
def eval_shape(reader: Reader, fun: Any, *args: Any, **keywords: Any) -> Any:
    """Read `jax.eval_shape`: the shapes of what a function returns."""
    with outside(reader), staged(reader, "eval_shape"):
        first = len(reader.builder.drafts)
        value = as_zeros(reader, reader.call(fun, as_zeros(reader, list(args)), as_zeros(reader, keywords)))
        reader.builder.replaced |= set(range(first, len(reader.builder.drafts)))

    def struct(leaf: Any) -> Struct:
        if not isinstance(leaf, Array):
            raise Refused("A function of eval_shape() returns arrays.")
        return Struct(constant(reader, np.zeros(sized(shape_of(reader, leaf))), "jax", leaf.dtype))

    return tree_mapped(struct, value)


def _of_shapes(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return the reading of a function that takes a shape without numbers in place of an array too."""
    return lambda reader, like, *args, **options: function(
        reader, like.zeros if isinstance(like, Struct) else like, *args, **options
    )


for _name in ("zeros_like", "ones_like", "full_like"):
    FUNCTIONS[f"numpy.{_name}"] = _of_shapes(FUNCTIONS[f"numpy.{_name}"])

Core = list[list[str]]


def _signature(text: str) -> tuple[Core, Core]:
    """Return the names of the axes of each argument and of each result, as in "(n,m),(m)->(n)"."""
    sides = [
        [
            [axis for axis in one.split(",") if axis]
            for one in side.removeprefix("(").removesuffix(")").split("),(")
        ]
        for side in text.replace(" ", "").split("->")
    ]
    if len(sides) != 2:
        raise LibraryError(f"not a valid gufunc signature: {text}")
    return sides[0], sides[1]


@known("numpy.vectorize")
def vectorize(reader: Reader, pyfunc: Any = None, *, excluded: Any = (), signature: Any = None) -> Native:
    """Read `jnp.vectorize`: a function of the last axes, mapped over those before them."""
    if reader.library == "numpy":
        raise Refused("np.vectorize() is read as jnp.vectorize() alone.", "Write the function for arrays.")
    if pyfunc is None:
        return Native(
            lambda _, args, kw: vectorize(reader, args[0], excluded=excluded, signature=signature),
            "vectorize",
        )
    fixed = set(reader.items(excluded))

    def call(_: Reader, args: list, keywords: dict) -> Any:
        if not {*keywords} <= fixed:
            raise Refused("vectorize() maps over arguments by place alone.", "Name the others in excluded.")
        mapped = [i for i in range(len(args)) if i not in fixed]
        cores, results = _signature(signature) if signature else ([[]] * len(mapped), None)
        if len(cores) != len(mapped):
            raise LibraryError(f"vectorize() has a signature of {len(cores)} arguments, not {len(mapped)}.")
        arrays = [as_array(reader, r_array(reader, args[i])) for i in mapped]
        lengths: dict[str, int] = {}
        around = []
        for array, core in zip(arrays, cores, strict=True):
            shape = shape_of(reader, array)
            if len(shape) < len(core):
                raise LibraryError(f"vectorize() needs an array of the axes ({','.join(core)}).")
            around.append(shape[: len(shape) - len(core)])
            _check_core(shape[len(shape) - len(core) :], core, lengths)

        def of_row(_: Reader, row: list, __: dict) -> Any:
            given = list(args)
            for i, one in zip(mapped, row, strict=True):
                given[i] = one
            value = reader.call(pyfunc, given, keywords)
            if results is not None:
                made = [value] if len(results) == 1 else list(reader.items(value))
                if len(made) != len(results):
                    raise LibraryError(f"vectorize() has a signature of {len(results)} results.")
                for one, core in zip(made, results, strict=True):
                    _check_core(shape_of(reader, as_array(reader, one)), core, lengths)
            return value

        try:
            whole = np.broadcast_shapes(*around)
        except ValueError as error:
            raise LibraryError(f"{error}.".capitalize(), "", "shape") from None
        return _over(reader, Native(of_row, "vectorized", pyfunc), arrays, around, len(whole))

    return Native(call, "vectorize", pyfunc)


def _check_core(shape: Sequence[int], core: Sequence[str], lengths: dict[str, int]) -> None:
    """Refuse an array whose axes have not the lengths that their names have elsewhere, as JAX does."""
    if len(shape) != len(core):
        raise LibraryError(
            f"vectorize() needs the axes ({','.join(core)}), and there are {list(shape)}.", "", "shape"
        )
    for size, name in zip(shape, core, strict=True):
        if size != (int(name) if name.isdigit() else lengths.setdefault(name, size)):
            raise LibraryError(f"vectorize() has an axis {name} of two lengths.", "", "shape")


def _over(reader: Reader, function: Any, arrays: list[Array], around: list[tuple], count: int) -> Any:
    """Return what a function makes of arrays, mapped over so many axes; one of length 1 is broadcast."""
    if not count:
        return reader.call(function, arrays, {})
    here = [shape[0] if len(shape) == count else 1 for shape in around]
    inner = [shape[1:] if len(shape) == count else shape for shape in around]
    arrays = [
        getitem(reader, one, 0) if len(shape) == count and shape[0] == 1 else one
        for one, shape in zip(arrays, around, strict=True)
    ]
    deeper = Native(
        lambda _, args, __: _over(reader, function, args, inner, count - 1), "vectorized", function
    )
    if max(here) > 1:
        axes = tuple(None if size == 1 else 0 for size in here)
        return reader.call(vmap(reader, deeper, axes), arrays, {})
    value = reader.call(deeper, arrays, {})
    return tree_mapped(lambda leaf: reader.make("expand_dims", [leaf], axis=0), value)


def install(reader: Reader) -> None:
    """Teach a reader shapes without numbers."""
    reader.handlers.attribute[Struct] = struct_attribute
