"""Read products of arrays and small matrices: einsum, norms, diagonals, determinants, inverses."""

from __future__ import annotations

import ast
from itertools import permutations
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.reading.arrays import (
    FUNCTIONS,
    METHODS,
    constant,
    fold,
    getitem,
    known,
    product,
    r_array,
    reshape,
    shape_of,
    transpose,
)
from autodiff_viz.reading.costs import sized
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.values import Array, Refused

SOLVED = 3  # rows of a matrix that is inverted by its cofactors


def _ranked(r: Interpreter, x: Any) -> tuple[Any, int]:
    x = r_array(r, x)
    return x, len(shape_of(r, x))


def _no_precision(options: dict[str, Any]) -> None:
    """Refuse options that change numbers; how exactly a product is computed is none on a processor."""
    wrong = {name for name in options if name not in ("precision", "optimize") and options[name] is not None}
    if wrong:
        raise Refused(f"A product is not read with {', '.join(sorted(wrong))}.")


@known("numpy.matmul")
def matmul(r: Interpreter, a: Any, b: Any, **options: Any) -> Array:
    """Read a product of matrices or vectors."""
    _no_precision(options)
    (a, m), (b, n) = _ranked(r, a), _ranked(r, b)
    if 0 in (m, n):
        raise Refused("A number is no matrix.", "Write a * b.", "shape")
    return product(r, a, b)


@known("numpy.dot", "lax.dot")
def dot(r: Interpreter, a: Any, b: Any, **options: Any) -> Array:
    """Read NumPy's `dot`: over the last axis of a and the last but one of b."""
    _no_precision(options)
    (a, m), (b, n) = _ranked(r, a), _ranked(r, b)
    if 0 in (m, n):
        return r.make("mul", [a, b])
    if n > 2:
        letters = "abcdefgh"
        left, right = letters[: m - 1] + "z", letters[m - 1 : m + n - 3] + "z" + "y"
        return einsum(r, f"{left},{right}->{left[:-1]}{right[:-2]}y", a, b)
    return r.make("dot" if (m, n) == (1, 1) else "matmul", [a, b])


@known("numpy.vdot")
def vdot(r: Interpreter, a: Any, b: Any) -> Array:
    """Read the sum of all products."""
    a, b = (reshape(r, one, -1) if n != 1 else one for one, n in (_ranked(r, a), _ranked(r, b)))
    return r.make("dot", [a, b])


@known("numpy.inner")
def inner(r: Interpreter, a: Any, b: Any) -> Array:
    """Read products summed over both last axes."""
    (a, m), (b, n) = _ranked(r, a), _ranked(r, b)
    if (m, n) == (1, 1) or 0 in (m, n):
        return dot(r, a, b)
    letters = "abcdefgh"
    left, right = letters[: m - 1], letters[m - 1 : m + n - 2]
    return einsum(r, f"{left}z,{right}z->{left}{right}", a, b)


@known("numpy.outer")
def outer(r: Interpreter, a: Any, b: Any) -> Array:
    """Read all products of two vectors."""
    return r.make("mul", [reshape(r, r_array(r, a), -1, 1), reshape(r, r_array(r, b), 1, -1)])


@known("numpy.kron")
def kron(r: Interpreter, a: Any, b: Any) -> Array:
    """Read a Kronecker product: every element of one array times the other, side by side."""
    (a, m), (b, n) = _ranked(r, a), _ranked(r, b)
    rank = max(m, n)
    if not 0 < 2 * rank <= limits.RANK:
        raise Refused(f"kron() is read of arrays of 1 to {limits.RANK // 2} axes.")
    first, second = ((1,) * (rank - len(one)) + one for one in (shape_of(r, a), shape_of(r, b)))
    a = reshape(r, a, tuple(side for each in first for side in (each, 1)))
    b = reshape(r, b, tuple(side for each in second for side in (1, each)))
    return reshape(r, r.make("mul", [a, b]), tuple(p * q for p, q in zip(first, second, strict=True)))


