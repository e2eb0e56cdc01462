"""Read the arrays of NumPy and JAX: how they are made, what they are asked for, and functions of them."""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from math import prod
from types import SimpleNamespace
from typing import Any

import jax
import jax.scipy.special
import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import IDENTITY, Rule
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.graph.text import literal_fault
from autodiff_viz.graph.text import shape_of as literal_shape
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.reading.language.reader import Reader, canonical
from autodiff_viz.reading.language.values import (
    BOOL,
    FLOATS,
    HALVES,
    INT,
    Array,
    Class,
    Instance,
    Native,
    Path,
    Refused,
    Whole,
)
from autodiff_viz.reading.nodes.costs import LibraryError, pay_numbers, sized

Table = dict[str, Callable[..., Any]]

FUNCTIONS: Table = {}
"""Functions by full name, in the names of `language.reader.canonical`."""

METHODS: dict[str, Callable[..., Any]] = {}
"""Methods of NumPy's and JAX's arrays."""


def known(*names: str, table: Table = FUNCTIONS) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function under its full names."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            table[name] = function
        return function

    return register


WHOLE = {"add", "sub", "mul", "neg", "abs", "sign", "maximum", "minimum", "square", "floor", "round", "relu"}
"""Ops that make whole numbers of whole numbers."""


def _is_narrow(x: Any) -> bool:
    """Return whether NumPy makes floats of 16 or 32 bits of an array that holds none."""
    if not isinstance(x, Array) or x.framework != "numpy":
        return False
    return x.dtype == BOOL or getattr(x.dtype, "width", "") in ("int8", "uint8", "int16", "uint16")


@remembered(256)
def _refusal_of_jax(name: str, kinds: tuple[str, ...]) -> str:
    """Return what a function of `jax.nn` says of arguments of such dtypes that it does not take; else ""."""
    try:
        with jax.numpy_dtype_promotion("standard"):
            jax.eval_shape(getattr(jax.nn, name), *(jax.ShapeDtypeStruct((), kind) for kind in kinds))
    except TypeError as error:
        return str(error)
    return ""


def _check_kinds(name: str, given: Iterable[Any]) -> None:
    """Refuse whole numbers and truth values where the function of JAX does."""
    kinds = [
        getattr(one.dtype, "width", {INT: "int32"}.get(one.dtype, one.dtype))
        if isinstance(one, Array)
        else type(one).__name__
        for one in given
    ]
    kinds = [{"int": "int32", "float": "float32"}.get(kind, kind) for kind in kinds]
    if not all(kind.startswith(("float", "bfloat")) for kind in kinds) and (
        said := _refusal_of_jax(name, tuple(kinds))
    ):
        raise LibraryError(f"{name}(): {said}", "Write x.astype(float).", "dtype")


def elementwise(op: str, of_jax: str = "") -> Callable[..., Any]:
    """Return the reading of a function that is an op of ours by another name.

    Args:
      of_jax: its name in `jax.nn`, which does not take all dtypes.
    """

    def read(reader: Reader, *args: Any) -> Array:
        if len(args) != len(OPS[op].slots):
            raise Refused(f"{op}() takes {len(OPS[op].slots)} values, and {len(args)} are given.")
        if reader.library == "jax" and any(isinstance(arg, (list, tuple)) for arg in args):
            raise Refused("JAX's functions take arrays, not lists.", "Write jnp.array([...]).", "list")
        given = [r_array(reader, arg) for arg in args]
        if of_jax and reader.library == "jax":
            _check_kinds(of_jax, given)
        if op not in {*WHOLE, "div"} and all(map(_is_narrow, given)):
            raise Refused(
                f"NumPy computes {op}() of truth values and short whole numbers in fewer digits.",
                "Write .astype(float).",
                "dtype",
            )
        result = reader.make(op, given)
        if op not in WHOLE and result.dtype not in FLOATS:
            arrays = result.framework == "numpy" and any(isinstance(one, Array) for one in given)
            result.dtype = "float64" if arrays else reader.usual_float()
        return result

    return read


