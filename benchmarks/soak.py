"""Measure whether a server grows in 40 minutes of visitors who come and go: `python -m benchmarks.soak`.

Visitors open the lab, edit, undo, train, paste code and leave; half of them vanish without closing. After the
first quarter of the time the server's memory may not grow by more than `GROWTH` a minute. `SOAK` is another
number of minutes.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, count
from statistics import median
from typing import NamedTuple

from benchmarks.attack import press, text
from benchmarks.code import text_of
from benchmarks.hostile import trainable
from benchmarks.server import Server, server, until_warm
from benchmarks.strange import BOMBS
from benchmarks.visitor import Editor

MINUTES = float(os.environ.get("SOAK", "40"))
SETTLED = 1 / 4  # share of the time after which memory counts: by then caches have their size
GROWTH = 1.0  # megabytes a minute
VISITORS = 6  # at a time
STAY = 4.0, 20.0  # seconds of a visit, from and to
EVERY = 0.8  # seconds between two gestures
READ = 5.0  # seconds between two readings
TRAINED, TRAIN = trainable(5), "train_go"
WAITED = 20.0  # seconds for a button


class Reading(NamedTuple):
    """Seconds since the start, megabytes of the server alone and with its workers, and all that was done."""

    seconds: float
    server: float
    whole: float
    done: Counter[str]


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Return the growth per unit: the median of the slopes between all pairs (Theil and Sen).

    A worker's answer or a collection, which lifts or lowers a few readings, does not change it.
    """
    return median(
        (after[1] - before[1]) / (after[0] - before[0]) for before, after in combinations(points, 2)
    )


async def soak(app: Server, seconds: float) -> list[Reading]:
    """Have visitors come and go for so many seconds, and print a row for each minute; return the readings."""
    done: Counter[str] = Counter()
    numbers, start = count(), time.monotonic()
    visiting = [asyncio.create_task(_visitors(app, numbers, done)) for _ in range(VISITORS)]
    found = []
    while (passed := time.monotonic() - start) < seconds:
        if found and passed // 60 > found[-1].seconds // 60:
            _print_minute(found)
        found.append(Reading(passed, app.own_megabytes, app.megabytes, done.copy()))
        await asyncio.sleep(READ)
    _print_minute(found)
    for task in visiting:
        task.cancel()
    await asyncio.gather(*visiting, return_exceptions=True)
    return found


def _print_minute(found: Sequence[Reading]) -> None:
    """Print the medians of the last minute, and what was done so far."""
    minute = found[-1].seconds // 60
    rows = [each for each in found if each.seconds // 60 == minute]
    sizes = median(row.server for row in rows), median(row.whole for row in rows)
    done = ", ".join(f"{number} {what}" for what, number in sorted(found[-1].done.items()))
    print(f"{minute:>6.0f} {sizes[0]:>10.1f} {sizes[1]:>8.1f}  {done}", flush=True)


async def _visitors(app: Server, numbers: count[int], done: Counter[str]) -> None:
    """Visit one after the other, without end."""
    while True:
        seed = next(numbers)
        try:
            await _visit(app, seed, done)
        except (OSError, TimeoutError) as error:
            done[f"failed: {type(error).__name__}"] += 1


async def _visit(app: Server, seed: int, done: Counter[str]) -> None:
    chance = random.Random(seed)
    tab = Editor(app.address, size=chance.choice((5, 15, 30, 60)), seed=seed % 40)
    try:
        await tab.open()
        done["visits"] += 1
        end = time.monotonic() + chance.uniform(*STAY)
        if chance.random() < 0.2:
            await _train(tab, done)
        elif chance.random() < 0.2:
            await _paste(tab, seed, done)
        while time.monotonic() < end:
            await tab.act(time.perf_counter())
            done["edits"] += 1
            if chance.random() < 0.3:
                await _send(tab, {"kind": "undo"})
                done["undone"] += 1
            await asyncio.sleep(EVERY)
        if chance.random() < 0.5:
            tab.vanish()
            done["vanished"] += 1
    finally:
        await tab.close()


async def _train(tab: Editor, done: Counter[str]) -> None:
    await _send(tab, *text(TRAINED))
    tab.nodes, tab.inputs = ["n1", "n2", "n3"], ["w"]
    try:
        await asyncio.wait_for(press(tab, TRAIN), WAITED)
        done["trainings"] += 1
    except TimeoutError:
        done["no button to train"] += 1


async def _paste(tab: Editor, seed: int, done: Counter[str]) -> None:
    """Paste code that nobody has pasted before: mostly of usual size, sometimes of a kind that is ended."""
    hostile = seed % 5 == 0
    await _send(tab, *text(f"{BOMBS[seed % len(BOMBS)]}# {seed}\n" if hostile else text_of(seed)))
    tab.nodes, tab.inputs = ["loss"], ["x"]
    done["bombs" if hostile else "codes"] += 1


async def _send(tab: Editor, *edits: dict) -> None:
    """Make edits that nobody waits for; the next gesture sends them again if they are not confirmed."""
    first = 1 + max((edit["seq"] for edit in tab.pending), default=tab.word.ack)
    tab.pending += [{**edit, "seq": first + i} for i, edit in enumerate(edits)]
    await tab.post({"key": tab.word.key, "edits": tab.pending, "have": tab.word.rev, "seen": True})


def main() -> int:
    """Print a row for each minute, and the growth; return 1 if it is too large."""
    print(f"{'minute':>6} {'server MB':>10} {'all MB':>8}  done", flush=True)
    with server("app.py") as app:
        until_warm(app)
        found = asyncio.run(soak(app, 60 * MINUTES))
    late = [(each.seconds / 60, each.server) for each in found if each.seconds >= 60 * MINUTES * SETTLED]
    growth = slope(late)
    met = growth <= GROWTH
    print(f"\nGrowth: {growth:+.2f} MB a minute; at most {GROWTH:g}: {'met' if met else 'MISSED'}.")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
