"""Read PyTorch's autograd: `backward`, `autograd.grad`, hooks, modes without gradients, `torch.func`,
checkpoints.

A call of `backward` differentiates by every leaf that its output was computed from. What a second call adds
to `.grad` is added here too: the graph's output is then the sum of both outputs.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from autodiff_viz.graph.model import GRAD, IDENTITY, Rule
from autodiff_viz.graph.policies import POLICIES
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.reading.functions.arrays import known, parameter_names, shape_of
from autodiff_viz.reading.functions.corners import refuse_odd
from autodiff_viz.reading.functions.declared import Transforms
from autodiff_viz.reading.jax.transforms import argument, merged
from autodiff_viz.reading.language.operators import as_written
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.several import Site
from autodiff_viz.reading.language.values import (
    BOOL,
    FLOATS,
    INT,
    Array,
    Native,
    Refused,
    arrays_in,
    is_unknown,
    leaves,
    mapped,
)
from autodiff_viz.reading.nodes.builder import SEED, Builder, Frame, Ref
from autodiff_viz.reading.nodes.costs import LibraryError, pay_values, sized
from autodiff_viz.reading.nodes.evaluation import Evaluation
from autodiff_viz.reading.tensors.torch_facts import CONVERTS, FACTS, ITSELF, SCATTERED, VIEWS, refuses
from autodiff_viz.reading.tensors.torch_memory import (
    DATA,
    Memory,
    base_requires_grad,
    change,
    change_as,
    check_overlap,
    check_usable,
    info,
    lay_out,
    places,
    record,
    refreshed,
)
from autodiff_viz.reading.tensors.torch_tensors import (
    TENSOR,
    TORCH,
    Device,
    Draws,
    Pair,
    check_dims,
    check_drawn,
    dtype_in_use,
    requires_grad_,
    stopped,
    tensor,
)
from autodiff_viz.reading.torch import functional as torch_functional
from autodiff_viz.reading.torch import losses as torch_losses
from autodiff_viz.reading.torch.elements import absolute, clamp
from autodiff_viz.reading.torch.hooks import accumulated, hooked, refuse_hooks
from autodiff_viz.reading.torch.passes import (
    Autograd,
    between,
    gradient_node,
    known_leaves,
    pass_through,
    reached,
)
from autodiff_viz.reading.torch.places import in_place_method, item, set_item
from autodiff_viz.reading.torch.shapes import t, transpose
from autodiff_viz.reading.torch.structure import labels, with_parameters

_ = torch_functional, torch_losses

ROWS = 64  # of a Jacobian, and of what vmap unrolls


# Backward.


def differentiable(reader: Reader, x: Any) -> None:
    """Check that a tensor can be differentiated."""
    if not isinstance(x, Array) or not x.requires_grad:
        raise LibraryError(
            "element 0 of tensors does not require grad and does not have a grad_fn",
            "Create a tensor with requires_grad=True, and compute the output from it with gradients on.",
            "no-grad-fn",
        )
    check_usable(reader, x)


def seeded(reader: Reader, x: Array, gradient: Any, create: bool) -> Array:
    """Return the number that is differentiated: the output, or the sum of its products with a cotangent."""
    shape = shape_of(reader, x)
    if gradient is None:
        if int(np.prod(shape)) != 1:
            raise LibraryError(
                "grad can be implicitly created only for scalar outputs",
                "Sum it up, or pass the cotangent: backward(torch.ones_like(y)).",
                "not-scalar",
            )
        return x if shape == () else reader.make("sum", [x])
    seed = tensor(reader, gradient)
    if shape_of(reader, seed) != shape:
        raise LibraryError(
            f"Mismatch in shape: grad_output[0] has a shape of {list(shape_of(reader, seed))} and "
            f"output[0] has a shape "
            f"of {list(shape)}.",
            "Give the gradient the shape of the output.",
            "shape",
        )
    if seed.is_node and not (create and seed.requires_grad):
        seed = Array(reader.builder.add(IDENTITY, [seed.held], Rule(STOP)), "torch", seed.dtype)
    elif seed.is_node and reader.builder.ancestors(seed.held) & reached(reader, x.held):
        raise Refused("A cotangent that depends on what is differentiated is not read.", "Write detach().")
    product = Array(reader.builder.add("mul", [x.held, seed.held]), "torch", x.dtype, True, False)
    differs = create and seed.is_node and seed.requires_grad
    reader.state(Autograd).seeds[product.held.number] = [seed.held] if differs else []
    return (
        product
        if shape == ()
        else Array(reader.builder.add("sum", [product.held]), "torch", x.dtype, True, False)
    )


def _outside_of_rules(reader: Reader) -> None:
    if not isinstance(reader.builder, Builder):
        raise Refused("A derivative inside a declared derivative is not read.", "Write out its formula.")


@known("backward", table=TENSOR)
def backward(
    reader: Reader,
    x: Array,
    gradient: Any = None,
    retain_graph: Any = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Read `backward`: the gradients are added at the leaves."""
    differentiable(reader, x)
    state, create = reader.state(Autograd), bool(create_graph)
    _outside_of_rules(reader)
    # An array is differentiated from ones, in the graph as well.
    root = x if _is_ones(reader, gradient, shape_of(reader, x)) else seeded(reader, x, gradient, create)
    below = reached(reader, root.held)
    chosen = known_leaves(reader)
    if inputs is not None:
        given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        sources = [ref for one in given for ref in info(reader, one).sources]
        way = between(reader, root.held, [ref for ref in sources if ref.number in below])
        chosen = [*given, *(one for one in retaining(reader, way) if one not in given)]
    found = [(one, [ref for ref in info(reader, one).sources if ref.number in below]) for one in chosen]
    found = [(one, refs) for one, refs in found if refs]
    retain = create if retain_graph is None else bool(retain_graph)
    sources = [ref for _, refs in found for ref in refs]
    pass_through(reader, root.held, sources, retain, create)
    state.ran = True
    added = False
    with_hooks = hooked(reader, root, sources, create)
    root = with_hooks.root
    for one, refs in found:
        new = with_hooks.gradient(reader, refs, one.dtype, create)
        added |= add_gradient(reader, one, new, create)
        _check_nan(reader, new)
        accumulated(reader, one)
    reader.roots.append(root.held)
    if added and state.total is not None:
        reader.say(reader.line, "a second backward() adds to .grad: the output is the sum of both")
        both = [
            one if reader.builder.shape(one) == () else reader.builder.add("sum", [one])
            for one in (state.total, root.held)
        ]
        state.total = reader.builder.add("add", both)
        reader.roots.append(state.total)
    else:
        state.total = root.held


def retaining(reader: Reader, way: Container[int]) -> list[Array]:
    """Return the computed tensors that keep the gradient which a backward pass brings them."""
    return [
        x
        for x in list(reader.state(Memory).of)
        if x.retains and not x.leaf and any(ref.number in way for ref in info(reader, x).sources)
    ]


def add_gradient(reader: Reader, x: Array, new: Array, create: bool) -> bool:
    """Add to the `.grad` of a tensor; return whether there was any."""
    about = info(reader, x)
    old = about.grad
    if not reader.is_known(old):  # and so is what is added to it
        return False
    if old is None:
        about.grad = new
        return False
    if create:
        again = old.requires_grad or new.requires_grad
        about.grad = Array(
            reader.builder.add("add", [old.held, new.held]), "torch", x.dtype, again, not again
        )
        return True
    was_zero = _is_zero(reader, old)
    old.held = reader.builder.add("add", [old.held, new.held])
    reader.builder.replaced.add(old.held.number)
    info(reader, old).counter.version += 1
    info(reader, old).storage.changes += 1
    return not was_zero


