"""Find penalties on lengths of gradients that are of a part of a sample, or of several samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from autodiff_viz.engine.sentence import Claim
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.cure import Cure, fed, retraced
from autodiff_viz.explain.lints.lint import Finding, LintKind
from autodiff_viz.graph import edits
from autodiff_viz.graph.grad_nodes import BY, OF
from autodiff_viz.graph.model import GRAD, Graph, Node
from autodiff_viz.graph.order import ancestors, consumers, order
from autodiff_viz.graph.text import counted, quoted, scalar

LENGTHS, APART = "lengths", "apart"
"""Kinds of claims: a node of lengths and one of scores, and how many numbers each has; a grad node, and the
scores of which each depends on its own part of its x alone."""

CLOSE = {"rtol": 1e-2, "atol": 1e-6}  # float16 too


@dataclass(frozen=True, slots=True)
class _Length:
    """A Euclidean length: its node, what it is the length of, and the reductions from there, in order."""

    node: Node
    of: str
    reductions: tuple[Node, ...]


def joined_lengths(found: Trace) -> Iterator[Finding]:
    """Yield the lengths in a gradient penalty that are not one for each score.

    A penalty holds the length of a score's gradient against a number. It takes the gradient of all scores of
    a batch at once, of which each sample has its own part, with one length. A length of any other numbers
    fits into the same mean, and trains something else.

    Nothing is said where the lengths are held against no number, since a map of what matters has one for each
    part; where scores depend on each other's samples, as behind a batch norm; or where each score is of one
    number.
    """
    graph = found.graph
    way = ancestors(graph, [found.output]) | {found.output}
    for node in order(graph):
        length = _length(graph, node) if node.name in way else None
        if length is None or not _is_held(graph, length.node):
            continue
        gradient = _gradient(graph, length.of)
        scores = gradient and _scores(found, gradient)
        if not scores:
            continue
        axes = len(_without_ones(found.value[scores].shape))
        kept = _kept(found, length, axes)
        if kept is None or not _each_of_its_own(found, scores, gradient.slots[BY]):
            continue
        samples, parts = kept
        if samples and not parts:
            continue
        count, number = found.value[scores].size, found.value[node.name].size
        each = "it" if number == 1 else "each"
        joins = "joins one part of all samples" if parts else "joins all samples"
        does = "is of a part of a sample alone" if samples else joins
        of, name = quoted(gradient.name), quoted(scores)
        yield Finding(
            node.name,
            f"{quoted(node.name)} has {counted(number, 'length')} of the gradient {of} for the "
            f"{counted(count, 'score')} in {name}: {each} {does}.",
            "A sample's gradient has one length, over all axes but the batch. Flatten each sample first.",
            _flattened(found, length, axes),
            (node.name, gradient.name, scores),
            (
                Claim(LENGTHS, (node.name, scores), (number, count)),
                Claim(APART, (gradient.name, scores)),
            ),
        )


GRADIENT_LENGTH = LintKind("gradient-length", joined_lengths, new_values=True)


def _length(graph: Graph, node: Node) -> _Length | None:
    """Return the length that a node is: a norm, or the root of a sum of squares and perhaps a constant."""
    read = node.op_slots[0] if node.op_slots else None
    if node.op == "norm" and isinstance(read, str):
        return _Length(node, read, (node,))
    if node.op != "sqrt" or not isinstance(read, str):
        return None
    inside = graph[read]
    if inside.op == "add" and len(inside.wires) == 1:
        inside = graph[inside.wires[0][1]]
    reductions: list[Node] = []
    while inside.op == "sum" and isinstance(inside.slots[0], str):
        reductions.insert(0, inside)
        inside = graph[inside.slots[0]]
    of = _squared(inside)
    return _Length(node, of, tuple(reductions)) if of and reductions else None


def _squared(node: Node) -> str | None:
    """Return the node whose square a node is."""
    first, *others = node.op_slots or (None,)
    is_square = node.op == "square" or (node.op == "mul" and others == [first])
    is_square |= node.op == "pow" and others == [2]
    return first if is_square and isinstance(first, str) else None


def _is_held(graph: Graph, node: Node) -> bool:
    """Return whether a number is taken off what a node computes."""
    readers = [graph[name] for name, _ in consumers(graph)[node.name]]
    return any(reader.op in ("add", "sub") and len(reader.wires) == 1 for reader in readers)


def _gradient(graph: Graph, name: str) -> Node | None:
    """Return the grad node of which a node has the numbers, perhaps in another shape."""
    node = graph[name]
    while node.op == "reshape" and isinstance(node.slots[0], str):
        node = graph[node.slots[0]]
    return node if node.op == GRAD else None


def _scores(found: Trace, gradient: Node) -> str | None:
    """Return the node of several scores whose gradient it is, if each has several numbers of x for itself."""
    name, by = gradient.slots[OF], gradient.slots[BY]
    node = found.graph[name]
    while node.op in ("sum", "mean") and not found.value[node.name].shape and node.wires:
        node = found.graph[node.wires[0][1]]
    shape, of = _without_ones(found.value[node.name].shape), found.value[by].shape
    several = prod(shape) > 1 and of[: len(shape)] == shape and prod(of[len(shape) :]) > 1
    return node.name if several else None


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape without the lengths of 1 at its end: scores are often a column."""
    while shape and shape[-1] == 1:
        shape = shape[:-1]
    return shape


