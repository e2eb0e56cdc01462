"""Find what the values show: broadcasts to all pairs, dead units of a relu, the trap of `where`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np

from autodiff_viz.engine.sentence import Claim, Statement
from autodiff_viz.engine.trace import Trace, mixes, trace
from autodiff_viz.explain.cure import Cure, fed
from autodiff_viz.explain.lints.lint import Finding, LintKind
from autodiff_viz.explain.nonfinite.cures import double_wheres, other_branch
from autodiff_viz.explain.zero.cures import flat_cure, ramp
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.graph.order import ancestors, order
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import KINDS, STOP
from autodiff_viz.graph.text import listed, quoted, scalar
from autodiff_viz.ops.misfits import Shape, describe_shape
from autodiff_viz.ops.piecewise import COMPARISONS

# Broadcasts that combine all pairs, and units of a relu that never fire.


UNITS = 6  # that a message names
PAIRS, DEAD = "pairs", "dead"
"""Kinds of claims: the shapes that a node broadcasts, and its own; the units of a node that are 0 in all
rows, how many there are, of how many, in how many rows."""


def mixed_broadcasts(found: Trace) -> Iterator[Finding]:
    """Yield the nodes that combine a column and a row of different ranks to all pairs."""
    for mix in mixes(found):
        *shapes, result = mix.claims[0].numbers
        described = " and ".join(describe_shape(shape) for shape in shapes)
        yield Finding(
            mix.node,
            f"{quoted(mix.node)} combines all pairs: {described} were broadcast to {list(result)}.",
            "If you meant element by element, give them one shape.",
            _one_shape(found.graph, mix.node, shapes),
            (mix.node,),
            (Claim(PAIRS, (mix.node,), (*shapes, result)),),
        )


BROADCAST = LintKind("broadcast", mixed_broadcasts, new_values=True)


def _one_shape(graph: Graph, name: str, shapes: Sequence[Shape]) -> Cure | None:
    """Return the reshape of an [n, 1] column beside an [n]; None for other shapes."""
    slots = graph[name].op_slots
    if sorted(map(len, shapes)) != [1, 2]:
        return None
    column = 0 if len(shapes[0]) == 2 else 1
    row = shapes[1 - column]
    if shapes[column] != (*row, 1) or not isinstance(slots[column], str):
        return None
    text = f"reshape({slots[column]}, shape={list(row)})"
    return Cure(
        partial(fed, target=name, slot=column, text=text),
        f"Reshape {slots[column]} to {list(row)} before {name}",
        f"{name} has {row[0]} elements in place of {row[0] ** 2}, so what reads it changes.",
    )


def dead_units(found: Trace) -> Iterator[Finding]:
    """Yield relus of a batch in which a unit is 0 in all rows, so that a parameter before it cannot learn.

    The rows are the first axis of a matrix, with two rows at least.
    """
    graph = found.graph
    way = ancestors(graph, [found.output])
    for node in graph.nodes:
        value = found.value[node.name]
        if ramp(node) is None or node.name not in way or value.ndim != 2 or len(value) < 2:
            continue
        if node.rule.kind == STOP or KINDS[node.rule.kind].replaces:
            continue  # what passes there is not up to the relu
        dead = np.flatnonzero((value <= 0).all(axis=0))
        before = ancestors(graph, [node.name])
        if not dead.size or not any(graph[n].is_parameter for n in before):
            continue
        are = "is" if dead.size == 1 else "are"
        yield Finding(
            node.name,
            f"{_units(dead)} of {value.shape[1]} of {quoted(node.name)} {are} 0 in all {len(value)} "
            "rows: nothing passes there, so what is before cannot learn.",
            "Another draw of the weights, a smaller step of training, or a leaky relu.",
            flat_cure(graph, node.name),
            (node.name,),
            (Claim(DEAD, (node.name,), (dead, dead.size, value.shape[1], len(value))),),
        )


DEAD_UNIT = LintKind("dead-unit", dead_units, new_values=True)


def _units(dead: np.ndarray) -> str:
    named = listed([str(unit) for unit in dead[:UNITS]])
    if dead.size > UNITS:
        return f"{dead.size} units"
    return f"Unit {named}" if dead.size == 1 else f"Units {named}"


# The `where` trap: both branches are computed, and 0 times an infinite slope is NaN.


STEPS = (0.0, 1e-3, -1e-3, 1.0, -1.0)
"""Where the branches are tried, from the number at which the condition changes."""

NOT_TAKEN, NEAR = "not taken", "near"
"""Kinds of claims: a `where` and the op in its other branch; a node, and the number at which it happens."""

AT_LEAST_ZERO = frozenset({"abs", "square", "relu", "norm"})
ABOVE_ZERO = frozenset({"exp", "sigmoid", "softplus", "softmax"})

HINT = (
    "where computes both branches and passes 0 to the one not taken; 0 × ∞ is NaN. A second where before the "
    "op gives it a harmless number there."
)


def where_traps(found: Trace) -> Iterator[Finding]:
    """Yield a `where` for each op in a branch not taken whose slope is not finite, here or nearby.

    Nearby is tried where the condition compares a node with a number, and the branch reads that node: there
    are the number itself, and numbers closely and not so closely below and above it.
    """
    way = ancestors(found.graph, [found.output])
    choices = [node for node in order(found.graph) if node.op == "where" and node.name in way]
    if not choices:
        return
    # A `where` is named once, by its trap at these numbers if it has one; so those come first.
    named = set()
    for finding in chain(_present(found), *(_nearby(found, choice) for choice in choices)):
        if finding.where not in named:
            named.add(finding.where)
            yield finding


WHERE_TRAP = LintKind("where-trap", where_traps, new_inside=True)


def _present(found: Trace) -> Iterator[Finding]:
    """Yield the traps that the numbers of the trace are in."""
    for name in dict.fromkeys(origin.node for origin in found.nonfinite_origins):
        trap = _not_taken(found, name)
        if trap is not None:
            yield _finding(found, trap[0], name, Statement("here"))


def _not_taken(found: Trace, name: str) -> tuple[str, int] | None:
    """Return (node, slot) of the `where` that does not take `name` where its slope is not finite; else None.

    Something that is not finite has to reach an input: a value alone, and a slope behind a stop, do no harm.
    """
    trap = other_branch(found, name)
    if trap is None or all(np.isfinite(gradient).all() for gradient in found.gradient.values()):
        return None
    condition = found.graph[trap[0]].slots[0]
    chosen = found.value[condition] if isinstance(condition, str) else np.asarray(condition)
    unused = np.broadcast_to((chosen != 0) != (trap[1] == 1), found.value[trap[0]].shape)
    broken = np.zeros(found.value[name].shape, bool)
    contributions = [found.passed[name, slot] for slot, _ in found.graph[name].wires]
    if all(np.isfinite(passed).all() for passed in contributions):
        return None  # its value alone is not finite
    for passed in contributions:
        broken = broken | ~np.isfinite(passed) if passed.shape == broken.shape else broken
    met = unused & broken if unused.shape == broken.shape else unused
    return trap if met.any() else None


def _finding(found: Trace, choice: str, culprit: str, when: Statement) -> Finding:
    cure = next(double_wheres(found, found.graph[culprit]), None)
    name, what = quoted(choice), quoted(culprit)
    claims = (Claim(NOT_TAKEN, (choice, culprit)), *when.claims)
    message = f"{name} does not take {what}, whose slope is not finite {when.text}: the gradient is NaN."
    return Finding(choice, message, HINT, cure, (choice, culprit), claims)


def _nearby(found: Trace, choice: Node) -> Iterator[Finding]:
    compared = _compared(found.graph, choice)
    if compared is None:
        return
    name, number = compared
    for at in (number + step * max(1.0, abs(number)) for step in STEPS):
        tried = _tried(found, choice.name, name, at) if _can_be(found.graph[name], at) else None
        if tried is None or not np.isfinite(tried.value[choice.name]).all():
            continue
        for culprit in dict.fromkeys(origin.node for origin in tried.nonfinite_origins):
            if (trap := _not_taken(tried, culprit)) and trap[0] == choice.name:
                when = Statement(f"where {quoted(name)} is {scalar(at, 6)}", (Claim(NEAR, (name,), (at,)),))
                yield _finding(found, choice.name, culprit, when)


def _compared(graph: Graph, choice: Node) -> tuple[str, float] | None:
    """Return the node that the condition of a `where` compares with a number, if a branch reads it."""
    condition = choice.slots[0]
    test = graph[condition] if isinstance(condition, str) else None
    if test is None or test.op not in COMPARISONS:
        return None
    names = [slot for slot in test.op_slots if isinstance(slot, str)]
    numbers = [slot for slot in test.op_slots if isinstance(slot, int | float)]
    branches = [slot for slot in choice.slots[1:] if isinstance(slot, str)]
    if len(names) != 1 or len(numbers) != 1 or names[0] not in ancestors(graph, branches):
        return None
    return names[0], float(numbers[0])


def _can_be(node: Node, number: float) -> bool:
    """Return whether the node's op can have that value."""
    return not (
        (node.op in AT_LEAST_ZERO and number < 0)
        or (node.op in ABOVE_ZERO and number <= 0)
        or (node.op in ("sin", "cos", "tanh", "sigmoid", "softmax") and abs(number) > 1)
    )


def _tried(found: Trace, choice: str, name: str, number: float) -> Trace | None:
    """Trace the graph up to a `where`, with this number in place of a node; None if it is no valid graph."""
    graph, shape = found.graph, found.value[name].shape
    cut = Node(name, INPUT, (), params(value=0.0) if not shape else params(shape=shape, seed=0))
    nodes = tuple(cut if node.name == name else node for node in graph.nodes)
    within = ancestors(replace(graph, nodes=nodes, regions=()), [choice])
    nodes = tuple(node for node in nodes if node.name in within)
    inputs = {n: value for n, value in found.inputs.items() if n in within}
    try:
        part = Graph(nodes, (), choice)
        return trace(part, {**inputs, name: np.full(shape, number)}, dtype=found.dtype)
    except GraphError:
        return None
