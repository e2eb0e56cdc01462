"""Estimate the memory that graphs take, to bound how many of them a visitor keeps."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from autodiff_viz.graph.model import Call, Graph, Node

NODE, VALUE = 1_000, 32  # bytes of a node with what is cached of it; of a number or a name in it

_sizes: WeakKeyDictionary[Node | Graph, int] = WeakKeyDictionary()


def size_of(part: Node | Graph) -> int:
    """Return the bytes of memory that a node or a graph takes, roughly and rather too many."""
    known = _sizes.get(part)
    if known is None:
        if isinstance(part, Graph):
            known = sum(map(size_of, part.nodes))
        else:
            body = part.rule.function.body if part.rule.function else ()
            known = NODE + VALUE * _count((part.slots, part.params, body))
        _sizes[part] = known
    return known


def _count(values: tuple[Any, ...]) -> int:
    """Count the numbers and names in nested tuples and calls, however deep."""
    count, waiting = 0, [values]
    while waiting:
        for value in waiting.pop():
            if isinstance(value, tuple):
                waiting.append(value)
            elif isinstance(value, Call):
                waiting += [value.args, value.params]
            count += 1
    return count
