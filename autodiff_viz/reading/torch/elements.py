"""Read functions of PyTorch that go element by element, compare or choose, with PyTorch's slopes."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_viz.reading.functions import arrays, elements
from autodiff_viz.reading.functions.arrays import shape_of
from autodiff_viz.reading.functions.corners import CLAMP_ENDS
from autodiff_viz.reading.functions.declared import ruled
from autodiff_viz.reading.functions.library_calls import call_jax, jax_function
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, FLOATS, INT, Array, Refused
from autodiff_viz.reading.nodes.builder import Builder
from autodiff_viz.reading.nodes.costs import LibraryError
from autodiff_viz.reading.numpy.array_functions import floored_quotient
from autodiff_viz.reading.tensors.torch_tensors import (
    TENSOR,
    TORCH,
    Draws,
    Ops,
    both,
    can_have_rule,
    cast,
    declared,
    detach,
    float_of,
    numbers,
    tensor,
    trunc,
)
from autodiff_viz.reading.torch.places import nonzero

# Element by element.

FLOATING = {
    **{op: op for op in arrays.ELEMENTARY.values() if op not in ("cbrt", "square", "sign", "floor", "abs")},
    **{name: op for name, op in arrays.ELEMENTARY.items() if op.startswith("arc")},
    **{name: name for name in ("sigmoid", "erf", "erfc", "rsqrt", "log2", "log10")},
}
KEEPING = {
    **{name: name for name in ("square", "sign", "floor", "relu", "neg", "round")},
    "negative": "neg",
    "sgn": "sign",
}


def _unary(op: str, floats: bool) -> Callable[..., Any]:
    return lambda reader, input: reader.make(op, [input], dtype=float_of(reader, input) if floats else None)


for _name, _op in FLOATING.items():
    both(_name)(_unary(_op, True))
for _name, _op in KEEPING.items():
    both(_name)(_unary(_op, False))
TORCH["torch.special.expit"] = TORCH["torch.sigmoid"]
TORCH["torch.special.exp2"] = TORCH["torch.exp2"]


@both("round")
def rounded(reader: Reader, input: Any, decimals: int = 0) -> Array:
    """Read a rounding."""
    if not decimals:
        return reader.make("round", [input])
    return Ops(reader).div(Ops(reader).round(Ops(reader).mul(input, 10.0**decimals)), 10.0**decimals)


def promoted(reader: Reader, a: Any, b: Any, floats: bool = False) -> str | None:
    """Return the dtype of what an operator makes of two values, by PyTorch's rules.

    A tensor without axes counts less than one with axes, and a number less than both, if they are of one
    kind.
    """
    ranks: list[tuple[int, str]] = []
    for one in (a, b):
        if isinstance(one, Array):
            ranks.append(
                (2 if not isinstance(reader.builder, Builder) or shape_of(reader, one) else 1, one.dtype)
            )
        else:
            ranks.append(
                (
                    0,
                    BOOL
                    if isinstance(one, bool)
                    else INT
                    if isinstance(one, int)
                    else reader.state(Draws).default,
                )
            )
    kinds = [0 if dtype == BOOL else 1 if dtype == INT else 2 for _, dtype in ranks]
    strongest = max(kinds)
    if strongest < 2:
        return reader.state(Draws).default if floats else (INT if strongest == 1 else BOOL)
    of_kind = [(rank, dtype) for (rank, dtype), kind in zip(ranks, kinds, strict=True) if kind == strongest]
    top = max(rank for rank, _ in of_kind)
    return max((dtype for rank, dtype in of_kind if rank == top), key=FLOATS.index)


def _binary(op: str, floats: bool = False) -> Callable[..., Any]:
    def read(reader: Reader, input: Any, other: Any, *, alpha: Any = 1) -> Array:
        if alpha != 1:
            other = reader.make("mul", [other, alpha])
        return reader.make(op, [input, other], dtype=promoted(reader, input, other, floats))

    return read


for _name, _op in {"add": "add", "sub": "sub", "subtract": "sub"}.items():
    both(_name)(_binary(_op))
for _name, _op in {"mul": "mul", "multiply": "mul", "maximum": "maximum", "minimum": "minimum"}.items():
    both(_name)(_binary(_op))


TORCH["torch.rsub"] = lambda reader, input, other, *, alpha=1: TORCH["torch.sub"](
    reader, other, input, alpha=alpha
)


@both("div", "divide", "true_divide")
def divide(reader: Reader, input: Any, other: Any, *, rounding_mode: Any = None) -> Array:
    """Read a division."""
    kind = promoted(reader, input, other, floats=rounding_mode is None)
    if rounding_mode == "floor":
        made = floored_quotient(reader, input, other)
        made.dtype = kind
        return made
    quotient = reader.make("div", [input, other], dtype=kind)
    if rounding_mode not in (None, "trunc"):
        raise LibraryError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {rounding_mode!r}."
        )
    return quotient if rounding_mode is None else trunc(reader, quotient)


def _check_divisor(reader: Reader, kind: str, divisor: Any) -> None:
    """Check what whole numbers are divided by.

    Raises:
      LibraryError: it has a 0.
    """
    if kind == INT and not numbers(reader, tensor(reader, divisor)).all():
        raise LibraryError("ZeroDivisionError", "Make no whole number of the divisor 0.")


@both("floor_divide")
def floor_divide(reader: Reader, input: Any, other: Any) -> Array:
    """Read a division without rest."""
    _check_divisor(reader, promoted(reader, input, other), other)
    made = divide(reader, input, other, rounding_mode="floor")
    if made.requires_grad:
        made.requires_grad, made.leaf = False, True
        made = detach(reader, made)
    return made


@both("remainder")
def remainder(reader: Reader, input: Any, other: Any) -> Array:
    """Read a rest, with the sign of the divisor; its slope by the divisor is the whole quotient."""
    pair, kind = [tensor(reader, input), tensor(reader, other)], promoted(reader, input, other)
    if isinstance(input, (int, float)) and pair[1].requires_grad:
        raise LibraryError("derivative for aten::remainder is not implemented", "Write torch.tensor(...).")
    _check_divisor(reader, kind, pair[1])
    if not pair[1].is_node:
        return reader.make("remainder", pair, dtype=kind)
    return ruled(
        reader,
        "remainder",
        pair,
        {"a": "v", "b": "-(v * where(equal(b, 0.0), a / b, round((a - out) / b)))"},
        kind,
    )


@both("fmod")
def fmod(reader: Reader, input: Any, other: Any) -> Array:
    """Read a rest, with the sign of the number."""
    kind = promoted(reader, input, other)
    if kind in FLOATS:
        return call_jax(reader, elements.fmod, input, other)
    _check_divisor(reader, kind, other)
    o = Ops(reader)
    return reader.make("mul", [o.sign(input), o.remainder(o.abs(input), o.abs(other))], dtype=kind)


@both("frac")
def frac(reader: Reader, input: Any) -> Array:
    """Read what is behind the point."""
    if input.dtype not in FLOATS:
        raise LibraryError("\"frac_cpu\" not implemented for 'Long'")
    return Ops(reader).sub(input, trunc(reader, input))


@both("abs", "absolute")
def absolute(reader: Reader, input: Any) -> Array:
    """Read abs, whose slope at 0 is 0 in PyTorch; whole numbers stay ones."""
    reader.say(reader.line, "the slope of abs at 0 is 0 here; JAX's is 1")
    rule = declared("lambda v, x, out: v * sign(x)")
    return reader.make("abs", [input], rule=rule if can_have_rule(reader, input) else None)


@both("clamp", "clip")
def clamp(reader: Reader, input: Any, min: Any = None, max: Any = None) -> Array:
    """Read clamp, which passes all of the gradient at its ends in PyTorch."""
    if min is None and max is None:
        raise LibraryError("torch.clamp: At least one of 'min' or 'max' must not be None.")
    reader.say(reader.line, CLAMP_ENDS)
    ends = [one for one in (min, max) if one is not None]
    if len({isinstance(one, Array) for one in ends}) > 1:
        raise LibraryError("clamp(): the ends are both numbers or both tensors.", "Write torch.tensor(1.0).")
    if not any(isinstance(one, Array) for one in ends):
        kind, held = promoted(reader, input, ends[0]), can_have_rule(reader, input)
        inside = " * ".join(
            f"{op}(x, {float(end)})"
            for op, end in (("greater_equal", min), ("less_equal", max))
            if end is not None
        )
        rule = declared(f"lambda v, x, out: where({inside}, v, zeros_like(v))") if held else None
        op = "maximum" if max is None else "minimum" if min is None else "clip"
        return reader.make(op, [input, *map(float, ends)], kind, rule=rule)
    value = input  # at equality all goes to the number, and nothing to the limit
    if min is not None:
        value = reader.make("where", [reader.make("less", [value, min], dtype=BOOL), min, value])
    if max is not None:
        value = reader.make("where", [reader.make("greater", [value, max], dtype=BOOL), max, value])
    return value


TORCH["torch.clamp_min"] = TENSOR["clamp_min"] = lambda reader, input, min: clamp(reader, input, min)
TORCH["torch.clamp_max"] = TENSOR["clamp_max"] = lambda reader, input, max: clamp(reader, input, None, max)


@both("pow")
def power(reader: Reader, input: Any, exponent: Any) -> Array:
    """Read a power; PyTorch's slope for the exponent 0 is 0 everywhere, and of 0 ** p by p it is 0."""
    kind = promoted(reader, input, exponent)
    if kind == INT and np.any(numbers(reader, exponent) < 0):
        raise LibraryError("Integers to negative integer powers are not allowed.", "Write x.float().")
    if isinstance(exponent, (int, float)):
        if exponent == 0:
            reader.say(reader.line, "PyTorch's slope of x ** 0 is 0 everywhere; JAX's is NaN at 0")
            rule = declared("lambda v, x, out: zeros_like(x)")
            return reader.make("pow", [input, 0.0], kind, rule=rule if can_have_rule(reader, input) else None)
        if exponent == 1:
            return reader.make("mul", [input, 1.0], kind)
        if exponent in (2, 0.5, -0.5):
            return reader.make({2: "square", 0.5: "sqrt", -0.5: "rsqrt"}[exponent], [input], kind)
        return reader.make("pow", [input, float(exponent)], kind)
    base, index = tensor(reader, input), tensor(reader, exponent)
    if not (base.requires_grad or index.requires_grad) or (_constant_number(base) and base.held != 0):
        return reader.make("pow", [base, index], kind)
    return call_jax(reader, elements.power, base, index)


