"""Name the copies that loops and functions make, and their groups; limit how many there are."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping

from autodiff_viz.graph import limits
from autodiff_viz.language.source.scanner import LogicalLine

MANY = 4  # times the groups that a graph may have: a few too many are reported where groups are read


class Fresh:
    """Maker of names that neither the text nor another copy has.

    Attributes:
      taken: names that are in use.
    """

    def __init__(self, assigned: Mapping[str, int], frames: Iterable[str]):
        self._made: dict[str, int] = {}
        self._frames = set(frames)
        self._copied = self._titles = self._heads = self._lines = self._parts = 0
        self.taken = ChainMap(self._made, assigned)  # type: ignore[arg-type]

    def name(self, line: LogicalLine, name: str, *choices: str) -> str:
        """Return a name for a copy of `name`: the first of `choices` that is free.

        Raises:
          GraphError: none is.
        """
        new = next((new for new in choices if new not in self.taken), None)
        if new is None:
            message = f"A copy of {name!r} is named {choices[0]!r} here, and there is that name already."
            raise line.error(line.whole(), "name-taken", message, f"Rename {name!r} or {choices[0]!r}.")
        self._made[new] = line.number
        return new

    def title(self, line: LogicalLine, stem: str, number: int | None = None) -> str:
        """Return the title of a group: `stem`, or `stem.2` and so on, and the number.

        Raises:
          GraphError: there are too many groups, or nodes.
        """
        self._check_nodes(line)
        self._titles += 1
        if self._titles > limits.GROUPS:
            message = f"The steps of loops and the calls of functions are more than {limits.GROUPS} groups."
            raise line.error(line.whole(), "too-many-groups", message, "Use fewer.")
        end = "" if number is None else f" {number}"
        free, more = stem + end, 1
        while any(frame == free or frame.startswith(f"{free} ") for frame in self._frames):
            more += 1
            free = f"{stem}.{more}{end}"
        self._frames.add(free)
        return free

    def head(self, line: LogicalLine) -> None:
        """Count the head of a group. Loops in loops can make many without a line in them.

        Raises:
          GraphError: there are many more than a graph may have.
        """
        self._heads += 1
        if self._heads > MANY * limits.GROUPS:
            message = f"The steps of these loops are more than {limits.GROUPS} groups."
            raise line.error(line.whole(), "too-many-groups", message, "Use fewer steps.")

    def count(self, line: LogicalLine) -> None:
        """Count a copy of a line.

        Raises:
          GraphError: it is one too many.
        """
        self._copied += 1
        self._check_nodes(line)

    def copy(self, line: LogicalLine, parts: int) -> None:
        """Count a copy of a line, of so many parts, whether or not it makes a node.

        Raises:
          GraphError: the lines that loops and functions stand for are more, or longer, than a text may be.
        """
        self._lines += 1
        self._parts += parts
        if self._lines > limits.LINES or self._parts > limits.COPIED:
            most = f"{limits.LINES:,} lines, or {limits.COPIED:,} names, numbers and ops"
            message = f"Written out, the loops and functions are more than {most}."
            raise line.error(line.whole(), "too-many-copies", message, "Use fewer steps, or calls.")

    def _check_nodes(self, line: LogicalLine) -> None:
        if self._copied > limits.NODES:
            message = f"The copies of lines make more than {limits.NODES} nodes."
            raise line.error(line.whole(), "too-many-nodes", message, "Use fewer steps, or calls.")
