"""Read how tensors of PyTorch are made, drawn, cast, copied and stopped; register functions of `torch`.

Most functions are an op or a short graph of ops. Where PyTorch's slope at a corner is another than that of
the graph, a declared pullback passes what PyTorch passes. They stand by what they do: `torch_elements`,
`torch_folds`, `torch_shapes`, `torch_places`; those of `torch.nn.functional` in `torch_functional`.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.graph.model import IDENTITY, Rule
from autodiff_viz.graph.rule_kinds import PULLBACK, STOP
from autodiff_viz.language.parse import parse_lambda
from autodiff_viz.reading.functions import arrays
from autodiff_viz.reading.functions.arrays import constant, dtype_of, named_dtype, shape_of
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, FLOATS, HALVES, INT, Array, Path, Refused, Whole
from autodiff_viz.reading.nodes.builder import Builder, Ref
from autodiff_viz.reading.nodes.costs import LibraryError, pay_values, sized
from autodiff_viz.reading.nodes.evaluation import Evaluation
from autodiff_viz.reading.tensors.torch_memory import (
    DATA,
    DETACHED,
    change,
    info,
    is_contiguous,
    leaf,
    places,
    view,
)
from autodiff_viz.reading.tensors.torch_random import Generator

TORCH: arrays.Table = {}
"""Functions by full name."""

TENSOR: arrays.Table = {}
"""Methods of tensors."""


def both(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function of `torch` that is a method of tensors too."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            read = function if name in OF_PYTHON else _with_names_of_numpy(_with_a_list_by_name(function))
            TORCH[f"torch.{name}"] = TENSOR[name] = read
        return function

    return register


NAMES_OF_NUMPY = {"axis": "dim", "keepdims": "keepdim"}
"""What PyTorch takes for names of its own."""

OF_PYTHON = ("norm", "split")
"""Functions that PyTorch writes in Python, which take no names of NumPy."""


def _with_a_list_by_name(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function that takes numbers one by one, as `permute(1, 0)`, take them as `dims=(1, 0)` too."""
    parameters = inspect.signature(function).parameters.values()
    listed = next((one.name for one in parameters if one.kind is one.VAR_POSITIONAL), None)
    if listed is None:
        return function

    @wraps(function)
    def read(reader: Reader, *args: Any, **keywords: Any) -> Any:
        by_name = [keywords.pop(listed)] if listed in keywords else []
        return function(reader, *args, *by_name, **keywords)

    return read


def _with_names_of_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    known = inspect.signature(function).parameters
    names = {theirs: own for theirs, own in NAMES_OF_NUMPY.items() if own in known and theirs not in known}
    if not names:
        return function

    @wraps(function)
    def read(reader: Reader, *args: Any, **keywords: Any) -> Any:
        named = {names.get(name, name): value for name, value in keywords.items()}
        if len(named) != len(keywords):
            raise LibraryError("dim and axis, or keepdim and keepdims, are the same argument.", "Give one.")
        return function(reader, *args, **named)

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

    def __init__(self, reader: Reader):
        self.r = reader

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
        if isinstance(i, bool) or not isinstance(i, int) or not -2 <= i < 2:
            raise LibraryError("tuple index out of range", "There are [0], the values, and [1], the indices.")
        return tuple.__getitem__(self, 0) if i in (0, -2) else self.indices()


def can_have_rule(reader: Reader, x: Any) -> bool:
    """Return whether what this value makes can have a rule: a wire, outside of a declared derivative."""
    return isinstance(reader.builder, Builder) and isinstance(x, Array) and x.is_node


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


def dtype_in_use(reader: Reader) -> str:
    """Return the dtype in which numbers of a text are computed."""
    return "float64" if reader.state(Draws).wide else "float32"


