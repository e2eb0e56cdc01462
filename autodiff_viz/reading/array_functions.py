"""Read functions of NumPy's and JAX's arrays that are a short graph of ops, with JAX's slopes."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.graph.model import IDENTITY, Rule
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.reading.arrays import (
    FUNCTIONS,
    METHODS,
    argmax,
    axis_argument,
    cast,
    elementwise,
    fold,
    getitem,
    known,
    moved,
    named_dtype,
    r_array,
    reshape,
    shape_argument,
    shape_of,
    single,
    squeeze,
    transpose,
    usual,
    variance,
)
from autodiff_viz.reading.builder import Builder
from autodiff_viz.reading.declared import declare
from autodiff_viz.reading.interpreter import Interpreter, canonical
from autodiff_viz.reading.terms import Terms
from autodiff_viz.reading.values import BOOL, FLOATS, INT, Array, Refused

NOWHERE = ast.Constant(0)


def fixed(r: Interpreter, x: Any) -> Any:
    """Return the same value, through which no gradient passes."""
    stoppable = isinstance(x, Array) and x.is_node and isinstance(r.builder, Builder)
    return r.make(IDENTITY, [x], rule=Rule(STOP)) if stoppable else x


def pick(r: Interpreter, condition: Any, a: Any, b: Any) -> Array:
    """Return a where a condition holds and b elsewhere."""
    return r.make("where", [condition, a, b])


# Elementwise.


def formula(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function that is a short formula of ops, under its names without "numpy."."""
    return known(*(name if "." in name else f"numpy.{name}" for name in names))


@formula("reciprocal", "lax.reciprocal")
def reciprocal(r: Interpreter, x: Any) -> Array:
    """Read 1/x."""
    return r.make("div", [1.0, x])


@formula("positive", "conj", "conjugate", "real", "nn.identity", "lax.optimization_barrier")
def same(r: Interpreter, x: Any) -> Any:
    """Read what changes nothing."""
    return x


@formula("ceil", "lax.ceil")
def ceil(r: Interpreter, x: Any) -> Array:
    """Read rounding up."""
    return r.make("neg", [r.make("floor", [r.make("neg", [x])])])


@formula("trunc", "fix")
def trunc(r: Interpreter, x: Any) -> Array:
    """Read rounding towards 0."""
    return r.make("mul", [r.make("sign", [x]), r.make("floor", [r.make("abs", [x])])])


@formula("round", "around")
def rounded(r: Interpreter, x: Any, decimals: int = 0) -> Array:
    """Read rounding, to whole numbers or to digits."""
    if type(decimals) is not int or not 0 <= decimals <= 6:
        raise Refused("Rounding is read to 0 to 6 digits.")
    if not decimals:
        return r.make("round", [x])
    return r.make("div", [r.make("round", [r.make("mul", [x, 10.0**decimals])]), 10.0**decimals])


FUNCTIONS["numpy.rint"] = lambda r, x: r.make("round", [r_array(r, x)])


@formula("lax.round")
def rounded_away(r: Interpreter, x: Any, rounding_method: Any = 0) -> Array:
    """Read `lax.round`, which takes halves away from zero unless it is told to take the even number."""
    method = getattr(rounding_method, "name", rounding_method)
    if method == 1 or str(method).endswith("RoundingMethod.TO_NEAREST_EVEN"):
        return r.make("round", [x])
    if method != 0 and not str(method).endswith("RoundingMethod.AWAY_FROM_ZERO"):
        raise Refused("This rounding method is not read.", "There are AWAY_FROM_ZERO and TO_NEAREST_EVEN.")
    size = r.make("abs", [x])
    down = r.make("floor", [size])
    up = r.make("greater_equal", [r.make("sub", [size, down]), 0.5], dtype=BOOL)
    return r.make("mul", [r.make("sign", [x]), r.make("add", [down, up])])


FUNCTIONS["numpy.mod"] = FUNCTIONS["numpy.remainder"] = elementwise("remainder")


@formula("floor_divide")
def floored_quotient(r: Interpreter, x: Any, y: Any) -> Array:
    """Read a quotient rounded down, exactly: that of floats may round up to the next whole number."""
    rough = r.make("floor", [r.make("div", [x, y])])
    if not any(getattr(one, "dtype", "") in FLOATS for one in (x, y)):
        return rough
    multiple = r.make("sub", [x, r.make("remainder", [x, y])])
    made = r.make("round", [r.make("div", [multiple, y])])
    if not isinstance(y, Array) and y:
        return made
    return pick(r, r.make("equal", [y, 0.0], dtype=BOOL), rough, made)


@formula("deg2rad", "radians")
def radians(r: Interpreter, x: Any) -> Array:
    """Read degrees as radians."""
    return r.make("mul", [x, math.pi / 180])


@formula("rad2deg", "degrees")
def degrees(r: Interpreter, x: Any) -> Array:
    """Read radians as degrees."""
    return r.make("mul", [x, 180 / math.pi])


