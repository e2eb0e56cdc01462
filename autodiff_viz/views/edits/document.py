"""The whole document: its history."""

from __future__ import annotations

from autodiff_viz.views.actions import redone, undone
from autodiff_viz.views.edits.record import Edits

EDITS: Edits = {
    "undo": lambda lab, edit: undone(lab),
    "redo": lambda lab, edit: redone(lab),
}
