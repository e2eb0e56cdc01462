"""Measure memory over many distinct graphs, in a process of its own.

`python -m benchmarks.memory` prints the resident megabytes at each tenth of the way.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.lab.rehearsal import warm
from benchmarks.graphs import example
from benchmarks.table import Row

GRAPHS, SIZE, TENTHS = 1000, 30, 10
TRACE, VERIFY = "trace", "verify"


def flat() -> Iterator[Row]:
    """Compare resident memory at the end with that at a tenth of the way, when the caches have filled."""
    for task in (TRACE, VERIFY):
        command = [sys.executable, "-m", "benchmarks.memory", task]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        sizes = [float(line) for line in done.stdout.split()]
        what = f"{GRAPHS} graphs of {SIZE} nodes, {task}: memory at the end / after {GRAPHS // TENTHS}"
        yield Row(what, sizes[-1] / sizes[0], 1.05)


def resident() -> float:
    """Return the megabytes of memory that this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _child(task: str) -> None:
    warm()
    for i in range(1, GRAPHS + 1):
        found = trace(example(SIZE, i).graph)
        if task == VERIFY:
            verify(found)
        if i % (GRAPHS // TENTHS) == 0:
            gc.collect()
            print(f"{resident():.1f}", flush=True)


if __name__ == "__main__":
    _child(sys.argv[1])
