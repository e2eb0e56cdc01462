"""Apply edits from the canvas to a lab."""

from __future__ import annotations

from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.language.parse import parse


def after(*edits: dict, text: str | None = None) -> Lab:
    """The first lab, or one of this formula, after the edits; none of them may be refused."""
    lab = start() if text is None else opened(start(), parse(text), "Open")
    for edit in edits:
        lab = edited(lab, edit)
        assert lab.notice == ()
    return lab
