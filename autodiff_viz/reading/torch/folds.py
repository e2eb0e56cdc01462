"""Read functions of PyTorch that fold dimensions of a tensor, order them or multiply matrices."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autodiff_viz.reading.functions import arrays, elements
from autodiff_viz.reading.functions.arrays import constant, named_dtype, shape_of
from autodiff_viz.reading.functions.library_calls import call_jax, jax_function, say
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, FLOATS, INT, Array, Refused
from autodiff_viz.reading.nodes.costs import LibraryError, sized
from autodiff_viz.reading.numpy import linear_algebra
from autodiff_viz.reading.tensors.torch_tensors import (
    DETACHED,
    TORCH,
    Pair,
    both,
    can_have_rule,
    cast,
    declared,
    dims,
    integers,
    numbers,
    stopped,
    whole,
)
from autodiff_viz.reading.tensors.views import picked
from autodiff_viz.reading.torch.elements import divide, is_nan, promoted
from autodiff_viz.reading.torch.places import gather
from autodiff_viz.reading.torch.shapes import select_plain, squeeze_plain

# Fold.


def fold(reader: Reader, op: str, x: Any, dim: Any, keepdim: bool = False) -> Array:
    """Fold dimensions of a tensor by an op."""
    axis = dims(reader, dim)
    if not shape_of(reader, x):
        axis, keepdim = None, False
    return arrays.fold(reader, op, x, axis, bool(keepdim))


@both("sum")
def total(reader: Reader, input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Array:
    """Read a sum; of whole numbers it is one."""
    made = fold(reader, "sum", cast(reader, input, named_dtype(reader, dtype)), dim, keepdim)
    if input.dtype == BOOL and dtype is None:
        made.dtype = INT
    return made


@both("mean")
def mean(reader: Reader, input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Array:
    """Read a mean."""
    input = cast(reader, input, named_dtype(reader, dtype))
    if input.dtype in (INT, BOOL):
        raise LibraryError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or "
            "complex dtype.",
            "Write x.float().mean().",
            "integer",
        )
    return fold(reader, "mean", input, dim, keepdim)


@both("prod")
def product_of(
    reader: Reader, input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Array:
    """Read a product."""
    return fold(reader, "prod", cast(reader, input, named_dtype(reader, dtype)), dim, keepdim)


for _name, _op in {"amax": "max", "amin": "min", "logsumexp": "logsumexp"}.items():
    both(_name)(
        lambda reader, input, dim=None, keepdim=False, _op=_op: fold(reader, _op, input, dim, keepdim)
    )
both("nanmean")(
    lambda reader, input, dim=None, keepdim=False: _without_nan(reader, input, dim, keepdim, True)
)
both("nansum")(
    lambda reader, input, dim=None, keepdim=False: _without_nan(reader, input, dim, keepdim, False)
)


def _without_nan(reader: Reader, x: Array, dim: Any, keepdim: bool, averaged: bool) -> Array:
    if averaged and x.dtype not in FLOATS:
        raise LibraryError("nanmean(): expected input to have floating point or complex dtype")
    nan = is_nan(reader, x)
    summed = fold(reader, "sum", reader.make("where", [nan, 0.0, x]), dim, keepdim)
    return (
        divide(reader, summed, fold(reader, "sum", reader.make("sub", [1.0, nan]), dim, keepdim))
        if averaged
        else summed
    )


@both("max")
def largest(reader: Reader, input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Read max: of all elements, or along a dimension, where one element gets all of the gradient."""
    return _extreme(reader, "max", input, other if other is not None else dim, keepdim)


