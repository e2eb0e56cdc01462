"""List the slopes at corners that versions change; refuse second derivatives at corners, and odd numbers.

What a library answers at a corner of a function follows from how its backward pass is written, and changes
from version to version. The first derivatives there are those of `VERSIONS`; `CHANGED` has what later ones
answer. The second derivative jumps at a corner: of those only what goes on without a jump is given. Where
NaN, an infinity or a number whose square no float holds arrives at some ops, each library passes what is its
own: that is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_viz.graph.model import GRAD, IDENTITY, INPUT
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import PULLBACK, STOP
from autodiff_viz.reading.functions.declared import passes_to
from autodiff_viz.reading.nodes.builder import Builder, Draft, Ref

Answers = Mapping[str, np.ndarray | None]

VERSIONS = {"torch": "2.13", "tf": "2.21"}
"""Whose slopes at corners are given, by library; JAX's are those of the JAX that runs here."""


@dataclass(frozen=True)
class Corner:
    """A slope that a version changed.

    Attributes:
      library: a key of `VERSIONS`.
      code: a function of x.
      x: where its corner is.
      slope: the one that is given here.
      since: the first version that answers otherwise.
      later: its slope there.
      source: where that is said.
    """

    library: str
    code: str
    x: float
    slope: float
    since: str
    later: float
    source: str


_CLAMP = "https://github.com/pytorch/pytorch/issues/195931"
CHANGED = (
    Corner("torch", "torch.clamp(x, -1.0, 1.0)", 1.0, 1.0, "2.14", 0.0, _CLAMP),
    Corner("torch", "torch.clamp(x, -1.0, 1.0)", -1.0, 1.0, "2.14", 0.0, _CLAMP),
    Corner("torch", "torch.clamp_min(x, 0.0)", 0.0, 1.0, "2.14", 0.0, _CLAMP),
    Corner("torch", "torch.clamp_max(x, 0.0)", 0.0, 1.0, "2.14", 0.0, _CLAMP),
)
"""Slopes that a later version changes."""

CLAMP_ENDS = (
    f"PyTorch {VERSIONS['torch']} passes everything at the ends of clamp, a later version nothing; JAX half"
)
"""What is said where a text has a clamp."""

JUMPING = frozenset(
    (
        "pow", "log", "log1p", "log2", "log10", "logaddexp", "arccos", "arcsin", "arctan2", "arccosh",
        "arctanh", "prod", "where", "div", "softplus", "sqrt", "rsqrt", "cbrt", "norm", "hypot",
    )
)  # fmt: skip
"""Ops of which the libraries' second derivatives at corners are made."""

UNLIKE = frozenset({("tf", "prod")})
"""Ops of a library whose second derivative is another one than the derivative of the first."""


def _nan(*given: np.ndarray) -> bool:
    return any(np.isnan(one).any() for one in given)


def _not_finite(*given: np.ndarray) -> bool:
    return not all(np.isfinite(one).all() for one in given)


def _squared(*given: np.ndarray) -> bool:
    """Return whether a sum of squares of finite numbers is no normal float, and no 0."""
    with np.errstate(all="ignore"):
        total = sum(one * one for one in given)
        usual = (total >= np.finfo(total.dtype).tiny) & (total < np.inf)
    some = sum(np.abs(one) for one in given)
    return bool(((some > 0.0) & (some < np.inf) & ~usual).any())


