"""Measure every ratio that the project promises, in one run: `python -m benchmarks [part ...]`.

Ratios, not times: both sides of each are measured in turn on the same machine in the same minute. With KEEP=1
they are written to `results.md`.
"""

from __future__ import annotations

import gc
import os
import sys

from autodiff_viz.lab.rehearsal import warm
from benchmarks import (
    browser,
    code,
    collector,
    embeds,
    engine,
    explanations,
    frames,
    hostile,
    lessons_page,
    memory,
    notebook,
    results,
    training,
    visitors,
    whole,
)
from benchmarks.peers import torch
from benchmarks.table import Row, show

PARTS = {
    "engine": ("Live path, ops warm", engine.against_hand_written),
    "edits": ("Edits", engine.edits),
    "notebook": ("Edits in a notebook", notebook.edits),
    "sweep": ("Sweep", engine.sweeps),
    "linear": ("Growth", engine.linearity),
    "first": ("First use", engine.first_use),
    "program": ("Whole program", whole.programs),
    "memory": ("Memory", memory.flat),
    "explanations": ("Explanations", explanations.explanations),
    "training": ("Training", training.steps),
    "surface": ("Surface of a prediction", training.surface),
    "records": ("Records of a training", training.memory),
    "collector": ("Garbage collection", collector.settings),
    "browser": ("Browser", browser.gestures),
    "frames": ("Frames", frames.frames),
    "embeds": ("Frames in pages of others", embeds.embeds),
    "lessons": ("Page of lessons", lessons_page.lessons_page),
    "code": ("Code that is typed", code.code),
    "visitors": ("Visitors", visitors.visitors),
    "hostile": ("One visitor's worst", hostile.hostile),
}


def main(wanted: list[str]) -> int:
    """Run the parts asked for, or all; return how many targets were missed."""
    if unknown := set(wanted) - set(PARTS):
        print(f"There is no part {', '.join(sorted(unknown))}. The parts: {', '.join(PARTS)}.")
        return 2
    if torch is None:
        print("PyTorch is not installed, so nothing is compared with it: pip install torch")
    warm()
    gc.collect()
    gc.freeze()  # as the app does after its imports
    rows = [row for part in wanted or PARTS for row in _run(part)]
    missed = [row for row in rows if not row.met]
    targets = sum(row.target is not None for row in rows)
    print(f"\n{targets - len(missed)} of {targets} targets met.")
    return len(missed)


def _run(part: str) -> list[Row]:
    title, measure = PARTS[part]
    measured = results.conditions()
    rows = show(title, measure())
    if os.environ.get("KEEP"):
        results.keep(title, measured, rows, [title for title, _ in PARTS.values()])
    return rows


if __name__ == "__main__":
    main(sys.argv[1:])