ELEMENTARY = {
    **{
        name: name
        for name in (
            "exp", "exp2", "log", "log1p", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sqrt",
            "cbrt", "square", "sign", "floor", "abs",
        )
    },
    **{f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
}  # fmt: skip
"""Functions of one array of NumPy, with the name of the op."""

SAME = {
    "numpy": {
        **ELEMENTARY,
        **{op: op for op in ELEMENTARY.values() if op.startswith("arc")},
        **{
            name: name
            for name in ("add", "maximum", "minimum", "log2", "log10", "logaddexp", "hypot", "arctan2")
        },
        "atan2": "arctan2",
        "subtract": "sub",
        "multiply": "mul",
        "divide": "div",
        "true_divide": "div",
        "negative": "neg",
        "absolute": "abs",
        "fabs": "abs",
    },
    "nn": {
        "relu": "relu",
        "sigmoid": "sigmoid",
        "softplus": "softplus",
        "silu": "silu",
        "tanh": "tanh",
        "swish": "silu",
    },
    "scipy.special": {"erf": "erf", "erfc": "erfc", "expit": "sigmoid"},
}
"""Functions that are one op of ours, by library, with the op's name."""

for _library, _names in SAME.items():
    for _name, _op in _names.items():
        FUNCTIONS[f"{_library}.{_name}"] = elementwise(_op, _name if _library == "nn" else "")


# What functions are called with.


def parameter_names(function: Any) -> list[str]:
    """Return the names of a function's positional parameters, of what it was made from if that is known."""
    while getattr(function, "inner", None) is not None:
        function = function.inner
    if isinstance(function, Instance) and isinstance(function.of, Class):
        function = function.of.members.get("forward", function)
        return parameter_names(function)[1:]
    if isinstance(function, Path):
        return library_parameters(function.name)
    return function.parameters() if hasattr(function, "parameters") else []


def library_parameters(path: str) -> list[str]:
    """Return the names of the parameters of a function of JAX or NumPy, by its signature.

    Only a function of our tables is looked up: a name of the text leads nowhere else in a library.
    """
    if path not in FUNCTIONS and canonical(path) not in FUNCTIONS:
        return []
    module, *names = path.split(".")
    value: Any = {"jax": jax, "numpy": np, "autograd": SimpleNamespace(numpy=np)}.get(module)
    for name in names:
        value = getattr(value, name, None)
    if isinstance(value, np.ufunc):
        return ["x"] if value.nin == 1 else [f"x{i + 1}" for i in range(value.nin)]
    try:
        return list(inspect.signature(value).parameters) if callable(value) else []
    except (TypeError, ValueError):
        return []


# Make arrays.


def constant(reader: Reader, value: Any, framework: str, dtype: str) -> Array:
    """Return an array of a constant: a number, or nested lists of numbers.

    Raises:
      Refused: it is no such constant, or too large.
    """
    if isinstance(value, np.ndarray):
        pay_numbers(prod(sized(value.shape)))
        fault = _array_fault(value)
    else:
        value = as_literal(value)
        pay_numbers(prod(sized(literal_shape(value))))
        fault = literal_fault(value)
    if fault:
        raise Refused(f"This number or tensor {fault}.", "Use fewer or smaller numbers.", "too-large")
    return Array(as_literal(value), framework, dtype)


def _array_fault(numbers: np.ndarray) -> str:
    """Return what `literal_fault` says of the literal of an array, of all its numbers at once."""
    if not numbers.size:
        return literal_fault(())
    with np.errstate(invalid="ignore"):
        large = ~(np.abs(numbers) <= limits.NUMBER)  # NaN too
    return literal_fault(float(numbers[large][0])) if large.any() else ""


def as_literal(value: Any) -> Any:
    """Return nested tuples of floats for numbers in nested lists or an array of NumPy."""
    if isinstance(value, np.ndarray):
        return _rows_of(value.astype(float).tolist(), value.ndim)
    if isinstance(value, (list, tuple)):
        return tuple(as_literal(one) for one in value)
    if isinstance(value, Array) and value.is_constant and not value.rows:
        return value.held
    if isinstance(value, (bool, int, float)):
        if isinstance(value, int) and abs(value) > 2**53 and int(float(value)) != value:
            raise Refused(f"The whole number {value:.6g} has more digits than are read.", "", "dtype")
        return float(value)
    raise Refused("Only numbers can stand in an array here.", "To join arrays write stack([a, b]).")


def _rows_of(numbers: Any, rank: int) -> Any:
    """Return nested lists of numbers as nested tuples."""
    if rank < 2:
        return tuple(numbers) if rank else numbers
    return tuple([_rows_of(row, rank - 1) for row in numbers])


def dtype_of(value: Any) -> str:
    """Return the dtype that NumPy gives numbers in nested lists: int, bool or a float."""
    if isinstance(value, Array):
        return value.dtype if value.dtype in (INT, BOOL) else "float"
    if isinstance(value, (list, tuple)):
        kinds = [dtype_of(one) for one in value] or ["float"]
        return "float" if "float" in kinds else INT if INT in kinds else BOOL
    return BOOL if isinstance(value, bool) else INT if isinstance(value, int) else "float"


WIDTHS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")


def named_dtype(reader: Reader, dtype: Any) -> str | None:
    """Return our name of a dtype argument; None if there is none."""
    if dtype is None:
        return None
    name = (
        dtype.name.rpartition(".")[2] if isinstance(dtype, Path) else dtype if isinstance(dtype, str) else ""
    )
    if isinstance(dtype, Native):
        name = dtype.name
    name = {
        "float": "float64",
        "double": "float64",
        "half": "float16",
        "long": "int64",
        "short": "int16",
        "single": "float32",
        "bool_": BOOL,
    }.get(name, name)
    if name == INT:  # of PyTorch it has 32 bits, of Python and NumPy the usual number
        torch = isinstance(dtype, Path) and dtype.name.startswith("torch")
        return Whole("int32") if torch else dtype if isinstance(dtype, Whole) else INT
    if name in WIDTHS:
        return Whole(name)
    if name not in (*FLOATS, BOOL):
        raise Refused(
            f"The dtype {name or '?'} is not read.", "There are float16, bfloat16, float32, float64."
        )
    return name


def _array(reader: Reader, framework: str, object: Any, dtype: Any = None, copy: Any = None) -> Array:
    wanted = named_dtype(reader, dtype)
    if wanted == "float64" and framework == "jax" and not reader.wide:
        wanted = "float32"
    if isinstance(object, Array):
        if object.framework == "jax" and object.traced and framework == "numpy":
            raise untraced("numpy.array")
        made = replace(object, framework=framework, dtype=wanted or object.dtype)
        if object.dtype != made.dtype:
            made = cast(reader, replace(object, framework=framework), made.dtype)
        if made.dtype == "float64" and framework == "jax" and not reader.wide:
            made.dtype = "float32"
        return made
    if isinstance(object, (list, tuple)) and any(map(_no_literal, _deep(object))):
        parts = [one if isinstance(one, Array) else _array(reader, framework, one) for one in object]
        made = reader.make("stack", parts, axis=0)
        made.framework = framework if made.framework == "numpy" else made.framework
        return made if wanted is None else cast(reader, made, wanted)
    kind = dtype_of(object)
    literal = _finite(reader, object)
    if literal is not None:
        return replace(literal, framework=framework)
    if wanted is None:
        return constant(reader, object, framework, usual(reader, framework) if kind == "float" else kind)
    plain = constant(reader, object, framework, "float64" if kind == "float" else kind)
    return cast(reader, plain, wanted) if wanted in (INT, BOOL, *HALVES) else replace(plain, dtype=wanted)


def usual(reader: Reader, framework: str) -> str:
    """Return the dtype of floats that are given none."""
    return "float32" if framework == "jax" and not reader.wide else "float64"


def _deep(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from _deep(one)
    else:
        yield value


def _no_literal(value: Any) -> bool:
    return isinstance(value, Array) and not (value.is_constant and not value.rows)


def _finite(reader: Reader, object: Any) -> Array | None:
    """Return an array of numbers of which some are not finite, which no literal holds; None if all are."""
    numbers = [one for one in _deep(object) if isinstance(one, float) and not math.isfinite(one)]
    if not numbers:
        return None
    if not isinstance(object, (list, tuple)):
        return Array(reader.held(object), reader.library, usual(reader, reader.library))
    parts = [_array(reader, reader.library, one) for one in object]
    return reader.make("stack", parts, axis=0)


def untraced(name: str) -> Refused:
    """Return JAX's own refusal of a function of NumPy or math of an array that is being differentiated."""
    return Refused(
        f"JAX refuses {name}() of an array that it is differentiating or compiling: it has no numbers yet.",
        f"Write {name.replace('numpy', 'jnp').replace('math', 'jnp')}().",
        "traced",
    )


def is_differentiated(reader: Reader, x: Array) -> bool:
    """Return whether a gradient may pass an array; what JAX only compiles is no derivative."""
    return x.requires_grad or (x.dtype in FLOATS and bool(x.traced & ~reader.staged))


def shape_argument(shape: Any) -> tuple[int, ...]:
    """Return a shape that is written as a number or a tuple.

    Raises:
      Refused: it is neither, or has too many elements.
    """
    sizes = (shape,) if type(shape) is int else tuple(shape) if isinstance(shape, (tuple, list)) else None
    if sizes is None or not all(type(size) is int and size > 0 for size in sizes):
        raise Refused("A shape is written out in whole numbers, such as (2, 3).")
    return sized(sizes)


def _full(reader: Reader, framework: str, shape: Any, value: Any, dtype: Any = None) -> Array:
    sizes = shape_argument(shape)
    kind = single(reader, named_dtype(reader, dtype), framework)
    if isinstance(value, Array):
        made = reader.make("broadcast_to", [value], shape=sizes)
        return made if kind is None else cast(reader, made, kind)
    if not isinstance(value, (int, float)):
        raise Refused("An array is filled with one number.")
    if not math.isfinite(value):
        made = reader.make("broadcast_to", [value], dtype=kind or usual(reader, framework), shape=sizes)
        return replace(made, framework=framework)
    made = constant(reader, np.full(sized(sizes), float(value)), framework, "float64")
    kind = kind or usual(reader, framework)
    return cast(reader, made, kind) if kind in (INT, *HALVES) else replace(made, dtype=kind)


def single(reader: Reader, dtype: str | None, framework: str) -> str | None:
    """Return a dtype as JAX makes it: double precision only where the text switches it on."""
    return "float32" if dtype == "float64" and framework == "jax" and not reader.wide else dtype


def _like(value: float) -> Callable[..., Any]:
    op = "ones_like" if value else "zeros_like"

    def read(reader: Reader, x: Any, dtype: Any = None, *, shape: Any = None) -> Array:
        if shape is not None:
            return _full(reader, reader.library, shape, value, dtype)
        x = r_array(reader, x)
        if not isinstance(x, (Array, int, float)):
            raise Refused(f"{op}() is read of an array or a number.")
        if not isinstance(x, Array):
            kind = named_dtype(reader, dtype) or (
                usual(reader, reader.library) if isinstance(x, float) else dtype_of(x)
            )
            return constant(reader, value, reader.library, kind)
        return reader.make(
            op, [x], dtype=single(reader, named_dtype(reader, dtype), reader.library) or x.dtype
        )

    return read


def _eye(reader: Reader, f: str, N: int, M: Any = None, k: int = 0, dtype: Any = None) -> Array:
    rows, columns = shape_argument((N, N if M is None else M))
    kind = single(reader, named_dtype(reader, dtype), f) or usual(reader, f)
    if type(k) is not int:
        raise Refused("The diagonal of eye() is a whole number that is written out.")
    return constant(reader, np.eye(*sized((rows, columns)), k), f, kind)


def _linspace(
    reader: Reader, f: str, start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None
) -> Array:
    count = shape_argument(num)[0]
    if not isinstance(start, (int, float)) or not isinstance(stop, (int, float)):
        share = np.linspace(0.0, 1.0, *sized((count,)), endpoint=bool(endpoint))
        rank = max(len(shape_of(reader, one)) for one in (start, stop))
        share = constant(
            reader, share.reshape(count, *[1] * rank), f, usual(reader, f)
        )  # the steps are the first axis
        made = reader.make("add", [start, reader.make("mul", [share, reader.make("sub", [stop, start])])])
        return made if dtype is None else cast(reader, made, named_dtype(reader, dtype))
    numbers = np.linspace(start, stop, *sized((count,)), endpoint=bool(endpoint))
    kind = single(reader, named_dtype(reader, dtype), f) or usual(reader, f)
    return constant(reader, np.floor(numbers) if kind == INT else numbers, f, kind)


def _to_float(dtype: str) -> Callable[..., Array]:
    def read(reader: Reader, f: str, x: Any = 0.0) -> Array:
        if type(x) is int and dtype in WIDTHS and not np.iinfo(dtype).min <= x <= np.iinfo(dtype).max:
            raise LibraryError(f"Python integer {x} out of bounds for {dtype}", "Use another dtype.", "dtype")
        return _array(reader, f, x, dtype)

    return read


LIMITS = {"float16": np.finfo(np.float16), "float32": np.finfo(np.float32), "float64": np.finfo(np.float64)}


@known("numpy.finfo")
def finfo(reader: Reader, dtype: Any) -> Native:
    """Read the limits of a dtype."""
    kind = single(
        reader, named_dtype(reader, dtype.dtype if isinstance(dtype, Array) else dtype), reader.library
    )
    if kind not in LIMITS:
        raise Refused("finfo() is read of float16, float32 and float64.")
    known_limits = LIMITS[kind]
    # No literal is as large, so the ends are products; of float32 alone, which float64 exceeds.
    large = reader.make("mul", [3.40282e8, 1e30]) if kind == "float32" else float(np.finfo(np.float16).max)
    attributes: dict[str, Any] = {"eps": float(known_limits.eps), "tiny": float(known_limits.tiny)}
    if kind != "float64":
        attributes |= {"max": large, "min": reader.make("neg", [large])}
    return Native(lambda _, args, keywords: None, "finfo", attributes=attributes)


MAKERS: Mapping[str, Callable[..., Any]] = {
    "array": _array,
    "asarray": _array,
    "ascontiguousarray": _array,
    "zeros": lambda reader, f, shape, dtype=None: _full(reader, f, shape, 0.0, dtype),
    "empty": lambda reader, f, shape, dtype=None: _full(reader, f, shape, 0.0, dtype),
    "ones": lambda reader, f, shape, dtype=None: _full(reader, f, shape, 1.0, dtype),
    "full": lambda reader, f, shape, fill_value, dtype=None: _full(
        reader, f, shape, fill_value, dtype or (INT if type(fill_value) is int else None)
    ),
    "eye": _eye,
    "identity": lambda reader, f, n, dtype=None: _eye(reader, f, n, dtype=dtype),
    "arange": lambda reader, f, *args, dtype=None: _arange(reader, f, args, dtype),
    "linspace": _linspace,
    "float16": _to_float("float16"),
    "bfloat16": _to_float("bfloat16"),
    "float32": _to_float("float32"),
    "float64": _to_float("float64"),
    **{width: _to_float(width) for width in WIDTHS},
}
"""Functions that make arrays, which get the library's name first."""


def _arange(reader: Reader, framework: str, args: tuple, dtype: Any) -> Array:
    if not 1 <= len(args) <= 3 or not all(isinstance(arg, (int, float)) for arg in args):
        raise Refused("arange() needs numbers that are written out.")
    step = args[2] if len(args) == 3 else 1
    span = args[0] if len(args) == 1 else args[1] - args[0]
    if not step or not math.isfinite(span / step) or not 0 < span / step <= limits.ELEMENTS:
        raise Refused("This range is empty or too long.", "", "too-large")
    kind = single(reader, named_dtype(reader, dtype), framework) or (
        INT if all(type(arg) is int for arg in args) else usual(reader, framework)
    )
    return constant(reader, np.arange(*args), framework, kind)


for _name, _maker in MAKERS.items():
    FUNCTIONS[f"numpy.{_name}"] = lambda reader, *args, _maker=_maker, **kw: _maker(
        reader, reader.library, *args, **kw
    )
FUNCTIONS["numpy.zeros_like"], FUNCTIONS["numpy.ones_like"] = _like(0.0), _like(1.0)


# Reduce, reshape, join.


def axis_argument(axis: Any, rank: int | None = None) -> int | None:
    """Return an axis as an int or None.

    Raises:
      Refused: it is neither; several axes are folded one after the other by the caller.
    """
    if axis is None or type(axis) is int:
        return axis
    raise Refused("An axis is a whole number that is written out.")


def summed(op: str) -> Callable[..., Any]:
    """Return the reading of a sum, a product or a mean, over one axis, several or all."""

    def read(
        reader: Reader,
        x: Any,
        axis: Any = None,
        dtype: Any = None,
        *,
        keepdims: Any = False,
    ) -> Array:
        x = r_array(reader, x)
        if dtype is not None and isinstance(x, Array):
            x = cast(reader, x, named_dtype(reader, dtype))
        return fold(reader, op, x, axis, keepdims)

    return read


def fold(reader: Reader, op: str, x: Any, axis: Any, keepdims: Any) -> Array:
    """Fold axes of an array by an op; several axes are joined to one first."""
    x = r_array(reader, x)
    if isinstance(axis, (tuple, list)):
        shape = shape_of(reader, x)
        rank = len(shape)
        if not all(type(one) is int and -rank <= one < rank for one in axis):
            raise Refused("Axes are whole numbers that are written out.")
        gone = sorted({one % rank for one in axis})
        left = [i for i in range(rank) if i not in gone]
        if not gone:
            return x
        if not left:
            return fold(reader, op, x, None, keepdims)
        # One after the other would share the gradient of equal maxima by rows first.
        joined = reader.make("transpose", [x], axes=(*left, *gone)) if left != sorted(range(len(left))) else x
        joined = reshape(reader, joined, *(shape[i] for i in left), -1)
        folded = fold(reader, op, joined, -1, False)
        return (
            reshape(reader, folded, *(1 if i in gone else shape[i] for i in range(rank)))
            if keepdims
            else folded
        )
    options: dict[str, Any] = {} if axis is None else {"axis": axis_argument(axis)}
    return reader.make(op, [x], **options, **({"keepdims": True} if keepdims else {}))


for _op in ("sum", "mean", "prod"):
    FUNCTIONS[f"numpy.{_op}"] = summed(_op)
for _name, _op in {"max": "max", "amax": "max", "min": "min", "amin": "min"}.items():
    FUNCTIONS[f"numpy.{_name}"] = lambda reader, x, axis=None, *, keepdims=False, _op=_op: fold(
        reader, _op, x, axis, keepdims
    )


def shape_of(reader: Reader, x: Any) -> tuple[int, ...]:
    """Return the shape of a value.

    Raises:
      Refused: something in it does not fit, so it has none.
    """
    shape = reader.builder.shape(reader.held(x))
    if shape is None:
        raise Refused("The shape of this is not known, since something in it does not fit.")
    return shape[len(x.rows) :] if isinstance(x, Array) else shape


def product(reader: Reader, a: Any, b: Any) -> Array:
    """Return a product of numbers, vectors or matrices."""
    ranks = [len(shape_of(reader, one)) for one in (a, b)]
    return reader.make("mul" if 0 in ranks else "dot" if ranks == [1, 1] else "matmul", [a, b])


def transpose(reader: Reader, x: Any, *axes: Any) -> Array:
    """Read a transposition."""
    x = r_array(reader, x)
    order = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list, type(None))) else axes
    return reader.make("transpose", [x], **({"axes": tuple(order)} if order else {}))


