"""Read products of arrays as JAX's own, and what is done with small matrices, by their cofactors."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.graph.dtypes import FLOAT32, FLOAT64
from autodiff_viz.reading.functions.arrays import FUNCTIONS, METHODS, known, product, r_array, shape_of
from autodiff_viz.reading.functions.library_calls import call_jax
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Refused
from autodiff_viz.reading.nodes.builder import Builder
from autodiff_viz.reading.nodes.evaluation import Evaluation
from autodiff_viz.reading.numpy.own_functions import own_function

SOLVED = 3  # rows of a matrix that is inverted by its cofactors
POWERS = 32

einsum, kron, diagonal = (own_function(f"numpy.{name}") for name in ("einsum", "kron", "diagonal"))
FUNCTIONS["numpy.einsum"] = einsum
_matmul, _dot = own_function("numpy.matmul"), own_function("numpy.dot")


@known("numpy.matmul")
def matmul(reader: Reader, a: Any, b: Any, **options: Any) -> Array:
    """Read a product of matrices or vectors."""
    a, b = r_array(reader, a), r_array(reader, b)
    if options or 0 in (len(shape_of(reader, one)) for one in (a, b)):
        return _matmul(reader, a, b, **options)
    return product(reader, a, b)


@known("numpy.dot", "lax.dot")
def dot(reader: Reader, a: Any, b: Any, **options: Any) -> Array:
    """Read NumPy's `dot`: over the last axis of a and the last but one of b."""
    a, b = r_array(reader, a), r_array(reader, b)
    ranks = [len(shape_of(reader, one)) for one in (a, b)]
    return _dot(reader, a, b, **options) if options or ranks[1] > 2 else product(reader, a, b)


def convolve(a: jax.Array, v: jax.Array, mode="full"):
    """Return at each place a product of two vectors, the second in reverse order."""
    if a.ndim != 1 or v.ndim != 1 or mode not in ("full", "valid", "same"):
        raise TypeError("it is of two vectors")
    a, v = (v, a) if len(a) < len(v) else (a, v)
    n, k = len(a), len(v)
    full = jnp.pad(a, k - 1)[np.add.outer(np.arange(n + k - 1), np.arange(k))] @ v[::-1]
    start, count = {"full": (0, n + k - 1), "valid": (k - 1, n - k + 1), "same": ((k - 1) // 2, n)}[mode]
    return full[start : start + count]


FUNCTIONS["numpy.convolve"] = own_function("numpy.convolve", convolve)


# Small matrices, by their cofactors. JAX itself calls LAPACK for larger ones.


def _square(a, name):
    if a.ndim < 2 or a.shape[-2] != a.shape[-1] or a.shape[-1] > SOLVED:
        raise TypeError(f"{name} is read of a square matrix of at most {SOLVED} rows")
    return a.shape[-1]


def _det(a: jax.Array):
    """Return a determinant."""
    count = _square(a, "a determinant")
    if count == 1:
        return a[..., 0, 0]
    if count == 2:
        return a[..., 0, 0] * a[..., 1, 1] - a[..., 0, 1] * a[..., 1, 0]
    return jnp.sum(a[..., 0, :] * jnp.cross(a[..., 1, :], a[..., 2, :]), -1)


class SignAndLog(NamedTuple):
    """The sign of a determinant and the logarithm of its size."""

    sign: Any
    logabsdet: Any


def _slogdet(a: jax.Array) -> SignAndLog:
    value = _det(a)
    return SignAndLog(jnp.sign(value), jnp.log(jnp.abs(value)))


def _inv(a: jax.Array):
    """Return an inverse: the cofactors over the determinant."""
    count, whole = _square(a, "an inverse"), _det(a)[..., None, None]
    if count == 1:
        return 1.0 / a
    if count == 2:
        flat = [a[..., 1, 1], -a[..., 0, 1], -a[..., 1, 0], a[..., 0, 0]]
        return jnp.stack(flat, -1).reshape(a.shape) / whole
    rows = [a[..., i, :] for i in range(3)]
    return jnp.stack([jnp.cross(rows[i - 2], rows[i - 1]) for i in range(3)], -1) / whole


@jax.custom_jvp
def _refined(a: jax.Array, b: jax.Array, inverse: jax.Array) -> jax.Array:
    """Return the solution of linear equations, better by one step than what the inverse gives."""
    x = inverse @ b
    return x + inverse @ (b - a @ x)


@_refined.defjvp
def _slope(given: tuple, moved: tuple) -> tuple:
    # By the solution, as JAX has it: by the steps above what cancels out would be rounded.
    x = _refined(*given)
    return x, given[2] @ (moved[1] - moved[0] @ x)


def _solve(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return the solution of linear equations."""
    return _refined(a, b, _inv(a))


def _cholesky(a):
    """Return a Cholesky factor, row by row, of the mean of a matrix and its transpose as JAX does."""
    count = _square(a, "a Cholesky factor")
    a = (a + jnp.swapaxes(a, -1, -2)) / 2.0
    made = [[jnp.zeros(a.shape[:-2])] * count for _ in range(count)]
    for i in range(count):
        for j in range(i + 1):
            left = a[..., i, j] - sum(made[i][k] * made[j][k] for k in range(j))
            made[i][j] = jnp.sqrt(left) if i == j else left / made[j][j]
    return jnp.stack([jnp.stack(row, -1) for row in made], -2)


def matrix_power(a: jax.Array, n):
    """Return a power of a matrix."""
    if type(n) is not int or not 1 <= n <= POWERS:
        raise TypeError(f"it is read from 1 to {POWERS}")
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise TypeError("the last two axes of an array must have one size")
    made = a
    for _ in range(n - 1):
        made = made @ a
    return made


det = own_function("numpy.linalg.det", _det)
FUNCTIONS["numpy.linalg.det"] = det
slogdet = own_function("numpy.linalg.slogdet", _slogdet)
FUNCTIONS["numpy.linalg.slogdet"] = slogdet
FUNCTIONS["numpy.linalg.matrix_power"] = own_function("numpy.linalg.matrix_power", matrix_power)
_inverse = own_function("numpy.linalg.inv", _inv)
_solution = own_function("numpy.linalg.solve", _solve)


def _check_regular(reader: Reader, a: Array) -> None:
    """Refuse a matrix without an inverse, of which each library answers something else."""
    if not isinstance(reader.builder, Builder):
        return
    # Under jit and vmap the text does not see the numbers, and here they are.
    before = len(reader.builder.drafts)
    found = Evaluation(reader.builder, FLOAT64 if a.dtype == FLOAT64 else FLOAT32).value(det(reader, a).held)
    reader.builder.left_out |= {*range(before, len(reader.builder.drafts))}  # which the text has not
    if not np.all(found):
        raise Refused("This matrix has no inverse: its determinant is 0.", "Use another one.")


@known("numpy.linalg.inv")
def inv(reader: Reader, a: Any) -> Array:
    """Read an inverse."""
    a = r_array(reader, a)
    made = _inverse(reader, a)
    _check_regular(reader, a)
    return made


@known("numpy.linalg.solve", "scipy.linalg.solve")
def solve(reader: Reader, a: Any, b: Any) -> Array:
    """Read the solution of linear equations."""
    a = r_array(reader, a)
    made = _solution(reader, a, b)
    _check_regular(reader, a)
    return made


@known("numpy.linalg.cholesky")
def cholesky(reader: Reader, a: Array) -> Array:
    """Read a Cholesky factor of JAX's arrays."""
    if reader.library != "jax":
        raise Refused("cholesky() is read of JAX's arrays.")
    return call_jax(reader, _cholesky, a)


METHODS["dot"] = dot
