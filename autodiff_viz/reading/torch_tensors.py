"""Read PyTorch's tensors: how they are made, functions of `torch` and methods, with PyTorch's slopes.

Most functions are an op or a short graph of ops. Where PyTorch's slope at a corner is another than that of
the graph, a declared pullback passes what PyTorch passes.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.graph.model import IDENTITY, Call, Lambda, Rule
from autodiff_viz.graph.rule_kinds import PULLBACK, STOP
from autodiff_viz.language.parse import parse_lambda
from autodiff_viz.reading import arrays
from autodiff_viz.reading.arrays import constant, dtype_of, named_dtype, shape_of
from autodiff_viz.reading.builder import Builder, Ref
from autodiff_viz.reading.evaluation import Evaluation
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.torch_memory import (
    DETACHED,
    LibraryError,
    change,
    info,
    leaf,
    record,
    view,
)
from autodiff_viz.reading.torch_random import Generator
from autodiff_viz.reading.values import BOOL, FLOATS, INT, Array, Path, Refused

TORCH: arrays.Table = {}
"""Functions by full name."""

TENSOR: arrays.Table = {}
"""Methods of tensors."""


def both(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function of `torch` that is a method of tensors too."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            TORCH[f"torch.{name}"] = TENSOR[name] = function
        return function

    return register


def functional(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function of `torch.nn.functional`."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            TORCH[f"torch.nn.functional.{name}"] = function
        return function

    return register


class Ops:
    """Make nodes by calls: `Ops(r).mul(x, 2.0)`."""

    def __init__(self, r: Interpreter):
        self.r = r

    def __getattr__(self, op: str) -> Callable[..., Array]:
        return lambda *args, **params: self.r.make(op, list(args), **params)


def declared(text: str) -> Rule:
    """Return the rule of a pullback that is written as a lambda."""
    return Rule(PULLBACK, parse_lambda(text))


def with_pullback(r: Interpreter, value: Array, wires: Sequence[Any], text: str, says: str = "") -> Array:
    """Return a value whose pullback is declared.

    Args:
      value: the value.
      wires: what it is computed from.
      text: a lambda of the arriving cotangent, the wires and the value, which returns what each gets.
      says: how that differs from JAX.
    """
    tensors = [one for one in wires if isinstance(one, Array)]
    if len(tensors) != len(wires) or not all(one.is_node for one in tensors) or not value.is_node:
        return value
    if not isinstance(r.builder, Builder) or not any(one.requires_grad for one in tensors):
        return value
    if says:
        r.say(r.line, says)
    stopped = Array(r.builder.add(IDENTITY, [value.held], Rule(STOP)), "torch", value.dtype)
    own = parse_lambda(text)
    first, zero = own.args[0], Call("zeros_like", ("value",))
    rule = Rule(PULLBACK, Lambda((first, "value", *own.args[1:]), (zero, *own.body)))
    return r.make("first", [stopped, *tensors], dtype=value.dtype, rule=rule)


class Pair(tuple):
    """Values and indices along a dimension; the indices are nodes only if the text reads them."""

    def __new__(cls, values: Array, indices: Callable[[], Array]) -> Pair:
        """Make the pair."""
        made = super().__new__(cls, (values, None))
        made.indices = indices
        return made

    def __iter__(self):  # type: ignore[override]
        return iter((tuple.__getitem__(self, 0), self.indices()))

    def __getitem__(self, i):  # type: ignore[override]
        return tuple.__getitem__(self, 0) if i in (0, -2) else self.indices()


# Numbers.


@dataclass(eq=False)
class Draws:
    """What the text draws.

    Attributes:
      generator: PyTorch's.
      drawn: inputs whose numbers PyTorch draws without a seed that the text fixes: (line, what is drawn).
      default: the dtype of floats.
      wide: whether any tensor is float64.
    """

    generator: Generator = field(default_factory=Generator)
    drawn: dict[int, tuple[int, str]] = field(default_factory=dict)
    default: str = "float32"
    wide: bool = False


def dtype_in_use(r: Interpreter) -> str:
    """Return the dtype in which numbers of a text are computed."""
    return "float64" if r.state(Draws).wide else "float32"


def numbers(r: Interpreter, x: Any, what: str = "An index") -> np.ndarray:
    """Return the numbers of a tensor that the graph has to know while it is made.

    Raises:
      Refused: they depend on a draw, or on what the text leaves open.
    """
    if not isinstance(x, Array):
        return np.asarray(x)
    x = r.fresh(x)
    if not isinstance(r.builder, Builder):
        raise Refused(f"{what} inside a declared derivative is written out in numbers.")
    check_drawn(r, x, what)
    if isinstance(x.held, Ref) and r.builder.drafts[x.held.number].slots:
        r.say(r.line, f"{what[0].lower()}{what[1:]} is computed: the graph has the one of these numbers")
    found = Evaluation(r.builder, dtype_in_use(r)).value(x.held)
    return np.rint(found).astype(int) if x.dtype in (INT, BOOL) else found


def check_drawn(r: Interpreter, x: Array, what: str = "This") -> None:
    """Refuse to decide by numbers that PyTorch draws and nobody knows."""
    drawn = r.state(Draws).drawn
    if not drawn or not isinstance(x.held, Ref):
        return
    for number in r.builder.ancestors(x.held) & set(drawn):
        raise Refused(
            f"{what} depends on numbers that are drawn in line {drawn[number][0]}.",
            "Write torch.manual_seed(0) before it, or the numbers.",
            "drawn",
        )


def whole(r: Interpreter, value: Any) -> int:
    """Return a whole number that the graph has to know."""
    if isinstance(value, Array):
        return int(numbers(r, value))
    if isinstance(value, float) and value == int(value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refused("A whole number is needed here.")
    return value


def tensor(r: Interpreter, value: Any) -> Array:
    """Return a number or nested lists as a tensor."""
    if isinstance(value, Array):
        return value
    kind = dtype_of(value)
    return constant(r, value, "torch", r.state(Draws).default if kind == "float" else kind)


def kept(r: Interpreter, held: Any, dtype: Any, requires_grad: Any, drawn: str = "") -> Array:
    """Return a new tensor of a constant, with the dtype and the flag that the text gives."""
    kind = named_dtype(r, dtype) or held.dtype
    if kind == "float64":
        r.state(Draws).wide = True
    if requires_grad and kind in (INT, BOOL):
        raise LibraryError(
            "Only Tensors of floating point and complex dtype can require gradients.",
            "Write 2.0, not 2.",
            "integer",
        )
    value = held.held
    if kind in (INT, BOOL) and not isinstance(value, Ref):
        cut = np.trunc(np.array(value, float)) if kind == INT else (np.array(value, float) != 0) * 1.0
        value = arrays.as_literal(cut)
    made = Array(value, "torch", kind)
    if drawn:
        if not isinstance(r.builder, Builder):
            raise Refused("A draw inside a declared derivative is not read.", "Write the numbers.")
        made.held = r.builder.input(made.held, "")
        if not r.state(Draws).generator.seeded:
            r.state(Draws).drawn[made.held.number] = (r.line, drawn)
            r.say(r.line, f"{drawn}() draws numbers that nobody knows: those shown are an example")
    return leaf(r, made) if requires_grad else made


@both("tensor")
def new_tensor(
    r: Interpreter,
    data: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: Any = False,
) -> Array:
    """Read a tensor of numbers; of tensors in a list PyTorch takes the numbers alone."""
    if isinstance(data, Array):
        held = Array(data.held, "torch", data.dtype)
        if data.is_node:
            held = Array(r.builder.add(IDENTITY, [data.held], Rule(STOP)), "torch", data.dtype)
        return (
            cast(r, kept(r, held, None, False), named_dtype(r, dtype)) if not requires_grad else leaf(r, held)
        )
    if _has_arrays(data):
        stacked = _stacked(r, data)
        held = Array(r.builder.add(IDENTITY, [stacked.held], Rule(STOP)), "torch", stacked.dtype)
        r.say(r.line, "torch.tensor() of tensors takes their numbers: no gradient passes")
        return leaf(r, held) if requires_grad else held
    return kept(r, tensor(r, data), dtype, requires_grad)


def _has_arrays(data: Any) -> bool:
    return isinstance(data, Array) or (isinstance(data, (list, tuple)) and any(map(_has_arrays, data)))


def _stacked(r: Interpreter, data: Any) -> Array:
    if isinstance(data, (list, tuple)):
        return r.make("stack", [_stacked(r, one) for one in data], axis=0)
    return tensor(r, data)


del TENSOR["tensor"]
TORCH["torch.scalar_tensor"] = new_tensor


def as_tensor(r: Interpreter, data: Any, dtype: Any = None, device: Any = None) -> Array:
    """Read `as_tensor` and `from_numpy`: a tensor stays itself."""
    if isinstance(data, Array) and data.framework == "torch":
        return cast(r, data, named_dtype(r, dtype))
    if isinstance(data, Array):
        if data.dtype == "float64":
            r.state(Draws).wide = True
        return cast(r, Array(data.held, "torch", data.dtype), named_dtype(r, dtype))
    return new_tensor(r, data, dtype)


TORCH["torch.as_tensor"] = TORCH["torch.from_numpy"] = TORCH["torch.asarray"] = as_tensor
for _name, _dtype in {
    "Tensor": None,
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "LongTensor": INT,
}.items():
    TORCH[f"torch.{_name}"] = lambda r, *data, _dtype=_dtype: (
        new_tensor(r, data[0], _dtype or r.state(Draws).default)
        if len(data) == 1 and not isinstance(data[0], int)
        else _no_numbers()
    )


def _no_numbers() -> Array:
    raise Refused("torch.Tensor(2, 3) has numbers that nobody knows.", "Write torch.zeros(2, 3).")


@arrays.known("torch.autograd.Variable", table=TORCH)
def variable(r: Interpreter, data: Any, requires_grad: bool = False) -> Array:
    """Read `Variable`, which is a tensor today."""
    made = detach(r, data) if isinstance(data, Array) else new_tensor(r, data)
    return leaf(r, made) if requires_grad else made


def sizes_of(r: Interpreter, sizes: Sequence[Any]) -> tuple[int, ...]:
    """Return a shape that is given as one tuple or as several numbers."""
    one = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
    read = tuple(whole(r, size) for size in one)
    return arrays.shape_argument(read) if read else ()


def _filled(value: float) -> Callable[..., Any]:
    def make(
        r: Interpreter,
        *sizes: Any,
        size: Any = None,
        dtype: Any = None,
        device: Any = None,
        requires_grad: Any = False,
    ) -> Array:
        shape = sizes_of(r, sizes if size is None else (size,))
        made = constant(r, np.full(shape, value), "torch", r.state(Draws).default)
        return kept(r, made, dtype, requires_grad)

    return make


TORCH["torch.zeros"], TORCH["torch.ones"] = _filled(0.0), _filled(1.0)


@arrays.known("torch.empty", "torch.Tensor.new_empty", table=TORCH)
def empty(r: Interpreter, *sizes: Any, **options: Any) -> Array:
    """Read a tensor without numbers, which is filled before it is used; until then it has zeros."""
    return TORCH["torch.zeros"](r, *sizes, **options)


@arrays.known("torch.full", table=TORCH)
def full(
    r: Interpreter,
    size: Any,
    fill_value: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: Any = False,
) -> Array:
    """Read a tensor of one number."""
    shape = sizes_of(r, (size,))
    if isinstance(fill_value, Array) or not math.isfinite(fill_value):
        return detach(r, r.make("broadcast_to", [fill_value], shape=shape, dtype=r.state(Draws).default))
    kind = {bool: BOOL, int: INT}.get(type(fill_value), r.state(Draws).default)
    return kept(r, constant(r, np.full(shape, float(fill_value)), "torch", kind), dtype, requires_grad)


@arrays.known("torch.eye", table=TORCH)
def eye(
    r: Interpreter, n: int, m: Any = None, dtype: Any = None, device: Any = None, requires_grad: Any = False
) -> Array:
    """Read the identity matrix."""
    made = constant(r, np.eye(whole(r, n), whole(r, n if m is None else m)), "torch", r.state(Draws).default)
    return kept(r, made, dtype, requires_grad)


def _spaced(r: Interpreter, points: np.ndarray, dtype: Any, requires_grad: Any) -> Array:
    return kept(r, constant(r, points.astype(float), "torch", r.state(Draws).default), dtype, requires_grad)


@arrays.known("torch.linspace", table=TORCH)
def linspace(
    r: Interpreter,
    start: Any,
    end: Any,
    steps: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: Any = False,
) -> Array:
    """Read numbers at equal distances."""
    return _spaced(r, np.linspace(start, end, sizes_of(r, (steps,))[0]), dtype, requires_grad)


@arrays.known("torch.logspace", table=TORCH)
def logspace(
    r: Interpreter,
    start: Any,
    end: Any,
    steps: Any,
    base: float = 10.0,
    dtype: Any = None,
    requires_grad: Any = False,
) -> Array:
    """Read numbers with equal quotients."""
    return _spaced(r, np.logspace(start, end, whole(r, steps), base=base), dtype, requires_grad)


@arrays.known("torch.arange", table=TORCH)
def arange(
    r: Interpreter,
    *args: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    **named: Any,
) -> Array:
    """Read a range of numbers."""
    if set(named) - {"start", "end", "step"}:
        raise Refused(f"arange() is not read with {', '.join(named)}.")
    if named:
        start = named.get("start", args[0] if args and "end" in named else 0)
        args = (
            start,
            named.get("end", args[1] if len(args) > 1 else args[0] if args else 0),
            named.get("step", 1),
        )
    args = tuple(whole(r, one) if isinstance(one, Array) else one for one in args)
    made = arrays._arange(r, "jax", args, None)
    kind = INT if made.dtype == INT else r.state(Draws).default
    return kept(r, Array(made.held, "torch", kind), dtype, requires_grad)


def _like(value: Any) -> Callable[..., Any]:
    def make(
        r: Interpreter,
        input: Array,
        *more: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: Any = False,
    ) -> Array:
        number = more[0] if more else value
        kind = named_dtype(r, dtype) or input.dtype
        if not isinstance(r.builder, Builder):
            return (
                r.make("add", [r.make("zeros_like", [input]), number])
                if number
                else r.make("zeros_like", [input])
            )
        return full(r, shape_of(r, input), number, kind, None, requires_grad)

    return make


TORCH["torch.zeros_like"], TORCH["torch.ones_like"] = _like(0.0), _like(1.0)
TORCH["torch.full_like"], TORCH["torch.empty_like"] = _like(None), _like(0.0)
for _name, _value in {"new_zeros": 0.0, "new_ones": 1.0, "new_empty": 0.0}.items():
    TENSOR[_name] = lambda r, x, *sizes, _value=_value, dtype=None, device=None, requires_grad=False: full(
        r, sizes_of(r, sizes), _value, named_dtype(r, dtype) or x.dtype, None, requires_grad
    )
TENSOR["new_full"] = lambda r, x, size, fill_value, dtype=None: full(
    r, size, fill_value, named_dtype(r, dtype) or x.dtype
)
TENSOR["new_tensor"] = lambda r, x, data, dtype=None: new_tensor(r, data, named_dtype(r, dtype) or x.dtype)


@arrays.known("torch.complex", "torch.polar", table=TORCH)
def complex_numbers(r: Interpreter, *_: Any) -> Array:
    """Refuse complex numbers."""
    raise Refused("Complex numbers are not read.", "Write real and imaginary parts as two tensors.")


# Draw.


def generator(r: Interpreter) -> Generator:
    """Return PyTorch's generator."""
    return r.state(Draws).generator