def _check_nan(reader: Reader, grad: Array) -> None:
    """Raise PyTorch's error for a NaN, where the text has asked for it."""
    if reader.state(Autograd).anomaly:
        check_drawn(reader, grad)
        if np.isnan(Evaluation(reader.builder, dtype_in_use(reader)).value(grad.held)).any():
            raise LibraryError(
                "A function returned nan values in its 0th output.", "Leave out detect_anomaly.", "anomaly"
            )


def _is_ones(reader: Reader, seed: Any, shape: tuple[int, ...]) -> bool:
    """Whether a cotangent is ones of this shape, whatever the inputs are."""
    if not isinstance(seed, Array) or shape_of(reader, seed) != shape:
        return False
    if isinstance(seed.held, Ref):
        draft = reader.builder.drafts[seed.held.number]
        draft.hint = draft.hint or (SEED if draft.op == "ones_like" else "")
        return draft.op == "ones_like"
    return bool(np.all(np.array(seed.held) == 1.0))


def _is_zero(reader: Reader, x: Array) -> bool:
    if isinstance(x.held, Ref):
        draft = reader.builder.drafts[x.held.number]
        return draft.op == "input" and not np.any(np.array(draft.params.get("value", 1.0)))
    return not np.any(np.array(x.held))


TORCH["torch.autograd.backward"] = (
    lambda reader, tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None: (
        _backward_of_several(reader, tensors, grad_tensors, retain_graph, create_graph, inputs)
    )
)


def _backward_of_several(
    reader: Reader, tensors: Any, seeds: Any, retain: Any, create: bool, inputs: Any
) -> None:
    outs = list(tensors) if isinstance(tensors, (tuple, list)) else [tensors]
    given = list(seeds) if isinstance(seeds, (tuple, list)) else [seeds] * len(outs)
    total = _sum_of(reader, outs, given, create)
    backward(reader, total, None, retain, create, inputs)


def _sum_of(reader: Reader, outs: Sequence[Any], seeds: Sequence[Any], create: bool) -> Array:
    total: Any = None
    for out, seed in zip(outs, seeds, strict=True):
        differentiable(reader, out)
        part = seeded(reader, out, seed, create)
        total = (
            part
            if total is None
            else Array(reader.builder.add("add", [total.held, part.held]), "torch", part.dtype, True, False)
        )
    return total


@known("torch.autograd.grad", table=TORCH)
def autograd_grad(
    reader: Reader,
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: Any = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: Any = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple:
    """Read `torch.autograd.grad`."""
    _outside_of_rules(reader)
    if is_grads_batched:
        raise Refused("is_grads_batched is not read.", "Write a loop over the cotangents.")
    outs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
    seeds = list(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else [grad_outputs] * len(outs)
    ins = list(reader.items(inputs)) if not isinstance(inputs, Array) else [inputs]
    create = bool(create_graph)
    root = _sum_of(reader, outs, seeds, create)
    below, state = reached(reader, root.held), reader.state(Autograd)
    if below & state.reentrant:
        raise LibraryError(
            "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
            "passing an `inputs` "
            "parameter to .backward().",
            "Write use_reentrant=False.",
            "reentrant",
        )
    for one in ins:
        if not isinstance(one, Array) or not one.requires_grad:
            raise LibraryError(
                "One of the differentiated Tensors does not require grad",
                "Write requires_grad=True.",
                "requires-grad",
            )
    retain = create if retain_graph is None else bool(retain_graph)
    sources = [[ref for ref in info(reader, one).sources if ref.number in below] for one in ins]
    wrt = [ref for refs in sources for ref in refs]
    pass_through(reader, root.held, wrt, retain, create)
    with_hooks = hooked(reader, root, wrt, create)
    reader.roots.append(with_hooks.root.held)
    results: list[Any] = []
    for one, refs in zip(ins, sources, strict=True):
        label = info(reader, one).label or "x"
        if refs:
            goes_on = between(reader, root.held, [ref for ref in wrt if ref not in refs])
            results.append(with_hooks.captured(reader, refs, one.dtype, create, goes_on))
            _check_nan(reader, results[-1])
        elif materialize_grads:
            results.append(TORCH["torch.zeros_like"](reader, one))
        elif not allow_unused:
            raise LibraryError(
                "One of the differentiated Tensors appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior.",
                "Set allow_unused=True.",
                "unused",
            )
        else:
            results.append(None)
        state.asked.append((label, results[-1], reader.site))
    for one in retaining(reader, between(reader, root.held, wrt)):
        add_gradient(
            reader, one, with_hooks.gradient(reader, info(reader, one).sources, one.dtype, create), create
        )
    return tuple(results)


@known("retain_grad", table=TENSOR)
def retain_grad(reader: Reader, x: Array) -> None:
    """Read that a computed tensor keeps its gradient."""
    if not refreshed(reader, x).requires_grad:
        raise LibraryError("can't retain_grad on Tensor that has requires_grad=False", "", "requires-grad")
    info(reader, x)
    x.retains = True


# Attributes and operators.


def tensor_attribute(reader: Reader, x: Array, name: str, node: ast.AST) -> tuple[bool, Any]:
    """Return (whether it is one of a tensor's own attributes, its value)."""
    plain: dict[str, Callable[[], Any]] = {
        "grad": lambda: _read_grad(reader, x),
        "requires_grad": lambda: x.requires_grad or base_requires_grad(reader, x),
        "is_leaf": lambda: x.leaf or not x.requires_grad,
        "retains_grad": lambda: x.retains,
        "data": lambda: stopped(reader, x, DATA),
        "grad_fn": lambda: Native(lambda *_: None, "grad_fn") if x.requires_grad and not x.leaf else None,
        "device": Device,
        "T": lambda: t(reader, x),
        "H": lambda: t(reader, x),
        "mT": lambda: transpose(reader, x, -1, -2),
        "real": lambda: x,
        "is_cuda": lambda: False,
        "_version": lambda: info(reader, x).counter.version,
        "itemsize": lambda: 4,
    }
    if name in plain:
        return True, plain[name]()
    method = in_place_method(name)
    if method is None:
        return False, None

    def call(_: Reader, args: list, keywords: dict) -> Any:
        return recorded(name, method)(reader, x, *args, **keywords)

    return True, Native(call, name)


def _read_grad(reader: Reader, x: Array) -> Array | None:
    if isinstance(reader.builder, Builder):
        reader.state(Autograd).read[x] = None
    return info(reader, x).grad


def set_tensor_attribute(reader: Reader, x: Array, name: str, value: Any, target: ast.AST) -> None:
    """Set an attribute of a tensor: `requires_grad`, `grad` or `data`."""
    if name == "requires_grad":
        requires_grad_(reader, x, bool(value))
    elif name == "grad" and (value is None or isinstance(value, Array)):
        if value is not None and shape_of(reader, value) != shape_of(reader, x):
            raise LibraryError("assigned grad has data of a different size", at=target)
        info(reader, x).grad = value
    elif name == "data" and isinstance(value, Array):
        if shape_of(reader, value) != shape_of(reader, x):
            raise Refused("A tensor keeps its shape here.", "Make a new one.", at=target)
        held = value.held
        if isinstance(held, Ref):
            held = reader.builder.add(IDENTITY, [held], Rule(STOP))
        change(reader, stopped(reader, x, DATA), Array(held, "torch", x.dtype), target)
    elif isinstance(value, (int, float, str, bool)) or value is None:
        reader.state(Marks).of[x, name] = value
    else:
        raise Refused(f"{name!r} of a tensor cannot be set here.", at=target)


def pair_attribute(reader: Reader, pair: Pair, name: str, node: ast.AST) -> Any:
    """Return the values or the indices of an extreme along a dimension."""
    if name not in ("values", "indices"):
        raise Refused(f"This has no {name!r}.", "There are values and indices.", at=node)
    return pair[0] if name == "values" else pair[1]


@dataclass(eq=False)
class Marks:
    """Attributes of the text's own that it gives to tensors."""

    of: dict[tuple[Array, str], Any] = field(default_factory=dict)


def operator(reader: Reader, op: ast.AST, left: Any, right: Any, node: ast.AST) -> Any:
    """Apply an operator of Python to tensors, as the function that PyTorch calls for it."""
    if isinstance(op, ast.USub):
        if left.dtype == BOOL:
            raise LibraryError(
                "Negation, the `-` operator, on a bool tensor is not supported.", "Write ~x.", at=node
            )
        return called(reader, "neg", left)
    if isinstance(op, ast.UAdd):
        return left
    if isinstance(op, ast.Invert):
        if left.dtype != BOOL:
            raise Refused("'~' is read of comparisons only.", at=node)
        return TORCH["torch.logical_not"](reader, left)
    for side in (left, right):
        if isinstance(side, (list, tuple)) or side is None or isinstance(side, str):
            raise LibraryError("unsupported operand types for a Tensor.", "Write torch.tensor(...).", at=node)
        if not isinstance(side, (Array, int, float)):
            raise Refused("A tensor and this cannot be joined by an operator.", at=node)
        if isinstance(node, ast.AugAssign) and isinstance(left, Array) and left.framework == "torch":
            check_overlap(reader, places(reader, left), left, right)
        if of_numpy(reader, side) and (side is left or isinstance(node, ast.AugAssign) or needs_grad(left)):
            raise LibraryError(
                "an operator of a Tensor and an array of NumPy is not supported here.",
                "Write torch.from_numpy(...) of the array.",
                "array",
                node,
            )
    booleans = all(
        isinstance(side, bool) or (isinstance(side, Array) and side.dtype == BOOL) for side in (left, right)
    )
    if isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor)) and booleans:
        name = {ast.BitAnd: "logical_and", ast.BitOr: "logical_or"}.get(type(op))
        return (
            TORCH[f"torch.{name}"](reader, left, right)
            if name
            else reader.compare(ast.NotEq(), left, right, node)
        )
    names = {
        ast.Add: "add",
        ast.Sub: "sub",
        ast.Mult: "mul",
        ast.Div: "div",
        ast.Pow: "pow",
        ast.MatMult: "matmul",
        ast.Mod: "remainder",
        ast.FloorDiv: "floor_divide",
    }
    if type(op) not in names:
        raise Refused(f"This operator is not read of tensors: {as_written(node)}.", at=node)
    if isinstance(op, ast.Sub) and any(
        isinstance(side, Array) and side.dtype == BOOL for side in (left, right)
    ):
        raise LibraryError(
            "Subtraction, the `-` operator, with a bool tensor is not supported.",
            "Use ~ or logical_not().",
            at=node,
        )
    return called(reader, names[type(op)], left, right)


