"""The visitor's lab as it is now, with what the page shows of it: evaluated once for each state."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from autodiff_viz.ui.session import LAB
from autodiff_viz.views.compose import LabView, lab_view
from autodiff_viz.views.lab import Lab

PRESENT = "present"


@dataclass(slots=True)
class Present:
    """One for each session. It always holds the newest state, also for what is asked for later, such as a
    file to download."""

    lab: Lab
    view: LabView


def present() -> Present:
    """What the page shows now."""
    now = st.session_state[LAB]
    held = st.session_state.get(PRESENT)
    if held is None:
        held = st.session_state[PRESENT] = Present(now, lab_view(now))
    elif held.lab is not now:
        held.lab, held.view = now, lab_view(now, held.view)
    return held
