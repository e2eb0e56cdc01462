"""Read PyTorch: tensors that require a gradient, `backward`, `autograd.grad`, stops, hooks and functions.

A call of `backward` differentiates by every leaf that its output was computed from. What a second call adds to
`.grad` is added here too: the graph's output is then the sum of both outputs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_viz.graph.model import IDENTITY, Lambda, Rule
from autodiff_viz.graph.rule_kinds import PULLBACK, REWRITE, STOP
from autodiff_viz.language.parse import parse_lambda
from autodiff_viz.reading import arrays
from autodiff_viz.reading.arrays import constant, dtype_of, fold, known, named_dtype, shape_of
from autodiff_viz.reading.builder import Ref
from autodiff_viz.reading.interpreter import Interpreter, Request
from autodiff_viz.reading.jax_transforms import pulled
from autodiff_viz.reading.values import BOOL, FLOATS, INT, Array, Native, Refused

TORCH: arrays.Table = {}
TENSOR: arrays.Table = {}


def both(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function of `torch` that is a method of tensors too."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            TORCH[f"torch.{name}"] = TENSOR[name] = function
        return function

    return register


class Pair(tuple):
    """Values and indices of an extreme along a dimension; the indices are nodes only if the text reads them."""

    def __new__(cls, values: Array, indices: Callable[[], Array]) -> Pair:
        """Make the pair."""
        made = super().__new__(cls, (values, None))
        made.indices = indices
        return made


# Make tensors.


def _tensor(r: Interpreter, data: Any, dtype: Any = None, requires_grad: bool = False, **_: Any) -> Array:
    if isinstance(data, Array):
        held, kind = data.held, data.dtype
    else:
        made = constant(r, data, "torch", dtype_of(data))
        held, kind = made.held, made.dtype if made.dtype in (INT, BOOL) else "float32"
    kind = named_dtype(r, dtype) or kind
    if requires_grad and kind in (INT, BOOL):
        raise Refused(
            "Only Tensors of floating point and complex dtype can require gradients.",
            "Write 2.0, not 2.",
            "integer",
        )
    return Array(held, "torch", kind, requires_grad)


TORCH["torch.tensor"] = TORCH["torch.as_tensor"] = TORCH["torch.from_numpy"] = _tensor
TORCH["torch.Tensor"] = TORCH["torch.FloatTensor"] = lambda r, data: _tensor(r, data, "float32")
TORCH["torch.autograd.Variable"] = lambda r, data, requires_grad=False: _tensor(r, data, None, requires_grad)


def _shape(sizes: tuple) -> tuple[int, ...]:
    return arrays.shape_argument(
        sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else tuple(sizes)
    )


def _filled(value: float) -> Callable[..., Any]:
    def make(r: Interpreter, *sizes: Any, dtype: Any = None, requires_grad: bool = False, **_: Any) -> Array:
        shape = _shape(sizes)
        return _tensor(r, constant(r, np.full(shape, value), "torch", "float32"), dtype, requires_grad)

    return make


TORCH["torch.zeros"], TORCH["torch.ones"] = _filled(0.0), _filled(1.0)
TORCH["torch.full"] = lambda r, size, fill_value, dtype=None, requires_grad=False, **_: _tensor(
    r, constant(r, np.full(_shape((size,)), fill_value), "torch", "float32"), dtype, requires_grad
)
TORCH["torch.eye"] = lambda r, n, dtype=None, requires_grad=False: _tensor(
    r, constant(r, np.eye(_shape((n,))[0]), "torch", "float32"), dtype, requires_grad
)
TORCH["torch.linspace"] = lambda r, start, end, steps, dtype=None, requires_grad=False: _tensor(
    r,
    constant(
        r, np.linspace(start, end, _shape((steps,))[0], dtype=np.float32).astype(float), "torch", "float32"
    ),
    dtype,
    requires_grad,
)


def _arange(r: Interpreter, *args: Any, dtype: Any = None, requires_grad: bool = False) -> Array:
    made = arrays._arange(r, "jax", args, dtype)
    return _tensor(r, Array(made.held, "torch", made.dtype), dtype, requires_grad)


TORCH["torch.arange"] = _arange
TORCH["torch.ones_like"] = lambda r, x, requires_grad=False, **_: r.make("ones_like", [detach(r, x)])
TORCH["torch.zeros_like"] = lambda r, x, requires_grad=False, **_: r.make("zeros_like", [detach(r, x)])
TORCH["torch.manual_seed"] = lambda r, seed: None


def _parameter(r: Interpreter, data: Any = None, requires_grad: bool = True) -> Array:
    made = _tensor(r, data, None, requires_grad)
    r.extra.setdefault("parameters", set()).add(id(made))
    return made


TORCH["torch.nn.Parameter"] = TORCH["torch.nn.parameter.Parameter"] = _parameter


# Functions that are ops of ours.

for _name, _op in {
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
            "sigmoid",
            "relu",
            "erf",
            "neg",
            "round",
            "add",
            "sub",
            "mul",
            "div",
            "maximum",
            "minimum",
            "arcsin",
            "arccos",
            "arctan",
        )
    },
    "negative": "neg",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
}.items():
    both(_name)(arrays.elementwise(_op))
for _name, _op in {
    "relu": "relu",
    "sigmoid": "sigmoid",
    "tanh": "tanh",
    "silu": "silu",
    "elu": "elu",
}.items():
    TORCH[f"torch.nn.functional.{_name}"] = arrays.elementwise(_op)


def declared(text: str) -> Rule:
    """Return the rule of a pullback that is written as a lambda."""
    return Rule(PULLBACK, parse_lambda(text))


CONVENTIONS = {
    "abs": (declared("lambda v, x, out: v * sign(x)"), "the slope of abs at 0 is 0 here; JAX's is 1"),
    "clip": (
        declared("lambda v, x, out: v * (1.0 - greater(abs(out - x), 0.0))"),
        "PyTorch passes everything at the ends of clamp; JAX half",
    ),
}
"""Rules where PyTorch's slope at a corner differs from JAX's, with the sentence that says so."""


@both("abs", "absolute")
def absolute(r: Interpreter, x: Any) -> Array:
    """Read abs, whose slope at 0 is 0 in PyTorch."""
    rule, says = CONVENTIONS["abs"]
    r.say(r.line, says)
    return r.make("abs", [x], rule=rule if isinstance(r.held(x), Ref) else None)


@both("clamp", "clip")
def clamp(r: Interpreter, x: Any, min: Any = None, max: Any = None) -> Array:
    """Read clamp, which passes all of the gradient at its ends in PyTorch."""
    if isinstance(min, Array) or isinstance(max, Array):
        raise Refused("clamp() is read with numbers as its ends.")
    low, high = (-1e30 if min is None else min), (1e30 if max is None else max)
    rule, says = CONVENTIONS["clip"]
    r.say(r.line, says)
    return r.make("clip", [x, low, high], rule=rule if isinstance(r.held(x), Ref) else None)


def _reduction(op: str) -> Callable[..., Any]:
    def read(
        r: Interpreter, x: Any, dim: Any = None, keepdim: bool = False, *, axis: Any = None, dtype: Any = None
    ) -> Array:
        return fold(r, op, x, axis if dim is None else dim, keepdim)

    return read


for _op in ("sum", "mean", "prod"):
    both(_op)(_reduction(_op))
both("logsumexp")(_reduction("logsumexp"))


@both("max")
def largest(r: Interpreter, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Read max: of all elements, or along a dimension, where one element gets the whole gradient in PyTorch."""
    return _extreme(r, "max", x, dim, keepdim)


