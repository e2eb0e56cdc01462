"""What a newcomer does first, done once ahead: all that is slow only the first time is over then."""

from __future__ import annotations

from pathlib import Path

from autodiff_viz.engine.compiled import filled
from autodiff_viz.engine.warm import warm
from autodiff_viz.views.actions import set_rule
from autodiff_viz.views.compose import LabView, lab_view, sweep_tables, verification
from autodiff_viz.views.lab import start


def rehearse() -> tuple[LabView, LabView]:
    """The first graph and the first toggle, both with a table for each slider that may be dragged."""
    first, toggled = (lab_view(lab) for lab in (start(), set_rule(start(), "b", "stop")))
    for view in (first, toggled):
        sweep_tables(view, view.sweeps)
    return first, toggled


def fill(directory: str) -> int:
    """Compile what most graphs are made of, and what checks them, into `directory`; for a worker process.

    Returns:
      How many graphs of the catalog ran.
    """
    with filled(Path(directory)):
        for view in rehearse():
            verification(view.trace)
        return warm()
