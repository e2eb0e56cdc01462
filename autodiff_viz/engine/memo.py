"""Memoise costly results for many users, within a bound: rare requests cannot evict what others use.

The memory is a segmented LRU cache. Once it is full, a new result is on trial (in the probationary segment)
and is evicted by newer ones. It moves to the protected segment when a later evaluation requests it again, of
another visitor or, up to a share, of the same one. The number of different results that one evaluation may
request is limited.

A result that several threads request at once is computed by the first of them; the others wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from itertools import count
from threading import Event, Lock, local
from typing import Any, TypeVar

from autodiff_viz.graph.identity import EVERYTHING, Remembered

R = TypeVar("R")

PATIENCE = 5.0  # seconds that a thread waits for a result that another one computes, before it does so itself

_numbers = count()


class Evaluation:
    """One evaluation of a graph: its number, and the keys that it has requested."""

    __slots__ = ("asked", "number")

    def __init__(self) -> None:
        self.number: int = next(_numbers)
        self.asked: set[Hashable] = set()


class _OfThread(local):
    """The evaluation under way in this thread, the visitor who requests it, and whether it may compile."""

    evaluation: Evaluation | None = None
    visitor: Hashable = None
    admit: Callable[[], object] | None = None


_of_thread = _OfThread()


@contextmanager
def _holding(field: str, value: Any) -> Iterator[None]:
    """Set a field of this thread inside `with`."""
    before = getattr(_of_thread, field)
    setattr(_of_thread, field, value)
    try:
        yield
    finally:
        setattr(_of_thread, field, before)


def within(evaluation: Evaluation) -> AbstractContextManager[None]:
    """Attribute the requests inside `with` to this evaluation."""
    return _holding("evaluation", evaluation)


def asked_by(visitor: Hashable) -> AbstractContextManager[None]:
    """Attribute the requests inside `with` to this visitor; None for the server itself."""
    return _holding("visitor", visitor)


def admitted_by(admit: Callable[[], object] | None) -> AbstractContextManager[None]:
    """Call `admit` before each program that is compiled inside `with`: it may raise."""
    return _holding("admit", admit)


def admit() -> None:
    """Ask whether this thread may compile one more program.

    Raises:
      GraphError: whoever it works for has had too many compiled lately.
    """
    if _of_thread.admit is not None:
        _of_thread.admit()


class _Entry:
    """A result; `first` and `last` are the numbers of evaluations that have requested it, and
    `visitor` is the only visitor who has; None for several or for the server itself."""

    __slots__ = ("first", "last", "on_trial", "result", "visitor")

    def __init__(self, result: Any, on_trial: bool, number: int, visitor: Hashable):
        self.result, self.on_trial, self.visitor = result, on_trial, visitor
        self.first = self.last = number


def shared(
    most: int, trial: int, key: Callable[..., Hashable], too_many: Callable[..., Exception]
) -> Callable[[Callable[..., R]], Remembered[R]]:
    """Memoise a pure function for all users, by the key that its result follows from.

    Args:
      most: results that are kept, `trial` of them on trial. A quarter of the others may be kept for one
        visitor alone.
      trial: also the number of different results that one evaluation may request, or it could evict its own.
      too_many: makes, of the arguments, the exception that is raised when an evaluation requests more.
    """

    def decorate(make: Callable[..., R]) -> Remembered[R]:
        entries: dict[Hashable, _Entry] = {}
        computing: dict[Hashable, Event] = {}
        lock, missed = Lock(), [0]

        def of_another(wanted: Hashable) -> _Entry | None:
            """Return the entry, awaited if another thread computes it; None if this one has to."""
            mine = Event()
            with lock:
                entry = entries.get(wanted)
                going = computing.setdefault(wanted, mine) if entry is None else mine
            if going is not mine:
                going.wait(PATIENCE)
                entry = entries.get(wanted)  # None if the other one has failed, or takes long
            return entry

        def computed(wanted: Hashable, arguments: tuple, number: int) -> _Entry:
            try:
                return added(wanted, make(*arguments), number)
            finally:
                with lock:
                    done = computing.pop(wanted, None)
                if done is not None:
                    done.set()

        def added(key: Hashable, result: R, number: int) -> _Entry:
            with lock:
                missed[0] += 1
                # As long as the protected segment has room, a result need not be requested twice.
                on_trial = sum(not entry.on_trial for entry in entries.values()) >= most - trial
                entry = entries[key] = _Entry(result, on_trial, number, _of_thread.visitor)
                # Of each segment the least recently used go, as many as it has beyond its room.
                for segment, room in ((True, trial), (False, most - trial)):
                    keys = [key for key, entry in entries.items() if entry.on_trial is segment]
                    keys.sort(key=lambda key: entries[key].last)
                    for old in keys[: max(0, len(keys) - room)]:
                        del entries[old]
            return entry

        @wraps(make)
        def call(*arguments: Any) -> R:
            wanted, now = key(*arguments), _of_thread.evaluation or Evaluation()
            if wanted not in now.asked:
                if len(now.asked) >= trial:
                    raise too_many(*arguments)
                now.asked.add(wanted)
            entry = entries.get(wanted) or of_another(wanted)
            if entry is None:
                entry = computed(wanted, arguments, now.number)
            else:
                if entry.visitor != _of_thread.visitor:
                    entry.visitor = None
                if entry.on_trial and entry.first != now.number:
                    # Protected, unless one visitor alone uses it and has a quarter of the segment already.
                    # A copy, since other threads add entries meanwhile.
                    alone, kept = entry.visitor, [*entries.values()]
                    own = 0 if alone is None else sum(e.visitor == alone and not e.on_trial for e in kept)
                    entry.on_trial = own >= (most - trial) // 4
            entry.last = now.number
            return entry.result

        call.most, call.forget = most, entries.clear
        call.kept, call.misses = lambda: len(entries), lambda: missed[0]
        EVERYTHING.append(call)
        return call

    return decorate