def of_numpy(reader: Reader, x: Any) -> bool:
    """Return whether a value is an array of NumPy, which is no scalar."""
    return (
        isinstance(x, Array)
        and x.framework == "numpy"
        and (shape_of(reader, x) != () or info(reader, x).array)
    )


def needs_grad(x: Any) -> bool:
    """Return whether a value is a tensor that requires a gradient."""
    return isinstance(x, Array) and x.requires_grad


def called(reader: Reader, name: str, *args: Any) -> Any:
    """Call a function of PyTorch, and note what it saves."""
    return recorded(name, TORCH[f"torch.{name}"])(reader, *args)


DIMS = ("dim", "dims", "dim0", "dim1", "start_dim", "end_dim", "source", "destination", "axis")
"""Parameters that are dimensions of the first tensor."""


WITH_DIM = ("mean", "sum", "prod", "logsumexp", "max", "min", "median")
"""Folds that keep a dimension only where it is named."""


def _check_dims(reader: Reader, name: str, x: Any, given: dict[str, Any]) -> None:
    """Check the dimensions that a call names.

    Raises:
      LibraryError: its tensor does not have one, one is named twice, or none where one must be.
    """
    if not isinstance(x, Array) or name == "tile":  # its dims are counts
        return
    if name in WITH_DIM and given.get("keepdim") and given.get("dim") is None:
        raise LibraryError(
            f"{name}() received an invalid combination of arguments", "Name dim beside keepdim."
        )
    rank = max(len(shape_of(reader, x)), 1) + (name == "unsqueeze")
    for dim in (given[one] for one in DIMS if one in given):
        check_dims(rank, dim if isinstance(dim, (tuple, list)) else (dim,))


def _kind(x: Array) -> str:
    """Return whether a tensor holds floats, whole numbers or bools, as a letter."""
    return "f" if x.dtype in FLOATS else "i" if x.dtype == INT else "b"