def numbers(reader: Reader, x: Any, what: str = "An index") -> np.ndarray:
    """Return the numbers of a tensor that the graph has to know while it is made.

    Raises:
      Refused: they depend on a draw, or on what the text leaves open.
    """
    if not isinstance(x, Array):
        return np.asarray(x)
    x = reader.fresh(x)
    if not isinstance(reader.builder, Builder):
        raise Refused(f"{what} inside a declared derivative is written out in numbers.")
    check_drawn(reader, x, what)
    if isinstance(x.held, Ref) and reader.builder.drafts[x.held.number].slots:
        reader.say(
            reader.line, f"{what[0].lower()}{what[1:]} is computed: the graph has the one of these numbers"
        )
    found = Evaluation(reader.builder, dtype_in_use(reader)).value(x.held)
    return np.rint(found).astype(int) if x.dtype in (INT, BOOL) else found


def check_drawn(reader: Reader, x: Array, what: str = "This") -> None:
    """Refuse to decide by numbers that PyTorch draws and nobody knows."""
    drawn = reader.state(Draws).drawn
    if not drawn or not isinstance(x.held, Ref):
        return
    for number in reader.builder.ancestors(x.held) & set(drawn):
        raise Refused(
            f"{what} depends on numbers that are drawn in line {drawn[number][0]}.",
            "Write torch.manual_seed(0) before it, or the numbers.",
            "drawn",
        )


def whole(reader: Reader, value: Any) -> int:
    """Return a whole number that the graph has to know."""
    if isinstance(value, Array):
        found = numbers(reader, value)
        if found.size != 1 or value.dtype in FLOATS:
            message = "only integer tensors of a single element can be converted to an index"
            raise LibraryError(message, "Write .item() of one element.")
        return int(found.item())
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refused("A whole number is needed here.", "Write int(...) around it.")
    return value


INDICES = "tensors used as indices must be long, int, byte or bool tensors"


def check_index(index: Any, words: str = INDICES, widths: tuple[str, ...] = ("int32", "int64")) -> None:
    """Check the dtype of a tensor of places.

    Raises:
      LibraryError: PyTorch takes no index of it, in these words.
    """
    if isinstance(index, Array) and (
        index.dtype != INT or getattr(index.dtype, "width", "int64") not in widths
    ):
        raise LibraryError(words, "Write .long().", "index")


def tensor(reader: Reader, value: Any) -> Array:
    """Return a number or nested lists as a tensor."""
    if isinstance(value, Array):
        return value
    kind = dtype_of(value)
    return constant(reader, value, "torch", reader.state(Draws).default if kind == "float" else kind)


def kept(reader: Reader, held: Any, dtype: Any, requires_grad: Any, drawn: str = "") -> Array:
    """Return a new tensor of a constant, with the dtype and the flag that the text gives."""
    kind = named_dtype(reader, dtype) or held.dtype
    if kind == "float64":
        reader.state(Draws).wide = True
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
        made = cast(reader, Array(value, "torch", source), kind)
    if drawn:
        if not isinstance(reader.builder, Builder):
            raise Refused("A draw inside a declared derivative is not read.", "Write the numbers.")
        made.held = reader.builder.input(made.held, "")
        reader.builder.kinds[made.held.number] = kind
        if not reader.state(Draws).generator.seeded:
            reader.state(Draws).drawn[made.held.number] = (reader.line, drawn)
            reader.say(reader.line, f"{drawn}() draws numbers that nobody knows: those shown are an example")
    return leaf(reader, made) if requires_grad else made


