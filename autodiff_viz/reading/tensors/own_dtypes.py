"""Compute whole numbers and floats of 16 bits in their own dtype, with NumPy, where the graph would not.

A graph has one dtype of floats. Whole numbers wrap around at the ends of their dtype and have more digits
than float32, and a float of 16 bits is rounded after every op. Where the graph gives the same numbers its
nodes stay; where it does not, and no gradient needs them, the right ones take their place as a constant.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jax.numpy as jnp
import numpy as np

from autodiff_viz.graph.model import IDENTITY, INPUT
from autodiff_viz.reading.functions.arrays import as_literal, constant, is_differentiated
from autodiff_viz.reading.functions.draws import Draws as JaxDraws
from autodiff_viz.reading.language.operators import COMPARES
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, FLOATS, HALVES, INT, Array, Refused, Whole, arrays_of
from autodiff_viz.reading.nodes.builder import Builder, Ref
from autodiff_viz.reading.nodes.costs import LibraryError, sized
from autodiff_viz.reading.nodes.evaluation import Evaluation
from autodiff_viz.reading.tensors.torch_facts import ITSELF, VIEWS
from autodiff_viz.reading.tensors.torch_tensors import Draws

DOUBLE = 2**53  # the same of the floats in which a text's numbers are held


@dataclass(eq=False)
class Known:
    """The numbers of nodes in their own dtype, by the node's number."""

    of: dict[int, np.ndarray] = field(default_factory=dict)


def numpy_dtype(reader: Reader, dtype: str, framework: str) -> np.dtype:
    """Return a dtype as NumPy has it; whole numbers that name no width have the library's usual one."""
    if dtype == BOOL:
        return np.dtype(bool)
    if dtype == INT:
        usual = (
            "int64" if framework in ("torch", "numpy") or (framework == "jax" and reader.wide) else "int32"
        )
        return np.dtype(getattr(dtype, "width", usual))
    return np.dtype(jnp.bfloat16 if dtype == "bfloat16" else dtype)


def _ours(dtype: np.dtype) -> str:
    """Return our name of a dtype of NumPy."""
    return (
        BOOL if dtype.kind == "b" else Whole(dtype.name) if np.issubdtype(dtype, np.integer) else dtype.name
    )


def known(reader: Reader, x: Any) -> np.ndarray | None:
    """Return the numbers of an array in its own dtype; None if they are not known without computing."""
    if not isinstance(x, Array) or x.rows or not isinstance(reader.builder, Builder):
        return None
    held = reader.fresh(x).held
    if isinstance(held, Ref):
        found = reader.state(Known).of.get(held.number)
        draft = reader.builder.drafts[held.number]
        while found is None and draft.op == IDENTITY and isinstance(draft.slots[0], Ref):
            held = draft.slots[0]
            found, draft = reader.state(Known).of.get(held.number), reader.builder.drafts[held.number]
        if (
            found is None
            and draft.op == INPUT
            and "value" in draft.params
            and not _drawn(reader, held.number)
        ):
            found = np.asarray(draft.params["value"], np.float64)
    else:
        found = np.asarray(held, np.float64)
    if found is None:
        return None
    with np.errstate(all="ignore"):
        return found.astype(numpy_dtype(reader, x.dtype, x.framework))


def _drawn(reader: Reader, number: int) -> bool:
    return number in reader.state(Draws).drawn or number in reader.state(JaxDraws).unseeded


def _same_in_graph(numbers: np.ndarray) -> bool:
    """Return whether float32 has all of these numbers."""
    wide = np.asarray(numbers, np.float64)
    with np.errstate(over="ignore"):
        return bool(np.array_equal(wide.astype(np.float32), wide, equal_nan=True))


def remember(reader: Reader, x: Array, compute: Callable[..., np.ndarray], *given: Any) -> None:
    """Note the numbers of an array that several ops made, by what NumPy makes of what was given."""
    numbers = [known(reader, one) if isinstance(one, Array) else one for one in given]
    if x.dtype not in (INT, *HALVES) or not x.is_node or any(one is None for one in numbers):
        return
    found = np.asarray(compute(*numbers)).astype(numpy_dtype(reader, x.dtype, x.framework))
    if _same_in_graph(found):
        reader.state(Known).of[x.held.number] = found