@formula("power", "pow", "lax.pow")
def power(r: Interpreter, x: Any, y: Any) -> Any:
    """Read a power. One with a whole exponent has a slope at 0, as JAX's `integer_pow` has."""
    if not isinstance(x, Array) and not isinstance(y, Array):
        return r.binary(ast.Pow(), x, y, NOWHERE)
    if type(y) is int:
        if y == 0:
            return r.make("ones_like", [x])
        if y == 1:
            return x
        return r.make("square", [x]) if y == 2 else r.make("pow", [x, float(y)])
    if isinstance(y, float) and y == 0 and isinstance(x, Array) and x.framework == "numpy":
        return r.make("ones_like", [x])  # HIPS autograd gives a power 0 the slope 0 at 0, where JAX's is NaN
    if isinstance(y, Array) and y.dtype == INT:
        zero = r.make("equal", [y, 0.0], dtype=BOOL)
        return pick(r, zero, 1.0, r.make("pow", [x, pick(r, zero, 1.0, y)]))
    return r.make("pow", [x, y])


FUNCTIONS["numpy.float_power"] = lambda r, x, y: power(r, x, float(y) if type(y) is int else y)


@formula("lax.integer_pow")
def integer_pow(r: Interpreter, x: Any, y: int) -> Any:
    """Read a power with a whole exponent."""
    if type(y) is not int:
        raise Refused("integer_pow() takes a whole exponent that is written out.", "Write lax.pow(x, y).")
    return power(r, x, y)


def sloped(r: Interpreter, value: Array, wires: list[Any], pull: Callable[..., list[Any]]) -> Array:
    """Return a value with declared slopes along wires, all of which get the value's shape first."""
    if isinstance(r.builder, Terms):
        return value
    shape = shape_of(r, value)
    wires = [
        wire if isinstance(wire, Array) and shape_of(r, wire) == shape else _broadcast(r, wire, shape)
        for wire in wires
    ]
    return declare(r, value, wires, lambda v: pull(v, *wires), "This function")


def _broadcast(r: Interpreter, x: Any, shape: tuple[int, ...]) -> Any:
    return r.make("broadcast_to", [x], shape=shape) if isinstance(x, Array) and shape else x


@formula("scipy.special.xlogy")
def xlogy(r: Interpreter, x: Any, y: Any) -> Array:
    """Read x log(y), which is 0 where x is; its slopes are log(y) and x/y."""
    zero = r.make("equal", [x, 0.0], dtype=BOOL)
    value = fixed(r, pick(r, zero, 0.0, r.make("mul", [x, r.make("log", [y])])))
    return sloped(
        r,
        value,
        [x, y],
        lambda v, x, y: [
            r.make("mul", [v, r.make("log", [y])]),
            r.make("div", [r.make("mul", [v, x]), y]),
        ],
    )


@formula("scipy.special.entr")
def entr(r: Interpreter, x: Any) -> Array:
    """Read -x log(x), which is minus infinity below 0, and whose slope is -log(x) - 1."""
    zero, below = (r.make(op, [x, 0.0], dtype=BOOL) for op in ("equal", "less"))
    size = pick(r, zero, 0.0, r.make("mul", [x, r.make("log", [x])]))
    value = fixed(r, pick(r, below, -math.inf, r.make("neg", [size])))
    return sloped(
        r,
        value,
        [x],
        lambda v, x: [r.make("neg", [r.make("mul", [v, r.make("add", [r.make("log", [x]), 1.0])])])],
    )


@formula("scipy.special.logit")
def logit(r: Interpreter, x: Any) -> Array:
    """Read log(x / (1 - x)), with the slope 1 / (x (1 - x))."""
    value = fixed(r, r.make("log", [r.make("div", [x, r.make("sub", [1.0, x])])]))
    return sloped(
        r, value, [x], lambda v, x: [r.make("div", [v, r.make("mul", [x, r.make("sub", [1.0, x])])])]
    )


@formula("scipy.special.ndtr")
def ndtr(r: Interpreter, x: Any) -> Array:
    """Read the distribution function of the normal distribution; by erfc, whose digits far below 0 stay."""
    return r.make("mul", [0.5, r.make("erfc", [r.make("mul", [x, -math.sqrt(0.5)])])])