@both("tensor")
def new_tensor(
    reader: Reader,
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
            held = Array(reader.builder.add(IDENTITY, [data.held], Rule(STOP)), "torch", data.dtype)
        return (
            cast(reader, kept(reader, held, None, False), named_dtype(reader, dtype))
            if not requires_grad
            else leaf(reader, held)
        )
    if _has_arrays(data):
        stacked = _stacked(reader, data)
        held = Array(reader.builder.add(IDENTITY, [stacked.held], Rule(STOP)), "torch", stacked.dtype)
        reader.say(reader.line, "torch.tensor() of tensors takes their numbers: no gradient passes")
        return leaf(reader, held) if requires_grad else held
    return kept(reader, tensor(reader, data), dtype, requires_grad)


def _has_arrays(data: Any) -> bool:
    return isinstance(data, Array) or (isinstance(data, (list, tuple)) and any(map(_has_arrays, data)))


def _stacked(reader: Reader, data: Any) -> Array:
    if isinstance(data, (list, tuple)):
        return reader.make("stack", [_stacked(reader, one) for one in data], axis=0)
    return tensor(reader, data)


del TENSOR["tensor"]
TORCH["torch.scalar_tensor"] = new_tensor


def as_tensor(reader: Reader, data: Any, dtype: Any = None, device: Any = None) -> Array:
    """Read `as_tensor` and `from_numpy`: an array of NumPy shares its memory, a tensor stays itself."""
    if isinstance(data, Array) and data.framework != "torch":
        if data.dtype == "float64":
            reader.state(Draws).wide = True
        data = shared(reader, data, "torch")
    return (
        cast(reader, data, named_dtype(reader, dtype))
        if isinstance(data, Array)
        else new_tensor(reader, data, dtype)
    )


def shared(reader: Reader, x: Array, framework: str) -> Array:
    """Return an array as one of another library, which shares its memory and never its graph."""

    def apart(held: Any, of: str, dtype: str) -> Array:
        if isinstance(held, Ref):
            held = reader.builder.add(IDENTITY, [held], Rule(STOP))
        return Array(held, of, dtype)

    def push(reader: Reader, parent: Array, new: Array) -> Array:
        made = apart(new.held, parent.framework, parent.dtype)
        if made.is_node:
            reader.builder.replaced.add(
                made.held.number
            )  # which the graph shows only where something reads it
        return made

    if not isinstance(reader.builder, Builder):
        raise Refused("NumPy and PyTorch are not read as one inside a declared derivative.")
    made = view(
        reader,
        x,
        lambda reader, parent: apart(parent.held, framework, parent.dtype),
        push,
        DATA,
        places(reader, x),
    )
    info(reader, made).array = framework == "numpy"
    return made


TORCH["torch.as_tensor"] = TORCH["torch.from_numpy"] = TORCH["torch.asarray"] = as_tensor
for _name, _dtype in {
    "Tensor": None,
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "LongTensor": Whole("int64"),
}.items():
    TORCH[f"torch.{_name}"] = lambda reader, *data, _dtype=_dtype: (
        new_tensor(reader, data[0], _dtype or reader.state(Draws).default)
        if len(data) == 1 and not isinstance(data[0], int)
        else _no_numbers()
    )


def _no_numbers() -> Array:
    raise Refused("torch.Tensor(2, 3) has numbers that nobody knows.", "Write torch.zeros(2, 3).")


@arrays.known("torch.autograd.Variable", table=TORCH)
def variable(reader: Reader, data: Any, requires_grad: bool = False) -> Array:
    """Read `Variable`, which is a tensor today."""
    made = detach(reader, data) if isinstance(data, Array) else new_tensor(reader, data)
    return leaf(reader, made) if requires_grad else made


def several(reader: Reader, given: Sequence[Any]) -> tuple[int, ...]:
    """Return whole numbers that are given as one tuple or one by one."""
    listed = given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
    return tuple(whole(reader, one) for one in listed)


def sizes_of(reader: Reader, sizes: Sequence[Any]) -> tuple[int, ...]:
    """Return a shape that is given as one tuple or as several numbers."""
    read = several(reader, sizes)
    return arrays.shape_argument(read) if read else ()


def tensor_of(
    reader: Reader, found: np.ndarray, dtype: Any = None, requires_grad: Any = False, drawn: str = ""
) -> Array:
    """Return a new tensor of numbers, with the dtype and the flag that a text gives, and what drew them."""
    kind = {"b": BOOL, "i": INT}.get(found.dtype.kind, reader.state(Draws).default)
    return kept(reader, constant(reader, found.astype(float), "torch", kind), dtype, requires_grad, drawn)


def making(name: str, function: Callable[..., np.ndarray]) -> None:
    """Register a function of `torch` that makes a tensor, by one that makes its numbers."""

    def make(
        reader: Reader,
        *args: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: Any = False,
        **options: Any,
    ) -> Array:
        return tensor_of(reader, function(reader, *args, **options), dtype, requires_grad)

    TORCH[f"torch.{name}"] = make


def given_sized(reader: Reader, sizes: Sequence[Any], size: Any = None) -> tuple[int, ...]:
    """Return a shape that is given as `size`, as one tuple or as several numbers, once it was looked at."""
    return sized(sizes_of(reader, sizes if size is None else (size,)))


making("zeros", lambda reader, *sizes, size=None: np.zeros(given_sized(reader, sizes, size)))
making("ones", lambda reader, *sizes, size=None: np.ones(given_sized(reader, sizes, size)))
making("eye", lambda reader, n, m=None: np.eye(*given_sized(reader, (n, n if m is None else m))))
making("linspace", lambda reader, start, end, steps: np.linspace(start, end, *given_sized(reader, (steps,))))
making(
    "logspace",
    lambda reader, start, end, steps, base=10.0: np.logspace(
        start, end, *given_sized(reader, (steps,)), base=base
    ),
)


@arrays.known("torch.empty", "torch.Tensor.new_empty", table=TORCH)
def empty(reader: Reader, *sizes: Any, **options: Any) -> Array:
    """Read a tensor without numbers, which is filled before it is used; until then it has zeros."""
    return TORCH["torch.zeros"](reader, *sizes, **options)


@arrays.known("torch.full", table=TORCH)
def full(
    reader: Reader,
    size: Any,
    fill_value: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: Any = False,
) -> Array:
    """Read a tensor of one number."""
    shape, usual = sizes_of(reader, (size,)), reader.state(Draws).default
    if isinstance(fill_value, Array) or not math.isfinite(fill_value):
        return detach(reader, reader.make("broadcast_to", [fill_value], shape=shape, dtype=usual))
    kind = {bool: BOOL, int: INT}.get(type(fill_value), usual)
    made = constant(reader, np.full(sized(shape), float(fill_value)), "torch", kind)
    return kept(reader, made, dtype, requires_grad)


@arrays.known("torch.arange", table=TORCH)
def arange(
    reader: Reader,
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
    args = tuple(whole(reader, one) if isinstance(one, Array) else one for one in args)
    made = arrays._arange(reader, "jax", args, None)
    kind = INT if made.dtype == INT else reader.state(Draws).default
    return kept(reader, Array(made.held, "torch", kind), dtype, requires_grad)


def _like(value: Any) -> Callable[..., Any]:
    def make(
        reader: Reader,
        input: Array,
        *more: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: Any = False,
    ) -> Array:
        number = more[0] if more else value
        kind = named_dtype(reader, dtype) or input.dtype
        if not isinstance(reader.builder, Builder):
            zeros = reader.make("zeros_like", [input])
            return reader.make("add", [zeros, number]) if number else zeros
        return full(reader, shape_of(reader, input), number, kind, None, requires_grad)

    return make


TORCH["torch.zeros_like"], TORCH["torch.ones_like"] = _like(0.0), _like(1.0)
TORCH["torch.full_like"], TORCH["torch.empty_like"] = _like(None), _like(0.0)
for _name, _value in {"new_zeros": 0.0, "new_ones": 1.0, "new_empty": 0.0}.items():
    TENSOR[_name] = lambda reader, x, *sizes, _value=_value, dtype=None, device=None, requires_grad=False: (
        full(reader, sizes_of(reader, sizes), _value, dtype or x.dtype, None, requires_grad)
    )
TENSOR["new_full"] = lambda reader, x, size, fill_value, dtype=None: full(
    reader, size, fill_value, dtype or x.dtype
)
TENSOR["new_tensor"] = lambda reader, x, data, dtype=None: new_tensor(reader, data, dtype or x.dtype)


@arrays.known("torch.complex", "torch.polar", table=TORCH)
def complex_numbers(reader: Reader, *_: Any) -> Array:
    """Refuse complex numbers."""
    raise Refused("Complex numbers are not read.", "Write real and imaginary parts as two tensors.")


def dims(reader: Reader, dim: Any) -> Any:
    """Return a dimension, or a tuple of them."""
    if isinstance(dim, (tuple, list)):
        return tuple(whole(reader, one) for one in dim) or None
    return None if dim is None else whole(reader, dim)


def check_dims(rank: int, dims: Iterable[Any]) -> None:
    """Check dimensions of a tensor; what is no whole number is left to others.

    Raises:
      LibraryError: there is no such one, or one is named twice.
    """
    found = [one for one in dims if type(one) is int]
    for one in found:
        if not -rank <= one < rank:
            raise LibraryError(
                f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {one})"
            )
    twice = [one for one, count in Counter(one % rank for one in found).items() if count > 1]
    if twice:
        raise LibraryError(f"dim {twice[0]} appears multiple times in the list of dims")


def integers(reader: Reader, found: np.ndarray) -> Array:
    """Return whole numbers as a tensor, such as places."""
    return constant(reader, found.astype(float), "torch", INT)


# Draw.


def generator(reader: Reader) -> Generator:
    """Return PyTorch's generator."""
    return reader.state(Draws).generator


@arrays.known("torch.manual_seed", "torch.random.manual_seed", "torch.cuda.manual_seed", table=TORCH)
def manual_seed(reader: Reader, seed: int) -> None:
    """Read a seed, which decides all draws after it."""
    generator(reader).seed(whole(reader, seed))


TORCH["torch.cuda.manual_seed"] = TORCH["torch.cuda.manual_seed_all"] = lambda reader, seed: None
TORCH["torch.seed"] = lambda reader: None


def drawing(name: str, draw: Callable[[Generator, tuple[int, ...], str], np.ndarray]) -> None:
    """Register a function that draws a tensor of a shape, and its twin of the shape of another tensor."""

    def make(
        reader: Reader,
        *sizes: Any,
        size: Any = None,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Array:
        kind = named_dtype(reader, dtype) or reader.state(Draws).default
        drawn = draw(generator(reader), sizes_of(reader, sizes if size is None else (size,)), kind)
        return tensor_of(reader, drawn, kind, requires_grad, f"torch.{name}")

    def like(
        reader: Reader, input: Array, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Array:
        return make(reader, shape_of(reader, input), dtype=dtype or input.dtype, requires_grad=requires_grad)

    TORCH[f"torch.{name}"], TORCH[f"torch.{name}_like"] = make, like


drawing("rand", lambda g, shape, dtype: g.uniform(shape, dtype=dtype))
drawing("randn", lambda g, shape, dtype: g.normal(shape, dtype=dtype))


@arrays.known("torch.normal", table=TORCH)
def normal(reader: Reader, mean: Any, std: Any = 1.0, size: Any = None, requires_grad: bool = False) -> Array:
    """Read a draw from a normal distribution."""
    if isinstance(mean, Array) or isinstance(std, Array):
        shape = np.broadcast_shapes(*(shape_of(reader, one) for one in (mean, std) if isinstance(one, Array)))
        drawn = TORCH["torch.randn"](reader, shape)
        return detach(reader, Ops(reader).add(mean, Ops(reader).mul(std, drawn)))
    drawn = generator(reader).normal(sizes_of(reader, (size,)), mean, std, reader.state(Draws).default)
    return tensor_of(reader, drawn, None, requires_grad, "torch.normal")


@arrays.known("torch.randint", table=TORCH)
def randint(
    reader: Reader,
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
    ends = whole(reader, first), whole(reader, last)
    drawn = generator(reader).integers(*ends, sizes_of(reader, (size,)))
    return tensor_of(reader, drawn, dtype, False, "torch.randint")


@arrays.known("torch.randperm", table=TORCH)
def randperm(reader: Reader, n: int, dtype: Any = None, device: Any = None) -> Array:
    """Read a drawn order."""
    drawn = generator(reader).permutation(sizes_of(reader, (n,))[0])
    return tensor_of(reader, drawn, dtype, False, "torch.randperm")


def fill_drawn(reader: Reader, x: Array, drawn: np.ndarray, name: str) -> Array:
    """Fill a tensor with drawn numbers, in place."""
    made = kept(reader, constant(reader, drawn.astype(float), "torch", x.dtype), x.dtype, False, name)
    return change(reader, x, made)


@arrays.known("normal_", table=TENSOR)
def normal_(reader: Reader, x: Array, mean: float = 0.0, std: float = 1.0) -> Array:
    """Read numbers that are drawn in place."""
    return fill_drawn(reader, x, generator(reader).normal(shape_of(reader, x), mean, std, x.dtype), "normal_")


@arrays.known("uniform_", table=TENSOR)
def uniform_(reader: Reader, x: Array, a: float = 0.0, b: float = 1.0) -> Array:
    """Read numbers that are drawn in place."""
    return fill_drawn(reader, x, generator(reader).uniform(shape_of(reader, x), a, b, x.dtype), "uniform_")


@both("bernoulli", "multinomial")
def undetermined(reader: Reader, input: Array, *_: Any, **__: Any) -> Array:
    """Refuse draws that depend on the machine."""
    raise Refused("What this draws depends on PyTorch's machine.", "Write the numbers as a tensor.", "drawn")


for _name in ("torch.poisson", "torch.nn.functional.gumbel_softmax"):
    TORCH[_name] = undetermined


# Kinds of numbers.


@both("to")
def to(reader: Reader, x: Array, *args: Any, dtype: Any = None, device: Any = None, **options: Any) -> Array:
    """Read a change of dtype; a device is left out."""
    if set(options) - {"non_blocking", "copy"}:
        raise Refused(f"to() is not read with {', '.join(options)}.")
    for one in args:
        if isinstance(one, Array):
            dtype = one.dtype
        elif not isinstance(one, (str, bool, Device)):
            dtype = one
    return cast(reader, x, named_dtype(reader, dtype))


del TORCH["torch.to"]


def cast(reader: Reader, x: Array, dtype: str | None) -> Array:
    """Return a tensor with another dtype."""
    if same_dtype(dtype, x):
        return x
    if dtype == "float64":
        reader.state(Draws).wide = True
    if (
        reader.handlers.converted is not None
        and (own := reader.handlers.converted(reader, x, dtype)) is not None
    ):
        return own
    if dtype == x.dtype:
        return reader.make(IDENTITY, [x], dtype=dtype) if x.is_node else Array(x.held, "torch", dtype)
    if dtype == BOOL:
        return reader.compare(ast.NotEq(), x, 0.0)
    if dtype == INT and x.dtype != BOOL:
        return trunc(reader, _plain(x), dtype=dtype)
    if not x.is_node:
        return Array(x.held, "torch", dtype)
    made = reader.make(IDENTITY, [x], dtype=dtype)
    if dtype == INT:
        made.requires_grad, made.leaf = False, True
    return made


def fitting(reader: Reader, x: Array, value: Any) -> Any:
    """Return a value in the dtype of the tensor that is changed in place to it.

    Raises:
      LibraryError: a number does not fit.
    """
    if isinstance(value, Array):
        return (
            value
            if same_dtype(x.dtype, value) or value.framework != "torch"
            else cast(reader, value, x.dtype)
        )
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
    TENSOR[_name] = lambda reader, x, _dtype=_dtype: cast(reader, x, _dtype)
TENSOR["type"] = lambda reader, x, dtype: cast(reader, x, named_dtype(reader, dtype))
TENSOR["type_as"] = lambda reader, x, other: cast(reader, x, other.dtype)
for _name in ("cpu", "cuda", "pin_memory", "resolve_conj"):
    TENSOR[_name] = lambda reader, x, *_: x


@dataclass(frozen=True)
class Device:
    """What `torch.device` is: nothing that changes numbers."""

    type: str = "cpu"


TORCH["torch.device"] = lambda reader, *_: Device()
TORCH["torch.cuda.is_available"] = TORCH["torch.backends.mps.is_available"] = lambda reader: False
TORCH["torch.set_printoptions"] = lambda reader, **_: None
TORCH["torch.use_deterministic_algorithms"] = lambda reader, *_: None
TORCH["torch.is_tensor"] = lambda reader, x: isinstance(x, Array)


@arrays.known("torch.set_default_dtype", table=TORCH)
def set_default_dtype(reader: Reader, d: Any) -> None:
    """Read the dtype of floats that follow."""
    draws = reader.state(Draws)
    draws.default = named_dtype(reader, d) or "float32"
    draws.wide |= draws.default == "float64"


def float_of(reader: Reader, x: Any) -> Any:
    """Return the dtype that a function makes of a tensor if it makes floats; None if it has one already."""
    whole_numbers = isinstance(x, Array) and x.dtype in (INT, BOOL)
    return reader.state(Draws).default if whole_numbers else None


@both("trunc", "fix")
def trunc(reader: Reader, input: Any, dtype: Any = None) -> Array:
    """Read a rounding towards 0."""
    o = Ops(reader)
    below = o.neg(o.floor(o.neg(input)))
    return reader.make("where", [o.less(input, 0.0, dtype=BOOL), below, o.floor(input)], dtype=dtype)


# Copy, stop, and ask.


@both("detach")
def detach(reader: Reader, input: Any) -> Array:
    """Read a stop; the result shares its memory."""
    return stopped(reader, input, DETACHED, "detach() became stop_gradient()")


def stopped(reader: Reader, x: Array, kind: str, says: str = ".data became stop_gradient()") -> Array:
    """Return a view that no gradient passes, and say so unless it is only printed."""
    if not isinstance(reader.builder, Builder):
        reader.builder.stopped = True
        return x
    if x.requires_grad and reader.printing != reader.line:
        reader.say(reader.line, says)

    def derive(reader: Reader, parent: Array) -> Array:
        return Array(reader.builder.stopped(parent.held), "torch", parent.dtype)

    return view(reader, x, derive, lambda reader, parent, new: new, kind, places(reader, x))


TENSOR["detach_"] = lambda reader, x: _detach_(reader, x)


def _detach_(reader: Reader, x: Array) -> Array:
    if x.is_node and x.requires_grad:
        if info(reader, x).parent is not None:
            raise LibraryError("Can't detach views in-place. Use detach() instead.")
        x.held = reader.builder.add(IDENTITY, [x.held], Rule(STOP))
        x.requires_grad, x.leaf = False, True
        info(reader, x).sources = [x.held]
    return x


@both("clone")
def clone(reader: Reader, input: Array, memory_format: Any = None) -> Array:
    """Read a copy, through which the gradient passes."""
    if memory_format is not None:
        if last(memory_format) not in ("contiguous_format", "preserve_format"):
            raise Refused("clone() is read without another order of memory.", "Leave it out.")
        if last(memory_format) == "contiguous_format":
            return in_rows(reader, input)
    if not input.is_node:
        return Array(input.held, "torch", input.dtype)
    return reader.make(IDENTITY, [input], dtype=input.dtype)


def in_rows(reader: Reader, x: Array) -> Array:
    """Return a copy whose elements stand one after the other."""
    made = reader.make(IDENTITY, [x], dtype=x.dtype)
    about = info(reader, made)
    about.places, about.unknown = None, False
    return made


def last(path: Any) -> str:
    """Return the last part of a name of a library, such as that of an order of memory."""
    return path.name.rpartition(".")[2] if isinstance(path, Path) else ""


@arrays.known("item", table=TENSOR)
def number_of(reader: Reader, x: Array) -> Array:
    """Read the number of a tensor of one element, which no gradient passes."""
    if prod(shape_of(reader, x)) != 1:
        raise LibraryError(
            "a Tensor with several elements cannot be converted to Scalar.", "Write .tolist() or .sum()."
        )
    name = reader.called.rpartition(".")[2]
    written = ".item()" if name == "item" else f"{name}()"  # float() and int() come here too
    says = f"{written} takes the number out: no gradient flows through it"
    made = Array(stopped(reader, x, DETACHED, says).held, "torch", x.dtype)
    return reader.make("reshape", [made], dtype=x.dtype, shape=()) if shape_of(reader, x) else made


@arrays.known("tolist", table=TENSOR)
def tolist(reader: Reader, x: Array) -> Any:
    """Read the numbers of a tensor as a list."""
    found = numbers(reader, x, "A list of numbers")
    pay_values(found.size)
    return found.tolist()


@arrays.known("numpy", "__array__", table=TENSOR)
def to_numpy(reader: Reader, x: Array, force: bool = False) -> Array:
    """Read a tensor as an array of NumPy."""
    if x.requires_grad and not force:
        raise LibraryError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
            "Write x.detach().numpy().",
            "requires-grad",
        )
    return shared(reader, x, "numpy")


TENSOR["size"] = lambda reader, x, dim=None: shape_of(reader, x) if dim is None else shape_of(reader, x)[dim]
TENSOR["dim"] = TENSOR["ndimension"] = lambda reader, x: len(shape_of(reader, x))
TENSOR["numel"] = TENSOR["nelement"] = TORCH["torch.numel"] = lambda reader, x: prod(shape_of(reader, x))
TENSOR["is_floating_point"] = lambda reader, x: x.dtype in FLOATS
TENSOR["is_contiguous"] = lambda reader, x: _known_order(is_contiguous(reader, x))
TENSOR["stride"] = lambda reader, x, dim=None: (
    _strides(reader, x) if dim is None else _strides(reader, x)[dim]
)
TENSOR["storage_offset"] = lambda reader, x: int(_known_order(places(reader, x)).flat[0])
TENSOR["element_size"] = lambda reader, x: 8 if x.dtype in ("float64", INT) else 4


def _known_order(found: Any) -> Any:
    if found is None:
        raise Refused("The order in which the elements of this are in memory is not known.")
    return found


def _strides(reader: Reader, x: Array) -> tuple[int, ...]:
    shown = _known_order(places(reader, x))
    return tuple(one // shown.itemsize for one in shown.strides)


TENSOR["requires_grad_"] = lambda reader, x, requires_grad=True: requires_grad_(reader, x, requires_grad)


def requires_grad_(reader: Reader, x: Array, requires_grad: bool = True) -> Array:
    """Read that a tensor is differentiated by from here on."""
    if requires_grad and x.dtype not in FLOATS:
        raise LibraryError(
            "only Tensors of floating point dtype can require gradients.", "Write 2.0, not 2.", "integer"
        )
    if requires_grad and not x.requires_grad:
        return leaf(reader, x)
    if not requires_grad and x.requires_grad:
        if not x.leaf:
            raise LibraryError(
                "you can only change requires_grad flags of leaf variables. If you want to use a "
                "computed variable "
                "in a subgraph that doesn't require differentiation use var_no_grad = var.detach().",
                "Use detach().",
                "leaf",
            )
        x.held = reader.builder.add(IDENTITY, [x.held], Rule(STOP))
        x.requires_grad = False
    return x