def _constant_number(x: Array) -> bool:
    return isinstance(x.held, (int, float))


@both("float_power")
def float_power(reader: Reader, input: Any, exponent: Any) -> Array:
    """Read a power in double precision, of a tensor that has it."""
    if promoted(reader, input, exponent) != "float64":
        raise Refused("float_power() computes in float64.", "Write x.double() ** p, or x ** p.", "dtype")
    return power(reader, input, exponent)


both("reciprocal")(lambda reader, input: reader.make("div", [1.0, input], dtype=float_of(reader, input)))
both("positive")(lambda reader, input: input)
for _name, _read in {
    "ceil": lambda o, input: o.neg(o.floor(o.neg(input))),
    "deg2rad": lambda o, input: o.mul(input, math.pi / 180),
    "rad2deg": lambda o, input: o.mul(input, 180 / math.pi),
    "addcmul": lambda o, input, tensor1, tensor2, *, value=1: o.add(
        input, o.mul(value, o.mul(tensor1, tensor2))
    ),
    "addcdiv": lambda o, input, tensor1, tensor2, *, value=1: o.add(
        input, o.mul(value, o.div(tensor1, tensor2))
    ),
    "lerp": lambda o, input, end, weight: o.add(input, o.mul(weight, o.sub(end, input))),
}.items():
    both(_name)(lambda reader, *args, _read=_read, **options: _read(Ops(reader), *args, **options))