def recorded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of PyTorch that notes what it saves for the backward pass."""
    if name in ("backward", "register_hook", "retain_grad"):
        return function

    try:
        order = [*inspect.signature(function).parameters][1:]
    except ValueError:
        order = []

    def call(reader: Reader, *args: Any, **keywords: Any) -> Any:
        if reader.handlers.check_method is not None:
            reader.handlers.check_method(reader, name, args)
        for one in args:
            if isinstance(one, Array):
                refreshed(reader, one)
                if name not in NUMBERS_ALONE:
                    check_usable(reader, one)
                if of_numpy(reader, one) and name not in OF_ARRAYS:
                    raise LibraryError(
                        f"{name}(): an argument must be Tensor, not numpy.ndarray.",
                        "Write torch.from_numpy(...) of the array.",
                        "array",
                    )
        given = [one for value in (*args, *keywords.values()) for one in _arrays(value)]
        by_name = {**dict(zip(order, args, strict=False)), **keywords}
        _check_dims(reader, name.rstrip("_"), args[0] if args else keywords.get("input"), by_name)
        numbers = [isinstance(one, (int, float)) for one in args[:2]]
        if any(numbers[:1]) and name in TENSOR_FIRST:
            raise LibraryError(
                f"{name}(): argument 'input' (position 1) must be Tensor, not {type(args[0]).__name__}.",
                "Write torch.tensor(...).",
            )
        # A number behind the tensor of max() and min() is an axis.
        if name in OF_TENSORS and any(numbers[:1] if name in ("max", "min") else numbers):
            raise LibraryError(
                f"{name}(): both arguments must be Tensors, not numbers.", "Write torch.tensor(...)."
            )
        if "keepdims" in keywords:  # as NumPy calls it; PyTorch takes both
            keywords["keepdim"] = keywords.pop("keepdims")
        result = function(reader, *args, **keywords)
        converts = name in CONVERTS and by_name.get("dtype") is not None
        kind = "" if converts else refuses(name.rstrip("_"), "".join(map(_kind, given)))
        if kind:
            dtype = "Bool" if kind == "b" else "Long"
            raise LibraryError(f"\"{name}\" not implemented for '{dtype}'.", "Write .float().", "dtype")
        if isinstance(reader.builder, Builder) and not reader.no_grad:
            along = name in ("max", "min", "median") and isinstance(result, tuple)
            own = "max_dim" if along else name
            first = bool(args) and isinstance(args[0], (int, float))
            for one in [tuple.__getitem__(result, 0)] if along else _arrays(result):
                if one.dtype in (INT, BOOL):
                    one.requires_grad, one.leaf = False, True
                else:
                    record(reader, own, given, one, first)
                    if own in SCATTERED and len(shape_of(reader, one)) > 1:
                        info(reader, one).unknown = True
        in_place = name in torch_functional.WITH_INPLACE and (keywords.get("inplace") or args[-1:] == (True,))
        if (
            isinstance(result, Array)
            and name in COPIES
            and not in_place
            and any(result is one for one in args)
        ):
            return TENSOR["clone"](reader, result)
        return result

    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call


WITH_NUMBERS = frozenset(
    [
        *("add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "floor_divide"),
        *("pow", "float_power", "remainder", "where", "xlogy", "as_tensor", "asarray"),
    ]
)
TENSOR_FIRST = {
    *(
        name.partition("/")[0]
        for name, facts in FACTS.items()
        if facts.saves != ("",) or facts.again != ("",)
    ),
    *("ceil", "fix", "floor", "fmod", "frac", "mean", "neg", "negative", "round", "rsub", "sum", "trunc"),
} - WITH_NUMBERS
"""Functions whose first argument is a tensor, and no number."""

COPIES = frozenset(FACTS) - VIEWS - ITSELF
"""Functions that return a copy also where our reading returns what it was given."""

MAKERS = ["tensor", "as_tensor", "asarray", "from_numpy", "new_tensor"]
OF_ARRAYS = frozenset(
    [*MAKERS, "Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "allclose", "getitem", "index"]
)
"""Functions that take arrays of NumPy."""

OF_TENSORS = frozenset(
    (
        *("atan2", "arctan2", "fmax", "fmin", "hypot", "logaddexp", "max", "maximum", "min", "minimum"),
        *(name for name in FACTS if name.endswith("_loss") or name in ("cross_entropy", "kl_div")),
    )
)
"""Functions of two tensors, neither of which may be a number."""

NUMBERS_ALONE = ("detach", "item", "numpy", "tolist", "contiguous", "to", "float", "cpu", "type")
"""Functions that take a tensor's numbers, whatever autograd knows of it."""


def _arrays(value: Any) -> list[Array]:
    if isinstance(value, Array):
        return [value]
    if type(value) in (list, tuple):
        return [one for part in value for one in _arrays(part)]
    return []


def get_item(reader: Reader, x: Array, index: Any, node: ast.AST) -> Any:
    """Read `x[index]` of a tensor."""
    plain = not any(
        isinstance(one, (Array, list)) for one in (index if isinstance(index, tuple) else (index,))
    )
    return recorded("getitem" if plain else "index", partial(item, node=node))(reader, x, index)


def _rows(reader: Reader, x: Array, node: ast.AST) -> list[Array]:
    """Return what a loop over a tensor yields: the views that unbind() returns."""
    shape = shape_of(reader, x)
    if not shape:
        raise LibraryError("iteration over a 0-d tensor", "Write x.item().", at=node)
    if shape[0] > ITERATED:
        raise Refused(f"A loop over {shape[0]} elements is not unrolled.", "Use fewer.", "too-large", node)
    return list(recorded("unbind", TORCH["torch.unbind"])(reader, x))


ITERATED = 256  # rows of a loop over a tensor


def named(reader: Reader, value: Any, name: str) -> None:
    """Note the first name of a tensor, which its answer has; those in a list or a dictionary are numbered.

    A list that stands in several places is walked at the first one.
    """
    seen: set[int] = set()
    waiting = [(value, name)]
    while waiting:
        one, label = waiting.pop()
        if isinstance(one, Array) and one.framework == "torch":
            _label(reader, one, label)
        if id(one) in seen or len(label) > LABEL:
            continue
        if isinstance(one, dict):
            inside = list(one.items())
        elif type(one) in (list, tuple) and len(one) <= 64:
            inside = list(enumerate(one))
        else:
            continue
        seen.add(id(one))
        pay_values(4 + len(inside))
        held = [(each, f"{label}.{key}") for key, each in inside if isinstance(each, _NAMED)]
        waiting += reversed(held)


LABEL = 400  # characters of the name of a tensor in lists inside lists
_NAMED = (Array, list, tuple, dict)


def _label(reader: Reader, array: Array, name: str) -> None:
    about = info(reader, array)
    about.label = about.label or name
    hinted = array.held if isinstance(array.held, Ref) else None
    if (
        hinted is not None
        and isinstance(reader.builder, Builder)
        and not reader.builder.drafts[hinted.number].hint
    ):
        reader.builder.drafts[hinted.number].hint = name.replace(".", "_")


# Modes.


@dataclass(frozen=True)
class Mode:
    """What `torch.no_grad()` and its kin are: gradients on or off in a block or a function."""

    enabled: bool


def enter_mode(reader: Reader, mode: Any) -> tuple[None, Callable[[], None]]:
    """Enter a block with gradients on or off."""
    outside = reader.no_grad
    if isinstance(mode, Mode):
        reader.no_grad = 0 if mode.enabled else 1
    elif isinstance(mode, Set):
        outside = mode.before

    def leave() -> None:
        reader.no_grad = outside

    return None, leave


@dataclass(frozen=True)
class Set:
    """What `torch.set_grad_enabled(...)` returns: used as a block, it sets back what was before."""

    before: int


@dataclass(frozen=True)
class Nothing:
    """A block that changes no number."""


def call_mode(reader: Reader, mode: Any, args: list, keywords: dict, node: ast.AST | None) -> Native:
    """Read a mode as a decorator."""
    function = args[0]

    def call(_: Reader, given: list, more: dict) -> Any:
        _, leave = enter_mode(reader, mode)
        try:
            return reader.call(function, given, more, node)
        finally:
            leave()

    return Native(call, "no_grad", function)


def _mode(enabled: bool) -> Callable[..., Any]:
    return lambda reader, function=None: (
        Mode(enabled)
        if function is None or isinstance(function, bool)
        else call_mode(reader, Mode(enabled), [function], {}, None)
    )


TORCH["torch.no_grad"] = TORCH["torch.autograd.no_grad"] = _mode(False)
TORCH["torch.inference_mode"] = lambda reader, mode=True: (
    Mode(False)
    if mode is True
    else Mode(True)
    if mode is False
    else (call_mode(reader, Mode(False), [mode], {}, None))
)
TORCH["torch.enable_grad"] = TORCH["torch.autograd.enable_grad"] = _mode(True)
TORCH["torch.is_grad_enabled"] = lambda reader: not reader.no_grad


