"""List the undo history for the canvas: labels of undo and redo, and the steps near the present one."""

from __future__ import annotations

from typing import Any

from autodiff_viz.views.actions import steps
from autodiff_viz.views.lab import Lab

BEFORE, AFTER = 60, 20  # steps that are sent to the canvas; a jump to the last of them sends more


def history_view(lab: Lab) -> dict[str, Any]:
    """Return the history as data.

    `undo` and `redo` are the labels of `actions.steps`, `labels` those of the entries by index, of which only
    changed ones are sent, and `at` is the index of the present entry. `gone` is the number of older entries
    that are no longer kept.
    """
    entries, at = lab.history.entries, len(lab.history.past)
    shown = range(max(0, at - BEFORE), min(len(entries), at + AFTER + 1))
    labels = {str(i): entries[i].label for i in shown}
    return {**steps(lab), "labels": labels, "at": at, "gone": lab.history.forgotten}
