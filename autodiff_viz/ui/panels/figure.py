"""The figure on view. One at a time: each chart costs the browser tens of milliseconds a rerun."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from autodiff_viz.figures.catalog import FIGURES
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.ui.panels.chart import draw_chart
from autodiff_viz.ui.panels.problems import draw_problems
from autodiff_viz.ui.widgets import answered, renewed
from autodiff_viz.views.actions import swept_input
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab, scalar_inputs


def draw_chooser(now: Lab, view: LabView) -> None:
    """Which figure to see, and of which input."""
    chosen = _chosen(now)
    key = renewed("figure", "", chosen)
    chooser, option = st.columns([3, 1], vertical_alignment="bottom")
    with chooser:
        st.segmented_control(
            "Figure",
            list(FIGURES),
            default=chosen,
            key=key,
            format_func=lambda name: FIGURES[name].title,
            on_change=answered,
            args=(key, _show),
            label_visibility="collapsed",
        )
    swept = swept_input(now)
    with option:
        if chosen == "sweep" and swept is not None:
            key = renewed("swept", "", swept)
            inputs = scalar_inputs(now.graph)
            at = inputs.index(swept)
            st.selectbox("Swept input", inputs, at, key=key, on_change=answered, args=(key, _sweep))


def draw_figure(now: Lab, view: LabView) -> None:
    """The chosen figure, with what it says and the same in words."""
    if not view.complete:
        st.caption("The figure appears when the graph is complete.")
        return
    spec, swept = FIGURES[_chosen(now)], swept_input(now)
    try:
        figure, words = spec.build(view.trace, swept), spec.text(view.trace, swept)
    except GraphError as error:
        draw_problems(error.problems)
        return
    st.caption(spec.what_it_says)
    draw_chart(figure, words, "chart")


def _chosen(now: Lab) -> str:
    return now.figure if now.figure in FIGURES else next(iter(FIGURES))


def _show(now: Lab, figure: str | None) -> Lab:
    return replace(now, figure=figure) if figure else now


def _sweep(now: Lab, swept: str) -> Lab:
    return replace(now, swept=swept)
