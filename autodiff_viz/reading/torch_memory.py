"""Keep what PyTorch keeps of a tensor beside its numbers: memory shared with views, versions, saved tensors.

A node of a graph never changes, and a tensor does. A change in place gives the tensor another node, and every
view of it one that is computed from that; what the backward pass saved before is then out of date, which
PyTorch notices by counting versions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.graph.model import IDENTITY, INPUT, Rule
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, STOP
from autodiff_viz.reading.arrays import shape_of
from autodiff_viz.reading.builder import Builder, Ref
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.values import BOOL, FLOATS, INT, Array, Refused

Derive = Callable[[Interpreter, Array], Array]
Push = Callable[[Interpreter, Array, Array], Array]

DETACHED, DATA, VIEW = "detached", "data", "view"


class LibraryError(Refused):
    """Raised where PyTorch itself raises an error, with its own words."""

    by_library = True


@dataclass(eq=False)
class Storage:
    """The memory of a tensor and its views.

    Attributes:
      version: how often it was changed in a way that autograd counts.
      hidden: how often it was changed through `.data`, which autograd does not see.
      views: the tensors that show a part of it.
    """

    version: int = 0
    hidden: int = 0
    views: list[Array] = field(default_factory=list)


@dataclass(eq=False)
class Info:
    """What belongs to a tensor.

    Attributes:
      label: its name in answers.
      storage: its memory.
      parent, kind, derive, push: the tensor that it shows a part of, how it is computed from that, and what
      the parent becomes when it is changed. sources: the nodes that a leaf is differentiated by: one for
      each set of numbers that it has had. grad: `.grad`. hooks: functions of its gradient, in order. hooked:
      the node whose rule stands for them. stale: whether its parent has changed since it was computed.
      readonly: why it cannot be changed in place; "" if it can.
    """

    label: str = ""
    storage: Storage = field(default_factory=Storage)
    parent: Array | None = None
    kind: str = ""
    derive: Derive | None = None
    push: Push | None = None
    sources: list[Ref] = field(default_factory=list)
    grad: Array | None = None
    hooks: list[Any] = field(default_factory=list)
    hooked: Ref | None = None
    stale: bool = False
    readonly: str = ""


@dataclass(eq=False)
class Recorded:
    """A call that the backward pass goes through.

    Attributes:
      name: the function's.
      saved: memory that it saved, with the versions at that time.
      saves: whether it saved anything, which one backward pass frees.
      freed: whether that has happened.
      again: the saved values that a second derivative depends on.
    """

    name: str
    saved: list[tuple[Storage, int, int]]
    saves: bool
    freed: bool = False
    again: tuple[Ref, ...] = ()


@dataclass(eq=False)
class Memory:
    """What is kept of all tensors of a text."""

    of: dict[Array, Info] = field(default_factory=dict)
    calls: dict[int, Recorded] = field(default_factory=dict)


def info(r: Interpreter, x: Array) -> Info:
    """Return what belongs to a tensor."""
    known = r.state(Memory).of
    if x not in known:
        known[x] = Info(sources=[x.held] if isinstance(x.held, Ref) else [])
    return known[x]


def source(r: Interpreter, x: Array) -> Ref:
    """Return the node that a tensor is differentiated by."""
    sources = info(r, x).sources
    return sources[-1] if sources else x.held


def leaf(r: Interpreter, x: Array, hint: str = "") -> Array:
    """Return a tensor that is differentiated by from here on, with a node of its own."""
    if not x.is_node:
        x.held = r.builder.input(x.held, hint)
    elif not _fresh(r, x.held):
        x.held = r.builder.add(IDENTITY, [x.held], Rule(STOP))
    x.requires_grad, x.leaf = True, True
    info(r, x).sources = [x.held]
    return x


def _fresh(r: Interpreter, ref: Ref) -> bool:
    draft = r.builder.drafts[ref.number]
    own = draft.op == INPUT or draft.rule.kind == STOP
    return own and not any(ref in later.slots for later in r.builder.drafts[ref.number + 1 :])


def view(r: Interpreter, x: Array, derive: Derive, push: Push | None, kind: str = VIEW) -> Array:
    """Return a tensor that shares the memory of another one.

    Args:
      x: the other.
      derive: computes it from the other.
      push: computes what the other becomes, of the other and the changed view; None if a change is not read.
      kind: DETACHED or DATA if the gradient does not pass.
    """
    made = derive(r, x)
    if not isinstance(r.builder, Builder) or not x.is_node or not made.is_node:
        return made
    if made is x:
        made = Array(x.held, x.framework, x.dtype, x.requires_grad, x.leaf)
    mine, theirs = info(r, made), info(r, x)
    mine.storage, mine.parent, mine.derive, mine.push, mine.kind = theirs.storage, x, derive, push, kind
    if made.requires_grad:
        made.leaf = False
    theirs.storage.views.append(made)
    return made


def refreshed(r: Interpreter, x: Array) -> Array:
    """Return a tensor with the numbers that its memory holds now."""
    about = r.state(Memory).of.get(x)
    if about is not None and about.stale and about.parent is not None and about.derive is not None:
        about.stale = False
        parent = refreshed(r, about.parent)
        made = about.derive(r, parent)
        x.held, x.requires_grad = made.held, made.requires_grad
        x.leaf = not made.requires_grad
        about.sources = [x.held] if isinstance(x.held, Ref) else []
    return x


def change(r: Interpreter, x: Array, result: Array, at: ast.AST | None = None) -> Array:
    """Change a tensor in place to the numbers of another one.

    Raises:
      LibraryError: autograd refuses it.
      Refused: its effect is not read.
    """
    about = info(r, x)
    check_in_place(r, x, about, at)
    if result.dtype in FLOATS and x.dtype in (INT, BOOL):
        raise LibraryError(
            "result type Float can't be cast to the desired output type Long.",
            "Make the tensor of floats: 2.0, not 2.",
            "integer",
            at,
        )
    mine, new = shape_of(r, x), shape_of(r, result)
    if mine != new:
        raise LibraryError(
            f"output with shape {list(mine)} doesn't match the broadcast shape {list(new)}.",
            "Write it as a new value.",
            "shape",
            at,
        )
    if not isinstance(r.builder, Builder):  # in a declared derivative
        x.held = result.held
        return x
    _hold(r, x, result, bool(r.no_grad))
    hidden, one = False, x
    while (above := info(r, one)).parent is not None:
        parent = refreshed(r, above.parent)
        if above.push is None:
            raise Refused("A change in place of such a view is not read.", "Write clone().", "view", at)
        hidden |= above.kind == DATA
        apart = above.kind != VIEW
        _hold(r, parent, above.push(r, parent, one), apart or bool(r.no_grad))
        one = parent
    storage = about.storage
    storage.hidden += hidden
    storage.version += not hidden
    above_x = set()
    one = x
    while one is not None:
        above_x.add(one)
        one = info(r, one).parent
    for shown in storage.views:
        if shown not in above_x:
            info(r, shown).stale = True
    return x


def _hold(r: Interpreter, x: Array, new: Array, apart: bool) -> None:
    """Let a tensor hold other numbers; `apart` from autograd, its place in the graph stays as it was."""
    hint = r.builder.drafts[x.held.number].hint if x.is_node else ""
    old = x.held
    if x.is_node and not new.is_node:
        held = r.builder.input(new.held, hint)
        r.builder.replaced.add(x.held.number)
    elif x.is_node and new.held == old:
        return
    else:
        held = new.held
    if not x.requires_grad or not apart:
        x.held = held
        x.requires_grad = x.requires_grad or new.requires_grad
        x.leaf = not x.requires_grad
        info(r, x).sources = [held] if isinstance(held, Ref) else []
    elif x.leaf:
        if isinstance(held, Ref) and not _fresh(r, held):
            held = r.builder.add(IDENTITY, [held], Rule(STOP))
        x.held = held
        info(r, x).sources.append(held)
    else:
        x.held = r.builder.add(IDENTITY, [held, old], Rule(BACKWARD_AS))
    if isinstance(x.held, Ref) and hint and not r.builder.drafts[x.held.number].hint:
        r.builder.drafts[x.held.number].hint = hint


def check_in_place(r: Interpreter, x: Array, about: Info, at: ast.AST | None) -> None:
    """Refuse a change in place that autograd refuses."""
    if about.readonly:
        raise Refused(about.readonly, "Write clone().", "view", at)
    if r.no_grad:
        return
    if x.requires_grad and x.leaf:
        raise LibraryError(
            "a leaf Variable that requires grad is being used in an in-place operation.",
            "Write a new value: y = x + 1, or use torch.no_grad().",
            "leaf-in-place",
            at,
        )
    one: Array | None = x
    while one is not None and info(r, one).kind == VIEW:
        one = info(r, one).parent
        if one is not None and one.requires_grad and one.leaf:
            raise LibraryError(
                "a view of a leaf Variable that requires grad is being used in an in-place operation.",
                "Write clone(), or use torch.no_grad().",
                "leaf-in-place",
                at,
            )


# What the functions save for the backward pass, as measured with PyTorch.

NOTHING = frozenset(
    [
        "add",
        "sub",
        "subtract",
        "rsub",
        "neg",
        "negative",
        "positive",
        "sum",
        "mean",
        "clone",
        "cat",
        "concat",
        "concatenate",
        "stack",
        "hstack",
        "vstack",
        "dstack",
        "getitem",
        "reshape",
        "view",
        "flatten",
        "unflatten",
        "squeeze",
        "unsqueeze",
        "t",
        "T",
        "mT",
        "transpose",
        "swapaxes",
        "permute",
        "movedim",
        "moveaxis",
        "expand",
        "expand_as",
        "view_as",
        "reshape_as",
        "round",
        "floor",
        "ceil",
        "trunc",
        "sign",
        "cumsum",
        "tril",
        "triu",
        "flip",
        "fliplr",
        "flipud",
        "repeat",
        "tile",
        "roll",
        "pad",
        "lerp",
        "trace",
        "diag",
        "diagonal",
        "diag_embed",
        "unbind",
        "split",
        "chunk",
        "narrow",
        "select",
        "broadcast_to",
        "detach",
        "contiguous",
        "to",
        "float",
        "double",
        "half",
        "type_as",
        "remainder",
        "fmod",
        "frac",
        "numpy",
        "item",
        "ravel",
        "rot90",
        "diff",
        "register_hook",
        "retain_grad",
        "requires_grad_",
        "backward",
        "identity",
        "atleast_1d",
        "atleast_2d",
        "block_diag",
    ]
)
"""Functions that save nothing, so that a second backward pass goes through them."""

RESULT = frozenset(
    [
        "relu",
        "exp",
        "expm1",
        "sigmoid",
        "tanh",
        "sqrt",
        "rsqrt",
        "reciprocal",
        "softmax",
        "log_softmax",
        "softmin",
    ]
)
"""Functions that save what they return."""

ALL = frozenset(
    ["prod", "cumprod", "std", "norm", "amax", "amin", "logsumexp", "normalize", "max", "min", "median"]
)
"""Functions that save what they get and what they return."""

OTHERS = frozenset(
    [
        "mul",
        "multiply",
        "matmul",
        "mm",
        "mv",
        "bmm",
        "dot",
        "inner",
        "outer",
        "linear",
        "einsum",
        "vdot",
        "conv2d",
        "conv1d",
        "embedding",
        "baddbmm",
        "addmm",
        "addmv",
        "div",
        "divide",
        "true_divide",
        "bilinear",
    ]
)
"""Functions that save an argument for the derivative by the other one."""

PLACES = frozenset(
    [
        "where",
        "index",
        "take",
        "gather_",
        "sort",
        "topk",
        "masked_fill",
        "masked_select",
        "scatter",
        "index_select",
        "argsort",
        "cummax",
        "cummin",
        "l1_loss",
        "dropout",
        "getitem_index",
        "scatter_",
        "index_fill",
        "max_dim",
        "min_dim",
    ]
)
"""Functions that save no floats: conditions, or where things came from."""


MASKS = frozenset(
    [
        "maximum",
        "minimum",
        "fmax",
        "fmin",
        "clamp",
        "clip",
        "max",
        "min",
        "amax",
        "amin",
        "addcmul",
        "gather",
        "lerp",
    ]
)
"""Functions whose derivative depends on comparisons alone, or on nothing, so that a second one is None."""

ONCE = frozenset(["cdist", "hardsigmoid"])
"""Functions that PyTorch differentiates only once."""


def record(r: Interpreter, name: str, given: list[Array], result: Array) -> None:
    """Note what a call saves for the backward pass."""
    if not result.requires_grad or result.leaf or not result.is_node or any(result is one for one in given):
        return
    memory = r.state(Memory)
    if result.held.number in memory.calls or any(result.held == one.held for one in given):
        return
    name = name.rstrip("_")
    keep: list[Array] = []
    if name in RESULT or name in ALL:
        keep.append(result)
    if name in OTHERS:
        for i, one in enumerate(given):
            if any(other.requires_grad for k, other in enumerate(given) if k != i) and one.dtype in FLOATS:
                keep.append(one)
        if name in ("div", "divide", "true_divide") and len(given) == 2 and given[1].requires_grad:
            keep += [one for one in given if one not in keep]
    elif name not in NOTHING and name not in PLACES and name not in RESULT:
        keep += [one for one in given if one.dtype in FLOATS]
    saved = [(a, a.version, a.hidden) for a in (info(r, one).storage for one in keep)]
    again = () if name in MASKS else tuple(one.held for one in keep if isinstance(one.held, Ref))
    memory.calls[result.held.number] = Recorded(name, saved, name not in NOTHING, again=again)


def passed(r: Interpreter, numbers: set[int], retain: bool) -> None:
    """Note that a backward pass goes through nodes, and frees what was saved for it unless it is retained.

    Raises:
      LibraryError: what it needs was freed before, or has been changed in place.
      Refused: it was changed in a way that autograd does not notice.
    """
    calls = r.state(Memory).calls
    reached = [calls[number] for number in sorted(numbers, reverse=True) if number in calls]
    for call in reached:
        if call.freed:
            raise LibraryError(
                "Trying to backward through the graph a second time.",
                "Write retain_graph=True in the first backward(), compute the value again, or detach() it.",
                "second-backward",
            )
        for storage, version, hidden in call.saved:
            r.check_known(storage)  # who may have changed it was not read
            if storage.version != version:
                raise LibraryError(
                    "one of the variables needed for gradient computation has been modified by an inplace "
                    f"operation: what {call.name}() saved is at version {storage.version}; expected version "
                    f"{version} instead.",
                    "Write a new value in place of the change, or clone() it first.",
                    "saved-changed",
                )
            if storage.hidden != hidden:
                raise Refused(
                    f"What {call.name}() saved was changed through .data, which autograd does not notice: it "
                    "would multiply by the changed numbers.",
                    "Write a new value in place of the change.",
                    "saved-changed",
                )
    if not retain:
        for call in reached:
            call.freed = call.saves