@both("min")
def smallest(reader: Reader, input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Read min, as max."""
    return _extreme(reader, "min", input, other if other is not None else dim, keepdim)


def _extreme(reader: Reader, op: str, x: Any, dim: Any, keepdim: bool) -> Any:
    if isinstance(dim, Array):
        return reader.make("maximum" if op == "max" else "minimum", [x, dim], dtype=promoted(reader, x, dim))
    if dim is None:
        return fold(reader, op, x, None, False)
    dim, shape = whole(reader, dim), shape_of(reader, x)
    if not shape:
        return Pair(x, lambda: constant(reader, 0, "torch", INT))
    size = shape[dim]
    order = [i for i in range(len(shape)) if i != dim % len(shape)] + [dim % len(shape)]
    last = x if order == list(range(len(shape))) else arrays.transpose(reader, x, tuple(order))
    chosen = last if op == "max" else reader.make("neg", [last])
    by = "x" if op == "max" else "-x"
    text = f"lambda v, x, out: expand_dims(v, -1) * one_hot(argmax({by}, axis=-1), {size})"
    reader.say(
        reader.line,
        f"{op}() along a dimension passes the gradient to one element here; JAX splits it between equals",
    )
    values = reader.make(op, [last], rule=declared(text) if can_have_rule(reader, last) else None, axis=-1)

    def indices() -> Array:
        places = _whole_numbers(reader.make("argmax", [chosen], dtype=INT, axis=-1))
        return arrays.expand(reader, places, dim) if keepdim else places

    return Pair(arrays.expand(reader, values, dim) if keepdim else values, indices)


def _whole_numbers(x: Array) -> Array:
    x.requires_grad, x.leaf, x.dtype = False, True, INT
    return x


@both("argmax")
def argmax(reader: Reader, input: Array, dim: Any = None, keepdim: bool = False) -> Array:
    """Read the place of the largest."""
    options = {} if dim is None else {"axis": whole(reader, dim)}
    made = reader.make("argmax", [input], dtype=INT, **options, **({"keepdims": True} if keepdim else {}))
    return _whole_numbers(made)


@both("argmin")
def argmin(reader: Reader, input: Array, dim: Any = None, keepdim: bool = False) -> Array:
    """Read the place of the smallest."""
    return argmax(reader, reader.make("neg", [input]), dim, keepdim)


@both("median")
def median(reader: Reader, input: Array, dim: Any = None, keepdim: bool = False) -> Any:
    """Read a median: of an even number of elements the lower one of the two in the middle."""
    reader.say(
        reader.line, "PyTorch's median is one element, of two in the middle the lower; JAX's their mean"
    )
    if dim is not None:
        return kthvalue(reader, input, (shape_of(reader, input)[whole(reader, dim)] + 1) // 2, dim, keepdim)
    return call_jax(reader, _median, input)


def _median(input):
    @jax.custom_jvp
    def middle(x):
        return jnp.sort(x)[(x.size - 1) // 2]

    def moved(given, tangents):
        made = middle(*given)
        same = jnp.where(given[0] == made, 1.0, 0.0)  # they share the gradient
        return made, (tangents[0] * same).sum() / same.sum()

    middle.defjvp(moved)
    return middle(input.reshape(-1))


KEPT_IN_ORDER = 16
"""How many equal elements of a row PyTorch's sort leaves in their order, without `stable=True`."""


def _ranked(
    reader: Reader, x: Array, dim: Any, descending: bool = False, stable: Any = None
) -> tuple[Array, Callable[[], np.ndarray]]:
    """Return a sorted tensor, and the places that its elements come from.

    Raises:
      Refused: of equal elements, whose order nobody can foretell; also if a gradient passes to them.
    """
    axis = whole(reader, dim)

    def places() -> np.ndarray:
        found = numbers(reader, Array(x.held, "torch", "float32"), "An order")
        if not stable and found.ndim and found.shape[axis] > KEPT_IN_ORDER:
            ordered = np.moveaxis(np.sort(found, axis=axis), axis, 0)
            if (ordered[1:] == ordered[:-1]).any():
                raise Refused(
                    f"PyTorch keeps no order of equal numbers among more than {KEPT_IN_ORDER}.",
                    "Write stable=True, or make them differ.",
                )
        return np.argsort(-found if descending else found, axis=axis, kind="stable")

    if x.requires_grad and not reader.no_grad:
        places()
    return reader.make("sort", [x], axis=axis, **({"descending": True} if descending else {})), places


@both("sort")
def sort(reader: Reader, input: Array, dim: int = -1, descending: bool = False, stable: Any = None) -> Pair:
    """Read a sort."""
    if not descending:
        values, places = _ranked(reader, input, dim, stable=stable)
        return Pair(values, lambda: integers(reader, places()))
    # Equal elements keep their order in PyTorch, and the op turns it: so they are picked by their places.
    _, places = _ranked(reader, input, dim, True, stable)
    found = places()
    return Pair(gather(reader, input, dim, integers(reader, found)), lambda: integers(reader, found))


both("msort")(lambda reader, input: sort(reader, input, 0)[0])


@both("argsort")
def argsort(
    reader: Reader, input: Array, dim: int = -1, descending: bool = False, stable: Any = None
) -> Array:
    """Read the places of a sort."""
    return integers(reader, _ranked(reader, input, dim, descending, stable)[1]())


@both("topk")
def topk(
    reader: Reader, input: Array, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> Pair:
    """Read the k largest; which of equal ones PyTorch takes is not known, so they must differ."""
    axis, count = whole(reader, dim), whole(reader, k)
    if not sorted:
        raise Refused("topk() with sorted=False gives an order that nobody can foretell.", "Leave it out.")
    places = _ranked(reader, input, axis, largest, stable=True)[1]()
    found = np.take_along_axis(
        numbers(reader, Array(input.held, "torch", "float32"), "An order"), places, axis
    )
    near = np.moveaxis(found, axis, 0)[: count + 1]
    if (near[1:] == near[:-1]).any():
        raise Refused(
            "topk() of equal numbers takes one of them that nobody can foretell.", "Make them differ."
        )
    first = np.take(places, range(count), axis=axis)
    return Pair(gather(reader, input, axis, integers(reader, first)), lambda: integers(reader, first))


@both("kthvalue")
def kthvalue(reader: Reader, input: Array, k: int, dim: int = -1, keepdim: bool = False) -> Pair:
    """Read the k-th smallest, to which alone the gradient passes."""
    axis, count = whole(reader, dim), whole(reader, k)
    found = numbers(reader, Array(input.held, "torch", "float32"), "An order")
    if found.ndim and not 0 < count <= found.shape[axis]:
        raise LibraryError(f"kthvalue(): selected number k out of range for dimension {axis}")
    place = np.take(np.argsort(found, axis=axis, kind="stable"), [count - 1], axis=axis)
    same = (found == np.take_along_axis(found, place, axis)).sum(axis)
    if (same > 1).any():
        raise Refused("Which of equal numbers is taken here nobody can foretell.", "Make them differ.")
    values = gather(reader, input, axis, integers(reader, place))
    if not keepdim:
        values, place = squeeze_plain(reader, values, axis), np.squeeze(place, axis)
    return Pair(values, lambda: integers(reader, place))


@both("quantile")
@jax_function
def quantile(input, q, dim=None, keepdim=False):
    """Return a quantile: between two neighbours in order, in proportion."""
    if not isinstance(q, (int, float)) or (dim is None and keepdim):
        raise Refused("quantile() is read with one number.")
    x, axis = (input.reshape(-1), 0) if dim is None else (input, dim)
    ordered, at = jnp.sort(x, axis), q * (x.shape[axis] - 1)
    low, high = (lax.index_in_dim(ordered, i, axis, keepdim) for i in (math.floor(at), math.ceil(at)))
    share = at - math.floor(at)
    return low + share * (high - low) if share else low


def _variance(x, dim, unbiased, keepdim, correction):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    axes = tuple(dim) if isinstance(dim, list) else dim
    ddof = int(unbiased) if correction is None else correction
    if ddof == 1:
        say("PyTorch's var divides by n - 1")
    centred = x - x.mean(axes, keepdims=True)
    squares = jnp.square(centred).sum(axes, keepdims=keepdim)
    count = x.size // max(squares.size, 1) - ddof
    return squares / count if count > 0 else _variance_of_too_few(x, axes, keepdim, count)


def _variance_of_too_few(x, axes, keepdim, count):
    """Return a variance that is over 0 or less: infinite, and NaN where all is equal; so are its slopes."""

    @jax.custom_jvp
    def value(x):
        return jnp.square(x - x.mean(axes, keepdims=True)).sum(axes, keepdims=keepdim) / 0.0

    def moved(given, tangents):
        (x,), (moves,) = given, tangents
        apart = x - x.mean(axes, keepdims=True)
        slopes = jnp.where(apart == 0, jnp.nan, jnp.inf) if axes is None else jnp.divide(2 * apart, count)
        return value(x), (slopes * moves).sum(axes, keepdims=keepdim)

    value.defjvp(moved)
    return value(x)


@both("var")
@jax_function
def var(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    """Return a variance, which is over n - 1 unless it is told otherwise."""
    return _variance(input, dim, unbiased, keepdim, correction)


@both("std")
@jax_function
def std(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    """Return a standard deviation, whose gradient at 0 is 0."""
    say("the gradient of std at 0 is 0 here; JAX's is NaN")
    return elements.root(_variance(input, dim, unbiased, keepdim, correction))


for _name, _read in (("var_mean", var), ("std_mean", std)):
    TORCH[f"torch.{_name}"] = lambda reader, input, dim=None, keepdim=False, _read=_read, **kw: (
        _read(reader, input, dim, keepdim=keepdim, **kw),
        mean(reader, input, dim, keepdim),
    )


@both("norm")
def norm(
    reader: Reader, input: Any, p: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Array:
    """Read a norm along dimensions."""
    return call_jax(
        reader,
        elements.norm,
        cast(reader, input, named_dtype(reader, dtype)),
        p,
        dims(reader, dim),
        bool(keepdim),
    )


@arrays.known("torch.linalg.vector_norm", table=TORCH)
def vector_norm(
    reader: Reader, x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Array:
    """Read a norm of the elements in a row, or along dimensions."""
    return norm(reader, x, ord, dim, keepdim, dtype=dtype)


@arrays.known("torch.linalg.norm", table=TORCH)
def linalg_norm(
    reader: Reader, A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Array:
    """Read a norm of `torch.linalg`: of a vector, or with `ord` of a matrix."""
    pair = len(dim) == 2 if isinstance(dim, (tuple, list)) else dim is None and len(shape_of(reader, A)) > 1
    if ord is None or not pair:
        return norm(reader, A, ord, dim, keepdim, dtype=dtype)
    if dim is None and len(shape_of(reader, A)) > 2:
        raise LibraryError("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D.")
    return matrix_norm(reader, A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)


@arrays.known("torch.linalg.matrix_norm", table=TORCH)
def matrix_norm(
    reader: Reader,
    A: Any,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Array:
    """Read a norm of matrices: that of all their elements, or the largest sum of a column or a row."""
    if ord == "fro":
        return norm(reader, A, 2, dim, keepdim, dtype=dtype)
    if isinstance(ord, str) or abs(ord) not in (1, math.inf):
        raise Refused(
            f"The norm of order {ord} of a matrix is not read: there is no op for singular values.",
            "There are 'fro', 1 and inf.",
        )
    along = dims(reader, dim) if abs(ord) == 1 else dims(reader, dim)[::-1]
    return call_jax(
        reader, _matrix_norm, cast(reader, A, named_dtype(reader, dtype)), ord, along, bool(keepdim)
    )


def _matrix_norm(x, ord, dim, keepdim):
    sums = elements.absolute(x).sum(dim[0], keepdims=True)
    made = (jnp.max if ord > 0 else jnp.min)(sums, dim[1], keepdims=True)
    return made if keepdim else made.squeeze(tuple(dim))


@both("dist")
@jax_function
def dist(input, other, p=2):
    """Return the norm of a difference."""
    return elements.norm(input - other, p)


@arrays.known("torch.cdist", table=TORCH)
@jax_function
def cdist(x1, x2, p=2.0):
    """Return the distances between points of two sets."""
    return elements.norm(x1[..., :, None, :] - x2[..., None, :, :], p, -1)


both("cumsum")(
    lambda reader, input, dim, *, dtype=None: reader.make(
        "cumsum", [cast(reader, input, named_dtype(reader, dtype))], axis=whole(reader, dim)
    )
)


def _running(reader: Reader, x: Array, dim: Any, step: Callable[[Array, Array], Array]) -> Array:
    """Return what a step makes of the elements one after the other, along a dimension."""
    axis = whole(reader, dim) % len(shape_of(reader, x))
    parts = [select_plain(reader, x, axis, i) for i in range(shape_of(reader, x)[axis])]
    if len(parts) > 64:
        raise Refused("This is unrolled for at most 64 elements.", "Use fewer.", "too-large")
    results = parts[:1]
    for part in parts[1:]:
        results.append(step(results[-1], part))
    return reader.make("stack", results, axis=axis)


@both("cumprod")
def cumprod(reader: Reader, input: Array, dim: int, *, dtype: Any = None) -> Array:
    """Read a running product."""
    return _running(
        reader, cast(reader, input, named_dtype(reader, dtype)), dim, lambda a, b: reader.make("mul", [a, b])
    )


@both("logcumsumexp")
def logcumsumexp(reader: Reader, input: Array, dim: int) -> Array:
    """Read a running logsumexp."""
    return _running(
        reader,
        input,
        dim,
        lambda a, b: reader.make("logsumexp", [reader.make("stack", [a, b], axis=0)], axis=0),
    )


def _no_places() -> Array:
    raise Refused("The places of a running extreme are not read.")


for _name, _op in {"cummax": "greater_equal", "cummin": "less_equal"}.items():

    @both(_name)
    def _running_extreme(reader: Reader, input: Array, dim: int, *, _op: str = _op) -> Pair:
        """Read a running maximum or minimum; of equal ones the last gets the gradient in PyTorch."""

        def last(a: Array, b: Array) -> Array:
            return reader.make("where", [reader.make(_op, [b, a], dtype=BOOL), b, a])

        return Pair(_running(reader, input, dim, last), _no_places)


def _soft(name: str) -> None:
    """Register a softmax: of `torch` it must be told its dimension."""

    def read(reader: Reader, input: Array, dim: int, dtype: Any = None) -> Array:
        return reader.make(name, [cast(reader, input, named_dtype(reader, dtype))], axis=whole(reader, dim))

    def functional(
        reader: Reader, input: Array, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None
    ) -> Array:
        if dim is None:  # as PyTorch chooses, with a warning
            dim = 0 if len(shape_of(reader, input)) in (0, 1, 3) else 1
        return read(reader, input, dim, dtype)

    both(name)(read)
    TORCH[f"torch.nn.functional.{name}"] = functional


_soft("softmax")
_soft("log_softmax")
TORCH["torch.nn.functional.softmin"] = lambda reader, input, dim=None: TORCH["torch.nn.functional.softmax"](
    reader, reader.make("neg", [input]), dim
)


# Multiply matrices.


PRODUCTS = {"mm": (2, 2), "mv": (2, 1), "bmm": (3, 3), "dot": (1, 1), "vdot": (1, 1)}
"""How many dimensions the tensors of a product have, where it is not any number."""


def _product(reader: Reader, name: str, input: Any, other: Any) -> Array:
    ranks = tuple(len(shape_of(reader, one)) for one in (input, other))
    if ranks != PRODUCTS[name]:
        raise LibraryError(f"{name}(): the tensors have {PRODUCTS[name]} dimensions, and these {ranks}.")
    return matmul(reader, input, other)


@both("matmul")
def matmul(reader: Reader, input: Any, other: Any) -> Array:
    """Read a product of matrices or vectors."""
    if isinstance(input, Array) and isinstance(other, Array):
        a, b = shape_of(reader, input), shape_of(reader, other)
        if input.dtype in FLOATS and other.dtype in FLOATS and input.dtype != other.dtype:
            raise LibraryError(
                f"expected m1 and m2 to have the same dtype, but got: {input.dtype} != {other.dtype}.",
                "Write .float() or .double().",
                "dtype",
            )
        if (input.dtype in FLOATS) != (other.dtype in FLOATS):
            raise LibraryError(
                "expected both to have the same dtype, and one is whole numbers.", "Write .float()."
            )
        if not a or not b:
            raise LibraryError("both arguments to matmul need to be at least 1D.", "Write a * b.")
        if a[-1] != b[-2 if len(b) > 1 else 0]:
            raise LibraryError(f"mat1 and mat2 shapes cannot be multiplied ({list(a)} and {list(b)}).")
    return arrays.product(reader, input, other)


for _name in PRODUCTS:
    both(_name)(lambda reader, input, other, _name=_name: _product(reader, _name, input, other))


TORCH["torch.linalg.multi_dot"] = TORCH["torch.chain_matmul"] = lambda reader, tensors: _chain(
    reader, tensors
)


def _chain(reader: Reader, tensors: Sequence[Array]) -> Array:
    ranks = [len(shape_of(reader, one)) for one in tensors]
    if not {*ranks[1:-1]} <= {2} or not {ranks[0], ranks[-1]} <= {1, 2}:
        raise LibraryError("multi_dot(): the tensors must be 2D, the first and last 1D or 2D")
    made = tensors[0]
    for one in tensors[1:]:
        made = matmul(reader, made, one)
    return made


@both("inner")
def inner(reader: Reader, input: Array, other: Array) -> Array:
    """Read an inner product of vectors."""
    if len(shape_of(reader, input)) != 1 or len(shape_of(reader, other)) != 1:
        raise Refused("inner() is read of vectors.", "Write a @ b.T.")
    return matmul(reader, input, other)


@both("outer", "ger")
def outer(reader: Reader, input: Array, vec2: Array) -> Array:
    """Read an outer product."""
    for one in (input, vec2):
        if len(shape_of(reader, one)) != 1:
            raise LibraryError(f"outer: Expected 1-D argument, but got {len(shape_of(reader, one))}-D")
    return reader.make("mul", [arrays.expand(reader, input, 1), arrays.expand(reader, vec2, 0)])


def _added(reader: Reader, x: Any, product: Array, beta: Any, alpha: Any) -> Array:
    given, made = shape_of(reader, x), shape_of(reader, product)
    if len(given) > len(made) or any(
        side not in (1, other) for side, other in zip(given[::-1], made[::-1], strict=False)
    ):
        raise LibraryError(f"The expanded size of the tensor must match: {list(given)} and {list(made)}.")
    scaled = product if alpha == 1 else reader.make("mul", [alpha, product])
    if beta == 0:  # then nothing of x counts, not even NaN; its gradient is 0
        return reader.make("where", [0.0, x, scaled])
    return reader.make("add", [x if beta == 1 else reader.make("mul", [beta, x]), scaled])


for _name, _of in {"addmm": "mm", "addmv": "mv", "baddbmm": "bmm"}.items():
    both(_name)(
        lambda reader, input, a, b, *, beta=1, alpha=1, _of=_of: _added(
            reader, input, _product(reader, _of, a, b), beta, alpha
        )
    )
both("addr")(
    lambda reader, input, a, b, *, beta=1, alpha=1: _added(reader, input, outer(reader, a, b), beta, alpha)
)


@arrays.known("torch.einsum", table=TORCH)
def einsum(reader: Reader, equation: str, *operands: Any) -> Array:
    """Read an einsum, whose tensors may stand in a list."""
    listed = len(operands) == 1 and isinstance(operands[0], (list, tuple))
    return linear_algebra.einsum(reader, equation, *(operands[0] if listed else operands))


both("kron")(linear_algebra.kron)


def diagonal_plain(reader: Reader, x: Array, first: int = 0, second: int = 1, offset: int = 0) -> Array:
    """Return a diagonal as the last dimension."""
    return linear_algebra.diagonal(
        reader, x, whole(reader, offset), whole(reader, first), whole(reader, second)
    )


@both("diagonal")
def diagonal(reader: Reader, input: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """Read a diagonal, which is a view."""

    def derive(reader: Reader, parent: Array) -> Array:
        return diagonal_plain(reader, parent, dim1, dim2, offset)

    return picked(reader, input, derive, (dim1, dim2), offset)


@both("diag")
def diag(reader: Reader, input: Array, diagonal: int = 0) -> Array:
    """Read a diagonal: of a matrix, or a matrix with one."""
    rank = len(shape_of(reader, input))
    if rank not in (1, 2):
        raise LibraryError(f"diag(): Supports 1D or 2D tensors. Got {rank}D")
    if rank == 2:
        return diagonal_plain(reader, input, offset=diagonal)
    if diagonal:
        raise Refused("diag() of a vector is read for the main diagonal.")
    return diag_embed(reader, input)


@both("diag_embed")
def diag_embed(reader: Reader, input: Array) -> Array:
    """Read matrices with given diagonals."""
    size = shape_of(reader, input)[-1]
    mask = constant(reader, np.eye(*sized((size, size))), "torch", BOOL)
    return reader.make("where", [mask, arrays.expand(reader, input, -1), 0.0])


both("trace")(lambda reader, input: reader.make("sum", [diagonal_plain(reader, input)]))


def _triangle(reader: Reader, x: Array, mask: np.ndarray) -> Array:
    if not x.is_node and isinstance(x.held, tuple):
        return constant(reader, np.where(mask, np.array(x.held), 0.0), "torch", x.dtype)
    return reader.make("where", [constant(reader, mask.astype(float), "torch", BOOL), x, 0.0], dtype=x.dtype)


def _half(name: str, cut: Callable[..., np.ndarray]) -> None:
    """Register a triangle of a matrix."""

    def read(reader: Reader, input: Array, diagonal: int = 0) -> Array:
        shape = shape_of(reader, input)
        if len(shape) < 2:
            raise LibraryError(f"{name}: input tensor must have at least 2 dimensions")
        return _triangle(reader, input, cut(np.ones(sized(shape[-2:])), whole(reader, diagonal)))

    both(name)(read)


_half("tril", np.tril)
_half("triu", np.triu)


both("det")(linear_algebra.det)
both("inverse")(linear_algebra.inv)


@both("slogdet")
def slogdet(reader: Reader, A: Array) -> linear_algebra.SignAndLog:
    """Read the sign of a determinant, which has no gradient, and the logarithm of its size."""
    sign, log = linear_algebra.slogdet(reader, A)
    return linear_algebra.SignAndLog(
        stopped(reader, sign, DETACHED, "the sign of a determinant has no gradient"), log
    )


TORCH["torch.linalg.slogdet"] = slogdet
TORCH["torch.linalg.det"], TORCH["torch.linalg.inv"] = linear_algebra.det, linear_algebra.inv
TORCH["torch.linalg.solve"] = lambda reader, A, B: linear_algebra.solve(reader, A, B)
both("logdet")(lambda reader, input: reader.make("log", [linear_algebra.det(reader, input)]))