# What an op computes.


def _index(index: tuple) -> tuple:
    return tuple(
        Ellipsis if one == "..." else slice(*one) if isinstance(one, tuple) else one for one in index
    )


def _at_set(x: np.ndarray, value: Any, index: tuple) -> np.ndarray:
    made = x.copy()
    made[_index(index)] = value
    return made


def _axes(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axis=None, keepdims=False: function(x, axis=axis, keepdims=keepdims)


MOVES: Mapping[str, Callable[..., Any]] = {
    "identity": lambda x, *_: x,
    "first": lambda x, *_: x,
    "getitem": lambda x, index: x[_index(index)],
    "at_set": _at_set,
    "reshape": lambda x, shape: x.reshape(shape),
    "transpose": lambda x, axes=None: np.transpose(x, axes),
    "expand_dims": lambda x, axis: np.expand_dims(x, axis),
    "broadcast_to": lambda x, shape: np.broadcast_to(x, sized(shape)),
    "stack": lambda *xs, axis=0: np.stack(xs, axis),
    "concatenate": lambda *xs, axis=0: np.concatenate(xs, axis),
    "where": lambda condition, a, b: np.where(np.asarray(condition) != 0, a, b),
    "max": _axes(np.max),
    "min": _axes(np.min),
    "zeros_like": np.zeros_like,
    "ones_like": np.ones_like,
    "sort": lambda x, axis=-1, descending=False: np.sort(x, axis) if not descending else -np.sort(-x, axis),
}
"""Ops that pass numbers on."""

COMPUTES: Mapping[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "square": np.square,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "relu": lambda x: np.maximum(x, 0),
    "clip": lambda x, low, high: np.minimum(np.maximum(x, low), high),
}
"""Ops of which the result has the dtype of what they get."""

FOLDS: Mapping[str, Callable[..., Any]] = {
    "sum": _axes(np.sum),
    "prod": _axes(np.prod),
    "cumsum": lambda x, axis=None: np.cumsum(x, axis),
}
"""Ops of which the result of whole numbers has the usual width."""

ROUNDED: Mapping[str, Callable[..., Any]] = {
    "div": np.divide,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "mean": _axes(np.mean),
    "floor": np.floor,
    "round": np.round,
}
"""Ops of floats, which are computed in float32 and rounded where the floats have 16 bits."""

OWN = {**MOVES, **COMPUTES, **FOLDS, **ROUNDED, **{op: getattr(np, op) for op in COMPARES.values()}}


def result_dtype(reader: Reader, op: str, args: list[Any], made: Array) -> np.dtype:
    """Return the dtype of whole numbers that an op makes, by the rules of its library."""
    if isinstance(made.dtype, Whole) or op not in {*COMPUTES, *FOLDS, *MOVES}:
        return numpy_dtype(reader, made.dtype, made.framework)
    given = [one for one in args if isinstance(one, Array) and one.dtype in (INT, BOOL)]
    if op == "where":
        given = [one for one in args[1:] if isinstance(one, Array) and one.dtype in (INT, BOOL)]
    kinds = [(one, numpy_dtype(reader, one.dtype, one.framework)) for one in given]
    usual = numpy_dtype(reader, INT, made.framework)
    if not any(kind.kind in "iu" for _, kind in kinds):
        return usual
    if made.framework == "torch" and op not in FOLDS:
        whole = [(one, kind) for one, kind in kinds if kind.kind in "iu"]
        with_axes = [kind for one, kind in whole if reader.builder.shape(reader.held(one))]
        found = np.result_type(*(with_axes or [kind for _, kind in whole]))
    elif made.framework == "jax":
        found = np.dtype(jnp.promote_types(kinds[0][1], kinds[0][1]))
        for _, kind in kinds[1:]:
            found = np.dtype(jnp.promote_types(found, kind))
    else:
        found = np.result_type(*(kind for _, kind in kinds))
    if op in FOLDS:
        if made.framework == "torch":
            return np.dtype("int64")
        unsigned = np.issubdtype(found, np.unsignedinteger)
        return np.promote_types(found, np.dtype(f"u{usual.name}") if unsigned else usual)
    return found


def own_numbers(reader: Reader, op: str, args: list[Any], params: dict[str, Any], made: Array) -> Array:
    """Return what an op makes, as a constant if the graph computes other numbers than its library.

    Raises:
      Refused: the graph computes others, and a gradient needs them or they are not known.
    """
    arrays = [one for one in args if isinstance(one, Array)]
    kinds = {one.dtype for one in arrays} | {made.dtype}
    if not (kinds & {INT, *HALVES}) or any(one.rows for one in arrays) or not made.is_node:
        return made
    if (
        made.framework == "tf"
        or not isinstance(reader.builder, Builder)
        or made.dtype in ("float32", "float64")
    ):
        return made
    plain = made.dtype == INT and not isinstance(made.dtype, Whole)
    if plain and op in KEEPING and all(_is_bool(one) for one in args):
        made.dtype = BOOL
        return made
    if made.dtype == INT:
        made.dtype = _ours(result_dtype(reader, op, args, made))
    dtype = numpy_dtype(reader, made.dtype, made.framework)
    numbers = [known(reader, one) if isinstance(one, Array) else one for one in args]
    if op not in OWN or any(one is None for one in numbers):
        _check_held(op, arrays, numbers, made, dtype)
        return made
    result, ideal = _computed(op, numbers, params, made, dtype)
    held = all(_same_in_graph(np.asarray(one)) for one in numbers)
    if held and np.array_equal(result.astype(np.float64), ideal, equal_nan=True) and _same_in_graph(result):
        reader.state(Known).of[made.held.number] = result
        return made
    if is_differentiated(reader, made):
        raise Refused(
            f"A computation in {dtype.name} rounds its result, and the graph that the gradient passes "
            "through has float32.",
            "Make the inputs float32.",
            "dtype",
        )
    reader.builder.replaced.add(made.held.number)
    return own_constant(reader, result, made)


KEEPING = frozenset([*MOVES, "abs", "maximum", "minimum"])
"""Ops that make truth values of truth values."""


def _is_bool(x: Any) -> bool:
    return isinstance(x, bool) or (isinstance(x, Array) and x.dtype == BOOL)


def _computed(
    op: str, numbers: list[Any], params: dict[str, Any], made: Array, dtype: np.dtype
) -> tuple[np.ndarray, np.ndarray]:
    """Return what an op makes in its own dtype, and in the dtype of a graph that is as wide as it can be."""
    function = OWN[op]
    wide = [np.asarray(one, np.float64) for one in numbers]
    with np.errstate(all="ignore"):
        ideal = np.asarray(function(*wide, **params), np.float64)
        if op in COMPARES.values():
            if made.framework == "torch":  # a whole number gets the width of what it is compared with
                kinds = [
                    one.dtype for one in numbers if isinstance(one, np.ndarray) and one.dtype.kind in "iu"
                ]
                usual = np.result_type(*kinds) if kinds else np.dtype("int64")
                numbers = [_whole(one, usual, "torch") if type(one) is int else one for one in numbers]
            return np.asarray(function(*map(_plain, numbers), **params)), ideal
        if dtype.name in HALVES:
            # PyTorch multiplies and divides by a number of Python as it is, and rounds it first elsewhere.
            exact = made.framework == "torch" and op in ("mul", "div")
            if exact and op == "div" and not isinstance(numbers[0], np.ndarray):  # it takes 1/x first
                inverse = (1 / np.asarray(numbers[1], np.float32)).astype(dtype).astype(np.float32)
                return (inverse * np.float32(numbers[0])).astype(dtype), ideal
            given = [
                np.asarray(one if exact or isinstance(one, np.ndarray) else dtype.type(one), np.float32)
                if not (op == "where" and at == 0)
                else one
                for at, one in enumerate(numbers)
            ]
            return np.asarray(function(*given, **params)).astype(dtype), ideal
        given = [
            one if op == "where" and at == 0 else _whole(one, dtype, made.framework)
            for at, one in enumerate(numbers)
        ]
        made_numbers = np.asarray(function(*given, **params))
        return made_numbers.astype(dtype), ideal


def _plain(one: Any) -> Any:
    return one if isinstance(one, (np.ndarray, int)) else np.asarray(one)


def _whole(one: Any, dtype: np.dtype, framework: str) -> np.ndarray:
    """Return numbers in a dtype of whole numbers, in which an op is computed."""
    if isinstance(one, np.ndarray):
        return one.astype(dtype)
    if np.issubdtype(dtype, np.integer) and float(one) == int(one):
        ends = np.iinfo(dtype)
        if not ends.min <= int(one) <= ends.max and framework != "torch":
            raise LibraryError(f"Python integer {int(one)} out of bounds for {dtype.name}.", "", "dtype")
        return np.asarray(int(one) % 2**ends.bits if int(one) > ends.max else int(one)).astype(dtype)
    return np.asarray(one).astype(dtype)


def _check_held(op: str, arrays: list[Array], numbers: list[Any], made: Array, dtype: np.dtype) -> None:
    """Refuse to let the graph compute what it cannot."""
    if made.dtype in HALVES:
        raise Refused(
            f"This computation in {dtype.name} is not read: each step rounds its result.",
            "Make the inputs float32.",
            "dtype",
        )
    large = any(isinstance(one, np.ndarray) and not _same_in_graph(one) for one in numbers)
    if large and made.dtype in (INT, BOOL):
        raise Refused(
            "Whole numbers of more than 16,777,216 are read in sums, products and comparisons alone.",
            "Use smaller numbers.",
            "dtype",
        )
    if made.dtype == INT and dtype.itemsize < 4 and op not in MOVES:
        raise Refused(
            f"Whether these numbers fit {dtype.name} is not known.", "Use whole numbers of 64 bits.", "dtype"
        )


def own_constant(reader: Reader, numbers: np.ndarray, like: Array) -> Array:
    """Return an array of known numbers in their own dtype, which may not be finite."""
    wide = numbers.astype(np.float64)
    finite = np.isfinite(wide)
    if (np.abs(wide[finite]) > DOUBLE).any() and like.dtype == INT:
        raise Refused("Whole numbers of more than 2**53 are not read.", "Use smaller numbers.", "dtype")
    made = constant(reader, np.where(finite, wide, 0.0), like.framework, like.dtype)
    made.traced = like.traced
    if finite.all():
        return made
    if like.requires_grad:
        raise Refused("Numbers that are too large for their dtype become infinite here.", "", "dtype")
    held: Any = made.held
    for value in (math.inf, -math.inf, math.nan):
        here = np.isnan(wide) if math.isnan(value) else wide == value
        if here.any():
            held = reader.builder.add("where", [as_literal(here.astype(float)), reader.held(value), held])
            reader.state(Known).of[held.number] = numbers
    return Array(held, like.framework, like.dtype, traced=like.traced)


# Conversions and operators.


def converted(reader: Reader, x: Array, dtype: str) -> Array | None:
    """Return an array in another dtype; None where the graph has the same numbers in both.

    Raises:
      Refused: nobody knows them, or a gradient passes.
    """
    if dtype == "float64" and x.dtype == "float32":
        return _widened(reader, x)
    target, source = numpy_dtype(reader, dtype, x.framework), numpy_dtype(reader, x.dtype, x.framework)
    numbers = known(reader, x)
    if numbers is None:
        if target.name in HALVES:
            raise Refused(
                f"A conversion of computed numbers to {target.name} rounds them, which no op here does.",
                f"Make the inputs {target.name} at once.",
            )
        if dtype == INT and target.itemsize < min(source.itemsize, 4):
            raise Refused(
                f"Whether these computed numbers fit {target.name} is not known.",
                "Use whole numbers of 64 bits.",
                "dtype",
            )
        return None
    with np.errstate(all="ignore"):
        if dtype == INT and source.kind not in "iub":
            ends = np.iinfo(target)
            cut = np.trunc(numbers.astype(np.float64))
            if not np.isfinite(cut).all() or cut.min() < ends.min or cut.max() > ends.max:
                raise Refused(
                    f"What becomes of a float that does not fit {target.name} depends on the machine.",
                    "Use a wider dtype.",
                    "dtype",
                )
            made, ideal = cut.astype(target), cut
        else:
            made, ideal = numbers.astype(target), np.asarray(numbers, np.float64)
            ideal = (ideal != 0).astype(np.float64) if dtype == BOOL else ideal
    like = Array(x.held, x.framework, dtype, traced=x.traced)
    same = np.array_equal(made.astype(np.float64), ideal, equal_nan=True) and _same_in_graph(numbers)
    narrowed = dtype == INT and target.itemsize < 4 and source.kind not in "iub"
    if same and x.is_node and not narrowed:
        return None
    if dtype in FLOATS and not same and is_differentiated(reader, x):
        raise Refused(
            f"This conversion to {target.name} rounds numbers that a gradient passes through.",
            "Make the inputs of one dtype.",
            "dtype",
        )
    return own_constant(reader, made, like)


def _widened(reader: Reader, x: Array) -> Array | None:
    """Return float32 numbers as those of 64 bits that they are; None if the graph has them.

    Raises:
      Refused: they are computed, in the graph with more digits than float32 has.
    """
    if x.is_constant:
        rounded = as_literal(np.asarray(x.held, np.float32).astype(np.float64))
        return Array(rounded, x.framework, "float64", traced=x.traced)
    if x.rows or not x.is_node or not isinstance(reader.builder, Builder) or x.traced & reader.staged:
        return None
    if reader.builder.drafts[x.held.number].op == INPUT:
        reader.builder.kinds[x.held.number] = "float32"
        round_inputs(reader)
        return None
    single, double = (Evaluation(reader.builder, one).value(x.held) for one in ("float32", "float64"))
    if not np.array_equal(single.astype(np.float64), double, equal_nan=True):
        raise Refused(
            "Numbers that were computed in float32 keep their rounding in float64, and the graph computes "
            "all in float64.",
            "Make the inputs float64 at once.",
            "dtype",
        )
    return None


def round_inputs(reader: Reader) -> None:
    """Round the numbers of inputs in float32, since the graph is in float64."""
    for number, kind in reader.builder.kinds.items():
        params = reader.builder.drafts[number].params
        if kind == "float32" and "value" in params:
            value = np.asarray(params["value"], np.float64)
            rounded = value.astype(np.float32).astype(np.float64)
            if not np.array_equal(rounded, value):
                reader.builder.drafts[number].params = {**params, "value": as_literal(rounded)}
                reader.builder.forget_numbers()


def check_divisor(reader: Reader, x: Any, y: Any) -> None:
    """Check what a number is divided by, where both are whole.

    Raises:
      Refused: it has a 0.
    """
    if not all(isinstance(one, int) or getattr(one, "dtype", "") in (INT, BOOL) for one in (x, y)):
        return
    divisor = known(reader, y) if isinstance(y, Array) else y
    if divisor is not None and not np.all(divisor):
        raise Refused(
            "A whole number is divided by 0 here, of which each library makes another.", "", "dtype"
        )


def operator(reader: Reader, op: ast.operator, left: Any, right: Any) -> Array | None:
    """Return what an operator makes of whole numbers that are known; None if another reading has it."""
    function = OPERATORS.get(type(op))
    arrays = [one for one in (left, right) if isinstance(one, Array)]
    if all(isinstance(one, bool) or (isinstance(one, Array) and one.dtype == BOOL) for one in (left, right)):
        if isinstance(op, ast.Sub) and arrays[0].framework != "tf":
            raise LibraryError("Subtraction of two bool arrays is not supported.", "Use ^ or !=.", "dtype")
        either = {ast.Add: "maximum", ast.Mult: "mul"}.get(type(op))
        return (
            reader.make(either, [left, right], dtype=BOOL) if either and arrays[0].framework != "tf" else None
        )
    if function is None or any(one.dtype != INT or one.framework == "tf" for one in arrays):
        return None
    if not all(isinstance(one, Array) or type(one) is int for one in (left, right)):
        return None
    numbers = [known(reader, one) if isinstance(one, Array) else one for one in (left, right)]
    if any(one is None for one in numbers):
        return _quotient(reader, op, left, right) if arrays[0].framework in ("numpy", "jax") else None
    framework = next((one.framework for one in arrays if one.framework != "numpy"), "numpy")
    like = Array(0.0, framework, INT, traced=max(one.traced for one in arrays))
    dtype = result_dtype(reader, "add", [left, right], like)
    a, b = (_whole(one, dtype, framework) for one in numbers)
    if isinstance(op, (ast.FloorDiv, ast.Mod)):
        check_divisor(reader, left, right)
    if isinstance(op, ast.Pow) and np.any(b < 0):
        raise LibraryError("Integers to negative integer powers are not allowed.", "Write 2.0, not 2.")
    if isinstance(op, (ast.LShift, ast.RShift)) and (np.any(b < 0) or np.any(b >= 8 * dtype.itemsize)):
        raise Refused("A shift by so many bits depends on the machine.", "", "dtype")
    like.dtype = _ours(dtype)
    with np.errstate(all="ignore"):
        return own_constant(reader, np.asarray(function(a, b)).astype(dtype), like)


def _quotient(reader: Reader, op: ast.operator, left: Any, right: Any) -> Array | None:
    """Return a quotient or a remainder of whole numbers that are not known, as whole numbers."""
    name = {ast.FloorDiv: "numpy.floor_divide", ast.Mod: "numpy.mod"}.get(type(op))
    if name is None:
        return None
    made = reader.tables[name](reader, left, right)
    like = Array(0.0, made.framework, INT)
    made.dtype = _ours(result_dtype(reader, "add", [left, right], like))
    return made


OPERATORS: Mapping[Any, Callable[..., Any]] = {
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.remainder,
    ast.Pow: np.power,
    ast.BitAnd: np.bitwise_and,
    ast.BitOr: np.bitwise_or,
    ast.BitXor: np.bitwise_xor,
    ast.LShift: np.left_shift,
    ast.RShift: np.right_shift,
}
"""Operators of whole numbers that are no op of ours."""


def exact_values(reader: Reader, held: Any) -> np.ndarray | None:
    """Return the numbers of a whole number's node that float32 does not have; None if it has them."""
    if not isinstance(held, Ref):
        return None
    draft = reader.builder.drafts[held.number]
    found = reader.state(Known).of.get(held.number)
    if found is None and draft.op == INPUT and reader.builder.kinds.get(held.number) == INT:
        found = np.asarray(draft.params["value"], np.float64)
    if found is None or found.dtype.name in HALVES or _same_in_graph(found):
        return None
    return found.astype(np.float64)


ONE_STEP = frozenset(
    name
    for names in (
        "add sub subtract mul multiply div divide true_divide neg negative abs absolute sum mean maximum",
        "minimum max min amax amin where exp log sqrt sin cos tanh relu clamp clip square sign floor round",
        "cat concat concatenate stack hstack vstack gt lt ge le eq ne greater less equal not_equal",
        "greater_equal less_equal to float double half bfloat16 long int short bool type type_as astype",
        "tensor as_tensor asarray array from_numpy new_tensor Tensor item tolist numpy clone copy fill zero",
        "copy_ set getitem index zeros_like ones_like full_like empty_like new_zeros new_ones new_full size",
        "dim numel is_floating_point is_contiguous stride requires_grad backward register_hook retain_grad",
        "float16 float32 float64 array_equal allclose expand_dims broadcast_to block_until_ready sort",
        "finfo shape ndim swapaxes moveaxis squeeze data grad",
    )
    for name in names.split()
)
"""Functions that round their result once, so that they are read of floats of 16 bits."""


def check_steps(reader: Reader, path: str, args: Iterable[Any]) -> None:
    """Refuse a function of floats of 16 bits whose steps the graph would round one by one."""
    name = path.rpartition(".")[2].rstrip("_")
    if name in ONE_STEP or name in VIEWS or name in ITSELF:
        return
    for one in arrays_of(args):
        if one.dtype in HALVES and one.framework != "tf":
            raise Refused(
                f"{name}() is not read in {one.dtype}: where it rounds is not known.",
                "Make the inputs float32.",
                "dtype",
            )


def install(reader: Reader) -> None:
    """Teach a reader dtypes that a graph does not have."""
    others = reader.handlers.check_call

    def check_call(reader: Reader, path: str, args: list) -> None:
        if others is not None:
            others(reader, path, args)
        check_steps(reader, path, args)

    reader.handlers.check_call = check_call
    reader.handlers.check_method = check_steps
    reader.handlers.own_numbers = own_numbers
    reader.handlers.converted = converted
    reader.handlers.own_operator = operator