@arrays.known("torch.manual_seed", "torch.random.manual_seed", "torch.cuda.manual_seed", table=TORCH)
def manual_seed(r: Interpreter, seed: int) -> None:
    """Read a seed, which decides all draws after it."""
    generator(r).seed(whole(r, seed))


TORCH["torch.cuda.manual_seed"] = TORCH["torch.cuda.manual_seed_all"] = lambda r, seed: None
TORCH["torch.seed"] = lambda r: None


def drawing(name: str, draw: Callable[[Generator, tuple[int, ...], str], np.ndarray]) -> None:
    """Register a function that draws a tensor of a shape, and its twin of the shape of another tensor."""

    def make(
        r: Interpreter,
        *sizes: Any,
        size: Any = None,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        generator: Any = None,
    ) -> Array:
        _own_generator(generator)
        shape = sizes_of(r, sizes if size is None else (size,))
        kind = named_dtype(r, dtype) or r.state(Draws).default
        drawn = draw(r.state(Draws).generator, shape, kind)
        return kept(r, constant(r, drawn.astype(float), "torch", kind), kind, requires_grad, f"torch.{name}")

    def like(
        r: Interpreter, input: Array, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Array:
        return make(r, shape_of(r, input), dtype=dtype or input.dtype, requires_grad=requires_grad)

    TORCH[f"torch.{name}"], TORCH[f"torch.{name}_like"] = make, like


def _own_generator(given: Any) -> None:
    if given is not None:
        raise Refused(
            "A draw from a generator of its own is not read.", "Write torch.manual_seed(...).", "drawn"
        )


drawing("rand", lambda g, shape, dtype: g.uniform(shape, dtype=dtype))
drawing("randn", lambda g, shape, dtype: g.normal(shape, dtype=dtype))


@arrays.known("torch.normal", table=TORCH)
def normal(r: Interpreter, mean: Any, std: Any = 1.0, size: Any = None, requires_grad: bool = False) -> Array:
    """Read a draw from a normal distribution."""
    if isinstance(mean, Array) or isinstance(std, Array):
        shape = np.broadcast_shapes(*(shape_of(r, one) for one in (mean, std) if isinstance(one, Array)))
        drawn = TORCH["torch.randn"](r, shape)
        return detach(r, Ops(r).add(mean, Ops(r).mul(std, drawn)))
    kind = r.state(Draws).default
    drawn = generator(r).normal(sizes_of(r, (size,)), mean, std, kind)
    return kept(r, constant(r, drawn.astype(float), "torch", kind), kind, requires_grad, "torch.normal")


@arrays.known("torch.randint", table=TORCH)
def randint(
    r: Interpreter,
    *args: Any,
    low: Any = None,
    high: Any = None,
    size: Any = None,
    dtype: Any = None,
    device: Any = None,
) -> Array:
    """Read a draw of whole numbers."""
    given = list(args)
    if size is None:
        size = given.pop()
    ends = [*given, *([low] if low is not None else []), *([high] if high is not None else [])]
    first, last = (0, ends[0]) if len(ends) == 1 else ends
    drawn = generator(r).integers(whole(r, first), whole(r, last), sizes_of(r, (size,)))
    return kept(r, constant(r, drawn.astype(float), "torch", INT), dtype, False, "torch.randint")


@arrays.known("torch.randperm", table=TORCH)
def randperm(r: Interpreter, n: int, dtype: Any = None, device: Any = None) -> Array:
    """Read a drawn order."""
    drawn = generator(r).permutation(sizes_of(r, (n,))[0])
    return kept(r, constant(r, drawn.astype(float), "torch", INT), dtype, False, "torch.randperm")


def fill_drawn(r: Interpreter, x: Array, drawn: np.ndarray, name: str) -> Array:
    """Fill a tensor with drawn numbers, in place."""
    made = kept(r, constant(r, drawn.astype(float), "torch", x.dtype), x.dtype, False, name)
    return change(r, x, made)


@arrays.known("normal_", table=TENSOR)
def normal_(r: Interpreter, x: Array, mean: float = 0.0, std: float = 1.0) -> Array:
    """Read numbers that are drawn in place."""
    return fill_drawn(r, x, generator(r).normal(shape_of(r, x), mean, std, x.dtype), "normal_")


@arrays.known("uniform_", table=TENSOR)
def uniform_(r: Interpreter, x: Array, a: float = 0.0, b: float = 1.0) -> Array:
    """Read numbers that are drawn in place."""
    return fill_drawn(r, x, generator(r).uniform(shape_of(r, x), a, b, x.dtype), "uniform_")


@both("bernoulli", "multinomial")
def undetermined(r: Interpreter, input: Array, *_: Any, **__: Any) -> Array:
    """Refuse draws that depend on the machine."""
    raise Refused("What this draws depends on PyTorch's machine.", "Write the numbers as a tensor.", "drawn")


for _name in ("torch.poisson", "torch.nn.functional.gumbel_softmax"):
    TORCH[_name] = undetermined


# Kinds of numbers.


@both("to")
def to(r: Interpreter, x: Array, *args: Any, dtype: Any = None, device: Any = None, **options: Any) -> Array:
    """Read a change of dtype; a device is left out."""
    if set(options) - {"non_blocking", "copy"}:
        raise Refused(f"to() is not read with {', '.join(options)}.")
    for one in args:
        if isinstance(one, Array):
            dtype = one.dtype
        elif not isinstance(one, (str, bool, Device)):
            dtype = one
    return cast(r, x, named_dtype(r, dtype))


del TORCH["torch.to"]


def cast(r: Interpreter, x: Array, dtype: str | None) -> Array:
    """Return a tensor with another dtype."""
    if dtype is None or dtype == x.dtype:
        return x
    if dtype == "float64":
        r.state(Draws).wide = True
    if dtype == BOOL:
        return r.compare(ast.NotEq(), x, 0.0, ast.Constant(0))
    if dtype == INT and x.dtype != BOOL:
        return trunc(r, _plain(x), dtype=INT)
    if not x.is_node:
        return Array(x.held, "torch", dtype)
    made = r.make(IDENTITY, [x], dtype=dtype)
    if dtype == INT:
        made.requires_grad, made.leaf = False, True
    return made


def _plain(x: Array) -> Array:
    return Array(x.held, x.framework, x.dtype)


for _name, _dtype in {
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": INT,
    "int": INT,
    "bool": BOOL,
}.items():
    TENSOR[_name] = lambda r, x, _dtype=_dtype: cast(r, x, _dtype)
TENSOR["type"] = lambda r, x, dtype: cast(r, x, named_dtype(r, dtype))
TENSOR["type_as"] = lambda r, x, other: cast(r, x, other.dtype)
for _name in ("contiguous", "cpu", "cuda", "pin_memory", "resolve_conj"):
    TENSOR[_name] = lambda r, x, *_: x


@dataclass(frozen=True)
class Device:
    """What `torch.device` is: nothing that changes numbers."""

    type: str = "cpu"


TORCH["torch.device"] = lambda r, *_: Device()
TORCH["torch.cuda.is_available"] = TORCH["torch.backends.mps.is_available"] = lambda r: False
TORCH["torch.set_printoptions"] = lambda r, **_: None
TORCH["torch.use_deterministic_algorithms"] = lambda r, *_: None
TORCH["torch.is_tensor"] = lambda r, x: isinstance(x, Array)


@arrays.known("torch.set_default_dtype", table=TORCH)
def set_default_dtype(r: Interpreter, d: Any) -> None:
    """Read the dtype of floats that follow."""
    draws = r.state(Draws)
    draws.default = named_dtype(r, d) or "float32"
    draws.wide |= draws.default == "float64"


def float_of(r: Interpreter, x: Any) -> Any:
    """Return the dtype that a function makes of a tensor if it makes floats; None if it has one already."""
    whole_numbers = isinstance(x, Array) and x.dtype in (INT, BOOL)
    return r.state(Draws).default if whole_numbers else None


# Element by element.

FLOATING = {
    **{
        name: name
        for name in ("exp", "log", "log1p", "expm1", "sin", "cos", "tan", "tanh", "sqrt", "sigmoid", "erf")
    },
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "arcsin": "arcsin",
    "arccos": "arccos",
    "arctan": "arctan",
}
KEEPING = {
    **{name: name for name in ("square", "sign", "floor", "relu", "neg", "round")},
    "negative": "neg",
    "sgn": "sign",
}


def _unary(op: str, floats: bool) -> Callable[..., Any]:
    return lambda r, input: r.make(op, [input], dtype=float_of(r, input) if floats else None)


for _name, _op in FLOATING.items():
    both(_name)(_unary(_op, True))
for _name, _op in KEEPING.items():
    both(_name)(_unary(_op, False))
TORCH["torch.special.expit"] = TORCH["torch.sigmoid"]


@both("round")
def rounded(r: Interpreter, input: Any, decimals: int = 0) -> Array:
    """Read a rounding."""
    if not decimals:
        return r.make("round", [input])
    return Ops(r).div(Ops(r).round(Ops(r).mul(input, 10.0**decimals)), 10.0**decimals)


def promoted(r: Interpreter, a: Any, b: Any, floats: bool = False) -> str | None:
    """Return the dtype of what an operator makes of two values, by PyTorch's rules.

    A tensor without axes counts less than one with axes, and a number less than both, if they are of one
    kind.
    """
    ranks: list[tuple[int, str]] = []
    for one in (a, b):
        if isinstance(one, Array):
            ranks.append((2 if not isinstance(r.builder, Builder) or shape_of(r, one) else 1, one.dtype))
        else:
            ranks.append(
                (
                    0,
                    BOOL
                    if isinstance(one, bool)
                    else INT
                    if isinstance(one, int)
                    else r.state(Draws).default,
                )
            )
    kinds = [0 if dtype == BOOL else 1 if dtype == INT else 2 for _, dtype in ranks]
    strongest = max(kinds)
    if strongest < 2:
        return r.state(Draws).default if floats else (INT if strongest == 1 else BOOL)
    of_kind = [(rank, dtype) for (rank, dtype), kind in zip(ranks, kinds, strict=True) if kind == strongest]
    top = max(rank for rank, _ in of_kind)
    return max((dtype for rank, dtype in of_kind if rank == top), key=FLOATS.index)


def _binary(op: str, floats: bool = False) -> Callable[..., Any]:
    def read(r: Interpreter, input: Any, other: Any, *, alpha: Any = 1) -> Array:
        if alpha != 1:
            other = r.make("mul", [other, alpha])
        return r.make(op, [input, other], dtype=promoted(r, input, other, floats))

    return read


for _name, _op in {"add": "add", "sub": "sub", "subtract": "sub"}.items():
    both(_name)(_binary(_op))
for _name, _op in {"mul": "mul", "multiply": "mul", "maximum": "maximum", "minimum": "minimum"}.items():
    both(_name)(_binary(_op))


@both("rsub")
def rsub(r: Interpreter, input: Any, other: Any) -> Array:
    """Read a subtraction with its sides changed."""
    return r.make("sub", [other, input], dtype=promoted(r, input, other))


@both("div", "divide", "true_divide")
def divide(r: Interpreter, input: Any, other: Any, *, rounding_mode: Any = None) -> Array:
    """Read a division."""
    quotient = r.make("div", [input, other], dtype=promoted(r, input, other, floats=rounding_mode is None))
    if rounding_mode is None:
        return quotient
    return r.make("floor", [quotient]) if rounding_mode == "floor" else trunc(r, quotient)


@both("floor_divide")
def floor_divide(r: Interpreter, input: Any, other: Any) -> Array:
    """Read a division without rest."""
    made = r.make("floor", [r.make("div", [input, other])], dtype=promoted(r, input, other))
    if made.requires_grad:
        made.requires_grad, made.leaf = False, True
        made = detach(r, made)
    return made


@both("remainder")
def remainder(r: Interpreter, input: Any, other: Any) -> Array:
    """Read a rest, with the sign of the divisor; the quotient passes no gradient by itself."""
    o = Ops(r)
    return r.make("sub", [input, o.mul(o.floor(o.div(input, other)), other)], dtype=promoted(r, input, other))


@both("fmod")
def fmod(r: Interpreter, input: Any, other: Any) -> Array:
    """Read a rest, with the sign of the number."""
    o = Ops(r)
    return r.make(
        "sub", [input, o.mul(trunc(r, o.div(input, other)), other)], dtype=promoted(r, input, other)
    )


@both("ceil")
def ceil(r: Interpreter, input: Any) -> Array:
    """Read a rounding up."""
    return Ops(r).neg(Ops(r).floor(Ops(r).neg(input)))


@both("trunc", "fix")
def trunc(r: Interpreter, input: Any, dtype: Any = None) -> Array:
    """Read a rounding towards 0."""
    o = Ops(r)
    return r.make("mul", [o.sign(input), o.floor(o.abs(input))], dtype=dtype)


@both("frac")
def frac(r: Interpreter, input: Any) -> Array:
    """Read what is behind the point."""
    return Ops(r).sub(input, trunc(r, input))


@both("abs", "absolute")
def absolute(r: Interpreter, input: Any) -> Array:
    """Read abs, whose slope at 0 is 0 in PyTorch."""
    r.say(r.line, "the slope of abs at 0 is 0 here; JAX's is 1")
    rule = declared("lambda v, x, out: v * sign(x)")
    return r.make("abs", [input], rule=rule if _ruled(r, input) else None)


def _ruled(r: Interpreter, x: Any) -> bool:
    """Whether a function of this value can have a rule: it has a wire, outside of a declared derivative."""
    return isinstance(r.builder, Builder) and isinstance(x, Array) and x.is_node


@both("clamp", "clip")
def clamp(r: Interpreter, input: Any, min: Any = None, max: Any = None) -> Array:
    """Read clamp, which passes all of the gradient at its ends in PyTorch."""
    if min is None and max is None:
        raise LibraryError("torch.clamp: At least one of 'min' or 'max' must not be None.")
    r.say(r.line, "PyTorch passes everything at the ends of clamp; JAX half")
    ends = [one for one in (min, max) if one is not None]
    if not any(isinstance(one, Array) for one in ends) and (len(ends) < 2 or min <= max):
        rule = declared("lambda v, x, out: where(greater(abs(out - x), 0.0), zeros_like(v), v)")
        low, high = (-1e30 if min is None else _finite(min)), (1e30 if max is None else _finite(max))
        kind = promoted(r, input, ends[0])
        return r.make("clip", [input, low, high], kind, rule=rule if _ruled(r, input) else None)
    value = input  # at equality all goes to the number, and nothing to the limit
    if min is not None:
        value = r.make("where", [r.make("less", [value, min], dtype=BOOL), min, value])
    if max is not None:
        value = r.make("where", [r.make("greater", [value, max], dtype=BOOL), max, value])
    return value


def _finite(end: float) -> float:
    return float(np.clip(end, -1e30, 1e30))


def _at_least(r: Interpreter, a: Any, b: Any) -> Array:
    return r.compare(ast.GtE(), a, b, ast.Constant(0))


TORCH["torch.clamp_min"] = TENSOR["clamp_min"] = lambda r, input, min: clamp(r, input, min)
TORCH["torch.clamp_max"] = TENSOR["clamp_max"] = lambda r, input, max: clamp(r, input, None, max)


@both("pow")
def power(r: Interpreter, input: Any, exponent: Any) -> Array:
    """Read a power; PyTorch's slope for the exponent 0 is 0 everywhere, and of 0 ** p by p it is 0."""
    o = Ops(r)
    kind = promoted(r, input, exponent)
    if isinstance(exponent, (int, float)):
        if exponent == 0:
            r.say(r.line, "PyTorch's slope of x ** 0 is 0 everywhere; JAX's is NaN at 0")
            rule = declared("lambda v, x, out: zeros_like(x)")
            return r.make("pow", [input, 0.0], kind, rule=rule if _ruled(r, input) else None)
        if exponent == 1:
            return r.make("mul", [input, 1.0], kind)
        if exponent == 2:
            return r.make("square", [input], kind)
        return r.make("pow", [input, float(exponent)], kind)
    base, index = tensor(r, input), tensor(r, exponent)
    if _constant_number(base) and base.held != 0:
        return r.make("pow", [base, index], kind)
    if not (base.requires_grad or index.requires_grad) or not isinstance(r.builder, Builder):
        return r.make("pow", [base, index], kind)
    shape = np.broadcast_shapes(shape_of(r, base), shape_of(r, index))
    base, index = (_node(r, broadcast_to(r, one, shape)) for one in (base, index))
    text = (
        "lambda v, x, p, out: (where(abs(p) > 0.0, v * p * x ** where(abs(p) > 0.0, p - 1.0, zeros_like(p)), "
        "zeros_like(x)), where(abs(x) > 0.0, v * out * log(x), where(p < 0.0, v * out * "
        "log(x), zeros_like(x))))"
    )
    return with_pullback(r, o.pow(base, index), [base, index], text)


def _constant_number(x: Array) -> bool:
    return isinstance(x.held, (int, float))


def _node(r: Interpreter, x: Array) -> Array:
    """Return a tensor that is a node; a constant becomes one."""
    if x.is_node or not isinstance(r.builder, Builder):
        return x
    return Array(r.builder.input(x.held, ""), "torch", x.dtype)


TORCH["torch.float_power"] = TENSOR["float_power"] = power
TORCH["torch.special.exp2"] = lambda r, input: power(r, 2.0, input)
both("exp2")(lambda r, input: power(r, 2.0, input))
both("rsqrt")(lambda r, input: r.make("pow", [input, -0.5], dtype=float_of(r, input)))
both("reciprocal")(lambda r, input: r.make("div", [1.0, input], dtype=float_of(r, input)))
both("log2")(lambda r, input: r.make("div", [r.make("log", [input]), math.log(2.0)]))
both("log10")(lambda r, input: r.make("div", [r.make("log", [input]), math.log(10.0)]))
both("sinh")(lambda r, input: _half_sum(r, input, "sub"))
both("cosh")(lambda r, input: _half_sum(r, input, "add"))
both("erfc")(lambda r, input: r.make("sub", [1.0, r.make("erf", [input])]))
both("positive")(lambda r, input: input)
both("deg2rad")(lambda r, input: r.make("mul", [input, math.pi / 180]))
both("rad2deg")(lambda r, input: r.make("mul", [input, 180 / math.pi]))


def _half_sum(r: Interpreter, x: Any, op: str) -> Array:
    o = Ops(r)
    if op == "sub":  # by expm1, which keeps its digits near 0
        grown = o.expm1(x)
        return o.mul(0.5, o.add(grown, o.div(grown, o.add(grown, 1.0))))
    return o.mul(0.5, o.add(o.exp(x), o.exp(o.neg(x))))


@both("asinh", "arcsinh")
def asinh(r: Interpreter, input: Any) -> Array:
    """Read asinh as a logarithm of the size, with the sign."""
    o = Ops(r)
    value = o.mul(o.sign(input), o.log(o.add(o.abs(input), o.sqrt(o.add(o.square(input), 1.0)))))
    return with_pullback(r, value, [input], "lambda v, x, out: v / sqrt(x ** 2.0 + 1.0)")


@both("acosh", "arccosh")
def acosh(r: Interpreter, input: Any) -> Array:
    """Read acosh as a logarithm."""
    o = Ops(r)
    return o.log(o.add(input, o.sqrt(o.sub(o.square(input), 1.0))))


@both("atanh", "arctanh")
def atanh(r: Interpreter, input: Any) -> Array:
    """Read atanh as half a difference of logarithms."""
    o = Ops(r)
    return o.mul(0.5, o.sub(o.log1p(input), o.log1p(o.neg(input))))


@both("logit")
def logit(r: Interpreter, input: Any, eps: Any = None) -> Array:
    """Read log(p / (1 - p))."""
    o = Ops(r)
    if eps is not None:
        input = clamp(r, input, eps, 1.0 - eps)
    return o.sub(o.log(input), o.log1p(o.neg(input)))


@both("xlogy")
def xlogy(r: Interpreter, input: Any, other: Any) -> Array:
    """Read x log y, which is 0 for x = 0 and has the slopes log y there too."""
    o = Ops(r)
    zero = r.compare(ast.Eq(), input, 0.0, ast.Constant(0))
    value = o.where(zero, 0.0, o.mul(input, o.log(other)))
    a, b = tensor(r, input), tensor(r, other)
    if shape_of(r, a) != shape_of(r, b):
        raise Refused("xlogy() is read of tensors of one shape.", "Write x * log(y).")
    text = "lambda v, x, y, out: (where(abs(x) > 0.0, v * log(y), zeros_like(x)), v * x / y)"
    return with_pullback(r, value, [a, b], text)


TORCH["torch.special.xlogy"] = xlogy


@both("atan2", "arctan2")
def atan2(r: Interpreter, input: Any, other: Any) -> Array:
    """Read the angle of a point, whose gradient at the origin is 0 in PyTorch."""
    o = Ops(r)
    y, x = tensor(r, input), tensor(r, other)
    shape = np.broadcast_shapes(shape_of(r, y), shape_of(r, x))
    y, x = (_node(r, broadcast_to(r, one, shape)) for one in (y, x))
    level = r.compare(ast.Eq(), x, 0.0, ast.Constant(0))
    turned = o.where(o.less(y, 0.0), -math.pi, math.pi)
    slanted = o.add(o.arctan(o.div(y, o.where(level, 1.0, x))), o.where(o.less(x, 0.0), turned, 0.0))
    value = o.where(level, o.mul(o.sign(y), math.pi / 2), slanted)
    safe = "where(x ** 2.0 + y ** 2.0 > 0.0, x ** 2.0 + y ** 2.0, ones_like(x))"
    text = f"lambda v, y, x, out: (v * x / {safe}, -(v * y / {safe}))"
    return with_pullback(r, value, [y, x], text, "the gradient of atan2(0, 0) is 0 here; JAX's is NaN")


@both("hypot")
def hypot(r: Interpreter, input: Any, other: Any) -> Array:
    """Read the length of the longest side."""
    o = Ops(r)
    return o.sqrt(o.add(o.square(input), o.square(other)))


@both("sinc")
def sinc(r: Interpreter, input: Any) -> Array:
    """Read sin(pi x) / (pi x), which is 1 at 0."""
    o = Ops(r)
    zero = r.compare(ast.Eq(), input, 0.0, ast.Constant(0))
    scaled = o.mul(math.pi, o.where(zero, 1.0, input))
    return o.where(zero, 1.0, o.div(o.sin(scaled), scaled))


both("fmax")(lambda r, input, other: r.make("where", [_at_least(r, input, other), input, other]))
both("fmin")(lambda r, input, other: r.make("where", [_at_least(r, other, input), input, other]))
both("addcmul")(
    lambda r, input, tensor1, tensor2, *, value=1: r.make(
        "add", [input, r.make("mul", [value, r.make("mul", [tensor1, tensor2])])]
    )
)
both("addcdiv")(
    lambda r, input, tensor1, tensor2, *, value=1: r.make(
        "add", [input, r.make("mul", [value, r.make("div", [tensor1, tensor2])])]
    )
)
both("lerp")(
    lambda r, input, end, weight: r.make("add", [input, r.make("mul", [weight, r.make("sub", [end, input])])])
)
both("logaddexp")(
    lambda r, input, other: r.make("logsumexp", [r.make("stack", [input, other], axis=0)], axis=0)
)


@both("nan_to_num")
def nan_to_num(
    r: Interpreter, input: Array, nan: float = 0.0, posinf: Any = None, neginf: Any = None
) -> Array:
    """Read that NaN and infinities become numbers."""
    o = Ops(r)
    largest = o.mul(1e30, 3.4028235e8)
    value = o.where(
        r.compare(ast.Eq(), input, math.inf, ast.Constant(0)), largest if posinf is None else posinf, input
    )
    low = o.neg(largest) if neginf is None else neginf
    value = o.where(r.compare(ast.Eq(), input, -math.inf, ast.Constant(0)), low, value)
    return o.where(_is_nan(r, input), nan, value)


def _is_nan(r: Interpreter, x: Any) -> Array:
    return r.compare(ast.NotEq(), x, x, ast.Constant(0))


both("isnan")(_is_nan)


@both("heaviside", "lgamma", "digamma", "erfinv", "fft", "svd", "qr", "cholesky", "inverse_fft", "i0")
def without_op(r: Interpreter, input: Any, *_: Any, **__: Any) -> Array:
    """Refuse functions for which there is no op."""
    raise Refused(f"There is no op for `{r.called}`.", "", "unknown-function")


# Compare and choose.

for _name, _op in {
    "gt": ast.Gt,
    "lt": ast.Lt,
    "ge": ast.GtE,
    "le": ast.LtE,
    "eq": ast.Eq,
    "ne": ast.NotEq,
    "greater": ast.Gt,
    "less": ast.Lt,
    "greater_equal": ast.GtE,
    "less_equal": ast.LtE,
    "not_equal": ast.NotEq,
}.items():
    both(_name)(lambda r, input, other, _op=_op: r.compare(_op(), input, other, ast.Constant(0)))


@both("logical_and")
def logical_and(r: Interpreter, input: Any, other: Any) -> Array:
    """Read that both hold."""
    return r.make("mul", [cast(r, input, BOOL), cast(r, other, BOOL)], dtype=BOOL)


@both("logical_or")
def logical_or(r: Interpreter, input: Any, other: Any) -> Array:
    """Read that one of two holds."""
    return r.make("maximum", [cast(r, input, BOOL), cast(r, other, BOOL)], dtype=BOOL)


@both("logical_not")
def logical_not(r: Interpreter, input: Any) -> Array:
    """Read that something does not hold."""
    return r.make("sub", [1.0, cast(r, input, BOOL)], dtype=BOOL)


@both("any")
def any_of(r: Interpreter, input: Array, dim: Any = None, keepdim: bool = False) -> Array:
    """Read whether any element holds."""
    made = arrays.fold(r, "max", cast(r, input, BOOL), dim, keepdim)
    return Array(made.held, "torch", BOOL)


@both("all")
def all_of(r: Interpreter, input: Array, dim: Any = None, keepdim: bool = False) -> Array:
    """Read whether all elements hold."""
    made = arrays.fold(r, "min", cast(r, input, BOOL), dim, keepdim)
    return Array(made.held, "torch", BOOL)


@both("allclose", "equal", "isclose")
def close(r: Interpreter, input: Any, other: Any, **_: Any) -> Array:
    """Refuse a comparison whose only use is to be printed."""
    raise Refused("This comparison is not read.", "The page shows the numbers.")


@arrays.known("torch.where", table=TORCH)
def where(r: Interpreter, condition: Any, *given: Any, **named: Any) -> Any:
    """Read a choice by a condition."""
    if not given and not named:
        return nonzero(r, condition, as_tuple=True)
    a, b = (*given, *(named[key] for key in ("input", "self", "other") if key in named))
    if isinstance(condition, bool):
        raise Refused("The condition of where() is a tensor.")
    return r.make("where", [condition, a, b], dtype=promoted(r, a, b))


TENSOR["where"] = lambda r, x, condition, other: where(r, condition, x, other)


@both("masked_fill")
def masked_fill(r: Interpreter, input: Array, mask: Any, value: Any) -> Array:
    """Read a fill where a mask holds."""
    if isinstance(value, float) and not math.isfinite(value):
        value = Array(r.held(value), "torch", input.dtype)
    return r.make("where", [mask, value, input], dtype=input.dtype)


# Fold.


def dims(r: Interpreter, dim: Any) -> Any:
    """Return a dimension, or a tuple of them."""
    if isinstance(dim, (tuple, list)):
        return tuple(whole(r, one) for one in dim) or None
    return None if dim is None else whole(r, dim)


def fold(r: Interpreter, op: str, x: Any, dim: Any, keepdim: bool = False) -> Array:
    """Fold dimensions of a tensor by an op."""
    axis = dims(r, dim)
    rank = len(shape_of(r, x))
    for one in axis if isinstance(axis, tuple) else () if axis is None else (axis,):
        if not -max(rank, 1) <= one < max(rank, 1):
            raise LibraryError(
                f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {one})."
            )
    if rank == 0:
        axis, keepdim = None, False
    return arrays.fold(r, op, x, axis, bool(keepdim))


