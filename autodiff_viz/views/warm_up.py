"""Rehearse the first actions of a new visitor ahead, so that their code is compiled already."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from autodiff_viz.engine.compilation_cache import filled
from autodiff_viz.engine.warm import warm
from autodiff_viz.figures.catalog import FIGURES
from autodiff_viz.language.parse import parse
from autodiff_viz.views.actions import set_rule
from autodiff_viz.views.compose import LabView, lab_view, sweep_tables, verification
from autodiff_viz.views.lab import opened, start

COMMON = """x = 0.5
y = 1.2
w = 0.8
s = sin(x)
a = s + y * w * 2.0
b = tanh(a - y) * cos(x)
c = exp(b) / (1.0 + a**2) + sqrt(y) - s
d = square(c) + abs(b) - log(y) * 0.5
z = stop_gradient(a) * d + relu(c) * (3.0 - d)
"""
"""Formula of common ops: some are used twice, some read a number, some do not depend on a slider."""


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
        for view in (*rehearse(), *_common()):
            verification(view.trace)
        return warm()


def _common() -> Iterator[LabView]:
    """Evaluate `COMMON` with its sliders, and with a rule that declares another derivative."""
    lab = opened(start(), parse(COMMON), "Common")
    for changed in (lab, set_rule(lab, "c", "pullback")):
        view = lab_view(changed)
        sweep_tables(view, view.sweeps)
        yield view
