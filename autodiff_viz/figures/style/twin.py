"""Describe the pinned graph, for figures that show it beside the present one."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff_viz.engine.trace import Trace

LETTERS = "AB"


@dataclass(frozen=True, slots=True)
class Twin:
    """The trace of the pinned graph, and which of the two it is: "A" or "B"."""

    trace: Trace
    letter: str

    def beside(self, present: Trace) -> tuple[tuple[str, Trace], tuple[str, Trace]]:
        """Return (letter, trace) of both, A first."""
        (other,) = LETTERS.replace(self.letter, "")
        return tuple(sorted([(self.letter, self.trace), (other, present)], key=lambda side: side[0]))
