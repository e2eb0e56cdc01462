"""A lint: a construct that is legal and rarely meant, found in the numbers of a trace."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff_viz.engine.explain.cure import Cure
from autodiff_viz.graph.model import Graph

WHERE_TRAP, CORNERS, BROADCAST, SHADOW = "where-trap", "corners", "broadcast", "shadowed-argument"
STOP, CHECKPOINT, DEAD = "stop-stops-nothing", "checkpoint-saves-nothing", "dead-unit"
FORWARD_MODE, SECOND = "forward-mode", "second-derivative"

LATER = frozenset({FORWARD_MODE, SECOND})
"""Codes of lints that matter only for a derivative that the graph does not take."""

NEW_VALUES = frozenset({BROADCAST, DEAD})
"""Codes of lints about the value itself, which their mend therefore changes."""


@dataclass(frozen=True, slots=True)
class Lint:
    """A construct that is legal and rarely meant.

    Attributes:
      code: its kind, such as "where-trap".
      where: the node that it is about, or the checkpoint region.
      message: what was found, with its numbers.
      hint: what to do.
      mend: a graph without it; None where none is known. No value changes, but with the codes `NEW_VALUES`.
      button: what the mend does, as the text of a button.
      changes: what the mend changes, as a sentence.
      nodes: the nodes that take part, `where` first if it is a node.
    """

    code: str
    where: str
    message: str
    hint: str
    mend: Graph | None = None
    button: str = ""
    changes: str = ""
    nodes: tuple[str, ...] = ()

    @property
    def later(self) -> bool:
        """Whether the lint matters only for a derivative that the graph does not take."""
        return self.code in LATER


@dataclass(frozen=True, slots=True)
class Finding:
    """A lint before its cure has been tried."""

    code: str
    where: str
    message: str
    hint: str
    cure: Cure | None = None
    nodes: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """Return what identifies the lint in a changed graph: code and place."""
        return self.code, self.where
