"""Bounded memoisation of costly results for many users: rare requests cannot evict what others use.

Once the memory is full, a new result is on trial and is evicted by newer ones. It becomes permanent when a
later evaluation asks for it again; permanent results are evicted by LRU. An evaluation may ask for a limited
number of different results.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import count
from threading import Lock, local
from typing import Any, TypeVar

from autodiff_viz.graph.identity import EVERYTHING, Remembered

R = TypeVar("R")

_numbers = count()


class Evaluation:
    """One evaluation of a graph: its number, and the keys that it has asked for."""

    __slots__ = ("asked", "number")

    def __init__(self) -> None:
        self.number: int = next(_numbers)
        self.asked: set[Hashable] = set()


class _Here(local):
    """The evaluation under way in this thread."""

    evaluation: Evaluation | None = None


_here = _Here()


@contextmanager
def within(evaluation: Evaluation) -> Iterator[None]:
    """Attribute the requests inside `with` to this evaluation."""
    before, _here.evaluation = _here.evaluation, evaluation
    try:
        yield
    finally:
        _here.evaluation = before


class _Entry:
    """A result; `first` and `last` are the numbers of evaluations that have asked for it."""

    __slots__ = ("first", "last", "on_trial", "result")

    def __init__(self, result: Any, on_trial: bool, number: int):
        self.result, self.on_trial = result, on_trial
        self.first = self.last = number


def shared(
    most: int, trial: int, key: Callable[..., Hashable], too_many: Callable[..., Exception]
) -> Callable[[Callable[..., R]], Remembered[R]]:
    """Memoise a pure function for all users, by the key that its result follows from.

    Args:
      most: how many results are kept.
      trial: how many of these are on trial. Also the limit of different results for one evaluation, which
        could not keep its own otherwise.
      key: makes the key from the arguments.
      too_many: makes from the arguments the exception for an evaluation beyond that limit.
    """

    def decorate(make: Callable[..., R]) -> Remembered[R]:
        entries: dict[Hashable, _Entry] = {}
        lock, missed = Lock(), [0]

        def added(key: Hashable, result: R, number: int) -> _Entry:
            with lock:
                missed[0] += 1
                entry = entries[key] = _Entry(result, _settled(entries) >= most - trial, number)
                for old in _surplus(entries, most, trial):
                    del entries[old]
            return entry

        @wraps(make)
        def call(*arguments: Any) -> R:
            wanted, now = key(*arguments), _here.evaluation or Evaluation()
            if wanted not in now.asked:
                if len(now.asked) >= trial:
                    raise too_many(*arguments)
                now.asked.add(wanted)
            entry = entries.get(wanted)
            if entry is None:
                entry = added(wanted, make(*arguments), now.number)
            elif entry.on_trial and entry.first != now.number:
                entry.on_trial = False
            entry.last = now.number
            return entry.result

        call.most, call.forget = most, entries.clear
        call.kept, call.misses = lambda: len(entries), lambda: missed[0]
        EVERYTHING.append(call)
        return call

    return decorate


def _settled(entries: dict[Hashable, _Entry]) -> int:
    return sum(not entry.on_trial for entry in entries.values())


def _surplus(entries: dict[Hashable, _Entry], most: int, trial: int) -> list[Hashable]:
    """Return the least recently used entries beyond the room, among those on trial and among the others."""
    over = []
    for on_trial, room in ((True, trial), (False, most - trial)):
        kind = [key for key, entry in entries.items() if entry.on_trial is on_trial]
        kind.sort(key=lambda key: entries[key].last)
        over += kind[: max(0, len(kind) - room)]
    return over