@known("torch.set_grad_enabled", "torch.autograd.set_grad_enabled", table=TORCH)
def set_grad_enabled(reader: Reader, mode: bool) -> Set:
    """Read that gradients are switched on or off from here on."""
    before, reader.no_grad = reader.no_grad, 0 if mode else 1
    return Set(before)


@known("torch.autograd.set_detect_anomaly", "torch.autograd.detect_anomaly", table=TORCH)
def detect_anomaly(reader: Reader, mode: bool = True, check_nan: bool = True) -> Nothing:
    """Read that a NaN in a backward pass is an error."""
    reader.state(Autograd).anomaly |= bool(mode)
    return Nothing()


@known("torch.compile", "torch.jit.script", "torch.jit.export", "torch.jit.ignore", table=TORCH)
def compiled(reader: Reader, model: Any = None, **options: Any) -> Any:
    """Read what is compiled as it is: the numbers are the same but for rounding."""
    if set(options) - {"mode", "fullgraph", "dynamic", "backend", "options", "disable"}:
        raise Refused("torch.compile() is not read with these arguments.")
    return model if model is not None else Native(lambda _, args, __: args[0], "compile")


for _name in ("torch.autograd.profiler.record_function", "torch.autograd.graph.set_multithreading_enabled"):
    TORCH[_name] = lambda reader, *_: Nothing()


@known("torch.autocast", "torch.cuda.amp.autocast", "torch.amp.autocast", table=TORCH)
def autocast(reader: Reader, *_: Any, enabled: bool = True, **__: Any) -> Nothing:
    """Refuse computation in 16 bits that PyTorch chooses op by op."""
    if enabled:
        raise Refused("autocast() chooses a dtype for every op, which is not read.", "Leave it out.")
    return Nothing()


# Functions of functions: torch.func and torch.autograd.functional.