@both("logit")
def logit(reader: Reader, input: Any, eps: Any = None) -> Array:
    """Read log(p / (1 - p))."""
    input = cast(reader, input, float_of(reader, input))
    return call_jax(
        reader, elements.logit, input if eps is None or eps < 0 else clamp(reader, input, eps, 1.0 - eps)
    )


both("xlogy")(jax_function(elements.xlogy))
TORCH["torch.special.xlogy"] = TORCH["torch.xlogy"]


def _pair(function: Callable[..., Any], says: str) -> Callable[..., Any]:
    def read(reader: Reader, input: Any, other: Any) -> Array:
        for one in (input, other):
            if not isinstance(one, Array):
                raise LibraryError(f"argument must be Tensor, not {type(one).__name__}.")
            if one.dtype not in FLOATS and function is not elements.arctan2:
                raise LibraryError("This is not implemented for whole numbers.", "Write .float().", "integer")
        reader.say(reader.line, says)
        pair = [
            one if one.dtype in FLOATS else cast(reader, one, float_of(reader, one)) for one in (input, other)
        ]
        return call_jax(reader, function, *pair)

    return read


both("atan2", "arctan2")(_pair(elements.arctan2, "the gradient of atan2(0, 0) is 0 here; JAX's is NaN"))
both("hypot")(_pair(elements.hypot, "the gradient of hypot(0, 0) is NaN here; JAX's is 1/2"))
both("logaddexp")(_pair(elements.logaddexp, "of two infinities logaddexp passes NaN here; JAX all to both"))
both("sinc")(jax_function(elements.sinc))


