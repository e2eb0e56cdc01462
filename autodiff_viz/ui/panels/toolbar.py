"""Undo, redo and reset."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.ui.session import act
from autodiff_viz.views.actions import redone, reset, undone
from autodiff_viz.views.lab import Lab


def draw_toolbar(lab: Lab) -> None:
    """Three buttons; each says what it would do."""
    history = lab.history
    undo, redo, again = st.columns(3)
    undo.button(
        "Undo",
        key="undo",
        icon=":material/undo:",
        on_click=act,
        args=(undone,),
        disabled=not history.can_undo,
        help=f"Undo: {history.present.label}" if history.can_undo else None,
        width="stretch",
    )
    redo.button(
        "Redo",
        key="redo",
        icon=":material/redo:",
        on_click=act,
        args=(redone,),
        disabled=not history.can_redo,
        help=f"Redo: {history.future[0].label}" if history.can_redo else None,
        width="stretch",
    )
    again.button(
        "Reset",
        key="reset",
        icon=":material/restart_alt:",
        on_click=act,
        args=(reset,),
        help="Back to the first graph. Undo brings yours back.",
        width="stretch",
    )