def transform(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of `torch.func`, inside which some things are known to be."""

    def call(reader: Reader, func: Any, *args: Any, **keywords: Any) -> Any:
        def inside(_: Reader, given: list, more: dict) -> Any:
            active = reader.state(Transforms).active
            active.append(name.rpartition(".")[2])
            try:
                return reader.call(func, given, more)
            finally:
                active.pop()

        return function(reader, Native(inside, getattr(func, "name", "function"), func), *args, **keywords)

    return call


@dataclass
class Called:
    """A call of a function whose arguments have nodes of their own.

    Attributes:
      value: what it returned.
      owns: (name, tensor that was given, its own node) of each array that it is differentiated by.
      arguments: the arguments with their own nodes.
      outer: whether its value depends on tensors that are differentiated by outside.
    """

    value: Any
    owns: list[tuple[str, Array, Array]]
    arguments: list[Any]
    outer: bool


def call_at(
    reader: Reader, function: Any, args: Sequence[Any], keywords: dict, argnums: Sequence[int]
) -> Called:
    """Call a function with the chosen arguments as nodes that it is differentiated by."""
    _outside_of_rules(reader)
    names, given = parameter_names(function), list(args)
    owns: list[tuple[str, Array, Array]] = []
    chosen, first = [], len(reader.builder.drafts)
    outer = False
    for i in argnums:
        if not -len(given) <= i < len(given):
            raise Refused(f"argnums names argument {i}, and {len(given)} are given.")
        i %= len(given)
        here = mapped(partial(_as_node, reader), given[i])
        outer |= any(one.requires_grad for one in arrays_in(here))
        given[i], mine = argument(reader, here, names[i] if i < len(names) else f"arg{i}")
        for _, _, own in mine:
            own.framework, own.requires_grad, own.leaf = "torch", True, False
            info(reader, own)
        owns += mine
        chosen.append(given[i])
    with reader.grad_enabled(True):
        value = reader.call(function, given, keywords)
    merged(reader, owns, first)
    for one in arrays_in(value):
        if one.is_node:
            below = reached(reader, one.held)
            inside = {id(own) for _, _, own in owns}
            outer |= any(
                ref.number in below
                for x in known_leaves(reader)
                if id(x) not in inside
                for ref in info(reader, x).sources
            )
    return Called(value, owns, chosen, outer)


def _as_node(reader: Reader, x: Any) -> Any:
    if isinstance(x, Array) and not x.is_node:
        x.held = reader.builder.input(x.held, "")
        return x
    if isinstance(x, float):
        return Array(reader.builder.input(x, ""), "torch", reader.state(Draws).default)
    return x


def derivatives(
    reader: Reader, root: Array, done: Called, ask: bool = True, by_argument: bool = True
) -> list[Any]:
    """Return the derivatives of a number by each argument."""
    refuse_hooks(reader, root)
    by_own: dict[int, Array] = {}
    above = reader.builder.ancestors(root.held) if root.is_node else set()
    for label, given, own in done.owns:
        if own.held.number in above:
            made = gradient_node(reader, root, [own.held], own.dtype, True)
            made.requires_grad, made.leaf = done.outer, not done.outer
        else:
            made = TORCH["torch.zeros_like"](reader, own)
        by_own[id(own)] = made
        if ask:
            note_answer(reader, label, given, made, by_argument)
    if root.is_node:
        reader.roots.append(root.held)
    return [mapped(lambda leaf: by_own.get(id(leaf), leaf), one) for one in done.arguments]


def note_answer(reader: Reader, label: str, given: Array, made: Any, by_argument: bool) -> None:
    """Note a derivative that the text asks for, by the name of the argument or of the tensor given."""
    state, own = reader.state(Autograd), info(reader, given).label or label
    name, other = (label, own) if by_argument else (own, label)
    state.asked.append((name, made, reader.site))
    if other != name:
        state.aliases[other] = name


def _numbers_of_args(argnums: Any) -> tuple[list[int], bool]:
    if type(argnums) is int:
        return [argnums], True
    return [int(one) for one in argnums], False


def _one_number(reader: Reader, value: Any) -> Array:
    if not isinstance(value, Array) or shape_of(reader, value) != ():
        raise LibraryError(
            "Expected f(*args) to return a scalar tensor.", "Sum it up, or use jacrev or vjp.", "not-scalar"
        )
    return value


def _grad(reader: Reader, function: Any, argnums: Any, has_aux: bool, with_value: bool) -> Native:
    chosen, one = _numbers_of_args(argnums)

    def call(_: Reader, args: list, keywords: dict) -> Any:
        done = call_at(reader, function, args, keywords, chosen)
        value, aux = done.value if has_aux else (done.value, None)
        results = derivatives(reader, _one_number(reader, value), done)
        made = results[0] if one else tuple(results)
        if with_value:
            return made, ((value, aux) if has_aux else value)
        return (made, aux) if has_aux else made

    return Native(call, "grad", function)


for _begin in ("torch.func", "functorch"):
    TORCH[f"{_begin}.grad"] = lambda reader, func, argnums=0, has_aux=False: _grad(
        reader, func, argnums, has_aux, False
    )
    TORCH[f"{_begin}.grad_and_value"] = lambda reader, func, argnums=0, has_aux=False: _grad(
        reader, func, argnums, has_aux, True
    )


@known("torch.func.vjp", "functorch.vjp", table=TORCH)
def func_vjp(reader: Reader, func: Any, *primals: Any, has_aux: bool = False) -> tuple:
    """Read `torch.func.vjp`: the value, and a function that pulls a cotangent back."""
    done = call_at(reader, func, primals, {}, range(len(primals)))
    value, aux = done.value if has_aux else (done.value, None)

    def pull(_: Reader, args: list, keywords: dict) -> Any:
        seeds = args[0] if len(args) == 1 else tuple(args)
        results = derivatives(reader, _contracted(reader, value, seeds), done)
        return tuple(results)

    back = Native(pull, "vjp_fn")
    return (value, back, aux) if has_aux else (value, back)


def _contracted(reader: Reader, value: Any, seeds: Any) -> Array:
    outputs, given = leaves(value), leaves(seeds)
    if len(outputs) != len(given):
        raise LibraryError(
            "Expected pytree structure of cotangents to be the same as pytree structure of outputs."
        )
    total: Any = None
    for (_, output), (_, seed) in zip(outputs, given, strict=True):
        part = seeded(reader, output, seed, True)
        total = part if total is None else reader.make("add", [total, part])
    return total


def tangent_of(reader: Reader, done: Called, tangents: Any) -> Array:
    """Return the derivative along tangents, as two pullbacks: the first is linear in its cotangent."""
    value = done.value
    if not isinstance(value, Array):
        raise Refused("jvp() is read of functions that return one tensor.")
    refuse_hooks(reader, value)
    seed = reader.builder.input(_literal(np.zeros(sized(shape_of(reader, value)))), SEED)
    total = reader.builder.add("mul", [value.held, seed])
    if shape_of(reader, value) != ():
        total = reader.builder.add("sum", [total])
    above = reader.builder.ancestors(total)
    sums: Any = None
    given = [leaf for one in tangents for _, leaf in leaves(one)]
    for (_, _, own), tangent in zip(done.owns, given, strict=True):
        along = tensor(reader, tangent)
        if shape_of(reader, along) != shape_of(reader, own):
            raise LibraryError("jvp: a tangent has another shape than its argument.")
        if own.held.number not in above:
            continue
        part = reader.builder.add("mul", [reader.builder.add(GRAD, [total, own.held]), along.held])
        if shape_of(reader, own) != ():
            part = reader.builder.add("sum", [part])
        sums = part if sums is None else reader.builder.add("add", [sums, part])
    if sums is None:
        return TORCH["torch.zeros_like"](reader, value)
    made = reader.builder.add(GRAD, [sums, seed])
    return Array(made, "torch", value.dtype, done.outer, not done.outer)


@known("torch.func.jvp", "functorch.jvp", table=TORCH)
def func_jvp(
    reader: Reader, func: Any, primals: Any, tangents: Any, strict: bool = False, has_aux: bool = False
) -> tuple:
    """Read `torch.func.jvp`."""
    if has_aux:
        raise Refused("jvp() is read without has_aux.")
    done = call_at(reader, func, list(primals), {}, range(len(primals)))
    made = tangent_of(reader, done, list(tangents))
    for label, given, _ in done.owns:
        note_answer(reader, label, given, made, True)
    if isinstance(done.value, Array) and done.value.is_node:
        reader.roots.append(done.value.held)
    return done.value, made


def jacobian_rows(reader: Reader, value: Array, done: Called, ask: bool, by_argument: bool) -> list[Any]:
    """Return the derivative of every element of a value by each argument, in the shape of both."""
    shape = shape_of(reader, value)
    if shape == ():
        return derivatives(reader, value, done, ask, by_argument)
    count = int(np.prod(shape))
    if count > ROWS:
        raise Refused(f"A Jacobian is read of at most {ROWS} outputs.", "Use fewer.", "too-large")
    flat = value if len(shape) == 1 else reader.make("reshape", [value], shape=(count,))
    each = [
        derivatives(reader, reader.make("getitem", [flat], index=(i,)), done, False) for i in range(count)
    ]
    reader.roots[-count:] = []
    stacked: dict[int, Array] = {}
    for k, (label, given, own) in enumerate(done.owns):
        rows = [arrays_in(row)[k] for row in each]
        whole = reader.make("stack", rows, axis=0)
        if len(shape) > 1:
            whole = reader.make("reshape", [whole], shape=(*shape, *shape_of(reader, own)))
        whole.requires_grad, whole.leaf = done.outer, not done.outer
        stacked[id(own)] = whole
        if ask:
            note_answer(reader, label, given, whole, by_argument)
    if value.is_node:
        reader.roots.append(reader.builder.add("sum", [value.held]))
    return [mapped(lambda leaf: stacked.get(id(leaf), leaf), one) for one in done.arguments]


def _jacobian(reader: Reader, function: Any, argnums: Any = 0, has_aux: bool = False, **_: Any) -> Native:
    chosen, one = _numbers_of_args(argnums)

    def call(_: Reader, args: list, keywords: dict) -> Any:
        done = call_at(reader, function, args, keywords, chosen)
        value, aux = done.value if has_aux else (done.value, None)
        if not isinstance(value, Array):
            raise Refused("A Jacobian is read of functions that return one tensor.")
        results = jacobian_rows(reader, value, done, True, True)
        made = results[0] if one else tuple(results)
        return (made, aux) if has_aux else made

    return Native(call, "jacobian", function)


def _hessian(reader: Reader, func: Any, argnums: Any = 0) -> Native:
    if type(argnums) is not int:
        raise Refused("hessian() is read by one argument.")
    return _jacobian(reader, _grad(reader, func, argnums, False, False), argnums)


for _begin in ("torch.func", "functorch"):
    TORCH[f"{_begin}.jacrev"] = TORCH[f"{_begin}.jacfwd"] = _jacobian
    TORCH[f"{_begin}.hessian"] = _hessian


@known("torch.func.vmap", "torch.vmap", "functorch.vmap", table=TORCH)
def vmap(
    reader: Reader,
    func: Any,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    chunk_size: Any = None,
) -> Native:
    """Read `vmap` as what it means: the function of each row, stacked."""

    def call(_: Reader, args: list, keywords: dict) -> Any:
        axes = list(in_dims) if isinstance(in_dims, (tuple, list)) else [in_dims] * len(args)
        if (
            out_dims != 0
            or len(axes) != len(args)
            or not all(type(axis) is int or axis is None for axis in axes)
        ):
            raise Refused("vmap is read with whole numbers as in_dims, and out_dims=0.")
        sizes = {
            shape_of(reader, one)[axis]
            for arg, axis in zip(args, axes, strict=True)
            if axis is not None
            for one in arrays_in(arg)
        }
        if len(sizes) != 1:
            raise LibraryError("vmap: Expected all tensors to have the same size in the mapped dimension.")
        (size,) = sizes
        if size > ROWS:
            raise Refused(f"vmap is unrolled for at most {ROWS} rows.", "Use fewer.", "too-large")

        def row(i: int) -> list:
            return [
                arg
                if axis is None
                else mapped(
                    lambda a, axis=axis: (
                        TORCH["torch.select"](reader, a, axis, i) if isinstance(a, Array) else a
                    ),
                    arg,
                )
                for arg, axis in zip(args, axes, strict=True)
            ]

        before = len(reader.state(Autograd).asked)
        results = [reader.call(func, row(i), keywords) for i in range(size)]
        made = _stack_all(reader, results)
        asked = reader.state(Autograd).asked
        inside = asked[before:]
        if inside and len(inside) % size == 0:  # what each row asks for is one answer
            width = len(inside) // size
            asked[before:] = [
                (name, reader.make("stack", [inside[i * width + k][1] for i in range(size)], axis=0), site)
                for k, (name, _, site) in enumerate(inside[:width])
            ]
        return made

    return Native(call, "vmap", func)


def _stack_all(reader: Reader, results: list[Any]) -> Any:
    first = results[0]
    if isinstance(first, (tuple, list)):
        return type(first)(_stack_all(reader, list(column)) for column in zip(*results, strict=True))
    if isinstance(first, dict):
        return {key: _stack_all(reader, [one[key] for one in results]) for key in first}
    return reader.make("stack", results, axis=0)


def _functional_inputs(inputs: Any) -> tuple[list[Any], bool]:
    return (list(inputs), False) if isinstance(inputs, (tuple, list)) else ([inputs], True)


@known("torch.autograd.functional.jacobian", table=TORCH)
def functional_jacobian(
    reader: Reader,
    func: Any,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "",
) -> Any:
    """Read `torch.autograd.functional.jacobian`."""
    given, one = _functional_inputs(inputs)
    done = call_at(reader, func, given, {}, range(len(given)))
    values = done.value if isinstance(done.value, (tuple, list)) else [done.value]
    several = isinstance(done.value, (tuple, list))
    results = [
        (rows[0] if one else tuple(rows))
        for rows in (jacobian_rows(reader, value, done, not several, False) for value in values)
    ]
    made = tuple(results) if several else results[0]
    return made if create_graph else mapped(partial(_cut, reader), made)


def _cut(reader: Reader, x: Any) -> Any:
    if isinstance(x, Array) and x.is_node and x.requires_grad:
        return Array(reader.builder.add(IDENTITY, [x.held], Rule(STOP)), "torch", x.dtype)
    return x


@known("torch.autograd.functional.hessian", table=TORCH)
def functional_hessian(reader: Reader, func: Any, inputs: Any, create_graph: bool = False, **_: Any) -> Any:
    """Read `torch.autograd.functional.hessian`: the Jacobian of the gradient."""
    given, one = _functional_inputs(inputs)
    argnums = list(range(len(given)))
    gradient = _grad(reader, func, argnums, False, False)
    state = reader.state(Autograd)
    before = len(state.asked)
    done = call_at(reader, gradient, given, {}, argnums)
    del state.asked[before:]
    rows = [jacobian_rows(reader, part, done, one, False) for part in done.value]
    made = rows[0][0] if one else tuple(tuple(row) for row in rows)
    return made if create_graph else mapped(partial(_cut, reader), made)


@known("torch.autograd.functional.vjp", table=TORCH)
def functional_vjp(
    reader: Reader, func: Any, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple:
    """Read `torch.autograd.functional.vjp`."""
    given, one = _functional_inputs(inputs)
    done = call_at(reader, func, given, {}, range(len(given)))
    root = _one_number(reader, done.value) if v is None else _contracted(reader, done.value, v)
    results = derivatives(reader, root, done, True, False)
    return done.value, (results[0] if one else tuple(results))


@known("torch.autograd.functional.jvp", table=TORCH)
def functional_jvp(
    reader: Reader, func: Any, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple:
    """Read `torch.autograd.functional.jvp`."""
    given, _ = _functional_inputs(inputs)
    tangents = [1.0] if v is None else list(v) if isinstance(v, (tuple, list)) else [v]
    done = call_at(reader, func, given, {}, range(len(given)))
    made = tangent_of(reader, done, tangents)
    for label, one, _own in done.owns:
        note_answer(reader, label, one, made, False)
    return done.value, made


def _products(reader: Reader, func: Any, inputs: Any, v: Any) -> tuple:
    given, one = _functional_inputs(inputs)
    argnums = list(range(len(given)))
    state = reader.state(Autograd)
    before = len(state.asked)
    pair = _grad(reader, func, argnums, False, True)
    kept: list[Any] = []

    def gradient(_: Reader, args: list, keywords: dict) -> Any:
        grads, value = pair.call(reader, args, keywords)
        kept.append(value)
        return grads

    done = call_at(reader, Native(gradient, "gradient", func), given, {}, argnums)
    del state.asked[before:]
    seeds = tuple(v) if isinstance(v, (tuple, list)) else (v,)
    results = derivatives(reader, _contracted(reader, tuple(done.value), seeds), done, True, False)
    return kept[0], (results[0] if one else tuple(results))


@known("torch.autograd.functional.hvp", "torch.autograd.functional.vhp", table=TORCH)
def functional_hvp(
    reader: Reader, func: Any, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple:
    """Read the product of a Hessian with a vector: the gradient of the gradient along it."""
    return _products(reader, func, inputs, 1.0 if v is None else v)


@known("torch.func.functional_call", "torch.nn.utils.stateless.functional_call", table=TORCH)
def functional_call(reader: Reader, module: Any, parameters: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Read the call of a module with other parameters in the place of its own."""
    given = args if isinstance(args, tuple) else (args,)
    stores = parameters if isinstance(parameters, (tuple, list)) else [parameters]
    with with_parameters(reader, module, {key: value for store in stores for key, value in store.items()}):
        return reader.call(module, list(given), dict(kwargs or {}))


# Checkpoints.


@known("torch.utils.checkpoint.checkpoint", table=TORCH)
def checkpoint(
    reader: Reader,
    function: Any,
    *args: Any,
    use_reentrant: Any = None,
    preserve_rng_state: bool = True,
    **keywords: Any,
) -> Any:
    """Read a checkpoint: the nodes of a call are a region."""
    if set(keywords) & {"context_fn", "determinism_check", "debug"}:
        raise Refused("checkpoint() is read with use_reentrant only.")
    reentrant = use_reentrant is True
    if reentrant and not any(one.requires_grad for one in arrays_in(list(args))):
        reader.say(
            reader.line,
            "none of the inputs have requires_grad=True: with use_reentrant=True no gradient passes",
        )
        with reader.grad_enabled(False):
            return reader.call(function, list(args), keywords)
    first = len(reader.builder.drafts)
    with reader.frame(Frame(getattr(function, "name", "") or "block", POLICIES[0])):
        made = reader.call(function, list(args), keywords)
    if reentrant:
        reader.state(Autograd).reentrant |= set(range(first, len(reader.builder.drafts)))
    return made


@known("torch.utils.checkpoint.checkpoint_sequential", table=TORCH)
def checkpoint_sequential(
    reader: Reader, functions: Any, segments: int, input: Any, use_reentrant: Any = None, **_: Any
) -> Any:
    """Read a chain of functions in segments: all but the last are checkpoints."""
    chain = reader.items(functions)
    size = len(chain) // segments

    def run(part: Sequence[Any]) -> Native:
        def call(_: Reader, args: list, keywords: dict) -> Any:
            value = args[0]
            for one in part:
                value = reader.call(one, [value], {})
            return value

        return Native(call, "segment")

    for i in range(segments - 1):
        input = checkpoint(reader, run(chain[i * size : (i + 1) * size]), input, use_reentrant=use_reentrant)
    return run(chain[(segments - 1) * size :]).call(reader, [input], {})


# Answers.


_INDEX = re.compile(r"\[['\"]?([^\]'\"\[]{1,64})['\"]?\]")  # [0], ["w"]


def as_path(name: str) -> str:
    """Return a name as code writes it, `params[0]["w"]`, with a dot before each part."""
    return _INDEX.sub(r".\1", name)


class Answers(dict):
    """Gradients by name; another name of the same tensor is understood too, and the end of one alone."""

    def __init__(self, aliases: dict[str, str]):
        super().__init__()
        self.aliases = aliases
        self.unknown: Mapping[str, int] = {}
        self.without_grad: Container[str] = ()  # names of tensors whose `.grad` is None
        self.label_of: Callable[[str], str] | None = None  # of what code finds under a name

    def __missing__(self, name: str) -> Any:
        for each in (name, f"{name}.grad"):
            if each in self.unknown:
                raise is_unknown(each, self.unknown[each])
        plain = as_path(name).removeprefix("self.").removesuffix(".grad")
        if name.endswith(".grad") and plain in self.without_grad:  # what autograd.grad returned is not there
            return None
        if plain != name and isinstance(name, str):  # as code writes it: params[0]["w"], x.grad
            return self[plain]
        if name in self.aliases and self.aliases[name] in self:
            return self[self.aliases[name]]
        ends = [key for key, value in self.items() if key.endswith(f".{name}") and value is not None]
        if len(ends) == 1:
            return self[ends[0]]
        label = self.label_of(name) if self.label_of else ""
        if label in self:
            return self[label]
        raise KeyError(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the gradient of a name, or the default."""
        try:
            return self[name]
        except KeyError:
            return default


def asked_for(reader: Reader) -> tuple[list[tuple[str, Array | None, Site]], dict[str, str]]:
    """Return the derivatives that the text asks for by name, what leaves have in `.grad` too, and aliases."""
    state = reader.state(Autograd)
    asked = list(state.asked)
    names, more = labels(reader)
    done = {label for label, *_ in asked}
    for one in list(reader.state(Memory).of):
        about = info(reader, one)
        if about.grad is None and not state.ran:  # a text may fill it by itself
            continue
        wanted = one in names or one in state.read or (one.requires_grad and (one.leaf or one.retains))
        label = names.get(one, about.label)
        if label and (wanted or about.grad is not None) and not (about.grad is None and label in done):
            made = reader.builder.drafts[about.sources[0].number].lines if about.sources else ()
            asked.append((label, about.grad, Site(made, is_grad=True)))
    return asked, state.aliases | more


def answers(reader: Reader, asked: Mapping[str, Array | None], aliases: Mapping[str, str]) -> Answers:
    """Return the numbers of derivatives by name.

    Raises:
      GraphError: one of them depends on numbers that PyTorch draws and nobody knows.
    """
    results = Answers(dict(aliases))
    names = labels(reader)[0]
    grads = [
        (names.get(one, info(reader, one).label), info(reader, one).grad)
        for one in list(reader.state(Memory).of)
    ]
    have = {label for label, grad in grads if grad is not None}
    results.without_grad = {label for label, _ in grads} - have
    plain = Evaluation(reader.builder, dtype_in_use(reader), once=True)
    held = {label: None if one is None else refreshed(reader, one).held for label, one in asked.items()}
    for label, value in held.items():
        results[label] = None if value is None else plain.value(value).copy()
    refuse_odd(reader.builder, plain.passes())
    _check_draws(reader, held, results)
    return results


def _check_draws(reader: Reader, held: dict[str, Any], results: dict[str, Any]) -> None:
    """Refuse answers that other draws would change.

    Raises:
      GraphError: there is one.
    """
    drawn = reader.state(Draws).drawn
    below = {
        label: reader.builder.ancestors(value) & set(drawn)
        for label, value in held.items()
        if isinstance(value, Ref)
    }
    if not any(below.values()):
        return
    others = np.random.default_rng(1)
    kept = {number: reader.builder.drafts[number].params for number in drawn}
    try:
        for attempt in range(6):
            for number, params in kept.items():
                shape = np.shape(params["value"])
                new = others.normal(size=shape) if attempt % 2 else others.uniform(-3.0, 3.0, shape)
                reader.builder.drafts[number].params = {**params, "value": _literal(new)}
            again = Evaluation(reader.builder, dtype_in_use(reader), once=True)
            for label, numbers in below.items():
                if numbers and not np.array_equal(again.value(held[label]), results[label], equal_nan=True):
                    line, name = drawn[min(numbers)]
                    raise GraphError(
                        Problem(
                            "drawn",
                            f"The gradient of {label} depends on what {name}() draws in line {line}.",
                            "Write torch.manual_seed(0) before it, or the numbers.",
                            line=line,
                            column=0,
                        )
                    )
    finally:
        for number, params in kept.items():
            reader.builder.drafts[number].params = params


def _literal(value: Any) -> Any:
    return tuple(map(_literal, value)) if np.ndim(value) else float(value)


def in_place(reader: Reader, x: Array, result: Array, node: ast.AST) -> bool:
    """Change a tensor in place; return whether it shows a part of another one, which has changed too."""
    change_as(reader, x, result, node)
    return info(reader, x).parent is not None


def install(reader: Reader) -> None:
    """Teach a reader PyTorch."""
    wrapped = {
        name: recorded(name.rpartition(".")[2], function)
        if not name.startswith(("torch.autograd", "torch.func", "functorch", "torch.utils", "torch.nn.utils"))
        and name not in PLAIN
        else function
        for name, function in TORCH.items()
    }
    wrapped |= {
        name: transform(name, function)
        for name, function in TORCH.items()
        if name == "torch.vmap"
        or (name.startswith(("torch.func.", "functorch.")) and not name.endswith("functional_call"))
    }
    reader.tables |= wrapped
    reader.methods["torch"] = {name: recorded(name, function) for name, function in TENSOR.items()}
    reader.handlers.attribute["torch"] = tensor_attribute
    reader.handlers.set_attribute[Array] = set_tensor_attribute
    reader.handlers.attribute[Pair] = pair_attribute
    for kind in (Mode, Set, Nothing):
        reader.handlers.enter[kind] = enter_mode
        reader.handlers.call[kind] = call_mode
    reader.handlers.in_place["torch"] = in_place
    reader.handlers.operator["torch"] = reader.handlers.unary["torch"] = operator
    reader.handlers.named["torch"] = named
    reader.handlers.fresh["torch"] = reader.handlers.fresh["numpy"] = refreshed
    reader.handlers.lay_out = lay_out
    reader.handlers.numbers_known["torch"] = check_drawn
    arrays_item, arrays_set = reader.handlers.item[Array], reader.handlers.set_item[Array]
    reader.handlers.item[Array] = lambda reader, x, index, node: (
        get_item(reader, x, index, node) if x.framework == "torch" else arrays_item(reader, x, index, node)
    )
    arrays_items = reader.handlers.items[Array]
    reader.handlers.items[Array] = lambda reader, x, node: (
        _rows(reader, x, node) if x.framework == "torch" else arrays_items(reader, x, node)
    )
    reader.handlers.set_item[Array] = lambda reader, x, index, value, target: (
        set_item(reader, x, index, value, target)
        if x.framework == "torch"
        else arrays_set(reader, x, index, value, target)
    )


PLAIN = ("torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.vmap", "torch.is_tensor")

__all__ = ["TORCH", "Autograd", "absolute", "answers", "clamp", "install"]