def moved(reader: Reader, x: Array, source: int, destination: int) -> Array:
    """Return an array with an axis at another place."""
    rank = len(shape_of(reader, x))
    if not -rank <= source < rank or not -rank <= destination < rank:
        raise Refused(f"There is no such axis in an array of {rank} axes.")
    if source % rank == destination % rank:
        return x
    order = [i for i in range(rank) if i != source % rank]
    order.insert(destination % rank, source % rank)
    return reader.make("transpose", [x], dtype=x.dtype, axes=tuple(order))


@known("numpy.reshape")
def reshape(reader: Reader, x: Any, *shape: Any, newshape: Any = None, order: str = "C") -> Array:
    """Read a new shape; a constant gets it at once."""
    x = r_array(reader, x)
    if newshape is not None:
        shape = (newshape,)
    if order != "C":
        raise Refused("A new shape is read in the order of rows.")
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    if not all(type(size) is int for size in sizes):
        raise Refused("A shape is written out in whole numbers, such as (2, 3).")
    if isinstance(x, Array) and x.is_constant and not x.rows:
        try:
            made = constant(reader, np.array(x.held).reshape(tuple(sizes)), x.framework, x.dtype)
        except ValueError as error:
            raise Refused(f"{error}.".capitalize()) from None
        return replace(made, traced=x.traced)
    if isinstance(x, Array) and tuple(sizes) == shape_of(reader, x):
        return x
    if isinstance(x, Array) and math.prod(shape_of(reader, x)) != math.prod(sizes) and -1 not in sizes:
        raise Refused(
            f"{math.prod(shape_of(reader, x))} elements do not fill shape {list(sizes)}.", "", "shape"
        )
    return reader.make("reshape", [x], shape=tuple(sizes))


