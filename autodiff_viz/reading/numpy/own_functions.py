"""Read functions of JAX and NumPy as JAX's own functions of these names.

A text of JAX calls the function itself. Of a text of NumPy it is JAX's function in double precision, and
NumPy says whether it takes such a call, and what shape and dtype it makes. Functions of whole numbers alone
that are known are the library's own, since no op of ours computes with them.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np
from jax import lax

from autodiff_viz.reading.functions.arrays import FUNCTIONS, METHODS, constant, r_array, shape_of
from autodiff_viz.reading.functions.library_calls import call_jax
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import (
    BOOL,
    FLOATS,
    HALVES,
    INT,
    Array,
    Native,
    Path,
    Refused,
    Whole,
    arrays_in,
    mapped,
)
from autodiff_viz.reading.nodes.costs import LibraryError, sized
from autodiff_viz.reading.tensors.own_dtypes import known, numpy_dtype, own_constant

JAX = {"jax": jax, "numpy": jnp, "lax": lax, "nn": jax.nn, "scipy": jax.scipy}
NUMPY = {"numpy": np}
"""Where the names of the tables are looked up, by their first part."""

PRODUCTS = frozenset(f"numpy.{name}" for name in ("convolve", "einsum", "inner", "kron", "tensordot", "vdot"))
"""Functions of which NumPy is not asked: what a product of arrays costs is not seen in its shape."""

LOOPS = {"numpy.diff": 7, "numpy.split": 256, "numpy.array_split": 256}
"""Functions that JAX writes out once for each of a number, with the largest."""


def _found(name: str, modules: dict[str, Any]) -> Any:
    first, *rest = name.split(".")
    return reduce(lambda found, part: getattr(found, part, None), rest, modules.get(first))


def own(*names: str) -> None:
    """Register functions that are read as JAX's own, by the names of the tables."""
    for name in names:
        FUNCTIONS[name] = own_function(name)


