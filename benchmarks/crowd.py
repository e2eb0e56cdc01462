"""Simulate many visitors at once: each acts every other second, or all open the page at one moment.

A duration counts from the moment when an action was due, not from when it could be sent, so a server that
stalls cannot hide it.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Sequence
from typing import NamedTuple, Protocol

from benchmarks.tab import Tab

PERIOD, JITTER = 2.0, 0.2  # seconds between two actions of one visitor, and the random share of it
RAMP = 5.0  # seconds over which the visitors arrive
QUIET, PATIENCE = 0.4, 60.0  # seconds without a message until a page is at rest; longest wait for that


class Worked(Protocol):
    """What is under load; processor time so far, with its workers and without."""

    @property
    def seconds(self) -> float: ...

    @property
    def own_seconds(self) -> float: ...


class Load(NamedTuple):
    """Measurements of a crowd.

    Attributes:
      taken: seconds of each action, sorted.
      cpu: seconds of processor time per action, of the server alone.
      workers: the same of its workers.
      failures: what went wrong, in words.
    """

    taken: list[float]
    cpu: float
    workers: float
    failures: list[str]

    @property
    def p95(self) -> float:
        """95th percentile of `taken` in seconds; infinite if anything failed."""
        return quantile(self.taken, 0.95) if self.taken and not self.failures else float("inf")


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the quantile `share` of sorted numbers."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def acting(tabs: Sequence[Tab], server: Worked, seconds: float) -> Load:
    """Have all tabs come, then act every `PERIOD` for so many seconds."""
    return asyncio.run(_acting(tabs, server, seconds))


def opening(tabs: Sequence[Tab]) -> float:
    """Have all tabs come at one moment; return seconds until the last one sees what matters.

    Infinite if one never does.
    """
    return asyncio.run(_opening(tabs))


async def _acting(tabs: Sequence[Tab], server: Worked, seconds: float) -> Load:
    failures: list[str] = []
    taken: list[float] = []
    coming = (later(RAMP * i / len(tabs), tab.open()) for i, tab in enumerate(tabs))
    await _all(coming, failures)
    await asyncio.gather(*map(at_rest, tabs))
    before, own, start = server.seconds, server.own_seconds, time.perf_counter() + 0.2
    going = [visit(tab, start + PERIOD * i / len(tabs), start + seconds, taken) for i, tab in enumerate(tabs)]
    await _all(going, failures)
    await asyncio.gather(*map(at_rest, tabs))
    own, count = server.own_seconds - own, max(1, len(taken))
    cpu, workers = own / count, (server.seconds - before - own) / count
    await asyncio.gather(*(tab.close() for tab in tabs))
    return Load(sorted(taken), cpu, workers, failures + [error for tab in tabs for error in tab.errors])


async def _opening(tabs: Sequence[Tab]) -> float:
    failures: list[str] = []
    began = time.perf_counter()
    await _all([tab.open() for tab in tabs], failures)
    took = time.perf_counter() - began
    await asyncio.gather(*map(at_rest, tabs))
    await asyncio.gather(*(tab.close() for tab in tabs))
    return float("inf") if failures or any(tab.errors for tab in tabs) else took


async def visit(tab: Tab, due: float, end: float, taken: list[float]) -> None:
    """Act when an action is due, also while an earlier one is under way."""
    going = []
    while due < end and not tab.lost:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        going.append(asyncio.create_task(tab.act(due)))
        due += PERIOD * (1 + JITTER * (random.random() - 0.5))
    taken += await asyncio.gather(*going)


async def at_rest(tab: Tab) -> None:
    """Wait until no run has been going on for `QUIET` seconds."""
    end = time.perf_counter() + PATIENCE
    while not tab.idle or time.perf_counter() - tab.heard < QUIET:
        if tab.lost or time.perf_counter() > end:
            return
        await asyncio.sleep(0.02)


async def later(seconds: float, what: Awaitable[object]) -> None:
    await asyncio.sleep(seconds)
    await what


async def _all(going: Sequence[Awaitable[object]], failures: list[str]) -> None:
    """Wait for all of them, and record those that fail."""
    for found in await asyncio.gather(*going, return_exceptions=True):
        if isinstance(found, BaseException):
            failures.append(f"{type(found).__name__}: {found}"[:200])
