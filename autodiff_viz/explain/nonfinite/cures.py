"""Cure numbers that are not finite: try edits until output and gradients are finite.

The first ones tried are stable forms, such as log_softmax for log(softmax), which are the same function; then
come edits that keep the value wherever it was finite; a dtype with more bits comes last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from autodiff_viz.engine.live_path.arrays import rounded
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.cure import Cure, fed, joined, retraced, rewritten, wider, without_rules, written
from autodiff_viz.graph import edits
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.model import INPUT, Graph, Literal, Node, Params, Slot
from autodiff_viz.graph.order import ancestors, consumers, descendants
from autodiff_viz.graph.rule_kinds import FOLLOW
from autodiff_viz.graph.text import MINUS, scalar
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS

# Stable forms: ops in place of expressions that overflow or round to 0 on the way


COMMUTE = frozenset({"add", "mul", "maximum", "minimum"})
HOLE = "u"
ROOT = "square(sqrt(u))"

FORMS = {
    "log(1.0 + exp(u))": "softplus(u)",
    "log1p(exp(u))": "softplus(u)",
    "log(sigmoid(u))": "-softplus(-u)",
    "log(1.0 - sigmoid(u))": "-softplus(u)",
    "log1p(-sigmoid(u))": "-softplus(u)",
    "log(softmax(u))": "log_softmax(u)",
    "log(sum(exp(u)))": "logsumexp(u)",
    "1.0 / (1.0 + exp(-u))": "sigmoid(u)",
    "exp(u) / (1.0 + exp(u))": "sigmoid(u)",
    "exp(u) / sum(exp(u))": "softmax(u)",
    "(exp(u) - exp(-u)) / (exp(u) + exp(-u))": "tanh(u)",
    "(exp(2.0 * u) - 1.0) / (exp(2.0 * u) + 1.0)": "tanh(u)",
    ROOT: "identity(u)",
    "square(norm(u))": "sum(square(u))",
}
"""By expression of `u`, an op that has the same value and the same derivative wherever both are finite."""


@dataclass
class Match:
    """A form found in a graph: what stands for its `u`, the nodes that it covers, and their axes."""

    hole: str | None = None
    covered: tuple[str, ...] = ()
    axes: Params = ()


def stable_forms(found: Trace, culprit: str) -> Iterator[Cure]:
    """Yield a cure for every form that covers the node `culprit`."""
    for node in found.graph.nodes:
        for unstable, stable in FORMS.items():
            match = form_at(found.graph, node, unstable)
            if match is None or culprit not in match.covered:
                continue
            axes = _axes(found, unstable, match)
            # A form in which a segment ends stays as it is: the cut would go with its node.
            if axes is None or any(found.graph[name].cut for name in match.covered):
                continue
            inner = [name for name in match.covered if name != node.name]
            # The axes are arguments of the outermost op, after what stands for its `u`.
            op, _, rest = stable.partition("(")
            operand = re.sub(rf"\b{HOLE}\b", match.hole or "", rest[:-1])
            text = f"{op}({operand}{''.join(f', {key}={value}' for key, value in axes)})"
            what, instead = unstable.replace(".0", ""), stable.removeprefix("identity")
            yield Cure(
                partial(rewritten, name=node.name, text=text, unread=inner),
                f"Write {what} as {instead.strip('()') if instead != stable else stable}",
                "It is the same function, so finite numbers change by rounding alone.",
            )


def _axes(found: Trace, unstable: str, match: Match) -> Params | None:
    """Return the axes of the stable op; None if it has no such axes, or is another function here."""
    # The square of a root is its operand only where that is not negative.
    if unstable == ROOT and not (np.asarray(found.value[match.hole], float) >= 0).all():  # NaN is not
        return None
    if "/ sum" not in unstable:
        return match.axes
    # softmax is along the last axis, and so must the sum be: with the axis kept, so that each row is divided
    # by its own sum, unless there is but one axis.
    axes, dims = dict(match.axes), found.value[match.hole].ndim
    if dims == 1:
        return () if axes.get("axis") in (None, 0, -1) else None
    return () if axes.get("keepdims") and axes.get("axis") in (-1, dims - 1) else None


_parsed = cache(parse)


def form_at(graph: Graph, node: Node, text: str) -> Match | None:
    """Return how the expression `text` of `u` stands at a node; None if it does not."""
    pattern, match = _parsed(f"{HOLE} = 1.0\nz = {text}"), Match()
    return match if _has_form(graph, node.name, pattern, "z", match) else None


def _has_form(graph: Graph, held: Slot, pattern: Graph, wanted: Slot, match: Match) -> bool:
    """Return whether what a slot holds has the form of a slot of the pattern; note the match in `match`."""
    if wanted == HOLE:
        if not isinstance(held, str) or match.hole not in (None, held):
            return False
        match.hole = held
        return True
    if not isinstance(wanted, str):
        return isinstance(held, int | float) and not isinstance(wanted, tuple) and held == wanted
    if not isinstance(held, str):
        return False
    node, form = graph[held], pattern[wanted]
    plain = node.op != INPUT and node.rule.kind == FOLLOW and not node.muted
    if node.op != form.op or not plain or len(node.slots) != len(form.slots):
        return False
    orders = [node.slots, node.slots[::-1]] if node.op in COMMUTE else [node.slots]
    for slots in orders:
        # Tried on a copy: what the first order has matched before it fails must not bind the second.
        tried = Match(match.hole, (*match.covered, node.name), match.axes)
        if node.params:
            tried.axes = tuple(node.params)
        pairs = zip(slots, form.slots, strict=True)
        if all(_has_form(graph, slot, pattern, want, tried) for slot, want in pairs):
            match.hole, match.covered, match.axes = tried.hole, tried.covered, tried.axes
            return True
    return False


MOST = 6  # cures in one
EPS = (1e-12, 1e-6)  # small numbers; the second one for float16, whose first is 0
ROOTS = ("sqrt", "norm")
LEAST = (-1e9, -1e4)  # numbers that stand for minus infinity; the second one for float16
CLOSE = {"rtol": 1e-3, "atol": 1e-5}  # of a number that was finite before
CLOSE_IN_HALF = {"rtol": 2e-2, "atol": 2e-3}

SAFE = {
    **dict.fromkeys(("sqrt", "rsqrt", "cbrt", "log", "log2", "log10", "pow", "hypot"), (0, 1.0)),
    "log1p": (0, 0.0),
    "arccosh": (0, 2.0),
    "div": (1, 1.0),
    "arctan2": (1, 1.0),
}
"""By op, the slot that decides whether value and derivative are finite, and a number that is harmless there.
Of other ops it is the first wired slot, and 0."""


def is_troubled(found: Trace) -> bool:
    """Return whether the output or anything in the backward pass is not finite."""
    arrays = [*found.passed.values(), *found.cotangent.values(), *found.gradient.values()]
    arrays += [found.value[found.output]] if found.output else []
    return not all(np.isfinite(array).all() for array in arrays)


def nonfinite_cure(found: Trace) -> Cure | None:
    """Return an edit after which output and gradients are finite; None if none is known.

    A number of the output, or of a gradient, that was finite stays what it was, up to `CLOSE`, in 16 bits up
    to `CLOSE_IN_HALF`. Where no edit is known, a dtype with more bits may have room for the numbers.
    """
    edit = _edited(found)
    if edit is not None or not is_troubled(found):
        return edit
    for cure in wider(found):
        after = retraced(found, cure)
        if after and not is_troubled(after):
            return cure
    return None


def _edited(found: Trace) -> Cure | None:
    """Return cures of one origin after the other, joined; None if numbers that are not finite remain."""
    steps: list[Cure] = []
    now = found
    while is_troubled(now):
        step = _step(now) if len(steps) < MOST else None
        if step is None:
            return None
        cure, now = step
        steps.append(cure)
    # Each step is close to the one before it; together they may have drifted.
    return joined(steps) if steps and _keeps(found, now) else None


def _step(found: Trace) -> tuple[Cure, Trace] | None:
    """Return the first cure after which the first number that is not finite is so no more, with its trace."""
    for origin in _origins(found):
        for cure in _candidates(found, origin):
            after = retraced(found, cure)
            if after and (not is_troubled(after) or origin not in _origins(after)) and _keeps(found, after):
                return cure, after
    return None


def _origins(found: Trace) -> list[str]:
    """Return the nodes at which numbers stop being finite, those of the forward pass first."""
    return [*dict.fromkeys(origin.node for origin in found.nonfinite_origins)]


def _keeps(found: Trace, after: Trace) -> bool:
    """Return whether each number of output and gradients that was finite is what it was, or close."""
    close = CLOSE_IN_HALF if DTYPES[found.dtype].half else CLOSE
    pairs = [(found.value[found.output], after.value[found.output])]
    pairs += [(array, after.gradient[name]) for name, array in found.gradient.items()]
    for before, now in pairs:
        if before.shape != now.shape:
            return False
        finite = np.isfinite(before)  # the others are what is to change
        if not np.isclose(before[finite].astype(np.float64), now[finite].astype(np.float64), **close).all():
            return False
    return True


def _candidates(found: Trace, name: str) -> Iterator[Cure]:
    """Yield cures of the node `name`, at which numbers stop being finite: exact ones first."""
    node = found.graph[name]
    if node.rule.kind != FOLLOW:
        yield without_rules(
            [name], f"Remove the rule of {name}", f"{name} passes back its op's own derivative."
        )
    if node.op == INPUT or node.op not in OPS:
        return
    yield from stable_forms(found, name)
    yield from double_wheres(found, node)
    for candidate in (_entropy, _mask, _quotient, _power_of_zero, _root):
        yield from candidate(found, node)


def other_branch(found: Trace, name: str) -> tuple[str, int] | None:
    """Return (node, slot) of the `where` behind which `name` is, if the node leads to the output only there.

    Its op and all between them are elementwise, so that each element of `name` is one of the branch; of an
    input, those between.
    """
    graph = found.graph
    for choice in graph.nodes:
        for slot in (1, 2) if choice.op == "where" else ():
            branch = choice.slots[slot]
            if not isinstance(branch, str) or name not in ancestors(graph, [branch]):
                continue
            between = [graph[each] for each in descendants(graph, [name]) & ancestors(graph, [branch])]
            if not all(node.op == INPUT or OPS[node.op].elementwise for node in between):
                continue
            if choice.name not in ancestors(graph, [graph.output]) or choice.slots.count(branch) != 1:
                continue
            # Without this wire the node leads nowhere: every path to the output runs through the slot.
            without = edits.with_slot(graph, choice.name, slot, 0.0)
            if name not in ancestors(without, [graph.output]):
                return choice.name, slot
    return None


def double_wheres(found: Trace, node: Node) -> Iterator[Cure]:
    """Yield the double where: where the branch is not taken, its op reads a harmless number."""
    trap = other_branch(found, node.name)
    if trap is None:
        return
    choice, branch = found.graph[trap[0]], trap[1]
    slot, harmless = SAFE.get(node.op, (next((i for i, _ in node.wires), 0), 0.0))
    if node.op == INPUT or not isinstance(node.slots[slot], str):
        return
    condition, read = written(choice.slots[0]), written(node.slots[slot])
    taken = (read, str(harmless)) if branch == 1 else (str(harmless), read)
    yield Cure(
        partial(fed, target=node.name, slot=slot, text=f"where({condition}, {taken[0]}, {taken[1]})"),
        f"Double where: a second one before {node.name}",
        f"{choice.name} has the same value: where it does not take {node.name}, {node.name} reads "
        f"{harmless:g}.",
    )


def _entropy(found: Trace, node: Node) -> Iterator[Cure]:
    """Yield p log p as 0 at p = 0."""
    if node.op != "log" or not isinstance(node.slots[0], str):
        return
    inner, readers = node.slots[0], [n for n in found.graph.nodes if node.name in n.slots]
    products = all(n.op == "mul" and inner in n.slots for n in readers)
    if readers and products and (found.value[inner] >= 0).all():
        yield Cure(
            partial(fed, target=node.name, slot=0, text=f"where({inner} > 0.0, {inner}, 1.0)"),
            f"Where {inner} is 0, take log 1",
            "0 × log 0 is 0, its limit; nothing else changes.",
        )


def _mask(found: Trace, node: Node) -> Iterator[Cure]:
    """Yield a mask of large negative numbers in place of minus infinity."""
    value = found.value[node.name]
    if node.op == "log" and not node.wires and np.isneginf(value).any() and not np.isnan(value).any():
        least = next(each for each in LEAST if np.isfinite(rounded(each, found.dtype)))
        # The logarithm anew, in float64: the mask has the digits of the formula, not those of the dtype.
        with np.errstate(divide="ignore"):
            exact = np.log(np.asarray(node.slots[0], np.float64))
        yield Cure(
            partial(_replace_by_constant, name=node.name, literal=_as_literal(np.maximum(exact, least))),
            f"Mask with {scalar(least, 3)} in place of {MINUS}\u221e",
            "After softmax a masked element is 0 as before, unless its whole row is masked. And 0 times the "
            "mask is 0, not NaN.",
        )


def _as_literal(value: np.ndarray) -> Literal:
    """Return an array as a constant of a graph."""
    if value.ndim == 0:
        return float(f"{value.item():.7g}")
    return tuple(_as_literal(part) for part in value)


def _replace_by_constant(graph: Graph, name: str, literal: Literal) -> Graph:
    """Give the readers of a node a constant in its place, and delete it."""
    for reader, slot in consumers(graph)[name]:
        graph = edits.with_constant(graph, reader, slot, literal)
    return edits.without_nodes(graph, [name])


def _quotient(found: Trace, node: Node) -> Iterator[Cure]:
    """Yield a quotient that is 0 where both numbers are."""
    if node.op != "div" or not isinstance(node.slots[1], str):
        return
    above, below = np.broadcast_arrays(*(_read(found, node, slot) for slot in (0, 1)))
    root = found.graph[node.slots[1]]
    # A root below has no slope at 0 whatever the quotient is, so it is cured by itself first.
    if root.op in ROOTS and (below == 0).any():
        yield from _root(found, root)
    if ((above == 0) & (below == 0)).any():
        instead, met = _unless_both(node.slots[1], node.slots[0])
        yield Cure(
            partial(fed, target=node.name, slot=1, text=instead),
            f"Divide by 1 where {met}",
            "0 / 0 is 0; no other quotient changes.",
        )


def _power_of_zero(found: Trace, node: Node) -> Iterator[Cure]:
    """Yield 0 to the power 0 without the slope of 0 to the power -1."""
    base = node.slots[0] if node.op == "pow" else None
    if not isinstance(base, str):
        return
    below, power = np.broadcast_arrays(_read(found, node, 0), _read(found, node, 1))
    if ((below == 0) & (power == 0)).any():
        instead, met = _unless_both(base, node.slots[1])
        yield Cure(
            partial(fed, target=node.name, slot=0, text=instead),
            f"Take 1 to the power 0 where {met}",
            "0 to the power 0 is 1, as before, and its slope is 0; no other power changes.",
        )


def _unless_both(held: str, other: Slot) -> tuple[str, str]:
    """Return `held`, but 1 where it and `other` are 0, as an expression, and that condition in words.

    The other one may become another number later, so it is in the condition unless it is the constant 0.
    """
    if other == held or (not isinstance(other, str) and not np.any(np.asarray(other))):
        return f"where({held}, {held}, 1.0)", f"{held} is 0"
    shown = other if isinstance(other, str) else "the constant"
    return f"where({held}, {held}, where({written(other)}, {held}, 1.0))", f"{held} and {shown} are 0"


def _root(found: Trace, node: Node) -> Iterator[Cure]:
    """Yield a small number inside a root, a norm, a power or a logarithm whose operand is 0."""
    read = node.slots[0] if node.op in (*ROOTS, "pow", "log") else None
    if not isinstance(read, str):
        return
    # In float64 a comparison with NaN is quietly false; in bfloat16 it warns.
    operand = found.value[read].astype(np.float64)
    power = _read(found, node, 1).astype(np.float64) if node.op == "pow" else np.full((), 0.5)
    # A small number added to a negative one mends nothing, and a negative power of it is huge.
    if node.op != "norm" and ((operand < 0).any() or (power < 0).any()):
        return
    eps = next(each for each in EPS if rounded(each, found.dtype) != 0)
    most = scalar(np.max(eps ** power[power > 0], initial=0.0))
    changes = {
        "sqrt": f"The root of 0 is {most}, and its slope finite; others change by less.",
        "norm": f"The norm of 0 is {most}, and its slope finite; others change by less.",
        "pow": f"Powers of 0 change by {most} at most; their slope is finite.",
        "log": f"log 0 is {scalar(np.log(eps), 3)} in place of {MINUS}\u221e.",
    }
    if node.op == "norm":  # no slot is inside its root, so it is written out
        params = "".join(f", {key}={value}" for key, value in node.params)
        edit = partial(rewritten, name=node.name, text=f"sqrt(sum(square({read}){params}) + {eps})")
    else:
        edit = partial(fed, target=node.name, slot=0, text=f"{read} + {eps}")
    yield Cure(edit, f"Add {scalar(eps)} inside {node.name}", changes[node.op])


def _read(found: Trace, node: Node, slot: int) -> np.ndarray:
    """Return the value that a slot reads."""
    held = node.slots[slot]
    return found.value[held] if isinstance(held, str) else rounded(held, found.dtype)