@formula("scipy.stats.norm.cdf")
def normal_cdf(r: Interpreter, x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Array:
    """Read the distribution function of a normal distribution."""
    return ndtr(r, r.make("div", [r.make("sub", [x, loc]), scale]))


@formula("scipy.stats.norm.logpdf")
def normal_logpdf(r: Interpreter, x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Array:
    """Read the logarithm of a normal density."""
    squared = r.make("square", [scale])
    factor = r.make("log", [r.make("mul", [2 * math.pi, squared])])
    distance = r.make("div", [r.make("square", [r.make("sub", [x, loc])]), squared])
    return r.make("div", [r.make("neg", [r.make("add", [factor, distance])]), 2.0])


@formula("scipy.stats.norm.pdf")
def normal_pdf(r: Interpreter, x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Array:
    """Read a normal density."""
    return r.make("exp", [normal_logpdf(r, x, loc, scale)])


@formula("nan_to_num")
def nan_to_num(r: Interpreter, x: Array, copy: Any = True, nan: float = 0.0) -> Array:
    """Read that NaN becomes a number; infinities stay refused, since a literal cannot be as large."""
    if not bool(_all_numbers(r, x)):
        raise Refused("nan_to_num() of an infinity is not read.", "Write where(x > limit, limit, x).")
    return pick(r, isnan(r, x), nan, x)


def _all_numbers(r: Interpreter, x: Array) -> bool:
    return not np.isinf(r.builder.numbers(x.held, "float32")).any() if x.is_node else True


@formula("isnan")
def isnan(r: Interpreter, x: Any) -> Array:
    """Read where a value is NaN: it differs from itself."""
    return r.make("not_equal", [x, x], dtype=BOOL)


@formula("isfinite", "lax.is_finite")
def isfinite(r: Interpreter, x: Any) -> Array:
    """Read where a value is finite: what is taken from itself leaves 0."""
    return r.make("equal", [r.make("sub", [x, x]), 0.0], dtype=BOOL)


@formula("isinf")
def isinf(r: Interpreter, x: Any) -> Array:
    """Read where a value is infinite."""
    return r.make("sub", [r.make("sub", [1.0, isfinite(r, x)]), isnan(r, x)], dtype=BOOL)


def truth_values(r: Interpreter, x: Any) -> Any:
    """Return 1 where a value is not 0."""
    if isinstance(x, Array) and x.dtype == BOOL:
        return x
    return r.make("not_equal", [r_array(r, x), 0.0], dtype=BOOL)


@formula("logical_and")
def logical_and(r: Interpreter, a: Any, b: Any) -> Array:
    """Read "and" of conditions."""
    return r.make("mul", [truth_values(r, a), truth_values(r, b)], dtype=BOOL)


@formula("logical_or")
def logical_or(r: Interpreter, a: Any, b: Any) -> Array:
    """Read "or" of conditions."""
    return r.make("maximum", [truth_values(r, a), truth_values(r, b)], dtype=BOOL)


@formula("logical_xor")
def logical_xor(r: Interpreter, a: Any, b: Any) -> Array:
    """Read "either or" of conditions."""
    return r.make("not_equal", [truth_values(r, a), truth_values(r, b)], dtype=BOOL)


@formula("logical_not")
def logical_not(r: Interpreter, x: Any) -> Array:
    """Read "not" of a condition."""
    return r.make("sub", [1.0, truth_values(r, x)], dtype=BOOL)


def _of_bits(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return the reading of a function of bits: of truth values that of conditions, of other numbers none."""

    def read(r: Interpreter, *args: Any) -> Array:
        if not all(isinstance(one, bool) or getattr(one, "dtype", "") == BOOL for one in args):
            raise Refused(
                "The bits of whole numbers are not read.", "Compare first, such as (x > 0) & (y > 0)."
            )
        return function(r, *args)

    return read


FUNCTIONS["numpy.bitwise_and"], FUNCTIONS["numpy.bitwise_or"] = _of_bits(logical_and), _of_bits(logical_or)
FUNCTIONS["numpy.bitwise_not"] = FUNCTIONS["numpy.invert"] = _of_bits(logical_not)


COMPARED = {
    "greater": ("numpy.greater", "lax.gt"),
    "less": ("numpy.less", "lax.lt"),
    "greater_equal": ("numpy.greater_equal", "lax.ge"),
    "less_equal": ("numpy.less_equal", "lax.le"),
    "equal": ("numpy.equal", "lax.eq"),
    "not_equal": ("numpy.not_equal", "lax.ne"),
}
for _op, _names in COMPARED.items():
    for _name in _names:
        FUNCTIONS[_name] = lambda r, a, b, _op=_op: r.make(_op, [a, b], dtype=BOOL)


@formula("heaviside")
def heaviside(r: Interpreter, x: Any, at_zero: Any) -> Array:
    """Read a step."""
    zero, above, below = (r.make(op, [x, 0.0], dtype=BOOL) for op in ("equal", "greater", "less"))
    return pick(r, zero, at_zero, pick(r, above, 1.0, pick(r, below, 0.0, x)))  # NaN stays


# Activations of jax.nn.


@formula("nn.leaky_relu")
def leaky_relu(r: Interpreter, x: Any, negative_slope: Any = 0.01) -> Array:
    """Read a leaky ReLU, whose slope at 0 is 1."""
    return pick(r, r.make("greater_equal", [x, 0.0], dtype=BOOL), x, r.make("mul", [negative_slope, x]))


@formula("nn.elu")
def elu(r: Interpreter, x: Any, alpha: Any = 1.0) -> Array:
    """Read an ELU."""
    above = r.make("greater", [x, 0.0], dtype=BOOL)
    return pick(r, above, x, r.make("mul", [alpha, r.make("expm1", [pick(r, above, 0.0, x)])]))


@formula("nn.selu")
def selu(r: Interpreter, x: Any) -> Array:
    """Read a SELU."""
    return r.make("mul", [1.0507009873554805, elu(r, x, 1.6732632423543772)])


@formula("nn.celu")
def celu(r: Interpreter, x: Any, alpha: Any = 1.0) -> Array:
    """Read a CELU."""
    below = r.make("expm1", [r.make("div", [r.make("minimum", [x, 0.0]), alpha])])
    return r.make("add", [r.make("maximum", [x, 0.0]), r.make("mul", [alpha, below])])


def between(r: Interpreter, x: Any, low: Any, high: Any) -> Array:
    """Return a clipped value whose slope at both ends is 0."""
    inside = logical_and(r, r.make("greater", [x, low], dtype=BOOL), r.make("less", [x, high], dtype=BOOL))
    ends = fixed(r, r.make("minimum", [r.make("maximum", [x, low]), high]))
    return pick(r, inside, x, ends)


@formula("nn.relu6")
def relu6(r: Interpreter, x: Any) -> Array:
    """Read a ReLU up to 6."""
    return between(r, x, 0.0, 6.0)


@formula("lax.clamp")
def clamp(r: Interpreter, min: Any, x: Any, max: Any) -> Array:
    """Read `lax.clamp`: at an end nothing gets a gradient, beyond it the end does."""
    inner = between(r, x, fixed(r, min), fixed(r, max))
    if not any(isinstance(end, Array) and end.is_node for end in (min, max)):
        return inner
    under = pick(r, r.make("less", [x, min], dtype=BOOL), min, inner)
    return pick(r, r.make("greater", [x, max], dtype=BOOL), max, under)


@formula("nn.hard_tanh")
def hard_tanh(r: Interpreter, x: Any) -> Array:
    """Read a hard tanh, whose slope at both ends is 1."""
    below = pick(r, r.make("less", [x, -1.0], dtype=BOOL), -1.0, x)
    return pick(r, r.make("greater", [x, 1.0], dtype=BOOL), 1.0, below)


@formula("nn.hard_sigmoid")
def hard_sigmoid(r: Interpreter, x: Any) -> Array:
    """Read a hard sigmoid."""
    return r.make("div", [relu6(r, r.make("add", [x, 3.0])), 6.0])


@formula("nn.hard_silu", "nn.hard_swish")
def hard_silu(r: Interpreter, x: Any) -> Array:
    """Read a hard SiLU."""
    return r.make("mul", [x, hard_sigmoid(r, x)])


@formula("nn.soft_sign")
def soft_sign(r: Interpreter, x: Any) -> Array:
    """Read x / (|x| + 1)."""
    return r.make("div", [x, r.make("add", [r.make("abs", [x]), 1.0])])


@formula("nn.log_sigmoid")
def log_sigmoid(r: Interpreter, x: Any) -> Array:
    """Read log(sigmoid(x))."""
    return r.make("neg", [r.make("softplus", [r.make("neg", [x])])])


@formula("nn.mish")
def mish(r: Interpreter, x: Any) -> Array:
    """Read a Mish."""
    return r.make("mul", [x, r.make("tanh", [r.make("softplus", [x])])])


@formula("nn.squareplus")
def squareplus(r: Interpreter, x: Any, b: Any = 4.0) -> Array:
    """Read (x + sqrt(x**2 + b)) / 2."""
    root = r.make("sqrt", [r.make("add", [r.make("square", [x]), b])])
    return r.make("div", [r.make("add", [x, root]), 2.0])


@formula("nn.glu")
def glu(r: Interpreter, x: Array, axis: int = -1) -> Array:
    """Read a gated linear unit."""
    a, b = split(r, x, 2, axis)
    return r.make("mul", [a, r.make("sigmoid", [b])])


@formula("nn.standardize")
def standardize(r: Interpreter, x: Array, axis: Any = -1, *, epsilon: float = 1e-5) -> Array:
    """Read x with mean 0 and variance 1, by the mean of the squares as JAX does."""
    mean = fold(r, "mean", x, axis, True)
    squares = fold(r, "mean", r.make("square", [x]), axis, True)
    apart = r.make("maximum", [0.0, r.make("sub", [squares, r.make("square", [mean])])])
    root = r.make("rsqrt", [r.make("add", [apart, epsilon])])
    return r.make("mul", [r.make("sub", [x, mean]), root])


def _shares(op: str, usual_axis: int | None) -> Callable[..., Array]:
    def read(r: Interpreter, x: Any, axis: Any = usual_axis) -> Array:
        x = r_array(r, x)
        shape = shape_of(r, x)
        if isinstance(axis, (tuple, list)):
            if len({placed(r, x, one) for one in axis}) not in (1, len(shape)):
                raise Refused(f"{op}() is read along one axis or all of them.")
            axis = None if len(axis) > 1 else axis[0]
        if axis is None:
            return reshape(r, r.make(op, [reshape(r, x, -1)], axis=0), *shape)
        return r.make(op, [x], axis=axis_argument(axis))

    return read


for _op in ("softmax", "log_softmax"):
    FUNCTIONS[f"nn.{_op}"], FUNCTIONS[f"scipy.special.{_op}"] = _shares(_op, -1), _shares(_op, None)


@formula("nn.one_hot")
def one_hot(r: Interpreter, x: Any, num_classes: int, dtype: Any = None, axis: int = -1) -> Array:
    """Read classes as rows with one 1."""
    if type(num_classes) is not int or axis != -1:
        raise Refused("one_hot() is read with a whole number of classes along the last axis.")
    kind, x = single(r, named_dtype(r, dtype), r.library) or usual(r, r.library), r_array(r, x)
    rows = r.make("one_hot", [x], num_classes=num_classes, dtype=kind)
    if getattr(x, "dtype", INT) not in FLOATS:
        return rows
    whole = r.make("equal", [x, r.make("round", [x])], dtype=BOOL)  # the op takes the nearest class
    return r.make("mul", [rows, r.make("expand_dims", [whole], axis=-1)], dtype=kind)


# Folds.


@formula("std")
def deviation(r: Interpreter, x: Any, axis: Any = None, **options: Any) -> Array:
    """Read a standard deviation as the root of the variance."""
    return r.make("sqrt", [variance(r, x, axis, **options)])


@formula("average")
def average(
    r: Interpreter,
    x: Any,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Array:
    """Read a mean, weighted or not: by weights of the array's shape, or one for each place along an axis."""
    if returned:
        raise Refused("average() is read without returned.", "Write weights.sum().")
    x, weights = r_array(r, x), r_array(r, weights)
    if weights is None:
        return fold(r, "mean", x, axis, keepdims)
    shape, given = shape_of(r, x), shape_of(r, weights)
    if given != shape:
        at = placed(r, x, axis)
        if given != shape[at : at + 1]:
            raise Refused(f"average() has {list(given)} weights for {shape[at]} places along axis {axis}.")
        weights = reshape(r, weights, *(n if i == at else 1 for i, n in enumerate(shape)))
    total = fold(r, "sum", r.make("mul", [x, weights]), axis, keepdims)
    return r.make("div", [total, fold(r, "sum", weights, axis, keepdims)])


@formula("any")
def any_of(r: Interpreter, x: Any, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Read whether something holds anywhere."""
    made = fold(r, "max", truth_values(r, x), axis, keepdims)
    made.dtype = BOOL
    return made


@formula("all")
def all_of(r: Interpreter, x: Any, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Read whether something holds everywhere."""
    made = fold(r, "min", truth_values(r, x), axis, keepdims)
    made.dtype = BOOL
    return made


@formula("count_nonzero")
def count_nonzero(r: Interpreter, x: Any, axis: Any = None) -> Array:
    """Read how many elements are not 0."""
    return fold(r, "sum", truth_values(r, x), axis, False)


@formula("ptp")
def peak_to_peak(r: Interpreter, x: Any, axis: Any = None) -> Array:
    """Read the distance from the smallest to the largest."""
    return r.make("sub", [fold(r, "max", x, axis, False), fold(r, "min", x, axis, False)])


@formula("argmin")
def argmin(r: Interpreter, x: Any, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Read the place of the smallest."""
    return argmax(r, r.make("neg", [r_array(r, x)]), axis, keepdims=keepdims)


def _place_along(find: Callable[..., Array]) -> Callable[..., Array]:
    def read(r: Interpreter, operand: Array, axis: int, index_dtype: Any) -> Array:
        if named_dtype(r, index_dtype) != INT:
            raise Refused("The places that lax finds are whole numbers.", "Write jnp.int32.", "dtype")
        return find(r, operand, placed(r, operand, axis))

    return read


FUNCTIONS["lax.argmax"], FUNCTIONS["lax.argmin"] = _place_along(argmax), _place_along(argmin)


@formula("argsort")
def argsort(r: Interpreter, x: Any, axis: Any = -1, *, stable: Any = True, descending: bool = False) -> Array:
    """Read the order of elements: each has a rank, and the order lists who has rank 0, 1, and so on."""
    x = r_array(r, x)
    if axis is None:
        x, axis = reshape(r, x, -1), 0
    x = moved(r, x, placed(r, x, axis), -1)
    count = shape_of(r, x)[-1]
    row, column = (r.make("expand_dims", [x], axis=at) for at in (-1, -2))  # [..., i, j]: x_i and x_j
    before = r.make("greater" if descending else "less", [column, row], dtype=BOOL)
    earlier = tuple(tuple(float(j < i) for j in range(count)) for i in range(count))
    tie = r.make("mul", [r.make("equal", [column, row], dtype=BOOL), earlier], dtype=BOOL)
    rank = r.make("sum", [r.make("maximum", [before, tie], dtype=BOOL)], dtype=INT, axis=-1)
    spots = r.make("one_hot", [rank], num_classes=count, dtype=INT)  # [..., i, rank]
    places = tuple((float(i),) for i in range(count))
    order = r.make("sum", [r.make("mul", [spots, places], dtype=INT)], dtype=INT, axis=-2)
    return moved(r, order, -1, axis)


@formula("sort")
def sort(r: Interpreter, x: Any, axis: Any = -1, *, descending: bool = False, stable: Any = True) -> Array:
    """Read a sort; without an axis, of all elements in a row."""
    if axis is None:
        x, axis = reshape(r, x, -1), 0
    options = {"descending": True} if descending else {}
    return r.make("sort", [r_array(r, x)], axis=axis_argument(axis), **options)


FUNCTIONS["lax.sort"] = lambda r, operand, dimension=-1: sort(r, operand, dimension)


@formula("lax.top_k")
def top_k(r: Interpreter, x: Array, k: int) -> tuple[Array, Array]:
    """Read the k largest along the last axis, and their places."""
    order = argsort(r, x, descending=True)
    largest = getitem(r, sort(r, x, descending=True), (..., slice(None, k)))
    return largest, getitem(r, order, (..., slice(None, k)))


@formula("median")
def median(r: Interpreter, x: Array, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Read a median as the mean of the two in the middle, which may be the same."""
    return _between(r, x, axis, 0.5, keepdims, middle=True)


@formula("quantile")
def quantile(r: Interpreter, x: Array, q: float, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Read a quantile between its two neighbours."""
    if not isinstance(q, (int, float)) or not 0 <= q <= 1:
        raise Refused("quantile() is read with a number from 0 to 1 that is written out.")
    return _between(r, x, axis, q, keepdims)


@formula("percentile")
def percentile(r: Interpreter, x: Array, q: float, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Read a percentile."""
    if not isinstance(q, (int, float)):
        raise Refused("percentile() is read with a number that is written out.")
    return quantile(r, x, q / 100, axis, keepdims=keepdims)


def _between(
    r: Interpreter, x: Any, axis: Any, q: float, keepdims: bool = False, middle: bool = False
) -> Array:
    x = r_array(r, x)
    kept = None if axis is not None else [1] * len(shape_of(r, x))
    if axis is None:
        x, axis = reshape(r, x, -1), -1
    last = moved(r, x, axis_argument(axis), -1)
    ordered, count = r.make("sort", [last], axis=-1), shape_of(r, last)[-1]
    place = q * (count - 1)
    low, high = getitem(r, ordered, (..., math.floor(place))), getitem(r, ordered, (..., math.ceil(place)))
    if middle:
        made = r.make("mul", [r.make("add", [low, high]), 0.5])
    else:
        share = place - math.floor(place)
        made = r.make("add", [r.make("mul", [low, 1.0 - share]), r.make("mul", [high, share])])
    if not keepdims:
        return made
    return r.make("expand_dims", [made], axis=axis) if kept is None else reshape(r, made, *kept)


@formula("cumsum")
def cumsum(r: Interpreter, x: Any, axis: Any = None, dtype: Any = None) -> Array:
    """Read a running sum."""
    x = r_array(r, x) if dtype is None else cast(r, r_array(r, x), named_dtype(r, dtype))
    return r.make("cumsum", [x], **({} if axis is None else {"axis": axis_argument(axis)}))


@formula("cumprod")
def cumprod(r: Interpreter, x: Array, axis: Any = None) -> Array:
    """Read a running product, step by step."""
    if axis is None:
        x, axis = reshape(r, x, -1), 0
    return _running(r, x, axis, lambda a, b: r.make("mul", [a, b]))


def _reversible(run: Callable[..., Array]) -> Callable[..., Array]:
    def read(r: Interpreter, operand: Array, axis: int = 0, reverse: bool = False) -> Array:
        return flip(r, run(r, flip(r, operand, axis), axis), axis) if reverse else run(r, operand, axis)

    return read


FUNCTIONS["lax.cumsum"], FUNCTIONS["lax.cumprod"] = _reversible(cumsum), _reversible(cumprod)
FUNCTIONS["lax.cummax"] = _reversible(
    lambda r, x, axis: _running(r, x, axis, lambda a, b: r.make("maximum", [a, b]))
)


def _running(r: Interpreter, x: Array, axis: int, join: Callable[[Array, Array], Array]) -> Array:
    x = moved(r, x, axis, 0)
    count = shape_of(r, x)[0]
    if count > 64:
        raise Refused(f"A running product or maximum of {count} elements is not read.", "", "too-large")
    parts = [getitem(r, x, 0)]
    for i in range(1, count):
        parts.append(join(parts[-1], getitem(r, x, i)))
    return moved(r, r.make("stack", parts, axis=0), 0, axis)


@formula("diff")
def diff(r: Interpreter, x: Array, n: int = 1, axis: int = -1) -> Array:
    """Read differences of neighbours."""
    if type(n) is not int or not 0 <= n < 8:
        raise Refused("diff() is read from 0 to 7 times.")
    for _ in range(n):
        ahead = _along(r, x, axis, slice(1, None))
        x = r.make("sub", [ahead, _along(r, x, axis, slice(None, -1))])
    return x


def placed(r: Interpreter, x: Array, axis: Any) -> int:
    """Return an axis counted from the first.

    Raises:
      Refused: there is no such axis.
    """
    rank = len(shape_of(r, x))
    if type(axis) is not int or not -rank <= axis < rank:
        raise Refused(
            f"There is no axis {axis} in an array of {rank} axes." if type(axis) is int else NO_AXIS
        )
    return axis % rank


NO_AXIS = "An axis is a whole number that is written out."


def _along(r: Interpreter, x: Array, axis: int, part: Any) -> Array:
    return getitem(r, x, (*[slice(None)] * placed(r, x, axis), part))


# Shapes.


@formula("swapaxes")
def swapaxes(r: Interpreter, x: Array, axis1: int, axis2: int) -> Array:
    """Read two axes changing places."""
    order = list(range(len(shape_of(r, x))))
    axis1, axis2 = placed(r, x, axis1), placed(r, x, axis2)
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return transpose(r, x, tuple(order))


@formula("moveaxis")
def moveaxis(r: Interpreter, x: Array, source: int, destination: int) -> Array:
    """Read an axis that moves."""
    return moved(r, x, axis_argument(source), axis_argument(destination))


@formula("matrix_transpose")
def matrix_transpose(r: Interpreter, x: Array) -> Array:
    """Read the last two axes changing places."""
    return swapaxes(r, x, -1, -2)


@formula("flip")
def flip(r: Interpreter, x: Array, axis: Any = None) -> Array:
    """Read elements in reverse order."""
    rank = len(shape_of(r, x))
    axes = range(rank) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    parts: list[Any] = [slice(None)] * rank
    for one in axes:
        parts[placed(r, x, one)] = slice(None, None, -1)
    return getitem(r, x, tuple(parts))


FUNCTIONS["lax.rev"] = lambda r, operand, dimensions: flip(r, operand, tuple(dimensions))
FUNCTIONS["lax.squeeze"] = lambda r, array, dimensions: squeeze(r, array, dimensions)
FUNCTIONS["numpy.fliplr"] = lambda r, x: flip(r, x, 1)
FUNCTIONS["numpy.flipud"] = lambda r, x: flip(r, x, 0)


@formula("roll")
def roll(r: Interpreter, x: Array, shift: int, axis: Any = None) -> Array:
    """Read elements that move round."""
    if type(shift) is not int:
        raise Refused("roll() is read by a whole number that is written out.")
    if axis is None:
        return reshape(r, roll(r, reshape(r, x, -1), shift, 0), *shape_of(r, x))
    count = shape_of(r, x)[placed(r, x, axis)]
    if not shift % count:
        return x
    cut = count - shift % count
    parts = [_along(r, x, axis, slice(cut, None)), _along(r, x, axis, slice(None, cut))]
    return r.make("concatenate", parts, axis=axis)


@formula("tile")
def tile(r: Interpreter, x: Any, reps: Any) -> Array:
    """Read an array that is repeated as a whole."""
    x = r_array(r, x)
    counts = (reps,) if type(reps) is int else tuple(reps)
    if not all(type(one) is int and 0 < one <= 64 for one in counts):
        raise Refused("tile() is read by whole numbers from 1 to 64.")
    shape = shape_of(r, x)
    if len(counts) > len(shape):
        x = reshape(r, x, *([1] * (len(counts) - len(shape))), *shape)
    counts = (*[1] * (len(shape_of(r, x)) - len(counts)), *counts)
    for axis, count in enumerate(counts):
        if count > 1:
            x = r.make("concatenate", [x] * count, axis=axis)
    return x


@formula("repeat")
def repeat(r: Interpreter, x: Any, repeats: int, axis: Any = None, total_repeat_length: Any = None) -> Array:
    """Read elements that are repeated each."""
    x = r_array(r, x)
    if type(repeats) is not int or repeats < 1:
        raise Refused("repeat() is read by a whole number that is written out.")
    if total_repeat_length not in (
        None,
        repeats * (prod(shape_of(r, x)) if axis is None else shape_of(r, x)[axis]),
    ):
        raise Refused("repeat() is read without a total_repeat_length that cuts it off.")
    if axis is None:
        x, axis = reshape(r, x, -1), 0
    shape, axis = shape_of(r, x), placed(r, x, axis)
    wide = r.make("expand_dims", [x], axis=axis + 1)
    whole = r.make("broadcast_to", [wide], shape=(*shape[: axis + 1], repeats, *shape[axis + 1 :]))
    return reshape(r, whole, *shape[:axis], shape[axis] * repeats, *shape[axis + 1 :])


@formula("pad")
def pad(
    r: Interpreter, x: Array, pad_width: Any, mode: str = "constant", constant_values: float = 0
) -> Array:
    """Read an array with a margin of one number."""
    if mode != "constant" or not isinstance(constant_values, (int, float)):
        raise Refused("pad() is read with one number around.")
    shape = shape_of(r, x)
    if type(pad_width) is int:
        widths = [(pad_width, pad_width)] * len(shape)
    elif isinstance(pad_width, (tuple, list)) and all(type(one) is int for one in pad_width):
        widths = [tuple(pad_width) if len(pad_width) == 2 else tuple(pad_width) * 2] * len(shape)
    else:
        widths = [tuple(one) if isinstance(one, (tuple, list)) else (one, one) for one in pad_width]
        widths = widths * len(shape) if len(widths) == 1 else widths
    pairs = len(widths) == len(shape) and all(len(pair) == 2 for pair in widths)
    if not pairs or not all(type(w) is int and w >= 0 for pair in widths for w in pair):
        raise Refused("pad() is read by whole numbers, a pair for each axis.")
    whole = shape_argument(tuple(n + sum(pair) for n, pair in zip(shape, widths, strict=True)))
    index = tuple((low, low + n, None) for n, (low, _) in zip(shape, widths, strict=True))
    margin = r.make("broadcast_to", [float(constant_values)], shape=whole)
    return r.make("at_set", [margin, x], index=index)


@formula("split", "array_split")
def split(r: Interpreter, x: Array, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Read an array that is cut into parts."""
    count = shape_of(r, x)[placed(r, x, axis)]
    cuts = indices_or_sections
    if type(cuts) is int:
        if cuts < 1 or count % cuts:
            raise Refused(f"{count} elements cannot be split into {cuts} equal parts.")
        cuts = [i * (count // cuts) for i in range(1, cuts)]
    if not isinstance(cuts, (list, tuple)) or not all(type(cut) is int for cut in cuts):
        raise Refused("split() is read at whole numbers that are written out.")
    ends = [0, *cuts, count]
    if r.library == "jax" and any(b < a for a, b in pairwise(ends)):
        raise Refused(f"Sizes passed to split must be nonnegative, and the places are {cuts}.")
    return [_along(r, x, axis, slice(a, b)) for a, b in pairwise(ends)]


def _at_least(r: Interpreter, x: Any, rank: int, last: bool = False) -> Array:
    x = r_array(r, x)
    if not isinstance(x, Array):
        x = Array(r.held(x), r.library)
    shape = shape_of(r, x)
    if len(shape) >= rank:
        return x
    ones = [1] * (rank - len(shape))
    return reshape(r, x, *((*shape, *ones) if last else (*ones, *shape)))


FUNCTIONS["numpy.atleast_1d"] = lambda r, x: _at_least(r, x, 1)
FUNCTIONS["numpy.atleast_2d"] = lambda r, x: _at_least(r, x, 2)


@formula("vstack")
def vstack(r: Interpreter, arrays: Any) -> Array:
    """Read rows on top of each other."""
    parts = [_at_least(r, one, 2) for one in r.items(arrays, NOWHERE)]
    return r.make("concatenate", parts, axis=0)


@formula("hstack")
def hstack(r: Interpreter, arrays: Any) -> Array:
    """Read arrays side by side."""
    parts = [_at_least(r, one, 1) for one in r.items(arrays, NOWHERE)]
    return r.make("concatenate", parts, axis=0 if len(shape_of(r, parts[0])) == 1 else 1)


@formula("column_stack")
def column_stack(r: Interpreter, arrays: Any) -> Array:
    """Read columns side by side."""
    parts = [_at_least(r, one, 2, last=True) for one in r.items(arrays, NOWHERE)]
    return r.make("concatenate", parts, axis=1)


@formula("append")
def append(r: Interpreter, x: Any, values: Any, axis: Any = None) -> Array:
    """Read one array after the other."""
    parts = [r_array(r, x), r_array(r, values)]
    if axis is None:
        parts = [reshape(r, _at_least(r, one, 1), -1) for one in parts]
    return r.make("concatenate", parts, axis=axis or 0)


@formula("meshgrid")
def meshgrid(r: Interpreter, *arrays: Any, indexing: str = "xy") -> list[Array]:
    """Read the coordinates of a grid."""
    parts = [r_array(r, one) for one in arrays]
    sizes = [shape_of(r, one)[0] for one in parts]
    places = list(range(len(parts)))
    if indexing == "xy" and len(parts) > 1:
        places[:2], sizes[:2] = [1, 0], [sizes[1], sizes[0]]
    made = []
    for part, place in zip(parts, places, strict=True):
        lengths = [1] * len(parts)
        lengths[place] = -1
        made.append(r.make("broadcast_to", [reshape(r, part, *lengths)], shape=shape_argument(tuple(sizes))))
    return made


@formula("select")
def select(r: Interpreter, condlist: Any, choicelist: Any, default: Any = 0) -> Array:
    """Read the first choice whose condition holds."""
    result: Any = default
    for condition, choice in zip(reversed(list(condlist)), reversed(list(choicelist)), strict=True):
        result = pick(r, condition, choice, result)
    return result


@formula("lax.select_n")
def select_n(r: Interpreter, which: Any, *cases: Any) -> Array:
    """Read `lax.select_n`: the case that a number or truth value names."""
    result = cases[-1]
    for i in reversed(range(len(cases) - 1)):
        result = pick(r, r.make("less_equal", [which, float(i)], dtype=BOOL), cases[i], result)
    return result


@formula("lax.expand_dims")
def expand_dims(r: Interpreter, x: Array, dimensions: Sequence[int]) -> Array:
    """Read new axes."""
    for one in sorted(dimensions):
        x = r.make("expand_dims", [x], axis=axis_argument(one))
    return x


@formula("lax.full_like", "full_like")
def full_like(r: Interpreter, x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Read an array of one number with the shape of another, and with its dtype."""
    kind = single(r, named_dtype(r, dtype), r.library) or (x.dtype if isinstance(x, Array) else _float(x))
    if kind not in FLOATS and isinstance(fill_value, float):
        fill_value = bool(fill_value) if kind == BOOL else math.trunc(fill_value)
    return r.make("broadcast_to", [fill_value], dtype=kind, shape=shape_of(r, x))


def _float(x: Any) -> str:
    return x.dtype if isinstance(x, Array) and x.dtype in FLOATS else "float32"


for _name, _function in {
    "var": variance,
    "std": deviation,
    "argmin": argmin,
    "argsort": argsort,
    "cumsum": cumsum,
    "cumprod": cumprod,
    "round": rounded,
    "any": any_of,
    "all": all_of,
    "swapaxes": swapaxes,
    "repeat": repeat,
    "ptp": peak_to_peak,
    "conj": same,
}.items():
    METHODS[_name] = _function


@known("lax.collapse")
def collapse(r: Interpreter, operand: Any, start_dimension: int, stop_dimension: int | None = None) -> Array:
    """Read that neighbouring axes become one."""
    shape = shape_of(r, operand)
    first = start_dimension % len(shape)
    last = len(shape) if stop_dimension is None else stop_dimension % len(shape)
    return r.tables["numpy.reshape"](r, operand, (*shape[:first], prod(shape[first:last]), *shape[last:]))


@known("lax.reduce_window")
def reduce_window(
    r: Interpreter, operand: Any, init_value: Any, computation: Any, window: Any, strides: Any, padding: Any
) -> Array:
    """Read a pool of images, [rows, height, width, channels]: the largest number of a window, or the sum."""
    pool = {("lax.max", -math.inf): "max_pool", ("lax.add", 0.0): "avg_pool"}.get(
        (canonical(getattr(computation, "name", "")), init_value)
    )
    square = len(window) == len(strides) == 4 and window[1] == window[2] and strides[1] == strides[2]
    plain = square and window[0] == window[3] == strides[0] == strides[3] == 1
    if pool is None or not plain or padding not in ("SAME", "VALID"):
        raise Refused(
            "reduce_window() is read as a pool of images: the maximum or the sum of a square window.",
            'Write lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").',
        )
    made = r.make(pool, [operand], window=window[1], stride=strides[1], padding=padding)
    return made if pool == "max_pool" else r.make("mul", [made, float(window[1] ** 2)])