def _kept(found: Trace, length: _Length, axes: int) -> tuple[bool, bool] | None:
    """Return whether the samples stay apart, and whether other axes are left; None if that cannot be told."""
    shape = found.value[length.of].shape
    gradient = _gradient(found.graph, length.of)
    batch = found.value[gradient.name].shape[:axes]
    if len(shape) == 1 and axes == 1 and shape != batch:
        axis_names: list[int | None] = [0]  # all in a row: its one axis is of samples and of parts
    elif shape[:axes] == batch:
        axis_names = [*range(len(shape))]
    else:
        return None
    left = axis_names
    for node in length.reductions:
        axis = node.param("axis")
        if axis is None:
            left = []
        elif node.param("keepdims"):
            left[axis] = None
        else:
            left = [name for i, name in enumerate(left) if i != axis % len(left)]
    long = {name for name in left if name is not None and shape[name] > 1}
    return {i for i in range(axes) if shape[i] > 1} <= long, any(name >= axes for name in long)


def _each_of_its_own(found: Trace, scores: str, by: str) -> bool:
    """Return whether no score depends on another one's part of x: tried with a weight for each score."""
    graph = replace(found.graph, output=scores)
    value = found.value[scores]
    weights = np.random.default_rng(0).uniform(1.0, 2.0, value.shape)
    one, other = (
        trace(graph, found.inputs, seed, dtype=found.dtype).cotangent[by].astype(np.float64)
        for seed in (np.ones(value.shape), weights)
    )
    shape = _without_ones(value.shape)
    apart = one * weights.reshape(*shape, *(1 for _ in one.shape[len(shape) :]))
    return bool(one.any() and np.allclose(apart, other, **CLOSE))


def _flattened(found: Trace, length: _Length, axes: int) -> Cure | None:
    """Return the cure that makes a row of each sample before a norm is taken of it."""
    if length.node.op != "norm" or axes != 1:
        return None
    name, of = length.node.name, length.of
    gradient = _gradient(found.graph, of).name
    count = found.value[gradient].shape[0]
    text = f"reshape({gradient}, shape=[{count}, -1])"

    def edit(graph: Graph) -> Graph:
        return edits.with_param(fed(graph, target=name, slot=0, text=text), name, "axis", 1)

    cure = Cure(
        edit,
        f"Make a row of each sample before {name}",
        f"{name} has a length for each of {count} samples, so what reads it changes.",
    )
    return replace(cure, changes=f"{cure.changes}{_both_gradients(found, cure)}")


def _both_gradients(found: Trace, cure: Cure) -> str:
    """Return, as a sentence, how long the gradient that changes most is now, and how long it is then."""
    after = retraced(found, cure)
    if after is None:
        return ""
    lengths = {
        name: tuple(float(np.linalg.norm(each.gradient[name].astype(np.float64))) for each in (found, after))
        for name in found.inputs
    }
    name = max(lengths, key=lambda each: abs(lengths[each][0] - lengths[each][1]), default=None)
    if name is None:
        return ""
    here, then = map(scalar, lengths[name])
    return f" The gradient of {name} is {here} long here, and {then} then."
