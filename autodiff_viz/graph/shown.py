"""Let answers show themselves in notebooks and when they are printed, by a writer that the package registers.

What is shown has one owner, `standalone/notebook.py`: a graph is in the first folder and what draws it in a
later one, which the first cannot import.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

Bundle = dict[str, str]
"""What is shown, by MIME type: a front end takes the richest one that it can show."""

PLAIN = "text/plain"

Writer = Callable[[Any, "Collection[str] | None", "Collection[str] | None"], Bundle]

_registered: list[Writer] = []


def register(write: Writer) -> None:
    """Let `write` make what is shown of answers."""
    _registered[:] = [write]


class Shown:
    """An answer that shows itself: in a notebook in all the ways there are, printed as text."""

    __slots__ = ()

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> Bundle:
        """Return what a notebook may show, by MIME type, as IPython and marimo ask for it.

        Args:
          include: the types that are wanted; None for all.
          exclude: types that are not.
        """
        return _registered[0](self, include, exclude) if _registered else {PLAIN: repr(self)}

    def __str__(self) -> str:
        """Return the text: the answers as a table."""
        return self._repr_mimebundle_([PLAIN])[PLAIN]


class Several(tuple, Shown):
    """A tuple of records that shows itself as a table, a line for each."""

    __slots__ = ()
