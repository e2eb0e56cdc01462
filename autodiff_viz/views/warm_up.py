"""Rehearse the first actions of a new visitor ahead, so that their code is compiled already."""

from __future__ import annotations

from pathlib import Path

from autodiff_viz.engine.compilation_cache import filled
from autodiff_viz.engine.warm import warm
from autodiff_viz.figures.catalog import FIGURES
from autodiff_viz.views.actions import set_rule
from autodiff_viz.views.compose import LabView, lab_view, sweep_tables, verification
from autodiff_viz.views.lab import start


def rehearse() -> tuple[LabView, LabView]:
    """Evaluate the first graph and the first change of a rule, with all their sliders and figures."""
    first, toggled = (lab_view(lab) for lab in (start(), set_rule(start(), "b", "stop")))
    for view in (first, toggled):
        sweep_tables(view, view.sweeps)
        for figure in FIGURES.values():
            if not figure.is_slow(view.trace) and figure.fits(view.graph):  # a worker makes slow ones
                figure.build(view.trace, None)
    return first, toggled


def fill(directory: str) -> int:
    """Compile the code of common graphs and of their check into `directory`; for a worker process.

    Returns:
      The number of graphs of the catalog that ran.
    """
    with filled(Path(directory)):
        for view in rehearse():
            verification(view.trace)
        return warm()