def _extreme(reader: Reader, a: Any, b: Any, first: Array) -> Array:
    """Return a where it comes first, or where b is NaN."""
    return reader.make("where", [reader.make("maximum", [first, is_nan(reader, b)]), a, b])


both("fmax")(
    lambda reader, input, other: _extreme(reader, input, other, TORCH["torch.ge"](reader, input, other))
)
both("fmin")(
    lambda reader, input, other: _extreme(reader, input, other, TORCH["torch.le"](reader, input, other))
)

both("nan_to_num")(jax_function(elements.nan_to_num))


@both("isnan")
def is_nan(reader: Reader, x: Any) -> Array:
    """Return whether an element is NaN: it differs from itself."""
    return reader.compare(ast.NotEq(), x, x)


@both("heaviside", "lgamma", "digamma", "erfinv", "fft", "svd", "qr", "cholesky", "inverse_fft", "i0")
def without_op(reader: Reader, input: Any, *_: Any, **__: Any) -> Array:
    """Refuse functions for which there is no op."""
    raise Refused(f"There is no op for `{reader.called}`.", "", "unknown-function")


# Compare and choose.

for _names, _op in {
    "gt greater": ast.Gt,
    "lt less": ast.Lt,
    "ge greater_equal": ast.GtE,
    "le less_equal": ast.LtE,
    "eq": ast.Eq,
    "ne not_equal": ast.NotEq,
}.items():
    both(*_names.split())(lambda reader, input, other, _op=_op: reader.compare(_op(), input, other))


for _name, _op in {"logical_and": "mul", "logical_or": "maximum"}.items():
    both(_name)(
        lambda reader, input, other, _op=_op: reader.make(
            _op, [cast(reader, input, BOOL), cast(reader, other, BOOL)], dtype=BOOL
        )
    )


@both("logical_not")
def logical_not(reader: Reader, input: Any) -> Array:
    """Read that something does not hold."""
    return reader.make("sub", [1.0, cast(reader, input, BOOL)], dtype=BOOL)


for _name, _op in {"any": "max", "all": "min"}.items():
    both(_name)(
        lambda reader, input, dim=None, keepdim=False, _op=_op: Array(
            arrays.fold(reader, _op, cast(reader, input, BOOL), dim, keepdim).held, "torch", BOOL
        )
    )


@both("allclose", "equal", "isclose")
def close(reader: Reader, input: Any, other: Any, **_: Any) -> Array:
    """Refuse a comparison whose only use is to be printed."""
    raise Refused("This comparison is not read.", "The page shows the numbers.")


@arrays.known("torch.where", table=TORCH)
def where(reader: Reader, condition: Any, *given: Any, **named: Any) -> Any:
    """Read a choice by a condition."""
    if not given and not named:
        return nonzero(reader, condition, as_tuple=True)
    a, b = (*given, *(named[key] for key in ("input", "self", "other") if key in named))
    if not isinstance(condition, Array) or condition.dtype != BOOL:
        raise LibraryError("where expected condition to be a boolean tensor.", "Write where(x > 0, a, b).")
    return reader.make("where", [condition, a, b], dtype=promoted(reader, a, b))


TENSOR["where"] = lambda reader, x, condition, other: where(reader, condition, x, other)


@both("masked_fill")
def masked_fill(reader: Reader, input: Array, mask: Any, value: Any) -> Array:
    """Read a fill where a mask holds."""
    if mask.dtype != BOOL:
        raise LibraryError("masked_fill_ only supports boolean masks", "Write mask.bool().", "index")
    if isinstance(value, Array) and shape_of(reader, value):
        raise LibraryError("masked_fill_ only supports a 0-dimensional value tensor", "Write torch.where().")
    if isinstance(value, float) and not math.isfinite(value):
        value = Array(reader.held(value), "torch", input.dtype)
    return reader.make("where", [mask, value, input], dtype=input.dtype)
