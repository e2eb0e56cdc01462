"""The open lesson beside the lab."""

from __future__ import annotations

from autodiff_viz.views.lab import Lab


def draw_lesson(lab: Lab) -> None:
    pass
