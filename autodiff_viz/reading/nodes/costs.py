"""Count what reading a text costs, and limit it: one budget of steps for each text.

A step is an expression or a statement. Whatever makes, copies, walks or compares more than one value pays for
it in steps before it does, so that no text takes longer than its steps allow. The limits below are all that
the reader has beside those of graphs; a refusal names the one that it met.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import prod
from typing import Any

from autodiff_viz.graph import limits

LONGEST = 600_000  # characters of code, with tensors written out; a formula may be longer
CALLS = 200_000  # steps of one text
DEPTH = 60  # calls inside calls
NESTED = 50  # lists inside lists; each is a call of ours when it is walked
WEIGHT = 2 * limits.ELEMENTS  # values inside a list, with those of the lists in it
LENGTH = 10_000  # of a list, text or range that the text makes
KEY = 64  # values of a tuple that is a key of a dictionary
STEPS = 256  # steps of one loop that makes nodes
ASKED = 200  # times that a text may ask for the numbers of an array
NAMES = 256  # of the elements of one kind of tuple
BASES = 64  # classes that a class comes from

WALKED = 8  # values of a list that are walked, copied or compared for a step
MADE = 20  # numbers of an array that are kept as a constant, for a step
FLAT = 256  # numbers of an array that NumPy makes, for a step
UNSEEN = 200  # steps for an op of shapes that the text has not had, which JAX is asked about
CALLED = 200  # steps for a key or a generator of random numbers that a library makes
WORK = 2_000_000  # of computing the numbers that a text asks for, in units of about a microsecond
DRAWN = 250_000  # work of compiling a draw for one shape
PROGRAM = 60_000  # work of compiling an op for shapes that the text has not had
ASKING = 1_000  # work of computing any number at all
RUN = 30  # work of running an op
PRODUCTS = 16_000  # products of two numbers for a unit of work
MESSAGE = 600  # characters of a refusal, which may quote the text


class Refused(Exception):
    """Raised where a text cannot be read; the reader adds the place.

    Attributes:
      message: what was found and what was needed.
      hint: the nearest thing that works.
      by_library: whether the library itself raises an error there.
      ends: whether reading ends there, since nothing after it can be read, or nobody knows how.
      cause: what is unknown, of a refusal of all that needs it.
    """

    by_library = ends = False
    cause: Any = None

    def __init__(self, message: str, hint: str = "", code: str = "not-read", at: ast.AST | None = None):
        message, hint = (said if len(said) <= MESSAGE else f"{said[:MESSAGE]}..." for said in (message, hint))
        super().__init__(message)
        self.message, self.hint, self.code, self.at = message, hint, code, at


class LibraryError(Refused):
    """Raised where the library itself raises an error, with its own words."""

    by_library = True


class Spent(Refused):
    """Raised where a text has used up its budget."""

    ends = True


@dataclass(eq=False)
class Budget:
    """What reading a text has taken.

    Attributes:
      steps: of at most CALLS.
      values: walked since the last step that was paid for them.
      work: of computing numbers; of at most WORK.
    """

    steps: int = 0
    values: int = 0
    work: int = 0


_PRESENT: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def budget() -> Iterator[Budget]:
    """Give what is read inside its steps, and its work. Outside of it nothing is counted."""
    mine = Budget()
    token = _PRESENT.set(mine)
    try:
        yield mine
    finally:
        _PRESENT.reset(token)


def pay(steps: int = 1) -> None:
    """Take steps of the budget of the text that is being read.

    Raises:
      Refused: code "too-large", it has not so many left.
    """
    present = _PRESENT.get()
    if present is None:
        return
    present.steps += steps
    if present.steps > CALLS:
        raise Spent(
            f"This takes more than {CALLS:,} steps to read.",
            "Use shorter loops, or smaller lists and arrays.",
            "too-large",
        )


def pay_work(work: int) -> None:
    """Take work of the budget of the text that is being read.

    Raises:
      Refused: code "too-large", it has not so much left.
    """
    present = _PRESENT.get()
    if present is None:
        return
    present.work += work
    if present.work > WORK:
        raise Spent(
            "The numbers that this text asks for take too long to compute.",
            "Ask for the numbers of fewer or smaller arrays, or write where(condition, a, b).",
            "too-large",
        )


def pay_values(count: int) -> None:
    """Take the steps for values of a list, or characters of a text, that are copied or walked."""
    present = _PRESENT.get()
    if present is not None:
        present.values += count
        if present.values >= WALKED:
            steps, present.values = divmod(present.values, WALKED)
            pay(steps)


def sized(shape: Sequence[int]) -> tuple[int, ...]:
    """Return a shape whose numbers may be made now. Whoever makes an array asks this first.

    Raises:
      Refused: code "too-large", it has too many numbers or axes.
    """
    sizes = tuple(shape)
    if not all(type(size) is int and size >= 0 for size in sizes):
        raise Refused("A shape is written out in whole numbers, such as (2, 3).")
    if len(sizes) > limits.RANK:
        raise Refused(f"A tensor has at most {limits.RANK} axes.", "", "too-large")
    count = prod(sizes)
    if count > limits.ELEMENTS:
        shown = f"{count:,}" if count < limits.NUMBER else "too many"
        raise Refused(
            f"A tensor of shape {_short(sizes)} has {shown} numbers; the limit is {limits.ELEMENTS:,}.",
            "Use fewer rows or a smaller layer: it shows the same gradients.",
            "too-large",
        )
    pay(count // FLAT)
    return sizes


def pay_numbers(count: int) -> None:
    """Take the steps for the numbers of a constant, each of which is an object of Python."""
    pay(count // MADE)


def _short(sizes: tuple[int, ...]) -> str:
    return "[" + ", ".join(str(size) if size < limits.NUMBER else "..." for size in sizes) + "]"


def weighed(value: Any) -> int:
    """Return how many values are in nested lists, tuples and dictionaries, each as often as it is there.

    A list that stands in two places is walked twice by whoever walks it, so it is counted twice here.

    Raises:
      Refused: code "too-large", there are too many, or one is in another too deep, as a list in itself is.
    """
    waiting, size = [(value, 0)], 0
    while waiting:
        one, depth = waiting.pop()
        held = one.values() if isinstance(one, dict) else one if isinstance(one, (list, tuple)) else ()
        size += len(held)
        if size > WEIGHT:
            raise Refused(f"This has more than {WEIGHT:,} values in it.", "Use smaller lists.", "too-large")
        if held:
            if depth >= NESTED:
                raise Refused(
                    f"Lists are nested more than {NESTED} deep here, as one is that holds itself.",
                    "",
                    "too-large",
                )
            pay_values(len(held))
            # Values and indices of a maximum are a tuple that makes nodes as soon as it is iterated over.
            each = tuple.__iter__(held) if isinstance(held, tuple) else held
            waiting += [(value, depth + 1) for value in each if type(value) not in _PLAIN]
    return size


_PLAIN = frozenset({int, float, bool, str, type(None)})
