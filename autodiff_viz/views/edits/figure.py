"""Choose the figure on view."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.figures.catalog import FIGURES
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab


def _show(lab: Lab, edit: Edit) -> Lab:
    name = edit["figure"]
    if name not in FIGURES:
        raise ValueError("no such figure")
    return replace(lab, figure=name)


EDITS: Edits = {"figure": _show}
