"""Write ops as expressions of PyTorch whose values and slopes are those of the lab, which are JAX's.

Where PyTorch takes another slope at a corner (abs, powers), or leaves out a 0 that meets infinity (maximum),
the expression calls a function of `HELPERS`. An
op that passes nothing reads its operand detached: PyTorch would pass a 0, which infinity makes NaN.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.engine.trace import trace
from autodiff_viz.export.expressions import called, data, dotted, expression, is_number, nested, number
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.model import Graph, Literal, Node, params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.ops import indexing
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.misfits import Shape
from autodiff_viz.ops.piecewise import COMPARISONS

DRAWN = 20_000  # random numbers that a file holds at most in one place

_ABS = '''
class Abs(torch.autograd.Function):
    """|x|. At 0 the slope is 1, as in JAX; PyTorch takes 0."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.abs(x)

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        return torch.where(x >= 0, v, -v)
'''

_POWER = '''
class Power(torch.autograd.Function):
    """a ** b. PyTorch takes 0 for slopes where b is 0 or the base is 0; here they are JAX's."""

    @staticmethod
    def forward(ctx, a, b):
        y = a**b
        ctx.save_for_backward(a, b, y)
        return y

    @staticmethod
    def backward(ctx, v):
        a, b, y = ctx.saved_tensors
        by_a = v * b * Power.apply(a, b - 1.0)
        by_b = v * torch.log(torch.where(a == 0, torch.ones_like(a), a)) * y
        return by_a.sum_to_size(a.shape), by_b.sum_to_size(b.shape)
'''

_RELU = '''
class Relu(torch.autograd.Function):
    """relu. For NaN the slope is 0, as in JAX; PyTorch passes what arrives."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.relu(x)

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, v, torch.zeros_like(v))
'''

_STANDARDIZE = '''
def standardize(x, dims, epsilon):
    """x with mean 0 and variance 1 along these dimensions."""
    variance = torch.var(x, dim=dims, correction=0, keepdim=True)
    return (x - torch.mean(x, dim=dims, keepdim=True)) * torch.rsqrt(variance + epsilon)
'''

_PUT = '''
def put(x, index, v):
    """A copy of x with v at the index."""
    y = x.clone()
    y[index] = v
    return y
'''

_CHOSEN = '''
class Chosen(torch.autograd.Function):
    """The larger or smaller of two. What arrives is multiplied by 1, 1/2 or 0, as in JAX, and 0 * inf is nan;
    PyTorch leaves out what it does not pass."""

    @staticmethod
    def forward(ctx, choose, a, b):
        y = choose(a, b)
        ctx.save_for_backward(a, b, y)
        return y

    @staticmethod
    def backward(ctx, v):
        a, b, y = ctx.saved_tensors
        is_a, is_b = (a == y).to(v.dtype), (b == y).to(v.dtype)
        by_a, by_b = v * (is_a / (1 + is_b)), v * (is_b / (1 + is_a))
        return None, by_a.sum_to_size(a.shape), by_b.sum_to_size(b.shape)
'''

_CBRT = '''
class Cbrt(torch.autograd.Function):
    """The cube root, which PyTorch does not have."""

    @staticmethod
    def forward(ctx, x):
        y = torch.sign(x) * torch.abs(x) ** (1 / 3)
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, v):
        x, y = ctx.saved_tensors
        return v * 1.0 / (3.0 * torch.square(y))
'''

_HYPOT = '''
class Hypot(torch.autograd.Function):
    """sqrt(a**2 + b**2). At the origin both slopes are 1/2, as in JAX; PyTorch's are nan."""

    @staticmethod
    def forward(ctx, a, b):
        y = torch.hypot(a, b)
        ctx.save_for_backward(a, b, y)
        return y

    @staticmethod
    def backward(ctx, v):
        a, b, y = ctx.saved_tensors
        half, safe = torch.full_like(y, 0.5), torch.where(y == 0, torch.ones_like(y), y)
        by_a, by_b = (v * torch.where(y == 0, half, x / safe) for x in (a, b))
        return by_a.sum_to_size(a.shape), by_b.sum_to_size(b.shape)