@known("numpy.tensordot")
def tensordot(r: Interpreter, a: Any, b: Any, axes: Any = 2) -> Array:
    """Read products summed over axes that are paired."""
    (a, m), (b, n) = _ranked(r, a), _ranked(r, b)
    if type(axes) is int and not 0 <= axes <= min(m, n):
        raise Refused(f"tensordot() cannot pair {axes} axes of arrays with {m} and {n}.")
    if type(axes) is int:
        pairs = [(m - axes + i, i) for i in range(axes)]
    else:
        left, right = ([one] if type(one) is int else list(one) for one in axes)
        pairs = [(i % m, j % n) for i, j in zip(left, right, strict=True)]
    first = list("abcdefgh"[:m])
    second = list("ijklmnop"[:n])
    for i, j in pairs:
        second[j] = first[i]
    out = [c for i, c in enumerate(first) if i not in {p for p, _ in pairs}]
    out += [c for j, c in enumerate(second) if j not in {q for _, q in pairs}]
    return einsum(r, f"{''.join(first)},{''.join(second)}->{''.join(out)}", a, b)


@known("numpy.einsum")
def einsum(r: Interpreter, subscripts: str, *arrays: Any, **options: Any) -> Array:
    """Read Einstein's sums: operand by operand, each pair as one matrix product."""
    _no_precision(options)
    if not isinstance(subscripts, str) or not arrays:
        raise Refused("einsum() is read with a text such as 'ij,jk->ik'.")
    operands = [_ranked(r, one) for one in arrays]
    terms, out = _subscripts(subscripts.replace(" ", ""), [rank for _, rank in operands])
    parts = [_diagonal(r, x, letters) for (x, _), letters in zip(operands, terms, strict=True)]
    x, letters = parts[0]
    for i, (y, more) in enumerate(parts[1:], 1):
        later = set(out).union(*(rest for _, rest in parts[i + 1 :]))
        x, letters = _joined(r, x, letters, y, more, later)
    gone = [i for i, letter in enumerate(letters) if letter not in out]
    if gone:
        x = fold(r, "sum", x, tuple(gone), False)
        letters = "".join(letter for letter in letters if letter in out)
    if letters != out:
        x = transpose(r, x, tuple(letters.index(letter) for letter in out))
    return x


def _subscripts(text: str, ranks: list[int]) -> tuple[list[str], str]:
    """Return the letters of each operand and of the result."""
    left, arrow, out = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise Refused(f"einsum() names {len(terms)} arrays, and {len(ranks)} are given.")
    spare = [c for c in "ABCDEFGHIJ" if c not in text]
    most = max(
        (
            rank - len(term.replace("...", ""))
            for term, rank in zip(terms, ranks, strict=True)
            if "..." in term
        ),
        default=0,
    )
    if not 0 <= most <= limits.RANK:
        raise Refused("einsum() names more axes than an array has.")
    wild = "".join(spare[:most])
    done = []
    for term, rank in zip(terms, ranks, strict=True):
        if "..." in term:
            count = rank - len(term.replace("...", ""))
            term = term.replace("...", wild[most - count :] if count else "")
        if len(term) != rank or not (term.isalpha() or not term):
            raise Refused(f"einsum() names {len(term)} axes of an array that has {rank}.", "", "shape")
        done.append(term)
    if arrow:
        out = out.replace("...", wild)
    else:
        every = "".join(done)
        once = sorted(c for c in set(every) if every.count(c) == 1 and c not in wild)
        out = wild + "".join(once)
    if len(set(out)) != len(out) or not set(out) <= set("".join(done)):
        raise Refused("The result of einsum() names each axis once, and only axes of the arrays.")
    return done, out


def _diagonal(r: Interpreter, x: Any, letters: str) -> tuple[Any, str]:
    """Return an operand with each letter once: two axes of one letter are read along their diagonal."""
    for letter in set(letters):
        while letters.count(letter) > 1:
            i = letters.index(letter)
            j = letters.index(letter, i + 1)
            x = diagonal(r, x, axis1=i, axis2=j)
            letters = letters[:i] + letters[i + 1 : j] + letters[j + 1 :] + letter
    return x, letters


