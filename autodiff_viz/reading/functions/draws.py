"""Keep which numbers a library draws: those in the graph are an example, on which no answer may depend."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from autodiff_viz.reading.nodes.builder import Ref

if TYPE_CHECKING:
    from autodiff_viz.reading.language.reader import Reader


@dataclass(eq=False)
class Draws:
    """The draws of a text.

    Attributes:
      named: what drew the numbers of a node, and in which line, by the node's number.
      unseeded: numbers of inputs that are drawn without a seed.
    """

    named: dict[int, tuple[str, int]] = field(default_factory=dict)
    unseeded: set[int] = field(default_factory=set)

    def draw(self, reader: Reader, op: str, what: str, **params: Any) -> Ref:
        """Add a node of drawn numbers: a noise op, or an input."""
        ref = reader.builder.add(op, (), seed=len(self.named), **params)
        self.named[ref.number] = what, reader.line
        reader.say(reader.line, f"{what} draws its numbers; those in the graph are an example")
        return ref
