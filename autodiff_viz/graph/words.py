"""Lists inside a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def listed(items: Sequence[str], most: int | None = None) -> str:
    """Write "a", "a and b", "a, b and c"; of more than `most` items "a, b and 4 more"."""
    if most is not None and len(items) > most:
        items = [*items[:most], f"{len(items) - most} more"]
    return " and ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))