def _joined(r: Interpreter, a: Any, first: str, b: Any, second: str, later: set[str]) -> tuple[Any, str]:
    """Return the product of two operands, summed over letters that nothing later needs."""
    a, first = _summed(r, a, first, set(second) | later)
    b, second = _summed(r, b, second, set(first) | later)
    both = [c for c in first if c in second]
    batch = [c for c in both if c in later]
    folded = [c for c in both if c not in later]
    left = [c for c in first if c not in second]
    right = [c for c in second if c not in first]
    sizes = dict(zip(first, shape_of(r, a), strict=True))
    for c, size in zip(second, shape_of(r, b), strict=True):
        if c in sizes and sizes[c] != size and 1 not in (sizes[c], size):
            raise Refused(f"einsum() gives {c!r} the lengths {sizes[c]} and {size}.", "", "shape")
        sizes[c] = max(size, sizes.get(c, 1))
    if not folded:  # nothing is summed: a product element by element
        out = [*batch, *left, *right]
        a = _arranged(r, a, first, [*batch, *left], [*(sizes[c] for c in (*batch, *left)), *[1] * len(right)])
        lengths = [*(sizes[c] for c in batch), *[1] * len(left), *(sizes[c] for c in right)]
        b = _arranged(r, b, second, [*batch, *right], lengths)
        return r.make("mul", [a, b]), "".join(out)
    m, k, n = (prod(sizes[c] for c in group) for group in (left, folded, right))
    front = [sizes[c] for c in batch]
    a = _arranged(r, a, first, [*batch, *left, *folded], [*front, m, k])
    b = _arranged(r, b, second, [*batch, *folded, *right], [*front, k, n])
    whole = r.make("matmul", [a, b])
    shape = (*front, *(sizes[c] for c in left), *(sizes[c] for c in right))
    return reshape(r, whole, shape), "".join([*batch, *left, *right])


def _summed(r: Interpreter, x: Any, letters: str, needed: set[str]) -> tuple[Any, str]:
    gone = [i for i, letter in enumerate(letters) if letter not in needed]
    if not gone:
        return x, letters
    return fold(r, "sum", x, tuple(gone), False), "".join(c for c in letters if c in needed)


def _arranged(r: Interpreter, x: Any, letters: str, order: list[str], shape: list[int]) -> Any:
    axes = tuple(letters.index(letter) for letter in order)
    if axes != tuple(range(len(axes))):
        x = transpose(r, x, axes)
    return reshape(r, x, tuple(shape))


