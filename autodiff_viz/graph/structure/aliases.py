"""Find nodes that compute no array: an identity, such as a stop, returns the array that it reads."""

from __future__ import annotations

from collections.abc import Iterable

from autodiff_viz.graph.model import IDENTITY, Node


def array_sources(nodes: Iterable[Node]) -> dict[str, str]:
    """Return, by identity node, the node that computed its array.

    Args:
      nodes: each after those that it reads.
    """
    found: dict[str, str] = {}
    for node in nodes:
        read = node.op_slots[0] if node.op == IDENTITY else None
        if isinstance(read, str):
            found[node.name] = found.get(read, read)
    return found
