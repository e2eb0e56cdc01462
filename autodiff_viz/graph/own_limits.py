"""Let the user of the interface set the limits of sizes on the machine that is theirs.

`graph/limits.py` has what a server of visitors allows. Here two of its numbers are the user's, and those that
follow from them grow in proportion. A process that serves others keeps its own: see `keep`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.graph import limits as now
from autodiff_viz.graph.identity import EVERYTHING
from autodiff_viz.graph.problem import GraphError, Problem, whole_number
from autodiff_viz.graph.shown import Shown

NODES, ELEMENTS = now.NODES, now.ELEMENTS
MOST = {"nodes": 1_000_000, "elements": 2**31 - 1}  # beyond which JAX's own indices end
WITH_NODES = ("GROUPS", "REGIONS", "KERNELS", "GRADS", "LINES", "COPIED", "PARSED_NAMES")
WITH_BOTH = ("TOTAL_ELEMENTS", "TEXT", "TOKENS", "JSON", "PARSED_TOKENS", "PARSED_LINES", "PARSER_COPIES")
OURS = {name: getattr(now, name) for name in ("NODES", "ELEMENTS", *WITH_NODES, *WITH_BOTH)}
"""The limits of a server, by name."""

_kept: list[str] = []


@dataclass(frozen=True)
class Limits(Shown):
    """The limits of this process. As a context manager it puts back those from before.

    Attributes:
      nodes: in a graph.
      elements: of one tensor.
      before: nodes and elements as they were.
    """

    nodes: int
    elements: int
    before: tuple[int, int] = field(repr=False)

    def __enter__(self) -> Limits:
        return self

    def __exit__(self, *raised: Any) -> None:
        _set(*self.before)


def limits(*, nodes: int | None = None, elements: int | None = None) -> Limits:
    """Set the limits of this process, which is the user's own; `with limits(...)` puts them back at its end.

    What follows from them grows in proportion, such as the length of a formula and the number of groups. A
    server, also the one that `lab` starts, keeps its own, and refuses what is larger.

    Args:
      nodes: in a graph; 2,000 at first. None leaves it as it is.
      elements: of one tensor; 65,536 at first.
    Returns:
      The limits now.
    Raises:
      GraphError: a number is none, or this process serves visitors.
    """
    given = {"nodes": nodes, "elements": elements}
    before = now.NODES, now.ELEMENTS
    wanted = [
        old if new is None else whole_number(f"number of {name}", new, 1, MOST[name])
        for (name, new), old in zip(given.items(), before, strict=True)
    ]
    if _kept and tuple(wanted) != before:
        message = "This process serves visitors, whose graphs have the limits of the server."
        raise GraphError(Problem("kept-limits", message, "Set them in a program of your own."))
    _set(*wanted)
    return Limits(*wanted, before=before)


def keep() -> None:
    """Keep the limits of this process from now on, since it serves others."""
    _set(NODES, ELEMENTS)
    _kept[:] = ["kept"]


def _set(nodes: int, elements: int) -> None:
    """Set the limits, and forget what was found out under others."""
    if (nodes, elements) == (now.NODES, now.ELEMENTS):
        return
    by_nodes, by_elements = max(1.0, nodes / NODES), max(1.0, elements / ELEMENTS)
    now.NODES, now.ELEMENTS = nodes, elements
    for name in WITH_NODES:
        setattr(now, name, round(OURS[name] * by_nodes))
    for name in WITH_BOTH:
        setattr(now, name, round(OURS[name] * by_nodes * by_elements))
    for memo in EVERYTHING:
        memo.forget()
