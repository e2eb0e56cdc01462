"""Read what a generator of the text yields: each value is taken at once, and then its function goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autodiff_viz.reading.language.values import Refused

Take = Callable[[Any], None]


class Left(Exception):
    """Ends a generator from within: what takes its values leaves its own loop or function."""

    def __init__(self, stream: Stream, by: Exception):
        self.stream, self.by = stream, by


@dataclass(eq=False)
class Stream:
    """What a generator yields, once.

    Attributes:
      start: runs the generator, and calls what takes a value.
      begun, ended: whether that was called, and whether it has come to its end.
    """

    start: Callable[[Stream, Take], None]
    begun: bool = False
    ended: bool = False

    def each(self, take: Take) -> None:
        """Call a function of each value.

        Raises:
          Refused: the values were taken before, and not to their end.
        """
        if self.ended:
            return
        if self.begun:
            raise Refused(
                "A generator that goes on later is not read.", "Make a list of it first: list(...)."
            )
        self.begun = True
        self.start(self, take)
        self.ended = True

    def numbered(self, first: int) -> Stream:
        """Return the values with their numbers, as `enumerate` does."""

        def start(_: Stream, take: Take) -> None:
            count = first

            def numbered(value: Any) -> None:
                nonlocal count
                take((count, value))
                count += 1

            self.each(numbered)

        return Stream(start)
