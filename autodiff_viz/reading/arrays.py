"""Read the arrays of NumPy and JAX: how they are made, what they are asked for, and functions of them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.graph.text import literal_fault
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.values import BOOL, FLOATS, INT, Array, Native, Path, Refused

Table = dict[str, Callable[..., Any]]

FUNCTIONS: Table = {}
"""Functions by full name, in the names of `interpreter.canonical`."""

METHODS: dict[str, Callable[..., Any]] = {}
"""Methods of NumPy's and JAX's arrays."""


def known(*names: str, table: Table = FUNCTIONS) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function under its full names."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            table[name] = function
        return function

    return register


def elementwise(op: str) -> Callable[..., Any]:
    """Return the reading of a function that is an op of ours by another name."""

    def read(r: Interpreter, *args: Any) -> Array:
        if len(args) != len(OPS[op].slots):
            raise Refused(f"{op}() takes {len(OPS[op].slots)} values, and {len(args)} are given.")
        return r.make(op, list(args))

    return read


SAME = {
    "numpy": {
        **{
            name: name
            for name in (
                "exp",
                "log",
                "log1p",
                "expm1",
                "sin",
                "cos",
                "tan",
                "tanh",
                "sqrt",
                "square",
                "sign",
                "floor",
                "maximum",
                "minimum",
                "add",
                "abs",
                "arcsin",
                "arccos",
                "arctan",
            )
        },
        "subtract": "sub",
        "multiply": "mul",
        "divide": "div",
        "true_divide": "div",
        "negative": "neg",
        "power": "pow",
        "absolute": "abs",
        "fabs": "abs",
        "round": "round",
        "rint": "round",
        "asin": "arcsin",
        "acos": "arccos",
        "atan": "arctan",
        "pow": "pow",
        "float_power": "pow",
    },
    "nn": {name: name for name in ("relu", "sigmoid", "softplus", "silu")} | {"swish": "silu"},
    "lax": {
        **{
            name: name
            for name in (
                "exp",
                "log",
                "log1p",
                "expm1",
                "sin",
                "cos",
                "tan",
                "tanh",
                "sqrt",
                "sign",
                "floor",
                "add",
                "sub",
                "mul",
                "div",
                "neg",
                "pow",
                "abs",
                "square",
                "erf",
            )
        },
        "max": "maximum",
        "min": "minimum",
        "logistic": "sigmoid",
    },
    "scipy.special": {"erf": "erf", "expit": "sigmoid"},
    "jax.scipy.special": {"erf": "erf", "expit": "sigmoid", "logsumexp": "logsumexp"},
}
"""Functions that are one op of ours, by library, with the op's name."""

for _library, _names in SAME.items():
    for _name, _op in _names.items():
        FUNCTIONS[f"{_library}.{_name}"] = elementwise(_op)


# Make arrays.


def constant(r: Interpreter, value: Any, framework: str, dtype: str) -> Array:
    """Return an array of a constant: a number, or nested lists of numbers.

    Raises:
      Refused: it is no such constant, or too large.
    """
    literal = as_literal(value)
    if fault := literal_fault(literal):
        raise Refused(f"This number or tensor {fault}.", "Use fewer or smaller numbers.", "too-large")
    return Array(literal, framework, dtype)


def as_literal(value: Any) -> Any:
    """Return nested tuples of floats for numbers in nested lists or an array of NumPy."""
    if isinstance(value, np.ndarray):
        return as_literal(value.tolist())
    if isinstance(value, (list, tuple)):
        return tuple(as_literal(one) for one in value)
    if isinstance(value, (bool, int, float)):
        return float(value)
    raise Refused("Only numbers can stand in an array here.", "To join arrays write stack([a, b]).")


def dtype_of(value: Any) -> str:
    """Return the dtype that NumPy gives numbers in nested lists: int, bool or a float."""
    if isinstance(value, (list, tuple)):
        kinds = [dtype_of(one) for one in value] or ["float"]
        return "float" if "float" in kinds else INT if INT in kinds else BOOL
    return BOOL if isinstance(value, bool) else INT if isinstance(value, int) else "float"


