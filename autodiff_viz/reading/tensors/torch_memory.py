"""Keep what PyTorch and NumPy keep of a tensor beside its numbers: memory shared with views, versions.

A node of a graph never changes, and a tensor does. A change in place gives the tensor another node, and every
view of it one that is computed from that; what the backward pass saved before is then out of date, which
PyTorch notices by counting versions.

Where the elements of a tensor are in its memory is an array of NumPy with the places, which is itself a view
of the places of the whole memory: offset and strides are NumPy's, and so is the answer to whether another
shape of it is a view or a copy.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.graph.model import IDENTITY, INPUT, Rule
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, STOP
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.reading.functions.arrays import shape_of
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, FLOATS, HALVES, INT, Array, Refused
from autodiff_viz.reading.nodes.builder import Builder, Draft, Ref
from autodiff_viz.reading.nodes.costs import LibraryError, pay_values, sized
from autodiff_viz.reading.tensors.torch_facts import OF_FIRST, ONE_EACH, Facts, facts_of

Derive = Callable[[Reader, Array], Array]
Push = Callable[[Reader, Array, Array], Array]

DETACHED, DATA, VIEW = "detached", "data", "view"
PERHAPS = "perhaps"  # nobody knows whether it is a view, since the strides of what it shows are not known

SEVERAL, NO_GRAD, FUNCTION = "several", "no_grad", "function"
MADE = {
    SEVERAL: "is one of several views that a function returned",
    NO_GRAD: "is a view that was created in no_grad mode",
    FUNCTION: "is a view that was created inside a custom Function",
}
"""Ways to make a view that autograd does not let be changed in place where a gradient passes, in words."""


@dataclass(eq=False)
class Storage:
    """The memory of a tensor and its views.

    Attributes:
      changes: how often it was changed.
      views: the tensors that show a part of it.
    """

    changes: int = 0
    views: list[Array] = field(default_factory=list)


@dataclass(eq=False)
class Counter:
    """How often tensors were changed in a way that autograd counts; `.data` and NumPy count on their own."""

    version: int = 0


@dataclass(eq=False)
class Info:
    """What belongs to a tensor.

    Attributes:
      label: its name in answers.
      storage, counter: its memory, and its version.
      places: where its elements are in its memory; None if they stand there one after the other.
      unknown: whether nobody knows where they are.
      parent, kind, derive, push: the tensor that it shows a part of, how it is computed from that, and what
        the parent becomes when it is changed.
      made: the way in which a view was made, one of MADE; "" for all others.
      array: whether it is an array of NumPy although it has one element and no axis.
      sources: the nodes that a leaf is differentiated by: one for each set of numbers that it has had.
      grad: `.grad`.
      stale: whether its parent has changed since it was computed.
      unusable: whether autograd refuses to compute with it after such a change.
      readonly: why it cannot be changed in place; "" if it can.
    """

    label: str = ""
    storage: Storage = field(default_factory=Storage)
    counter: Counter = field(default_factory=Counter)
    places: np.ndarray | None = None
    unknown: bool = False
    parent: Array | None = None
    kind: str = ""
    derive: Derive | None = None
    push: Push | None = None
    made: str = ""
    array: bool = False
    sources: list[Ref] = field(default_factory=list)
    grad: Array | None = None
    stale: bool = False
    unusable: bool = False
    readonly: str = ""


@dataclass(eq=False)
class Recorded:
    """A call that the backward pass goes through.

    Attributes:
      name: the function's.
      saved: memory that it saved, with the versions and changes at that time.
      saves: whether it saved anything, which one backward pass frees.
      first: whether the first of these is of the first tensor that it got.
      kept: memory that it keeps by itself and autograd does not know of, with the changes at that time.
      freed: whether one has done so.
      again: by the values that it got, those that the derivative by it depends on, where that is
        differentiated again.
      once: whether it cannot be.
      ends: how often, and whether the last of these is 0, as of `Facts`.
    """

    name: str
    saved: list[tuple[Info, int, int]]
    saves: bool
    first: bool = False
    kept: list[tuple[Info, int]] = field(default_factory=list)
    freed: bool = False
    again: Mapping[Ref, tuple[Ref, ...]] = field(default_factory=dict)
    once: bool = False
    ends: tuple[int, bool] = (0, False)


@dataclass(eq=False)
class Memory:
    """What is kept of all tensors of a text.

    Attributes:
      of: by tensor.
      calls: by the number of the node that a call made.
      left: nodes of views that our graph goes through and a backward pass does not: those that they had when
        they were changed in place, and those of views between another one and their base since.
    """

    of: dict[Array, Info] = field(default_factory=dict)
    calls: dict[int, Recorded] = field(default_factory=dict)
    left: set[int] = field(default_factory=set)


def info(reader: Reader, x: Array) -> Info:
    """Return what belongs to a tensor."""
    known = reader.state(Memory).of
    if x not in known:
        known[x] = Info(sources=[x.held] if isinstance(x.held, Ref) else [])
    return known[x]


def source(reader: Reader, x: Array) -> Ref:
    """Return the node that a tensor is differentiated by."""
    sources = info(reader, x).sources
    return sources[-1] if sources else x.held


def leaf(reader: Reader, x: Array, hint: str = "") -> Array:
    """Return a tensor that is differentiated by from here on, with a node of its own."""
    if not x.is_node:
        x.held = reader.builder.input(x.held, hint)
        reader.builder.kinds[x.held.number] = x.dtype
    elif not _fresh(reader, x.held):
        x.held = reader.builder.add(IDENTITY, [x.held], Rule(STOP))
    x.requires_grad, x.leaf = True, True
    info(reader, x).sources = [x.held]
    return x


def _fresh(reader: Reader, ref: Ref) -> bool:
    draft = reader.builder.drafts[ref.number]
    own = draft.op == INPUT or draft.rule.kind == STOP
    return own and not any(ref in later.slots for later in reader.builder.drafts[ref.number + 1 :])


def places(reader: Reader, x: Array) -> np.ndarray | None:
    """Return where the elements of a tensor are in its memory; None if nobody knows."""
    about = info(reader, x)
    if about.unknown:
        return None
    if about.places is None:
        shape = sized(shape_of(reader, x))
        about.places = np.arange(prod(shape), dtype=np.int32).reshape(shape)
    return about.places


def is_contiguous(reader: Reader, x: Array) -> bool | None:
    """Return whether the elements of a tensor stand one after the other; None if nobody knows."""
    about = reader.state(Memory).of.get(x)
    if about is None or (about.places is None and not about.unknown):
        return True
    return None if about.unknown else about.places.flags.c_contiguous


def lay_out(reader: Reader, op: str, given: list[Array], made: Array) -> None:
    """Note where the elements of a computed tensor are, if those that it was computed from are out of order.

    An op of elements gives its result the order of what it gets, where all of that has the same; of others
    it is not known.
    """
    known = reader.state(Memory).of
    apart = [one for one in given if one in known and is_contiguous(reader, one) is not True]
    if not apart or not made.is_node or op in IN_ORDER or len(shape := shape_of(reader, made)) < 2:
        return
    about = info(reader, made)
    about.unknown = True
    full = [places(reader, one) for one in given if shape_of(reader, one) == shape]
    if op in OPS and OPS[op].elementwise and full and all(one is not None for one in full):
        orders = {tuple(int(i) for i in np.argsort(np.abs(one.strides))[::-1]) for one in full}
        alone = len(full) == sum(shape_of(reader, one) != () for one in given)
        if len(orders) == 1 and alone and all(one.size == np.unique(one).size for one in full):
            (order,) = orders
            turned = np.arange(prod(shape), dtype=np.int32).reshape([shape[i] for i in order])
            about.places, about.unknown = turned.transpose(np.argsort(order)), False


IN_ORDER = frozenset(["matmul", "dot"])
"""Ops that write their result in order, whatever they get."""


def view(
    reader: Reader,
    x: Array,
    derive: Derive,
    push: Push | None,
    kind: str = VIEW,
    shown: np.ndarray | None = None,
    several: bool = False,
) -> Array:
    """Return a tensor that shares the memory of another one.

    Args:
      x: the other.
      derive: computes it from the other.
      push: computes what the other becomes, of the other and the changed view; None if a change is not read.
      kind: DETACHED or DATA if the gradient does not pass, PERHAPS if it may be a copy.
      shown: the places of what it shows; None if they are not known.
      several: whether it is one of several.
    """
    made = derive(reader, x)
    if not isinstance(reader.builder, Builder):
        return made
    if made is x:
        made = Array(x.held, x.framework, x.dtype, x.requires_grad, x.leaf, rows=x.rows, traced=x.traced)
    mine, theirs = info(reader, made), info(reader, x)
    mine.storage, mine.parent, mine.derive, mine.push, mine.kind = theirs.storage, x, derive, push, kind
    mine.counter = Counter() if kind == DATA else theirs.counter
    mine.places, mine.unknown = shown, shown is None
    mine.made = NO_GRAD if reader.no_grad else SEVERAL if several else theirs.made
    mine.readonly = theirs.readonly
    if made.requires_grad:
        made.leaf = False
    theirs.storage.views.append(made)
    return made


def refreshed(reader: Reader, x: Array) -> Array:
    """Return a tensor with the numbers that its memory holds now."""
    about = reader.state(Memory).of.get(x)
    if about is not None and about.stale and about.parent is not None and about.derive is not None:
        about.stale = False
        parent = refreshed(reader, about.parent)
        if about.kind == info(reader, parent).kind == VIEW and isinstance(parent.held, Ref):
            reader.state(Memory).left.add(parent.held.number)  # autograd derives it from the base itself
        with reader.grad_enabled(about.made != NO_GRAD):
            made = about.derive(reader, parent)
        x.held, x.requires_grad = made.held, made.requires_grad
        x.leaf = not made.requires_grad
        about.sources = [x.held] if isinstance(x.held, Ref) else []
    return x


def check_usable(reader: Reader, x: Array) -> None:
    """Refuse a view that autograd does not compute with any more."""
    if not reader.no_grad and info(reader, x).unusable:
        raise LibraryError(
            f"This {MADE[info(reader, x).made]}, and its base or another view of its base has been modified "
            "inplace, which PyTorch forbids.",
            "Change it before the views are made, or write clone().",
            "view",
        )


def base_requires_grad(reader: Reader, x: Array) -> bool:
    """Return whether a view shows the memory of a tensor that requires a gradient: it says so too."""
    one: Array | None = x
    while one is not None and (about := info(reader, one)).kind == VIEW:
        one = about.parent
    return one is not None and one.requires_grad


def change(reader: Reader, x: Array, result: Array, at: ast.AST | None = None) -> Array:
    """Change a tensor in place to the numbers of another one.

    Raises:
      LibraryError: autograd refuses it.
      Refused: its effect is not read.
    """
    about = info(reader, x)
    check_in_place(reader, x, result, about, at)
    if result.dtype in FLOATS and x.dtype in (INT, BOOL):
        raise LibraryError(
            "result type Float can't be cast to the desired output type Long.",
            "Make it of floats: 2.0, not 2.",
            "integer",
            at,
        )
    if result.dtype == INT and x.dtype == BOOL:
        raise LibraryError(
            "result type Long can't be cast to the desired output type Bool.",
            "Write a new value.",
            "integer",
            at,
        )
    if x.dtype in (INT, *HALVES) and reader.handlers.converted is not None:
        result = reader.handlers.converted(reader, result, x.dtype) or result
    mine, new = shape_of(reader, x), shape_of(reader, result)
    if mine != new:
        raise LibraryError(
            f"output with shape {list(mine)} doesn't match the broadcast shape {list(new)}.",
            "Write it as a new value.",
            "shape",
            at,
        )
    if not isinstance(reader.builder, Builder):  # in a declared derivative
        x.held = result.held
        return x
    storage = about.storage
    pay_values(len(storage.views))
    if any(info(reader, one).kind == PERHAPS for one in storage.views):
        raise Refused(
            "Whether this also changes another one depends on the order in which its elements are in memory.",
            "Copy it first: clone(memory_format=torch.contiguous_format), or copy() of NumPy.",
            "view",
            at,
        )
    old, sources = x.held, about.sources
    _hold(reader, x, result, bool(reader.no_grad))
    above_x, one, apart = {x}, x, bool(reader.no_grad)
    calls, left = reader.state(Memory).calls, reader.state(Memory).left
    copied = calls.get(x.held.number) if isinstance(x.held, Ref) else None
    while (above := info(reader, one)).parent is not None:
        parent = refreshed(reader, above.parent)
        before, places_before = parent.held, info(reader, parent).sources
        if above.push is None:
            raise Refused("A change in place of such a view is not read.", "Write clone().", "view", at)
        apart |= above.kind != VIEW
        _hold(reader, parent, above.push(reader, parent, one), apart)
        if not apart and parent.requires_grad and isinstance(parent.held, Ref):
            # PyTorch makes one node of the change and the copy into the base, which a backward pass frees.
            copied = copied or Recorded("a change in place of a view", [], True)
            copied.saves = True
            for changed in (x, parent):
                if isinstance(changed.held, Ref):
                    calls[changed.held.number] = copied
            left |= {old.number} if isinstance(old, Ref) else set()
        if above.kind == VIEW and parent.requires_grad:  # its place on the tape is behind that of its base
            above.stale, above.sources = True, sources
        one, old, sources = parent, before, places_before
        above_x.add(one)
    storage.changes += 1
    about.counter.version += 1
    for shown in storage.views:
        other = info(reader, shown)
        other.stale |= shown not in above_x
        if other.counter is about.counter and other.kind == VIEW and other.parent.requires_grad:
            other.unusable |= bool(other.made)
    return x if reader.no_grad else refreshed(reader, x)


def _hold(reader: Reader, x: Array, new: Array, apart: bool) -> None:
    """Let a tensor hold other numbers; `apart` from autograd, its place in the graph stays as it was."""
    hint = reader.builder.drafts[x.held.number].hint if x.is_node else ""
    old = x.held
    if x.is_node and not new.is_node:
        held = reader.builder.input(new.held, hint)
        reader.builder.kinds[held.number] = x.dtype
        reader.builder.replaced.add(x.held.number)
    elif x.is_node and new.held == old:
        return
    else:
        held = new.held
    x.traced |= new.traced
    if not x.requires_grad or not apart:
        x.held = held
        x.requires_grad = x.requires_grad or (new.requires_grad and x.framework == "torch")
        x.leaf = not x.requires_grad
        info(reader, x).sources = [held] if isinstance(held, Ref) else []
    elif x.leaf:
        if isinstance(held, Ref) and not _fresh(reader, held):
            held = reader.builder.add(IDENTITY, [held], Rule(STOP))
        x.held = held
        info(reader, x).sources.append(held)
    else:
        x.held = reader.builder.add(IDENTITY, [held, old], Rule(BACKWARD_AS))
    if isinstance(x.held, Ref) and hint and not reader.builder.drafts[x.held.number].hint:
        reader.builder.drafts[x.held.number].hint = hint


def check_overlap(reader: Reader, shown: np.ndarray | None, x: Array, other: Any) -> None:
    """Refuse what PyTorch refuses to write to places of a tensor from a tensor that shares some of them.

    Args:
      shown: the places that are written to.
      x: the tensor that they belong to.
      other: what is read.
    """
    if not isinstance(other, Array) or other is x or not isinstance(reader.builder, Builder):
        return
    if info(reader, other).storage is not info(reader, x).storage:
        return
    read = places(reader, other)
    if shown is None or read is None or shown.size * read.size == 0:
        return
    ends = [(int(one.min()), int(one.max())) for one in (shown, read)]
    dense = all(
        np.unique(one).size == one.size == b - a + 1 for one, (a, b) in zip((shown, read), ends, strict=True)
    )
    apart = ends[0][1] < ends[1][0] or ends[1][1] < ends[0][0]
    if dense and not apart and (ends[0] != ends[1] or shown.strides != read.strides):
        raise LibraryError(
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
            "single memory location.",
            "Write clone() of the tensor that is read.",
            "view",
        )
    if not apart and not np.array_equal(shown, read) and np.intersect1d(shown, read).size:
        raise Refused(
            "What is read here is written to at the same time, and in which order depends on the machine.",
            "Write clone() of the tensor that is read.",
            "view",
        )


def check_in_place(reader: Reader, x: Array, result: Array, about: Info, at: ast.AST | None) -> None:
    """Refuse a change in place that the library refuses."""
    if about.readonly:
        raise Refused(about.readonly, "Write clone().", "view", at)
    if about.places is not None and np.unique(about.places).size < about.places.size:
        raise Refused(
            "A change in place is not read where more than one element of what is written to refers to a "
            "single memory location.",
            "Write clone() before the change.",
            "view",
            at,
        )
    above = False
    one: Array | None = x
    while one is not None and info(reader, one).kind == VIEW:
        one = info(reader, one).parent
        above |= one is not None and one.requires_grad
    if reader.no_grad or not (x.requires_grad or result.requires_grad or above):
        return
    if x.requires_grad and x.leaf:
        raise LibraryError(
            "a leaf Variable that requires grad is being used in an in-place operation.",
            "Write a new value: y = x + 1, or use torch.no_grad().",
            "leaf-in-place",
            at,
        )
    one = x
    while one is not None and info(reader, one).kind == VIEW:
        one = info(reader, one).parent
        if one is not None and one.requires_grad and one.leaf:
            raise LibraryError(
                "a view of a leaf Variable that requires grad is being used in an in-place operation.",
                "Write clone(), or use torch.no_grad().",
                "leaf-in-place",
                at,
            )
    if about.kind == VIEW and about.made:
        raise LibraryError(
            f"This {MADE[about.made]}, and it is modified inplace, which PyTorch forbids where a gradient "
            "passes.",
            "Write a new value in place of the change.",
            "view",
            at,
        )


# What is kept for the backward pass.


def record(reader: Reader, name: str, given: list[Array], result: Array, number_first: bool = False) -> None:
    """Note what a call saves for the backward pass.

    Args:
      name: of the function; in place it saves what it saves otherwise.
      given, result: the tensors that it got, and what it returned.
      number_first: whether a number stands before them.
    """
    if not result.requires_grad or result.leaf or not result.is_node or any(result is one for one in given):
        return
    memory = reader.state(Memory)
    if result.held.number in memory.calls or any(result.held == one.held for one in given):
        return
    given = [one for one in given[: 1 if name in OF_FIRST else None] if one.dtype in FLOATS]
    if name in ONE_EACH:
        above = reader.builder.ancestors(result.held)
        given = [one for one in given if one.is_node and one.held.number in above]
    needing = [i for i, one in enumerate(given) if one.requires_grad]
    facts = facts_of(name.rstrip("_"), len(given), number_first)
    saves = facts.saved(needing, len(given))
    keep = [given[i] for i in sorted(one for one in saves if isinstance(one, int))]
    keep += [result] if "r" in saves else []
    again: dict[Ref, tuple[Ref, ...]] = {}
    for i in needing:
        read = facts.differentiated([i], len(given))
        values = [given[j].held for j in read if isinstance(j, int)]
        values += [result.held] if read and "r" in saves else []
        key = given[i].held
        again[key] = (*again.get(key, ()), *(one for one in values if isinstance(one, Ref)))
    memory.calls[result.held.number] = Recorded(
        name,
        as_saved(reader, keep),
        bool(saves),
        0 in saves,
        again=again,
        once=facts.once,
        ends=ends_of(reader.builder.drafts[result.held.number], facts, name.rstrip("_")),
    )


def ends_of(draft: Draft, facts: Facts | None = None, name: str = "") -> tuple[int, bool]:
    """Return `ends` and `flat` of the derivative of a node, or of a call of that name with these facts."""
    is_power = draft.op == "pow" or (draft.op == "mul" and name == "pow")  # x ** 1 is x * 1.0
    power = draft.slots[-1] if is_power else 2.0 if draft.op == "square" else None
    if isinstance(power, float) and power in range(9):  # of a higher one nobody comes to the end
        return int(power), True
    facts = facts or facts_of(draft.op, sum(isinstance(slot, Ref) for slot in draft.slots))
    return facts.ends, facts.flat


def change_as(reader: Reader, x: Array, result: Array, at: ast.AST | None = None) -> Array:
    """Change a tensor in place to the result of a call that got it first.

    PyTorch saves a copy of it in the place of the tensor itself, or the result, as the call then does.
    """
    call = reader.state(Memory).calls.get(result.held.number) if result.is_node else None
    made = info(reader, result) if call is not None else None
    changed = change(reader, x, result, at)
    if call is not None:
        first, call.first = call.first, False
        saved = call.saved[1:] if first else call.saved
        of_result = [one for one in saved if one[0] is made]
        call.saved = [one for one in saved if one[0] is not made]
        if of_result or (first and call.name.rstrip("_") in OF_RESULT):
            call.saved += as_saved(reader, [x])
    return changed


OF_RESULT = frozenset(["leaky_relu", "elu", "celu", "selu", "rrelu"])
"""Functions whose derivative is of the result where they change their argument in place."""


def as_saved(reader: Reader, keep: Iterable[Array]) -> list[tuple[Info, int, int]]:
    """Return the memory of tensors, with the versions and changes of now."""
    return [(a, a.counter.version, a.storage.changes) for a in (info(reader, one) for one in keep)]


def passed(reader: Reader, numbers: set[int], retain: bool) -> None:
    """Note that a backward pass goes through nodes, and frees what was saved for it unless it is retained.

    Raises:
      LibraryError: what it needs was freed before, or has been changed in place.
      Refused: it was changed in a way that autograd does not notice.
    """
    calls = reader.state(Memory).calls
    reached = [calls[number] for number in sorted(numbers, reverse=True) if number in calls]
    for call in reached:
        if call.freed:
            raise LibraryError(
                "Trying to backward through the graph a second time.",
                "Write retain_graph=True in the first backward(), compute the value again, or detach() it.",
                "second-backward",
            )
        for about, version, _ in call.saved:
            reader.check_known(about.storage)
            if about.counter.version != version:
                raise LibraryError(
                    "one of the variables needed for gradient computation has been modified by an inplace "
                    f"operation: what {call.name}() saved is at version {about.counter.version}; expected "
                    f"version {version} instead.",
                    "Write a new value in place of the change, or clone() it first.",
                    "saved-changed",
                )
        through = [
            (about, changes, "saved was changed through numpy() or .data") for about, _, changes in call.saved
        ]
        for about, changes, what in (*through, *((*one, "keeps at ctx was changed") for one in call.kept)):
            reader.check_known(about.storage)  # who may have changed it was not read
            if about.storage.changes != changes:
                raise Refused(
                    f"What {call.name}() {what}, which autograd does not notice: it would multiply by the "
                    "changed numbers.",
                    "Write a new value in place of the change.",
                    "saved-changed",
                )
    if not retain:
        for call in reached:
            call.freed = call.saves
