"""Time several actions in turn, so that a noisy moment of the machine meets all of them.

Processor time, not wall time: other load on the machine then hardly matters, and nothing measured here waits
for anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from statistics import median
from time import process_time
from typing import Any

Action = Callable[[int], Any]
"""Function to be timed; its argument is the round, for actions that need something new each time."""


def times(
    rounds: int, *actions: Action, before: Callable[[int], None] = lambda which: None
) -> list[list[float]]:
    """Return seconds of processor time, per action and round.

    Each round has an order of its own, so that no action always follows the same one, whose data then fills
    the processor's caches. `before(which)` is called ahead of each action, off the clock.
    """
    found: list[list[float]] = [[0.0] * rounds for _ in actions]
    for i in range(rounds):
        for which in Random(i).sample(range(len(actions)), len(actions)):
            before(which)
            started = process_time()
            actions[which](i)
            found[which][i] = process_time() - started
    return found


def ratio(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the median of a over b, round by round."""
    return median(x / y for x, y in zip(a, b, strict=True))
