"""The history as the canvas shows it: what undo and redo would do, and the steps around the present one."""

from __future__ import annotations

from typing import Any

from autodiff_viz.graph.history import jump
from autodiff_viz.views.actions import steps
from autodiff_viz.views.lab import Lab, stepped

BEFORE, AFTER = 60, 20  # steps that the canvas knows of; jumping to the last of them brings more


def history_view(lab: Lab) -> dict[str, Any]:
    """`undo` and `redo` as `steps` says; `labels` of the entries by their index, of which those that changed
    travel; the present one's index, `at`."""
    entries, at = lab.history.entries, len(lab.history.past)
    shown = range(max(0, at - BEFORE), min(len(entries), at + AFTER + 1))
    return {**steps(lab), "labels": {str(i): entries[i].label for i in shown}, "at": at}


def jumped(lab: Lab, index: Any) -> Lab:
    """The lab at another step of its history; as it is when there is no such step."""
    if type(index) is not int:
        raise TypeError(index)
    return stepped(lab, jump(lab.history, index))
