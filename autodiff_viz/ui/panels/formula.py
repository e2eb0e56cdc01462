"""The formula beside the canvas: the same graph as text."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.ui.panels.problems import draw_problems
from autodiff_viz.ui.session import act
from autodiff_viz.views.actions import typed, unshelved
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab, without_draft

HELP = """One assignment a line: `y = sin(x) * 2.0`. A number alone is an input with a slider.

`stop_gradient(e)`, `rewrite(e, lambda v: ...)`, `custom(e, pullback=lambda v, x, y: ...)` and
`backward_as(e, other)` bend the gradient; `with checkpoint("name"):` opens a checkpoint region."""


def draw_formula(lab: Lab, view: LabView) -> None:
    """The editor, and what is wrong with what stands in it."""
    st.session_state["formula"] = view.text
    lines = view.text.count("\n") + 1
    st.text_area(
        "Formula",
        key="formula",
        height=min(max(lines, 5), 14) * 23 + 24,
        on_change=_on_type,
        help=HELP,
    )
    if lab.draft is not None:
        draw_problems(view.mistakes)
        st.button("Drop my text, show the graph's", key="drop", on_click=act, args=(without_draft,))
    elif lab.shelved is not None:
        st.button("Bring back my unfinished text", key="unshelve", on_click=act, args=(unshelved,))


def _on_type() -> None:
    act(typed, st.session_state["formula"])
