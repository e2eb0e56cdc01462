"""Find in CI what has become slower: a small part of what `make bench` measures, beside kept ratios.

    python -m benchmarks.small          fails where a ratio is a quarter above the kept one, three times
    KEEP=1 python -m benchmarks.small   keeps what it measures, with its day, commit and versions

Both sides of a ratio are measured in turn, so another machine says nearly the same. The kept ones are in
`small.json`, whose history git has.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from autodiff_viz.lab.rehearsal import warm
from autodiff_viz.ui.bundle import script
from benchmarks import engine
from benchmarks.browser import few_gestures
from benchmarks.results import conditions
from benchmarks.table import Row, show
from tests.browser.server import HOW_TO_GET_CHROMIUM, chromium

KEPT = Path(__file__).with_name("small.json")
ALLOWED, TRIES = 1.25, 3
LEAST = 0.05
"""A ratio below this is as good as 0: what is a quarter above it is no regression."""
ROUNDED = 0.25
"""What a ratio of an interaction may be above that: two of the 8 ms to which the browser rounds, over the 64
or more that the bare page's button takes."""


def rows() -> Iterator[Row]:
    """Measure one edit, the first script, and what a browser sees."""
    yield from engine.edits([30])
    yield Row("KB of the first script, packed", len(script().compressed) / 1000)
    yield from few_gestures()


def slower(found: Mapping[str, float], kept: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Return what is more than a quarter above the kept ratio, or has none, with both."""
    return {
        what: (ratio, before)
        for what, ratio in found.items()
        for before in [kept.get(what, 0.0)]
        if ratio > ALLOWED * max(before, LEAST) + ROUNDED * ("next paint" in what)
    }


def main() -> int:
    """Measure, as often as there is something slower, at most three times; return how much is left."""
    if chromium() is None:
        print(HOW_TO_GET_CHROMIUM)
        return bool(os.environ.get("CI"))
    measured = conditions()
    warm()
    gc.collect()
    gc.freeze()
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {"ratios": {}}
    least: dict[str, float] = {}
    worse: dict[str, tuple[float, float]] = {}
    for _ in range(TRIES):
        for row in show("Small", rows()):
            least[row.what] = min(row.ratio, least.get(row.what, row.ratio))
        worse = slower(least, kept["ratios"])
        if not worse:
            break
    if os.environ.get("KEEP"):
        ratios = {what: float(f"{ratio:.3g}") for what, ratio in least.items()}
        KEPT.write_text(json.dumps({"measured": measured, "ratios": ratios}, indent=1) + "\n", "utf-8")
        return 0
    for what, (ratio, before) in worse.items():
        print(f"{what}: {ratio:.3g}, and {before:.3g} is kept ({kept.get('measured', 'never')}).")
    return len(worse)


if __name__ == "__main__":
    sys.exit(main())