def own_function(name: str, of_jax: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Return the reading of a function as JAX's own.

    Args:
      of_jax: what is called in its place.
    """
    of_jax, of_numpy = of_jax or _found(name, JAX), None if name in PRODUCTS else _found(name, NUMPY)
    if of_jax is None:  # of another version of JAX
        return without_name(name, "JAX")
    signature = inspect.signature(of_jax)
    takes = _array_parameters(signature)

    def read(reader: Reader, *args: Any, **keywords: Any) -> Any:
        if reader.library == "numpy":
            args = tuple(_as_array(reader, one, i in takes or -1 in takes) for i, one in enumerate(args))
            keywords = {key: _as_array(reader, one, key in takes) for key, one in keywords.items()}
            if name.startswith("scipy.") and "where" in keywords:
                raise LibraryError(f"{_last(name)}() of SciPy has no 'where'.")
        if name in LOOPS and any(
            type(one) is int and one > LOOPS[name] for one in (*args, *keywords.values())
        ):
            raise Refused(f"{_last(name)}() is read up to {LOOPS[name]} times.", "", "too-large")
        try:
            signature.bind(*args, **keywords)
        except TypeError as error:
            names = ", ".join(signature.parameters)
            raise Refused(f"{_last(name)}() is read with {names}: {error}.") from None
        return call_own(reader, of_jax, of_numpy, args, keywords)

    return read


def takes_array(name: str) -> bool:
    """Return whether the first argument of a function of jax.numpy is an array, and so no list."""
    function = getattr(jnp, name, None)
    if isinstance(function, jnp.ufunc) or name in ("cross", "where"):
        return True
    return callable(function) and 0 in _array_parameters(inspect.signature(function))


def check_name(path: str) -> None:
    """Refuse a function of the tables that the library does not have, or not in this version."""
    for begin, library, module in (
        ("jax.numpy.", "JAX", jnp),
        ("jax.lax.", "JAX", lax),
        ("numpy.", "NumPy", np),
    ):
        name = path.removeprefix("autograd.").removeprefix(begin)
        if path.removeprefix("autograd.").startswith(begin) and _found(f"at.{name}", {"at": module}) is None:
            raise LibraryError(f"{library} has no {path}.", "", "unknown-function")


def without_name(name: str, library: str) -> Callable[..., Any]:
    """Return the reading of a function that a library does not have, or not in this version."""

    def read(reader: Reader, *args: Any, **keywords: Any) -> Any:
        raise LibraryError(f"{library} has no {name.removeprefix('numpy.')}().")

    return read


def own_methods(names: str) -> None:
    """Register methods of arrays that are read as those of JAX's arrays."""
    for name in names.split():
        METHODS[name] = own_method(name)


def own_method(name: str) -> Callable[..., Any]:
    """Return the reading of a method of arrays as that of JAX's arrays."""

    def of_jax(x: jax.Array, *args: Any, **keywords: Any) -> Any:
        return getattr(jnp.asarray(x), name)(*args, **keywords)

    def of_numpy(x: np.ndarray, *args: Any, **keywords: Any) -> Any:
        if not hasattr(x, name):
            raise TypeError(f"a NumPy array has no {name}()")
        return getattr(x, name)(*args, **keywords)

    of_jax.__name__ = name

    def read(reader: Reader, x: Array, *args: Any, **keywords: Any) -> Any:
        return call_own(reader, of_jax, of_numpy if x.framework == "numpy" else None, (x, *args), keywords)

    return read


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _array_parameters(signature: inspect.Signature) -> set[int | str]:
    """Return places and names of the parameters that take an array; -1 where all do."""
    found: set[int | str] = set()
    for i, (name, parameter) in enumerate(signature.parameters.items()):
        says = parameter.annotation if isinstance(parameter.annotation, str) else repr(parameter.annotation)
        if says.startswith(("ArrayLike", "jax.Array")) or "jaxlib._jax.Array" in says:
            found |= {-1} if parameter.kind is parameter.VAR_POSITIONAL else {i, name}
    return found


def _as_array(reader: Reader, value: Any, taken: bool) -> Any:
    return r_array(reader, value) if taken else value


def call_own(
    reader: Reader,
    of_jax: Callable[..., Any],
    of_numpy: Callable[..., Any] | None,
    args: Sequence[Any],
    keywords: dict[str, Any],
) -> Any:
    """Call a function as the text's library has it.

    Raises:
      Refused: it is not read with these arguments.
      LibraryError: the library itself refuses them.
    """
    arrays = arrays_in([*args, keywords])
    is_numpy = of_numpy is not None and (
        reader.library == "numpy" or getattr(args[0], "framework", "") == "numpy"
    )
    if any(one.dtype in HALVES for one in arrays):
        return _computed(reader, of_jax, args, keywords)
    if is_numpy and arrays and all(_is_known(reader, one) for one in arrays):
        try:  # whether the result is small enough
            call_jax(reader, of_jax, *args, **keywords)
        except Refused as refused:
            if refused.code == "too-large":
                raise
        return _computed(reader, of_numpy, args, keywords)
    try:
        made = call_jax(reader, of_jax, *args, **keywords)
    except Refused as refused:
        if refused.code == "too-large" or not any(_is_known(reader, one) for one in arrays):
            raise
        baked = partial(mapped, partial(_baked, reader))
        made = call_jax(reader, of_jax, *baked(args), **baked(keywords))
    if is_numpy:
        _check_numpy(reader, of_numpy, args, keywords, made)
    return made


def _is_known(reader: Reader, x: Array) -> bool:
    """Return whether the numbers of an array of whole numbers or truth values are known."""
    return x.dtype not in FLOATS and not x.traced & reader.staged and known(reader, x) is not None


def _baked(reader: Reader, x: Any) -> Any:
    """Return an array of whole numbers that are known as a constant."""
    if not isinstance(x, Array) or x.dtype != INT or not _is_known(reader, x):
        return x
    return constant(reader, known(reader, x), x.framework, x.dtype)


def _computed(reader: Reader, function: Callable[..., Any], args: Sequence[Any], keywords: Any) -> Any:
    """Return what a function makes of arrays whose numbers are known, in their own dtypes."""

    def numbers(one: Any) -> Any:
        found = known(reader, one) if isinstance(one, Array) and not one.traced else None
        if isinstance(one, Array) and found is None:
            raise Refused(
                f"{function.__name__}() of {one.dtype} is read of numbers that are known.", "", "dtype"
            )
        return _dtype(one) if found is None else found

    library = next(one.framework for one in arrays_in([*args, keywords]))
    try:
        with (
            np.errstate(all="ignore"),
            jax.numpy_dtype_promotion("standard"),
            jax.numpy_rank_promotion("allow"),
        ):
            made = function(*[mapped(numbers, one) for one in args], **mapped(numbers, keywords))
    except (TypeError, ValueError, IndexError) as error:
        raise LibraryError(str(error).splitlines()[0]) from None
    return jax.tree.map(lambda one: _constant(reader, np.asarray(one), library), made)


def _constant(reader: Reader, numbers: np.ndarray, library: str) -> Array:
    whole = np.issubdtype(numbers.dtype, np.integer)
    dtype = Whole(numbers.dtype.name) if whole else BOOL if numbers.dtype == bool else numbers.dtype.name
    return own_constant(reader, numbers, Array(0.0, library, dtype))


def _dtype(value: Any) -> Any:
    """Return a dtype as NumPy takes it; anything else as it is."""
    return value.name.rpartition(".")[2] if isinstance(value, (Path, Native)) else value


def _check_numpy(
    reader: Reader, function: Callable[..., Any], args: Sequence[Any], keywords: Any, made: Any
) -> None:
    """Refuse what NumPy refuses, or makes in another shape or dtype, of ones in the same shapes."""

    def ones(one: Any) -> Any:
        if not isinstance(one, Array):
            return _dtype(one)
        found = known(reader, one) if one.dtype == INT else None
        return (
            np.ones(sized(shape_of(reader, one)), numpy_dtype(reader, one.dtype, "numpy"))
            if found is None
            else found
        )

    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it will be taken away says nothing of its array
            right = function(*[mapped(ones, one) for one in args], **mapped(ones, keywords))
    except np.linalg.LinAlgError:  # ones are a matrix without an inverse
        return
    except (TypeError, ValueError, IndexError) as error:
        raise LibraryError(str(error).splitlines()[0]) from None
    for one, like in zip(jax.tree.leaves(made), jax.tree.leaves(right), strict=True):
        kind = "f" if one.dtype in FLOATS else "b" if one.dtype == BOOL else "i"
        if np.shape(like) != shape_of(reader, one) or np.asarray(like).dtype.kind.replace("u", "i") != kind:
            raise Refused(f"{function.__name__}() of NumPy makes another array than JAX's.")
