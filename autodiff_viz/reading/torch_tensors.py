"""Read how tensors of PyTorch are made, drawn, cast, copied and stopped; register functions of `torch`.

Most functions are an op or a short graph of ops. Where PyTorch's slope at a corner is another than that of
the graph, a declared pullback passes what PyTorch passes. They stand by what they do: `torch_elements`,
`torch_folds`, `torch_shapes`, `torch_places`; those of `torch.nn.functional` in `torch_functional`.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.graph.model import IDENTITY, Rule
from autodiff_viz.graph.rule_kinds import PULLBACK, STOP
from autodiff_viz.language.parse import parse_lambda
from autodiff_viz.reading import arrays
from autodiff_viz.reading.arrays import constant, dtype_of, named_dtype, shape_of
from autodiff_viz.reading.builder import Builder, Ref
from autodiff_viz.reading.costs import LibraryError, pay_values, sized
from autodiff_viz.reading.evaluation import Evaluation
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.torch_memory import DATA, DETACHED, change, info, is_contiguous, leaf, places, view
from autodiff_viz.reading.torch_random import Generator
from autodiff_viz.reading.values import BOOL, FLOATS, HALVES, INT, Array, Path, Refused, Whole

TORCH: arrays.Table = {}
"""Functions by full name."""

TENSOR: arrays.Table = {}
"""Methods of tensors."""


def both(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function of `torch` that is a method of tensors too."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            read = function if name in OF_PYTHON else _with_names_of_numpy(function)
            TORCH[f"torch.{name}"] = TENSOR[name] = read
        return function

    return register


NAMES_OF_NUMPY = {"axis": "dim", "keepdims": "keepdim"}
"""What PyTorch takes for names of its own."""

OF_PYTHON = ("norm", "split")
"""Functions that PyTorch writes in Python, which take no names of NumPy."""


def _with_names_of_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    known = inspect.signature(function).parameters
    names = {theirs: own for theirs, own in NAMES_OF_NUMPY.items() if own in known and theirs not in known}
    if not names:
        return function

    @wraps(function)
    def read(r: Interpreter, *args: Any, **keywords: Any) -> Any:
        named = {names.get(name, name): value for name, value in keywords.items()}
        if len(named) != len(keywords):
            raise LibraryError("dim and axis, or keepdim and keepdims, are the same argument.", "Give one.")
        return function(r, *args, **named)

    return read


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


def can_have_rule(r: Interpreter, x: Any) -> bool:
    """Return whether what this value makes can have a rule: a wire, outside of a declared derivative."""
    return isinstance(r.builder, Builder) and isinstance(x, Array) and x.is_node


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
    if kind == BOOL and not isinstance(value, Ref):
        value = arrays.as_literal((np.array(value, float) != 0) * 1.0)
    made = Array(value, "torch", kind)
    if kind in (INT, *HALVES) and not isinstance(value, Ref):
        source = held.dtype if held.dtype == INT else "float64"
        made = cast(r, Array(value, "torch", source), kind)
    if drawn:
        if not isinstance(r.builder, Builder):
            raise Refused("A draw inside a declared derivative is not read.", "Write the numbers.")
        made.held = r.builder.input(made.held, "")
        r.builder.kinds[made.held.number] = kind
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
    """Read `as_tensor` and `from_numpy`: an array of NumPy shares its memory, a tensor stays itself."""
    if isinstance(data, Array) and data.framework != "torch":
        if data.dtype == "float64":
            r.state(Draws).wide = True
        data = shared(r, data, "torch")
    return cast(r, data, named_dtype(r, dtype)) if isinstance(data, Array) else new_tensor(r, data, dtype)


def shared(r: Interpreter, x: Array, framework: str) -> Array:
    """Return an array as one of another library, which shares its memory and never its graph."""

    def apart(held: Any, of: str, dtype: str) -> Array:
        if isinstance(held, Ref):
            held = r.builder.add(IDENTITY, [held], Rule(STOP))
        return Array(held, of, dtype)

    def push(r: Interpreter, parent: Array, new: Array) -> Array:
        made = apart(new.held, parent.framework, parent.dtype)
        if made.is_node:
            r.builder.replaced.add(made.held.number)  # which the graph shows only where something reads it
        return made

    if not isinstance(r.builder, Builder):
        raise Refused("NumPy and PyTorch are not read as one inside a declared derivative.")
    made = view(r, x, lambda r, parent: apart(parent.held, framework, parent.dtype), push, DATA, places(r, x))
    info(r, made).array = framework == "numpy"
    return made


TORCH["torch.as_tensor"] = TORCH["torch.from_numpy"] = TORCH["torch.asarray"] = as_tensor
for _name, _dtype in {
    "Tensor": None,
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "LongTensor": Whole("int64"),
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
        made = constant(r, np.full(sized(shape), value), "torch", r.state(Draws).default)
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
    return kept(r, constant(r, np.full(sized(shape), float(fill_value)), "torch", kind), dtype, requires_grad)


@arrays.known("torch.eye", table=TORCH)
def eye(
    r: Interpreter, n: int, m: Any = None, dtype: Any = None, device: Any = None, requires_grad: Any = False
) -> Array:
    """Read the identity matrix."""
    made = constant(
        r, np.eye(*sized((whole(r, n), whole(r, n if m is None else m)))), "torch", r.state(Draws).default
    )
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
    return _spaced(r, np.linspace(start, end, *sized(sizes_of(r, (steps,)))), dtype, requires_grad)


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
    return _spaced(r, np.logspace(start, end, *sized((whole(r, steps),)), base=base), dtype, requires_grad)


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


def dims(r: Interpreter, dim: Any) -> Any:
    """Return a dimension, or a tuple of them."""
    if isinstance(dim, (tuple, list)):
        return tuple(whole(r, one) for one in dim) or None
    return None if dim is None else whole(r, dim)


def integers(r: Interpreter, found: np.ndarray) -> Array:
    """Return whole numbers as a tensor, such as places."""
    return constant(r, found.astype(float), "torch", INT)


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
    ) -> Array:
        shape = sizes_of(r, sizes if size is None else (size,))
        kind = named_dtype(r, dtype) or r.state(Draws).default
        drawn = draw(r.state(Draws).generator, shape, kind)
        return kept(r, constant(r, drawn.astype(float), "torch", kind), kind, requires_grad, f"torch.{name}")

    def like(
        r: Interpreter, input: Array, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Array:
        return make(r, shape_of(r, input), dtype=dtype or input.dtype, requires_grad=requires_grad)

    TORCH[f"torch.{name}"], TORCH[f"torch.{name}_like"] = make, like


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
    drawn = r.state(Draws).generator.integers(whole(r, first), whole(r, last), sizes_of(r, (size,)))
    return kept(r, constant(r, drawn.astype(float), "torch", INT), dtype, False, "torch.randint")


@arrays.known("torch.randperm", table=TORCH)
def randperm(r: Interpreter, n: int, dtype: Any = None, device: Any = None) -> Array:
    """Read a drawn order."""
    drawn = r.state(Draws).generator.permutation(sizes_of(r, (n,))[0])
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
    if same_dtype(dtype, x):
        return x
    if dtype == "float64":
        r.state(Draws).wide = True
    if r.handlers.converted is not None and (own := r.handlers.converted(r, x, dtype)) is not None:
        return own
    if dtype == x.dtype:
        return r.make(IDENTITY, [x], dtype=dtype) if x.is_node else Array(x.held, "torch", dtype)
    if dtype == BOOL:
        return r.compare(ast.NotEq(), x, 0.0, ast.Constant(0))
    if dtype == INT and x.dtype != BOOL:
        return trunc(r, _plain(x), dtype=dtype)
    if not x.is_node:
        return Array(x.held, "torch", dtype)
    made = r.make(IDENTITY, [x], dtype=dtype)
    if dtype == INT:
        made.requires_grad, made.leaf = False, True
    return made


def fitting(r: Interpreter, x: Array, value: Any) -> Any:
    """Return a value in the dtype of the tensor that is changed in place to it.

    Raises:
      LibraryError: a number does not fit.
    """
    if isinstance(value, Array):
        return value if same_dtype(x.dtype, value) or value.framework != "torch" else cast(r, value, x.dtype)
    if x.dtype == BOOL and isinstance(value, (int, float)):
        return value != 0
    if x.dtype != INT or not isinstance(value, (int, float)) or not math.isfinite(value):
        return value
    width = getattr(x.dtype, "width", "int64")
    ends = np.iinfo(width)
    if not ends.min <= int(value) <= ends.max:
        raise LibraryError(
            f"value cannot be converted to type {width}_t without overflow", "Use another dtype.", "dtype"
        )
    return int(value)


def same_dtype(dtype: str | None, x: Array) -> bool:
    """Return whether a dtype is that of a tensor, or none is given."""
    mine, theirs = (getattr(one, "width", "int64") if one == INT else one for one in (dtype, x.dtype))
    return dtype is None or mine == theirs


def _plain(x: Array) -> Array:
    return Array(x.held, x.framework, x.dtype)


for _name, _dtype in {
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": Whole("int64"),
    "int": Whole("int32"),
    "bool": BOOL,
}.items():
    TENSOR[_name] = lambda r, x, _dtype=_dtype: cast(r, x, _dtype)
TENSOR["type"] = lambda r, x, dtype: cast(r, x, named_dtype(r, dtype))
TENSOR["type_as"] = lambda r, x, other: cast(r, x, other.dtype)
for _name in ("cpu", "cuda", "pin_memory", "resolve_conj"):
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


@both("trunc", "fix")
def trunc(r: Interpreter, input: Any, dtype: Any = None) -> Array:
    """Read a rounding towards 0."""
    o = Ops(r)
    below = o.neg(o.floor(o.neg(input)))
    return r.make("where", [o.less(input, 0.0, dtype=BOOL), below, o.floor(input)], dtype=dtype)


# Copy, stop, and ask.


@both("detach")
def detach(r: Interpreter, input: Any) -> Array:
    """Read a stop; the result shares its memory."""
    return stopped(r, input, DETACHED)


def stopped(r: Interpreter, x: Array, kind: str) -> Array:
    """Return a view that no gradient passes."""
    if not isinstance(r.builder, Builder):
        r.builder.stopped = True
        return x
    if x.requires_grad:
        r.say(
            r.line, "detach() became stop_gradient()" if kind == DETACHED else ".data became stop_gradient()"
        )

    def derive(r: Interpreter, parent: Array) -> Array:
        return Array(r.builder.stopped(parent.held), "torch", parent.dtype)

    return view(r, x, derive, lambda r, parent, new: new, kind, places(r, x))


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
    if memory_format is not None:
        if last(memory_format) not in ("contiguous_format", "preserve_format"):
            raise Refused("clone() is read without another order of memory.", "Leave it out.")
        if last(memory_format) == "contiguous_format":
            return in_rows(r, input)
    if not input.is_node:
        return Array(input.held, "torch", input.dtype)
    return r.make(IDENTITY, [input], dtype=input.dtype)


def in_rows(r: Interpreter, x: Array) -> Array:
    """Return a copy whose elements stand one after the other."""
    made = r.make(IDENTITY, [x], dtype=x.dtype)
    about = info(r, made)
    about.places, about.unknown = None, False
    return made


def last(path: Any) -> str:
    """Return the last part of a name of a library, such as that of an order of memory."""
    return path.name.rpartition(".")[2] if isinstance(path, Path) else ""


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
    found = numbers(r, x, "A list of numbers")
    pay_values(found.size)
    return found.tolist()


@arrays.known("numpy", "__array__", table=TENSOR)
def to_numpy(r: Interpreter, x: Array, force: bool = False) -> Array:
    """Read a tensor as an array of NumPy."""
    if x.requires_grad and not force:
        raise LibraryError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
            "Write x.detach().numpy().",
            "requires-grad",
        )
    return shared(r, x, "numpy")


TENSOR["size"] = lambda r, x, dim=None: shape_of(r, x) if dim is None else shape_of(r, x)[dim]
TENSOR["dim"] = TENSOR["ndimension"] = lambda r, x: len(shape_of(r, x))
TENSOR["numel"] = TENSOR["nelement"] = TORCH["torch.numel"] = lambda r, x: prod(shape_of(r, x))
TENSOR["is_floating_point"] = lambda r, x: x.dtype in FLOATS
TENSOR["is_contiguous"] = lambda r, x: _known_order(is_contiguous(r, x))
TENSOR["stride"] = lambda r, x, dim=None: _strides(r, x) if dim is None else _strides(r, x)[dim]
TENSOR["storage_offset"] = lambda r, x: int(_known_order(places(r, x)).flat[0])
TENSOR["element_size"] = lambda r, x: 8 if x.dtype in ("float64", INT) else 4


def _known_order(found: Any) -> Any:
    if found is None:
        raise Refused("The order in which the elements of this are in memory is not known.")
    return found


def _strides(r: Interpreter, x: Array) -> tuple[int, ...]:
    shown = _known_order(places(r, x))
    return tuple(one // shown.itemsize for one in shown.strides)


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