@known("numpy.ravel")
def ravel(reader: Reader, x: Array) -> Array:
    """Read a flattening."""
    return reshape(reader, x, -1)


@known("numpy.broadcast_to")
def broadcast(reader: Reader, x: Any, shape: Any) -> Array:
    """Read a broadcast."""
    return reader.make("broadcast_to", [r_array(reader, x)], shape=shape_argument(shape))


@known("numpy.expand_dims")
def expand(reader: Reader, x: Any, axis: Any) -> Array:
    """Read a new axis, or several."""
    x = r_array(reader, x)
    if isinstance(axis, (tuple, list)):
        for one in sorted(axis):
            x = expand(reader, x, one)
        return x
    return reader.make("expand_dims", [x], axis=axis_argument(axis))


@known("numpy.squeeze")
def squeeze(reader: Reader, x: Array, axis: Any = None) -> Array:
    """Read that axes of length 1 go."""
    shape = shape_of(reader, x)
    if axis is None:
        gone = [i for i, size in enumerate(shape) if size == 1]
    else:
        axes = axis if isinstance(axis, (tuple, list)) else (axis,)
        gone = [axis_argument(one) % len(shape) for one in axes]
    if any(shape[i] != 1 for i in gone):
        raise Refused("Only an axis of length 1 can be squeezed.")
    return reshape(reader, x, tuple(size for i, size in enumerate(shape) if i not in gone))


