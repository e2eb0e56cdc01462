"""Draw the row above the formula editor, which shows the graph as text."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.ui.widgets import pressed
from autodiff_viz.views.actions import unshelved
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab, without_draft

HELP = """One assignment a line: `y = sin(x) * 2.0`. A number alone is an input with a slider.

`stop_gradient(e)`, `rewrite(e, lambda v: ...)`, `custom(e, pullback=lambda v, x, out: ...)` and
`backward_as(e, other)` bend the gradient; `with checkpoint("name"):` opens a checkpoint region.

The canvas follows as you type; Ctrl+Enter sends at once, Ctrl+/ makes a line a comment. Tab indents
once you have typed: Escape leaves the text for the canvas."""


def draw_formula_head(lab: Lab, view: LabView) -> None:
    """Draw the row above the editor."""
    with st.container(key="formula_head", horizontal=True, vertical_alignment="center"):
        st.markdown(":small[Formula]", help=HELP, width="content")
        st.space("stretch")
        _draw_ways_back(lab)


def _draw_ways_back(lab: Lab) -> None:
    """Draw the buttons that drop or restore a draft.

    They are in the head, which keeps its height: a button below the text would move everything under it.
    """
    if lab.draft is not None:
        label, key, action = "Drop my text", "drop", without_draft
        told = "Show the text of the graph on the canvas instead"
    elif lab.shelved is not None:
        label, key, action = "Bring back my unfinished text", "unshelve", unshelved
        told = "It was put aside when another graph was opened"
    else:
        return
    st.button(label, key=key, help=told, type="tertiary", on_click=pressed, args=(action,))