'''

_ARCTAN2 = '''
class Arctan2(torch.autograd.Function):
    """The angle of a point. At the origin the slopes are nan, as in JAX; PyTorch takes 0."""

    @staticmethod
    def forward(ctx, a, b):
        y = torch.arctan2(a, b)
        ctx.save_for_backward(a, b, y)
        return y

    @staticmethod
    def backward(ctx, v):
        a, b, y = ctx.saved_tensors
        square = torch.square(a) + torch.square(b)
        return (v * (b / square)).sum_to_size(a.shape), (-v * (a / square)).sum_to_size(b.shape)
'''

_LOGADDEXP = '''
class Logaddexp(torch.autograd.Function):
    """log(exp(a) + exp(b)). Infinity counts as 0 in a slope, as in JAX; PyTorch makes nan of it."""

    @staticmethod
    def forward(ctx, a, b):
        y = torch.logaddexp(a, b)
        ctx.save_for_backward(a, b, y)
        return y

    @staticmethod
    def backward(ctx, v):
        a, b, y = ctx.saved_tensors
        a_, b_, y_ = (torch.where(x == float("inf"), torch.zeros_like(x), x) for x in (a, b, y))
        by_a, by_b = (v * torch.exp(x - y_) for x in (a_, b_))
        return by_a.sum_to_size(a.shape), by_b.sum_to_size(b.shape)
'''

_PLACES = '''
def places(indices, size):
    """Places as whole numbers, negative ones counted from the end; and whether they lie inside."""
    at = torch.round(torch.nan_to_num(indices.detach())).long()
    at = torch.where(at < 0, at + size, at)
    inside = (at >= 0) & (at < size)
    return torch.where(inside, at, 0), inside
'''

_TAKE = '''
def take(x, indices, dim):
    """Slices of x at these places of a dimension; nan for a place outside, as in JAX."""
    at, inside = places(indices, x.shape[dim])
    after = x.shape[dim + 1 :]
    picked = x.index_select(dim, at.reshape(-1)).reshape((*x.shape[:dim], *at.shape, *after))
    return torch.where(inside.reshape((*at.shape, *(1 for _ in after))), picked, float("nan"))
'''

_TAKE_ALONG = '''
def take_along(x, indices, dim):
    """Elements of x at places along a dimension; nan for a place outside, as in JAX."""
    at, inside = places(indices, x.shape[dim])
    return torch.where(inside, torch.take_along_dim(x, at, dim), float("nan"))
'''

_AT_ADD = '''
def at_add(x, indices, updates, dim):
    """x with updates added at places of a dimension; what is added outside is dropped, as in JAX."""
    at, inside = places(indices, x.shape[dim])
    before, after = x.shape[:dim], x.shape[dim + 1 :]
    updates = torch.broadcast_to(updates, (*before, *at.shape, *after))
    updates = torch.where(inside.reshape((*at.shape, *(1 for _ in after))), updates, 0.0)
    return x.index_add(dim, at.reshape(-1), updates.reshape((*before, at.numel(), *after)))