def _joined(op: str) -> Callable[..., Any]:
    def read(reader: Reader, arrays: Any, axis: Any = 0) -> Array:
        items = [r_array(reader, item) for item in reader.items(arrays)]
        if not items:
            raise Refused("There is nothing to join.")
        if axis is None:
            if op != "concatenate":
                raise Refused(f"{op}() needs an axis.", "Write axis=0.")
            items, axis = [reshape(reader, item, -1) for item in items], 0
        made = reader.make(op, items, axis=axis_argument(axis))
        if made.framework == "numpy" and reader.library == "jax":
            made.framework = "jax"
        return made

    return read


def r_array(reader: Reader, value: Any) -> Any:
    """Return a list of numbers as an array, and anything else as it is."""
    return _array(reader, reader.library, value) if isinstance(value, (list, tuple)) else value


FUNCTIONS["numpy.concatenate"] = _joined("concatenate")
FUNCTIONS["numpy.concat"] = lambda reader, arrays, /, *, axis=0: _joined("concatenate")(reader, arrays, axis)
FUNCTIONS["numpy.stack"] = _joined("stack")


@known("numpy.where")
def where(reader: Reader, condition: Any, a: Any = None, b: Any = None) -> Array:
    """Read a choice by a condition."""
    if a is None or b is None:
        raise Refused(
            "How many places a condition picks depends on numbers.",
            "Write where(condition, a, b).",
            "data-dependent",
        )
    return reader.make("where", [r_array(reader, condition), r_array(reader, a), r_array(reader, b)])


