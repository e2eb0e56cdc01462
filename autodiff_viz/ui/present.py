"""The visitor's lab as it is now, with what the page shows of it: evaluated once for each state."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from autodiff_viz.graph.identity import same
from autodiff_viz.ui.session import LAB
from autodiff_viz.views.compose import LabView, lab_view
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.parts import Data, follow_from

PRESENT = "present"


@dataclass(slots=True)
class Present:
    """One for each session. It always holds the newest state, also for what is asked for later, such as a
    file to download.

    Attributes:
      numbers: what all numbers of `view` follow from; `state` counts how often that has changed.
    """

    lab: Lab
    view: LabView
    numbers: Data
    state: int = 1


def present() -> Present:
    """What the page shows now."""
    now = st.session_state[LAB]
    held = st.session_state.get(PRESENT)
    if held is not None and held.lab is now:
        return held
    view = lab_view(now, held.view if held else None)
    numbers = follow_from(now, view)
    if held is None:
        held = st.session_state[PRESENT] = Present(now, view, numbers)
        return held
    changed = not same(numbers, held.numbers)
    held.lab, held.view, held.numbers, held.state = now, view, numbers, held.state + changed
    return held