'''

HELPERS = {"Abs": _ABS, "Power": _POWER, "Relu": _RELU, "Chosen": _CHOSEN,
           "standardize": _STANDARDIZE, "put": _PUT, "Cbrt": _CBRT, "Hypot": _HYPOT, "Arctan2": _ARCTAN2,
           "Logaddexp": _LOGADDEXP,
           "places": _PLACES, "take": _TAKE, "take_along": _TAKE_ALONG, "at_add": _AT_ADD}  # fmt: skip
"""Source of what the expressions call, by name."""

_LIKE_JAX = ("exp", "log", "log1p", "expm1", "sqrt", "square", "sin", "cos", "tan", "erf", "tanh", "sigmoid",
             "arcsin", "arccos", "arctan", "zeros_like", "ones_like", "maximum", "minimum", "exp2", "log2",
             "log10", "erfc", "sinh", "cosh", "arcsinh", "arccosh", "arctanh", "rsqrt",
             "remainder")  # fmt: skip

_CAST = {FLOAT32: "float", "float64": "double", "float16": "half", "bfloat16": "bfloat16"}


@dataclass(frozen=True)
class Place:
    """Where an op stands: all that its expression depends on beside its operands.

    Attributes:
      params: all parameters of the op.
      shapes: of the operands.
      shape: of the value.
      constants: the operands that are bare numbers, by slot.
      twice: whether the file differentiates a derivative.
    """

    params: Mapping[str, Any]
    shapes: Sequence[Shape]
    shape: Shape
    dtype: str
    constants: Mapping[int, float]
    twice: bool = False

    def cast(self, text: str) -> str:
        """Return a Boolean or whole-number expression as floats of the program."""
        return f"({text}).{_CAST[self.dtype]}()"

    def dims(self) -> tuple[int, ...] | int:
        """Return the axes that a reduction folds; an array without axes is folded along 0."""
        axis = self.params["axis"]
        rank = len(self.shapes[0])
        return axis if axis is not None else tuple(range(rank)) if rank else 0


def _comparison(sign: str) -> Callable[[Place], str]:
    return lambda at: at.cast(f"a {sign} b")


def _reduction(function: str) -> Callable[[Place], str]:
    def write(at: Place) -> str:
        axis, keepdims = at.params["axis"], at.params["keepdims"]
        if axis is None:
            return f"torch.{function}(x)" + (f".reshape({at.shape})" if keepdims and at.shape else "")
        return f"torch.{function}(x, dim={axis}{', keepdim=True' if keepdims else ''})"

    return write


def _norm(at: Place) -> str:
    return f"torch.sqrt({_reduction('sum')(at).replace('(x', '(torch.square(x)', 1)})"


def _logsumexp(at: Place) -> str:
    return f"torch.logsumexp(x, dim={at.dims()}{', keepdim=True' if at.params['keepdims'] else ''})"


def _along(function: str) -> Callable[[Place], str]:
    """Write a function along an axis, or along all elements in a row if none is named."""

    def write(at: Place) -> str:
        if (axis := at.params["axis"]) is not None:
            return f"torch.{function}(x, dim={axis})"
        back = "" if function == "cumsum" else f".reshape({at.shape})"
        return f"torch.{function}(x.reshape(-1), dim=0){back}"

    return write


def _argmax(at: Place) -> str:
    axis, keepdims = at.params["axis"], at.params["keepdims"]
    if axis is None:
        return at.cast("torch.argmax(x)") + (f".reshape({at.shape})" if keepdims and at.shape else "")
    return at.cast(f"torch.argmax(x, dim={axis}{', keepdim=True' if keepdims else ''})")


def _argsort(at: Place) -> str:
    axis, descending = at.params["axis"], at.params["descending"]
    x, axis = ("x", axis) if axis is not None else ("x.reshape(-1)", 0)
    down = ", descending=True" if descending else ""
    return at.cast(f"torch.argsort({x}, dim={axis}{down}, stable=True)")


def _sort(at: Place) -> str:
    # A descending sort of JAX is the ascending one turned round, with equal elements in reverse order.
    axis = at.params["axis"]
    x, axis = ("x", axis) if axis is not None else ("x.reshape(-1)", 0)
    ordered = f"torch.sort({x}, dim={axis}, stable=True)[0]"
    return f"torch.flip({ordered}, ({axis},))" if at.params["descending"] else ordered


def _power(at: Place) -> str:
    # With a constant whose slope has no corner PyTorch's own power is the same.
    base, exponent = at.constants.get(0), at.constants.get(1)
    plain = (exponent is not None and exponent != 0) or (base is not None and base > 0)
    return "a ** b" if plain and not at.twice else "Power.apply(tensor(a), tensor(b))"


def _transpose(at: Place) -> str:
    rank, axes = len(at.shapes[0]), at.params["axes"]
    if axes is None:
        return "x" if rank < 2 else "x.T" if rank == 2 else f"x.permute{tuple(range(rank))[::-1]}"
    return f"x.permute({', '.join(map(str, axes))})" if axes else "x"


def _dot(at: Place) -> str:
    a, b = map(len, at.shapes)
    if not a or not b:
        return "a * b"
    return "a @ b" if b == 1 or (a <= 2 and b == 2) else f"torch.tensordot(a, b, dims=([{a - 1}], [{b - 2}]))"


def _index(at: Place) -> tuple[str, tuple[int, ...]]:
    """Return the index as text, and the axes to turn round first: PyTorch takes no negative steps."""
    parts, flipped, shape = [], [], at.shapes[0]
    index = at.params["index"]
    axis, taken = 0, sum(part is not None and part != indexing.ELLIPSIS for part in index)
    for part in index:
        if part == indexing.ELLIPSIS:
            axis += len(shape) - taken
        elif isinstance(part, tuple) and (part[2] or 1) < 0:
            places = range(*slice(*part).indices(shape[axis]))
            start = shape[axis] - 1 - places.start
            stop = start + max(len(places) - 1, 0) * -places.step + (1 if places else 0)
            part = (start if places else 0, stop if places else 0, -places.step)
            flipped.append(axis)
            axis += 1
        elif part is not None:
            axis += 1
        parts.append(part)
    return indexing.to_text(tuple(parts)), tuple(flipped)


def _getitem(at: Place) -> str:
    index, flipped = _index(at)
    return f"torch.flip(x, {flipped})[{index}]" if flipped else f"x[{index}]"


def _at_set(at: Place) -> str:
    index, flipped = _index(at)
    slices = ast.unparse(_Slices().visit(expression(f"_[{index}]")).slice)
    if flipped:
        return f"torch.flip(put(torch.flip(x, {flipped}), {slices}, v), {flipped})"
    return f"put(x, {slices}, v)"


class _Slices(ast.NodeTransformer):
    """Write slices as calls of `slice`, as an argument needs them."""

    def visit_Slice(self, node: ast.Slice) -> ast.expr:
        ends = [end or ast.Constant(None) for end in (node.lower, node.upper, node.step)]
        return called("slice", *ends)


def _window(at: Place, sides: Sequence[int], fill: str) -> str:
    """Return images as PyTorch has them, [batch, channels, height, width], with JAX's padding."""
    images = "x.permute(0, 3, 1, 2)"
    if at.params["padding"] == "VALID":
        return images
    pads: list[int] = []
    for side, size in zip(reversed(sides), reversed(at.shapes[0][1:3]), strict=True):
        stride = at.params["stride"]
        total = max((-(-size // stride) - 1) * stride + side - size, 0)
        pads += [total // 2, total - total // 2]
    return f"torch.nn.functional.pad({images}, {tuple(pads)}, value={fill})" if any(pads) else images


def _conv2d(at: Place) -> str:
    images, stride = _window(at, at.shapes[1][:2], "0.0"), at.params["stride"]
    step = f", stride={stride}" if stride != 1 else ""
    kernels = "w.permute(3, 2, 0, 1).contiguous()"
    return f"torch.nn.functional.conv2d({images}, {kernels}{step}).permute(0, 2, 3, 1) + b"


def _pool(function: str, fill: str) -> Callable[[Place], str]:
    def write(at: Place) -> str:
        window, stride = at.params["window"], at.params["stride"]
        images = _window(at, (window, window), fill)
        return f"torch.nn.functional.{function}({images}, {window}, stride={stride}).permute(0, 2, 3, 1)"

    return write


def _drawn(at: Place, op: str) -> str:
    """Write the numbers that the lab draws; PyTorch would draw others."""
    _check_drawn(at.params["shape"])
    draw = Graph((Node("draw", op, (), params(**at.params)),), (), "draw")
    return ast.unparse(tensor(plain_numbers(trace(draw, dtype=at.dtype).value["draw"]), at.dtype))


def plain_numbers(array: Any) -> Any:
    """Return an array as nested lists of numbers with as few digits as its precision needs."""
    array = np.asarray(array)
    if array.ndim:
        return [plain_numbers(row) for row in array]
    return float(array) if array.dtype != np.float32 else float(str(np.float32(array)))


def _dropout(at: Place) -> str:
    shape = at.shapes[0]
    _check_drawn(shape)
    ones = Node("ones", "broadcast_to", (1.0,), params(shape=shape))
    draw = Graph((ones, Node("draw", "dropout", ("ones",), params(**at.params))), (), "draw")
    kept = trace(draw).value["draw"] != 0
    mask = ast.unparse(called("torch.tensor", expression(repr(kept.tolist()))))
    keep = 1.0 - at.params["rate"]
    return f"torch.where({mask}, x, torch.zeros_like(x)) / {keep or 1.0!r}"


def _check_drawn(shape: Shape) -> None:
    if prod(shape) > DRAWN:
        message = f"{prod(shape):,} random numbers would stand in the PyTorch file."
        raise GraphError(
            Problem("too-large", message, f"At most {DRAWN:,} are written; use a smaller shape.")
        )


def _one_hot(at: Place) -> str:
    classes = at.params["num_classes"]
    return at.cast(f"torch.round(x.detach()).unsqueeze(-1) == torch.arange({classes})")


def _at_places(function: str) -> Callable[[Place], str]:
    """Write a function of places along an axis, or in all elements in a row if none is named."""

    def write(at: Place) -> str:
        axis = at.params["axis"]
        x, axis = ("x.reshape(-1)", 0) if axis is None else ("x", axis % len(at.shapes[0]))
        return f"{function}({x}, {', '.join(['indices', 'updates'][: len(at.shapes) - 1])}, {axis})"

    return write


def _normed(dims: Callable[[int], tuple[int, ...]]) -> Callable[[Place], str]:
    return lambda at: f"standardize(x, {dims(len(at.shapes[0]))}, {at.params['epsilon']!r}) * scale + bias"


SOURCES: Mapping[str, str | Callable[[Place], str]] = {
    **{name: f"torch.{name}({', '.join(OPS[name].slots)})" for name in _LIKE_JAX},
    "add": "a + b",
    "sub": "a - b",
    "mul": "a * b",
    "div": "a / b",
    "neg": "-x",
    "pow": _power,
    "identity": "x",
    "first": "x",
    "softplus": "torch.logaddexp(x, torch.zeros_like(x))",  # PyTorch's own is x from 20 on
    "relu": "Relu.apply(x)",
    "leaky_relu": "torch.where(x >= 0, x, 0.01 * x)",  # PyTorch's own takes 0.01 for the slope at 0
    "elu": "torch.nn.functional.elu(x)",
    "silu": "torch.nn.functional.silu(x)",
    "gelu": "torch.nn.functional.gelu(x)",
    "abs": "Abs.apply(x)",
    "cbrt": "Cbrt.apply(x)",
    "hypot": "Hypot.apply(a, b)",
    "arctan2": "Arctan2.apply(a, b)",
    "logaddexp": "Logaddexp.apply(a, b)",
    "sign": "torch.sign(x.detach())",
    "round": "torch.round(x.detach())",
    "floor": "torch.floor(x.detach())",
    # Two steps: torch.clamp passes everything at its ends, JAX half.
    "clip": "torch.minimum(torch.maximum(x, low), high)",
    "where": "torch.where(condition != 0, a, b)",
    "greater": _comparison(">"),
    "less": _comparison("<"),
    "greater_equal": _comparison(">="),
    "less_equal": _comparison("<="),
    "equal": _comparison("=="),
    "not_equal": _comparison("!="),
    "sum": _reduction("sum"),
    "mean": _reduction("mean"),
    "prod": _reduction("prod"),
    "max": _reduction("amax"),  # torch.max along a dimension passes all to one of equal elements
    "min": _reduction("amin"),
    "norm": _norm,  # torch.norm takes 0 for the slope at length 0
    "cumsum": _along("cumsum"),
    "logsumexp": _logsumexp,
    "softmax": _along("softmax"),
    "log_softmax": _along("log_softmax"),
    "dot": _dot,
    "matmul": "a @ b",
    "transpose": _transpose,
    "reshape": lambda at: f"x.reshape({at.params['shape']})",
    "broadcast_to": lambda at: f"torch.broadcast_to(x, {at.params['shape']})",
    "concatenate": lambda at: f"torch.cat(arrays, dim={at.params['axis']})",
    "stack": lambda at: f"torch.stack(arrays, dim={at.params['axis']})",
    "expand_dims": lambda at: f"x.unsqueeze({at.params['axis']})",
    "getitem": _getitem,
    "at_set": _at_set,
    "take": _at_places("take"),
    "take_along_axis": _at_places("take_along"),
    "at_add": _at_places("at_add"),
    "argmax": _argmax,
    "argsort": _argsort,
    "one_hot": _one_hot,
    "sort": _sort,
    "dense": "x @ w + b",
    "conv2d": _conv2d,
    "max_pool": _pool("max_pool2d", '-float("inf")'),
    "avg_pool": _pool("avg_pool2d", "0.0"),
    "flatten": lambda at: "torch.flatten(x, 1)" if len(at.shapes[0]) > 1 else "x.unsqueeze(1)",
    "layer_norm": _normed(lambda rank: (rank - 1,)),
    "batch_norm": _normed(lambda rank: tuple(range(rank - 1))),
    "dropout": _dropout,
    "mean_squared_error": "torch.mean(torch.square(predictions - targets))",
    "softmax_cross_entropy_with_integer_labels": (
        "torch.logsumexp(logits, dim=-1) - "
        "torch.take_along_dim(logits, labels.detach().long().unsqueeze(-1), dim=-1)[..., 0]"
    ),
    "sigmoid_binary_cross_entropy": ("torch.logaddexp(logits, torch.zeros_like(logits)) - labels * logits"),
    "uniform": lambda at: _drawn(at, "uniform"),
    "normal": lambda at: _drawn(at, "normal"),
}
"""By op, its expression: slots by name, parameters filled in."""

_BARE = frozenset(("add", "sub", "mul", "div", "pow", *COMPARISONS))
"""Ops that take a bare number beside a tensor."""


def multiplied(line: str) -> str:
    """Return a line with maximum and minimum as functions that multiply what arrives, also by 0."""
    return re.sub(r"\btorch\.(maximum|minimum)\(", r"Chosen.apply(torch.\1, ", line)


def torch_applied(
    op: str,
    operands: Sequence[ast.expr],
    given: Mapping[str, Any],
    shapes: Sequence[Shape],
    shape: Shape,
    dtype: str,
    twice: bool = False,
) -> ast.expr:
    """Return the op's expression in PyTorch with its operands and parameters filled in.

    Args:
      operands: one per slot, any number for a variadic op; bare numbers stand for constants.
      given: the parameters that are set.
      shapes: of the operands.
      shape: of the op's value.
      dtype: "float16", "bfloat16", "float32" or "float64".
      twice: whether the program differentiates a derivative.
    Raises:
      GraphError: PyTorch has no such op here, or the numbers that it draws are too many.
    """
    record = OPS[op]
    if op not in SOURCES:
        raise GraphError(
            Problem("not-written", f"{op} has no counterpart in a PyTorch file.", "Use the JAX file.")
        )
    numbers = {i: _value(each) for i, each in enumerate(operands) if is_number(each)}
    every = {param.name: given.get(param.name, param.default) for param in record.params}
    source = SOURCES[op]
    if not isinstance(source, str):
        source = source(Place(every, shapes, shape, dtype, numbers, twice))
    needs_tensors = op not in _BARE or len(numbers) == len(operands)
    each = [
        called_tensor(one, dtype) if i in numbers and (needs_tensors and (op not in _BARE or i == 0)) else one
        for i, one in enumerate(operands)
    ]
    if op == "first":
        return each[0]
    slots = [ast.List(each, ast.Load())] if record.variadic else each
    return _Fill(dict(zip(record.slots, slots, strict=True)), dtype).visit(expression(source))


def called_tensor(tree: ast.expr, dtype: str) -> ast.Call:
    """Return `torch.tensor(...)` of numbers in the precision of the program."""
    made = called("torch.tensor", tree)
    if dtype != FLOAT32:
        made.keywords = [ast.keyword("dtype", dotted("torch", dtype))]
    return made


def tensor(numbers: Literal | list, dtype: str) -> ast.expr:
    """Return a tensor of a number or of nested tuples or lists of numbers."""
    return called_tensor(nested(numbers), dtype)


def torch_constant(literal: Literal, dtype: str) -> ast.expr:
    """Return a literal as an operand: a tensor, or a bare number, which takes the precision that it meets."""
    return tensor(literal, dtype) if isinstance(literal, tuple) else number(literal)


def filled(shape: Shape, tree: ast.expr, dtype: str) -> ast.expr:
    """Return a tensor of this shape whose elements are one number."""
    made = called("torch.full", data(shape), tree)
    made.keywords = [ast.keyword("dtype", dotted("torch", dtype))] if dtype != FLOAT32 else []
    return made


def _value(tree: ast.expr) -> float:
    return -tree.operand.value if isinstance(tree, ast.UnaryOp) else tree.value


class _Fill(ast.NodeTransformer):
    """Substitute operands for the names of slots; `tensor(x)` makes a tensor of a bare number."""

    def __init__(self, values: Mapping[str, ast.expr], dtype: str):
        self.values, self.dtype = values, dtype

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "tensor":
            (argument,) = node.args
            return called_tensor(argument, self.dtype) if is_number(argument) else argument
        return node