@known("numpy.argmax")
def argmax(reader: Reader, x: Any, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Read the place of the largest."""
    options: dict[str, Any] = {} if axis is None else {"axis": axis_argument(axis)}
    return reader.make(
        "argmax", [r_array(reader, x)], dtype=INT, **options, **({"keepdims": True} if keepdims else {})
    )


# What arrays are asked for.

for _name in ("sum", "mean", "max", "min", "prod", "reshape", "ravel", "squeeze", "argmax"):
    METHODS[_name] = FUNCTIONS[f"numpy.{_name}"]
METHODS["flatten"] = ravel
METHODS["copy"] = lambda reader, x: replace(x)
METHODS["block_until_ready"] = lambda reader, x: x
METHODS["astype"] = FUNCTIONS["numpy.astype"] = lambda reader, x, dtype: cast(
    reader, x, named_dtype(reader, dtype)
)
METHODS["view"] = lambda reader, x: x


def taken_number(reader: Reader, x: Array) -> Array:
    """Read `x.item()`: the number, through which no gradient passes."""
    if prod(shape_of(reader, x)) != 1:
        raise Refused("item() needs an array of one element.")
    if reader.compiled or x.rows:
        raise untraced("item")
    stopped = reader.make(IDENTITY, [reshape(reader, x, ())], rule=Rule(STOP)) if x.traced else x
    return replace(stopped, traced=0)


METHODS["item"] = taken_number
METHODS["tolist"] = lambda reader, x: x if not shape_of(reader, x) else listed_numbers(reader, x)


def listed_numbers(reader: Reader, x: Array) -> list:
    """Return the elements of an array as a list, nested as its axes are."""
    if x.traced:
        raise untraced("tolist")
    parts = items(reader, x, ast.Constant(0))
    return [listed_numbers(reader, one) if shape_of(reader, one) else one for one in parts]


PRECISION = {"bfloat16": 0, "float16": 0, "float32": 1, "float64": 2}


def cast(reader: Reader, x: Array, dtype: str | None) -> Array:
    """Return an array with another dtype.

    Raises:
      Refused: it would round, which no op of ours does.
    """
    dtype = single(reader, dtype, x.framework) if dtype else x.dtype
    if dtype == x.dtype and dtype != INT:
        return replace(x)
    if (
        reader.handlers.converted is not None
        and (own := reader.handlers.converted(reader, x, dtype)) is not None
    ):
        return own
    if dtype == x.dtype:
        return replace(x, dtype=dtype)
    if dtype == BOOL:
        return reader.make("not_equal", [x, 0.0], dtype=BOOL)
    if dtype == INT:
        if x.dtype == BOOL:
            return replace(x, dtype=dtype)
        stopped = reader.make(IDENTITY, [x], rule=Rule(STOP))
        whole = reader.make(
            "mul", [reader.make("sign", [stopped]), reader.make("floor", [reader.make("abs", [stopped])])]
        )
        return replace(whole, dtype=dtype)
    narrower = PRECISION[dtype] < PRECISION.get(x.dtype, 2 if x.framework == "numpy" else 1)
    if x.dtype in FLOATS and narrower and PRECISION[dtype] == 0 and not x.is_constant:
        raise Refused(
            f"A conversion of computed numbers to {dtype} rounds them, which no op here does.",
            f"Make the inputs {dtype} at once.",
        )
    return replace(x, dtype=dtype)


def attribute(reader: Reader, x: Array, name: str, node: ast.AST) -> Any:
    """Return an attribute of an array."""
    special = reader.handlers.attribute.get(x.framework)
    if special is not None:
        done, value = special(reader, x, name, node)
        if done:
            return value
    if name == "shape":
        return shape_of(reader, x)
    if name == "ndim":
        return len(shape_of(reader, x))
    if name == "size" and x.framework != "torch":
        return prod(shape_of(reader, x))
    if name == "T":
        return x if len(shape_of(reader, x)) < 2 else transpose(reader, x)
    if name == "mT" and x.framework != "torch":
        return reader.tables["numpy.matrix_transpose"](reader, x)
    if name == "dtype":
        usual = {"jax": "int64" if reader.wide else "int32", "tf": "?"}.get(x.framework, "int64")
        width = getattr(x.dtype, "width", x.dtype if x.dtype != INT else "int64")
        return Path(f"{x.framework}.{width}", usual if x.dtype == INT and width == "int64" else width)
    if name == "real" and x.framework in ("jax", "numpy"):
        return x
    table = reader.methods.get(x.framework, METHODS)
    if name not in table:
        near = get_close_matches(name, table, 1, 0.7)
        hint = f"The nearest that is read is `.{near[0]}`." if near else ""
        raise Refused(f"An array has no `.{name}` that is read.", hint, at=node)
    method = table[name]

    def call(_: Reader, args: list, keywords: dict) -> Any:
        if reader.handlers.check_method is not None:
            reader.handlers.check_method(reader, name, [x, *args])
        return method(reader, x, *args, **keywords)

    return Native(call, name)


def simple_index(index: Any) -> bool:
    """Return whether an index names no array."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(
        part is None
        or part is Ellipsis
        or type(part) is int
        or (isinstance(part, slice) and all(type(e) in (int, type(None)) for e in _ends(part)))
        for part in parts
    )