def named_dtype(r: Interpreter, dtype: Any) -> str | None:
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
        "long": INT,
        "single": "float32",
        "bool_": BOOL,
    }.get(name, name)
    if name.startswith(("int", "uint")):
        return INT
    if name not in (*FLOATS, BOOL):
        raise Refused(
            f"The dtype {name or '?'} is not read.", "There are float16, bfloat16, float32, float64."
        )
    return name


def framework_of(r: Interpreter, path: str) -> str:
    """Return the library of a full name."""
    return "jax" if path.startswith("jax") else "numpy"


def _array(r: Interpreter, framework: str, object: Any, dtype: Any = None, **_: Any) -> Array:
    usual = "float32" if framework == "jax" else "float64"
    wanted = named_dtype(r, dtype)
    if isinstance(object, Array):
        return Array(object.held, framework, wanted or object.dtype)
    inside = _arrays_inside(object)
    if inside:
        return r.call(Path(f"{'jax.numpy' if framework == 'jax' else 'numpy'}.stack"), [list(object)], {})
    kind = dtype_of(object)
    return constant(r, object, framework, wanted or (usual if kind == "float" else kind))


def _arrays_inside(value: Any) -> bool:
    return isinstance(value, Array) or (isinstance(value, (list, tuple)) and any(map(_arrays_inside, value)))


def shape_argument(shape: Any) -> tuple[int, ...]:
    """Return a shape that is written as a number or a tuple.

    Raises:
      Refused: it is neither, or has too many elements.
    """
    sizes = (shape,) if type(shape) is int else tuple(shape) if isinstance(shape, (tuple, list)) else None
    if sizes is None or not all(type(size) is int and size > 0 for size in sizes):
        raise Refused("A shape is written out in whole numbers, such as (2, 3).")
    if prod(sizes) > limits.ELEMENTS or len(sizes) > limits.RANK:
        raise Refused(
            f"A tensor has at most {limits.ELEMENTS} elements and {limits.RANK} axes.", "", "too-large"
        )
    return sizes


def _full(r: Interpreter, framework: str, shape: Any, value: Any, dtype: Any = None) -> Array:
    sizes = shape_argument(shape)
    kind = named_dtype(r, dtype) or ("float32" if framework == "jax" else "float64")
    if isinstance(value, Array):
        return r.make("broadcast_to", [value], shape=sizes)
    return constant(r, np.full(sizes, float(value)), framework, kind)


def _like(value: float) -> Callable[..., Any]:
    op = "ones_like" if value else "zeros_like"
    return lambda r, x, dtype=None: r.make(op, [x]) if isinstance(x, Array) else float(value)


MAKERS: Mapping[str, Callable[..., Any]] = {
    "array": _array,
    "asarray": _array,
    "zeros": lambda r, f, shape, dtype=None: _full(r, f, shape, 0.0, dtype),
    "ones": lambda r, f, shape, dtype=None: _full(r, f, shape, 1.0, dtype),
    "full": lambda r, f, shape, fill_value, dtype=None: _full(r, f, shape, fill_value, dtype),
    "eye": lambda r, f, N, dtype=None: constant(
        r, np.eye(shape_argument(N)[0]), f, named_dtype(r, dtype) or ("float32" if f == "jax" else "float64")
    ),
    "arange": lambda r, f, *args, dtype=None: _arange(r, f, args, dtype),
    "linspace": lambda r, f, start, stop, num=50: constant(
        r, np.linspace(start, stop, shape_argument(num)[0]), f, "float32" if f == "jax" else "float64"
    ),
    "float16": lambda r, f, x: _array(r, f, x, "float16"),
    "float32": lambda r, f, x: _array(r, f, x, "float32"),
    "float64": lambda r, f, x: _array(r, f, x, "float64"),
}
"""Functions that make arrays, which get the library's name first."""


