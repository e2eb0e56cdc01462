"""Draw what a training has learned, beside its loss: the surface of the prediction."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.figures.training.surface import surface_figure, surface_text
from autodiff_viz.ui.panels.chart import draw_chart
from autodiff_viz.ui.session import session
from autodiff_viz.ui.work import is_large
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.training.surface import learned_surface


def draw_surface(lab: Lab, view: LabView) -> None:
    """Draw the surface, or why there is none; nothing for a graph that reads no points."""
    found = None if is_large(view) else learned_surface(lab, view)
    if isinstance(found, str):
        st.caption(found)
    elif found is not None:
        draw_chart(surface_figure(found, session().parts.low), surface_text(found), "surface")