@known("numpy.convolve")
def convolve(r: Interpreter, a: Array, v: Array, mode: str = "full") -> Array:
    """Read a convolution of two vectors: at each place a product with the other in reverse order."""
    first, second = shape_of(r, a), shape_of(r, v)
    if len(first) != 1 or len(second) != 1 or mode not in ("full", "valid", "same"):
        raise Refused("convolve() is read of two vectors.")
    if first[0] < second[0]:
        a, v, first, second = v, a, second, first
    n, k = first[0], second[0]
    if n + k > 256:
        raise Refused("A convolution is read of at most 256 places.", "", "too-large")
    margin = r.make("zeros_like", [getitem(r, v, slice(None, k - 1))]) if k > 1 else None
    wide = a if margin is None else r.make("concatenate", [margin, a, margin], axis=0)
    turned = getitem(r, v, slice(None, None, -1))
    places = np.add.outer(*map(np.arange, sized((n + k - 1, k))))
    windows = FUNCTIONS["numpy.take"](r, wide, constant(r, places, "jax", "int"), 0)
    full = r.make("matmul", [windows, turned])
    start, count = {"full": (0, n + k - 1), "valid": (k - 1, n - k + 1), "same": ((k - 1) // 2, n)}[mode]
    return full if mode == "full" else getitem(r, full, slice(start, start + count))


LAYOUT = ("NHWC", "HWIO", "NHWC")


@known("lax.conv_general_dilated")
def conv_general(
    r: Interpreter,
    lhs: Array,
    rhs: Array,
    window_strides: Any = (1, 1),
    padding: Any = "VALID",
    lhs_dilation: Any = None,
    rhs_dilation: Any = None,
    dimension_numbers: Any = None,
    feature_group_count: int = 1,
    *,
    precision: Any = None,
) -> Array:
    """Read a convolution of images: with its axes in the order that the op has."""
    if lhs_dilation not in (None, (1, 1)) or rhs_dilation not in (None, (1, 1)) or feature_group_count != 1:
        raise Refused("A convolution is read without dilation and groups.")
    layout = dimension_numbers or ("NCHW", "OIHW", "NCHW")
    if not isinstance(layout, (tuple, list)) or any(
        sorted(str(one)) != sorted(ours) for one, ours in zip(layout, LAYOUT, strict=True)
    ):
        raise Refused(
            "A convolution is read of images: ('NHWC', 'HWIO', 'NHWC') or an order of these letters."
        )
    strides = set(window_strides)
    if len(strides) != 1 or type(next(iter(strides))) is not int:
        raise Refused("A convolution is read with one stride for both axes.")
    x, w = (
        transpose(r, one, tuple(names.index(c) for c in ours)) if names != ours else one
        for one, names, ours in zip((lhs, rhs), layout, LAYOUT, strict=False)
    )
    if not isinstance(padding, str):
        x = FUNCTIONS["numpy.pad"](r, x, ((0, 0), *(tuple(one) for one in padding), (0, 0)))
        padding = "VALID"
    bias = r.make("broadcast_to", [0.0], shape=(shape_of(r, w)[-1],))
    (stride,) = strides
    options = {"stride": stride} if stride != 1 else {}
    made = r.make("conv2d", [x, w, bias], **options, **({"padding": "SAME"} if padding == "SAME" else {}))
    if padding not in ("SAME", "VALID"):
        raise Refused("A margin is 'SAME', 'VALID', or pairs of whole numbers.")
    if layout[2] == LAYOUT[2]:
        return made
    return transpose(r, made, tuple(LAYOUT[2].index(c) for c in layout[2]))


@known("lax.conv_with_general_padding")
def conv_padded(
    r: Interpreter,
    lhs: Array,
    rhs: Array,
    window_strides: Any,
    padding: Any,
    lhs_dilation: Any,
    rhs_dilation: Any,
    precision: Any = None,
) -> Array:
    """Read a convolution of images with the channels before the places, and a margin."""
    return conv_general(r, lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation)


@known("lax.conv")
def conv(
    r: Interpreter, lhs: Array, rhs: Array, window_strides: Any, padding: Any, precision: Any = None
) -> Array:
    """Read a convolution of images with the channels before the places."""
    return conv_general(r, lhs, rhs, window_strides, padding)


# Norms.


@known("numpy.linalg.norm")
def norm(r: Interpreter, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """Read a norm: the Euclidean one, the sum or the maximum of sizes, or that of a power."""
    x, rank = _ranked(r, x)
    vector = type(axis) is int or (axis is None and rank == 1)
    if ord is None or (ord == "fro" and not vector) or (ord == 2 and vector):
        return fold(r, "norm", x, axis, keepdims)
    if vector and ord == 1:
        return fold(r, "sum", r.make("abs", [x]), axis, keepdims)
    if vector and isinstance(ord, float) and ord in (float("inf"), float("-inf")):
        return fold(r, "max" if ord > 0 else "min", r.make("abs", [x]), axis, keepdims)
    if vector and isinstance(ord, (int, float)) and ord > 0:
        powers = fold(r, "sum", r.make("pow", [r.make("abs", [x]), float(ord)]), axis, keepdims)
        return r.make("pow", [powers, 1.0 / ord])
    raise Refused("This norm of a matrix is not read.", "Write it out, such as sqrt(sum(x ** 2)).")


# Diagonals and triangles.


def _mask(r: Interpreter, x: Array, keep: np.ndarray) -> Array:
    return r.make("where", [constant(r, keep.astype(float), x.framework, "bool"), x, 0.0], dtype=x.dtype)


@known("numpy.tril")
def tril(r: Interpreter, x: Array, k: int = 0) -> Array:
    """Read the lower triangle."""
    return _mask(r, x, np.tril(np.ones(sized(shape_of(r, x)[-2:])), k))


@known("numpy.triu")
def triu(r: Interpreter, x: Array, k: int = 0) -> Array:
    """Read the upper triangle."""
    return _mask(r, x, np.triu(np.ones(sized(shape_of(r, x)[-2:])), k))


@known("numpy.tri")
def tri(r: Interpreter, N: int, M: Any = None, k: int = 0) -> Array:
    """Read a triangle of ones."""
    dtype = "float32" if r.library == "jax" and not r.wide else "float64"
    return constant(r, np.tri(*sized((N, N if M is None else M)), k), r.library, dtype)


@known("numpy.diagonal")
def diagonal(r: Interpreter, x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Read a diagonal, as the last axis."""
    shape = shape_of(r, x)
    rank = len(shape)
    axis1, axis2 = axis1 % rank, axis2 % rank
    others = [i for i in range(rank) if i not in (axis1, axis2)]
    x = transpose(r, x, (*others, axis1, axis2)) if rank > 2 or axis1 > axis2 else x
    rows, columns = shape[axis1], shape[axis2]
    first, start = max(-offset, 0), max(offset, 0)
    count = min(rows - first, columns - start)
    if count < 1:
        raise Refused("This diagonal is empty.")
    x = getitem(r, x, (..., slice(first, first + count), slice(start, start + count)))
    kept = _mask(r, x, np.eye(*sized((count, count))))
    return r.make("sum", [kept], dtype=x.dtype, axis=-1)


@known("numpy.diag")
def diag(r: Interpreter, x: Any, k: int = 0) -> Array:
    """Read the diagonal of a matrix, or a matrix with a diagonal."""
    x, rank = _ranked(r, x)
    if rank == 2:
        return diagonal(r, x, k)
    if rank != 1 or k:
        raise Refused("diag() is read of a vector or a matrix.")
    count = shape_of(r, x)[0]
    keep = constant(r, np.eye(*sized((count, count))), x.framework, "bool")
    return r.make("where", [keep, reshape(r, x, count, 1), 0.0], dtype=x.dtype)


@known("numpy.trace")
def trace(r: Interpreter, x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Read the sum of a diagonal."""
    return fold(r, "sum", diagonal(r, x, offset, axis1, axis2), -1, False)


@known("numpy.cross")
def cross(r: Interpreter, a: Any, b: Any) -> Array:
    """Read a cross product of vectors with three elements."""
    a, b = r_array(r, a), r_array(r, b)
    if shape_of(r, a)[-1:] != (3,) or shape_of(r, b)[-1:] != (3,):
        raise Refused("cross() is read of vectors with three elements.")
    (p, q, s), (u, v, w) = ([getitem(r, one, (..., i)) for i in range(3)] for one in (a, b))

    def apart(one: Any, two: Any, three: Any, four: Any) -> Array:
        return r.make("sub", [r.make("mul", [one, two]), r.make("mul", [three, four])])

    return r.make("stack", [apart(q, w, s, v), apart(s, u, p, w), apart(p, v, q, u)], axis=-1)


# Small matrices, by their cofactors.


def _entries(r: Interpreter, x: Array) -> list[list[Array]]:
    shape = shape_of(r, x)
    if len(shape) < 2 or shape[-2] != shape[-1] or shape[-1] > SOLVED:
        raise Refused(
            f"A determinant or inverse is read of a square matrix of at most {SOLVED} rows.", "", "too-large"
        )
    before = (...,) if len(shape) > 2 else ()
    return [[getitem(r, x, (*before, i, j)) for j in range(shape[-1])] for i in range(shape[-1])]


def _determinant(r: Interpreter, rows: list[list[Any]]) -> Any:
    if not rows:
        return 1.0
    total: Any = None
    for order in permutations(range(len(rows))):
        term: Any = None
        for i, j in enumerate(order):
            term = rows[i][j] if term is None else r.make("mul", [term, rows[i][j]])
        even = sum(order[i] > order[j] for i in range(len(order)) for j in range(i + 1, len(order))) % 2 == 0
        total = term if total is None else r.make("add" if even else "sub", [total, term])
    return total


@known("numpy.linalg.det")
def det(r: Interpreter, x: Array) -> Array:
    """Read a determinant."""
    return _determinant(r, _entries(r, x))


@known("numpy.linalg.slogdet")
def slogdet(r: Interpreter, x: Array) -> tuple[Array, Array]:
    """Read the sign of a determinant and the logarithm of its size."""
    value = det(r, x)
    return r.make("sign", [value]), r.make("log", [r.make("abs", [value])])


@known("numpy.linalg.inv")
def inv(r: Interpreter, x: Array) -> Array:
    """Read an inverse."""
    if len(shape_of(r, x)) != 2:
        raise Refused("An inverse is read of one matrix.")
    rows = _entries(r, x)
    count = len(rows)
    if count == 1:
        return r.make("div", [1.0, x])
    cofactors = []
    for i in range(count):
        row = []
        for j in range(count):  # of the transpose: row j and column i are left out
            minor = [[rows[a][b] for b in range(count) if b != i] for a in range(count) if a != j]
            value = _determinant(r, minor)
            row.append(value if (i + j) % 2 == 0 else r.make("neg", [value]))
        cofactors.append(r.make("stack", row, axis=0))
    return r.make("div", [r.make("stack", cofactors, axis=0), _determinant(r, rows)])


@known("numpy.linalg.solve", "scipy.linalg.solve")
def solve(r: Interpreter, a: Array, b: Any) -> Array:
    """Read the solution of linear equations."""
    return r.make("matmul", [inv(r, a), r_array(r, b)])


@known("numpy.linalg.cholesky")
def cholesky(r: Interpreter, x: Array) -> Array:
    """Read a Cholesky factor, row by row, of the mean of a matrix and its transpose as JAX does."""
    if len(shape_of(r, x)) != 2:
        raise Refused("cholesky() is read of one matrix.")
    if r.library != "jax":
        raise Refused("cholesky() is read of JAX's arrays.")
    rows = _entries(r, r.make("mul", [0.5, r.make("add", [x, transpose(r, x)])]))
    count = len(rows)
    factor: list[list[Any]] = [[None] * count for _ in range(count)]
    for i in range(count):
        for j in range(i + 1):
            left = rows[i][j]
            for k in range(j):
                left = r.make("sub", [left, r.make("mul", [factor[i][k], factor[j][k]])])
            factor[i][j] = r.make("sqrt", [left]) if i == j else r.make("div", [left, factor[j][j]])
    zero = r.make("zeros_like", [rows[0][0]])
    lines = [r.make("stack", [one if one is not None else zero for one in row], axis=0) for row in factor]
    return r.make("stack", lines, axis=0)


@known("numpy.linalg.matrix_power")
def matrix_power(r: Interpreter, x: Array, n: int) -> Array:
    """Read a power of a matrix."""
    if type(n) is not int or not 1 <= n <= 32:
        raise Refused("matrix_power() is read from 1 to 32.")
    result = x
    for _ in range(n - 1):
        result = r.make("matmul", [result, x])
    return result


@known("numpy.polyval")
def polyval(r: Interpreter, p: Any, x: Any) -> Any:
    """Read a polynomial, the highest power first."""
    total: Any = None
    for one in r.items(p, ast.Constant(0)):
        total = one if total is None else r.make("add", [r.make("mul", [total, x]), one])
    return total


for _name, _function in {"dot": dot, "trace": trace, "diagonal": diagonal}.items():
    METHODS[_name] = _function
FUNCTIONS["numpy.linalg.trace"] = lambda r, x, *, offset=0: trace(r, x, offset, -2, -1)
