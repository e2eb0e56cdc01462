"""The whole document: its history."""

from __future__ import annotations

from autodiff_viz.views.actions import redone, undone
from autodiff_viz.views.edits.record import Edits
from autodiff_viz.views.history_list import jumped

EDITS: Edits = {
    "undo": lambda lab, edit: undone(lab),
    "redo": lambda lab, edit: redone(lab),
    "jump": lambda lab, edit: jumped(lab, edit["index"]),
}
