"""Name the variables of an exported program: as in the graph, unless the file already has the name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from keyword import iskeyword

from autodiff_viz.graph.registries.rule_kinds import KINDS

OWN = frozenset(kind.call for kind in KINDS.values() if kind.call) | frozenset((
    "jax", "jnp", "partial", "checkpoint_name", "straight_through", "straight_through_jvp", "forward",
    "value", "pull_back", "gradients", "name", "gradient", "print", "zip", "map",
))  # fmt: skip
"""Names that the exported program uses itself."""


def scope(wanted: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return a variable for each name: the name itself, or with "_" appended if it is taken or in `OWN`."""
    wanted, found = list(wanted), {*OWN, *taken}
    clash = found.intersection(wanted)
    found.update(wanted)
    return {name: fresh(name, found) if name in clash else name for name in wanted}


def fresh(wanted: str, taken: set[str], endings: tuple[str, ...] = ("",)) -> str:
    """Append "_" to `wanted` until it is new with each of `endings`, and mark the results as taken."""
    name = wanted
    while iskeyword(name) or any(name + ending in taken for ending in endings):
        name += "_"
    taken.update(name + ending for ending in endings)
    return name


def identifier(title: str) -> str:
    """Return a region's title, which may hold spaces, dots and dashes, as a Python name."""
    name = re.sub(r"\W", "_", title, flags=re.ASCII).strip("_") or "region"
    return f"region_{name}" if name[0].isdigit() else name