def _quotient(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether a quotient is too large for a float, or its slopes are the library's own."""
    with np.errstate(all="ignore"):
        large = np.isinf(a / b) & np.isfinite(a) & (b != 0.0)
    return bool(large.any()) or (b.ndim > 0 and _not_finite(a, b))


def _power(x: np.ndarray, p: np.ndarray) -> bool:
    return _not_finite(x, p) and not (p.ndim == 0 and p == np.rint(p))


Odd = Callable[..., bool]
ODD: Mapping[str, Mapping[str, Odd]] = {
    "torch": {
        **dict.fromkeys(("relu", "abs", "sign", "maximum", "minimum", "max", "min"), _nan),
        "gelu": _not_finite,
        "pow": _power,
        "rsqrt": lambda x: bool(((x == 0.0) & np.signbit(x) | (x == -np.inf)).any()),
        "div": lambda a, b: _squared(b),
        "arctan2": lambda a, b: _not_finite(a, b) or _squared(a, b),
        "remainder": _quotient,
    },
    "tf": {
        "softmax": lambda x: _nan(x) or bool((x == np.inf).any()),
        "div": lambda a, b: _squared(b),
        "elu": lambda x: bool(((x < 0.0) & (x > -1e-7)).any()),
    },
}
"""By library, for which numbers an op has another value or slope there than its own formula."""


def _axis(draft: Draft) -> Any:
    axis = draft.params.get("axis")
    return tuple(axis) if isinstance(axis, list) else axis


def _product(draft: Draft, x: np.ndarray) -> bool:
    """Return whether the product over an element, which PyTorch passes, is not that of the others."""
    axis = _axis(draft)
    usual = np.all((x != 0.0) & np.isfinite(x), axis=axis, keepdims=True)
    others = (np.prod(x.astype(np.float64), axis=axis, keepdims=True) / x).astype(x.dtype)
    slopes = np.prod(x, axis=axis, keepdims=True) / x
    return bool((usual & ~np.isclose(slopes, others, rtol=SHIFT, atol=0.0)).any())


def _logarithm_of_sum(draft: Draft, x: np.ndarray) -> bool:
    """Return whether exp(x - result), which PyTorch passes, are no shares, since the result was rounded."""
    largest = np.max(x, axis=_axis(draft), keepdims=True)
    made = largest + np.log(np.exp(x - largest).sum(axis=_axis(draft), keepdims=True))
    total = np.exp(x - made.astype(x.dtype)).sum(axis=_axis(draft))
    return bool((np.abs(total - 1.0) > SHIFT).any())


OF_ROWS: Mapping[str, Callable[[Draft, np.ndarray], bool]] = {
    "prod": _product,
    "logsumexp": _logarithm_of_sum,
}
"""The same in PyTorch, of ops that fold an axis."""


def _root_of_squares(builder: Builder, draft: Draft, found: Mapping[int, np.ndarray]) -> bool:
    """Return whether PyTorch holds squares under a root that we do not.

    A standard deviation has them in float64, and those of a norm may have fewer digits than others.
    """
    axis: Any = None
    averaged = False
    while draft.op in ("sqrt", "div", "mul", "mean", "sum", "reshape"):
        averaged |= draft.op in ("div", "mul", "mean")
        if not isinstance(draft.slots[0], Ref):
            return False
        axis = _axis(draft) if draft.op in ("sum", "mean") else axis
        number = draft.slots[0].number
        draft = builder.drafts[number]
    if draft.op != "square" or not isinstance(draft.slots[0], Ref) or draft.slots[0].number not in found:
        return False
    largest = np.max(np.abs(found[draft.slots[0].number]), axis=axis, initial=0.0)
    if averaged:
        return _squared(largest)
    squares = largest.astype(np.float64) ** 2
    kept = np.finfo(largest.dtype)
    least = float(kept.tiny) * float(kept.eps) / 2.0  # half of the smallest number that is not 0
    return bool(((squares >= least) & (squares < float(kept.tiny))).any())


def _passed(builder: Builder, root: int) -> set[int]:
    """Return the nodes through which a cotangent passes on its way back to an input."""
    reached: dict[int, list[int]] = {}
    waiting = [root]
    while waiting:
        number = waiting.pop()
        draft = builder.drafts[number]
        if number not in reached and draft.rule.kind != STOP:
            slots = [] if draft.op in WITHOUT_SLOPE else passes_to(draft)
            if draft.op == "where" and slots[:1] == [draft.slots[0]]:  # the condition gets nothing
                slots = slots[1:]
            reached[number] = [one.number for one in slots]
            waiting += reached[number]
    passed: set[int] = set()
    for number in sorted(reached):
        op = builder.drafts[number].op
        if op == INPUT or op in WITHOUT_SLOPE or any(one in passed for one in reached[number]):
            passed.add(number)
    return passed


WITHOUT_SLOPE = frozenset(
    [
        *("argmax", "equal", "floor", "greater", "greater_equal", "less", "less_equal", "not_equal"),
        *("one_hot", "sign"),
    ]
)


def refuse_odd(builder: Builder, passes: Iterable[tuple[int, Mapping[int, np.ndarray]]]) -> None:
    """Refuse answers where an op gets numbers at which its library does not follow the op's formula.

    Args:
      passes: the node that each begins at, with the numbers of nodes.
    Raises:
      GraphError: one does.
    """
    for root, found in passes:
        odd = [number for number in sorted(found) if _is_odd(builder, builder.drafts[number], found)]
        passed = _passed(builder, root) if odd else set()
        for draft in (builder.drafts[number] for number in odd if number in passed):
            by = draft.slots[-1]
            if draft.op == "div" and not (isinstance(by, Ref) and by.number in passed):
                continue  # the slope by the numerator is as everywhere
            name = {"torch": "PyTorch", "tf": "TensorFlow"}[draft.framework]
            raise GraphError(
                Problem(
                    "odd-numbers",
                    f"{draft.op}() gets NaN, an infinity, or a number whose square no float holds: what "
                    f"{name} passes there is not read.",
                    "Look at values(), and mend what that number comes from.",
                    line=(draft.lines or (None,))[-1],
                    column=0,
                )
            )


def _is_odd(builder: Builder, draft: Draft, found: Mapping[int, np.ndarray]) -> bool:
    given = [found.get(one.number) if isinstance(one, Ref) else np.asarray(one) for one in draft.slots]
    if any(one is None for one in given):
        return False
    if draft.framework == "torch" and draft.rule.kind == PULLBACK and draft.op == "sqrt":
        return _root_of_squares(builder, draft, found)
    with np.errstate(all="ignore"):
        if draft.framework == "torch" and draft.op in OF_ROWS:
            return given[0].size > 0 and OF_ROWS[draft.op](draft, given[0])
    odd = ODD.get(draft.framework, {}).get(draft.op)
    if odd is None or (draft.op in ("pow", "maximum", "minimum") and draft.rule.kind == PULLBACK):
        return False
    return odd(*given)


SHIFT = 1e-3  # of each number that is differentiated by
ROOM = 0.1  # a second derivative that changes by more of its size has jumped


def refuse_jumps(builder: Builder, answers: Answers, again: Callable[[], Answers]) -> None:
    """Refuse answers that jump where what they differentiate by moves a little.

    Args:
      answers: as they are.
      again: computes them anew.
    Raises:
      GraphError: there is a derivative of a derivative among them, and it jumps.
    """
    inputs = _differentiated_twice(builder)
    if not inputs:
        return
    if any((draft.framework, draft.op) in UNLIKE for draft in builder.drafts):
        message = "TensorFlow's second derivative of reduce_prod() is not read."
        raise GraphError(Problem("second-at-corner", message, "Write the product out."))
    kept = {number: builder.drafts[number].params for number in inputs}
    for sign in (1.0, -1.0):
        try:
            for number, params in kept.items():
                builder.drafts[number].params = {**params, "value": _shifted(params["value"], sign)}
            builder.forget_numbers()
            moved = again()
        except GraphError:  # beside the corner there are no numbers, which is a jump too
            moved = {}
        finally:
            for number, params in kept.items():
                builder.drafts[number].params = params
            builder.forget_numbers()
        for name, answer in answers.items():
            if answer is not None and not _goes_on(answer, moved.get(name)):
                raise GraphError(
                    Problem(
                        "second-at-corner",
                        f"The second derivative by {name} jumps at this point, where libraries differ.",
                        "Move the point a little.",
                    )
                )


def _differentiated_twice(builder: Builder) -> list[int]:
    """Return the inputs by which a derivative is differentiated, if an op that may jump takes part."""
    drafts = builder.drafts
    above: dict[int, bool] = {}  # whether a derivative is among what a node reads
    twice = False
    for number, draft in enumerate(drafts):
        reads = [slot.number for slot in draft.slots if isinstance(slot, Ref)]
        # Behind a stop, as in the step of an optimiser, a derivative is a number like any other.
        above[number] = draft.op == GRAD or (
            draft.rule.kind != STOP and any(above[slot] for slot in reads if slot in above)
        )
        twice |= draft.op == GRAD and any(above[slot] for slot in reads[:1])
    if not twice or not any(draft.op in JUMPING for draft in drafts):
        return []
    inputs = set()
    for draft in drafts:
        if draft.op == GRAD and isinstance(draft.slots[1], Ref):
            number = draft.slots[1].number
            while drafts[number].op == IDENTITY and isinstance(drafts[number].slots[0], Ref):
                number = drafts[number].slots[0].number
            if drafts[number].op == INPUT and "value" in drafts[number].params:
                inputs.add(number)
    return sorted(inputs)


def _shifted(value: Any, sign: float) -> Any:
    if isinstance(value, tuple):
        # Neighbours move by different amounts, so that equal ones no longer tie.
        return tuple(_shifted(one, sign * (1.0 + 0.3 * (i % 3))) for i, one in enumerate(value))
    return float(value) + sign * SHIFT * max(1.0, abs(value))


def _goes_on(answer: np.ndarray, moved: np.ndarray | None) -> bool:
    if moved is None or np.shape(moved) != np.shape(answer):
        return False
    both = np.isfinite(answer) & np.isfinite(moved)
    if not both.all():
        return bool(np.array_equal(answer, moved, equal_nan=True))
    size = max(1.0, float(np.abs(answer).max(initial=0.0)))
    return bool((np.abs(moved - answer) <= ROOM * size).all())
