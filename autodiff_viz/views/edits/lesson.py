"""Open another graph of the open lesson."""

from __future__ import annotations

from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.lessons.gallery import open_variant


def _open(lab: Lab, edit: Edit) -> Lab:
    key, variant = edit["lesson"], edit["variant"]
    if type(variant) is not int or variant < 0:
        raise ValueError("no such graph")
    if key != lab.lesson:  # of a lesson that has been left meanwhile
        return lab
    return open_variant(lab, key, variant)


EDITS: Edits = {"variant": _open}