@both("min")
def smallest(r: Interpreter, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Read min, as max."""
    return _extreme(r, "min", x, dim, keepdim)


def _extreme(r: Interpreter, op: str, x: Any, dim: Any, keepdim: bool) -> Any:
    if isinstance(dim, Array):
        return r.make("maximum" if op == "max" else "minimum", [x, dim])
    if dim is None:
        return fold(r, op, x, None, False)
    rank, size = len(shape_of(r, x)), shape_of(r, x)[dim]
    order = [i for i in range(rank) if i != dim % rank] + [dim % rank]
    last = x if order == list(range(rank)) else arrays.transpose(r, x, tuple(order))
    chosen = last if op == "max" else r.make("neg", [last])
    text = f"lambda v, x, out: expand_dims(v, -1) * one_hot(argmax({'x' if op == 'max' else '-x'}, axis=-1), {size})"
    r.say(
        r.line,
        f"{op}() along a dimension passes the gradient to one element here; JAX splits it between equal ones",
    )
    values = r.make(op, [last], rule=declared(text) if isinstance(r.held(x), Ref) else None, axis=-1)
    if keepdim:
        values = arrays.expand(r, values, dim)
    return Pair(values, lambda: r.make("argmax", [chosen], dtype=INT, axis=-1))


@both("matmul", "mm", "mv", "bmm", "dot")
def matmul(r: Interpreter, a: Any, b: Any) -> Array:
    """Read a product of matrices or vectors."""
    return arrays.product(r, a, b)


@both("var")
def variance(
    r: Interpreter,
    x: Any,
    dim: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    correction: Any = None,
) -> Array:
    """Read a variance, which divides by n - 1 in PyTorch."""
    ddof = int(unbiased) if correction is None else correction
    if ddof == 1:
        r.say(r.line, "PyTorch's var divides by n - 1")
    return arrays.variance(r, x, dim, ddof, keepdim)


@both("std")
def deviation(
    r: Interpreter,
    x: Any,
    dim: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    correction: Any = None,
) -> Array:
    """Read a standard deviation, whose gradient at 0 is 0 in PyTorch."""
    return root(r, variance(r, x, dim, unbiased, keepdim, correction))


@both("norm")
def norm(r: Interpreter, x: Any, p: Any = 2, dim: Any = None, keepdim: bool = False) -> Array:
    """Read the Euclidean norm, whose gradient at 0 is 0 in PyTorch."""
    if p not in (2, "fro"):
        raise Refused("Only the Euclidean norm is read.", "Write it out, such as x.abs().sum().")
    return root(r, fold(r, "sum", r.make("square", [x]), dim, keepdim))


TORCH["torch.linalg.norm"] = TORCH["torch.linalg.vector_norm"] = lambda r, x, ord=2, dim=None, keepdim=False: (
    norm(r, x, ord or 2, dim, keepdim)
)

ROOT = declared("lambda v, x, out: where(out > 0.0, v * 0.5 / out, zeros_like(out))")


def root(r: Interpreter, x: Array) -> Array:
    """Return a square root that passes nothing where it is 0, as PyTorch's norm and std do."""
    r.say(r.line, "at 0 this passes 0 here; JAX's is NaN")
    return r.make("sqrt", [x], rule=ROOT)


@both("pow")
def power(r: Interpreter, x: Any, exponent: Any) -> Array:
    """Read a power; PyTorch's slope for the exponent 0 is 0 everywhere."""
    if isinstance(exponent, (int, float)) and exponent == 0:
        return r.make("pow", [x, 0.0], rule=declared("lambda v, x, out: zeros_like(x)"))
    return r.make("square", [x]) if exponent == 2 else r.make("pow", [x, exponent])


@known("register_hook", table=TENSOR)
def register_hook(r: Interpreter, x: Array, hook: Any) -> None:
    """Read a hook: what it returns replaces the gradient that arrives at the tensor."""
    from autodiff_viz.reading.terms import Terms

    terms = Terms(r.builder, {"v": shape_of(r, x)}, {})
    outer, r.builder = r.builder, terms
    try:
        changed = r.call(hook, [Array("v", "torch", x.dtype)], {})
        term = None if changed is None else terms.term(r.held(changed))
    finally:
        r.builder = outer
    if terms.captured:
        raise Refused("A hook that reads other tensors is not read.", "Write the numbers in it.")
    if term is not None:
        ref = r.builder.add(IDENTITY, [x.held], Rule(REWRITE, Lambda(("v",), (term,))))
        r.builder.drafts[ref.number].hint = r.builder.drafts[x.held.number].hint if x.is_node else ""
        x.held = ref
        r.say(r.line, "the hook became rewrite()")


@both("reshape", "view")
def reshape(r: Interpreter, x: Array, *shape: Any) -> Array:
    """Read a new shape."""
    result = arrays.reshape(r, x, *shape)
    return _view(x, result)


def _view(x: Array, result: Array) -> Array:
    if x.is_node and result.is_node:
        result.base = x.base or x
        result.base.views += 1
    elif not x.is_node:
        result.requires_grad, result.leaf = x.requires_grad, x.leaf
    return result


@both("t")
def t(r: Interpreter, x: Array) -> Array:
    """Read a transposition of a matrix."""
    return _view(x, arrays.transpose(r, x))


@both("transpose", "swapaxes")
def transpose(r: Interpreter, x: Array, dim0: int, dim1: int) -> Array:
    """Read that two dimensions change places."""
    order = list(range(len(shape_of(r, x))))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return _view(x, arrays.transpose(r, x, tuple(order)))


@both("permute")
def permute(r: Interpreter, x: Array, *dims: Any) -> Array:
    """Read an order of the dimensions."""
    return _view(x, arrays.transpose(r, x, *dims))


@both("unsqueeze")
def unsqueeze(r: Interpreter, x: Array, dim: int) -> Array:
    """Read a new dimension."""
    return _view(x, arrays.expand(r, x, dim))


@both("squeeze")
def squeeze(r: Interpreter, x: Array, dim: Any = None) -> Array:
    """Read that dimensions of length 1 go."""
    return _view(x, arrays.squeeze(r, x, dim))


@both("flatten")
def flatten(r: Interpreter, x: Array, start_dim: int = 0, end_dim: int = -1) -> Array:
    """Read a flattening of some dimensions."""
    shape = shape_of(r, x)
    first, last = start_dim % len(shape), end_dim % len(shape)
    size = int(np.prod(shape[first : last + 1]))
    return _view(x, arrays.reshape(r, x, (*shape[:first], size, *shape[last + 1 :])))


TENSOR["expand"] = lambda r, x, *sizes: arrays.broadcast(
    r,
    x,
    tuple(b if a == -1 else a for a, b in zip(_minus(sizes), shape_of(r, x), strict=False))
    if -1 in _minus(sizes)
    else _minus(sizes),
)


def _minus(sizes: tuple) -> tuple:
    return tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes


def _joined(op: str) -> Callable[..., Any]:
    def read(r: Interpreter, tensors: Any, dim: int = 0) -> Array:
        return r.make(op, list(r.items(tensors, ast.Constant(0))), axis=dim)

    return read


TORCH["torch.cat"] = TORCH["torch.concat"] = _joined("concatenate")
TORCH["torch.stack"] = _joined("stack")


@both("where")
def where(r: Interpreter, condition: Any, a: Any, b: Any) -> Array:
    """Read a choice by a condition."""
    return r.make("where", [condition, a, b])


TENSOR["where"] = lambda r, x, condition, other: r.make("where", [condition, x, other])

for _name in ("softmax", "log_softmax"):
    both(_name)(lambda r, x, dim=-1, _name=_name, **_: r.make(_name, [x], axis=dim))
    TORCH[f"torch.nn.functional.{_name}"] = TORCH[f"torch.{_name}"]
for _name, _op in {
    "gt": ast.Gt,
    "lt": ast.Lt,
    "ge": ast.GtE,
    "le": ast.LtE,
    "eq": ast.Eq,
    "ne": ast.NotEq,
}.items():
    both(_name)(lambda r, a, b, _op=_op: r.compare(_op(), a, b, ast.Constant(0)))
both("cumsum")(lambda r, x, dim: r.make("cumsum", [x], axis=dim))
both("argmax")(lambda r, x, dim=None: arrays.argmax(r, x, dim))


def _mean_of(r: Interpreter, value: Array, reduction: str) -> Array:
    if reduction not in ("mean", "sum", "none"):
        raise Refused(f"reduction={reduction!r} is not read.", "There are mean, sum and none.")
    return value if reduction == "none" else r.make(reduction, [value])


@known("torch.nn.functional.mse_loss", table=TORCH)
def mse_loss(r: Interpreter, input: Any, target: Any, reduction: str = "mean") -> Array:
    """Read the mean squared error."""
    return _mean_of(r, r.make("square", [r.make("sub", [input, target])]), reduction)


@known("torch.nn.functional.softplus", table=TORCH)
def softplus(r: Interpreter, x: Any, beta: float = 1, threshold: float = 20) -> Array:
    """Read softplus, which PyTorch replaces by x above a threshold."""
    if beta != 1:
        raise Refused("softplus is read with beta=1 only.")
    return r.make("where", [r.make("greater", [x, float(threshold)]), x, r.make("softplus", [x])])


@known("torch.nn.functional.gelu", table=TORCH)
def gelu(r: Interpreter, x: Any, approximate: str = "none") -> Array:
    """Read GELU, by erf in PyTorch unless it is to be approximate."""
    r.say(r.line, "PyTorch's gelu is the exact one, by erf; JAX's usual one is by tanh")
    return arrays.gelu(r, x, approximate == "tanh")


# Differentiate.


@both("detach")
def detach(r: Interpreter, x: Array) -> Array:
    """Read a stop."""
    if not x.is_node:
        return Array(x.held, "torch", x.dtype)
    ref = r.builder.add(IDENTITY, [x.held], Rule(STOP))
    r.say(r.line, "detach() became stop_gradient()")
    result = Array(ref, "torch", x.dtype)
    result.base = x.base or x
    result.base.views += 1
    return result


TENSOR["view_as"] = TENSOR["reshape_as"] = lambda r, x, other: reshape(r, x, shape_of(r, other))
TENSOR["clone"] = lambda r, x: r.copied(x) if x.is_node else Array(x.held, "torch", x.dtype)
TENSOR["contiguous"] = TENSOR["cpu"] = TENSOR["to"] = lambda r, x, *_, **__: x
TENSOR["double"] = lambda r, x: arrays.cast(r, x, "float64")
TENSOR["float"] = lambda r, x: arrays.cast(r, x, "float32")
TENSOR["half"] = lambda r, x: arrays.cast(r, x, "float16")
TENSOR["numpy"] = lambda r, x: _numpy(r, x)
TENSOR["item"] = TENSOR["tolist"] = lambda r, x: detach(r, x)
TENSOR["size"] = lambda r, x, dim=None: shape_of(r, x) if dim is None else shape_of(r, x)[dim]
TENSOR["dim"] = lambda r, x: len(shape_of(r, x))
TENSOR["numel"] = lambda r, x: int(np.prod(shape_of(r, x)))


def _numpy(r: Interpreter, x: Array) -> Array:
    if x.requires_grad:
        raise Refused(
            "Can't call numpy() on Tensor that requires grad.",
            "Use tensor.detach().numpy() instead.",
            "requires-grad",
        )
    return Array(x.held, "numpy", x.dtype)


@known("requires_grad_", table=TENSOR)
def requires_grad_(r: Interpreter, x: Array, requires_grad: bool = True) -> Array:
    """Read that a tensor is differentiated by from here on."""
    if x.dtype not in FLOATS:
        raise Refused(
            "Only Tensors of floating point dtype can require gradients.", "Write 2.0, not 2.", "integer"
        )
    if not requires_grad and not x.leaf:
        raise Refused("You can only change requires_grad flags of leaf variables.", "Use detach().", "leaf")
    x.requires_grad = requires_grad
    if x.is_node and r.builder.drafts[x.held.number].op != "input":
        fresh = r.builder.add(IDENTITY, [x.held], Rule(STOP))
        x.held = fresh
    return x


@known("retain_grad", table=TENSOR)
def retain_grad(r: Interpreter, x: Array) -> None:
    """Read that a computed tensor keeps its gradient."""
    x.retains = True
    r.extra.setdefault("retained", []).append(x)


class Autograd:
    """What `backward` has left at tensors: the outputs, and what was added to `.grad`."""

    def __init__(self) -> None:
        self.grads: dict[int, tuple[Array, list[tuple[Array, Ref, Ref]]]] = {}
        self.total: Array | None = None


def _autograd(r: Interpreter) -> Autograd:
    return r.extra.setdefault("autograd", Autograd())


def _differentiable(r: Interpreter, x: Array) -> None:
    if not isinstance(x, Array) or not x.requires_grad:
        raise Refused(
            "element 0 of tensors does not require grad and does not have a grad_fn",
            "Create a tensor with requires_grad=True, and compute the output from it.",
            "no-grad-fn",
        )


def _root(r: Interpreter, x: Array, gradient: Any, name: str) -> Array:
    """Return the number that is differentiated: the output, or its product with the cotangent."""
    if gradient is None:
        if int(np.prod(shape_of(r, x))) != 1:
            raise Refused(
                "grad can be implicitly created only for scalar outputs.",
                "Sum it up, or pass the cotangent: backward(torch.ones_like(y)).",
                "not-scalar",
            )
        return x if shape_of(r, x) == () else r.make("sum", [x])
    seed = gradient if isinstance(gradient, Array) else constant(r, gradient, "torch", "float32")
    if shape_of(r, seed) != shape_of(r, x):
        raise Refused(
            f"Mismatch in shape: the gradient has {list(shape_of(r, seed))}, the output {list(shape_of(r, x))}."
        )
    return pulled(r, x, seed)


UNRECORDED = ("greater", "less", "argmax", "zeros_like", "ones_like")  # ops whose value has no grad_fn


def recorded(r: Interpreter, root: Ref) -> set[int]:
    """Return the numbers of the nodes that the backward pass of PyTorch reaches."""
    reached, waiting = set(), [root.number]
    while waiting:
        number = waiting.pop()
        draft = r.builder.drafts[number]
        if number in reached:
            continue
        reached.add(number)
        if draft.rule.kind != STOP and draft.op not in UNRECORDED:
            waiting += [slot.number for slot in draft.slots if isinstance(slot, Ref)]
    return reached


def _leaves(r: Interpreter, root: Array) -> list[Array]:
    """Return the leaves that a number is computed from, by the scopes and objects of the text."""
    above = recorded(r, root.held)
    known_leaves = [x for x in r.extra.get("tensors", []) if (x.requires_grad and x.leaf) or x.retains]
    return [x for x in known_leaves if isinstance(x.held, Ref) and x.held.number in above]


@known("backward", table=TENSOR)
def backward(
    r: Interpreter,
    x: Array,
    gradient: Any = None,
    retain_graph: Any = None,
    create_graph: bool = False,
    **_: Any,
) -> None:
    """Read `backward`: the gradients are added at the leaves."""
    _differentiable(r, x)
    if not x.is_node:
        x.held = r.builder.input(x.held, "x")
    run = r.extra.setdefault("backward through", set())
    if x.held.number in run and not r.extra.get(("retained graph", x.held.number)):
        raise Refused(
            "Trying to backward through the graph a second time.",
            "Write retain_graph=True in the first backward().",
            "second-backward",
        )
    run.add(x.held.number)
    if retain_graph or create_graph:
        r.extra["retained graph", x.held.number] = True
    state = _autograd(r)
    root = _root(r, x, gradient, "backward")
    r.roots.append(root.held)
    for leaf in _leaves(r, root):
        grad = r.gradient(root, leaf)
        state.grads.setdefault(id(leaf), (leaf, []))[1].append((grad, root.held, leaf.held))
    if state.total is not None:
        r.say(r.line, "a second backward() adds to .grad: the output is the sum of both")
        total = r.make("add", [state.total, root])
        r.roots.append(total.held)
        state.total = total
    else:
        state.total = root


def grad_of(r: Interpreter, x: Array) -> Any:
    """Return `x.grad`: None, or the sum of what every `backward` added."""
    entry = _autograd(r).grads.get(id(x))
    if entry is None:
        return None
    total: Any = None
    for grad, _, _ in entry[1]:
        total = grad if total is None else r.make("add", [total, grad])
    r.extra.setdefault("grads of", {})[id(total)] = (
        total,
        x,
    )  # holds the array, so that its id stays its own
    return total


@known("torch.autograd.grad", table=TORCH)
def autograd_grad(
    r: Interpreter,
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: Any = None,
    create_graph: bool = False,
    allow_unused: bool = False,
    **_: Any,
) -> tuple:
    """Read `torch.autograd.grad`."""
    outs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
    seeds = list(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else [grad_outputs] * len(outs)
    ins = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
    total: Any = None
    for out, seed in zip(outs, seeds, strict=True):
        _differentiable(r, out)
        root = _root(r, out, seed, "grad")
        total = root if total is None else r.make("add", [total, root])
    above, found = r.builder.ancestors(total.held), []
    r.roots.append(total.held)
    for one in ins:
        if not isinstance(one, Array) or not one.requires_grad:
            raise Refused(
                "One of the differentiated Tensors does not require grad.",
                "Write requires_grad=True.",
                "requires-grad",
            )
        label = _label(r, one)
        if not isinstance(one.held, Ref) or one.held.number not in above:
            if not allow_unused:
                raise Refused(
                    "One of the differentiated Tensors appears to not have been used in the graph.",
                    "Set allow_unused=True if this is the desired behaviour.",
                    "unused",
                )
            found.append(None)
            r.requests.append(Request(label, total.held, None, r.line))
            continue
        grad = r.gradient(total, one)
        grad.requires_grad, grad.leaf = create_graph, not create_graph
        found.append(grad)
        r.requests.append(Request(label, total.held, one.held, r.line, grad.held))
    return tuple(found)


def _label(r: Interpreter, x: Array) -> str:
    return (
        r.extra.get(("label", id(x)))
        or (r.builder.drafts[x.held.number].hint if isinstance(x.held, Ref) else "")
        or "x"
    )


def tensor_attribute(r: Interpreter, x: Array, name: str, node: ast.AST) -> tuple[bool, Any]:
    """Return (whether it is one of a tensor's own attributes, its value)."""
    if name == "grad":
        return True, grad_of(r, x)
    if name == "requires_grad":
        return True, x.requires_grad
    if name == "is_leaf":
        return True, x.leaf
    if name == "data":
        return True, detach(r, x)
    if name.endswith("_") and (method := in_place_method(name)) is not None and name not in TENSOR:
        return True, Native(lambda _, args, kw: method(r, x, *args, **kw), name)
    if name == "mT":
        return True, transpose(r, x, -1, -2)
    return False, None


def set_tensor_attribute(r: Interpreter, x: Array, name: str, value: Any, target: ast.AST) -> None:
    """Set an attribute of a tensor: `requires_grad`, or `grad` to None or zero."""
    if name == "requires_grad":
        requires_grad_(r, x, bool(value))
    elif name == "grad" and value is None:
        _autograd(r).grads.pop(id(x), None)
    else:
        raise Refused(f"{name!r} of a tensor cannot be set here.", at=target)


class NoGrad:
    """What `torch.no_grad()` is: a block that records nothing."""


def enter_no_grad(r: Interpreter, manager: NoGrad) -> tuple[None, Callable[[], None]]:
    """Enter a block without gradients."""
    r.no_grad += 1

    def leave() -> None:
        r.no_grad -= 1

    return None, leave


TORCH["torch.no_grad"] = lambda r, *f: _decorated(r, *f) if f else NoGrad()
TORCH["torch.inference_mode"] = TORCH["torch.no_grad"]


def _decorated(r: Interpreter, function: Any) -> Native:
    def call(_: Interpreter, args: list, keywords: dict) -> Any:
        r.no_grad += 1
        try:
            return r.call(function, args, keywords)
        finally:
            r.no_grad -= 1

    return Native(call, "no_grad", function)


def check_in_place(r: Interpreter, x: Array, node: ast.AST) -> None:
    """Refuse a change in place that autograd refuses, or whose effect on the backward pass is not read."""
    if x.requires_grad and x.leaf and not r.no_grad:
        raise Refused(
            "a leaf Variable that requires grad is being used in an in-place operation.",
            "Write a new value: y = x + 1, or use torch.no_grad().",
            "leaf-in-place",
            node,
        )
    if x.views or x.base is not None:
        raise Refused(
            "A change in place of a tensor that shares its memory with another is not read.",
            "Write clone().",
            "view",
            node,
        )


def in_place_method(name: str) -> Callable[..., Any] | None:
    """Return the method that changes a tensor in place as another one computes; None if there is none."""
    if name == "zero_":
        return lambda r, x: _replace(r, x, 0.0)
    if name == "fill_":
        return lambda r, x, value: _replace(r, x, value)
    if name == "copy_":
        return lambda r, x, other: _replace(r, x, other)
    plain = TENSOR.get(name.removesuffix("_")) if name.endswith("_") and not name.endswith("__") else None
    if plain is None:
        return None

    def change(r: Interpreter, x: Array, *args: Any, **keywords: Any) -> Array:
        r.in_place(x, plain(r, x, *args, **keywords), ast.Constant(0))
        return x

    return change


def _replace(r: Interpreter, x: Array, value: Any) -> Array:
    grads = r.extra.get("grads of", {})
    if id(x) in grads:  # x.grad.zero_()
        _autograd(r).grads.pop(id(grads[id(x)][1]), None)
        return x
    shape = shape_of(r, x)
    if isinstance(value, Array) and value.is_node:
        new = value if shape_of(r, value) == shape else arrays.broadcast(r, value, shape)
        new = Array(r.builder.add(IDENTITY, [new.held], Rule(STOP) if r.no_grad else None), "torch", x.dtype)
    else:
        numbers = np.broadcast_to(np.array(value.held if isinstance(value, Array) else value, float), shape)
        new = constant(r, numbers.copy(), "torch", x.dtype)
    r.in_place(x, new, ast.Constant(0))
    return x


def install(r: Interpreter) -> None:
    """Teach an interpreter PyTorch."""
    r.tables |= TORCH
    r.methods["torch"] = {**TENSOR}
    r.handlers.attribute["torch"] = tensor_attribute
    r.handlers.set_attribute[Array] = set_tensor_attribute
    r.handlers.enter[NoGrad] = enter_no_grad
    r.handlers.in_place["torch"] = check_in_place