def _arange(r: Interpreter, framework: str, args: tuple, dtype: Any) -> Array:
    if not 1 <= len(args) <= 3 or not all(isinstance(arg, (int, float)) for arg in args):
        raise Refused("arange() needs numbers that are written out.")
    step = args[2] if len(args) == 3 else 1
    span = args[0] if len(args) == 1 else args[1] - args[0]
    if not step or span / step > limits.ELEMENTS or span / step <= 0:
        raise Refused("This range is empty or too long.", "", "too-large")
    kind = named_dtype(r, dtype) or (
        INT if all(type(arg) is int for arg in args) else "float32" if framework == "jax" else "float64"
    )
    return constant(r, np.arange(*args), framework, kind)


for _name, _maker in MAKERS.items():
    FUNCTIONS[f"numpy.{_name}"] = lambda r, *args, _maker=_maker, **kw: _maker(r, r.library, *args, **kw)
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


def reduced(op: str) -> Callable[..., Any]:
    """Return the reading of a reduction, over one axis, several or all."""

    def read(r: Interpreter, x: Any, axis: Any = None, keepdims: Any = False, **_: Any) -> Array:
        if _:
            raise Refused(f"{op}() is not read with {', '.join(_)}.")
        return fold(r, op, x, axis, keepdims)

    return read


def fold(r: Interpreter, op: str, x: Any, axis: Any, keepdims: Any) -> Array:
    """Fold axes of an array by an op; several axes one after the other, the last first."""
    if isinstance(x, (tuple, list)):
        x = _array(r, r.library, x)
    if isinstance(axis, (tuple, list)):
        rank = len(shape_of(r, x))
        for one in sorted((a % rank for a in axis), reverse=True):
            x = fold(r, op, x, one, keepdims)
        return x
    options: dict[str, Any] = {} if axis is None else {"axis": axis_argument(axis)}
    return r.make(op, [x], **options, **({"keepdims": True} if keepdims else {}))


for _op in ("sum", "mean", "max", "min", "prod"):
    FUNCTIONS[f"numpy.{_op}"] = reduced(_op)
FUNCTIONS["numpy.amax"], FUNCTIONS["numpy.amin"] = reduced("max"), reduced("min")
FUNCTIONS["nn.logsumexp"] = FUNCTIONS["scipy.special.logsumexp"] = FUNCTIONS[
    "jax.scipy.special.logsumexp"
] = reduced("logsumexp")


def shape_of(r: Interpreter, x: Any) -> tuple[int, ...]:
    """Return the shape of a value.

    Raises:
      Refused: something in it does not fit, so it has none.
    """
    shape = r.builder.shape(r.held(x))
    if shape is None:
        raise Refused("The shape of this is not known, since something in it does not fit.")
    return shape