@both("sum")
def total(
    r: Interpreter, input: Any, dim: Any = None, keepdim: bool = False, *, axis: Any = None, dtype: Any = None
) -> Array:
    """Read a sum; of whole numbers it is one."""
    made = fold(r, "sum", cast(r, input, named_dtype(r, dtype)), axis if dim is None else dim, keepdim)
    if input.dtype == BOOL and dtype is None:
        made.dtype = INT
    return made


@both("mean")
def mean(
    r: Interpreter, input: Any, dim: Any = None, keepdim: bool = False, *, axis: Any = None, dtype: Any = None
) -> Array:
    """Read a mean."""
    input = cast(r, input, named_dtype(r, dtype))
    if input.dtype in (INT, BOOL):
        raise LibraryError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or "
            "complex dtype.",
            "Write x.float().mean().",
            "integer",
        )
    return fold(r, "mean", input, axis if dim is None else dim, keepdim)


@both("prod")
def product_of(
    r: Interpreter, input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Array:
    """Read a product."""
    return fold(r, "prod", input, dim, keepdim)


for _name, _op in {"amax": "max", "amin": "min", "logsumexp": "logsumexp"}.items():
    both(_name)(lambda r, input, dim=None, keepdim=False, _op=_op: fold(r, _op, input, dim, keepdim))
both("nanmean")(lambda r, input, dim=None, keepdim=False: _without_nan(r, input, dim, keepdim, True))
both("nansum")(lambda r, input, dim=None, keepdim=False: _without_nan(r, input, dim, keepdim, False))


def _without_nan(r: Interpreter, x: Array, dim: Any, keepdim: bool, averaged: bool) -> Array:
    nan = _is_nan(r, x)
    summed = fold(r, "sum", r.make("where", [nan, 0.0, x]), dim, keepdim)
    return divide(r, summed, fold(r, "sum", r.make("sub", [1.0, nan]), dim, keepdim)) if averaged else summed


@both("max")
def largest(r: Interpreter, input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Read max: of all elements, or along a dimension, where one element gets all of the gradient."""
    return _extreme(r, "max", input, other if other is not None else dim, keepdim)


@both("min")
def smallest(r: Interpreter, input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Read min, as max."""
    return _extreme(r, "min", input, other if other is not None else dim, keepdim)


def _extreme(r: Interpreter, op: str, x: Any, dim: Any, keepdim: bool) -> Any:
    if isinstance(dim, Array):
        return r.make("maximum" if op == "max" else "minimum", [x, dim], dtype=promoted(r, x, dim))
    if dim is None:
        return fold(r, op, x, None, False)
    dim, shape = whole(r, dim), shape_of(r, x)
    if not shape:
        return Pair(x, lambda: constant(r, 0, "torch", INT))
    size = shape[dim]
    order = [i for i in range(len(shape)) if i != dim % len(shape)] + [dim % len(shape)]
    last = x if order == list(range(len(shape))) else arrays.transpose(r, x, tuple(order))
    chosen = last if op == "max" else r.make("neg", [last])
    by = "x" if op == "max" else "-x"
    text = f"lambda v, x, out: expand_dims(v, -1) * one_hot(argmax({by}, axis=-1), {size})"
    r.say(
        r.line,
        f"{op}() along a dimension passes the gradient to one element here; JAX splits it between equals",
    )
    values = r.make(op, [last], rule=declared(text) if _ruled(r, last) else None, axis=-1)

    def indices() -> Array:
        places = _whole_numbers(r.make("argmax", [chosen], dtype=INT, axis=-1))
        return arrays.expand(r, places, dim) if keepdim else places

    return Pair(arrays.expand(r, values, dim) if keepdim else values, indices)


def _whole_numbers(x: Array) -> Array:
    x.requires_grad, x.leaf, x.dtype = False, True, INT
    return x


@both("argmax")
def argmax(r: Interpreter, input: Array, dim: Any = None, keepdim: bool = False) -> Array:
    """Read the place of the largest."""
    options = {} if dim is None else {"axis": whole(r, dim)}
    made = r.make("argmax", [input], dtype=INT, **options, **({"keepdims": True} if keepdim else {}))
    return _whole_numbers(made)


@both("argmin")
def argmin(r: Interpreter, input: Array, dim: Any = None, keepdim: bool = False) -> Array:
    """Read the place of the smallest."""
    return argmax(r, r.make("neg", [input]), dim, keepdim)


@both("median")
def median(r: Interpreter, input: Array, dim: Any = None, keepdim: bool = False) -> Any:
    """Read a median: of an even number of elements the lower one of the two in the middle."""
    r.say(r.line, "PyTorch's median is one element, of two in the middle the lower; JAX's their mean")
    if dim is not None:
        return kthvalue(r, input, (shape_of(r, input)[whole(r, dim)] + 1) // 2, dim, keepdim)
    flat = arrays.reshape(r, input, -1)
    size = shape_of(r, flat)[0]
    value = r.make("getitem", [r.make("sort", [flat])], index=((size - 1) // 2,))
    text = (
        "lambda v, x, out: where(abs(x - out) > 0.0, zeros_like(x), "
        "v / sum(where(abs(x - out) > 0.0, zeros_like(x), ones_like(x))) + zeros_like(x))"
    )
    return with_pullback(r, value, [flat], text)


def _ranked(
    r: Interpreter, x: Array, dim: Any, descending: bool = False
) -> tuple[Array, Callable[[], np.ndarray]]:
    """Return a sorted tensor, and the places that its elements come from."""
    axis = whole(r, dim)

    def places() -> np.ndarray:
        found = numbers(r, Array(x.held, "torch", "float32"), "An order")
        return np.argsort(-found if descending else found, axis=axis, kind="stable")

    return r.make("sort", [x], axis=axis, **({"descending": True} if descending else {})), places


def _integers(r: Interpreter, found: np.ndarray) -> Array:
    return constant(r, found.astype(float), "torch", INT)


@both("sort", "msort")
def sort(r: Interpreter, input: Array, dim: int = -1, descending: bool = False, stable: Any = None) -> Pair:
    """Read a sort."""
    if not descending:
        values, places = _ranked(r, input, dim)
        return Pair(values, lambda: _integers(r, places()))
    # Equal elements keep their order in PyTorch, and the op turns it: so they are picked by their places.
    _, places = _ranked(r, input, dim, True)
    found = places()
    return Pair(gather(r, input, dim, _integers(r, found)), lambda: _integers(r, found))


@both("argsort")
def argsort(
    r: Interpreter, input: Array, dim: int = -1, descending: bool = False, stable: Any = None
) -> Array:
    """Read the places of a sort."""
    return _integers(r, _ranked(r, input, dim, descending)[1]())


@both("topk")
def topk(
    r: Interpreter, input: Array, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> Pair:
    """Read the k largest; which of equal ones PyTorch takes is not known, so they must differ."""
    axis, count = whole(r, dim), whole(r, k)
    places = _ranked(r, input, axis, largest)[1]()
    found = np.take_along_axis(numbers(r, Array(input.held, "torch", "float32"), "An order"), places, axis)
    near = np.moveaxis(found, axis, 0)[: count + 1]
    if (near[1:] == near[:-1]).any():
        raise Refused(
            "topk() of equal numbers takes one of them that nobody can foretell.", "Make them differ."
        )
    first = np.take(places, range(count), axis=axis)
    return Pair(gather(r, input, axis, _integers(r, first)), lambda: _integers(r, first))


@both("kthvalue")
def kthvalue(r: Interpreter, input: Array, k: int, dim: int = -1, keepdim: bool = False) -> Pair:
    """Read the k-th smallest, to which alone the gradient passes."""
    axis, count = whole(r, dim), whole(r, k)
    found = numbers(r, Array(input.held, "torch", "float32"), "An order")
    place = np.take(np.argsort(found, axis=axis, kind="stable"), [count - 1], axis=axis)
    same = (found == np.take_along_axis(found, place, axis)).sum(axis)
    if (same > 1).any():
        raise Refused("Which of equal numbers is taken here nobody can foretell.", "Make them differ.")
    values = gather(r, input, axis, _integers(r, place))
    if not keepdim:
        values, place = squeeze_plain(r, values, axis), np.squeeze(place, axis)
    return Pair(values, lambda: _integers(r, place))


@both("quantile")
def quantile(r: Interpreter, input: Array, q: Any, dim: Any = None, keepdim: bool = False) -> Array:
    """Read a quantile: between two neighbours in order, in proportion."""
    if not isinstance(q, (int, float)) or (dim is None and keepdim):
        raise Refused("quantile() is read with one number.")
    x = arrays.reshape(r, input, -1) if dim is None else input
    axis = 0 if dim is None else whole(r, dim) % len(shape_of(r, x))
    at = q * (shape_of(r, x)[axis] - 1)
    ordered = r.make("sort", [x], axis=axis)

    def pick(i: int) -> Array:
        return select_plain(r, ordered, axis, i)

    low, high = pick(math.floor(at)), pick(math.ceil(at))
    share = at - math.floor(at)
    value = r.make("add", [low, r.make("mul", [share, r.make("sub", [high, low])])]) if share else low
    return arrays.expand(r, value, axis) if keepdim else value


@both("var")
def variance(
    r: Interpreter,
    input: Any,
    dim: Any = None,
    unbiased: Any = True,
    keepdim: bool = False,
    *,
    correction: Any = None,
    axis: Any = None,
) -> Array:
    """Read a variance, which divides by n - 1 in PyTorch."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    ddof = int(unbiased) if correction is None else correction
    dim, shape = dims(r, axis if dim is None else dim), shape_of(r, input)
    over = range(len(shape)) if dim is None else dim if isinstance(dim, tuple) else (dim,)
    count = prod(shape[one] for one in over)
    if ddof == 1:
        r.say(r.line, "PyTorch's var divides by n - 1")
    if count <= ddof:
        return divide(r, fold(r, "sum", r.make("sub", [input, input]), dim, keepdim), 0.0)
    centred = r.make("sub", [input, _mean_kept(r, input, dim)])
    return r.make("div", [fold(r, "sum", r.make("square", [centred]), dim, keepdim), float(count - ddof)])


def _mean_kept(r: Interpreter, x: Array, dim: Any) -> Array:
    return fold(r, "mean", x, dim, dim is not None)


@both("std")
def deviation(
    r: Interpreter,
    input: Any,
    dim: Any = None,
    unbiased: Any = True,
    keepdim: bool = False,
    *,
    correction: Any = None,
    axis: Any = None,
) -> Array:
    """Read a standard deviation, whose gradient at 0 is 0 in PyTorch."""
    r.say(r.line, "the gradient of std at 0 is 0 here; JAX's is NaN")
    spread = variance(r, input, dim, unbiased, keepdim, correction=correction, axis=axis)
    safe = "where(abs(out) > 0.0, out, ones_like(out))"
    text = f"lambda v, x, out: where(abs(out) > 0.0, v * 0.5 / {safe}, out * v)"
    return r.make("sqrt", [spread], rule=declared(text) if _ruled(r, spread) else None)


both("var_mean")(
    lambda r, input, dim=None, **kw: (
        variance(r, input, dim, **kw),
        mean(r, input, dim, kw.get("keepdim", False)),
    )
)
both("std_mean")(
    lambda r, input, dim=None, **kw: (
        deviation(r, input, dim, **kw),
        mean(r, input, dim, kw.get("keepdim", False)),
    )
)


def root(r: Interpreter, x: Array) -> Array:
    """Return a square root that passes nothing where it is 0, as PyTorch's norm and std do."""
    r.say(r.line, "at 0 this passes 0 here; JAX's is NaN")
    rule = declared("lambda v, x, out: where(abs(out) > 0.0, v * 0.5 / out, out * v)")
    return r.make("sqrt", [x], rule=rule if _ruled(r, x) else None)


@both("norm")
def norm(
    r: Interpreter, input: Any, p: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Array:
    """Read a norm; the gradient of the Euclidean one at 0 is 0 in PyTorch."""
    p = 2 if p in (None, "fro") else p
    if p == 2:
        return root(r, fold(r, "sum", r.make("square", [input]), dim, keepdim))
    if p == 1:
        return fold(r, "sum", absolute(r, input), dim, keepdim)
    if p == math.inf:
        return fold(r, "max", absolute(r, input), dim, keepdim)
    if p == -math.inf:
        return fold(r, "min", absolute(r, input), dim, keepdim)
    if isinstance(p, (int, float)) and p > 2 and not isinstance(input.held, tuple):
        summed = fold(r, "sum", r.make("pow", [absolute(r, input), float(p)]), dim, keepdim)
        safe = r.make("where", [r.make("greater", [summed, 0.0]), summed, 1.0])
        return r.make("where", [r.make("greater", [summed, 0.0]), r.make("pow", [safe, 1.0 / p]), 0.0])
    raise Refused(f"The norm of order {p} is not read.", "Write it out, such as x.abs().sum().")


@arrays.known("torch.linalg.norm", "torch.linalg.vector_norm", table=TORCH)
def linalg_norm(r: Interpreter, x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False) -> Array:
    """Read a norm of `torch.linalg`; of a matrix only that of all elements."""
    if ord not in (None, 2, "fro") and len(shape_of(r, x)) > 1 and not isinstance(dim, int):
        raise Refused("This norm of a matrix is not read.", "There is the Frobenius norm.")
    return norm(r, x, 2 if ord is None else ord, dim, keepdim)


TORCH["torch.linalg.matrix_norm"] = lambda r, A, ord="fro": linalg_norm(r, A, ord)
both("dist")(lambda r, input, other, p=2: norm(r, r.make("sub", [input, other]), p))
both("cumsum")(lambda r, input, dim, dtype=None: r.make("cumsum", [input], axis=whole(r, dim)))


def _running(r: Interpreter, x: Array, dim: Any, step: Callable[[Array, Array], Array]) -> Array:
    """Return what a step makes of the elements one after the other, along a dimension."""
    axis = whole(r, dim) % len(shape_of(r, x))
    parts = [select_plain(r, x, axis, i) for i in range(shape_of(r, x)[axis])]
    if len(parts) > 64:
        raise Refused("This is unrolled for at most 64 elements.", "Use fewer.", "too-large")
    results = parts[:1]
    for part in parts[1:]:
        results.append(step(results[-1], part))
    return r.make("stack", results, axis=axis)


@both("cumprod")
def cumprod(r: Interpreter, input: Array, dim: int, dtype: Any = None) -> Array:
    """Read a running product."""
    return _running(r, input, dim, lambda a, b: r.make("mul", [a, b]))


@both("logcumsumexp")
def logcumsumexp(r: Interpreter, input: Array, dim: int) -> Array:
    """Read a running logsumexp."""
    return _running(
        r, input, dim, lambda a, b: r.make("logsumexp", [r.make("stack", [a, b], axis=0)], axis=0)
    )


@both("cummax")
def cummax(r: Interpreter, input: Array, dim: int) -> Pair:
    """Read a running maximum; of equal ones the last gets the gradient in PyTorch."""
    values = _running(r, input, dim, lambda a, b: r.make("where", [_at_least(r, b, a), b, a]))
    return Pair(values, lambda: _no_places())


@both("cummin")
def cummin(r: Interpreter, input: Array, dim: int) -> Pair:
    """Read a running minimum."""
    values = _running(r, input, dim, lambda a, b: r.make("where", [_at_least(r, a, b), b, a]))
    return Pair(values, lambda: _no_places())


def _no_places() -> Array:
    raise Refused("The places of a running extreme are not read.")


for _name in ("softmax", "log_softmax"):

    @both(_name)
    def _along(
        r: Interpreter,
        input: Array,
        dim: Any = None,
        dtype: Any = None,
        *,
        axis: Any = None,
        _name: str = _name,
        _stacklevel: Any = 3,
    ) -> Array:
        dim = axis if dim is None else dim
        if dim is None:  # as PyTorch chooses, with a warning
            dim = 0 if len(shape_of(r, input)) in (0, 1, 3) else 1
        return r.make(_name, [cast(r, input, named_dtype(r, dtype))], axis=whole(r, dim))

    TORCH[f"torch.nn.functional.{_name}"] = _along
TORCH["torch.nn.functional.softmin"] = lambda r, input, dim=None: TORCH["torch.softmax"](
    r, r.make("neg", [input]), dim
)


# Multiply matrices.


@both("matmul", "mm", "mv", "bmm", "dot", "vdot")
def matmul(r: Interpreter, input: Any, other: Any) -> Array:
    """Read a product of matrices or vectors."""
    if isinstance(input, Array) and isinstance(other, Array):
        a, b = shape_of(r, input), shape_of(r, other)
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
    return arrays.product(r, input, other)


TORCH["torch.linalg.multi_dot"] = TORCH["torch.chain_matmul"] = lambda r, tensors: _chain(r, tensors)


def _chain(r: Interpreter, tensors: Sequence[Array]) -> Array:
    made = tensors[0]
    for one in tensors[1:]:
        made = matmul(r, made, one)
    return made


@both("inner")
def inner(r: Interpreter, input: Array, other: Array) -> Array:
    """Read an inner product of vectors."""
    if len(shape_of(r, input)) != 1 or len(shape_of(r, other)) != 1:
        raise Refused("inner() is read of vectors.", "Write a @ b.T.")
    return matmul(r, input, other)


@both("outer", "ger")
def outer(r: Interpreter, input: Array, vec2: Array) -> Array:
    """Read an outer product."""
    return r.make("mul", [arrays.expand(r, input, 1), arrays.expand(r, vec2, 0)])


def _added(r: Interpreter, x: Any, product: Array, beta: Any, alpha: Any) -> Array:
    scaled = product if alpha == 1 else r.make("mul", [alpha, product])
    return r.make("add", [x if beta == 1 else r.make("mul", [beta, x]), scaled])


for _name in ("addmm", "addmv", "baddbmm"):
    both(_name)(lambda r, input, a, b, *, beta=1, alpha=1: _added(r, input, matmul(r, a, b), beta, alpha))
both("addr")(lambda r, input, a, b, *, beta=1, alpha=1: _added(r, input, outer(r, a, b), beta, alpha))


@arrays.known("torch.einsum", table=TORCH)
def einsum(r: Interpreter, equation: str, *operands: Any) -> Array:
    """Read an einsum: each operand gets all letters as dimensions; the product is summed over the rest."""
    tensors = (
        list(operands[0]) if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else list(operands)
    )
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if "." in equation or len(terms) != len(tensors):
        raise Refused("This einsum is not read.", "Write one letter for every dimension.")
    if not arrow:
        joined = "".join(terms)
        right = "".join(sorted(letter for letter in set(joined) if joined.count(letter) == 1))
    letters = [*right, *sorted(set("".join(terms)) - set(right))]
    made: Any = None
    for term, one in zip(terms, tensors, strict=True):
        one = _spread(r, one, term, letters)
        made = one if made is None else r.make("mul", [made, one])
    summed = tuple(range(len(right), len(letters)))
    return arrays.fold(r, "sum", made, summed, False) if summed else made


def _spread(r: Interpreter, x: Array, term: str, letters: list[str]) -> Array:
    if len(term) != len(shape_of(r, x)):
        raise LibraryError(f"einsum(): the operand of {term!r} has {len(shape_of(r, x))} dimensions.")
    for letter in {one for one in term if term.count(one) > 1}:
        first, second = term.index(letter), term.rindex(letter)
        x = diagonal_plain(r, x, first, second)
        term = term.replace(letter, "", 1).replace(letter, "", 1) + letter
    order = sorted(range(len(term)), key=lambda i: letters.index(term[i]))
    if order != list(range(len(term))):
        x = arrays.transpose(r, x, tuple(order))
    sizes = dict(zip((term[i] for i in order), shape_of(r, x), strict=True))
    shape = tuple(sizes.get(letter, 1) for letter in letters)
    return x if shape == shape_of(r, x) else r.make("reshape", [x], shape=shape)


def diagonal_plain(r: Interpreter, x: Array, first: int = 0, second: int = 1, offset: int = 0) -> Array:
    """Return a diagonal as the last dimension, its elements picked one by one."""
    rank = len(shape_of(r, x))
    first, second = first % rank, second % rank
    rest = [i for i in range(rank) if i not in (first, second)]
    moved = (
        arrays.transpose(r, x, (*rest, first, second)) if (*rest, first, second) != tuple(range(rank)) else x
    )
    rows, columns = shape_of(r, moved)[-2:]
    mask = np.eye(rows, columns, offset)
    keep = np.argwhere(mask)
    # Each diagonal element is alone in its row or column, so that a sum over the mask picks it.
    if not len(keep):
        raise Refused("This diagonal is empty.")
    picked = r.make("where", [constant(r, mask, "torch", BOOL), moved, 0.0])
    along = r.make("sum", [picked], axis=-1)
    start, stop = int(keep[0][0]), int(keep[-1][0]) + 1
    return (
        along
        if (start, stop) == (0, rows)
        else r.make("getitem", [along], index=("...", (start, stop, None)))
    )


both("diagonal")(lambda r, input, offset=0, dim1=0, dim2=1: diagonal_plain(r, input, dim1, dim2, offset))


@both("diag")
def diag(r: Interpreter, input: Array, diagonal: int = 0) -> Array:
    """Read a diagonal: of a matrix, or a matrix with one."""
    if len(shape_of(r, input)) == 2:
        return diagonal_plain(r, input, offset=diagonal)
    if diagonal:
        raise Refused("diag() of a vector is read for the main diagonal.")
    return diag_embed(r, input)


@both("diag_embed")
def diag_embed(r: Interpreter, input: Array) -> Array:
    """Read matrices with given diagonals."""
    size = shape_of(r, input)[-1]
    mask = constant(r, np.eye(size), "torch", BOOL)
    return r.make("where", [mask, arrays.expand(r, input, -1), 0.0])


@both("trace")
def trace_of(r: Interpreter, input: Array) -> Array:
    """Read the sum of a diagonal."""
    return r.make("sum", [diagonal_plain(r, input)])


def _triangle(r: Interpreter, x: Array, mask: np.ndarray) -> Array:
    if not x.is_node and isinstance(x.held, tuple):
        return constant(r, np.where(mask, np.array(x.held), 0.0), "torch", x.dtype)
    return r.make("where", [constant(r, mask.astype(float), "torch", BOOL), x, 0.0], dtype=x.dtype)


both("tril")(
    lambda r, input, diagonal=0: _triangle(r, input, np.tril(np.ones(shape_of(r, input)[-2:]), diagonal))
)
both("triu")(
    lambda r, input, diagonal=0: _triangle(r, input, np.triu(np.ones(shape_of(r, input)[-2:]), diagonal))
)


@arrays.known("torch.cdist", table=TORCH)
def cdist(r: Interpreter, x1: Array, x2: Array, p: float = 2.0) -> Array:
    """Read the distances between points of two sets."""
    return norm(r, r.make("sub", [arrays.expand(r, x1, -2), arrays.expand(r, x2, -3)]), p, -1)


def _entry(r: Interpreter, x: Array, i: int, j: int) -> Array:
    return r.make("getitem", [x], index=("...", i, j))


@both("det")
def det(r: Interpreter, A: Array) -> Array:
    """Read a determinant of a matrix of at most three rows."""
    n, o = shape_of(r, A)[-1], Ops(r)
    if shape_of(r, A)[-2:] != (n, n) or n > 3:
        raise Refused("A determinant is read of at most three rows.")
    if n == 1:
        return _entry(r, A, 0, 0)
    e = partial(_entry, r, A)
    if n == 2:
        return o.sub(o.mul(e(0, 0), e(1, 1)), o.mul(e(0, 1), e(1, 0)))
    made: Any = None
    for j in range(3):
        a, b = (j + 1) % 3, (j + 2) % 3
        minor = o.sub(o.mul(e(1, a), e(2, b)), o.mul(e(1, b), e(2, a)))
        part = o.mul(e(0, j), minor)
        made = part if made is None else o.add(made, part)
    return made


@both("inverse")
def inverse(r: Interpreter, A: Array) -> Array:
    """Read the inverse of a matrix of at most three rows, by its cofactors."""
    n, o = shape_of(r, A)[-1], Ops(r)
    if len(shape_of(r, A)) != 2 or n > 3:
        raise Refused("An inverse is read of at most three rows.")
    whole_det = det(r, A)
    e = partial(_entry, r, A)
    if n == 1:
        return o.div(1.0, A)
    if n == 2:
        rows = [[e(1, 1), o.neg(e(0, 1))], [o.neg(e(1, 0)), e(0, 0)]]
    else:
        rows = [
            [
                o.sub(
                    o.mul(e((j + 1) % 3, (i + 1) % 3), e((j + 2) % 3, (i + 2) % 3)),
                    o.mul(e((j + 1) % 3, (i + 2) % 3), e((j + 2) % 3, (i + 1) % 3)),
                )
                for j in range(3)
            ]
            for i in range(3)
        ]
    return o.div(o.stack(*(o.stack(*row, axis=0) for row in rows), axis=0), whole_det)


TORCH["torch.linalg.det"], TORCH["torch.linalg.inv"] = det, inverse
TORCH["torch.linalg.solve"] = lambda r, A, B: matmul(r, inverse(r, A), B)
both("logdet")(lambda r, input: r.make("log", [det(r, input)]))


# Change shapes. What shares its memory is a view.


def _view(r: Interpreter, x: Any, derive: Callable[..., Array], push: Callable[..., Array] | None) -> Array:
    return view(r, tensor(r, x), derive, push)


def _shaped(r: Interpreter, x: Array, shape: tuple[int, ...]) -> Array:
    """Return a view of another shape."""
    old = shape_of(r, x)
    if -1 in shape:
        known = prod(size for size in shape if size != -1)
        shape = tuple(prod(old) // max(known, 1) if size == -1 else size for size in shape)
    if prod(shape) != prod(old) or shape.count(-1):
        raise LibraryError(f"shape {list(shape)} is invalid for input of size {prod(old)}.")

    def derive(r: Interpreter, parent: Array) -> Array:
        if not parent.is_node:
            return arrays.reshape(r, parent, tuple(shape))
        return r.make("reshape", [parent], dtype=parent.dtype, shape=tuple(shape))

    def push(r: Interpreter, parent: Array, new: Array) -> Array:
        return r.make("reshape", [new], dtype=parent.dtype, shape=old)

    return _view(r, x, derive, push)


@both("reshape", "view", "unflatten_to")
def reshape(r: Interpreter, input: Array, *shape: Any, size: Any = None) -> Array:
    """Read a new shape."""
    given = shape or (size,)
    if len(given) == 1 and isinstance(given[0], Path):
        return cast(r, input, named_dtype(r, given[0]))
    one = given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
    return _shaped(r, input, tuple(whole(r, part) for part in one))


TENSOR["view_as"] = TENSOR["reshape_as"] = lambda r, x, other: _shaped(r, x, shape_of(r, other))
both("ravel")(lambda r, input: _shaped(r, input, (prod(shape_of(r, input)),)))


@both("flatten")
def flatten(r: Interpreter, input: Array, start_dim: int = 0, end_dim: int = -1) -> Array:
    """Read a flattening of some dimensions."""
    shape = shape_of(r, input)
    if not shape:
        return _shaped(r, input, (1,))
    first, last = start_dim % len(shape), end_dim % len(shape)
    return _shaped(r, input, (*shape[:first], prod(shape[first : last + 1]), *shape[last + 1 :]))


@both("unflatten")
def unflatten(r: Interpreter, input: Array, dim: int, sizes: Any) -> Array:
    """Read that a dimension becomes several."""
    shape = shape_of(r, input)
    at = dim % len(shape)
    inner_sizes = tuple(sizes)
    if -1 in inner_sizes:
        rest = shape[at] // prod(size for size in inner_sizes if size != -1)
        inner_sizes = tuple(rest if size == -1 else size for size in inner_sizes)
    return _shaped(r, input, (*shape[:at], *inner_sizes, *shape[at + 1 :]))


@both("unsqueeze")
def unsqueeze(r: Interpreter, input: Array, dim: int) -> Array:
    """Read a new dimension."""
    shape, at = shape_of(r, input), whole(r, dim)
    at = at if at >= 0 else at + len(shape) + 1
    return _shaped(r, input, (*shape[:at], 1, *shape[at:]))


@both("squeeze")
def squeeze(r: Interpreter, input: Array, dim: Any = None) -> Array:
    """Read that dimensions of length 1 go."""
    shape, axis = shape_of(r, input), dims(r, dim)
    chosen = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    gone = {one % max(len(shape), 1) for one in chosen}
    kept_sizes = tuple(size for i, size in enumerate(shape) if size != 1 or i not in gone)
    return input if kept_sizes == shape else _shaped(r, input, kept_sizes)


def squeeze_plain(r: Interpreter, x: Array, axis: int) -> Array:
    """Return a tensor without a dimension of length 1."""
    shape = shape_of(r, x)
    at = axis % len(shape)
    return r.make("reshape", [x], shape=(*shape[:at], *shape[at + 1 :]))


both("atleast_1d")(lambda r, input: input if shape_of(r, input) else _shaped(r, input, (1,)))
both("atleast_2d")(
    lambda r, input: (
        input if len(shape_of(r, input)) > 1 else _shaped(r, input, (1, prod(shape_of(r, input))))
    )
)


def _ordered(r: Interpreter, x: Array, order: tuple[int, ...]) -> Array:
    """Return a view with its dimensions in another order."""
    rank = len(shape_of(r, x))
    order = tuple(one % rank for one in order) if rank else ()
    if order == tuple(range(rank)):
        return _view(
            r,
            x,
            lambda r, parent: (
                parent if not parent.is_node else r.make(IDENTITY, [parent], dtype=parent.dtype)
            ),
            lambda r, parent, new: new,
        )
    back = tuple(int(i) for i in np.argsort(order))
    return _view(
        r,
        x,
        lambda r, parent: arrays.transpose(r, parent, order),
        lambda r, parent, new: arrays.transpose(r, new, back),
    )


@both("t", "adjoint")
def t(r: Interpreter, input: Array) -> Array:
    """Read a transposition of a matrix."""
    return _ordered(r, input, tuple(reversed(range(len(shape_of(r, input))))))


@both("transpose", "swapaxes", "swapdims")
def transpose(r: Interpreter, input: Array, dim0: int, dim1: int) -> Array:
    """Read that two dimensions change places."""
    order = list(range(len(shape_of(r, input))))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return _ordered(r, input, tuple(order))


@both("permute")
def permute(r: Interpreter, input: Array, *dims: Any) -> Array:
    """Read an order of the dimensions."""
    order = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
    return _ordered(r, input, tuple(order))


@both("movedim", "moveaxis")
def movedim(r: Interpreter, input: Array, source: Any, destination: Any) -> Array:
    """Read that dimensions move."""
    rank = len(shape_of(r, input))
    order = np.moveaxis(np.empty((1,) * 0 + tuple(range(1, rank + 1))), source, destination).shape
    return _ordered(r, input, tuple(size - 1 for size in order))


def broadcast_to(r: Interpreter, x: Any, shape: tuple[int, ...]) -> Array:
    """Return a tensor repeated to a shape."""
    x = tensor(r, x)
    if shape_of(r, x) == tuple(shape):
        return x
    return r.make("broadcast_to", [x], dtype=x.dtype, shape=tuple(shape))


@both("expand", "broadcast_to")
def expand(r: Interpreter, input: Array, *sizes: Any) -> Array:
    """Read a broadcast; -1 keeps a size."""
    wanted = [
        whole(r, one)
        for one in (sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes)
    ]
    shape = (1,) * (len(wanted) - len(shape_of(r, input))) + shape_of(r, input)
    full_shape = tuple(old if new == -1 else new for new, old in zip(wanted, shape, strict=True))
    return _view(r, input, lambda r, parent: broadcast_to(r, parent, full_shape), None)


TENSOR["expand_as"] = lambda r, x, other: expand(r, x, shape_of(r, other))


def select_plain(r: Interpreter, x: Array, axis: int, i: Any) -> Array:
    """Return a part of a tensor along a dimension: a number, or a slice."""
    return r.make(
        "getitem", [x], dtype=x.dtype, index=(*((None, None, None),) * (axis % len(shape_of(r, x))), i)
    )


def indexed(r: Interpreter, x: Array, index: tuple, readonly: str = "") -> Array:
    """Return the view that a plain index shows."""
    made = _view(
        r,
        x,
        lambda r, parent: r.make("getitem", [parent], dtype=parent.dtype, index=index),
        lambda r, parent, new: r.make("at_set", [parent, new], dtype=parent.dtype, index=index),
    )
    if readonly:
        info(r, made).readonly = readonly
    return made


def _along_axis(r: Interpreter, x: Array, dim: Any, part: Any, readonly: str = "") -> Array:
    axis = whole(r, dim) % max(len(shape_of(r, x)), 1)
    return indexed(r, x, (*((None, None, None),) * axis, part), readonly)


both("select")(lambda r, input, dim, index: _along_axis(r, input, dim, whole(r, index)))
both("narrow")(
    lambda r, input, dim, start, length: _along_axis(
        r, input, dim, (whole(r, start), whole(r, start) + whole(r, length), None)
    )
)
SEVERAL = (
    "Output 0 of a function that returns several views is being modified inplace, which PyTorch forbids."
)


@both("unbind")
def unbind(r: Interpreter, input: Array, dim: int = 0) -> tuple:
    """Read the parts along a dimension."""
    return tuple(_along_axis(r, input, dim, i, SEVERAL) for i in range(shape_of(r, input)[dim]))


@both("split")
def split(r: Interpreter, tensor: Array, split_size_or_sections: Any, dim: int = 0) -> tuple:
    """Read a division into parts of given lengths."""
    length, given = shape_of(r, tensor)[dim], split_size_or_sections
    if isinstance(given, (list, tuple)):
        lengths = [whole(r, one) for one in given]
    else:
        lengths = [min(whole(r, given), length - start) for start in range(0, length, whole(r, given))]
    if sum(lengths) != length:
        raise LibraryError(f"split_with_sizes expects split_sizes to sum exactly to {length}.")
    ends = np.cumsum([0, *lengths]).tolist()
    return tuple(_along_axis(r, tensor, dim, (a, b, None), SEVERAL) for a, b in pairwise(ends))


@both("chunk")
def chunk(r: Interpreter, input: Array, chunks: int, dim: int = 0) -> tuple:
    """Read a division into equal parts."""
    return split(r, input, -(-shape_of(r, input)[dim] // whole(r, chunks)), dim)


@both("flip")
def flip(r: Interpreter, input: Array, *dims: Any) -> Array:
    """Read a turn of the order along dimensions."""
    axes = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
    rank = len(shape_of(r, input))
    turned = {one % rank for one in axes}
    index = tuple((None, None, -1) if i in turned else (None, None, None) for i in range(rank))
    return r.make("getitem", [input], dtype=input.dtype, index=index)


both("fliplr")(lambda r, input: flip(r, input, 1))
both("flipud")(lambda r, input: flip(r, input, 0))


@both("roll")
def roll(r: Interpreter, input: Array, shifts: Any, dims: Any = None) -> Array:
    """Read a shift round the ends."""
    if dims is None:
        flat = r.make("reshape", [input], shape=(prod(shape_of(r, input)),))
        return r.make("reshape", [roll(r, flat, shifts, 0)], shape=shape_of(r, input))
    pairs = zip(shifts, dims, strict=True) if isinstance(dims, (tuple, list)) else [(shifts, dims)]
    for shift, dim in pairs:
        axis = whole(r, dim) % len(shape_of(r, input))
        size = shape_of(r, input)[axis]
        cut = -shift % size
        if cut:
            parts = [
                select_plain(r, input, axis, (cut, None, None)),
                select_plain(r, input, axis, (0, cut, None)),
            ]
            input = r.make("concatenate", parts, dtype=input.dtype, axis=axis)
    return input


@both("repeat")
def repeat(r: Interpreter, input: Array, *sizes: Any) -> Array:
    """Read copies side by side."""
    times = [
        whole(r, one)
        for one in (sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes)
    ]
    shape = (1,) * (len(times) - len(shape_of(r, input))) + shape_of(r, input)
    spread = tuple(size for pair in zip([1] * len(shape), shape, strict=True) for size in pair)
    wide = tuple(size for pair in zip(times, shape, strict=True) for size in pair)
    made = broadcast_to(r, r.make("reshape", [input], dtype=input.dtype, shape=spread), wide)
    return r.make(
        "reshape", [made], dtype=input.dtype, shape=tuple(a * b for a, b in zip(times, shape, strict=True))
    )


@both("tile")
def tile(r: Interpreter, input: Array, *dims: Any) -> Array:
    """Read copies side by side, missing numbers being 1."""
    times = list(dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims)
    return repeat(r, input, [1] * (len(shape_of(r, input)) - len(times)) + times)


@both("repeat_interleave")
def repeat_interleave(r: Interpreter, input: Array, repeats: Any, dim: Any = None) -> Array:
    """Read copies of every element in a row."""
    count = whole(r, repeats) if not isinstance(repeats, Array) or not shape_of(r, repeats) else None
    if count is None:
        raise Refused("repeat_interleave() is read with one number.")
    if dim is None:
        input, dim = r.make("reshape", [input], shape=(prod(shape_of(r, input)),)), 0
    shape = shape_of(r, input)
    axis = dim % len(shape)
    wide = broadcast_to(r, arrays.expand(r, input, axis + 1), (*shape[: axis + 1], count, *shape[axis + 1 :]))
    return r.make(
        "reshape", [wide], dtype=input.dtype, shape=(*shape[:axis], shape[axis] * count, *shape[axis + 1 :])
    )


def _joined(op: str) -> Callable[..., Any]:
    def read(r: Interpreter, tensors: Any, dim: Any = 0, *, axis: Any = None, out: Any = None) -> Array:
        given = [tensor(r, one) for one in r.items(tensors, ast.Constant(0))]
        if not given:
            raise LibraryError("expected a non-empty list of Tensors.")
        floats = [one.dtype for one in given if one.dtype in FLOATS]
        kind = max(floats, key=FLOATS.index) if floats else given[0].dtype
        return r.make(op, given, dtype=kind, axis=whole(r, dim if axis is None else axis))

    return read


for _name in ("cat", "concat", "concatenate"):
    TORCH[f"torch.{_name}"] = _joined("concatenate")
TORCH["torch.stack"] = _joined("stack")


@arrays.known("torch.hstack", "torch.column_stack", table=TORCH)
def hstack(r: Interpreter, tensors: Any) -> Array:
    """Read tensors side by side."""
    flat = len(shape_of(r, tensors[0])) < 2
    return r.make(
        "concatenate", [TORCH["torch.atleast_1d"](r, one) for one in tensors], axis=0 if flat else 1
    )


@arrays.known("torch.vstack", "torch.row_stack", table=TORCH)
def vstack(r: Interpreter, tensors: Any) -> Array:
    """Read tensors one below the other."""
    return r.make("concatenate", [TORCH["torch.atleast_2d"](r, one) for one in tensors], axis=0)


TORCH["torch.meshgrid"] = lambda r, *tensors, indexing="ij": _meshgrid(r, tensors, indexing)


def _meshgrid(r: Interpreter, tensors: tuple, indexing: str) -> tuple:
    given = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else list(tensors)
    if indexing != "ij":
        raise Refused("meshgrid() is read with indexing='ij'.")
    shape = tuple(shape_of(r, one)[0] for one in given)
    return tuple(
        broadcast_to(
            r, r.make("reshape", [one], shape=tuple(n if k == i else 1 for k, n in enumerate(shape))), shape
        )
        for i, one in enumerate(given)
    )


@both("diff")
def diff(r: Interpreter, input: Array, n: int = 1, dim: int = -1) -> Array:
    """Read differences of neighbours."""
    for _ in range(whole(r, n)):
        later = select_plain(r, input, dim, (1, None, None))
        input = r.make("sub", [later, select_plain(r, input, dim, (None, -1, None))])
    return input


# Pick by places.


def _hot(r: Interpreter, index: Array, count: int) -> Array:
    """Return rows with a 1 at the places, which may be counted from the end."""
    if not index.is_node:
        found = np.array(index.held, float)
        index = constant(r, np.where(found < 0, found + count, found), "torch", INT)
    return r.make("one_hot", [index], dtype=BOOL, num_classes=count)


def _picked(r: Interpreter, hot: Array, x: Array) -> Array:
    """Return the one element of the last dimension where a mask holds, whatever the others are."""
    return r.make("sum", [r.make("where", [hot, x, 0.0], dtype=x.dtype)], dtype=x.dtype, axis=-1)


@both("gather")
def gather(r: Interpreter, input: Array, dim: int, index: Array) -> Array:
    """Read elements that another tensor names along a dimension."""
    rank = len(shape_of(r, input))
    axis = whole(r, dim) % max(rank, 1)
    sizes = shape_of(r, index)
    cut = tuple((None, None, None) if i == axis else (0, size, None) for i, size in enumerate(sizes))
    if any(
        size != whole_size
        for i, (size, whole_size) in enumerate(zip(sizes, shape_of(r, input), strict=True))
        if i != axis
    ):
        input = r.make("getitem", [input], dtype=input.dtype, index=cut)
    order = (*(i for i in range(rank) if i != axis), axis)
    back = tuple(int(i) for i in np.argsort(order))
    plain_order = order == tuple(range(rank))
    x = input if plain_order else arrays.transpose(r, input, order)
    places = index if plain_order else arrays.transpose(r, index, order)
    made = _picked(r, _hot(r, places, shape_of(r, x)[-1]), r.make("expand_dims", [x], dtype=x.dtype, axis=-2))
    return made if plain_order else arrays.transpose(r, made, back)


TORCH["torch.take_along_dim"] = TENSOR["take_along_dim"] = lambda r, input, indices, dim: gather(
    r, input, dim, indices
)


@both("index_select")
def index_select(r: Interpreter, input: Array, dim: int, index: Array) -> Array:
    """Read slices that another tensor names along a dimension."""
    return pick(r, input, whole(r, dim), index)


def pick(r: Interpreter, x: Array, dim: int, index: Array) -> Array:
    """Return slices along a dimension; the dimensions of the index take its place."""
    shape, places = shape_of(r, x), shape_of(r, index)
    axis = dim % len(shape)
    rest = (*shape[:axis], *shape[axis + 1 :])
    order = (*(i for i in range(len(shape)) if i != axis), axis)
    last = x if order == tuple(range(len(shape))) else arrays.transpose(r, x, order)
    flat = r.make("reshape", [last], dtype=x.dtype, shape=(1, prod(rest), shape[axis]))
    hot = r.make("reshape", [_hot(r, index, shape[axis])], dtype=BOOL, shape=(prod(places), 1, shape[axis]))
    made = r.make("reshape", [_picked(r, hot, flat)], dtype=x.dtype, shape=(*places, *rest))
    moved = (
        *range(len(places), len(places) + axis),
        *range(len(places)),
        *range(len(places) + axis, len(places) + len(rest)),
    )
    return made if moved == tuple(range(len(moved))) else arrays.transpose(r, made, moved)


def take(r: Interpreter, x: Array, positions: np.ndarray) -> Array:
    """Return elements by their places in the flat tensor."""
    flat = r.make("reshape", [x], dtype=x.dtype, shape=(prod(shape_of(r, x)),))
    return pick(r, flat, 0, _integers(r, positions))


TORCH["torch.take"] = TENSOR["take"] = lambda r, input, index: take(r, input, numbers(r, index))


@both("masked_select")
def masked_select(r: Interpreter, input: Array, mask: Array) -> Array:
    """Read elements where a mask holds."""
    return item(r, input, mask, ast.Constant(0))


@both("nonzero")
def nonzero(r: Interpreter, input: Array, as_tuple: bool = False) -> Any:
    """Read the places of elements that are not 0."""
    found = np.nonzero(numbers(r, input, "A mask"))
    return tuple(_integers(r, one) for one in found) if as_tuple else _integers(r, np.stack(found, -1))


def _scattered(r: Interpreter, x: Array, dim: Any, index: Array, src: Any) -> tuple[Array, Array]:
    """Return (sums of what arrives at each place, whether anything arrives)."""
    rank = len(shape_of(r, x))
    axis = whole(r, dim) % rank
    sizes = shape_of(r, index)
    source_tensor = tensor(r, src)
    if shape_of(r, source_tensor) != sizes:
        if shape_of(r, source_tensor):
            cut = tuple((0, size, None) for size in sizes)
            source_tensor = r.make("getitem", [source_tensor], dtype=source_tensor.dtype, index=cut)
        else:
            source_tensor = broadcast_to(r, source_tensor, sizes)
    if any(a != b for i, (a, b) in enumerate(zip(sizes, shape_of(r, x), strict=True)) if i != axis):
        raise Refused("scatter is read with as many rows of places as there are rows.")
    order = (*(i for i in range(rank) if i != axis), axis)
    back = tuple(int(i) for i in np.argsort(order))

    def turned(one: Array, to: tuple[int, ...]) -> Array:
        return one if to == tuple(range(rank)) else arrays.transpose(r, one, to)

    hot = _hot(r, turned(index, order), shape_of(r, x)[axis])
    spread = r.make("expand_dims", [turned(source_tensor, order)], dtype=source_tensor.dtype, axis=-1)
    arriving = r.make("sum", [r.make("where", [hot, spread, 0.0])], dtype=source_tensor.dtype, axis=-2)
    taken = r.make("max", [hot], dtype=BOOL, axis=-2)
    return turned(arriving, back), turned(taken, back)


@both("scatter")
def scatter(
    r: Interpreter,
    input: Array,
    dim: int,
    index: Array,
    src: Any = None,
    *,
    value: Any = None,
    reduce: Any = None,
) -> Array:
    """Read values that are written to places along a dimension."""
    src = value if src is None else src
    if reduce is not None:
        raise Refused("scatter() is not read with reduce.", "There is scatter_add().")
    arriving, taken = _scattered(r, input, dim, index, src)
    if isinstance(src, Array):
        axis = whole(r, dim)
        found = np.moveaxis(numbers(r, index), axis, -1)
        if any(len(set(row)) < len(row) for row in found.reshape(-1, found.shape[-1]).tolist()):
            raise Refused(
                "Which of two values PyTorch writes to one place nobody can foretell.", "Use scatter_add()."
            )
        return r.make("where", [taken, arriving, input], dtype=input.dtype)
    return r.make("where", [taken, src, input], dtype=input.dtype)


@both("scatter_add")
def scatter_add(r: Interpreter, input: Array, dim: int, index: Array, src: Array) -> Array:
    """Read values that are added at places along a dimension."""
    return r.make("add", [input, _scattered(r, input, dim, index, src)[0]], dtype=input.dtype)


@both("index_add")
def index_add(
    r: Interpreter, input: Array, dim: int, index: Array, source: Array, *, alpha: Any = 1
) -> Array:
    """Read slices that are added at places along a dimension."""
    axis, shape = whole(r, dim) % len(shape_of(r, input)), shape_of(r, source)
    spread = tuple(shape[axis] if i == axis else 1 for i in range(len(shape)))
    places = broadcast_to(r, r.make("reshape", [index], dtype=INT, shape=spread), shape)
    arriving = _scattered(r, input, axis, places, source)[0]
    return r.make(
        "add", [input, arriving if alpha == 1 else r.make("mul", [alpha, arriving])], dtype=input.dtype
    )


@both("index_fill")
def index_fill(r: Interpreter, input: Array, dim: int, index: Array, value: Any) -> Array:
    """Read slices that are filled with a number."""
    shape, axis = shape_of(r, input), whole(r, dim) % len(shape_of(r, input))
    mask = np.zeros(shape[axis])
    mask[numbers(r, index)] = 1
    spread = mask.reshape(tuple(-1 if i == axis else 1 for i in range(len(shape))))
    return r.make(
        "where", [constant(r, np.broadcast_to(spread, shape), "torch", BOOL), value, input], dtype=input.dtype
    )


def _positions(r: Interpreter, x: Array, index: Any) -> np.ndarray | None:
    """Return the places in the flat tensor that an index with arrays names; None for a plain index."""
    parts = index if isinstance(index, tuple) else (index,)
    if not any(isinstance(part, (Array, list)) for part in parts):
        return None
    read = []
    for part in parts:
        if isinstance(part, Array):
            found = numbers(r, part, "A mask" if part.dtype == BOOL else "An index")
            read.append(found.astype(bool) if part.dtype == BOOL else found.astype(int))
        elif isinstance(part, list):
            read.append(np.array([whole(r, one) if isinstance(one, Array) else one for one in part]))
        else:
            read.append(part)
    shape = shape_of(r, x)
    try:
        return np.arange(prod(shape)).reshape(shape)[tuple(read)]
    except IndexError as error:
        raise LibraryError(f"{error}.".capitalize()) from None


def _plain_index(r: Interpreter, index: Any) -> tuple:
    parts = index if isinstance(index, tuple) else (index,)
    return arrays.index_of(r, tuple(_whole_part(r, part) for part in parts))


def _whole_part(r: Interpreter, part: Any) -> Any:
    if isinstance(part, slice):
        return slice(
            *(
                whole(r, one) if isinstance(one, (Array, float)) else one
                for one in (part.start, part.stop, part.step)
            )
        )
    return part


def item(r: Interpreter, x: Array, index: Any, node: ast.AST) -> Array:
    """Read `x[index]`."""
    if isinstance(index, Array) and index.dtype == INT and shape_of(r, index):
        return pick(r, x, 0, index)
    parts = index if isinstance(index, tuple) else (index,)
    parts = tuple(
        whole(r, part) if isinstance(part, Array) and part.dtype == INT and not shape_of(r, part) else part
        for part in parts
    )
    if len(parts) == 2 and len(shape_of(r, x)) == 2 and _is_rows(r, parts[0], shape_of(r, x)[0]):
        column = parts[1] if isinstance(parts[1], Array) else None
        if column is not None and column.dtype == INT and shape_of(r, column) == shape_of(r, x)[:1]:
            return squeeze_plain(r, gather(r, x, 1, r.make("expand_dims", [column], dtype=INT, axis=1)), 1)
    positions = _positions(r, x, parts)
    if positions is not None:
        if positions.size == 0:
            raise Refused("This picks no element, and a tensor here has at least one.", "", "empty")
        return take(r, x, positions)
    return indexed(r, x, _plain_index(r, parts))


def _is_rows(r: Interpreter, part: Any, count: int) -> bool:
    """Whether an index counts the rows one by one."""
    if isinstance(part, list):
        return part == list(range(count))
    if isinstance(part, Array) and not part.is_node:
        return np.array_equal(np.array(part.held), np.arange(count))
    return (
        isinstance(part, Array) and part.dtype == INT and np.array_equal(numbers(r, part), np.arange(count))
    )


def set_item(r: Interpreter, x: Array, index: Any, value: Any, target: ast.AST) -> None:
    """Read `x[index] = value`, a change in place."""
    if isinstance(value, (list, tuple)):
        value = tensor(r, value)
    if isinstance(value, float) and not math.isfinite(value):
        value = Array(r.held(value), "torch", x.dtype)
    if (
        isinstance(index, Array)
        and index.dtype == BOOL
        and (not isinstance(value, Array) or not shape_of(r, value))
    ):
        mask = index
        while len(shape_of(r, mask)) < len(shape_of(r, x)):
            mask = r.make("expand_dims", [mask], dtype=BOOL, axis=-1)
        change(r, x, r.make("where", [mask, value, x], dtype=x.dtype), target)
        return
    parts = index if isinstance(index, tuple) else (index,)
    parts = tuple(
        whole(r, part) if isinstance(part, Array) and part.dtype == INT and not shape_of(r, part) else part
        for part in parts
    )
    positions = _positions(r, x, parts)
    if positions is None:
        change(r, x, r.make("at_set", [x, value], dtype=x.dtype, index=_plain_index(r, parts)), target)
        return
    if (
        len(set(positions.ravel().tolist())) < positions.size
        and isinstance(value, Array)
        and shape_of(r, value)
    ):
        raise Refused("One place is written twice here.", "Use index_add_().", at=target)
    mask = np.zeros(prod(shape_of(r, x)))
    mask[positions.ravel()] = 1
    shaped = constant(r, mask.reshape(shape_of(r, x)), "torch", BOOL)
    if isinstance(value, Array) and shape_of(r, value):
        order = np.zeros(prod(shape_of(r, x)), int)
        order[positions.ravel()] = np.arange(positions.size)
        spread = take(r, broadcast_to(r, value, positions.shape), order.reshape(shape_of(r, x)))
    else:
        spread = value
    change(r, x, r.make("where", [shaped, spread, x], dtype=x.dtype), target)


# Copy, stop, and ask.


@both("detach")
def detach(r: Interpreter, input: Any) -> Array:
    """Read a stop; the result shares its memory."""
    return stopped(r, input, DETACHED)


def stopped(r: Interpreter, x: Array, kind: str) -> Array:
    """Return a view that no gradient passes."""
    if not isinstance(r.builder, Builder):
        return x
    if not x.is_node:
        return x
    if x.requires_grad:
        r.say(
            r.line, "detach() became stop_gradient()" if kind == DETACHED else ".data became stop_gradient()"
        )

    def derive(r: Interpreter, parent: Array) -> Array:
        return Array(r.builder.add(IDENTITY, [parent.held], Rule(STOP)), "torch", parent.dtype)

    return view(r, x, derive, lambda r, parent, new: new, kind)


TENSOR["detach_"] = lambda r, x: _detach_(r, x)


def _detach_(r: Interpreter, x: Array) -> Array:
    if x.is_node and x.requires_grad:
        if info(r, x).parent is not None:
            raise LibraryError("Can't detach views in-place. Use detach() instead.")
        x.held = r.builder.add(IDENTITY, [x.held], Rule(STOP))
        x.requires_grad, x.leaf = False, True
        info(r, x).sources = [x.held]
    return x


@both("clone")
def clone(r: Interpreter, input: Array, memory_format: Any = None) -> Array:
    """Read a copy, through which the gradient passes."""
    if not input.is_node:
        return Array(input.held, "torch", input.dtype)
    return r.make(IDENTITY, [input], dtype=input.dtype)


@arrays.known("item", table=TENSOR)
def number_of(r: Interpreter, x: Array) -> Array:
    """Read the number of a tensor of one element, which no gradient passes."""
    if prod(shape_of(r, x)) != 1:
        raise LibraryError(
            "a Tensor with several elements cannot be converted to Scalar.", "Write .tolist() or .sum()."
        )
    made = Array(stopped(r, x, DETACHED).held, "torch", x.dtype)
    return r.make("reshape", [made], dtype=x.dtype, shape=()) if shape_of(r, x) else made


@arrays.known("tolist", table=TENSOR)
def tolist(r: Interpreter, x: Array) -> Any:
    """Read the numbers of a tensor as a list."""
    return numbers(r, x, "A list of numbers").tolist()


@arrays.known("numpy", "__array__", table=TENSOR)
def to_numpy(r: Interpreter, x: Array, force: bool = False) -> Array:
    """Read a tensor as an array of NumPy."""
    if x.requires_grad and not force:
        raise LibraryError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
            "Write x.detach().numpy().",
            "requires-grad",
        )
    return Array(x.held, "numpy", x.dtype)


TENSOR["size"] = lambda r, x, dim=None: shape_of(r, x) if dim is None else shape_of(r, x)[dim]
TENSOR["dim"] = TENSOR["ndimension"] = lambda r, x: len(shape_of(r, x))
TENSOR["numel"] = TENSOR["nelement"] = TORCH["torch.numel"] = lambda r, x: prod(shape_of(r, x))
TENSOR["is_floating_point"] = lambda r, x: x.dtype in FLOATS
TENSOR["is_contiguous"] = lambda r, x: True
TENSOR["element_size"] = lambda r, x: 8 if x.dtype in ("float64", INT) else 4
TENSOR["requires_grad_"] = lambda r, x, requires_grad=True: requires_grad_(r, x, requires_grad)


def requires_grad_(r: Interpreter, x: Array, requires_grad: bool = True) -> Array:
    """Read that a tensor is differentiated by from here on."""
    if requires_grad and x.dtype not in FLOATS:
        raise LibraryError(
            "only Tensors of floating point dtype can require gradients.", "Write 2.0, not 2.", "integer"
        )
    if requires_grad and not x.requires_grad:
        return leaf(r, x)
    if not requires_grad and x.requires_grad:
        if not x.leaf:
            raise LibraryError(
                "you can only change requires_grad flags of leaf variables. If you want to use a "
                "computed variable "
                "in a subgraph that doesn't require differentiation use var_no_grad = var.detach().",
                "Use detach().",
                "leaf",
            )
        x.held = r.builder.add(IDENTITY, [x.held], Rule(STOP))
        x.requires_grad = False
    return x


# Change in place.


def in_place_method(name: str) -> Callable[..., Any] | None:
    """Return the method that changes a tensor in place as another one computes; None if there is none."""
    if name in TENSOR:
        return TENSOR[name]
    fills: dict[str, Callable[..., Any]] = {
        "zero_": lambda r, x: _fill(r, x, 0.0),
        "fill_": lambda r, x, value: _fill(r, x, value),
        "copy_": lambda r, x, src, non_blocking=False: _fill(r, x, src),
        "set_": lambda r, x, source: _fill(r, x, source),
    }
    if name in fills:
        return fills[name]
    plain = TENSOR.get(name.removesuffix("_")) if name.endswith("_") and not name.endswith("__") else None
    if plain is None:
        return None

    def changed(r: Interpreter, x: Array, *args: Any, **keywords: Any) -> Array:
        given = [x, *(one for one in args if isinstance(one, Array))]
        made = plain(r, x, *args, **keywords)
        if isinstance(made, Array):
            record(r, name, given, made)
        return change(r, x, made)

    return changed


@arrays.known("fill_diagonal_", table=TENSOR)
def fill_diagonal_(r: Interpreter, x: Array, fill_value: float) -> Array:
    """Read a diagonal that is filled with a number, in place."""
    mask = constant(r, np.eye(*shape_of(r, x)), "torch", BOOL)
    return change(r, x, r.make("where", [mask, fill_value, x], dtype=x.dtype))


def _fill(r: Interpreter, x: Array, value: Any) -> Array:
    shape = shape_of(r, x)
    if isinstance(value, Array):
        kind = value.dtype
        new = value if shape_of(r, value) == shape else broadcast_to(r, value, shape)
        if new.is_node and isinstance(r.builder, Builder):
            new = r.make(IDENTITY, [new], dtype=x.dtype)
        elif kind != x.dtype:
            new = Array(new.held, "torch", x.dtype)
    elif not isinstance(r.builder, Builder):
        new = r.make("add", [r.make("zeros_like", [x]), value])
    elif isinstance(value, (list, tuple)):
        raise Refused("A tensor is filled with a number or a tensor.")
    else:
        new = full(r, shape, value, x.dtype)
    return change(r, x, new)
