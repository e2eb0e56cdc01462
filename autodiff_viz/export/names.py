"""Names in an exported program: those of the graph, as far as nothing else in the file has them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from keyword import iskeyword

from autodiff_viz.graph.rule_kinds import KINDS

OWN = frozenset(kind.call for kind in KINDS.values()) | frozenset((
    "jax", "jnp", "partial", "checkpoint_name", "straight_through", "straight_through_jvp", "forward",
    "value", "pull_back", "gradients", "name", "gradient", "print", "zip", "map",
))  # fmt: skip
"""Names that the program uses itself."""


def scope(wanted: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """A variable for each name: the name itself, or with a "_" after it where that is taken or `OWN`."""
    wanted, found = list(wanted), {*OWN, *taken}
    clash = found.intersection(wanted)
    found.update(wanted)
    return {name: fresh(name, found) if name in clash else name for name in wanted}


def fresh(wanted: str, taken: set[str], endings: tuple[str, ...] = ("",)) -> str:
    """`wanted` with as many "_" after it as make it new with each ending; from now on these are taken."""
    name = wanted
    while iskeyword(name) or any(name + ending in taken for ending in endings):
        name += "_"
    taken.update(name + ending for ending in endings)
    return name


def identifier(title: str) -> str:
    """A region's title, which may hold spaces, dots and dashes, as a name."""
    name = re.sub(r"\W", "_", title, flags=re.ASCII).strip("_") or "region"
    return f"region_{name}" if name[0].isdigit() else name