@known("numpy.var")
def variance(r: Interpreter, x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Read a variance as the mean square distance from the mean."""
    centred = r.make("sub", [x, fold(r, "mean", x, axis, axis is not None)])
    squares = r.make("square", [centred])
    if not ddof:
        return fold(r, "mean", squares, axis, keepdims)
    shape = shape_of(r, x)
    count = prod(shape) if axis is None else shape[axis_argument(axis)]
    return r.make("div", [fold(r, "sum", squares, axis, keepdims), float(count - ddof)])


@known("numpy.std")
def deviation(r: Interpreter, x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Read a standard deviation as the root of the variance."""
    return r.make("sqrt", [variance(r, x, axis, ddof, keepdims)])


@known("numpy.linalg.norm")
def norm(r: Interpreter, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """Read a norm: the Euclidean one, or the sum or the maximum of sizes."""
    if ord in (None, 2) and (ord is None or axis is not None or len(shape_of(r, x)) == 1):
        return fold(r, "norm", x, axis, keepdims)
    raise Refused("Only the Euclidean norm is read.", "Write it out, such as sum(abs(x)).")


@known("numpy.dot", "numpy.matmul", "numpy.vdot", "numpy.inner")
def product(r: Interpreter, a: Any, b: Any) -> Array:
    """Read a product of matrices or vectors."""
    ranks = [len(shape_of(r, one)) for one in (a, b)]
    return r.make("mul" if 0 in ranks else "dot" if ranks == [1, 1] else "matmul", [a, b])


@known("numpy.transpose")
def transpose(r: Interpreter, x: Array, *axes: Any) -> Array:
    """Read a transposition."""
    order = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
    return r.make("transpose", [x], **({"axes": tuple(order)} if order else {}))


@known("numpy.reshape")
def reshape(r: Interpreter, x: Any, *shape: Any) -> Array:
    """Read a new shape; a constant gets it at once."""
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    if not all(type(size) is int for size in sizes):
        raise Refused("A shape is written out in whole numbers, such as (2, 3).")
    if isinstance(x, Array) and not x.is_node:
        try:
            return constant(r, np.array(x.held).reshape(tuple(sizes)), x.framework, x.dtype)
        except ValueError as error:
            raise Refused(f"{error}.".capitalize()) from None
    return r.make("reshape", [x], shape=tuple(sizes))


@known("numpy.ravel")
def ravel(r: Interpreter, x: Array) -> Array:
    """Read a flattening."""
    return reshape(r, x, -1)


@known("numpy.broadcast_to")
def broadcast(r: Interpreter, x: Any, shape: Any) -> Array:
    """Read a broadcast."""
    return r.make("broadcast_to", [x], shape=shape_argument(shape))


@known("numpy.expand_dims")
def expand(r: Interpreter, x: Array, axis: int) -> Array:
    """Read a new axis."""
    return r.make("expand_dims", [x], axis=axis_argument(axis))


@known("numpy.squeeze")
def squeeze(r: Interpreter, x: Array, axis: Any = None) -> Array:
    """Read that axes of length 1 go."""
    shape = shape_of(r, x)
    gone = (
        [i for i, size in enumerate(shape) if size == 1]
        if axis is None
        else [axis_argument(axis) % len(shape)]
    )
    return r.make("reshape", [x], shape=tuple(size for i, size in enumerate(shape) if i not in gone))


def _joined(op: str) -> Callable[..., Any]:
    def read(r: Interpreter, arrays: Any, axis: int = 0) -> Array:
        items = r.items(arrays, ast.Constant(0))
        return r.make(op, [r_array(r, item) for item in items], axis=axis_argument(axis))

    return read


def r_array(r: Interpreter, value: Any) -> Any:
    """Return a list of numbers as an array, and anything else as it is."""
    return _array(r, r.library, value) if isinstance(value, (list, tuple)) else value


FUNCTIONS["numpy.concatenate"] = FUNCTIONS["numpy.concat"] = _joined("concatenate")
FUNCTIONS["numpy.stack"] = _joined("stack")


@known("numpy.where", "lax.select")
def where(r: Interpreter, condition: Any, a: Any, b: Any) -> Array:
    """Read a choice by a condition."""
    return r.make("where", [condition, a, b])


@known("numpy.clip")
def clip(
    r: Interpreter, x: Any, min: Any = None, max: Any = None, a_min: Any = None, a_max: Any = None
) -> Array:
    """Read limits to a value."""
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    if low is None or high is None:
        return r.make("minimum", [x, high]) if low is None else r.make("maximum", [x, low])
    return r.make("clip", [x, low, high])


@known("numpy.cumsum")
def cumsum(r: Interpreter, x: Any, axis: Any = None) -> Array:
    """Read a running sum."""
    return r.make("cumsum", [x], **({} if axis is None else {"axis": axis_argument(axis)}))


@known("numpy.sort")
def sort(r: Interpreter, x: Any, axis: int = -1) -> Array:
    """Read a sort."""
    return r.make("sort", [x], axis=axis_argument(axis))


@known("numpy.argmax")
def argmax(r: Interpreter, x: Any, axis: Any = None) -> Array:
    """Read the place of the largest."""
    return r.make("argmax", [x], dtype=INT, **({} if axis is None else {"axis": axis_argument(axis)}))


for _name in ("softmax", "log_softmax"):
    FUNCTIONS[f"nn.{_name}"] = lambda r, x, axis=-1, _name=_name: r.make(_name, [x], axis=axis_argument(axis))


@known("nn.one_hot")
def one_hot(r: Interpreter, x: Any, num_classes: int) -> Array:
    """Read classes as rows with one 1."""
    return r.make("one_hot", [x], num_classes=num_classes, dtype="float32")


@known("nn.gelu")
def gelu(r: Interpreter, x: Any, approximate: bool = True) -> Array:
    """Read a GELU: by tanh, or by erf if it is to be exact."""
    if not approximate:
        return r.make("gelu", [x])
    cubed = r.make("mul", [0.044715, r.make("pow", [x, 3.0])])
    inner = r.make("tanh", [r.make("mul", [(2.0 / math.pi) ** 0.5, r.make("add", [x, cubed])])])
    return r.make("mul", [x, r.make("mul", [0.5, r.make("add", [1.0, inner])])])


@known("numpy.logaddexp")
def logaddexp(r: Interpreter, a: Any, b: Any) -> Array:
    """Read log(exp(a) + exp(b)) as a logsumexp of two."""
    return r.make("logsumexp", [r.make("stack", [a, b], axis=0)], axis=0)


@known("numpy.reciprocal")
def reciprocal(r: Interpreter, x: Any) -> Array:
    """Read 1/x."""
    return r.make("div", [1.0, x])


@known("numpy.isnan")
def isnan(r: Interpreter, x: Any) -> Array:
    """Refuse what no op of ours computes."""
    raise Refused("isnan() is not read.", "Write the condition by the input: where(x > 0, ...).")


COMPARED = {
    "greater": ast.Gt,
    "less": ast.Lt,
    "greater_equal": ast.GtE,
    "less_equal": ast.LtE,
    "equal": ast.Eq,
    "not_equal": ast.NotEq,
}
for _name, _op in COMPARED.items():
    FUNCTIONS[f"numpy.{_name}"] = lambda r, a, b, _op=_op: r.compare(_op(), a, b, ast.Constant(0))


# What arrays are asked for.

SHARED = (
    "sum",
    "mean",
    "max",
    "min",
    "prod",
    "var",
    "std",
    "reshape",
    "transpose",
    "ravel",
    "squeeze",
    "clip",
    "dot",
    "argmax",
    "cumsum",
    "round",
)
METHODS.update({name: FUNCTIONS[f"numpy.{name}"] for name in SHARED})
METHODS["flatten"] = ravel
METHODS["copy"] = lambda r, x: Array(x.held, x.framework, x.dtype)
METHODS["item"] = lambda r, x: x
METHODS["block_until_ready"] = lambda r, x: x
METHODS["astype"] = lambda r, x, dtype: cast(r, x, named_dtype(r, dtype))


def cast(r: Interpreter, x: Array, dtype: str | None) -> Array:
    """Return an array with another dtype; a whole number from a float would lose its fraction."""
    if dtype in (INT, BOOL) and x.dtype != dtype:
        raise Refused(f"A conversion to {dtype} is not read.", "Write floor(x) or a comparison.")
    return Array(x.held, x.framework, dtype or x.dtype, x.requires_grad, x.leaf)


def attribute(r: Interpreter, x: Array, name: str, node: ast.AST) -> Any:
    """Return an attribute of an array."""
    special = r.handlers.attribute.get(x.framework)
    if special is not None:
        done, value = special(r, x, name, node)
        if done:
            return value
    if name == "shape":
        return shape_of(r, x)
    if name == "ndim":
        return len(shape_of(r, x))
    if name == "size" and x.framework != "torch":
        return prod(shape_of(r, x))
    if name == "T":
        return x if len(shape_of(r, x)) < 2 else transpose(r, x)
    if name == "dtype":
        return Path(f"{x.framework}.{x.dtype}")
    if name == "at" and x.framework == "jax":
        return At(x)
    table = r.methods.get(x.framework, METHODS)
    if name not in table:
        near = r.nearest(name)
        raise Refused(f"An array has no {name!r} that is read.", near, at=node)
    method = table[name]

    def call(_: Interpreter, args: list, keywords: dict) -> Any:
        try:
            return method(r, x, *args, **keywords)
        except TypeError as error:
            if "argument" not in str(error):
                raise
            raise Refused(f"{name}() is not read with these arguments.", at=node) from None

    return Native(call, name)


class At:
    """What `x.at` is: a place to update, and the index once it is there."""

    def __init__(self, array: Array, index: Any = None) -> None:
        self.array, self.index = array, index


def index_of(r: Interpreter, index: Any) -> tuple:
    """Return an index as the parameter of an op.

    Raises:
      Refused: a part is an array or anything else that the op does not take.
    """
    parts = index if isinstance(index, tuple) else (index,)
    read: list[Any] = []
    for part in parts:
        if type(part) is int or part is None:
            read.append(part)
        elif part is Ellipsis:
            read.append("...")
        elif isinstance(part, slice) and all(
            type(one) in (int, type(None)) for one in (part.start, part.stop, part.step)
        ):
            read.append((part.start, part.stop, part.step))
        else:
            raise Refused(
                "An index is written out in whole numbers here.", "Pick elements by where() or a product."
            )
    return tuple(read)


def item(r: Interpreter, x: Array, index: Any, node: ast.AST) -> Array:
    """Return elements of an array."""
    special = r.handlers.item.get(x.framework)
    if special is not None:
        return special(r, x, index, node)
    if isinstance(index, Array) and index.dtype == BOOL:
        raise Refused(
            "How many elements a condition picks depends on numbers.",
            "Write where(condition, x, 0).",
            "data-dependent",
            node,
        )
    return r.make("getitem", [x], index=index_of(r, index))


def items(r: Interpreter, x: Array, node: ast.AST) -> list[Array]:
    """Return the elements of an array along its first axis."""
    shape = shape_of(r, x)
    if not shape:
        raise Refused("A number cannot be iterated over.", at=node)
    if shape[0] > 256:
        raise Refused(f"A loop over {shape[0]} elements is not unrolled.", "Use fewer.", "too-large", node)
    return [item(r, x, i, node) for i in range(shape[0])]


def at_item(r: Interpreter, at: At, index: Any, node: ast.AST) -> At:
    """Return the place that `x.at[index]` names."""
    return At(at.array, index_of(r, index))


def at_attribute(r: Interpreter, at: At, name: str, node: ast.AST) -> Native:
    """Return the update of a place: set, add, multiply."""
    if at.index is None or name not in ("set", "add", "multiply", "mul"):
        raise Refused(f"x.at[...] has no {name!r} that is read.", "There are set, add and multiply.", at=node)

    def call(_: Interpreter, args: list, keywords: dict) -> Array:
        change = args[0]
        if name != "set":
            old = r.make("getitem", [at.array], index=at.index)
            change = r.make("add" if name == "add" else "mul", [old, change])
        return r.make("at_set", [at.array, change], index=at.index)

    return Native(call, name)


def set_item(r: Interpreter, x: Array, index: Any, value: Any, target: ast.Subscript) -> None:
    """Change elements in place, as NumPy and PyTorch do."""
    if x.framework == "tf":
        raise Refused(
            "A tensor of TensorFlow does not support item assignment.",
            "Write tf.tensor_scatter_nd_update(x, [[i]], [value]), or tf.where(mask, a, b).",
            "immutable",
            target,
        )
    if x.framework == "jax":
        raise Refused(
            "JAX's arrays do not change in place.",
            f"Write {ast.unparse(target.value)} = "
            f"{ast.unparse(target.value)}.at[{ast.unparse(target.slice)}].set(...).",
            "immutable",
            target,
        )
    if isinstance(index, Array) and index.dtype == BOOL:
        r.in_place(x, r.make("where", [index, value, x]), target)
        return
    if x.is_constant and isinstance(value, (int, float)):
        changed = np.array(x.held, float)
        changed[index] = value
        x.held = as_literal(changed)
        return
    r.in_place(x, r.make("at_set", [x, value], index=index_of(r, index)), target)


def install(r: Interpreter) -> None:
    """Teach an interpreter what arrays do."""
    r.library = "numpy"
    r.handlers.attribute[Array] = attribute
    r.handlers.item[Array] = item
    r.handlers.items[Array] = items
    r.handlers.item[At] = at_item
    r.handlers.attribute[At] = at_attribute
    r.handlers.set_item[Array] = set_item
