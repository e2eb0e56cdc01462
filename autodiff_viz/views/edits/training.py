"""Show a step of the training, while its slider is dragged."""

from __future__ import annotations

from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.training.actions import scrubs
from autodiff_viz.views.training.shown_step import own


def _show(lab: Lab, edit: Edit) -> Lab:
    step, training = edit["step"], own(lab)
    if type(step) is not int or step < 0:
        raise ValueError("no such step")
    if training is None or step > len(training):  # of a training that has been replaced meanwhile
        return lab
    return scrubs(lab, step)


EDITS: Edits = {"step": _show}