def _ends(part: slice) -> tuple[Any, Any, Any]:
    return part.start, part.stop, part.step


def index_of(reader: Reader, index: Any) -> tuple:
    """Return an index as the parameter of an op.

    Raises:
      Refused: a part is an array or anything else that the op does not take.
    """
    if not simple_index(index):
        raise Refused(
            "An index is written out in whole numbers here.", "Pick elements by where() or a product."
        )
    parts = index if isinstance(index, tuple) else (index,)
    return tuple(
        "..." if part is Ellipsis else _ends(part) if isinstance(part, slice) else part for part in parts
    )


def getitem(reader: Reader, x: Array, index: Any) -> Array:
    """Return elements of an array, by an index in Python's own form that names no array."""
    parts = index if isinstance(index, tuple) else (index,)
    data = tuple(
        "..." if part is Ellipsis else (part.start, part.stop, part.step) if isinstance(part, slice) else part
        for part in parts
    )
    return reader.make("getitem", [x], dtype=x.dtype, index=data)


def items(reader: Reader, x: Array, node: ast.AST) -> list[Array]:
    """Return the elements of an array along its first axis."""
    shape = shape_of(reader, x)
    if not shape:
        raise Refused("A number cannot be iterated over.", at=node)
    if shape[0] > 256:
        raise Refused(f"A loop over {shape[0]} elements is not unrolled.", "Use fewer.", "too-large", node)
    return [getitem(reader, x, i) for i in range(shape[0])]
