"""What workers say of the numbers, asked for with an edit: often the answer is there when the parts are drawn
that show it."""

from __future__ import annotations

from autodiff_viz.ui.panels.inspector import COUNTS
from autodiff_viz.ui.work import CHECK, asked, check_job, is_large
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.moment import live
from autodiff_viz.views.parts import runs_alone
from autodiff_viz.views.whole_program import program_job


def ask_ahead(name: str, lab: Lab, view: LabView) -> None:
    """Ask in the visitor's `name`; not while a training changes the numbers, nor of a large graph."""
    if not view.complete or is_large(view) or live(lab):
        return
    asked(name, CHECK, check_job(view))
    if lab.selected is not None and runs_alone(view):
        asked(name, COUNTS, program_job(view.trace, lab.selected))
